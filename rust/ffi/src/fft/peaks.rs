//! The sinusoids in a spectrum.

use super::RustleWindow;
use crate::fault::Outcome;
use crate::lent::Choice;
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::{find_peaks, DspError, Peak, PeakSearch};
use std::mem::MaybeUninit;

records! {
    /// The configuration of `rustle_spectrum_peaks`.
    pub struct RustlePeakSearch {
        /// The sample rate of the signal in Hz, finite and above 0. Example: 48000.
        pub sample_rate: f64,
        /// The minimum amplitude of a peak, linear, at least 0.
        pub threshold: f64,
        /// The minimum distance between two peaks in bins, at least 0; never less than half the width of the window's main lobe.
        pub separation: f64,
        /// The periodic window function of the spectrum.
        pub window: Choice<RustleWindow>,
        reserved: u32,
    }

    /// A sinusoid in a spectrum.
    pub struct RustlePeak for Peak {
        /// The fractional bin.
        pub bin: f64,
        /// The frequency in Hz.
        pub frequency: f64,
        /// The amplitude, 1.0 for a full-scale sine.
        pub amplitude: f64,
    }
}

/// Finds the sinusoids in `amplitudes`: N/2 + 1 magnitudes in `RUSTLE_NORMALIZATION_AMPLITUDE`, of one frame of N samples or the
/// root of the mean power of many. Writes as many as fit to `peaks`, the strongest first; `count` receives their number. Side
/// lobes of stronger peaks, a constant part, and bins that are not finite are ignored.
///
/// Fails with `RUSTLE_INVALID_LENGTH`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no (it allocates a list of the local maxima).
///
/// Example: `amplitudes_count` 129, `peaks_capacity` 4.
#[doc(alias = "rustle_spectrum_peaks")]
pub(crate) fn spectrum_peaks(
    amplitudes: &[f32],
    search: &RustlePeakSearch,
    peaks: &mut [MaybeUninit<RustlePeak>],
) -> Outcome<DspError, usize> {
    CallFault::check_reserved(search.reserved, "search.reserved")?;
    let search = PeakSearch {
        window: search.window.get("search.window")?.into(),
        sample_rate: search.sample_rate,
        threshold: search.threshold,
        separation: search.separation,
    };
    // There are no more peaks than bins, whatever the capacity, and no more bins than those of the largest transform.
    let mut found = vec![Peak::default(); peaks.len().min(amplitudes.len()).min(65_536 / 2 + 1)];
    let count = find_peaks(amplitudes, &search, &mut found)?;
    for (place, peak) in peaks.iter_mut().zip(&found[..count]) {
        place.write((*peak).into());
    }
    Ok(count)
}
