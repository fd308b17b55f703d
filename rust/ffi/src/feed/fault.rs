//! The faults of a feed's calls.

use crate::fault::{CallOr, DomainError};
use crate::status::{
    RustleStatus, RUSTLE_ADDRESS_UNAVAILABLE, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
    RUSTLE_MALFORMED_ADDRESS, RUSTLE_MALFORMED_SCHEMA, RUSTLE_POISONED, RUSTLE_RATE_OUT_OF_RANGE,
    RUSTLE_SHUT_DOWN, RUSTLE_UNKNOWN_FORMAT, RUSTLE_UNREADABLE_FILE, RUSTLE_WRONG_SOURCE, RUSTLE_WRONG_STATE,
};
use crate::ticker::symbol_status;
use rustle_engines::{FeedError, RuntimeError};

/// What a call of a feed fails with.
pub(super) type FeedFault = CallOr<FeedError>;

impl DomainError for FeedError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Symbols(error) => symbol_status(error),
            Self::RateOutOfRange { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            Self::CapacityOutOfRange { .. } | Self::ModelCount { .. } | Self::MessageLimit { .. } => {
                RUSTLE_INVALID_LENGTH
            }
            Self::IntervalOutOfRange { .. }
            | Self::Model(_)
            | Self::Lateness(_)
            | Self::Alert(_)
            | Self::Speed(_)
            | Self::PatienceOutOfRange { .. }
            | Self::Backoff(_)
            | Self::NoSymbols => RUSTLE_INVALID_VALUE,
            Self::Schema(_) => RUSTLE_MALFORMED_SCHEMA,
            Self::UnknownFormat { .. } => RUSTLE_UNKNOWN_FORMAT,
            Self::File { .. } => RUSTLE_UNREADABLE_FILE,
            Self::AddressText(_) => RUSTLE_MALFORMED_ADDRESS,
            Self::Address { .. } => RUSTLE_ADDRESS_UNAVAILABLE,
            Self::NotPushed => RUSTLE_WRONG_SOURCE,
            Self::Ended => RUSTLE_WRONG_STATE,
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(RuntimeError::Forked { .. }) => RUSTLE_WRONG_STATE,
            Self::Runtime(_) => RUSTLE_EXHAUSTED,
        }
    }
}
