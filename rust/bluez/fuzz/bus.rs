//! A libFuzzer target: the bytes are what a bus sends, after its acceptance of the user.
//!
//! Nothing may panic, and what is asked of the radio meanwhile is answered or not, but never without a request.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

use rustle_bluez::wire::Message;
use rustle_bluez::Bluez;
use rustle_provisioning::{Ask, Characteristic, Event, Radio, Request, Secret};
use std::time::Duration;

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let _ = Message::read(bytes);
    let mut bluez = Bluez::new(0, "");
    bluez.receive(b"OK 0\r\n");
    let asks = [
        Ask::Scan,
        Ask::Connect("a".to_owned()),
        Ask::Services,
        Ask::Pair,
        Ask::Subscribe,
        Ask::Read(Characteristic::Flag),
        Ask::Write(Characteristic::Name, Secret::new(vec![1])),
        Ask::Unsubscribe,
        Ask::StopScan,
        Ask::Disconnect,
    ];
    let pieces = bytes.chunks(length.div_ceil(10).max(1));
    let (mut asked, mut pieces) = (0, pieces);
    for ask in asks {
        asked += 1;
        bluez.ask(Request { token: asked, ask }, Duration::ZERO);
        bluez.receive(pieces.next().unwrap_or_default());
        while let Some(event) = bluez.next_event(Duration::ZERO) {
            if let Event::Answer { token, .. } = event {
                assert!((1..=asked).contains(&token));
            }
        }
        bluez.sent(bluez.outgoing().len());
    }
    0
}
