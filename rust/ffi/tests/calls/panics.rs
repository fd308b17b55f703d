//! G7 and G19: a panic at any point of any call becomes a status with its text, destroys nothing and leaks nothing, and the calls
//! that follow are right. `boundary/faults.rs` has the panics of workers.
use crate::alone;
use crate::interface::{Arguments, Call, Exact, World, CALLS};
use rustle::dmx::{rustle_dmx_interfaces_sized, RustleDMXInterface};
use rustle::exercise::rustle_sink_exercise;
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::live::rustle_live_objects;
use rustle::log::rustle_log_install;
use rustle::sink::RustleSink;
use rustle::sound::{rustle_sound_devices_sized, RustleSoundDevice};
use rustle::status::{RustleStatus, RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_RECORD_SIZE, RUSTLE_WRONG_STATE};
use rustle_engines::faults;
use rustle_testkit::hide_panics;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fmt::Debug;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// With those in workers 10,000.
const PANICS: u32 = 9_000;

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

/// Makes a call that succeeds and writes its results.
fn is_right(world: &mut World, call: &'static Call, arguments: &Arguments, when: &str) {
    let (status, text) = world.run(call, arguments);
    let name = call.name;
    assert_eq!((status, &*text), (RUSTLE_OK, ""), "{name}, {when}");
    assert!(arguments.is_written(), "{name} is OK with nothing in it, {when}");
}

