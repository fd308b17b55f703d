//! Calls of feeds and their sessions.

use crate::input::Input;
use crate::lane::drained;
use crate::objects::{checked, runtime, settle, Handles, Kind, Watch};
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

pub(crate) fn new_feed(input: &mut Input<'_>, handles: &mut Handles) {
    let runtime_of_feed = match input.byte() {
        0..=239 => runtime(),
        // The shared runtime, 0, has a clock of its own: what it does is not the input's doing.
        _ => handles.any(input, Kind::Runtime).max(1),
    };
    let mut feed = 0;
    let is_made = match input.below(8) {
        0..=3 => new_simulated(input, runtime_of_feed, &mut feed),
        4 | 5 => new_replay(input, runtime_of_feed, &mut feed),
        6 => new_pushed(input, runtime_of_feed, &mut feed),
        _ => return new_live(input, runtime_of_feed),
    };
    if is_made && runtime_of_feed == runtime() {
        handles.add_settled(Kind::Feed, feed);
    } else if is_made {
        handles.add(Kind::Feed, feed);
    }
}

fn new_simulated(input: &mut Input<'_>, runtime: RustleHandle, feed: &mut RustleHandle) -> bool {
    let (symbols, symbol_count) = names(input);
    let parameters: [RustleGbmParameters; 3] = std::array::from_fn(|_| RustleGbmParameters {
        price_units: 6_500_010,
        drift: input.real(0.1),
        volatility: input.real(0.5),
        price_scale: input.below(20) as u32,
        reserved: u32::from(input.below(64) == 63),
    });
    let configuration = RustleSimulatedFeed {
        symbols: symbols.as_ptr(),
        symbol_count,
        parameters: parameters.as_ptr(),
        parameter_count: input.length(3),
        updates_per_second: input.real(1_000.0),
        seed: 1,
        update_limit: input.below(20) as u64,
        runtime,
        model: input.below(3) as u32,
        reserved: u32::from(input.below(64) == 63),
    };
    let pointer = or_null(input, &configuration);
    // SAFETY: the configuration is NULL or this frame's own; a length beyond its lists is one that no memory has.
    checked(|error| unsafe { rustle_feed_new_simulated(pointer, feed, error) })
}

fn schema(input: &mut Input<'_>) -> RustleString {
    let schemas = ["", "symbol=s,price=p", "symbol=s,price=p,time=T:us,seq=u,each=d"];
    match input.byte() {
        byte @ 0..=191 => text(schemas[usize::from(byte) % schemas.len()]),
        _ => name(input, 0),
    }
}

fn new_pushed(input: &mut Input<'_>, runtime: RustleHandle, feed: &mut RustleHandle) -> bool {
    let configuration = RustlePushedFeed {
        schema: schema(input),
        runtime,
        format: input.below(4) as u32,
        restarts_numbers: input.below(2) as u32,
    };
    let pointer = or_null(input, &configuration);
    // SAFETY: the configuration is NULL or this frame's own, and its text is readable or has a length that is refused.
    checked(|error| unsafe { rustle_feed_new_pushed(pointer, feed, error) })
}

/// Goes at once: what one that runs does is not the input's doing.
fn new_live(input: &mut Input<'_>, runtime: RustleHandle) {
    let addresses = [
        "unix:/there-is-none",
        "tcp://[::1]:1",
        "localhost",
        "unix:",
        "a:b:1",
        "",
    ];
    let mut time = || {
        if input.below(4) == 3 {
            input.word()
        } else {
            1_000_000_000
        }
    };
    let [connecting_ns, silence_ns, base_ns, cap_ns, healthy_ns] = std::array::from_fn(|_| time());
    let configuration = RustleLiveFeed {
        address: match input.below(8) {
            7 => name(input, 0),
            place => text(addresses[place % addresses.len()]),
        },
        schema: schema(input),
        connecting_ns,
        silence_ns,
        base_ns,
        cap_ns,
        healthy_ns,
        runtime,
        restarts_numbers: input.below(2) as u32,
        subscribes: input.below(2) as u32,
    };
    let mut feed = 0;
    let pointer = or_null(input, &configuration);
    // SAFETY: as for `new_pushed`.
    if checked(|error| unsafe { rustle_feed_new_live(pointer, &raw mut feed, error) }) {
        // SAFETY: the record is this side's own.
        checked(|error| unsafe { rustle_feed_free(feed, error) });
    }
}

