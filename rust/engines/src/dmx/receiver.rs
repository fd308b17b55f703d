//! Receivers: universes of sACN and Art-Net as streams of levels and of events.
//!
//! The sessions of a receiver share its sockets, which are open while there is a session. Their job is woken when packets arrive,
//! takes as many as wait, up to a bound, and reports to all sessions at once what changed.

mod configuration;
mod demo;
mod engine;
pub(in crate::dmx) mod groups;
mod hearing;
mod job;
pub(in crate::dmx) mod network;
mod order;
mod reading;
mod records;

pub(in crate::dmx) use configuration::MOST_SOURCES;
pub use configuration::{DMX_RECEIVED_UNIVERSES, DmxReceiverConfiguration};
pub use engine::{DmxReceiver, DmxSource, DmxUniverseCounts};
pub use records::{DMX_EVENT_TEXT_BYTES, DmxEvent, DmxEventKind, DmxEventText, DmxLevels, DmxReceiverCounts};

#[cfg(test)]
mod tests;
