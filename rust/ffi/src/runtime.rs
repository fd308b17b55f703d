//! Runtimes with manual time, for tests.

use crate::fault::Outcome;
use crate::object::{New, Object, Tabled};
use crate::records::records;
use crate::status::CallFault;
use crate::RustleHandle;
use rustle_engines::{Runtime, RuntimeError, StartError};
use std::sync::Arc;
use std::time::Duration;

records! {
    /// The configuration of a manual runtime.
    pub struct RustleManualRuntime {
        /// The calendar's start: milliseconds since 1970-01-01T00:00:00Z.
        pub wall_ms: i64,
    }
}

/// A manual runtime.
pub(crate) struct ManualRuntime(Arc<Runtime>);

impl Object for ManualRuntime {
    const NAME: &'static str = "runtime";
    const KIND: u32 = 2;
    type Error = StartError;

    /// Without this, freeing would wait for engines that still exist.
    fn before_free(&self) {
        if Arc::strong_count(&self.0) > 1 {
            self.0.detach();
        }
    }
}

impl New<RustleManualRuntime> for ManualRuntime {
    /// Makes a runtime of one thread whose time stands still until `rustle_runtime_advance`.
    #[doc(alias = "rustle_runtime_new_manual")]
    fn new(configuration: &RustleManualRuntime) -> Outcome<StartError, Self> {
        Ok(Self(Arc::new(Runtime::manual(configuration.wall_ms))))
    }
}

impl ManualRuntime {
    /// Advances a manual runtime's time by `nanoseconds`, stopping at each deadline, and returns when all work due by then is
    /// done. Inside a callback of this runtime it returns at once, and the work follows. Time ends 2^64 - 1 ns, 584 years, after
    /// the runtime was made: an advance beyond stops there.
    ///
    /// Fails with `RUSTLE_FORKED`.
    ///
    /// Example: `nanoseconds` 1000000.
    #[doc(alias = "rustle_runtime_advance")]
    pub(crate) fn advance(&self, nanoseconds: u64) -> Outcome<RuntimeError> {
        self.0.check_process()?;
        self.0.advance(Duration::from_nanos(nanoseconds));
        Ok(())
    }
}

/// The runtime behind a handle; 0 stands for the shared one. Errors: the handle is neither 0 nor that of a live runtime.
pub(crate) fn find(runtime: RustleHandle) -> Result<Arc<Runtime>, CallFault> {
    match runtime {
        0 => Ok(Runtime::shared().clone()),
        handle => Ok(ManualRuntime::table().pin(handle, "runtime")?.0.clone()),
    }
}