/// Bytes for a feed, news of its connection, and a server that finds no place.
pub(crate) fn push(input: &mut Input<'_>, handles: &Handles) {
    let feed = handles.any(input, Kind::Feed);
    let lines = b"{\"symbol\":\"A\",\"price\":1.5}\n{\"symbol\":\"B\",\"price\":x}\n";
    let mut taken = usize::MAX;
    let (start, length) = (input.below(lines.len()), input.length(8));
    let bytes = lines[start..].as_ptr();
    let length = if length > 8 {
        length
    } else {
        length.min(lines.len() - start)
    };
    // SAFETY: so many bytes are readable, or the length is one that is refused.
    if checked(|error| unsafe { rustle_feed_push(feed, bytes, length, &raw mut taken, error) }) {
        assert!(taken <= length);
    }
    let (kind, note) = (input.below(8) as u32, name(input, 0));
    let (retry, failures) = (input.word(), u32::from(input.byte()));
    // SAFETY: the text is readable, or has a length that is refused.
    checked(|error| unsafe { rustle_feed_tell(feed, kind, retry, failures, note, error) });
    let mut notice = MaybeUninit::<RustleFeedNotice>::uninit();
    // SAFETY: the record's place is this frame's own.
    if checked(|error| unsafe { rustle_feed_connection(feed, notice.as_mut_ptr(), error) }) {
        // SAFETY: a call that succeeds writes the record.
        let notice = unsafe { notice.assume_init() };
        assert!(notice.kind <= 7 && notice.text_length as usize <= notice.text.len());
    }
    settle();
}

/// A server that finds no place, and what servers are asked, asked of other sessions.
pub(crate) fn serve(input: &mut Input<'_>, handles: &Handles) {
    let (feed, session) = (handles.any(input, Kind::Feed), handles.any(input, Kind::Session));
    let address = text(["unix:/there-is-none/x", "", "256.0.0.1:1", "x"][input.below(4)]);
    let policy = RustleFeedPolicy {
        kind: input.below(7) as u32,
        reserved: 0,
        capacity: input.length(2),
        interval_ns: 1_000_000,
    };
    let pointer = or_null(input, &policy);
    let watch = Watch::new(0);
    let (sink, mut server) = (watch.sink(input.byte()), 0);
    // SAFETY: the records are NULL or this frame's own; the watcher lives until its release.
    assert!(!checked(|error| unsafe {
        rustle_feed_serve(feed, address, pointer, sink, &raw mut server, error)
    }));
    watch.was_not_taken();
    let (mut buffer, mut count) = ([0; 300], 0);
    let mut counts = MaybeUninit::uninit();
    // SAFETY: the places are this frame's own, here and below.
    assert!(!checked(|error| unsafe {
        rustle_server_address(session, buffer.as_mut_ptr(), 300, &raw mut count, error)
    }));
    // SAFETY: as above.
    assert!(!checked(|error| unsafe {
        rustle_server_counts(session, counts.as_mut_ptr(), error)
    }));
    // SAFETY: as above; NULL is allowed for no room.
    assert!(!checked(|error| unsafe {
        rustle_server_clients(session, null_mut(), 0, &raw mut count, error)
    }));
}

fn new_replay(input: &mut Input<'_>, runtime: RustleHandle, feed: &mut RustleHandle) -> bool {
    let schema = schema(input);
    let configuration = RustleReplayFeed {
        // A file that is there, one that is not, and one that is no file.
        path: text(["/dev/null", "there-is-none.csv", "/"][input.below(3)]),
        schema,
        speed: input.real(0.0),
        from_ns: input.word() as i64,
        runtime,
        format: input.below(4) as u32,
        repeats: input.below(2) as u32,
        has_from: input.below(2) as u32,
        reserved: u32::from(input.below(64) == 63),
    };
    let pointer = or_null(input, &configuration);
    // SAFETY: the configuration is NULL or this frame's own, and its texts are readable or have a length that is refused.
    checked(|error| unsafe { rustle_feed_new_replay(pointer, feed, error) })
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
    let kind = input.below(5);
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
        _ => unsafe {
            rustle_feed_start_notices(feed, threshold_count as u32, policy.capacity, sink, place, error)
        },
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
            |n: &RustleFeedNotice, _: &Counts| assert!(n.text_length as usize <= n.text.len() && n.kind <= 6),
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
    let mut late = 0;
    // SAFETY: the number's place is this frame's own.
    checked(|error| unsafe { rustle_feed_late(session, &mut late, error) });
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
