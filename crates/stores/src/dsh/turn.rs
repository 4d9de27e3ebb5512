//! The open tail turn (`spec/dsh-store.md` 1.8): a log that ends inside a turn is read as if its
//! writer had closed the turn.

use std::collections::HashSet;

use super::format::EventType;
use super::shape::Checked;
use crate::digest::digest;
use crate::raw::Raw;

/// What the events so far leave open.
///
/// Only what changes the result is kept: how many closers there are. Their payloads never reach a
/// projection.
#[derive(Debug, Default)]
pub(super) struct OpenTurn {
    turn: bool,
    step: bool,
    /// Digests of the ids of the calls that wait for a result.
    pending: HashSet<u128>,
    /// Whether a call waits whose id no result can name.
    nameless: bool,
}

/// The events that close a turn: so many tool results, then so many that stand on no surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Closers {
    pub(super) tool_results: u64,
    pub(super) others: u64,
}

impl OpenTurn {
    /// Takes the next event, as it is after upgrades.
    pub(super) fn event(
        &mut self,
        event_type: EventType,
        data: Option<Raw<'_>>,
        message: Checked<'_, '_>,
    ) -> Result<(), &'static str> {
        match event_type {
            EventType::TurnStart => {
                let data = dereference(data)?;
                self.turn = is_open(data.member("turn"));
                self.step = false;
                self.clear_calls();
            }
            EventType::TurnEnd => {
                self.turn = false;
                self.clear_calls();
            }
            EventType::StepStart => {
                let data = dereference(data)?;
                self.step = is_open(data.member("step"));
            }
            EventType::StepEnd => {
                self.step = false;
                self.clear_calls();
            }
            EventType::ToolCall => {
                dereference(data)?;
            }
            _ => {}
        }
        match message {
            Checked::Assistant(blocks) => {
                if blocks.null {
                    return Err("a null block in an assistant message");
                }
                for call in &blocks.calls {
                    match call.filter(|id| id.is_filled()).and_then(Raw::decode) {
                        Some(id) => {
                            self.pending.insert(digest(id.as_wtf8()));
                        }
                        None => self.nameless = true,
                    }
                }
            }
            Checked::Tool(result) => {
                if let Some(id) = result.call_id.decode() {
                    self.pending.remove(&digest(id.as_wtf8()));
                }
            }
            Checked::User(..) | Checked::System | Checked::Developer | Checked::NoMessage => {}
        }
        Ok(())
    }

    fn clear_calls(&mut self) {
        self.pending.clear();
        self.nameless = false;
    }

    /// What closes the turn at the end of the log.
    pub(super) fn close(&self) -> Result<Closers, &'static str> {
        if !self.turn {
            return Ok(Closers::default());
        }
        if self.nameless {
            return Err("a pending tool call without an id");
        }
        Ok(Closers {
            tool_results: self.pending.len() as u64,
            others: u64::from(self.step) + 1,
        })
    }
}

/// Data that JavaScript can take a member of.
fn dereference(data: Option<Raw<'_>>) -> Result<Raw<'_>, &'static str> {
    data.filter(|data| !data.is_null())
        .ok_or("null data where a turn is followed")
}

