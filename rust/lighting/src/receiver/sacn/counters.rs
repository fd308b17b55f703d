//! Counters.

use crate::sacn::Malformed;

/// Counters since the receiver was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SacnCounters {
    /// Datagrams that were dropped, by [`Malformed::index`].
    pub malformed: [u64; Malformed::ALL.len()],
    /// Data of universes that are not listened to.
    pub other_universes: u64,
    /// Pages of universe discovery.
    pub discovery_pages: u64,
    /// Synchronization packets that were taken.
    pub syncs: u64,
    /// Synchronization packets out of order.
    pub syncs_out_of_order: u64,
    /// Synchronization packets of addresses that no data name.
    pub syncs_ignored: u64,
    /// Frames that [`SyncRule::Whole`](crate::receiver::SyncRule::Whole) did not show.
    pub frames_incomplete: u64,
    /// Times that data named a further synchronization address than can be followed: they acted at once.
    pub sync_addresses_exceeded: u64,
    /// Events that nobody took in time.
    pub events_dropped: u64,
    /// Datagrams that the kernel dropped.
    pub kernel_drops: u64,
}

/// Counters of a universe since it was added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UniverseCounters {
    /// Packets that were taken.
    pub packets: u64,
    /// Packets out of order, which were dropped.
    pub out_of_order: u64,
    /// Preview packets, which were ignored.
    pub previews: u64,
    /// Packets of sources beyond the limit.
    pub excess: u64,
    /// Packets of other start codes than levels and per-address priority.
    pub start_codes: u64,
    /// Terminations by sources that are not known, or no longer.
    pub terminations: u64,
    /// The sources at present.
    pub sources: usize,
    /// Packets with levels a second, of all sources.
    pub hertz: f64,
}
