//! DMX over IP: senders, receivers and browsers of nodes, by sACN and Art-Net.
//!
//! Each sender has a thread of its own, realtime when the process may, which waits for frames and sends their packets, and does nothing
//! else: no lock that a caller holds, no allocation, no callback. Callers write changes into a mailbox, which the thread empties at
//! each frame. A job on the shared runtime reports its counters. On the interface [`DEMO_INTERFACE`], and on a manual runtime, the
//! job does the thread's work itself, by the runtime's clock.

mod answers;
mod configuration;
mod counters;
mod engine;
mod error;
mod job;
mod mailbox;
mod network;
mod nodes;
mod receiver;
mod source;
mod station;
mod transmission;
mod wire;

pub use configuration::{DMX_DESTINATIONS, DmxConfiguration, DmxProtocol};
pub use counters::DmxReport;
pub use engine::{DmxEngine, DmxSession};
pub use error::DmxError;
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
