//! Feeds of every source.

use super::{names, or_null, text};
use crate::input::Input;
use crate::objects::{checked, runtime, Handles, Kind};
use crate::ticker::name;
use rustle::feed::*;
use rustle::{RustleHandle, RustleString};

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
        message_limit: [0, 1, 30, 1_000, usize::MAX][input.below(5)],
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
