//! A fault of a call: of its arguments as C sees them, or of what they say.

use crate::status::{
    AnyFault, CallFault, Fault, RustleStatus, RUSTLE_EXHAUSTED, RUSTLE_FORKED, RUSTLE_POISONED,
    RUSTLE_SHUT_DOWN,
};
use rustle_engines::{RuntimeError, StartError};
use std::fmt::{self, Display};

/// An error of an engine or of a domain, which has its number in C.
pub(crate) trait DomainError: Display {
    /// The number that stands for this error.
    fn status(&self) -> RustleStatus;
}

impl DomainError for RuntimeError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Forked { .. } => RUSTLE_FORKED,
            Self::Thread(_) => RUSTLE_EXHAUSTED,
        }
    }
}

impl DomainError for StartError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(error) => error.status(),
        }
    }
}

/// What a call of one domain fails with.
pub(crate) enum CallOr<E> {
    Call(CallFault),
    Domain(E),
}

impl<E> From<CallFault> for CallOr<E> {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl<E: DomainError> From<E> for CallOr<E> {
    fn from(error: E) -> Self {
        Self::Domain(error)
    }
}

impl<E: Display> Display for CallOr<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Domain(error) => error.fmt(f),
        }
    }
}

impl<E: DomainError> Fault for CallOr<E> {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Domain(error) => error.status(),
        }
    }

    fn erased(self) -> AnyFault
    where
        E: 'static,
    {
        match self {
            Self::Call(fault) => fault.erased(),
            domain => AnyFault::Domain(Box::new(domain)),
        }
    }
}
