//! A fault of a call: of its arguments as C sees them, or of what they say.

use crate::status::{
    CallFault, Fault, RustleStatus, RUSTLE_EXHAUSTED, RUSTLE_FORKED, RUSTLE_POISONED, RUSTLE_SHUT_DOWN,
};
use rustle_engines::{RuntimeError, StartError};
use std::fmt::{self, Display};

/// An error of an engine or of a domain, which has its number in C.
pub(crate) trait DomainError: Display {
    /// The number that stands for this error.
    fn status(&self) -> RustleStatus;
}

/// The statuses of an error: a length that is wrong, by these patterns, or else a value.
macro_rules! lengths {
    ($error:ident: $length:pat) => {
        impl $crate::fault::DomainError for $error {
            fn status(&self) -> $crate::status::RustleStatus {
                match self {
                    $length => $crate::status::RUSTLE_INVALID_LENGTH,
                    _ => $crate::status::RUSTLE_INVALID_VALUE,
                }
            }
        }
    };
}
pub(crate) use lengths;

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
    /// One of the boundary's own: it allocates nothing, which realtime-safe calls count on, whatever the domain.
    Call(CallFault),
    Domain(E),
}

/// What a call of one domain gives.
pub(crate) type Outcome<E, T = ()> = Result<T, CallOr<E>>;

/// A fault of any domain.
pub(crate) type AnyFault = CallOr<Box<dyn DomainError>>;

impl DomainError for Box<dyn DomainError> {
    fn status(&self) -> RustleStatus {
        (**self).status()
    }
}

impl<E: DomainError + 'static> CallOr<E> {
    /// The same fault, of any domain.
    pub(crate) fn erased(self) -> AnyFault {
        match self {
            Self::Call(fault) => CallOr::Call(fault),
            Self::Domain(error) => CallOr::Domain(Box::new(error)),
        }
    }
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
}
