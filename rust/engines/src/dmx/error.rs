//! The errors of senders.

use super::configuration::{DMX_DESTINATIONS, MOST_SYNC_GAP_NS};
use super::receiver::{DMX_RECEIVED_UNIVERSES, MOST_SOURCES};
use crate::engine::StartError;
use crate::runtime::RuntimeError;
use crate::ticker::RATE_RANGE;
use rustle_lighting::sender::SenderError;
use rustle_lighting::{CidError, NameError, SLOTS, UniverseError};
use std::fmt;

/// An error of [`DmxEngine`](super::DmxEngine).
#[derive(Debug)]
pub enum DmxError {
    /// The protocol does not have the universe.
    Universe(UniverseError),
    /// The sender refuses a universe, slots, a priority or a rate.
    Sender(SenderError),
    /// The source's name is too long.
    Name(NameError),
    /// The source's identifier is none.
    Cid(CidError),
    /// The slots are not as many for each universe.
    Frame {
        /// The given number of universes.
        universes: usize,
        /// The given number of slots.
        slots: usize,
    },
    /// A destination is no address.
    Destination {
        /// The given text.
        got: String,
    },
    /// Nodes are followed, and an address or a broadcast is given too.
    AutoBesideOthers,
    /// Too many destinations.
    TooManyDestinations {
        /// Their number.
        got: usize,
    },
    /// Art-Net without a destination: it has no multicast, and its broadcast must be asked for.
    NoDestination,
    /// sACN has no such setting, or Art-Net has not.
    Unsupported {
        /// The setting.
        setting: &'static str,
    },
    /// The time from a frame to its synchronization is more than a second.
    SyncGap {
        /// The given time in ns.
        got: u64,
    },
    /// The rate of reports is not within [`RATE_RANGE`].
    ReportRate {
        /// The given rate per second.
        got: f64,
    },
    /// There is no such interface, or none was given and the system has no default route.
    Interface {
        /// The given name or address.
        got: String,
        /// The interfaces that there are.
        choices: String,
    },
    /// A receiver of no universes, or of too many.
    UniverseCount {
        /// Their number.
        got: usize,
    },
    /// A receiver that merges no source of a universe, or too many.
    SourceCount {
        /// Their number.
        got: usize,
    },
    /// Another program has the port, and does not share it.
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The interface has no multicast.
    NoMulticast {
        /// Its name or its address.
        interface: String,
    },
    /// The process may not open the port.
    NotPermitted {
        /// The port.
        port: u16,
    },
    /// The system refuses the socket.
    Network {
        /// The setting or the destination.
        what: String,
        /// Why.
        reason: String,
    },
    /// A capture is asked for, and a network too.
    CaptureBesideNetwork {
        /// The interface.
        got: String,
    },
    /// The file of a capture cannot be made.
    Capture {
        /// Its path.
        path: String,
        /// Why.
        reason: String,
    },
    /// The engine was shut down.
    ShutDown,
    /// A session of this engine panicked earlier.
    Poisoned,
    /// The runtime has no thread for the session, or the system no memory.
    Runtime(RuntimeError),
}

impl fmt::Display for DmxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Universe(error) => error.fmt(f),
            Self::Sender(error) => error.fmt(f),
            Self::Name(error) => error.fmt(f),
            Self::Cid(error) => error.fmt(f),
            Self::Frame { universes, slots } => write!(
                f,
                "slots: expected 1 to {SLOTS} for each of {universes} universes, got {slots} in all"
            ),
            Self::Destination { got } => write!(
                f,
                "destination: expected an IPv4 address of a host or a broadcast, with or without a port, got {got:?}"
            ),
            Self::AutoBesideOthers => {
                f.write_str("destination: expected auto as the only one, got further ones")
            }
            Self::TooManyDestinations { got } => {
                write!(f, "destinations: expected at most {DMX_DESTINATIONS}, got {got}")
            }
            Self::NoDestination => {
                f.write_str("destination: expected an address, a broadcast or auto for Art-Net, got none")
            }
            Self::Unsupported { setting } => {
                write!(
                    f,
                    "{setting}: expected a setting of the chosen protocol, got one of the other protocol"
                )
            }
            Self::SyncGap { got } => write!(
                f,
                "synchronization gap: expected at most {MOST_SYNC_GAP_NS} ns, got {got}"
            ),
            Self::ReportRate { got } => write!(
                f,
                "reports per second: expected {} to {}, got {got:?}",
                RATE_RANGE.start(),
                RATE_RANGE.end()
            ),
            Self::Interface { got, choices } if got.is_empty() => write!(
                f,
                "interface: expected one of {choices}, got none, and the system has no default route"
            ),
            Self::Interface { got, choices } => {
                write!(f, "interface: expected one of {choices}, got {got:?}")
            }
            Self::SourceCount { got } => {
                write!(
                    f,
                    "sources of a universe: expected 1 to {MOST_SOURCES}, got {got}"
                )
            }
            Self::UniverseCount { got } => {
                write!(f, "universes: expected 1 to {DMX_RECEIVED_UNIVERSES}, got {got}")
            }
            Self::PortTaken { port } => {
                write!(
                    f,
                    "port {port}: expected a port that is free, or that all programs share, got one that another program does not share"
                )
            }
            Self::NoMulticast { interface } => {
                write!(
                    f,
                    "interface: expected one with multicast, got {interface}, which has none"
                )
            }
            Self::NotPermitted { port } => {
                write!(
                    f,
                    "port {port}: expected one that this process may open, got: permission denied"
                )
            }
            Self::Network { what, reason } => write!(f, "{what}: {reason}"),
            Self::CaptureBesideNetwork { got } => {
                write!(f, "interface: expected demo beside a capture, got {got:?}")
            }
            Self::Capture { path, reason } => write!(f, "{path}: {reason}"),
            Self::ShutDown => f.write_str("the engine was shut down: make a new one"),
            Self::Poisoned => f.write_str("an internal error (a bug: please report it) ended an earlier session of this engine: create a new engine"),
            Self::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DmxError {}

impl From<UniverseError> for DmxError {
    fn from(error: UniverseError) -> Self {
        Self::Universe(error)
    }
}

impl From<SenderError> for DmxError {
    fn from(error: SenderError) -> Self {
        Self::Sender(error)
    }
}

impl From<StartError> for DmxError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::ShutDown => Self::ShutDown,
            StartError::Poisoned => Self::Poisoned,
            StartError::Runtime(error) => Self::Runtime(error),
        }
    }
}
