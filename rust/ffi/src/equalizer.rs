//! Equalizers: processing, settings, and the responses and gains computed from them.

use crate::fault::{statuses, CallOr, Outcome};
use crate::lent::{choices, Choice, Flag, Lent};
use crate::object::{New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::equalizer::{
    automatic_preamp, gains_for_curve, Band, BandKind, EqualizerError, Settings, MAX_BANDS,
};
use rustle_engines::{LiveEqualizer, ProcessError};

choices! {
    /// The shape of a band.
    pub enum RustleBandKind = RUSTLE_BAND_ for BandKind {
        /// A band with its gain at the frequency, falling to 0 dB on both sides.
        Peaking = 0,
        /// A band with its gain below the frequency.
        LowShelf = 1,
        /// A band with its gain above the frequency.
        HighShelf = 2,
        /// A band above which the sound falls by 12 dB an octave; the gain is not used.
        LowPass = 3,
        /// A band below which the sound falls by 12 dB an octave; the gain is not used.
        HighPass = 4,
    }
}

records! {
    /// One band of one channel.
    pub struct RustleEqualizerBand {
        /// The centre frequency, or the edge at half the gain, in Hz: at least a millionth of the sample rate and below half of
        /// it. Example: 1000.
        pub frequency: f64,
        /// The gain in dB, -24 to 24.
        pub gain: f64,
        /// The quality factor, 0.18 (a bandwidth of 5 octaves) to 28.9 (0.05 octaves). Example: 1.
        pub q: f64,
        /// The shape.
        pub kind: Choice<RustleBandKind>,
        reserved: u32,
    }

    /// The settings of an equalizer.
    pub struct RustleEqualizerSettings lending memory {
        /// The bands of the left or only channel, read during the call only; may be NULL when there are none.
        pub left: Lent<RustleEqualizerBand>,
        /// The number of bands, at most 64.
        pub left_count: usize,
        /// The bands of the right channel, likewise.
        pub right: Lent<RustleEqualizerBand>,
        /// The number of bands, at most 64.
        pub right_count: usize,
        /// The preamplification of both channels in dB, -96 to 24.
        pub preamp: f64,
    }

    /// The configuration of an equalizer.
    pub struct RustleEqualizerConfiguration lending memory {
        /// The sample rate in Hz, 1 to 1,000,000,000. Example: 48000.
        pub sample_rate: f64,
        /// The number of channels, 1 or 2. Example: 1.
        pub channels: u32,
        /// The greatest number of bands of a channel, at most 64. Example: 4.
        pub bands: u32,
        /// The initial settings; with no bands and a preamplification of 0 the sound passes unchanged.
        pub settings: RustleEqualizerSettings,
    }
}

/// An equalizer.
pub(crate) struct Equalizer(LiveEqualizer);

impl Object for Equalizer {
    const NAME: &'static str = "equalizer";
    const KIND: u32 = 7;
    type Error = EqualizerError;

    /// Clears the filters' state; a change in progress or pending is completed at once. Realtime-safe.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is processing a block).
    fn reset(&self) -> Outcome<EqualizerError> {
        Ok(self.0.reset()?)
    }
}

impl New<RustleEqualizerConfiguration> for Equalizer {
    /// Makes an equalizer.
    fn new(configuration: &RustleEqualizerConfiguration) -> Outcome<EqualizerError, Self> {
        let (channels, bands) = (configuration.channels as usize, configuration.bands as usize);
        let settings = configuration.settings.read()?;
        let equalizer = LiveEqualizer::new(configuration.sample_rate, channels, bands, settings)?;
        Ok(Self(equalizer))
    }
}

impl Equalizer {
    /// Changes the settings; the output follows within 40 ms of sound, without a click. A change replaces a pending one and
    /// follows one in progress. Writes their response as `rustle_equalizer_response` does; there may be no `frequencies`.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (too many bands, or the numbers of frequencies and of values differ); nothing is
    /// changed or written then.
    ///
    /// Thread-safe: yes, also beside `rustle_equalizer_process`. Realtime-safe: no.
    ///
    /// Example: `frequencies_count` 8, `left_capacity` 8, `right_capacity` 8.
    #[doc(alias = "rustle_equalizer_change")]
    pub(crate) fn change(
        &self,
        settings: &RustleEqualizerSettings,
        frequencies: &[f64],
        left: &mut [f64],
        right: &mut [f64],
    ) -> Outcome<EqualizerError> {
        let settings = settings.read()?;
        check_response(frequencies, left, right)?;
        self.0.change(&settings)?;
        write_response(&settings, self.0.sample_rate(), frequencies, left, right);
        Ok(())
    }

    /// Bypasses the equalizer when `is_bypassed` is not 0, or ends the bypass. Either transition takes 40 ms of sound, like any
    /// change. Settings changed meanwhile take effect when the bypass ends.
    ///
    /// Thread-safe: yes, also beside `rustle_equalizer_process`. Realtime-safe: no.
    #[doc(alias = "rustle_equalizer_set_bypassed")]
    pub(crate) fn set_bypassed(&self, is_bypassed: Flag) -> Outcome<EqualizerError> {
        Ok(self.0.set_bypassed(is_bypassed.is_set())?)
    }

    /// Equalizes the interleaved samples of `block`, whole frames, in place. The output is not delayed and does not depend, bit
    /// for bit, on how the sound is divided into blocks; without gains it equals the input, bit for bit. The CPU's floating-point
    /// modes are neither read nor changed. One call at a time.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (no whole frames); the block is unchanged then.
    #[doc(alias = "rustle_equalizer_process")]
    pub(crate) fn process(&self, block: &mut [f32]) -> Outcome<EqualizerError> {
        Ok(self.0.process(block)?)
    }
}

/// Writes the magnitude response of `settings` at `sample_rate` Hz in dB: for each of `frequencies` in Hz one value to `left` and
/// one to `right`.
///
/// Fails with `RUSTLE_INVALID_LENGTH` (too many bands, or the numbers of frequencies and of values differ); nothing is written
/// then.
///
/// Example: `sample_rate` 48000, `frequencies_count` 8, `left_capacity` 8, `right_capacity` 8.
#[doc(alias = "rustle_equalizer_response")]
pub(crate) fn response(
    settings: &RustleEqualizerSettings,
    sample_rate: f64,
    frequencies: &[f64],
    left: &mut [f64],
    right: &mut [f64],
) -> Outcome<EqualizerError> {
    let settings = settings.read()?;
    settings.check(sample_rate)?;
    check_response(frequencies, left, right)?;
    write_response(&settings, sample_rate, frequencies, left, right);
    Ok(())
}

fn check_response(frequencies: &[f64], left: &[f64], right: &[f64]) -> Result<(), CallFault> {
    if let Some(other) = frequencies.iter().find(|frequency| !frequency.is_finite()) {
        return Err(CallFault::number("frequencies", "finite numbers", *other));
    }
    for (name, gains) in [("left", left), ("right", right)] {
        if gains.len() != frequencies.len() {
            return Err(CallFault::count(name, frequencies.len(), gains.len()));
        }
    }
    Ok(())
}

fn write_response(
    settings: &Settings,
    sample_rate: f64,
    frequencies: &[f64],
    left: &mut [f64],
    right: &mut [f64],
) {
    let curves = settings.curves(sample_rate);
    for ((frequency, left), right) in frequencies.iter().zip(left).zip(right) {
        [*left, *right] = curves(*frequency);
    }
}

/// Writes to `preamp` the preamplification in dB, -96 to 0, that keeps a full-scale sine of any frequency below full scale at
/// `sample_rate` Hz.
///
/// Fails with `RUSTLE_INVALID_LENGTH` (too many bands).
///
/// Example: `sample_rate` 48000.
#[doc(alias = "rustle_equalizer_preamp")]
pub(crate) fn preamp(settings: &RustleEqualizerSettings, sample_rate: f64) -> Outcome<EqualizerError, f64> {
    Ok(automatic_preamp(&settings.read()?, sample_rate)?)
}

/// Writes to `gains` the gains in dB, one per band, with which the response of all `bands` together meets `targets`, finite and
/// in dB, one per band, at the bands' frequencies, at `sample_rate` Hz: within -24 to 24 dB for peaking bands, unchanged for the
/// others. There are at most 64 bands. `distance` receives the greatest remaining deviation in dB.
///
/// Fails with `RUSTLE_INVALID_LENGTH` (too many bands, or not as many targets or gains); nothing is written then.
///
/// Example: `sample_rate` 48000, `bands_count` 1, `targets_count` 1, `gains_capacity` 1.
#[doc(alias = "rustle_equalizer_solve")]
pub(crate) fn solve(
    bands: &[RustleEqualizerBand],
    targets: &[f64],
    sample_rate: f64,
    gains: &mut [f64],
) -> Outcome<EqualizerError, f64> {
    if bands.len() > MAX_BANDS {
        let (limit, got) = (MAX_BANDS, bands.len());
        return Err(EqualizerError::BandCount { limit, got }.into());
    }
    if gains.len() != bands.len() {
        return Err(CallFault::count("gains", bands.len(), gains.len()).into());
    }
    let solved: Result<Vec<_>, _> = bands.iter().map(RustleEqualizerBand::read).collect();
    let mut solved = solved?;
    let distance = gains_for_curve(&mut solved, targets, sample_rate)?;
    for (gain, solved) in gains.iter_mut().zip(solved) {
        *gain = solved.gain;
    }
    Ok(distance)
}

impl RustleEqualizerSettings {
    fn read(&self) -> Result<Settings, CallFault> {
        Ok(Settings {
            left: (self.left).read(self.left_count, 64, "settings.left", RustleEqualizerBand::read)?,
            right: (self.right).read(self.right_count, 64, "settings.right", RustleEqualizerBand::read)?,
            preamp: self.preamp,
        })
    }
}

impl RustleEqualizerBand {
    fn read(&self) -> Result<Band, CallFault> {
        CallFault::check_reserved(self.reserved, "band.reserved")?;
        Ok(Band {
            kind: self.kind.get("band.kind")?.into(),
            frequency: self.frequency,
            gain: self.gain,
            q: self.q,
        })
    }
}

impl From<ProcessError> for CallOr<EqualizerError> {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::Busy => CallFault::wrong_state(
                "equalizer",
                "expected one call that processes sound at a time, got a second one",
            )
            .into(),
            ProcessError::Block(error) => error.into(),
        }
    }
}

statuses!(EqualizerError {
    RUSTLE_INVALID_LENGTH: BandCount BlockLength,
    RUSTLE_INVALID_VALUE: SampleRate Frequency Gain Preamp Quality Channels,
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Fault, RUSTLE_INVALID_LENGTH};

    #[test]
    fn list_of_any_number_of_bands_was_copied_before_it_was_refused() {
        let band = |_| RustleEqualizerBand {
            frequency: f64::NAN,
            gain: 0.0,
            q: 1.0,
            kind: Choice::of_number(99),
            reserved: 0,
        };
        let refusal = solve(&[0; 65].map(band), &[], 48_000.0, &mut []).expect_err("64 at most");
        assert_eq!(refusal.status(), RUSTLE_INVALID_LENGTH);
        assert_eq!(
            refusal.to_string(),
            "bands: expected at most 64 a channel, got 65"
        );
    }
}
