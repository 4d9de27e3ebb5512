//! Entries of JSON files.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::ops::Range;

use sref_session::json::{self, Kind, Object, Value};

use super::command::{is_hook, is_program};
use super::error::{SetupError, SetupErrorKind};
use super::jsonc::{Container, Item, Jsonc, Liberties};
use super::print::Layout;
use super::splice::{append, apply, came_with_item, remove};
use super::{Change, Grammar, SERVER};
use crate::Host;

/// Something that stands in a JSON file.
#[derive(Debug, Clone)]
pub(super) struct JsonEntry {
    /// The containers around it, from the outside.
    path: &'static [&'static str],
    /// The same, for an error.
    shown: &'static str,
    own: Own,
    /// What the agent takes in the file.
    grammar: Grammar,
}

#[derive(Debug, Clone)]
enum Own {
    /// An element of the last container, which is an array.
    Hook {
        host: Host,
        program: String,
        command: String,
    },
    /// A member of the last container, an object, under the name of the server.
    Server { program: String, args: Vec<String> },
}

/// What was found of sref: the items around it, from the outside, each with its container.
struct Found {
    steps: Vec<(Container, usize)>,
    /// How many of the innermost steps are one entry: a group of hooks with the hook in it.
    own: usize,
}

impl JsonEntry {
    pub(super) const fn hook(host: Host, event: Event, program: String, command: String) -> Self {
        Self {
            path: event.path,
            shown: event.shown,
            own: Own::Hook {
                host,
                program,
                command,
            },
            grammar: event.grammar,
        }
    }

    pub(super) const fn server(grammar: Grammar, program: String, args: Vec<String>) -> Self {
        Self {
            path: &["mcpServers"],
            shown: "mcpServers",
            own: Own::Server { program, args },
            grammar,
        }
    }

    /// The file that has nothing else in it.
    pub(super) fn snippet(&self) -> String {
        let layout = Layout::Lines {
            line: "\n".into(),
            unit: "  ",
        };
        let mut out = String::new();
        layout.item(&mut out, None, &self.wrapped(self.path));
        out.push('\n');
        out
    }

    pub(super) fn insert(&self, text: &str) -> Result<Change, SetupError> {
        let Some(read) = self.read_as_the_agent(text)? else {
            return Ok(Change::Text(format!("{text}{}", self.snippet())));
        };
        if self.find(&read)?.is_some() {
            return Ok(Change::Same);
        }
        let mut container = self.root(&read)?;
        for (depth, name) in self.path.iter().enumerate() {
            let Some(member) = container.member(name) else {
                let value = self.wrapped(&self.path[depth + 1..]);
                let splices = append(&read, &container, Some(name), &value);
                return Ok(Change::Text(apply(text, &splices)));
            };
            container = self.enter(&read, member, depth)?;
        }
        let (name, value) = self.item();
        let splices = append(&read, &container, name, &value);
        Ok(Change::Text(apply(text, &splices)))
    }

    /// Takes out all that is of sref. A file that the agent cannot read becomes no worse by that.
    pub(super) fn remove(&self, text: &str) -> Result<Change, SetupError> {
        let mut change = Change::Same;
        loop {
            let left = match &change {
                Change::Same => text,
                Change::Text(left) => left,
                Change::Nothing => return Ok(change),
            };
            match self.remove_one(left)? {
                Change::Same => return Ok(change),
                less => change = less,
            }
        }
    }

    fn remove_one(&self, text: &str) -> Result<Change, SetupError> {
        let Some(read) = read(text)? else {
            return Ok(Change::Same);
        };
        let Some(found) = self.find(&read)? else {
            return Ok(Change::Same);
        };
        let mut steps = found.steps;
        // A group without a hook would do nothing.
        if steps
            .last()
            .is_some_and(|(container, _)| container.items.len() == 1)
        {
            steps.truncate(steps.len() - (found.own - 1));
        }
        // What is alone in its container takes the container with it, if that came with it.
        while let Some((container, at)) = steps.pop() {
            if !came_with_item(&read, &container) {
                let splices = remove(&read, &container, at);
                return Ok(Change::Text(apply(text, &splices)));
            }
        }
        // Nothing is left of the file but what stood around.
        let root = read.root();
        let after = text[root.end..].trim_ascii();
        let before = &text[..root.start];
        Ok(if before.is_empty() && after.is_empty() {
            Change::Nothing
        } else if after.is_empty() {
            Change::Text(before.into())
        } else {
            Change::Text(format!("{before}{{}}{}", &text[root.end..]))
        })
    }

