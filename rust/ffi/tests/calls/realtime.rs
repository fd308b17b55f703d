//! Functions documented as realtime-safe allocate nothing, whether they succeed or fail. With the library of RealtimeSanitizer,
//! as in `scripts/realtime-test`, they do not wait or call the system either.

use crate::alone;
use crate::interface::wrong::{Basis, Wrong};
use crate::interface::{Arguments, Exact, World, CALLS};
use rustle::status::RUSTLE_OK;
use rustle_testkit::{allocations_in, has_realtime_sanitizer, in_realtime, CountingAllocator};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Makes and frees objects until the calls have ended: a lock that their tables share with realtime-safe calls would be waited
/// for.
fn disturb(is_over: &AtomicBool) {
    while !is_over.load(Ordering::Acquire) {
        let mut world = World::new();
        for kind in ["fft_plan", "voice", "meter", "session"] {
            let handle = world.make(kind, None);
            world.free(handle);
        }
    }
}

/// Ends the disturbance, also when an assertion fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn realtime_safe_calls_allocate_nothing_and_do_not_wait() {
    let _alone = alone();
    assert_eq!(allocations_in(|| Box::new(7)).0, 1, "allocations are counted");
    let safe: Vec<_> = CALLS.iter().filter(|call| call.is_realtime).collect();
    assert_eq!(safe.len(), 35, "functions that say that they are realtime-safe");
    let rounds = if has_realtime_sanitizer() { 10 } else { 1 };
    let is_over = AtomicBool::new(false);
    let mut refused = 0;
    thread::scope(|scope| {
        let _over = Over(&is_over);
        scope.spawn(|| disturb(&is_over));
        for _ in 0..rounds {
            for call in &safe {
                let mut world = World::new();
                let exact = Arguments::new(call, &mut Exact, &mut world);
                let made = allocations_in(|| in_realtime(|| exact.run_bare(call)));
                assert_eq!(made, (0, RUSTLE_OK), "{}", call.name);
                Wrong::each(call, Basis::Examples, &mut world, |_, arguments, wrong, place| {
                    let (count, status) = allocations_in(|| in_realtime(|| arguments.run_bare(call)));
                    let name = call.name;
                    assert_eq!(count, 0, "{name} with {wrong:?} {place} wrong, status {status}");
                    refused += u32::from(status != RUSTLE_OK);
                });
            }
        }
    });
    assert!(refused > 150, "{refused} calls were refused");
    println!("{} functions", safe.len());
}

/// Violations that end the program with a report, for `scripts/realtime-test`; harmless without the sanitizer's library.
#[test]
fn planted_violations_are_reported() {
    match std::env::var("RUSTLE_PLANTED").as_deref() {
        Ok("malloc") => drop(in_realtime(|| std::hint::black_box(Box::new(7)))),
        Ok("open64") => drop(in_realtime(|| std::fs::File::open("Cargo.toml"))),
        Ok(other) => panic!("expected malloc or open64, got {other}"),
        Err(_) => {}
    }
}
