//! G7 and G19: a panic at any point of any call comes out as a status with its text, takes nothing with it and leaves nothing
//! behind, and the calls that follow are right. `boundary/faults.rs` has the panics of workers.
use crate::alone;
use crate::interface::{Arguments, Call, Exact, World, CALLS};
use rustle::live::rustle_live_objects;
use rustle::status::{RustleStatus, RUSTLE_OK, RUSTLE_PANICKED};
use rustle_engines::faults;
use std::collections::BTreeSet;

/// With those in workers 10,000.
const PANICS: u32 = 9_000;

/// Panics on purpose are not shown.
fn hide_injected_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = rustle_engines::panic_message(panic.payload());
        if !text.starts_with("an injected panic at ") {
            shown(panic);
        }
    }));
}

/// Makes the call with a panic armed for a point of it; returns its status, its text, and whether it came by the point.
fn attempt(
    world: &mut World,
    call: &'static Call,
    arguments: &Arguments,
    point: u32,
) -> (RustleStatus, String, bool) {
    faults::arm(point);
    let (status, text) = world.run(call, arguments);
    let met = !faults::disarm();
    (status, text, met)
}

/// Makes a call that does what it is for.
fn is_right(world: &mut World, call: &'static Call, arguments: &Arguments, when: &str) {
    let result = world.run(call, arguments);
    let name = call.name;
    assert_eq!(result, (RUSTLE_OK, String::new()), "{name}, {when}");
    assert!(
        arguments.is_written(),
        "{name} answers OK with nothing in it, {when}"
    );
}

#[test]
fn panic_at_any_point_of_a_call_is_a_status_leaves_nothing_and_the_next_call_is_right() {
    let _alone = alone();
    hide_injected_panics();
    let mut injected = 0;
    let mut places = BTreeSet::new();
    while injected < PANICS {
        for call in CALLS {
            let name = call.name;
            // Each point in turn, until the call comes to its end without meeting the one that is next.
            for point in 0.. {
                assert_eq!(
                    World::unreleased(),
                    0,
                    "{name}, point {point}: sessions of the attempt before"
                );
                let mut world = World::new();
                let arguments = Arguments::new(call, &mut Exact, &mut world);
                let before = rustle_live_objects();
                let (status, text, met) = attempt(&mut world, call, &arguments, point);
                if !met {
                    assert_eq!(
                        (status, text),
                        (RUSTLE_OK, String::new()),
                        "{name}, with no panic"
                    );
                    assert!(point > 0, "{name} does not run inside the guard");
                    break;
                }
                injected += 1;
                assert_eq!(status, RUSTLE_PANICKED, "{name}, point {point}");
                let place = text.strip_prefix("an injected panic at ").expect(&text);
                places.insert(format!("{name}: {place}"));
                assert!(
                    arguments.is_untouched(),
                    "{name}, point {point}: results of a call that panicked"
                );
                assert_eq!(rustle_live_objects(), before, "{name}, point {point}");
                // The call had no effect: the same one on the same object does what it is for, as does one on another.
                is_right(&mut world, call, &arguments, "on the object of the panic");
                let again = Arguments::new(call, &mut Exact, &mut world);
                is_right(&mut world, call, &again, "after a panic");
            }
        }
    }
    println!("{injected} panics in calls, at {} places", places.len());
}

#[test]
fn every_function_is_right_after_the_panics_of_each() {
    let _alone = alone();
    hide_injected_panics();
    // More than a thousand calls with scripts/test --long.
    let rounds = std::env::var("RUSTLE_ROUNDS").map_or(1, |rounds| rounds.parse().expect("a number"));
    for panicked in CALLS {
        let mut world = World::new();
        let arguments = Arguments::new(panicked, &mut Exact, &mut world);
        let points = (0..).take_while(|point| attempt(&mut world, panicked, &arguments, *point).2);
        assert!(
            points.count() > 0,
            "{} does not run inside the guard",
            panicked.name
        );
        let when = format!("after the panics of {}", panicked.name);
        for call in (0..rounds).flat_map(|_| CALLS) {
            let arguments = Arguments::new(call, &mut Exact, &mut world);
            is_right(&mut world, call, &arguments, &when);
        }
        world.free_all();
        assert_eq!((World::unreleased(), world.left()), (0, 0), "{}", panicked.name);
    }
}
