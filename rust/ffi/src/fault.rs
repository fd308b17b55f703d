//! Faults of a call: of its arguments in C, or of its domain.

use crate::status::{CallFault, Fault, RustleStatus};
use rustle_engines::{RuntimeError, StartError};
use std::fmt::{self, Display};

/// An error of an engine or of a domain, with a status in C.
pub(crate) trait DomainError: Display {
    /// The status of this error.
    fn status(&self) -> RustleStatus;
}

/// The status of every case of an error: `ColorError { RUSTLE_INVALID_VALUE: Hue Shade, its own: Paint }`, where that of `Paint`
/// is the status of the error in it.
macro_rules! statuses {
    ($error:ident { $($status:ident: $($case:ident)+,)* $(_: $($own:ident)+,)? }) => {
        impl $crate::fault::DomainError for $error {
            fn status(&self) -> $crate::status::RustleStatus {
                match self {
                    $($(Self::$case { .. })|+ => $crate::status::$status,)*
                    $($(Self::$own(error) => error.status(),)+)?
                }
            }
        }
    };
}
pub(crate) use statuses;

statuses!(RuntimeError {
    RUSTLE_FORKED: Forked,
    RUSTLE_EXHAUSTED: Thread Memory,
});

statuses!(StartError {
    RUSTLE_SHUT_DOWN: ShutDown,
    RUSTLE_POISONED: Poisoned,
    _: Runtime,
});

/// The error of a call of one domain.
pub(crate) enum CallOr<E> {
    /// A fault found by the boundary. It allocates nothing, whatever the domain: realtime-safe calls rely on it.
    Call(CallFault),
    Domain(E),
}

/// The result of a call of one domain.
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
