//! What a receiver reports beside levels.

/// Something that happened to a universe `U`, identified by its source `S` (a CID of sACN, or an address and a physical input of
/// Art-Net), or to a synchronization address `U`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReceiverEvent<U, S> {
    /// The first packet of a source.
    SourceAppeared {
        /// The universe.
        universe: U,
        /// The source.
        source: S,
    },
    /// A source left the merge.
    SourceLost {
        /// The universe.
        universe: U,
        /// The source.
        source: S,
        /// Why.
        reason: LossReason,
    },
    /// More sources send than the universe merges: the others are ignored. Reported once until a place is free.
    SourcesExceeded {
        /// The universe.
        universe: U,
    },
    /// No source is left, and what was configured for that begins.
    UniverseLost {
        /// The universe.
        universe: U,
    },
    /// Synchronization began, or is back; for Art-Net, `None`.
    SyncHeard {
        /// The synchronization address.
        address: Option<U>,
    },
    /// Synchronization stopped; for Art-Net, `None`.
    SyncLost {
        /// The synchronization address.
        address: Option<U>,
    },
}

/// Why a source left the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossReason {
    /// It was silent too long.
    Timeout,
    /// It said so.
    Terminated,
    /// A source of higher priority took its place.
    Displaced,
    /// The program asked for it.
    Forgotten,
}
