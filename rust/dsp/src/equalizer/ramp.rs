//! The transition from one setting to another.

use super::band::{Band, BandKind, EqualizerError, Settings};
use super::kernels::Section;
use crate::biquad::Biquad;

/// The duration of a change, in seconds.
pub const RAMP_SECONDS: f64 = 0.040;

/// The most that a step changes a gain, in dB.
const STEP: f64 = 0.25;

/// The most that a step moves a frequency or a quality, as a factor.
const FACTOR: f64 = 1.02;

/// Coefficients for the steps of a change. Computed outside of the audio thread: a step costs up to 40 us for each band that
/// changes.
#[derive(Clone, Debug)]
pub struct Ramp {
    /// One after the other the sections of each step, from the setting before to the one after.
    sections: Vec<Section>,
    /// The number of bands of a channel that either setting has.
    bands: usize,
    /// The most bands of the equalizer.
    capacity: usize,
    /// The length of a step.
    frames: usize,
}

impl Ramp {
    /// The transition from `from` to `to` at `sample_rate` Hz, for an [`Equalizer`](super::Equalizer) of `bands` bands.
    ///
    /// # Errors
    /// The errors of [`Settings::check`] for either; [`EqualizerError::BandCount`] when one has more than `bands` bands.
    pub fn new(
        from: &Settings,
        to: &Settings,
        bands: usize,
        sample_rate: f64,
    ) -> Result<Self, EqualizerError> {
        from.check(sample_rate)?;
        to.check(sample_rate)?;
        let [left, right] = [pairs(&from.left, &to.left), pairs(&from.right, &to.right)];
        let got = left.len().max(right.len());
        if got > bands {
            return Err(EqualizerError::BandCount { limit: bands, got });
        }
        let vectors = vectors(got);
        let changes = left.iter().chain(&right).map(|(from, to)| steps(from, to));
        let of_preamp = (to.preamp - from.preamp).abs() / STEP;
        let steps = changes.fold(of_preamp, f64::max).ceil().clamp(8.0, 192.0) as usize;
        let ways = |pairs: &[(Band, Band)]| -> Vec<Way> {
            let way = |(from, to): &(Band, Band)| Way::new(from, to, steps, sample_rate);
            let unused = std::iter::repeat(Way::Still(Biquad::IDENTITY));
            pairs.iter().map(way).chain(unused).take(2 * vectors).collect()
        };
        let (left, right) = (ways(&left), ways(&right));
        let mut sections = Vec::with_capacity((steps + 1) * vectors);
        for step in 0..=steps {
            let preamp = from.preamp + (to.preamp - from.preamp) * eased(step, steps);
            let factor = 10f64.powf(preamp / 20.0);
            let filter = |ways: &[Way], band: usize| {
                let filter = ways[band].at(step);
                if band == 0 {
                    amplified(filter, factor)
                } else {
                    filter
                }
            };
            sections.extend((0..vectors).map(|j| {
                let k = j + vectors;
                let (a, b, c, d) = (
                    filter(&left, j),
                    filter(&right, j),
                    filter(&left, k),
                    filter(&right, k),
                );
                Section::new([&a, &b, &c, &d])
            }));
        }
        let frames = (RAMP_SECONDS * sample_rate / steps as f64).ceil().max(1.0) as usize;
        Ok(Self {
            sections,
            // Without bands the first one has the preamplification.
            bands: got.max(1),
            capacity: bands,
            frames,
        })
    }

    /// The number of frames that the change takes.
    pub(super) fn frames(&self) -> usize {
        self.frames * (self.sections.len() / vectors(self.bands) - 1)
    }

    /// The number of bands of a channel that it changes or keeps.
    pub(super) fn bands(&self) -> usize {
        self.bands
    }

