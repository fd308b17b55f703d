//! Settings of a universe.

use crate::receiver::OnLoss;

/// The sources of a universe at most, when nothing else is configured.
pub const DEFAULT_SOURCES: usize = 16;

/// How a universe is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniverseSettings {
    /// The sources that are merged at most, 1 or more: those of the highest priority, equal ones by the lower CID.
    pub sources: usize,
    /// How long a new source waits for its per-address priorities before its levels count, in ns. 0: not at all.
    pub settle_ns: u64,
    /// Whether preview packets count as others do. Otherwise they are ignored.
    pub includes_previews: bool,
    /// What is shown when the last source is lost.
    pub on_loss: OnLoss,
}

impl Default for UniverseSettings {
    fn default() -> Self {
        Self {
            sources: DEFAULT_SOURCES,
            settle_ns: 0,
            includes_previews: false,
            on_loss: OnLoss::Hold,
        }
    }
}
