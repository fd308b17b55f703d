//! Calls of feeds and their sessions.

mod host;
mod sources;

pub(crate) use host::{ask, push, serve};
pub(crate) use sources::new_feed;

use crate::input::Input;
use crate::lane::drained;
use crate::objects::{checked, settle, Handles, Kind, Watch};
use crate::ticker::name;
use rustle::feed::*;
use rustle::lane::RustleLaneStatistics;
use rustle::status::{RustleError, RustleStatus};
use rustle::{RustleHandle, RustleString};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Mostly a pointer to `record`, at times NULL.
fn or_null<T>(input: &mut Input<'_>, record: &T) -> *const T {
    if input.below(32) == 31 {
        null()
    } else {
        record
    }
}

/// At most four names, and how many there are said to be.
fn names(input: &mut Input<'_>) -> (Vec<RustleString>, usize) {
    let names: Vec<RustleString> = (0..input.below(5)).map(|place| name(input, place)).collect();
    let count = if input.below(32) == 31 {
        usize::MAX
    } else {
        names.len()
    };
    (names, count)
}

fn text(text: &str) -> RustleString {
    RustleString {
        data: text.as_ptr(),
        length: text.len(),
    }
}

pub(crate) fn start(input: &mut Input<'_>, handles: &mut Handles) {
    let feed = handles.any(input, Kind::Feed);
    let (symbols, symbol_count) = names(input);
    let subscription = RustleFeedSubscription {
        symbols: symbols.as_ptr(),
        symbol_count,
        all: input.below(2) as u32,
        reserved: u32::from(input.below(64) == 63),
    };
    let policy = RustleFeedPolicy {
        kind: input.below(7) as u32,
        reserved: u32::from(input.below(64) == 63),
        capacity: match input.byte() {
            byte @ 0..=239 => 1 << (byte % 13),
            byte => [0, 1_048_577, usize::MAX][usize::from(byte % 3)],
        },
        interval_ns: if input.below(4) == 3 {
            input.word()
        } else {
            1_000_000
        },
    };
    let duration = if input.below(4) == 3 {
        input.word() as i64
    } else {
        1_000_000
    };
    let thresholds: [RustleFeedThreshold; 2] = std::array::from_fn(|place| RustleFeedThreshold {
        symbol: name(input, place),
        level_units: input.word() as i64 >> 8,
        hysteresis_units: i64::from(input.byte()) - 8,
        direction: input.below(3) as u32,
        level_scale: input.below(20) as u8,
        hysteresis_scale: input.below(20) as u8,
        reserved: [0, u8::from(input.below(64) == 63)],
    });
    let threshold_count = input.length(2);
    let (kind, notices) = (input.below(5), input.below(5) as u32);
    let (wanted, lane) = (or_null(input, &subscription), or_null(input, &policy));
    let watch = Watch::new(input.byte());
    let sink = watch.sink(input.byte());
    let mut session = 0;
    let place = &raw mut session;
    let is_started = checked(|error| match kind {
        // SAFETY: all records are NULL or this frame's own, here and below, with lists that are readable or have a length that is
        // refused; the watcher lives until its release.
        0 => unsafe { rustle_feed_start_quotes(feed, wanted, lane, sink, place, error) },
        // SAFETY: as above.
        1 => unsafe {
            rustle_feed_start_candles(feed, wanted, duration, duration >> 1, lane, sink, place, error)
        },
        // SAFETY: as above.
        2 => unsafe { rustle_feed_start_statistics(feed, wanted, duration, lane, sink, place, error) },
        // SAFETY: as above.
        3 => unsafe {
            rustle_feed_start_alerts(
                feed,
                thresholds.as_ptr(),
                threshold_count,
                lane,
                sink,
                place,
                error,
            )
        },
        // SAFETY: as above.
        _ => unsafe { rustle_feed_start_notices(feed, notices, policy.capacity, sink, place, error) },
    });
    if is_started {
        handles.add_session(session, feed, watch.was_taken(session));
    } else {
        watch.was_not_taken();
    }
    settle();
}

fn is_decimal(units: i64, scale: u8) -> bool {
    units.unsigned_abs() < 10_u64.pow(18) && scale <= 18
}

