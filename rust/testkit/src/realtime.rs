//! The realtime context of RealtimeSanitizer, when the program runs with it.

use libloading::os::unix::{Library, Symbol};
use std::sync::OnceLock;

struct Sanitizer {
    enter: Symbol<unsafe extern "C" fn()>,
    exit: Symbol<unsafe extern "C" fn()>,
}

fn sanitizer() -> Option<&'static Sanitizer> {
    static SANITIZER: OnceLock<Option<Sanitizer>> = OnceLock::new();
    let find = || {
        let program = Library::this();
        // SAFETY: the function has this type in the sanitizer's interface, and is there for as long as the program runs.
        let enter = unsafe { program.get(b"__rtsan_realtime_enter\0") }.ok()?;
        // SAFETY: as above.
        let exit = unsafe { program.get(b"__rtsan_realtime_exit\0") }.ok()?;
        Some(Sanitizer { enter, exit })
    };
    SANITIZER.get_or_init(find).as_ref()
}

/// Whether the program runs with RealtimeSanitizer's library.
pub fn has_realtime_sanitizer() -> bool {
    sanitizer().is_some()
}

/// Runs `body`, in which an allocation, waiting for a lock or a system call ends the program with a report when it runs with
/// RealtimeSanitizer's library.
pub fn in_realtime<R>(body: impl FnOnce() -> R) -> R {
    let sanitizer = sanitizer();
    if let Some(sanitizer) = sanitizer {
        // SAFETY: the function takes nothing and is called in pairs with its counterpart.
        unsafe { (sanitizer.enter)() };
    }
    let result = body();
    if let Some(sanitizer) = sanitizer {
        // SAFETY: as above.
        unsafe { (sanitizer.exit)() };
    }
    result
}
