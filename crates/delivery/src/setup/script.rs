//! A hook that is a program of its own: a shell script with one command.

use alloc::format;
use alloc::string::String;

use super::Change;
use super::command::is_hook;
use super::error::{SetupError, SetupErrorKind};
use crate::Host;

#[derive(Debug, Clone)]
pub(super) struct Script {
    pub(super) host: Host,
    pub(super) program: String,
    pub(super) command: String,
}

impl Script {
    pub(super) fn snippet(&self) -> String {
        format!("#!/bin/sh\nexec {}\n", self.command)
    }

    pub(super) fn insert(&self, text: &str) -> Result<Change, SetupError> {
        if text.trim().is_empty() {
            return Ok(Change::Text(self.snippet()));
        }
        self.own(text).map(|_| Change::Same)
    }

    pub(super) fn remove(&self, text: &str) -> Result<Change, SetupError> {
        if text.trim().is_empty() {
            return Ok(Change::Same);
        }
        self.own(text).map(|_| Change::Nothing)
    }

    pub(super) fn command(&self, text: &str) -> Result<Option<String>, SetupError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.own(text).map(|command| Some(command.into()))
    }

    /// The one command, when it is of sref: a script of somebody is not taken apart.
    fn own<'t>(&self, text: &'t str) -> Result<&'t str, SetupError> {
        let lines = text.lines().map(str::trim);
        let mut commands = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let command = commands.next().unwrap_or_default();
        let command = command.strip_prefix("exec ").unwrap_or(command);
        if commands.next().is_none() && is_hook(command, self.host, &self.program) {
            return Ok(command);
        }
        Err(SetupErrorKind::Taken("a script").into())
    }
}
