//! The errors of a feed.

use super::external::MESSAGE_LIMITS;
use super::live::{FeedAddress, FeedAddressError, PATIENCE};
use super::server::TOKEN_BYTES;
use crate::engine::StartError;
use crate::lane::MAX_LANE_CAPACITY;
use crate::runtime::RuntimeError;
use crate::system_reason::reason;
use crate::ticker::RATE_RANGE;
use rustle_dsp::Short;
use rustle_market::{
    AlertError, BackoffError, GbmError, LatenessError, SchemaError, SpeedError, SymbolError,
};
use std::fmt;
use std::io;
use std::time::Duration;

/// An error of [`FeedEngine`](super::FeedEngine). A retry may succeed only after [`RuntimeError::Thread`],
/// [`RuntimeError::Memory`] and [`FeedError::File`].
#[derive(Debug)]
pub enum FeedError {
    /// The symbols cannot be tracked.
    Symbols(SymbolError),
    /// The rate is not finite or not within [`RATE_RANGE`].
    RateOutOfRange {
        /// The given rate, in updates per second.
        got: f64,
    },
    /// The interval between two samples is not 1 ms to 1 h.
    IntervalOutOfRange {
        /// The given interval, in ns.
        got: u64,
    },
    /// A lane's capacity is not 1 to [`MAX_LANE_CAPACITY`].
    CapacityOutOfRange {
        /// The given capacity.
        got: usize,
    },
    /// The message limit, in bytes, is not within [`MESSAGE_LIMITS`].
    MessageLimit {
        /// The given limit, in bytes.
        got: usize,
    },
    /// A model has parameters of more symbols than there are.
    ModelCount {
        /// The number of symbols.
        symbols: usize,
        /// The number of given parameters.
        got: usize,
    },
    /// A model's parameters are out of range.
    Model(GbmError),
    /// The lateness of candles is out of range.
    Lateness(LatenessError),
    /// An alert cannot be set.
    Alert(AlertError),
    /// The speed of a replay is out of range.
    Speed(SpeedError),
    /// Neither the caller nor the file's name names a format.
    UnknownFormat {
        /// The file's name.
        name: String,
    },
    /// The file cannot be opened.
    File {
        /// The file's name.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// A schema's text cannot be read.
    Schema(SchemaError),
    /// A text is not an address.
    AddressText(FeedAddressError),
    /// An address cannot be served.
    Address {
        /// The address.
        address: FeedAddress,
        /// The system's error.
        error: io::Error,
    },
    /// An address that other machines reach is served without a token, and not to anyone.
    NotLoopback {
        /// The address.
        address: FeedAddress,
    },
    /// The length of a token is not within [`TOKEN_BYTES`].
    TokenLength {
        /// The length of the given token, in bytes.
        got: usize,
    },
    /// A time limit of connecting or of silence is not within [`PATIENCE`].
    PatienceOutOfRange {
        /// The limit: of connecting, or of silence.
        name: &'static str,
        /// The given time.
        got: Duration,
    },
    /// The waits between attempts to connect are out of range.
    Backoff(BackoffError),
    /// The session, or an external source, has ended.
    Ended,
    /// A session of notices has no symbols.
    NoSymbols,
    /// The source is not external.
    NotExternal,
    /// The engine was shut down.
    ShutDown,
    /// A session of this engine panicked earlier.
    Poisoned,
    /// The runtime has no thread for the session, or the system no memory.
    Runtime(RuntimeError),
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbols(error) => error.fmt(f),
            Self::RateOutOfRange { got } => {
                let (least, most) = (RATE_RANGE.start(), RATE_RANGE.end());
                write!(
                    f,
                    "updates per second: expected {least} to {most}, got {}",
                    Short(*got)
                )
            }
            Self::IntervalOutOfRange { got } => {
                write!(
                    f,
                    "sampling interval: expected 1000000 ns (1 ms) to 3600000000000 ns (1 h), got {got} ns"
                )
            }
            Self::CapacityOutOfRange { got } => {
                write!(
                    f,
                    "capacity: expected 1 to {MAX_LANE_CAPACITY} elements, got {got}"
                )
            }
            Self::ModelCount { symbols, got } => {
                write!(
                    f,
                    "model parameters: expected those of at most {symbols} symbols, got {got}"
                )
            }
            Self::Model(error) => error.fmt(f),
            Self::Lateness(error) => error.fmt(f),
            Self::Alert(error) => error.fmt(f),
            Self::Speed(error) => error.fmt(f),
            Self::UnknownFormat { name } => write!(
                f,
                "format: expected a format, or a file name that ends in .ndjson, .jsonl, .json or .csv, with or without .gz or .zst, got {name:?}"
            ),
            Self::File { name, error } => {
                write!(
                    f,
                    "expected a file that can be read, got {name:?}: {}",
                    reason(error)
                )
            }
            Self::Schema(error) => error.fmt(f),
            Self::AddressText(error) => error.fmt(f),
            Self::Address { address, error } => {
                write!(
                    f,
                    "expected an address that can be served, got {address}: {error}"
                )
            }
            Self::NotLoopback { address } => write!(
                f,
                "access: expected a token, or anyone, for an address that other machines reach, got {address} without either"
            ),
            Self::TokenLength { got } => write!(
                f,
                "token: expected {} to {} bytes, got {got}",
                TOKEN_BYTES.start(),
                TOKEN_BYTES.end()
            ),
            Self::PatienceOutOfRange { name, got } => {
                let (least, most) = (PATIENCE.start(), PATIENCE.end());
                write!(f, "{name}: expected {least:?} to {most:?}, got {got:?}")
            }
            Self::Backoff(error) => error.fmt(f),
            Self::Ended => write!(
                f,
                "session or source: expected one that runs, got one that has ended"
            ),
            Self::NoSymbols => write!(
                f,
                "session: expected one of trades, candles, statistics or alerts, which have symbols, got one of notices"
            ),
            Self::NotExternal => write!(f, "feed: expected an external source, got another source"),
            Self::MessageLimit { got } => write!(
                f,
                "message limit: expected {} to {} bytes, got {got}",
                MESSAGE_LIMITS.start(),
                MESSAGE_LIMITS.end()
            ),
            Self::ShutDown => write!(f, "the feed was shut down: make a new one"),
            Self::Poisoned => write!(
                f,
                "an internal error (a bug: please report it) ended an earlier session of this feed: create a new feed"
            ),
            Self::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FeedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Symbols(error) => Some(error),
            Self::Model(error) => Some(error),
            Self::Lateness(error) => Some(error),
            Self::Alert(error) => Some(error),
            Self::Speed(error) => Some(error),
            Self::Schema(error) => Some(error),
            Self::AddressText(error) => Some(error),
            Self::Backoff(error) => Some(error),
            Self::File { error, .. } | Self::Address { error, .. } => Some(error),
            Self::Runtime(error) => Some(error),
            _ => None,
        }
    }
}

impl From<SymbolError> for FeedError {
    fn from(error: SymbolError) -> Self {
        Self::Symbols(error)
    }
}

impl From<GbmError> for FeedError {
    fn from(error: GbmError) -> Self {
        Self::Model(error)
    }
}

impl From<LatenessError> for FeedError {
    fn from(error: LatenessError) -> Self {
        Self::Lateness(error)
    }
}

impl From<AlertError> for FeedError {
    fn from(error: AlertError) -> Self {
        Self::Alert(error)
    }
}

impl From<SpeedError> for FeedError {
    fn from(error: SpeedError) -> Self {
        Self::Speed(error)
    }
}

impl From<SchemaError> for FeedError {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}

impl From<FeedAddressError> for FeedError {
    fn from(error: FeedAddressError) -> Self {
        Self::AddressText(error)
    }
}

impl From<BackoffError> for FeedError {
    fn from(error: BackoffError) -> Self {
        Self::Backoff(error)
    }
}

impl From<StartError> for FeedError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::ShutDown => Self::ShutDown,
            StartError::Poisoned => Self::Poisoned,
            StartError::Runtime(error) => Self::Runtime(error),
        }
    }
}
