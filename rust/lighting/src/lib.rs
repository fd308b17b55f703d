//! Lighting: DMX universes over IP by sACN (ANSI E1.31-2018) and Art-Net 4, as values over bytes. Senders, receivers and tables of
//! nodes are state machines: they are given packets and times in ns of a monotonic clock, and return packets, levels and events.
//! No clock, no thread, no socket; nothing allocates per packet.
#![forbid(unsafe_code)]

pub mod artnet;
mod by_universe;
mod bytes;
pub mod capture;
mod cid;
mod event_queue;
mod name;
pub mod nodes;
mod random;
pub mod receiver;
pub mod sacn;
pub mod sender;
pub mod universe;

pub use cid::{Cid, CidError};
pub use name::{Name, NameError};
pub use universe::{PortAddress, SLOTS, SacnUniverse, UniverseError};
