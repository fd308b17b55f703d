//! Every argument that violates a function's declaration is refused: with one argument, field or element wrong at a time, each
//! call fails with the matching status and a text, and writes nothing.

use crate::alone;
use crate::interface::wrong::{Basis, Wrong};
use crate::interface::{Arguments, Call, Choose, Exact, What, World, CALLS};
use rustle::status::*;
use rustle::RustleHandle;
use std::collections::BTreeMap;

/// The status of a call with one wrong argument.
fn expected(wrong: Wrong) -> &'static [RustleStatus] {
    match wrong {
        Wrong::Invented | Wrong::Foreign => &[RUSTLE_STALE_HANDLE],
        Wrong::Null => &[RUSTLE_NULL_POINTER],
        Wrong::Misaligned | Wrong::Shared | Wrong::Choice | Wrong::Reserved => &[RUSTLE_INVALID_VALUE],
        Wrong::Endless => &[
            RUSTLE_INVALID_LENGTH,
            RUSTLE_SYMBOL_TOO_LONG,
            RUSTLE_TOO_MANY_SYMBOLS,
        ],
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
                // A number of 300 digits, and the generic verbs' name of a handle, which no typed function has.
                let is_odd = text.contains("0000000000000000") || text.starts_with("object:");
                assert!(!is_odd, "{name}: {}: {text}", call.name);
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

/// The kind of the engine that a function starts a session of.
fn engine_of(start: &str) -> Option<&'static str> {
    let call = CALLS.iter().find(|call| call.name == start)?;
    match &call.parameters.first()?.what {
        What::Handle(on) => Some(on.kind),
        _ => None,
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
        let engine = engine_of(own);
        let is_foreign = |call: &&Call| call.makes == "session" && engine_of(call.name) != engine;
        let other = CALLS.iter().find(is_foreign).expect("another engine").name;
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
