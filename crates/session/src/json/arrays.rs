//! Whole arrays of one kind of element, passed at once.

use super::bytes::{short_integer, strings_before_another};
use super::error::JsonError;
use super::scan::{Kind, Scanner};
use super::value::safe_integer;

impl Scanner<'_> {
    /// Passes an array and tells how many elements it has, if all of them are strings; `None` for
    /// any other value, which is passed too.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    ///
    /// ```
    /// use sref_session::json::Scanner;
    ///
    /// let count = |json: &'static str| Scanner::new(json.as_bytes()).strings();
    /// assert_eq!(count(r#"["a", "b"]"#), Ok(Some(2)));
    /// assert_eq!(count(r#"["a", 2]"#), Ok(None));
    /// assert!(count(r#"["a",]"#).is_err());
    /// ```
    pub fn strings(&mut self) -> Result<Option<u64>, JsonError> {
        let (mut count, mut all) = (0, true);
        let is_array = self.each_element(|scanner| {
            if scanner.bytes.get(scanner.at) == Some(&b'"') {
                let (passed, at) = strings_before_another(scanner.bytes, scanner.at);
                count += passed;
                scanner.at = at;
            }
            scanner.white_space();
            count += 1;
            all &= scanner.bytes.get(scanner.at) == Some(&b'"');
            scanner.skip_value().map(|_| ())
        })?;
        Ok((is_array && all).then_some(count))
    }

    /// Passes an array and gives its elements in order, if all of them are safe integers. Gives
    /// `false` for any other value, which is passed too; some elements may have been given by then.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    ///
    /// ```
    /// use sref_session::json::Scanner;
    ///
    /// let mut sum = 0;
    /// assert_eq!(Scanner::new(b"[1, -2, 1e2]").integers(|integer| sum += integer), Ok(true));
    /// assert_eq!(sum, 99);
    /// assert_eq!(Scanner::new(b"[1.5]").integers(|_| {}), Ok(false));
    /// ```
    pub fn integers(&mut self, mut each: impl FnMut(i64)) -> Result<bool, JsonError> {
        let mut all = true;
        let is_array = self.each_element(|scanner| {
            // Short numbers behind one another, as writers put them.
            let (bytes, mut at) = (scanner.bytes, scanner.at);
            while let Some((integer, end)) = short_integer(bytes, at) {
                each(integer);
                if bytes[end] == b']' {
                    scanner.at = end;
                    return Ok(());
                }
                at = end + 1;
            }
            scanner.at = at;
            scanner.white_space();
            let range = scanner.skip_value()?;
            match safe_integer(scanner.slice(range)) {
                Some(integer) => each(integer),
                None => all = false,
            }
            Ok(())
        })?;
        Ok(is_array && all)
    }

    /// Walks the elements of an array, or passes any other value; tells which. `element` stands
    /// before an element and must pass it.
    #[inline]
    fn each_element(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<bool, JsonError> {
        if self.peek()? != Kind::Array {
            self.skip_value()?;
            return Ok(false);
        }
        self.at += 1;
        self.white_space();
        if self.byte()? == b']' {
            self.at += 1;
            return Ok(true);
        }
        loop {
            element(self)?;
            self.white_space();
            match self.byte()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(true);
                }
                _ => return Err(self.unexpected()),
            }
            self.white_space();
        }
    }
}
