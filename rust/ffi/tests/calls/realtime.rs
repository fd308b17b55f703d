//! What says that it is realtime-safe allocates nothing, whether it does what it is asked for or refuses it. With the library of
//! RealtimeSanitizer, as `scripts/realtime-test` runs this, it does not wait or call the system either.

use crate::alone;
use crate::interface::{Arguments, Choose, Exact, Number, World, CALLS};
use rustle::status::RUSTLE_OK;
use rustle::RustleHandle;
use rustle_testkit::{allocations_in, has_realtime_sanitizer, in_realtime, CountingAllocator};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The examples, but for one thing that is wrong.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Handle,
    Null,
    Misaligned,
    Endless,
    Size,
    Choice,
    Number,
}

const WRONG: [Wrong; 7] = [
    Wrong::Handle,
    Wrong::Null,
    Wrong::Misaligned,
    Wrong::Endless,
    Wrong::Size,
    Wrong::Choice,
    Wrong::Number,
];

impl Choose for Wrong {
    fn handle(&mut self, world: &World, kind: &str) -> Option<RustleHandle> {
        matches!(self, Self::Handle).then(|| world.latest(kind).map_or(1, |handle| handle ^ 1 << 60))
    }

    fn is_null(&mut self, may_be: bool) -> bool {
        matches!(self, Self::Null) && !may_be
    }

    fn is_misaligned(&mut self) -> bool {
        matches!(self, Self::Misaligned)
    }

    fn count(&mut self, example: usize) -> usize {
        if matches!(self, Self::Endless) {
            usize::MAX
        } else {
            example
        }
    }

    fn size(&mut self, size: usize) -> usize {
        size + usize::from(matches!(self, Self::Size))
    }

    fn choice(&mut self, _numbers: &[u32], example: u32) -> u32 {
        if matches!(self, Self::Choice) {
            999
        } else {
            example
        }
    }

    fn number(&mut self, kind: Number, example: f64) -> u64 {
        let value = if matches!(self, Self::Number) {
            -1.0
        } else {
            example
        };
        u64::from_ne_bytes(kind.bytes(value).0)
    }
}

/// Makes and frees objects until the calls are over: a lock that their tables share with realtime-safe calls would be waited for.
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
    assert!(
        safe.len() > 20,
        "{} functions say that they are realtime-safe",
        safe.len()
    );
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
                for mut wrong in WRONG {
                    let arguments = Arguments::new(call, &mut wrong, &mut world);
                    let (count, status) = allocations_in(|| in_realtime(|| arguments.run_bare(call)));
                    assert_eq!(count, 0, "{} with {wrong:?} wrong, status {status}", call.name);
                    refused += u32::from(status != RUSTLE_OK);
                }
            }
        }
    });
    assert!(refused > 40, "{refused} calls were refused");
    println!("{} functions", safe.len());
}

/// What ends the program with a report, for `scripts/realtime-test`: without the sanitizer's library it does no harm.
#[test]
fn planted_violations_are_reported() {
    match std::env::var("RUSTLE_PLANTED").as_deref() {
        Ok("malloc") => drop(in_realtime(|| std::hint::black_box(Box::new(7)))),
        Ok("open64") => drop(in_realtime(|| std::fs::File::open("Cargo.toml"))),
        Ok(other) => panic!("expected malloc or open64, got {other}"),
        Err(_) => {}
    }
}
