//! One measure of a whole signal per call.

use super::fault::VoiceFault;
use super::records::{
    read_formants, RustleFormantConfiguration, RustleFormants, RustleHarmonicDifference, RustleHarmonicity,
    RustlePerturbation, RustleSpectrumFeatures,
};
use crate::slice::{borrowed, check_apart, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::voice::{
    analyze_spectrum, extract_formants, harmonic_difference, harmonicity, perturbation, VoiceError,
};

/// A guarded call that measures a signal: `measure` of it goes to `place`, which shares no memory with it.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `place` is NULL or valid for a write;
/// `error` as for `guarded`.
unsafe fn measured<T, R: From<T>>(
    samples: *const f32,
    length: usize,
    place: *mut R,
    name: &'static str,
    error: *mut RustleError,
    measure: impl FnOnce(&[f32]) -> Result<T, VoiceFault>,
) -> RustleStatus {
    let tell = |place: &mut R| -> Result<(), VoiceFault> {
        check_apart([
            Piece::new("samples", samples, length),
            Piece::new(name, std::ptr::from_ref(place), 1),
        ])?;
        // SAFETY: the caller promises that `samples` is readable and not written meanwhile.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        *place = measure(samples)?.into();
        Ok(())
    };
    // SAFETY: the caller's promises about `place` and `error` are handed on.
    unsafe { told(place, name, error, tell) }
}

fn found<T>(result: Result<T, VoiceError>) -> Result<T, VoiceFault> {
    result.map_err(VoiceFault::from)
}

/// Writes to `formants` those of a signal at `sample_rate` Hz, 8000 to 192,000, in which they stay where they are, such as a
/// vowel: `length` floats at `samples`, any number. They are medians over frames 10 ms apart.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration, and `samples` is NULL or points to `length` floats, neither of which is
/// written during the call; `formants` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_formants(
    sample_rate: f64,
    configuration: *const RustleFormantConfiguration,
    samples: *const f32,
    length: usize,
    formants: *mut RustleFormants,
    error: *mut RustleError,
) -> RustleStatus {
    let measure = |samples: &[f32]| {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        found(extract_formants(
            &read_formants(sample_rate, configuration)?,
            samples,
        ))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { measured(samples, length, formants, "formants", error, measure) }
}

/// Writes to `features` the shape of the spectrum of a signal at `sample_rate` Hz, 8000 to 192,000: of the mean power of frames of
/// at least 40 ms that overlap by half.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `features` and `error` are NULL or
/// valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_spectrum(
    sample_rate: f64,
    samples: *const f32,
    length: usize,
    features: *mut RustleSpectrumFeatures,
    error: *mut RustleError,
) -> RustleStatus {
    let measure = |samples: &[f32]| found(analyze_spectrum(sample_rate, samples));
    // SAFETY: the caller's promises are handed on.
    unsafe { measured(samples, length, features, "features", error, measure) }
}

/// Writes to `result` the harmonics-to-noise ratio of a signal at `sample_rate` Hz, 8000 to 192,000, of voices from `lowest` to
/// `highest` Hz, within 40 to 2000 and below a quarter of the sample rate; 75 to 500 is usual.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `result` and `error` are NULL or valid
/// for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_harmonicity(
    sample_rate: f64,
    lowest: f64,
    highest: f64,
    samples: *const f32,
    length: usize,
    result: *mut RustleHarmonicity,
    error: *mut RustleError,
) -> RustleStatus {
    let measure = |samples: &[f32]| found(harmonicity(sample_rate, lowest..=highest, samples));
    // SAFETY: the caller's promises are handed on.
    unsafe { measured(samples, length, result, "result", error, measure) }
}

/// Writes to `result` the levels of the first two harmonics of a signal at `sample_rate` Hz, 8000 to 192,000: at `fundamental` Hz,
/// at most a quarter of the sample rate, or, when it is 0, at what is found from `lowest` to `highest` Hz, within 40 to 2000 and
/// below a quarter of the sample rate, in each frame.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `result` and `error` are NULL or valid
/// for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_harmonics(
    sample_rate: f64,
    fundamental: f64,
    lowest: f64,
    highest: f64,
    samples: *const f32,
    length: usize,
    result: *mut RustleHarmonicDifference,
    error: *mut RustleError,
) -> RustleStatus {
    let measure = |samples: &[f32]| {
        let fundamental = (fundamental != 0.0).then_some(fundamental);
        found(harmonic_difference(
            sample_rate,
            fundamental,
            lowest..=highest,
            samples,
        ))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { measured(samples, length, result, "result", error, measure) }
}

/// Writes to `result` the jitter and the shimmer of a signal at `sample_rate` Hz, 8000 to 192,000, of voices from `lowest` to
/// `highest` Hz, within 40 to 2000 and below a quarter of the sample rate.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `result` and `error` are NULL or valid
/// for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_perturbation(
    sample_rate: f64,
    lowest: f64,
    highest: f64,
    samples: *const f32,
    length: usize,
    result: *mut RustlePerturbation,
    error: *mut RustleError,
) -> RustleStatus {
    let measure = |samples: &[f32]| found(perturbation(sample_rate, lowest..=highest, samples));
    // SAFETY: the caller's promises are handed on.
    unsafe { measured(samples, length, result, "result", error, measure) }
}
