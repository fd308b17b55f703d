//! A libFuzzer target: the bytes are a sequence of calls of the C interface, with arguments right and wrong.
//!
//! Everything that C code may do is fair: stale, foreign and invented handles, NULL, misaligned and overlapping memory,
//! lengths that no memory has, any text, any number. What the contract leaves to the caller is kept: a length that is possible
//! is one that the memory has. Each call must return one of the statuses that it names, write nothing when it fails, and not
//! panic; at the end every session was released once and nothing is left.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

#[expect(dead_code, reason = "the suites of rust/ffi use the rest")]
#[path = "../../ffi/tests/calls/interface/mod.rs"]
mod interface;

use interface::{Arguments, Chooser, World, CALLS};
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::status::RUSTLE_PANICKED;

/// Calls of one input, at most: what comes later would only repeat it.
const MOST_CALLS: usize = 64;

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let mut source = bytes.iter().copied();
    let mut chooser = Chooser::new(move || source.next());
    let mut world = World::new();
    for _ in 0..MOST_CALLS {
        let Some(which) = chooser.byte() else { break };
        match usize::from(which) {
            which if which < CALLS.len() => {
                let call = &CALLS[which];
                // Objects are dear to make, and many calls on each are what finds faults.
                if !call.makes.is_empty() && chooser.below(4) > 0 {
                    continue;
                }
                let arguments = Arguments::new(call, &mut chooser, &mut world);
                let (status, text) = world.attempt(call, &arguments, "fuzzed");
                assert_ne!(status, RUSTLE_PANICKED, "{}: {text}", call.name);
            }
            which if which % 2 == 0 => world.advance(1_000_000 * (which as u64)),
            _ => brief(&mut chooser),
        }
    }
    world.free_all();
    assert_eq!(World::unreleased(), 0, "sessions that were not released");
    assert_eq!(world.left(), 0, "objects that are left");
    0
}

/// The two functions that have no status.
fn brief(chooser: &mut Chooser<impl FnMut() -> Option<u8>>) {
    let samples = [0.25_f32; 1_024];
    let length = chooser.below(1_026) as i32 - 1;
    let size = 1 << chooser.below(16);
    let window = chooser.below(6) as i32 - 1;
    // SAFETY: the samples are this frame's own, and the length is at most theirs.
    let result = unsafe { compute_fft_rust(samples.as_ptr(), length.min(1_024), size, window) };
    free_fft_result_rust(result);
    if chooser.below(2) == 1 {
        // Freeing twice does nothing.
        free_fft_result_rust(result);
    }
}
