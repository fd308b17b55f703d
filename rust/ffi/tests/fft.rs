//! The exports of the spectrum domain: numpy's results, no allocation, many threads.

use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::fft::{
    RustleFftPlanConfiguration, RustleInstructionSet, RustleNormalization, RustleSpectrumOutput,
    RustleSymmetry,
};
use rustle::lent::Choice;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::{rustle_fft_spectrum, RustleHandle, RUSTLE_NEW_FFT_PLAN};
use rustle_testkit::{allocations_in, noise, relative_l2, vector_file, CountingAllocator};
use std::ptr;
use verbs::{free, make};

#[expect(dead_code, reason = "other tests use the rest")]
mod verbs;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn compute_fft(signal: &[f32], size: usize, window: i32) -> Option<Vec<f32>> {
    // SAFETY: the slice is readable for its length.
    let result = unsafe { compute_fft_rust(signal.as_ptr(), signal.len() as i32, size as i32, window) };
    if result.is_null() {
        return None;
    }
    // SAFETY: a result that is not NULL has half the size's floats until it is freed.
    let magnitudes = unsafe { std::slice::from_raw_parts(result, size / 2) }.to_vec();
    free_fft_result_rust(result);
    Some(magnitudes)
}

fn new_plan(size: usize, window: u32) -> RustleHandle {
    let configuration = RustleFftPlanConfiguration {
        size,
        window: Choice::of_number(window),
        symmetry: RustleSymmetry::Periodic.into(),
        normalization: RustleNormalization::None.into(),
        instruction_set: RustleInstructionSet::Preferred.into(),
    };
    make(RUSTLE_NEW_FFT_PLAN, &configuration).expect("the configuration is in order")
}

/// With the plan's own scratch memory.
fn magnitudes(plan: RustleHandle, input: &[f32], output: &mut [f32]) -> RustleStatus {
    // SAFETY: the slices are this call's own, and apart.
    unsafe {
        rustle_fft_spectrum(
            plan,
            RustleSpectrumOutput::Magnitudes.into(),
            input.as_ptr(),
            input.len(),
            output.as_mut_ptr(),
            output.len(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
        )
    }
}

#[test]
fn padding_and_cropping_are_those_of_numpy() {
    for case in vector_file("padding.txt") {
        let [seed, length] = case.values::<u32>("noise")[..] else {
            panic!("{}: expected a seed and a length", case.name);
        };
        let size: usize = case.value("size");
        let window = match case.value::<String>("window").as_str() {
            "rectangular" => 0,
            "hann" => 1,
            other => panic!("{}: no window {other}", case.name),
        };
        let signal = noise(seed, length as usize);
        let actual = compute_fft(&signal, size, window).expect("valid arguments");
        // This function leaves out the last bin.
        let (bins, expected): (Vec<usize>, Vec<f64>) = case
            .values::<usize>("bins")
            .into_iter()
            .zip(case.values::<f64>("magnitudes"))
            .filter(|(bin, _)| *bin < size / 2)
            .unzip();
        let chosen: Vec<f32> = bins.into_iter().map(|bin| actual[bin]).collect();
        let error = relative_l2(&chosen, &expected);
        assert!(error < 2e-7, "{}: {error:e}", case.name);
    }
}

#[test]
fn plan_allocates_its_scratch_memory_once() {
    let plan = new_plan(2048, 1);
    let (input, mut output) = (noise(1, 2048), vec![0.0; 1025]);
    let first = allocations_in(|| magnitudes(plan, &input, &mut output));
    let second = allocations_in(|| magnitudes(plan, &input, &mut output));
    assert_eq!((first, second), ((1, RUSTLE_OK), (0, RUSTLE_OK)));
    assert_eq!(free(plan), RUSTLE_OK);
}

/// The process shares the caches of plans and of their scratch memory: the first call of each size races here, and every later
/// call uses the cached values.
#[test]
fn plans_that_are_kept_are_shared_by_racing_threads() {
    let sizes = [256, 512, 1024, 2048, 4096, 8192];
    let input = noise(3, 8192);
    let expected: Vec<Vec<f32>> = sizes
        .iter()
        .flat_map(|size| [0, 1, 2, 3].map(|window| (*size, window)))
        .map(|(size, window)| {
            let plan = new_plan(size, window);
            let mut output = vec![0.0; size / 2];
            assert_eq!(magnitudes(plan, &input[..size], &mut output), RUSTLE_OK);
            assert_eq!(free(plan), RUSTLE_OK);
            output
        })
        .collect();
    // More threads than there are buffers.
    std::thread::scope(|scope| {
        for first in 0..12 {
            let (input, expected) = (&input, &expected);
            scope.spawn(move || {
                for round in 0..120 {
                    let at = (first + 5 * round) % expected.len();
                    let (size, window) = (sizes[at / 4], at as i32 % 4);
                    let actual = compute_fft(input, size, window).expect("valid arguments");
                    assert_eq!(actual, expected[at], "{size} samples, window {window}");
                }
            });
        }
    });
    let (count, magnitudes) = allocations_in(|| compute_fft(&input, 2048, 1));
    assert!(magnitudes.is_some());
    // The result, its place in the table and this test's copy of it: no plan and no scratch.
    assert!(count <= 4, "{count} allocations");
}