/// `null` is none; a missing number is one that is not known.
fn is_open(number: Option<Raw<'_>>) -> bool {
    !number.is_some_and(Raw::is_null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsh::event::Line;
    use crate::dsh::format::FORMAT_0;

    fn run(events: &[&str]) -> Result<Closers, &'static str> {
        let mut turn = OpenTurn::default();
        for line in events {
            let Ok(Line::Event(event)) = Line::parse(line.as_bytes(), &FORMAT_0) else {
                panic!("{line}")
            };
            turn.event(event.kind, event.data, event.body.check(&FORMAT_0)?)?;
        }
        turn.close()
    }

    fn call(ids: &[&str]) -> String {
        let blocks: Vec<_> = ids
            .iter()
            .map(|id| format!(r#"{{"type":"tool-call"{id}}}"#))
            .collect();
        assistant(&blocks.join(","))
    }

    fn assistant(blocks: &str) -> String {
        format!(
            r#"{{"type":"assistant/message","data":{{"step":1,"message":{{"id":"a","role":"assistant","source":{{"kind":"model","provider":"p","model":"m"}},"content":[{blocks}]}}}}}}"#
        )
    }

    fn result(id: &str) -> String {
        format!(
            r#"{{"type":"tool/result","data":{{"message":{{"id":"t","role":"user","source":{{"kind":"tool","callId":"{id}"}},"content":[{{"type":"tool-result","toolCallId":"{id}","content":[]}}]}}}}}}"#
        )
    }

    const TURN: &str = r#"{"type":"turn/start","data":{"turn":1}}"#;
    const STEP: &str = r#"{"type":"step/start","data":{"turn":1,"step":1}}"#;
    const STEP_END: &str = r#"{"type":"step/end","data":null}"#;
    const TURN_END: &str = r#"{"type":"turn/end","data":null}"#;

    /// What a log that can be closed is closed with.
    fn closed(events: &[&str]) -> (u64, u64) {
        let closers = run(events).unwrap();
        (closers.tool_results, closers.others)
    }

    /// [k01, k02, k04, k07, k16, r28]
    #[test]
    fn a_turn_is_open_from_start_to_end() {
        assert_eq!(closed(&[]), (0, 0));
        assert_eq!(closed(&[TURN]), (0, 1));
        assert_eq!(closed(&[TURN, STEP]), (0, 2));
        assert_eq!(closed(&[TURN, STEP, STEP_END]), (0, 1));
        assert_eq!(closed(&[TURN, STEP, TURN_END]), (0, 0));
        assert_eq!(closed(&[STEP]), (0, 0));
        assert_eq!(closed(&[TURN, STEP, TURN]), (0, 1));
        assert_eq!(
            closed(&[r#"{"type":"turn/start","data":{"turn":null}}"#]),
            (0, 0)
        );
        assert_eq!(closed(&[r#"{"type":"turn/start","data":{}}"#]), (0, 1));
        assert_eq!(closed(&[r#"{"type":"turn/start","data":7}"#]), (0, 1));
    }

    /// [V: open-turn-*, k13–k15, k22]
    #[test]
    fn a_pending_call_needs_a_result() {
        let two = call(&[r#","id":"x""#, r#","id":"y""#]);
        assert_eq!(closed(&[TURN, STEP, &two]), (2, 2));
        assert_eq!(closed(&[TURN, STEP, &two, &two]), (2, 2));
        assert_eq!(closed(&[TURN, STEP, &two, &result("x")]), (1, 2));
        assert_eq!(closed(&[TURN, STEP, &two, &result("z")]), (2, 2));
        assert_eq!(closed(&[TURN, STEP, &two, STEP_END]), (0, 1));
        assert_eq!(closed(&[TURN, &two, TURN]), (0, 1));
        assert_eq!(closed(&[TURN, &two, TURN_END]), (0, 0));
    }

    /// [k10–k12]
    #[test]
    fn a_nameless_call_is_fatal_only_at_the_open_end() {
        for id in ["", r#","id":"""#, r#","id":7"#] {
            let nameless = call(&[id]);
            assert!(run(&[TURN, &nameless]).is_err());
            assert!(run(&[TURN, &nameless, TURN_END]).is_ok());
            assert!(run(&[TURN, &nameless, STEP_END]).is_ok());
            assert!(run(&[&nameless]).is_ok());
        }
    }

    /// 1.4 no. 4 [k03, k05, k06, k08, k09]
    #[test]
    fn null_is_fatal_where_the_scan_looks_into_it() {
        for kind in ["turn/start", "step/start", "tool/call"] {
            for data in ["", r#","data":null"#] {
                let event = format!(r#"{{"type":"{kind}"{data}}}"#);
                assert!(run(&[&event, TURN_END]).is_err(), "{event}");
            }
        }
        assert!(run(&[&assistant("null"), TURN_END]).is_err());
        assert!(run(&[&assistant("1,\"x\",[]"), TURN_END]).is_ok());
    }
}