    /// The command that stands in the file.
    pub(super) fn command(&self, text: &str) -> Result<Option<String>, SetupError> {
        let Some(read) = read(text)? else {
            return Ok(None);
        };
        let found = self.place_in(&read)?;
        Ok(found.and_then(|own| {
            let own = json::parse(&own.definition).ok()?;
            Some(own.get("command")?.as_string()?.to_string())
        }))
    }

    /// Where it stands for the agent.
    pub(super) fn place(&self, text: &str) -> Result<Option<Place>, SetupError> {
        match self.read_as_the_agent(text)? {
            Some(read) => self.place_in(&read),
            None => Ok(None),
        }
    }

    fn place_in(&self, read: &Jsonc<'_>) -> Result<Option<Place>, SetupError> {
        let Some(found) = self.find(read)? else {
            return Ok(None);
        };
        let own = &found.steps[found.steps.len() - found.own..];
        let (Some((_, first)), Some((container, last))) = (own.first(), own.last()) else {
            return Ok(None);
        };
        let definition = read.bytes(&container.items[*last].value);
        Ok(Some(Place {
            group: *first,
            hook: *last,
            definition: definition.into(),
        }))
    }

    /// Reads a file, unless the agent would read nothing of it.
    fn read_as_the_agent<'a>(&self, text: &'a str) -> Result<Option<Jsonc<'a>>, SetupError> {
        let read = read(text)?;
        let Liberties {
            mark,
            comment,
            comma,
        } = Liberties::of(text);
        let refused = match self.grammar {
            Grammar::Plain => [mark, comment, comma].into_iter().flatten().min(),
            Grammar::PlainWithMark => [comment, comma].into_iter().flatten().min(),
            Grammar::Comments => [mark, comma].into_iter().flatten().min(),
            Grammar::TrailingCommas => None,
        };
        match (refused, self.grammar) {
            (None, _) => Ok(read),
            (Some(at), Grammar::Comments) => Err(SetupErrorKind::JsonWithComments(at).into()),
            (Some(at), _) => Err(SetupErrorKind::PlainJson(at).into()),
        }
    }

    fn root(&self, read: &Jsonc<'_>) -> Result<Container, SetupError> {
        self.expect(read, &read.root(), "the file", Kind::Object)
    }

    fn enter(
        &self,
        read: &Jsonc<'_>,
        member: &Item,
        depth: usize,
    ) -> Result<Container, SetupError> {
        let last = depth + 1 == self.path.len();
        let kind = match self.own {
            Own::Hook { .. } if last => Kind::Array,
            _ => Kind::Object,
        };
        let shown = if last { self.shown } else { self.path[depth] };
        self.expect(read, &member.value, shown, kind)
    }

    #[expect(clippy::unused_self, reason = "one of the steps of an entry")]
    fn expect(
        &self,
        read: &Jsonc<'_>,
        value: &Range<usize>,
        path: &'static str,
        kind: Kind,
    ) -> Result<Container, SetupError> {
        let container = read
            .container(value)
            .filter(|_| read.kind(value) == Some(kind));
        let expected = if kind == Kind::Array {
            "an array"
        } else {
            "an object"
        };
        let at = value.start;
        container.ok_or_else(|| SetupErrorKind::Shape { path, expected, at }.into())
    }

    /// Where sref's own stands.
    fn find(&self, read: &Jsonc<'_>) -> Result<Option<Found>, SetupError> {
        let mut container = self.root(read)?;
        let mut steps = Vec::new();
        for (depth, name) in self.path.iter().enumerate() {
            let Some(at) = position(&container, name) else {
                return Ok(None);
            };
            let inner = self.enter(read, &container.items[at], depth)?;
            steps.push((container, at));
            container = inner;
        }
        let found = match &self.own {
            Own::Server { .. } => position(&container, SERVER).map(|at| vec![(container, at)]),
            Own::Hook { host, program, .. } => {
                let is_own = |command: &str| is_hook(command, *host, program);
                find_hook(read, &container, is_own).map(|mut inner| {
                    inner[0].0 = container;
                    inner
                })
            }
        };
        let Some(own) = found else {
            return Ok(None);
        };
        if let Own::Server { program, .. } = &self.own {
            let value = &own[0].0.items[own[0].1].value;
            let found = member_text(read, value, "command");
            if !found.is_some_and(|found| is_program(&found) || found == *program) {
                return Err(SetupErrorKind::Taken("a server `sref`").into());
            }
        }
        let count = own.len();
        steps.extend(own);
        Ok(Some(Found { steps, own: count }))
    }

    fn item(&self) -> (Option<&'static str>, Value) {
        match &self.own {
            Own::Hook { command, .. } => {
                let hook = Object::new()
                    .with("type", "command")
                    .with("command", command.as_str());
                let group = Object::new().with("hooks", vec![Value::from(hook)]);
                (None, group.into())
            }
            Own::Server { program, args } => {
                let args: Vec<Value> = args.iter().map(|arg| arg.as_str().into()).collect();
                let server = Object::new()
                    .with("command", program.as_str())
                    .with("args", args);
                (Some(SERVER), server.into())
            }
        }
    }

    /// The entry in the containers that are named.
    fn wrapped(&self, path: &[&str]) -> Value {
        let (name, value) = self.item();
        let innermost = match name {
            Some(name) => Value::from(Object::new().with(name, value)),
            None => vec![value].into(),
        };
        path.iter().rev().fold(innermost, |inner, name| {
            Object::new().with(*name, inner).into()
        })
    }
}