    /// The most bands of the equalizer that it is for.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Writes the coefficients in force at frame `frame` of the change, from 0 to `frames()`.
    pub(super) fn at(&self, frame: usize, sections: &mut [Section]) {
        let (step, rest) = (frame / self.frames, frame % self.frames);
        let mut steps = self.sections.chunks_exact(vectors(self.bands)).skip(step);
        let (here, there) = (steps.next(), steps.next());
        let position = rest as f64 / self.frames as f64;
        for (section, (here, there)) in sections.iter_mut().zip(
            here.into_iter()
                .flatten()
                .zip(there.or(here).into_iter().flatten()),
        ) {
            *section = here.towards(there, position);
        }
    }
}

/// The number of vectors for a number of bands; at least one, for the preamplification.
pub(super) fn vectors(bands: usize) -> usize {
    bands.div_ceil(2).max(1)
}

/// The bands of both settings by their places. A band that one of them lacks has no gain there.
fn pairs(from: &[Band], to: &[Band]) -> Vec<(Band, Band)> {
    let silent = |band: &Band| Band {
        kind: BandKind::Peaking,
        gain: 0.0,
        ..*band
    };
    (0..from.len().max(to.len()))
        .filter_map(|index| match (from.get(index), to.get(index)) {
            (Some(from), Some(to)) => Some((*from, *to)),
            (Some(from), None) => Some((*from, silent(from))),
            (None, to) => to.map(|to| (silent(to), *to)),
        })
        .collect()
}

/// The position of a step, from 0 to 1: slow at both ends, so that the sound has no edge where it begins to change.
fn eased(step: usize, steps: usize) -> f64 {
    0.5 - 0.5 * (std::f64::consts::PI * step as f64 / steps as f64).cos()
}

/// The number of steps of a band's change.
fn steps(from: &Band, to: &Band) -> f64 {
    let factor = |from: f64, to: f64| (to / from).ln().abs() / FACTOR.ln();
    let gain = (to.gain - from.gain).abs() / STEP;
    gain.max(factor(from.frequency, to.frequency))
        .max(factor(from.q, to.q))
}

/// The filters of a band, step by step.
#[derive(Clone)]
enum Way {
    /// The same at every step: a filter is fitted to its analog model, and that takes long.
    Still(Biquad),
    Steps(Vec<Biquad>),
}

impl Way {
    fn new(from: &Band, to: &Band, steps: usize, sample_rate: f64) -> Self {
        if from == to {
            return Self::Still(from.filter(sample_rate));
        }
        Self::Steps(
            (0..=steps)
                .map(|step| filter(from, to, step, steps, sample_rate))
                .collect(),
        )
    }

    fn at(&self, step: usize) -> Biquad {
        match self {
            Self::Still(filter) => *filter,
            Self::Steps(filters) => filters[step],
        }
    }
}

/// The filter of a band that changes, at one of the steps.
fn filter(from: &Band, to: &Band, step: usize, steps: usize, sample_rate: f64) -> Biquad {
    let at = |step: usize| {
        let position = eased(step, steps);
        let between = |from: f64, to: f64| from * (to / from).powf(position);
        match step {
            0 => *from,
            _ if step == steps => *to,
            _ => Band {
                kind: if 2 * step < steps { from.kind } else { to.kind },
                frequency: between(from.frequency, to.frequency),
                gain: from.gain + (to.gain - from.gain) * position,
                q: between(from.q, to.q),
            },
        }
    };
    let here = at(step).filter(sample_rate);
    let neighbour = if step == 0 { 1 } else { step - 1 };
    if !here.is_identity() {
        return here;
    }
    // Without a gain any poles suffice, and those of the neighbouring step make the transition even.
    let Biquad { a1, a2, .. } = at(neighbour).filter(sample_rate);
    Biquad {
        b0: 1.0,
        b1: a1,
        b2: a2,
        a1,
        a2,
    }
}

fn amplified(filter: Biquad, factor: f64) -> Biquad {
    Biquad {
        b0: factor * filter.b0,
        b1: factor * filter.b1,
        b2: factor * filter.b2,
        ..filter
    }
}
