//! A libFuzzer target: the bytes are a sequence of calls of the C interface, with arguments right and wrong.
//!
//! Everything that C code may do is fair: stale, foreign and invented handles, NULL, misaligned and overlapping memory,
//! lengths that no memory has, any text, any number, calls inside callbacks. What the contract leaves to the caller is
//! kept: a length that is possible is one that the memory has. Each call must return one of the statuses that it names,
//! write nothing outside its results, and not panic; at the end every session was released once and nothing is left.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

mod equalizer;
mod feed;
mod frames;
mod input;
mod lane;
mod meter;
mod objects;
mod pitch;
mod sound;
mod spectra;
mod ticker;
mod voice;

use input::Input;
use objects::Handles;
use rustle::fft::brief::free_fft_result_rust;
use rustle::live::rustle_live_objects;

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
    objects::runtime();
    let live_before = rustle_live_objects();
    let mut input = Input::new(bytes);
    let mut handles = Handles::default();
    let mut results = Vec::new();
    for _ in 0..MOST_CALLS {
        if input.is_empty() {
            break;
        }
        call(&mut input, &mut handles, &mut results);
    }
    for result in results {
        free_fft_result_rust(result);
    }
    handles.free_all(live_before);
    0
}

fn call(input: &mut Input<'_>, handles: &mut Handles, results: &mut Vec<*const f32>) {
    match input.below(60) {
        0 => spectra::new_plan(input, handles),
        1 | 2 => spectra::form(input, handles),
        3 => spectra::plan_numbers(input, handles),
        4 => spectra::free_plan(input, handles),
        5 => spectra::window(input),
        6 => spectra::peaks(input),
        7 => spectra::brief(input, results),
        8 | 16 => ticker::new_ticker(input, handles),
        9 | 10 | 17 => ticker::start(input, handles),
        11 => ticker::drain(input, handles),
        12 | 18 | 19 => ticker::end(input, handles),
        13 => ticker::advance(input, handles),
        14 => ticker::new_runtime(input, handles),
        20 => frames::new_inverse(input, handles),
        21 => frames::inverse(input, handles),
        22 => frames::new_stft(input, handles),
        23 => frames::frames(input, handles),
        24 => frames::push(input, handles),
        25 => frames::end(input, handles),
        26 => equalizer::new(input, handles),
        27 => equalizer::change(input, handles),
        28 | 29 => equalizer::process(input, handles),
        30 => equalizer::tell(input),
        31 => equalizer::solve(input),
        32 => meter::new(input, handles),
        33 => meter::process(input, handles),
        34 | 35 => meter::tell(input, handles),
        36 => sound::new_engine(input, handles),
        37 | 38 => sound::start(input, handles),
        39 => sound::drain(input, handles),
        40 => sound::write(input, handles),
        41 => sound::end(input, handles),
        42 => sound::devices(input),
        43 => pitch::new(input, handles),
        44 => pitch::process(input, handles),
        45 => pitch::tell(input, handles),
        46 => voice::new(input, handles),
        47 => voice::process(input, handles),
        48 => voice::tell(input, handles),
        49 => voice::measure(input),
        50 | 57 => feed::new_feed(input, handles),
        51 | 52 => feed::start(input, handles),
        53 => feed::drain(input, handles),
        54 => feed::tell(input, handles),
        55 => feed::subscribe(input, handles),
        56 => feed::end(input, handles),
        58 => feed::push(input, handles),
        59 => feed::serve(input, handles),
        60 => feed::ask(input, handles),
        _ => ticker::library(input),
    }
}
