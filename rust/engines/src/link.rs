//! Sessions of tempo that are compatible with Ableton Link, on the interfaces of this machine.
//!
//! A member has a thread of its own, which waits for its sockets and for its node's deadlines: a founder's error is what its responder
//! adds, and a joiner's what it adds before it looks at the clock. The reactor would collect events and hand them to a worker, two
//! switches of threads later. On a manual runtime a job does the thread's work, by the runtime's clock.
//!
//! A monitor decodes what members send to all, in a job of the reactor: nothing depends on when.
//!
//! Beats are read from a board without a lock. Calls that change something take the member's lock, and send what follows themselves.

mod board;
mod configuration;
mod driver;
mod engine;
mod error;
mod events;
mod figures;
mod host_clock;
mod monitor;
mod network;
mod running;

pub use board::LinkReader;
pub use configuration::LinkConfiguration;
pub use engine::Link;
pub use error::LinkError;
pub use events::LinkEvent;
pub use figures::{LinkCounts, LinkGateway};
pub use host_clock::HostClock;
pub use monitor::{LinkDatagram, LinkMonitor, LinkMonitorConfiguration};

#[cfg(test)]
mod tests;
