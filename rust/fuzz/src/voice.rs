//! Calls of voice analyzers, and of the measures of a whole signal.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use crate::spectra::{signal, ROOM};
use rustle::status::{RustleError, RustleStatus};
use rustle::voice::*;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// The frames that a call has room for.
const FRAMES: usize = 8;

/// A rate that is in order, or any that is refused: analyzers of high rates are right, and slow to make.
fn rate(input: &mut Input<'_>) -> f64 {
    let rate = input.real(8_000.0);
    if (12_000.0..=192_000.0).contains(&rate) {
        8_000.0
    } else {
        rate
    }
}

fn formants(input: &mut Input<'_>) -> RustleFormantConfiguration {
    RustleFormantConfiguration {
        ceiling: input.real(5_000.0),
        length: input.real(0.0),
        order: u32::from(input.byte()) / 7,
        method: u32::from(input.byte() % 32) / 15,
    }
}

pub(crate) fn new(input: &mut Input<'_>, handles: &mut Handles) {
    let configuration = RustleVoiceConfiguration {
        sample_rate: rate(input),
        lowest: input.real(300.0),
        highest: input.real(1_000.0),
        hop: match input.byte() {
            byte @ 0..=223 => u32::from(byte),
            _ => input.word() as u32,
        },
        measures: u32::from(input.byte() % 9),
        formants: formants(input),
    };
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    let mut voice = 0;
    // SAFETY: the record is NULL or this frame's own; so is the handle's place.
    if checked(|error| unsafe { rustle_voice_new(record, &mut voice, error) }) {
        handles.add(Kind::Voice, voice);
    }
}

pub(crate) fn process(input: &mut Input<'_>, handles: &Handles) {
    let voice = handles.any(input, Kind::Voice);
    let sound = signal(input);
    let length = input.length(ROOM);
    let from = match input.byte() {
        0..=7 => null(),
        8..=15 => sound.as_ptr().wrapping_byte_add(1),
        _ => sound.as_ptr(),
    };
    let mut frames = [const { MaybeUninit::<RustleVoiceFrame>::uninit() }; FRAMES];
    let place: *mut RustleVoiceFrame = if input.below(16) == 15 {
        null_mut()
    } else {
        frames.as_mut_ptr().cast()
    };
    let capacity = input.length(FRAMES);
    let (mut taken, mut written) = (usize::MAX, usize::MAX);
    let second = match input.byte() {
        0..=7 => null_mut(),
        8..=15 => &raw mut taken,
        _ => &raw mut written,
    };
    let is_done = checked(|error| {
        // SAFETY: the memory is NULL, refused, or this frame's own; a length beyond it is one that no memory has.
        unsafe {
            rustle_voice_process(
                voice,
                from,
                length,
                place,
                capacity,
                &raw mut taken,
                second,
                error,
            )
        }
    });
    if is_done {
        assert!(taken <= length && written <= capacity);
        for frame in &frames[..written] {
            // SAFETY: a call that succeeds writes so many frames.
            let frame = unsafe { frame.assume_init() };
            assert!((0.0..=1.0).contains(&frame.confidence) && frame.pitch >= 0.0);
            assert!(frame.formants.count as usize <= RUSTLE_FORMANT_COUNT && frame.is_voiced <= 1);
        }
    } else {
        assert_eq!((taken, written), (usize::MAX, usize::MAX));
    }
}

pub(crate) fn tell(input: &mut Input<'_>, handles: &Handles) {
    let voice = handles.any(input, Kind::Voice);
    let is_null = input.below(16) == 15;
    match input.below(4) {
        0 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_voice_reset(voice, error) });
        }
        1 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_voice_free(voice, error) });
        }
        2 => {
            let mut description = RustleVoiceDescription { window: 0, hop: 0 };
            let place = if is_null { null_mut() } else { &raw mut description };
            // SAFETY: the place is NULL or this frame's own.
            if checked(|error| unsafe { rustle_voice_describe(voice, place, error) }) {
                assert!(description.window > 0 && description.hop > 0);
            }
        }
        _ => {
            let mut summary = MaybeUninit::<RustleVoiceSummary>::uninit();
            let place = if is_null { null_mut() } else { summary.as_mut_ptr() };
            // SAFETY: the place is NULL or this frame's own.
            if checked(|error| unsafe { rustle_voice_summary(voice, place, error) }) {
                // SAFETY: a call that succeeds writes the summary.
                let summary = unsafe { summary.assume_init() };
                assert!(summary.voiced <= summary.frames);
            }
        }
    }
}

/// A measure of `length` samples; whether it was written.
fn measured<T: Copy>(
    is_null: bool,
    measure: impl FnOnce(*mut T, *mut RustleError) -> RustleStatus,
) -> Option<T> {
    let mut result = MaybeUninit::<T>::uninit();
    let place = if is_null { null_mut() } else { result.as_mut_ptr() };
    // SAFETY: a call that succeeds writes the result.
    checked(|error| measure(place, error)).then(|| unsafe { result.assume_init() })
}

pub(crate) fn measure(input: &mut Input<'_>) {
    let sound = signal(input);
    let (length, rate) = (input.length(ROOM), rate(input));
    let (lowest, highest) = (input.real(200.0), input.real(1_000.0));
    let from = match input.byte() {
        0..=7 => null(),
        8..=15 => sound.as_ptr().wrapping_byte_add(1),
        _ => sound.as_ptr(),
    };
    let is_null = input.below(16) == 15;
    match input.below(5) {
        0 => {
            let configuration = formants(input);
            let record = if input.below(32) == 31 {
                null()
            } else {
                &raw const configuration
            };
            // SAFETY: all memory is NULL, refused, or this frame's own; a length beyond it is one that no memory has.
            let found = measured(is_null, |place, error| unsafe {
                rustle_voice_formants(rate, record, from, length, place, error)
            });
            let found: Option<RustleFormants> = found;
            assert!(found.is_none_or(|formants| formants.count as usize <= RUSTLE_FORMANT_COUNT));
        }
        1 => {
            // SAFETY: as above.
            let found = measured(is_null, |place, error| unsafe {
                rustle_voice_spectrum(rate, from, length, place, error)
            });
            let found: Option<RustleSpectrumFeatures> = found;
            assert!(found.is_none_or(|features| features.centroid >= 0.0 && features.rolloff >= 0.0));
        }
        2 => {
            // SAFETY: as above.
            let found = measured(is_null, |place, error| unsafe {
                rustle_voice_harmonicity(rate, lowest, highest, from, length, place, error)
            });
            let found: Option<RustleHarmonicity> = found;
            assert!(found.is_none_or(|harmonicity| harmonicity.hnr <= 70.0 && harmonicity.is_voiced <= 1));
        }
        3 => {
            let fundamental = input.real(0.0);
            // SAFETY: as above.
            let found = measured(is_null, |place, error| unsafe {
                rustle_voice_harmonics(rate, fundamental, lowest, highest, from, length, place, error)
            });
            let found: Option<RustleHarmonicDifference> = found;
            assert!(found.is_none_or(|levels| levels.frequency >= 0.0));
        }
        _ => {
            // SAFETY: as above.
            let found = measured(is_null, |place, error| unsafe {
                rustle_voice_perturbation(rate, lowest, highest, from, length, place, error)
            });
            let found: Option<RustlePerturbation> = found;
            assert!(found.is_none_or(|perturbation| perturbation.jitter >= 0.0));
        }
    }
}
