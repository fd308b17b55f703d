//! Engines: the shared runtime, its clock, and the sessions that run on it.
//!
//! An engine describes its work as a [`Job`], a value that is polled at the times it asks for. The [`Runtime`] polls all
//! jobs of all engines on a few threads, guards each call against panics, and releases each job exactly once.
#![forbid(unsafe_code)]

/// Counts the allocations of the calls that must make none.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: rustle_testkit::CountingAllocator = rustle_testkit::CountingAllocator;

mod board;
mod clock;
mod dmx;
mod echo;
mod engine;
mod equalizer;
#[cfg(feature = "faults")]
pub mod faults;
mod feed;
mod io;
mod job;
mod lane;
mod link;
mod listeners;
mod lock;
mod lookups;
mod memory;
mod outlet;
mod own_thread;
mod panic_text;
mod provisioning;
mod ring;
mod runtime;
mod schedule;
mod session;
mod show;
mod sound;
mod spin;
mod system_reason;
mod tempo;
mod ticker;
mod timers;
mod transport;
mod turns;
mod worker;

pub use clock::{Clock, ManualClock, Nanoseconds, SystemClock, Wait};
pub use dmx::{
    DEMO_INTERFACE, DMX_AUTO, DMX_DESTINATIONS, DmxConfiguration, DmxEngine, DmxError, DmxOutput,
    DmxProtocol, DmxReport, DmxSentCounts, DmxSession, Interface, dmx_interfaces,
};
pub use dmx::{
    DMX_EVENT_TEXT_BYTES, DMX_NODE_PORTS, DMX_POLLED, DMX_RECEIVED_UNIVERSES, DmxEvent, DmxEventKind,
    DmxEventText, DmxLevels, DmxNode, DmxNodeChange, DmxNodes, DmxNodesConfiguration, DmxNodesCounts,
    DmxReceiver, DmxReceiverConfiguration, DmxReceiverCounts, DmxSource, DmxUniverseCounts,
};
pub use echo::{Echo, EchoEngine};
pub use engine::{Sessions, StartError};
pub use equalizer::{LiveEqualizer, ProcessError};
pub use feed::{
    Access, ClientStatistics, ExternalConfiguration, FeedAddress, FeedAddressError, FeedAlert, FeedCounts,
    FeedEngine, FeedError, FeedLink, FeedServer, FeedSession, FeedTrade, HEARTBEAT, HostNews,
    LiveConfiguration, MESSAGE_LIMITS, Model, NOTICE_TEXT_BYTES, Notice, NoticeKind, NoticeText, Notices,
    Omissions, PATIENCE, Policy, ReplayConfiguration, SAMPLE_INTERVALS, ServerCounts, SimulatedConfiguration,
    SourceConfiguration, Subscription, TOKEN_BYTES, Threshold, Wanted,
};
pub use job::{Job, PollContext, Release, Step};
pub use lane::{Doorbell, MAX_LANE_CAPACITY, NoBell, Record};
pub use link::{
    HostClock, Link, LinkConfiguration, LinkCounts, LinkDatagram, LinkError, LinkEvent, LinkGateway,
    LinkMonitor, LinkMonitorConfiguration, LinkReader,
};
pub use outlet::{Delivery, LaneCapacity, LaneSession, RecordListener};
pub use panic_text::{into_panic_message, panic_message};
pub use provisioning::{
    BoundedText, DEMO_ADAPTER, NodeAsk, NodeFailure, NodeOrder, NodeRadio, NodeRadioConfiguration,
    NodeRadioError, NodeRequest, NodeSighting, NodeTask, NodeUpdate, PROGRAM_ADAPTER,
};
pub use ring::{LaneStatistics, Overflow, Ring};
pub use runtime::{Runtime, RuntimeError};
pub use session::Session;
pub use show::{
    BPM_RANGE, PictureFormat, SHOW_OUTPUTS, ShowConfiguration, ShowEngine, ShowError, ShowLevels, ShowReport,
    ShowReportKind, ShowSession,
};
pub use sound::{
    BLOCK_SAMPLES, CHANNELS, CaptureEngine, CaptureSession, DEMO_DEVICE, MAX_CAPTURE_CAPACITY, PERIODS,
    PlaybackEngine, PlaybackProgress, PlaybackSession, RATES, SoundBlock, SoundConfiguration, SoundError,
};
pub use tempo::{
    Beat, BeatReader, BeatReading, TempoChange, TempoChanged, TempoConfiguration, TempoEngine, TempoError,
    TempoReport, TempoReportKind,
};
pub use ticker::{RATE_RANGE, Tick, TickerConfiguration, TickerEngine, TickerError, TickerSession};
pub use transport::{
    Arrival, Arrived, Conditions, Datagram, MOST_DATAGRAMS, NetworkCounts, Received, Scripted,
    ScriptedNetwork, Slots, Stream, Transport, Udp, UdpOptions,
};
