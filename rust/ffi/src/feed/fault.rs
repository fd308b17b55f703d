//! The faults of a feed's calls.

use crate::status::{
    CallFault, Fault, RustleStatus, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
    RUSTLE_MALFORMED_SCHEMA, RUSTLE_POISONED, RUSTLE_RATE_OUT_OF_RANGE, RUSTLE_SHUT_DOWN,
    RUSTLE_UNKNOWN_FORMAT, RUSTLE_UNREADABLE_FILE, RUSTLE_WRONG_STATE,
};
use crate::ticker::symbol_status;
use rustle_engines::FeedError;
use rustle_market::SchemaError;
use std::fmt::{self, Display};

/// A fault of a feed's call: of its arguments, or the engine's.
pub(super) enum FeedFault {
    Call(CallFault),
    Schema(SchemaError),
    Engine(FeedError),
}

impl From<CallFault> for FeedFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<SchemaError> for FeedFault {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}

impl From<FeedError> for FeedFault {
    fn from(error: FeedError) -> Self {
        Self::Engine(error)
    }
}

impl Display for FeedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Schema(error) => error.fmt(f),
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl Fault for FeedFault {
    fn status(&self) -> RustleStatus {
        let error = match self {
            Self::Call(fault) => return fault.status(),
            Self::Schema(_) => return RUSTLE_MALFORMED_SCHEMA,
            Self::Engine(error) => error,
        };
        match error {
            FeedError::Symbols(error) => symbol_status(error),
            FeedError::RateOutOfRange { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            FeedError::CapacityOutOfRange { .. } | FeedError::ModelCount { .. } => RUSTLE_INVALID_LENGTH,
            FeedError::IntervalOutOfRange { .. }
            | FeedError::Model(_)
            | FeedError::Lateness(_)
            | FeedError::Alert(_)
            | FeedError::Speed(_)
            | FeedError::Address { .. }
            | FeedError::PatienceOutOfRange { .. }
            | FeedError::Backoff(_) => RUSTLE_INVALID_VALUE,
            FeedError::UnknownFormat { .. } => RUSTLE_UNKNOWN_FORMAT,
            FeedError::File { .. } => RUSTLE_UNREADABLE_FILE,
            FeedError::Ended => RUSTLE_WRONG_STATE,
            FeedError::ShutDown => RUSTLE_SHUT_DOWN,
            FeedError::Poisoned => RUSTLE_POISONED,
            FeedError::Runtime(_) => RUSTLE_EXHAUSTED,
        }
    }
}
