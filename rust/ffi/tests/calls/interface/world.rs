//! The objects of a run of calls: a manual runtime, the objects made, and the state of the sinks.

use super::verbs::{advance, free, manual_runtime};
use super::{Arguments, Call, Exact, CALLS};
use rustle::live::rustle_live_objects;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Sinks that were taken and not released, in the whole process, and a bell for each that is.
static SINKS: Mutex<i64> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();
static SIGNALS: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_signal(context: *mut c_void, _: *const c_void) {
    // SAFETY: the context is a box that the release frees; a signal after it is an error that a sanitizer reports.
    SIGNALS.fetch_add(unsafe { *context.cast::<u64>() }, Ordering::Relaxed);
}

extern "C" fn on_release(context: *mut c_void, _: i32, _: *const u8, _: usize) {
    // SAFETY: the box was made for this one release; a second one is an error that a sanitizer reports.
    drop(unsafe { Box::from_raw(context.cast::<u64>()) });
    *sinks() -= 1;
    RELEASED.notify_all();
}

fn sinks() -> MutexGuard<'static, i64> {
    SINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Known {
    handle: RustleHandle,
    kind: &'static str,
    is_live: bool,
}

/// The objects to call functions on.
pub(crate) struct World {
    runtime: RustleHandle,
    known: Vec<Known>,
    live_before: i64,
    /// Contexts that were made for a call and not taken.
    offered: *mut u64,
}

impl World {
    /// A world with a runtime, and nothing else.
    pub(crate) fn new() -> Self {
        let live_before = rustle_live_objects();
        Self {
            runtime: manual_runtime(),
            known: Vec::new(),
            live_before,
            offered: null_mut(),
        }
    }

    pub(crate) fn runtime(&self) -> RustleHandle {
        self.runtime
    }

    /// A sink that counts, with or without its functions.
    pub(crate) fn sink(&mut self, has_no_signal: bool, has_no_release: bool) -> RustleSink {
        self.drop_offered();
        self.offered = Box::into_raw(Box::new(1));
        RustleSink {
            context: self.offered.cast(),
            on_signal: (!has_no_signal).then_some(on_signal),
            on_release: (!has_no_release).then_some(on_release),
        }
    }

    fn drop_offered(&mut self) {
        if !self.offered.is_null() {
            // SAFETY: the box was offered to a call that did not take it.
            drop(unsafe { Box::from_raw(self.offered) });
            self.offered = null_mut();
        }
    }

    /// Makes the call, and records the objects that it made, took and freed.
    pub(crate) fn run(&mut self, call: &'static Call, arguments: &Arguments) -> (RustleStatus, String) {
        let (status, text) = arguments.run(call);
        if status == RUSTLE_OK && call.makes == "session" {
            // The engine's from now on; its release may have come already.
            self.offered = null_mut();
            *sinks() += 1;
        }
        if status == RUSTLE_OK {
            if arguments.new_handle() != 0 {
                self.keep(arguments.new_handle(), call.makes);
            }
            if let (Some((handle, _)), true) = (arguments.on(), call.name.ends_with("_free")) {
                self.gone(handle);
            }
        }
        (status, text)
    }

    /// Makes the call. When it is refused, the status is one that it names, there is a text, and nothing is written.
    pub(crate) fn attempt(
        &mut self,
        call: &'static Call,
        arguments: &Arguments,
        name: &str,
    ) -> (RustleStatus, String) {
        let (status, text) = self.run(call, arguments);
        if status != RUSTLE_OK {
            let what = format!("{name}: {}: status {status}, {text:?}", call.name);
            assert!(
                call.statuses.contains(&status),
                "{what}, expected one of {:?}",
                call.statuses
            );
            assert!(!text.is_empty(), "{what}");
            assert!(arguments.is_untouched(), "{what}, and it wrote");
        }
        (status, text)
    }

