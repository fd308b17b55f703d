//! Every argument that violates a function's declaration is refused: with one argument, field or element wrong at a time, each
//! call fails with the matching status and a text, and writes nothing.

use crate::alone;
use crate::interface::wrong::{Basis, Wrong};
use crate::interface::{Arguments, Call, Choose, Exact, What, World, CALLS};
use rustle::equalizer::{RustleEqualizerBand, RustleEqualizerSettings};
use rustle::lent::Lent;
use rustle::status::*;
use rustle::{rustle_equalizer_preamp_sized, rustle_equalizer_response_sized, RustleHandle};
use std::collections::BTreeMap;
use std::ptr::null_mut;

/// The status of a call with one wrong argument.
fn expected(wrong: Wrong) -> &'static [RustleStatus] {
    match wrong {
        Wrong::Invented | Wrong::Foreign => &[RUSTLE_STALE_HANDLE],
        Wrong::Null => &[RUSTLE_NULL_POINTER],
        Wrong::Misaligned | Wrong::Shared | Wrong::Choice | Wrong::Reserved => &[RUSTLE_INVALID_VALUE],
        Wrong::Endless => &[RUSTLE_INVALID_LENGTH, RUSTLE_TOO_MANY_SYMBOLS],
        Wrong::Size => &[RUSTLE_RECORD_SIZE],
        Wrong::Text => &[RUSTLE_INVALID_UTF8],
        Wrong::NotANumber | Wrong::Negative => &[RUSTLE_INVALID_VALUE, RUSTLE_RATE_OUT_OF_RANGE],
    }
}

/// Calls that accept arguments that others refuse: every power has its place on the scale.
const TAKEN: [(&str, Wrong); 2] = [
    ("rustle_display_scale", Wrong::NotANumber),
    ("rustle_display_scale", Wrong::Negative),
];

/// Frees the objects made, and checks that every sink that was taken is released.
fn leaves_nothing(mut world: World, call: &Call) {
    world.free_all();
    assert_eq!((World::unreleased(), world.left()), (0, 0), "{}", call.name);
}

#[test]
fn each_argument_that_is_wrong_is_refused_with_its_status() {
    let _alone = alone();
    let mut is_refused = BTreeMap::new();
    for call in CALLS {
        for basis in Basis::ALL {
            let mut world = World::new();
            let arguments = basis.arguments(call, &mut world);
            let (status, text) = world.run(call, &arguments);
            if status != RUSTLE_OK {
                assert_ne!(basis, Basis::Examples, "the example of {}: {text}", call.name);
                leaves_nothing(world, call);
                continue;
            }
            assert!(arguments.is_written(), "{} wrote nothing", call.name);
            Wrong::each(call, basis, &mut world, |world, arguments, wrong, place| {
                let name = format!("{wrong:?} {place}");
                let (status, text) = world.attempt(call, arguments, &name);
                // An argument that is not read on one basis is read on the other.
                *is_refused.entry((call.name, wrong, place)).or_insert(false) |= status != RUSTLE_OK;
                let is_expected = status == RUSTLE_OK || expected(wrong).contains(&status);
                assert!(is_expected, "{name}: {}: {status} {text:?}", call.name);
                let says_both = text.contains(": expected a record of ") && text.contains(" bytes, got ");
                assert!(wrong != Wrong::Size || says_both, "{name}: {}: {text}", call.name);
            });
            leaves_nothing(world, call);
        }
    }
    let count = is_refused.len();
    is_refused.retain(|(name, wrong, _), is_refused| !*is_refused && !TAKEN.contains(&(name, *wrong)));
    assert!(is_refused.is_empty(), "{is_refused:?}");
    assert!(count > 5 * CALLS.len(), "{count} refused");
    println!("{count} refused");
}

#[test]
fn freed_object_is_stale_in_every_call() {
    let _alone = alone();
    for call in CALLS {
        let mut world = World::new();
        let arguments = Arguments::new(call, &mut Exact, &mut world);
        if let Some((handle, kind)) = arguments.on().filter(|(_, kind)| *kind != "runtime") {
            world.free(handle);
            let (status, _) = world.attempt(call, &arguments, "freed");
            assert_eq!(status, RUSTLE_STALE_HANDLE, "{} of a {kind}", call.name);
        }
        leaves_nothing(world, call);
    }
}

/// The examples, on a given object.
struct On(RustleHandle);

impl Choose for On {
    fn handle(&mut self, _world: &World, _kind: &str) -> Option<RustleHandle> {
        Some(self.0)
    }
}

#[test]
fn session_of_another_stream_is_refused_by_every_call_of_one() {
    let _alone = alone();
    let mut count = 0;
    for call in CALLS {
        let Some(What::Handle(on)) = call.parameters.first().map(|first| &first.what) else {
            continue;
        };
        let ("session", Some(own)) = (on.kind, on.function) else {
            continue;
        };
        let other = if own == "rustle_echo_start" {
            "rustle_ticker_start"
        } else {
            "rustle_echo_start"
        };
        let mut world = World::new();
        let mut on = On(world.make("session", Some(other)));
        let arguments = Arguments::new(call, &mut on, &mut world);
        let (status, _) = world.attempt(call, &arguments, other);
        assert_eq!(status, RUSTLE_INVALID_VALUE, "{}", call.name);
        leaves_nothing(world, call);
        count += 1;
    }
    assert!(count > 10, "{count} calls of one stream's sessions");
}

/// The statuses of the preamplification and the response of settings whose bands are at `bands`, when the result goes to `left`.
fn response(bands: *const f64, left: *mut f64) -> RustleStatus {
    // SAFETY: the bands can be read for as long as the settings are there.
    let list = || unsafe { Lent::new(bands.cast::<RustleEqualizerBand>()) };
    let settings = RustleEqualizerSettings {
        left: list(),
        left_count: 1,
        // Lists that are read may be the same.
        right: list(),
        right_count: 1,
        preamp: 0.0,
    };
    let (size, frequency, mut right) = (size_of_val(&settings), 1_000.0, 0.0);
    // SAFETY: `left` has one place, in memory of the test's that nobody else uses; or the call is refused.
    let preamp =
        unsafe { rustle_equalizer_preamp_sized(&raw const settings, size, 48_000.0, left, null_mut()) };
    // SAFETY: as above.
    let response = unsafe {
        rustle_equalizer_response_sized(
            &raw const settings,
            size,
            48_000.0,
            &raw const frequency,
            1,
            left,
            1,
            &raw mut right,
            1,
            null_mut(),
        )
    };
    assert_eq!(preamp, response);
    response
}

#[test]
fn result_in_memory_that_a_record_lends_or_at_an_odd_address_is_refused() {
    // A band of 1,000 Hz, 6 dB and quality 1, and room for a curve.
    let mut memory = [1_000.0, 6.0, 1.0, 0.0, 0.0, 0.0];
    let start = memory.as_mut_ptr();
    assert_eq!(response(start, start.wrapping_add(4)), RUSTLE_OK);
    assert_eq!(response(start, start.wrapping_add(1)), RUSTLE_INVALID_VALUE);
    assert_eq!(response(start, start.wrapping_byte_add(33)), RUSTLE_INVALID_VALUE);
    assert_eq!(memory[..4], [1_000.0, 6.0, 1.0, 0.0]);
}
