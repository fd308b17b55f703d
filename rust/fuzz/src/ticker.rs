//! Calls of the ticker, its sessions and its runtimes.

use crate::input::Input;
use crate::lane::drained;
use crate::objects::{checked, runtime, settle, Handles, Kind, Watch};
use rustle::exercise::rustle_sink_exercise;
use rustle::layout::rustle_abi_layout;
use rustle::log::{rustle_log_install, rustle_log_set_level};
use rustle::runtime::{rustle_runtime_advance, rustle_runtime_free, rustle_runtime_new_manual};
use rustle::session::{rustle_session_cancel, rustle_session_free};
use rustle::status::{RustleError, RustleStatus};
use rustle::ticker::*;
use rustle::version::rustle_build_id;
use rustle::{RustleHandle, RustleString};
use std::ptr::{null, null_mut};

pub(crate) fn new_ticker(input: &mut Input<'_>, handles: &mut Handles) {
    let configuration = RustleTickerConfiguration {
        updates_per_second: input.real(1_000.0),
        seed: 1,
        update_limit: if input.below(4) == 3 {
            input.word()
        } else {
            input.below(20) as u64
        },
        runtime: match input.byte() {
            0..=223 => runtime(),
            // The shared runtime, 0, has a clock of its own: what it does is not the input's doing.
            _ => handles.any(input, Kind::Runtime).max(1),
        },
        has_seed: 1,
        reserved: 0,
    };
    let is_settled = configuration.runtime == runtime();
    let mut ticker = 0;
    let pointer = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    // SAFETY: the configuration is NULL or this frame's own, and so is the handle's place.
    if checked(|error| unsafe { rustle_ticker_new(pointer, &mut ticker, error) }) {
        if is_settled {
            handles.add_settled(Kind::Ticker, ticker);
        } else {
            handles.add(Kind::Ticker, ticker);
        }
    }
}

const PLAIN: [&str; 4] = ["BTC", "ETH", "SOL", "Ω"];

/// A name for `place` in a list of at most four: mostly a plain one, else of any content.
pub(crate) fn name<'a>(input: &mut Input<'a>, place: usize) -> RustleString {
    let bytes: &'a [u8] = match input.byte() {
        0..=191 => PLAIN[place].as_bytes(),
        192..=207 => &[b'X'; 33],
        _ => {
            let most = input.below(40);
            input.bytes(most)
        }
    };
    let text = RustleString {
        data: bytes.as_ptr(),
        length: bytes.len(),
    };
    match input.byte() {
        // NULL with a length, or a length that no memory has.
        0..=3 => RustleString { data: null(), ..text },
        4..=7 => RustleString {
            length: usize::MAX,
            ..text
        },
        _ => text,
    }
}

pub(crate) fn start(input: &mut Input<'_>, handles: &mut Handles) {
    let ticker = handles.any(input, Kind::Ticker);
    let names: Vec<RustleString> = (0..input.below(9).div_ceil(2))
        .map(|place| name(input, place))
        .collect();
    let count = if input.below(32) == 31 {
        usize::MAX
    } else {
        names.len()
    };
    let lane = match input.byte() {
        byte @ 0..=239 => u32::from(byte % 4),
        byte => u32::from(byte),
    };
    let capacity = match input.byte() {
        byte @ 0..=239 => 1 << (byte % 13),
        byte => [0, 1_048_577, usize::MAX][usize::from(byte % 3)],
    };
    let watch = Watch::new(input.byte());
    let sink = watch.sink(input.byte());
    let mut session = 0;
    let is_started = checked(|error| {
        // SAFETY: the names are readable, or have a length that is refused; the watcher lives until its release.
        unsafe {
            rustle_ticker_start(
                ticker,
                names.as_ptr(),
                count,
                lane,
                capacity,
                sink,
                &mut session,
                error,
            )
        }
    });
    if is_started {
        handles.add_session(session, ticker, watch.was_taken(session));
    } else {
        watch.was_not_taken();
    }
    settle();
}

pub(crate) fn drain(input: &mut Input<'_>, handles: &Handles) {
    drained(
        input,
        handles,
        rustle_ticker_drain,
        |update: &RustlePriceUpdate, s| {
            assert!(update.price.is_finite() && update.price > 0.0);
            assert!(update.sequence < s.produced && update.symbol < 5);
        },
    );
}

type HandleCall = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

const HANDLE_CALLS: [(Kind, HandleCall); 6] = [
    (Kind::Session, rustle_session_cancel),
    (Kind::Session, rustle_session_free),
    (Kind::Ticker, rustle_ticker_cancel),
    (Kind::Ticker, rustle_ticker_shut_down),
    (Kind::Ticker, rustle_ticker_free),
    (Kind::Runtime, rustle_runtime_free),
];

pub(crate) fn end(input: &mut Input<'_>, handles: &Handles) {
    let (kind, call) = HANDLE_CALLS[input.below(HANDLE_CALLS.len())];
    let handle = handles.any(input, kind);
    // SAFETY: the record is this side's own; every number is allowed as a handle.
    let is_done = checked(|error| unsafe { call(handle, error) });
    settle();
    if is_done && kind == Kind::Session {
        handles.check_released(handle);
    }
}

pub(crate) fn new_runtime(input: &mut Input<'_>, handles: &mut Handles) {
    let mut runtime = 0;
    // SAFETY: the handle's place is this frame's own.
    if checked(|error| unsafe { rustle_runtime_new_manual(input.word() as i64, &mut runtime, error) }) {
        handles.add(Kind::Runtime, runtime);
    }
}

pub(crate) fn advance(input: &mut Input<'_>, handles: &Handles) {
    let target = if input.below(4) == 3 {
        handles.any(input, Kind::Runtime)
    } else {
        runtime()
    };
    // At most a tenth of a millisecond: 5,000 updates of the fastest ticker there is.
    let nanoseconds = u64::from(input.byte()) * 400;
    // SAFETY: the record is this side's own.
    checked(|error| unsafe { rustle_runtime_advance(target, nanoseconds, error) });
}

/// Calls that have to do with no engine.
pub(crate) fn library(input: &mut Input<'_>) {
    let mut count = 0;
    // SAFETY: the number's place is this frame's own.
    assert!(!unsafe { rustle_abi_layout(&mut count) }.is_null() && count > 0);
    assert!(!rustle_build_id().is_null());
    let watch = Watch::new(input.byte());
    let (sink, times) = (watch.sink(input.byte()), u64::from(input.byte()));
    // SAFETY: the watcher lives until its release, and does not read the event.
    if checked(|error| unsafe { rustle_sink_exercise(sink, null(), times, error) }) {
        watch.was_taken(0);
    } else {
        watch.was_not_taken();
    }
    // SAFETY: the record is this side's own.
    checked(|error| unsafe { rustle_log_set_level(u32::from(input.byte()) % 8, error) });
    // SAFETY: without a function there is nothing to call.
    assert!(!checked(|error| unsafe {
        rustle_log_install(None, null_mut(), 1, error)
    }));
}
