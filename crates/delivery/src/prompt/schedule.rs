use memchr::memmem;
use sref_session::JsStr;
use sref_session::json::{JsonError, Kind, Scanner};

use super::gate::SCHEDULING_TOOLS;

/// Whether one record of a Claude Code transcript is a call by which the model put this very prompt
/// on a timer.
///
/// A prompt that comes from a timer looks exactly like a typed one, and the record of its firing is
/// written only after the hook has run; the call that set it up is the one trace
/// (`spec/delivery.md` 0.1, 4). A line that is no such record, or no JSON, is none.
///
/// ```
/// use sref_delivery::schedules;
///
/// let record = br#"{"message":{"content":[{"type":"tool_use","name":"CronCreate","input":{"cron":"0 9 * * *","prompt":"see @sref:x"}}]}}"#;
/// assert!(schedules(record, "see @sref:x".into()));
/// assert!(!schedules(record, "see @sref:y".into()));
/// ```
#[must_use]
pub fn schedules(record: &[u8], prompt: JsStr<'_>) -> bool {
    // Nearly all lines end here, without being read as JSON.
    SCHEDULING_TOOLS
        .iter()
        .any(|tool| memmem::find(record, tool.as_bytes()).is_some())
        && in_record(record, prompt.as_wtf8().trim_ascii()).unwrap_or(false)
}

fn in_record(record: &[u8], prompt: &[u8]) -> Result<bool, JsonError> {
    let mut scanner = Scanner::new(record);
    let mut found = false;
    members(&mut scanner, |key, scanner| {
        if key != b"message" || scanner.peek()? != Kind::Object {
            return skip(scanner);
        }
        members(scanner, |key, scanner| {
            if key != b"content" || scanner.peek()? != Kind::Array {
                return skip(scanner);
            }
            scanner.enter_array()?;
            while scanner.next_element()? {
                if scanner.peek()? == Kind::Object {
                    found |= is_call(scanner, prompt)?;
                } else {
                    skip(scanner)?;
                }
            }
            Ok(())
        })
    })?;
    Ok(found)
}

fn is_call(scanner: &mut Scanner<'_>, prompt: &[u8]) -> Result<bool, JsonError> {
    let mut tool = false;
    let mut same = false;
    members(scanner, |key, scanner| match key {
        b"name" if scanner.peek()? == Kind::String => {
            let name = scanner.string()?;
            tool = SCHEDULING_TOOLS.iter().any(|tool| name.is(tool));
            Ok(())
        }
        b"input" if scanner.peek()? == Kind::Object => members(scanner, |key, scanner| {
            if key == b"prompt" && scanner.peek()? == Kind::String {
                let said = scanner.string()?.decode();
                same = said.as_wtf8().trim_ascii() == prompt;
                return Ok(());
            }
            skip(scanner)
        }),
        _ => skip(scanner),
    })?;
    Ok(tool && same)
}

fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut each: impl FnMut(&[u8], &mut Scanner<'a>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        each(&key.text(), scanner)?;
    }
    Ok(())
}

fn skip(scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
    scanner.skip_value().map(drop)
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use sref_session::JsString;

    use super::*;

    #[test]
    fn only_a_call_with_the_same_prompt_counts() {
        let prompt = JsString::from_utf16("say \"hi\" ".encode_utf16().chain([0xD83D]));
        for (record, expected) in [
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"ScheduleWakeup","input":{"prompt":" say \"hi\" \ud83d\n"}}]}}"#,
                true,
            ),
            (
                r#"{"message":{"content":[{"name":"CronCreate","input":{"prompt":"say"}}]}}"#,
                false,
            ),
            (
                r#"{"message":{"content":[{"name":"CronList","input":{"prompt":"say \"hi\" \ud83d"}},"CronCreate"]}}"#,
                false,
            ),
            (r#"{"message":{"content":"CronCreate say"}}"#, false),
            (r#"{"message":"CronCreate"}"#, false),
            (r#"["CronCreate"]"#, false),
            (r#"{"message":{"content":[{"name":"CronCreate","#, false),
            ("CronCreate", false),
            ("", false),
        ] {
            assert_eq!(
                schedules(record.as_bytes(), prompt.as_js_str()),
                expected,
                "{record}"
            );
        }
    }
}
