//! Runtimes whose time is moved by hand, for tests.

use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::out;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::Runtime;
use std::sync::Arc;
use std::time::Duration;

static RUNTIMES: SlotTable<Arc<Runtime>> = SlotTable::new(Kind::Runtime);

/// The runtime behind a handle; 0 stands for the shared one.
///
/// # Errors
/// The handle is neither 0 nor that of a live runtime.
pub(crate) fn find(runtime: RustleHandle) -> Result<Arc<Runtime>, CallFault> {
    match runtime {
        0 => Ok(Runtime::shared().clone()),
        handle => RUNTIMES
            .pin(handle, "runtime")
            .map(|runtime| Arc::clone(&runtime)),
    }
}

/// Makes a runtime of one thread whose time stands still until `rustle_runtime_advance`. Its calendar starts at `wall_ms`
/// milliseconds since 1970-01-01T00:00:00Z. `runtime` receives the handle, to be freed with `rustle_runtime_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `runtime` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_runtime_new_manual(
    wall_ms: i64,
    runtime: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `runtime` is handed on.
        let runtime = unsafe { out(runtime, "runtime") }?;
        *runtime = RUNTIMES.insert(Arc::new(Runtime::manual(wall_ms)))?;
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Moves a manual runtime's time on by `nanoseconds`, stopping at each deadline on the way, and returns when everything
/// that was due by then is done. Inside a callback of this runtime it returns at once, and the work follows.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_runtime_advance(
    runtime: RustleHandle,
    nanoseconds: u64,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            RUNTIMES
                .pin(runtime, "runtime")?
                .advance(Duration::from_nanos(nanoseconds));
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a runtime's handle stale. Its thread ends, and its sessions are released as cancelled, once the last engine on
/// it is freed. When none is left, this call waits for the thread: not to be made under a lock that a callback takes. Freeing
/// the last engine later does not wait.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_runtime_free(runtime: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            {
                let runtime = RUNTIMES.pin(runtime, "runtime")?;
                if Arc::strong_count(&runtime) > 1 {
                    runtime.detach();
                }
            }
            RUNTIMES.remove(runtime, "runtime")
        })
    }
}
