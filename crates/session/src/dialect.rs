use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{JsString, Source};

/// What differs between the harnesses that session references come from: one value for a host
/// (`contract.md` §1).
///
/// ```
/// use sref_session::{Dialect, Placement};
///
/// assert_eq!(Dialect::DSH.scheme(), "dsh-session:");
/// assert_eq!(Dialect::DSH_0_0_1.placement(), Placement::Before);
///
/// let own = Dialect::new("acme-session:", Placement::After).unwrap();
/// assert_eq!(own.scheme(), "acme-session:");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// RFC 3986 scheme characters and the colon.
    scheme: Cow<'static, str>,
    placement: Placement,
    checkpoints: CheckpointMarkers,
    agent: Option<&'static str>,
}

/// Where the snapshot of a cited session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// Before the message that cites it.
    Before,
    /// Directly after the message that cites it.
    After,
}

impl Dialect {
    /// DeepSeek Harness since 0.1: the default.
    pub const DSH: Self = Self::named("dsh-session:", Placement::After, None);
    /// DeepSeek Harness 0.0.1, which placed the snapshot first.
    pub const DSH_0_0_1: Self = Self::named("dsh-session:", Placement::Before, None);
    /// Hydra.
    pub const HYDRA: Self = Self::named("hydra-session:", Placement::After, Some("hydra"));
    /// TheOpen Harness.
    pub const TOH: Self = Self::named("toh-session:", Placement::After, Some("toh"));
    /// Hydra under its first name (`spec/dsh-newer.md` 11).
    pub const BH: Self = Self::named("bh-session:", Placement::After, Some("bh"));
    /// freddie.
    pub const FREDDIE: Self = Self::named("freddie-session:", Placement::After, Some("freddie"));

    /// The dialects of all known harnesses, one a scheme.
    pub const KNOWN: [Self; 5] = [Self::DSH, Self::HYDRA, Self::TOH, Self::BH, Self::FREDDIE];

    const fn named(
        scheme: &'static str,
        placement: Placement,
        agent: Option<&'static str>,
    ) -> Self {
        Self {
            scheme: Cow::Borrowed(scheme),
            placement,
            checkpoints: CheckpointMarkers::STANDARD,
            agent,
        }
    }

    /// A dialect of a host's own; `None` unless `scheme` is lower-case letters, digits, `+`, `-`
    /// and `.`, begins with a letter and ends with the colon.
    pub fn new(scheme: impl Into<Cow<'static, str>>, placement: Placement) -> Option<Self> {
        let scheme = scheme.into();
        let name = scheme.strip_suffix(':')?;
        let valid = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.'));
        valid.then_some(Self {
            scheme,
            placement,
            checkpoints: CheckpointMarkers::STANDARD,
            agent: None,
        })
    }

    /// The same dialect with other checkpoint markers.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: CheckpointMarkers) -> Self {
        self.checkpoints = checkpoints;
        self
    }

    /// The URI scheme, colon included.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The harness by whose name its sessions go where ids of several agents meet: the id of one
    /// of them is `<agent>:<native id>` there. `None` where ids stand as they are, as those of
    /// DeepSeek Harness do.
    ///
    /// ```
    /// use sref_session::Dialect;
    ///
    /// assert_eq!((Dialect::TOH.agent(), Dialect::DSH.agent()), (Some("toh"), None));
    /// ```
    #[must_use]
    pub const fn agent(&self) -> Option<&'static str> {
        self.agent
    }

    /// Where snapshots stand.
    #[must_use]
    pub const fn placement(&self) -> Placement {
        self.placement
    }

    /// Which user messages are checkpoints.
    #[must_use]
    pub const fn checkpoints(&self) -> &CheckpointMarkers {
        &self.checkpoints
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::DSH
    }
}

/// Which sources mark a user message as a compaction checkpoint.
///
/// Always: kind `plugin` with plugin `compact` (log formats 0–3) and kind `compact-checkpoint`
/// (format 4). More plugin names can be added. The text is never looked at: users can type the tag
/// (`spec/dsh-store.md` 8.2).
///
/// ```
/// use sref_session::{CheckpointMarkers, Source};
///
/// let markers = CheckpointMarkers::STANDARD;
/// assert!(markers.matches(&Source::plugin("compact")));
/// assert!(markers.matches(&Source::new("compact-checkpoint")));
/// assert!(!markers.matches(&Source::plugin("dsh-compact")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointMarkers {
    more_plugins: Vec<JsString>,
}

impl CheckpointMarkers {
    /// The markers that all known harnesses write.
    pub const STANDARD: Self = Self {
        more_plugins: Vec::new(),
    };

    /// Accepts the messages of one more plugin.
    #[must_use]
    pub fn with_plugin(mut self, plugin: impl Into<JsString>) -> Self {
        self.more_plugins.push(plugin.into());
        self
    }

    /// Whether a user message of this source is a checkpoint.
    #[must_use]
    pub fn matches(&self, source: &Source) -> bool {
        match source.plugin_name() {
            _ if *source.kind() == *"compact-checkpoint" => true,
            Some(plugin) if *source.kind() == *"plugin" => {
                *plugin == *"compact" || self.more_plugins.contains(plugin)
            }
            _ => false,
        }
    }
}

impl Default for CheckpointMarkers {
    fn default() -> Self {
        Self::STANDARD
    }
}
