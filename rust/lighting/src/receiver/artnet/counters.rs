//! Counters.

use crate::artnet::Malformed;

/// Counters since the receiver was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArtNetCounters {
    /// Datagrams that were dropped, by [`Malformed::index`].
    pub malformed: [u64; Malformed::ALL.len()],
    /// ArtDmx of Port-Addresses that are not listened to.
    pub other_universes: u64,
    /// Packets of opcodes that are not handled.
    pub other_opcodes: u64,
    /// ArtSyncs that were taken.
    pub syncs: u64,
    /// ArtSyncs of another sender than that of the latest ArtDmx.
    pub syncs_ignored: u64,
    /// Frames that [`SyncRule::Whole`](crate::receiver::SyncRule::Whole) did not show.
    pub frames_incomplete: u64,
    /// Events that nobody took in time.
    pub events_dropped: u64,
    /// Datagrams that the kernel dropped.
    pub kernel_drops: u64,
}

/// Counters of a Port-Address since it was added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PortCounters {
    /// Packets that were taken.
    pub packets: u64,
    /// Packets out of order, which were dropped.
    pub out_of_order: u64,
    /// Packets of a third source.
    pub excess: u64,
    /// The sources at present.
    pub sources: usize,
    /// Packets a second, of all sources.
    pub hertz: f64,
}