#[test]
fn panic_at_any_point_of_a_call_is_a_status_leaves_nothing_and_the_next_call_is_right() {
    let _alone = alone();
    hide_panics("an injected panic at ");
    let mut injected = 0;
    let mut places = BTreeSet::new();
    while injected < PANICS {
        for call in CALLS {
            let name = call.name;
            // Each point in turn, until the call ends without meeting the next one.
            for point in 0.. {
                assert_eq!(World::unreleased(), 0, "{name}, before point {point}");
                let mut world = World::new();
                let arguments = Arguments::new(call, &mut Exact, &mut world);
                let before = rustle_live_objects();
                let (status, text, met) = attempt(&mut world, call, &arguments, point);
                if !met {
                    assert_eq!((status, &*text), (RUSTLE_OK, ""), "{name}, with no panic");
                    assert!(point > 0, "{name} does not run inside the guard");
                    break;
                }
                injected += 1;
                assert_eq!(status, RUSTLE_PANICKED, "{name}, point {point}");
                let place = text.strip_prefix("an injected panic at ").expect(&text);
                places.insert(format!("{name}: {place}"));
                assert!(arguments.is_untouched(), "{name}, point {point}: results");
                assert_eq!(rustle_live_objects(), before, "{name}, point {point}");
                // The call had no effect: the same call succeeds on the same object, and on another.
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
    hide_panics("an injected panic at ");
    // More than a thousand calls with scripts/test --long.
    let rounds = std::env::var("RUSTLE_ROUNDS").map_or(1, |rounds| rounds.parse().expect("a number"));
    for panicked in CALLS {
        let mut world = World::new();
        let arguments = Arguments::new(panicked, &mut Exact, &mut world);
        let points = (0..).take_while(|point| attempt(&mut world, panicked, &arguments, *point).2);
        assert!(points.count() > 0, "{} is outside the guard", panicked.name);
        let when = format!("after the panics of {}", panicked.name);
        for call in (0..rounds).flat_map(|_| CALLS) {
            let arguments = Arguments::new(call, &mut Exact, &mut world);
            is_right(&mut world, call, &arguments, &when);
        }
        world.free_all();
        assert_eq!((World::unreleased(), world.left()), (0, 0), "{}", panicked.name);
    }
}

/// Makes a call that no table describes with a panic at each of its points: it answers `panicked`, leaves nothing, and answers
/// `right` the next time.
fn survives<Answer: Debug + PartialEq>(
    name: &str,
    panicked: &Answer,
    right: &Answer,
    mut call: impl FnMut() -> Answer,
) {
    for point in 0.. {
        let before = rustle_live_objects();
        faults::arm(point);
        let answer = call();
        if faults::disarm() {
            assert_eq!(answer, *right, "{name}, with no panic");
            assert!(point > 0, "{name} does not run inside the guard");
            break;
        }
        assert_eq!(answer, *panicked, "{name}, point {point}");
        assert_eq!(rustle_live_objects(), before, "{name}, point {point}");
        assert_eq!(call(), *right, "{name}, after a panic at point {point}");
    }
}

/// Adds to one of the two counts that the context points to.
fn count(context: *mut c_void, which: usize) {
    // SAFETY: the context is that of the test below, for the time of its call.
    let counts = unsafe { &*context.cast::<[*const AtomicU32; 2]>() };
    // SAFETY: as above.
    unsafe { &*counts[which] }.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn on_signal(context: *mut c_void, _: *const c_void) {
    count(context, 0);
}

extern "C" fn on_release(context: *mut c_void, _: i32, _: *const u8, _: usize) {
    count(context, 1);
}

extern "C" fn on_device(_: *mut c_void, _: *const RustleSoundDevice) {}

extern "C" fn on_interface(_: *mut c_void, _: *const RustleDMXInterface) {}

extern "C" fn on_log(_: *mut c_void, _: u32, _: *const u8, _: usize, _: *const u8, _: usize) {}

#[test]
fn functions_that_are_written_out_survive_their_panics() {
    let _alone = alone();
    hide_panics("an injected panic at ");
    let before = rustle_live_objects();
    let (samples, mut results) = ([0.5_f32; 256], Vec::new());
    survives("compute_fft_rust", &false, &true, || {
        // SAFETY: the samples are this frame's own.
        let result = unsafe { compute_fft_rust(samples.as_ptr(), 256, 256, 1) };
        results.extend((!result.is_null()).then_some(result));
        !result.is_null()
    });
    survives("free_fft_result_rust", &0, &-1, || {
        let live = rustle_live_objects();
        free_fft_result_rust(results[0]);
        let change = rustle_live_objects() - live;
        results.drain(..usize::from(change < 0));
        change
    });
    results
        .into_iter()
        .for_each(|result| free_fft_result_rust(result));
    assert_eq!(rustle_live_objects(), before);
    let (panicked, right) = ((RUSTLE_PANICKED, 0, 0), (RUSTLE_OK, 3, 1));
    survives("rustle_sink_exercise", &panicked, &right, || {
        let (signals, releases) = (AtomicU32::new(0), AtomicU32::new(0));
        let mut counts = [&raw const signals, &raw const releases];
        let sink = RustleSink {
            context: counts.as_mut_ptr().cast(),
            on_signal: Some(on_signal),
            on_release: Some(on_release),
        };
        // SAFETY: the counts outlive the call, and no event is read.
        let status = unsafe { rustle_sink_exercise(sink, null(), 3, null_mut()) };
        (status, signals.into_inner(), releases.into_inner())
    });
    // SAFETY: the function looks at nothing. Whether there is a sound library depends on the machine.
    let devices = |size| unsafe { rustle_sound_devices_sized(Some(on_device), null_mut(), size, null_mut()) };
    let size = size_of::<RustleSoundDevice>();
    assert_eq!(devices(size - 8), RUSTLE_RECORD_SIZE);
    survives("rustle_sound_devices", &RUSTLE_PANICKED, &devices(size), || {
        devices(size)
    });
    // SAFETY: the function looks at nothing.
    let interfaces =
        |size| unsafe { rustle_dmx_interfaces_sized(Some(on_interface), null_mut(), size, null_mut()) };
    let size = size_of::<RustleDMXInterface>();
    assert_eq!(interfaces(size - 8), RUSTLE_RECORD_SIZE);
    survives("rustle_dmx_interfaces", &RUSTLE_PANICKED, &RUSTLE_OK, || {
        interfaces(size)
    });
    // SAFETY: the function looks at nothing.
    let install = || unsafe { rustle_log_install(Some(on_log), null_mut(), 0, null_mut()) };
    faults::arm(0);
    let answers = [RUSTLE_PANICKED, RUSTLE_OK, RUSTLE_WRONG_STATE];
    assert_eq!([install(), install(), install()], answers);
}
