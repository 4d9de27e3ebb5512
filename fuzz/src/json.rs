use sref_session::json::{JsonErrorKind, Scanner, parse};

/// The scanner and the tree accept the same texts, and a tree survives being printed.
pub fn json(data: &[u8]) {
    let mut scanner = Scanner::new(data);
    let skipped = scanner.skip_value().and_then(|_| scanner.finish());
    let tree = match parse(data) {
        Ok(tree) => tree,
        Err(error) => {
            assert!(error.offset() <= data.len());
            // Only the tree has a limit of depth.
            assert!(skipped.is_err() || error.kind() == JsonErrorKind::TooDeep);
            return;
        }
    };
    assert!(skipped.is_ok());
    let printed = tree.to_json();
    let again = parse(printed.as_bytes());
    // A number out of range is infinite and equals itself; nothing that parses is NaN.
    assert_eq!(again.as_ref(), Ok(&tree));
    assert_eq!(again.map(|again| again.to_json()), Ok(printed));
}