    fn keep(&mut self, handle: RustleHandle, kind: &'static str) {
        assert!(
            !self.known.iter().any(|known| known.handle == handle),
            "a handle is issued once"
        );
        self.known.push(Known {
            handle,
            kind,
            is_live: true,
        });
    }

    fn gone(&mut self, handle: RustleHandle) {
        for known in self.known.iter_mut().filter(|known| known.handle == handle) {
            known.is_live = false;
        }
    }

    /// Whether the handle is that of a live object of the kind.
    pub(crate) fn is_live(&self, handle: RustleHandle, kind: &str) -> bool {
        let fits = |known: &Known| known.is_live && known.handle == handle && known.kind == kind;
        (handle == self.runtime && kind == "runtime") || self.known.iter().any(fits)
    }

    /// The latest live object of a kind.
    pub(crate) fn latest(&self, kind: &str) -> Option<RustleHandle> {
        let fits = |known: &&Known| known.is_live && known.kind == kind;
        let latest = self.known.iter().rev().find(fits);
        latest.map(|known| known.handle)
    }

    /// A live object that is of another kind.
    pub(crate) fn of_another_kind(&self, kind: &str) -> RustleHandle {
        if kind == "runtime" {
            self.latest("pitch").expect("a pitch tracker was made")
        } else {
            self.runtime
        }
    }

    /// Handles that were issued, live or not.
    pub(crate) fn recent(&self) -> Vec<RustleHandle> {
        let latest = self.known.iter().rev().take(16);
        latest.map(|known| known.handle).collect()
    }

    /// Makes an object by the examples.
    pub(crate) fn make(&mut self, kind: &'static str, function: Option<&str>) -> RustleHandle {
        let makes = |call: &&Call| call.makes == kind && function.is_none_or(|name| name == call.name);
        let maker = CALLS
            .iter()
            .find(makes)
            .unwrap_or_else(|| panic!("expected a function that makes a {kind}: {function:?}"));
        let arguments = Arguments::new(maker, &mut Exact, self);
        let (status, text) = self.run(maker, &arguments);
        assert_eq!(status, RUSTLE_OK, "{}: {text}", maker.name);
        if kind == "feed" {
            // The symbols of a source that runs are known.
            let run = CALLS.iter().find(|call| call.name == "rustle_feed_run");
            let on = Arguments::on_handle(arguments.new_handle());
            assert_eq!(self.run(run.expect("feeds run"), &on).0, RUSTLE_OK);
        }
        if kind == "session" {
            self.advance(5_000_000);
        }
        arguments.new_handle()
    }

    /// Frees an object, if it is still there.
    pub(crate) fn free(&mut self, handle: RustleHandle) {
        if handle == self.runtime || handle == 0 {
            return;
        }
        free(handle);
        self.gone(handle);
    }

    /// Advances the time; all due work is done when it returns.
    pub(crate) fn advance(&self, nanoseconds: u64) {
        advance(self.runtime, nanoseconds);
    }

    /// Frees the remaining objects, the newest first.
    pub(crate) fn free_all(&mut self) {
        let live = self.known.iter().filter(|known| known.is_live);
        let live: Vec<RustleHandle> = live.map(|known| known.handle).collect();
        for handle in live.into_iter().rev() {
            self.free(handle);
        }
        self.known.clear();
        self.drop_offered();
        self.advance(0);
    }

    /// Waits for the releases that are due: those of devices and servers come on threads of their own. Returns the number of
    /// sinks not released within the time limit.
    pub(crate) fn unreleased() -> i64 {
        let wait = RELEASED.wait_timeout_while(sinks(), Duration::from_secs(20), |sinks| *sinks > 0);
        *wait.unwrap_or_else(PoisonError::into_inner).0
    }

    /// The number of live objects besides the runtime and those from before this world.
    pub(crate) fn left(&self) -> i64 {
        rustle_live_objects() - self.live_before - 1
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.free_all();
        assert_eq!(free(self.runtime), RUSTLE_OK);
    }
}
