//! What arrives: sources that are merged into the levels of each universe.

mod artnet;
mod event;
mod merge;
mod output;
mod rate;
mod sacn;
mod whole_frames;

pub use artnet::{
    ArtNetCounters, ArtNetReceiver, ArtNetSource, MergeMode, PORT_SOURCES, PortCounters, PortSettings,
};
pub use event::{LossReason, ReceiverEvent};
pub use merge::{Share, merge};
pub use output::OnLoss;
pub use sacn::{
    DEFAULT_SOURCES, MAX_SYNC_ADDRESSES, SacnCounters, SacnReceiver, SacnSource, UniverseCounters,
    UniverseSettings,
};
pub use whole_frames::SyncRule;

/// After this time without a packet a source of sACN, its per-address priorities, or a synchronization stream is lost, in ns
/// (E131_NETWORK_DATA_LOSS_TIMEOUT, ANSI E1.31-2018, 6.7.1: 2.5 s).
pub const LOSS_NS: u64 = 2_500_000_000;
