//! G7 and G19: a panic at any point of any call comes out as a status with its text, takes nothing with it and leaves nothing
//! behind, and the calls that follow are right; a panic of a worker ends its session with its text and its engine with a typed
//! refusal.
use crate::alone;
use crate::engines::{free, Stage, Work, ENGINES};
use crate::interface::{Arguments, Call, Exact, World, CALLS};
use crate::probe::Probe;
use rustle::exercise::rustle_sink_exercise;
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::live::rustle_live_objects;
use rustle::log::rustle_log_install;
use rustle::sink::{RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_PANICKED};
use rustle::sound::{rustle_sound_devices_sized, RustleSoundDevice};
use rustle::status::{
    RustleStatus, RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_POISONED, RUSTLE_RECORD_SIZE, RUSTLE_WRONG_STATE,
};
use rustle_engines::faults;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fmt::Debug;
use std::ptr::{null, null_mut};

/// Panics in calls; with those in workers 10,000.
const IN_CALLS: u32 = 9_000;
const IN_WORKERS: usize = 1_000;

/// Panics on purpose are not shown.
fn hide_injected_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = rustle_engines::panic_message(panic.payload());
        if !text.starts_with("an injected panic at ") && text != "a panic on purpose" {
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

#[test]
fn panic_at_any_point_of_a_call_is_a_status_leaves_nothing_and_the_next_call_is_right() {
    let _alone = alone();
    hide_injected_panics();
    let mut injected = 0;
    let mut places = BTreeSet::new();
    while injected < IN_CALLS {
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
                let (status, text) = world.run(call, &arguments);
                assert_eq!(
                    (status, text),
                    (RUSTLE_OK, String::new()),
                    "{name}, on the object of the panic"
                );
                assert!(
                    arguments.is_written(),
                    "{name} answers OK with nothing in it after a panic"
                );
                let again = Arguments::new(call, &mut Exact, &mut world);
                let (status, text) = world.run(call, &again);
                assert_eq!(
                    (status, text),
                    (RUSTLE_OK, String::new()),
                    "{name}, after a panic"
                );
            }
        }
    }
    println!("{injected} panics in calls, at {} places", places.len());
}

#[test]
fn every_function_is_right_after_the_panics_of_each() {
    let _alone = alone();
    hide_injected_panics();
    for panicked in CALLS {
        let mut world = World::new();
        let arguments = Arguments::new(panicked, &mut Exact, &mut world);
        let points = (0..).take_while(|point| attempt(&mut world, panicked, &arguments, *point).2);
        assert!(
            points.count() > 0,
            "{} does not run inside the guard",
            panicked.name
        );
        for call in CALLS {
            let arguments = Arguments::new(call, &mut Exact, &mut world);
            let (status, text) = world.run(call, &arguments);
            let names = format!("{} after the panics of {}", call.name, panicked.name);
            assert_eq!((status, text), (RUSTLE_OK, String::new()), "{names}");
            assert!(arguments.is_written(), "{names} answers OK with nothing in it");
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

extern "C" fn on_device(_: *mut c_void, _: *const RustleSoundDevice) {}

extern "C" fn on_log(_: *mut c_void, _: u32, _: *const u8, _: usize, _: *const u8, _: usize) {}

#[test]
fn functions_that_are_written_out_survive_their_panics() {
    let _alone = alone();
    hide_injected_panics();
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
    survives(
        "rustle_sink_exercise",
        &(RUSTLE_PANICKED, 0, 0),
        &(RUSTLE_OK, 3, 1),
        || {
            let probe = Probe::default();
            // SAFETY: the probe outlives the call, and reads no events.
            let status = unsafe { rustle_sink_exercise(probe.sink(), null(), 3, null_mut()) };
            (status, probe.signals(), probe.ends().len())
        },
    );
    // SAFETY: the function looks at nothing. Whether there is a sound library depends on the machine.
    let devices = |size| unsafe { rustle_sound_devices_sized(Some(on_device), null_mut(), size, null_mut()) };
    let size = size_of::<RustleSoundDevice>();
    assert_eq!(devices(size - 8), RUSTLE_RECORD_SIZE);
    survives("rustle_sound_devices", &RUSTLE_PANICKED, &devices(size), || {
        devices(size)
    });
    // SAFETY: the function looks at nothing.
    let install = || unsafe { rustle_log_install(Some(on_log), null_mut(), 0, null_mut()) };
    faults::arm(0);
    assert_eq!(
        [install(), install(), install()],
        [RUSTLE_PANICKED, RUSTLE_OK, RUSTLE_WRONG_STATE]
    );
}

#[test]
fn panic_of_a_worker_ends_the_session_with_its_text_and_poisons_the_engine() {
    let _alone = alone();
    hide_injected_panics();
    let before = rustle_live_objects();
    for round in 0..IN_WORKERS {
        let engine = ENGINES[round % ENGINES.len()];
        let lane = engine.lanes[round / ENGINES.len() % engine.lanes.len()];
        let name = format!("{}, lane {lane}, round {round}", engine.name);
        let stage = Stage::new(engine, 1_000.0, 0);
        let start = |work, probe: &Probe| engine.start(stage.handle, work, lane, 64, probe.sink());
        let (running, panicking, refused) = (Probe::default(), Probe::default(), Probe::default());
        let other = start(Work::Regular, &running).expect("the engine is whole");
        let session = start(Work::Panic, &panicking).expect("the engine is whole");
        stage.advance(1);
        assert_eq!(
            panicking.ends(),
            [(RUSTLE_RELEASE_PANICKED, "a panic on purpose".to_owned())],
            "{name}"
        );
        assert_eq!(panicking.signals(), 0, "{name}");
        assert_eq!(
            start(Work::Regular, &refused).err(),
            Some(RUSTLE_POISONED),
            "{name}"
        );
        assert_eq!((refused.signals(), refused.ends().len()), (0, 0), "{name}");
        // The session that ran before goes on, until it is freed.
        let produced = |session| {
            engine
                .drain(session, 0)
                .map_or(0, |(_, _, statistics)| statistics.produced)
        };
        let (signals, values) = (running.signals(), produced(other));
        stage.advance(5_000_000);
        assert!(running.signals() > signals || produced(other) > values, "{name}");
        assert_eq!(running.ends(), [], "{name}");
        assert_eq!((free(other), free(session)), (RUSTLE_OK, RUSTLE_OK));
        stage.advance(0);
        assert_eq!(
            running.ends(),
            [(RUSTLE_RELEASE_CANCELLED, String::new())],
            "{name}"
        );
        drop(stage);
        assert_eq!(rustle_live_objects(), before, "{name}");
    }
    println!("{IN_WORKERS} panics in workers");
}
