//! A libFuzzer target: the bytes are a datagram of a tempo session.
//!
//! Nothing may panic, and what is read and written again is the same.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

use rustle_tempo::link::{parse, parse_ping, parse_pong, ping, pong};

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    reads_the_same_again(bytes);
    0
}

/// Messages that are written from what was read are read the same.
fn reads_the_same_again(bytes: &[u8]) {
    if let Ok(message) = parse(bytes) {
        assert_eq!(parse(message.packet().bytes()), Ok(message));
    }
    if let Ok(payload) = parse_ping(bytes) {
        assert!(payload.len() <= 32);
    }
    if let Ok(read) = parse_pong(bytes) {
        let sent = ping(read.host, read.previous);
        let payload = parse_ping(sent.bytes()).unwrap_or_default();
        let again = pong(read.session, read.ghost, payload);
        assert_eq!(parse_pong(again.bytes()), Ok(read));
    }
}
