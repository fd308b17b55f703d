//! The refusal of an invalid declaration, with its place.

use std::cell::RefCell;
use std::fmt::Display;

thread_local! {
    /// The declarations that are being read, from the outermost to the innermost.
    static PLACES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Calls `body`, whose refusals name `place`.
pub(crate) fn at<T>(place: impl Display, body: impl FnOnce() -> T) -> T {
    PLACES.with_borrow_mut(|places| places.push(place.to_string()));
    let result = body();
    PLACES.with_borrow_mut(Vec::pop);
    result
}

/// Ends the program because of an invalid declaration.
pub(crate) fn fail(message: impl Display) -> ! {
    let places: String =
        PLACES.with_borrow(|places| places.iter().map(|place| format!("{place}: ")).collect());
    panic!("{places}{message}")
}