/// Where an entry stands.
#[derive(Debug)]
pub(super) struct Place {
    /// The place of the hook's group among the groups; of a server, its own.
    pub(super) group: usize,
    /// The place of the hook in its group.
    pub(super) hook: usize,
    /// Its JSON.
    pub(super) definition: Vec<u8>,
}

/// Where a host's prompt hooks stand in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) path: &'static [&'static str],
    pub(super) shown: &'static str,
    pub(super) grammar: Grammar,
}

fn read(text: &str) -> Result<Option<Jsonc<'_>>, SetupError> {
    Ok(Jsonc::read(text).map_err(SetupErrorKind::Json)?)
}

fn position(container: &Container, name: &str) -> Option<usize> {
    let is = |item: &Item| item.name.as_ref().is_some_and(|own| *own == *name);
    container.items.iter().rposition(is)
}

/// The first hook of ours in an array of groups: the group, its `hooks`, the hook.
fn find_hook(
    read: &Jsonc<'_>,
    groups: &Container,
    is_own: impl Fn(&str) -> bool,
) -> Option<Vec<(Container, usize)>> {
    for (at, group) in groups.items.iter().enumerate() {
        let Some(group) = read.container(&group.value) else {
            continue;
        };
        let Some(member) = position(&group, "hooks") else {
            continue;
        };
        let Some(hooks) = read.container(&group.items[member].value) else {
            continue;
        };
        let own = hooks.items.iter().position(|hook| {
            let command = member_text(read, &hook.value, "command");
            command.is_some_and(|command| is_own(&command))
        });
        if let Some(own) = own {
            // The array of groups is the caller's.
            let groups = Container {
                open: groups.open,
                close: groups.close,
                items: Vec::new(),
            };
            return Some(vec![(groups, at), (group, member), (hooks, own)]);
        }
    }
    None
}

fn member_text(read: &Jsonc<'_>, object: &Range<usize>, name: &str) -> Option<String> {
    let container = read.container(object)?;
    let text = read.string(&container.member(name)?.value)?;
    text.as_str().map(Into::into)
}
