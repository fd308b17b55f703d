//! What settings of equalizers say, without an equalizer: curves, and the gains and the preamplification for them.

use super::fault::EqualizerFault;
use super::settings::{band, read, RustleEqualizerBand, RustleEqualizerSettings};
use crate::guard::guarded;
use crate::slice::{borrowed, borrowed_mut, check_apart, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::equalizer::{automatic_preamp, gains_for_curve};

/// Writes the factors on the amplitudes of sines, in dB, that `settings` give at `sample_rate` Hz: for each of the `count`
/// `frequencies` in Hz one to `left` and one to `right`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `frequencies` is NULL or points to `count` numbers that
/// are not written during the call; `left` and `right` are NULL or valid for reads and writes of `count` numbers by this call
/// alone; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_response(
    settings: *const RustleEqualizerSettings,
    sample_rate: f64,
    frequencies: *const f64,
    left: *mut f64,
    right: *mut f64,
    count: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        check_apart([
            Piece::new("frequencies", frequencies, count),
            Piece::new("left", left, count),
            Piece::new("right", right, count),
        ])?;
        // SAFETY: the caller's promise about `settings` is handed on.
        let settings = unsafe { read(settings) }?;
        settings.check(sample_rate)?;
        // SAFETY: the caller promises that the frequencies are not written meanwhile; they overlap no output.
        let frequencies = unsafe { borrowed(frequencies, count, "frequencies") }?;
        if !frequencies.iter().all(|frequency| frequency.is_finite()) {
            return Err(CallFault::value("frequencies", "expected finite numbers, got another one").into());
        }
        // SAFETY: the caller promises that this call alone uses the output; it overlaps no other argument.
        let left = unsafe { borrowed_mut(left, count, "left") }?;
        // SAFETY: as above.
        let right = unsafe { borrowed_mut(right, count, "right") }?;
        let curves = settings.curves(sample_rate);
        for ((frequency, left), right) in frequencies.iter().zip(left).zip(right) {
            [*left, *right] = curves(*frequency);
        }
        Ok::<(), EqualizerFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes to `preamp` the preamplification in dB, -96 to 0, that keeps a full-scale sine of any frequency below full scale.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `preamp` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_preamp(
    settings: *const RustleEqualizerSettings,
    sample_rate: f64,
    preamp: *mut f64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |preamp: &mut f64| -> Result<(), EqualizerFault> {
        // SAFETY: the caller's promise about `settings` is handed on.
        *preamp = automatic_preamp(&unsafe { read(settings) }?, sample_rate)?;
        Ok(())
    };
    // SAFETY: the caller's promises about `preamp` and `error` are handed on.
    unsafe { told(preamp, "preamp", error, tell) }
}

/// Changes the gains of the peaking ones of `count` bands so that the curve of all bands together goes through `targets`, finite
/// and in dB, at the bands' frequencies, within -24 to 24 dB each. `distance` receives the greatest distance that is left, in dB.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`; nothing is changed then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `bands` is NULL or valid for reads and writes of `count` records by this call alone; `targets` is NULL or points to `count`
/// numbers that are not written during the call; `distance` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_solve(
    bands: *mut RustleEqualizerBand,
    targets: *const f64,
    count: usize,
    sample_rate: f64,
    distance: *mut f64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |distance: &mut f64| -> Result<(), EqualizerFault> {
        check_apart([
            Piece::new("bands", bands, count),
            Piece::new("targets", targets, count),
            Piece::new("distance", std::ptr::from_ref(distance), 1),
        ])?;
        // SAFETY: the caller promises that this call alone uses the bands; they overlap no other argument.
        let bands = unsafe { borrowed_mut(bands, count, "bands") }?;
        // SAFETY: the caller promises that the targets are not written meanwhile.
        let targets = unsafe { borrowed(targets, count, "targets") }?;
        let mut solved = bands.iter().map(band).collect::<Result<Vec<_>, _>>()?;
        *distance = gains_for_curve(&mut solved, targets, sample_rate)?;
        for (band, solved) in bands.iter_mut().zip(solved) {
            band.gain = solved.gain;
        }
        Ok(())
    };
    // SAFETY: the caller's promises about `distance` and `error` are handed on.
    unsafe { told(distance, "distance", error, tell) }
}
