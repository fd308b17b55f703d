//! Onset strength: how much of a spectrum rises from one frame to a later one.

use super::bands::{BandLevels, BandMap, LevelMap, PARTS, WHOLE};
use super::error::RhythmError;
use crate::framing::Framing;
use crate::{Normalization, SpectrumPlan, Symmetry, Window};
use std::ops::{Range, RangeInclusive};

/// The sample rates, in Hz.
pub const SAMPLE_RATES: RangeInclusive<f64> = 8000.0..=768_000.0;

/// The duration of a spectrum is the power of two of samples next to this, in seconds.
const DURATION: f64 = 0.0464;
/// Frames a second, near enough: the hop is a whole number of samples.
const FRAMES: f64 = 100.0;
/// The frames between the two spectra that are compared: a rise takes a good part of a frame's duration.
const LAG: usize = 2;
/// The amplitude, relative to full scale, from which the strength counts ratios rather than differences: -60 dB.
const KNEE: f32 = 1e-3;

/// The onset strength of a frame, and its levels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnsetFrame {
    /// The time of the frame, in samples from the signal's beginning: an onset then has its maximum here.
    pub sample: u64,
    /// The mean over logarithmic bands of the rise of the logarithm of the magnitude over the last two frames, where it rises: 0 for
    /// silence and steady sounds, about 3 for a drum.
    pub strength: f32,
    /// The levels of three bands.
    pub levels: BandLevels,
}

/// The onset strength of a signal that comes in pieces of any length.
///
/// A magnitude is compared with the greatest of three neighbouring bands two frames before, so that vibrato is no onset (S. Böck and
/// G. Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013). Nothing is allocated after construction.
pub(super) struct OnsetStrength {
    framing: Framing,
    plan: SpectrumPlan,
    bands: BandMap,
    light: LevelMap,
    magnitudes: Vec<f32>,
    scratch: Vec<f32>,
    /// The logarithms of the last frames' bands, one row after the other.
    rows: Vec<f32>,
    /// Frames since the signal's beginning.
    count: u64,
    /// From the beginning of the window to the time that is reported.
    offset: u64,
}

impl OnsetStrength {
    /// # Errors
    /// [`RhythmError::SampleRate`], [`RhythmError::Transform`].
    pub(super) fn new(sample_rate: f64) -> Result<Self, RhythmError> {
        if !SAMPLE_RATES.contains(&sample_rate) {
            return Err(RhythmError::SampleRate { got: sample_rate });
        }
        let size = 1_usize << (DURATION * sample_rate).log2().round() as u32;
        let plan = SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, Normalization::Amplitude)?;
        let bands = BandMap::new(size, sample_rate);
        let bandwidth = Window::Hann
            .sums(Symmetry::Periodic, size)
            .equivalent_noise_bandwidth();
        let hop = (sample_rate / FRAMES).round() as usize;
        Ok(Self {
            framing: Framing::new(size, hop),
            light: LevelMap::new(size, sample_rate, bandwidth),
            magnitudes: vec![0.0; plan.bins()],
            scratch: vec![0.0; plan.scratch_len()],
            rows: vec![0.0; (LAG + 1) * bands.len()],
            count: 0,
            offset: (size / 2) as u64,
            plan,
            bands,
        })
    }

    /// Samples from frame to frame.
    pub(super) fn hop(&self) -> usize {
        self.framing.hop()
    }

    /// From the time of a frame to the last sample that it needs.
    pub(super) fn latency(&self) -> usize {
        self.plan.size() - self.offset as usize
    }

    /// Takes samples from the front of `samples`, and returns a frame if they complete one, with the strengths of the parts of the spectrum.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub(super) fn next(
        &mut self,
        samples: &mut &[f32],
    ) -> Result<Option<(OnsetFrame, [f32; PARTS])>, RhythmError> {
        if !self.framing.fill(samples) {
            return Ok(None);
        }
        let (frame, start) = self.framing.frame();
        self.plan
            .magnitudes(frame, &mut self.magnitudes, &mut self.scratch)?;
        let bands = self.bands.len();
        let row = |count: u64| (count % (LAG as u64 + 1)) as usize * bands;
        let now = row(self.count);
        let current = &mut self.rows[now..now + bands];
        self.bands.sums(&self.magnitudes, current);
        for band in &mut *current {
            // A sample that is not a number makes no band of later frames so.
            *band = if band.is_finite() {
                (*band / KNEE).ln_1p()
            } else {
                0.0
            };
        }
        let strengths = if self.count >= LAG as u64 {
            let before = row(self.count - LAG as u64);
            let (now, before) = (&self.rows[now..now + bands], &self.rows[before..before + bands]);
            rises(now, before, self.bands.parts())
        } else {
            [0.0; PARTS]
        };
        let levels = self.light.levels(&self.magnitudes);
        let sample = start + self.offset;
        self.count += 1;
        self.framing.advance();
        let frame = OnsetFrame {
            sample,
            strength: strengths[WHOLE],
            levels,
        };
        Ok(Some((frame, strengths)))
    }

    /// Resets the signal; the next sample is the first of another.
    pub(super) fn reset(&mut self) {
        self.framing.reset();
        self.count = 0;
    }
}

/// The mean rise of the bands of each part over the greatest of their three neighbours before; 0 of a part without bands.
fn rises(now: &[f32], before: &[f32], parts: &[Range<usize>; PARTS]) -> [f32; PARTS] {
    let last = before.len() - 1;
    let rise = |band: usize| {
        let around = &before[band.saturating_sub(1)..=(band + 1).min(last)];
        let greatest = around.iter().fold(0.0_f32, |greatest, one| greatest.max(*one));
        (now[band] - greatest).max(0.0)
    };
    std::array::from_fn(|part| {
        let bands = parts[part].clone();
        let count = bands.len().max(1) as f32;
        bands.map(rise).sum::<f32>() / count
    })
}
