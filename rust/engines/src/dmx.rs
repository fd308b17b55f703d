//! DMX over IP: senders, receivers and browsers of nodes, by sACN and Art-Net.
//!
//! Each sender has a thread of its own, realtime when the process may, which waits for frames and sends their packets: it takes no lock
//! that a caller holds. It allocates when a universe is new or the nodes that it follows change, and its last act releases the
//! session's listener. Callers write changes into a mailbox, which the thread empties at each frame. A job on the shared runtime reports its counters. On the interface [`DEMO_INTERFACE`], and on a manual runtime, the
//! job does the thread's work itself, by the runtime's clock.

mod answers;
mod capture;
mod configuration;
mod counters;
mod engine;
mod error;
mod following;
mod frames;
mod job;
mod mailbox;
mod network;
mod nodes;
mod receiver;
mod source;
mod station;
mod transmission;
mod wire;

pub use configuration::{DMX_AUTO, DMX_DESTINATIONS, DmxConfiguration, DmxProtocol};
pub use counters::{DmxReport, DmxSentCounts};
pub use engine::{DmxEngine, DmxOutput, DmxSession};
pub use error::DmxError;
pub(crate) use frames::Frames;
pub use network::{DEMO_INTERFACE, dmx_interfaces};
pub use nodes::{
    DMX_NODE_PORTS, DMX_POLLED, DmxNode, DmxNodeChange, DmxNodes, DmxNodesConfiguration, DmxNodesCounts,
};
pub use receiver::{
    DMX_EVENT_TEXT_BYTES, DMX_RECEIVED_UNIVERSES, DmxEvent, DmxEventKind, DmxEventText, DmxLevels,
    DmxReceiver, DmxReceiverConfiguration, DmxReceiverCounts, DmxSource, DmxUniverseCounts,
};
pub use rustle_system::Interface;

#[cfg(test)]
mod tests;