pub(crate) fn drain(input: &mut Input<'_>, handles: &Handles) {
    type Counts = RustleLaneStatistics;
    match input.below(5) {
        0 => drained(
            input,
            handles,
            rustle_feed_drain_quotes,
            |q: &RustleQuote, s: &Counts| {
                assert!(is_decimal(q.price_units, q.price_scale) && q.price_units > 0);
                assert!(u64::from(q.gap) <= s.dropped && q.symbol < 4 && q.is_out_of_order == 0);
            },
        ),
        1 => drained(
            input,
            handles,
            rustle_feed_drain_candles,
            |c: &RustleCandle, s: &Counts| {
                assert!(is_decimal(c.open_units, c.open_scale) && is_decimal(c.close_units, c.close_scale));
                assert!(is_decimal(c.high_units, c.high_scale) && is_decimal(c.low_units, c.low_scale));
                assert!(c.count > 0 && c.volume == 0.0 && u64::from(c.gap) <= s.dropped);
            },
        ),
        2 => drained(
            input,
            handles,
            rustle_feed_drain_statistics,
            |r: &RustlePriceStatistics, s: &Counts| {
                assert!(r.count > 0 && r.mean > 0.0 && r.variance >= 0.0 && u64::from(r.gap) <= s.dropped);
            },
        ),
        3 => drained(
            input,
            handles,
            rustle_feed_drain_alerts,
            |a: &RustlePriceAlert, s: &Counts| {
                assert!(a.threshold < 2 && a.symbol < 4 && u64::from(a.gap) <= s.dropped);
            },
        ),
        _ => drained(
            input,
            handles,
            rustle_feed_drain_notices,
            |n: &RustleFeedNotice, _: &Counts| assert!(n.text_length as usize <= n.text.len() && n.kind <= 8),
        ),
    }
}

pub(crate) fn tell(input: &mut Input<'_>, handles: &Handles) {
    let (feed, session) = (handles.any(input, Kind::Feed), handles.any(input, Kind::Session));
    let mut counts = MaybeUninit::<RustleFeedCounts>::uninit();
    // SAFETY: the record's place is this frame's own.
    if checked(|error| unsafe { rustle_feed_counts(feed, counts.as_mut_ptr(), error) }) {
        // SAFETY: a call that succeeds writes the record.
        let counts = unsafe { counts.assume_init() };
        assert!(counts.malformed + counts.oversized + counts.others <= counts.messages);
    }
    let (mut buffer, mut length) = ([b'?'; RUSTLE_SYMBOL_CAPACITY], 0);
    let (number, room) = (input.below(6) as u32, input.below(RUSTLE_SYMBOL_CAPACITY + 1));
    let start = if input.below(16) == 15 {
        null_mut()
    } else {
        buffer.as_mut_ptr()
    };
    // SAFETY: the buffer is NULL or this frame's own, with at least so much room.
    if checked(|error| unsafe { rustle_feed_symbol(session, number, start, room, &mut length, error) }) {
        assert!(length > 0 && length <= room && std::str::from_utf8(&buffer[..length]).is_ok());
    }
    assert!(
        buffer[length..].iter().all(|byte| *byte == b'?'),
        "bytes beyond the name"
    );
    let (mut late, mut evicted) = (0, 0);
    // SAFETY: the number's place is this frame's own.
    checked(|error| unsafe { rustle_feed_late(session, &mut late, error) });
    // SAFETY: as above.
    checked(|error| unsafe { rustle_feed_evicted(session, &mut evicted, error) });
}

pub(crate) fn subscribe(input: &mut Input<'_>, handles: &Handles) {
    let session = handles.any(input, Kind::Session);
    let ((add, add_count), (remove, remove_count)) = (names(input), names(input));
    // SAFETY: the names are readable, or have a length that is refused.
    checked(|error| unsafe {
        rustle_feed_subscribe(
            session,
            add.as_ptr(),
            add_count,
            remove.as_ptr(),
            remove_count,
            error,
        )
    });
}

type HandleCall = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

const HANDLE_CALLS: [HandleCall; 8] = [
    rustle_feed_run,
    rustle_feed_run,
    rustle_feed_run,
    rustle_feed_run,
    rustle_feed_run,
    rustle_feed_cancel,
    rustle_feed_shut_down,
    rustle_feed_free,
];

/// Runs a feed, mostly, or ends it.
pub(crate) fn end(input: &mut Input<'_>, handles: &Handles) {
    let call = HANDLE_CALLS[input.below(HANDLE_CALLS.len())];
    let feed = handles.any(input, Kind::Feed);
    // SAFETY: the record is this side's own; every number is allowed as a handle.
    checked(|error| unsafe { call(feed, error) });
    settle();
}
