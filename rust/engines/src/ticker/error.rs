//! The errors of a ticker.

use super::RATE_RANGE;
use crate::engine::StartError;
use crate::lane::MAX_LANE_CAPACITY;
use crate::runtime::RuntimeError;
use rustle_dsp::Short;
use rustle_market::SymbolError;
use std::fmt;

/// An error of [`TickerEngine`](super::TickerEngine). A retry may succeed only after [`RuntimeError::Thread`] and
/// [`RuntimeError::Memory`].
#[derive(Debug)]
pub enum TickerError {
    /// The symbols cannot be tracked.
    Symbols(SymbolError),
    /// The rate is not finite or not within [`RATE_RANGE`].
    RateOutOfRange {
        /// The given rate, in updates a second.
        got: f64,
    },
    /// A lane's capacity is not 1 to [`MAX_LANE_CAPACITY`].
    CapacityOutOfRange {
        /// The given capacity.
        got: usize,
    },
    /// The engine was shut down.
    ShutDown,
    /// A session of this engine panicked earlier.
    Poisoned,
    /// The runtime has no thread for the session, or the system no memory.
    Runtime(RuntimeError),
}

impl fmt::Display for TickerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbols(error) => error.fmt(f),
            Self::RateOutOfRange { got } => write!(
                f,
                "updates per second: expected {} to {}, got {}",
                RATE_RANGE.start(),
                RATE_RANGE.end(),
                Short(*got)
            ),
            Self::CapacityOutOfRange { got } => {
                write!(
                    f,
                    "capacity: expected 1 to {MAX_LANE_CAPACITY} elements, got {got}"
                )
            }
            Self::ShutDown => write!(f, "the ticker was shut down: make a new one"),
            Self::Poisoned => write!(
                f,
                "an internal error (a bug: please report it) ended an earlier session of this ticker: create a new ticker"
            ),
            Self::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TickerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Symbols(error) => Some(error),
            Self::Runtime(error) => Some(error),
            _ => None,
        }
    }
}

impl From<SymbolError> for TickerError {
    fn from(error: SymbolError) -> Self {
        Self::Symbols(error)
    }
}

impl From<StartError> for TickerError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::ShutDown => Self::ShutDown,
            StartError::Poisoned => Self::Poisoned,
            StartError::Runtime(error) => Self::Runtime(error),
        }
    }
}
