//! The default method: candidates of two families, harmonic least squares, and a calibrated confidence.

use super::centred::CentredSpectrum;
use super::comb::{Comb, SpectralPeak};
use super::configuration::Checked;
use super::error::PitchError;
use super::lags::{Lags, MAX_MAXIMA, Period};
use super::least_squares::{FIRST_PARTIALS, Fit, LeastSquares, Start};
use super::motion::motion;
use super::orders::{ABSENT, order_there};
use super::polyphony::polyphony;
use super::voicing::{Evidence, confidence};
use super::{MAX_CANDIDATES, PitchCandidate, PitchEstimate, PitchEstimator, VOICED};
use crate::fft::instruction_set::InstructionSet;
use crate::fft::kernels;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Periods that become candidates: the first whose likeness reaches a part of the largest.
const MAX_PERIODS: usize = 5;
const LIKENESS: f64 = 0.8;
/// Combs that become candidates: the most salient of those in which one of the largest peaks is a partial up to an order.
const COMBS: usize = 4;
const PEAKS: usize = 6;
const ORDERS: u32 = 8;
/// Peaks among which those of another note are.
const ALL_PEAKS: usize = 16;
/// Two frequencies nearer than this, as a part of them, are one comb, and one candidate.
const APART: f64 = 0.02;
const SAME: f64 = 0.003;
/// The weight of an octave beside likeness and salience, each at most 1: of a tone and its subharmonics, which explain it as
/// well, the tone is taken.
const OCTAVE: f64 = 0.01;
/// The cost of unlikeness one period later: the logarithm of the likeness missing from 1. In noise all candidates miss much, and
/// small differences are chance; in a clean tone a small one separates octaves. Values below `CLEAN` are equal.
const UNLIKE: f64 = 0.6;
const CLEAN: f64 = 0.05;
/// The factor by which an octave below must miss less of the frame to explain the rest.
const EXPLAINED: f64 = 4.0;
/// The part of a comb's energy that the first partials have to hold for a fit to begin with them.
const HEARD: f64 = 1.0 / 30.0;
/// The distance from the start of a fit beyond which a partial is lost, in bins of the frame.
const LOST: f64 = 0.1;
/// The inharmonicity of strings, at most about seven times that of pianos: they are the stiffer the shorter they are (F. Rigaud,
/// B. David and L. Daudet, "A parametric model of piano tuning", DAFx 2011).
const USUAL: f64 = 2e-3;
const STIFF: f64 = 5e-3;
const MIDDLE: f64 = 440.0;
const STIFFENING: f64 = 1.6;
/// The spectrum is searched for partials to here at least, in Hz.
const SPECTRUM: f64 = 5000.0;

/// The method.
pub(super) struct Harmonic {
    checked: Checked,
    /// The instructions.
    path: InstructionSet,
    spectrum: CentredSpectrum,
    lags: Lags,
    comb: Comb,
    least_squares: LeastSquares,
    candidates: [PitchCandidate; MAX_CANDIDATES],
    found: usize,
    level: f64,
    maxima: [Period; MAX_MAXIMA],
    /// The largest peaks, in falling order.
    peaks: [SpectralPeak; ALL_PEAKS],
    peak_count: usize,
}

impl Harmonic {
    pub(super) fn new(checked: Checked) -> Result<Self, PitchError> {
        let spectrum = CentredSpectrum::new(checked.frame_length)?;
        let to_bins = spectrum.size() as f64 / checked.sample_rate;
        let bins = (checked.highest * 3.0).max(SPECTRUM) * to_bins;
        Ok(Self {
            lags: Lags::new(&spectrum, checked)?,
            comb: Comb::new(&spectrum, bins.ceil() as usize),
            least_squares: LeastSquares::new(),
            candidates: [PitchCandidate::default(); MAX_CANDIDATES],
            found: 0,
            level: f64::NEG_INFINITY,
            maxima: [Period::default(); MAX_MAXIMA],
            peaks: [SpectralPeak::default(); ALL_PEAKS],
            peak_count: 0,
            spectrum,
            checked,
            path: InstructionSet::preferred()?,
        })
    }

    #[inline(always)]
    fn to_bins(&self) -> f64 {
        self.spectrum.size() as f64 / self.checked.sample_rate
    }

    /// The highest frequency that a pitch may have, in radians to a sample.
    #[inline(always)]
    fn highest(&self) -> f64 {
        self.checked.held().end() * TAU / self.checked.sample_rate
    }

    /// Finds the candidates of a frame, and returns whether there are any. As all that is inlined into `kernels::run`, it is
    /// compiled for the instructions of its caller.
    #[inline(always)]
    fn search(&mut self, frame: &[f32]) -> Result<bool, PitchError> {
        let measured = self.checked.measured(frame)?;
        (self.found, self.level) = (0, measured.level);
        if !measured.level.is_finite() {
            return Ok(false);
        }
        self.spectrum.take(&measured)?;
        self.lags.take(&self.spectrum, &measured)?;
        self.comb.take(&self.spectrum);
        self.peak_count = self
            .comb
            .peaks(
                (0.9 * self.checked.lowest * self.to_bins()) as usize,
                &mut self.peaks,
            )
            .len();
        self.gather();
        Ok(self.found > 0)
    }

    #[inline(always)]
    fn refined(&mut self, index: usize) -> PitchEstimate {
        let mut tone = self.candidates[index].frequency * TAU / self.checked.sample_rate;
        let mut is_last = false;
        loop {
            let fit = self.fitted(tone);
            let order = if is_last {
                1
            } else {
                order_there(&fit, self.spectrum.length(), self.highest())
            };
            if order == 1 {
                return self.outcome(&fit);
            }
            tone = order as f64 * fit.frequency;
            if !self.checked.holds(tone * self.checked.sample_rate / TAU) {
                return PitchEstimate::silent(self.level);
            }
            is_last = true;
        }
    }

    /// The tone near `frequency`, in radians to a sample.
    ///
    /// The fit begins with the first few partials, which a frequency that is a little off still catches. Where these hold next to
    /// nothing, or where the strongest partial of all has got lost, it begins with those that hold half of the energy.
    #[inline(always)]
    fn fitted(&mut self, frequency: f64) -> Fit {
        let spread = self.comb.spread(frequency * self.spectrum.size() as f64 / TAU);
        let hertz = frequency * self.checked.sample_rate / TAU;
        let many = Start {
            frequency,
            partials: spread.holding(0.5).max(FIRST_PARTIALS),
            inharmonicity: USUAL.max(STIFF * (hertz / MIDDLE).powf(STIFFENING)),
        };
        let few = Start {
            partials: FIRST_PARTIALS,
            ..many
        };
        let mut start = if spread.holding(HEARD) > FIRST_PARTIALS {
            many
        } else {
            few
        };
        let mut of_few: Option<Fit> = None;
        loop {
            let fit = self.least_squares.fit(&self.spectrum, start);
            match of_few {
                // How much of the frame a tone explains is asked of the first few all the same.
                Some(first) if fit.residual < first.residual => {
                    return Fit {
                        few: first.few,
                        residual_of_few: first.residual_of_few,
                        ..fit
                    };
                }
                Some(first) => return first,
                None if start.partials == many.partials
                    || self.keeps(&fit, frequency, spread.strongest as f64) =>
                {
                    return fit;
                }
                None => (of_few, start) = (Some(fit), many),
            }
        }
    }

    /// Whether the partial `order` of a fit is where it was when the fit began at `frequency`.
    #[inline(always)]
    fn keeps(&self, fit: &Fit, frequency: f64, order: f64) -> bool {
        let stretch = ((1.0 + fit.inharmonicity * order * order) / (1.0 + fit.inharmonicity)).sqrt();
        let away = order * (fit.frequency * stretch - frequency);
        away.abs() * (self.spectrum.length() as f64) < LOST * TAU
    }

    /// Collects the candidates of both families and sorts them.
    #[inline(always)]
    fn gather(&mut self) {
        let rate = self.checked.sample_rate;
        let maxima = self.lags.maxima(&mut self.maxima);
        let largest = maxima.iter().map(|period| period.likeness).fold(0.0, f64::max);
        let mut frequencies = [0.0; MAX_PERIODS + COMBS];
        let mut count = 0;
        for period in maxima
            .iter()
            .filter(|period| period.likeness >= LIKENESS * largest)
            .take(MAX_PERIODS)
        {
            frequencies[count] = rate / period.lag;
            count += 1;
        }
        for (_, frequency) in self.combs().into_iter().filter(|comb| comb.0 > 0.0) {
            frequencies[count] = frequency;
            count += 1;
        }
        let to_bins = self.to_bins();
        // The strongest partial determines the first more precisely; equal frequencies then are one candidate.
        let mut distinct = 0;
        for index in 0..count {
            let frequency = self.comb.sharpened(frequencies[index] * to_bins) / to_bins;
            if !frequencies[..distinct]
                .iter()
                .any(|other| (other / frequency - 1.0).abs() < SAME)
            {
                frequencies[distinct] = frequency;
                distinct += 1;
            }
        }
        let frequencies = &frequencies[..distinct];
        let saliences = frequencies
            .iter()
            .map(|frequency| self.comb.salience(frequency * to_bins));
        let most = saliences.clone().fold(1e-30, f64::max);
        self.found = 0;
        let mut unlikes = [0.0; MAX_CANDIDATES];
        for (&frequency, salience) in frequencies.iter().zip(saliences) {
            let unlike = 1.0 - self.lags.near(rate / frequency);
            let candidate = PitchCandidate {
                frequency,
                score: salience / most - UNLIKE * (unlike.max(0.0) + CLEAN).ln()
                    + OCTAVE * (frequency / self.checked.lowest).log2(),
            };
            let mut place = self.found;
            while place > 0 && self.candidates[place - 1].score < candidate.score {
                self.candidates[place] = self.candidates[place - 1];
                unlikes[place] = unlikes[place - 1];
                place -= 1;
            }
            self.candidates[place] = candidate;
            unlikes[place] = unlike;
            self.found += 1;
        }
        self.prefer_what_explains_the_rest(&unlikes);
    }

    /// Puts the octave below the first candidate before it where the frame is much more like itself after its period: what the
    /// candidate misses are partials between its own, for noise and motion would be missed by both. A fit then shows whether they
    /// are of the same tone.
    #[inline(always)]
    fn prefer_what_explains_the_rest(&mut self, unlikes: &[f64]) {
        let found = &mut self.candidates[..self.found];
        let Some(&first) = found.first() else {
            return;
        };
        let below = found
            .iter()
            .position(|other| (2.0 * other.frequency / first.frequency - 1.0).abs() < APART);
        if let Some(index) = below
            && unlikes[0] > (2.0 * ABSENT).max(EXPLAINED * unlikes[index])
        {
            found[..=index].rotate_right(1);
            found[0].score = first.score;
        }
    }

    /// The most salient combs, with their saliences; a salience of 0 where there are no more.
    #[inline(always)]
    fn combs(&self) -> [(f64, f64); COMBS] {
        let peaks = &self.peaks[..self.peak_count.min(PEAKS)];
        let mut combs = [(0.0, 0.0_f64); COMBS];
        for peak in peaks {
            for order in 1..=ORDERS {
                let bin = peak.bin / f64::from(order);
                let frequency = bin / self.to_bins();
                if !self.checked.holds(frequency) {
                    continue;
                }
                let salience = self.comb.salience(bin);
                let same = combs
                    .iter()
                    .position(|comb| (comb.1 / frequency - 1.0).abs() < APART);
                let place = same.unwrap_or(COMBS - 1);
                if salience > combs[place].0 {
                    combs[place] = (salience, frequency);
                    combs[..=place].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
                }
            }
        }
        combs
    }

    /// The evidence of the frame for a fitted tone.
    #[inline(always)]
    fn outcome(&self, fit: &Fit) -> PitchEstimate {
        let periods = fit.frequency * self.spectrum.length() as f64 / TAU;
        let motion = motion(&self.spectrum, fit);
        let moved = motion.moves(fit, periods);
        let mean = fit.frequency;
        let frequency = (mean + if moved { motion.offset } else { 0.0 }) * self.checked.sample_rate / TAU;
        if !(fit.partials > 0 && self.checked.holds(frequency)) {
            return PitchEstimate::silent(self.level);
        }
        let evidence = Evidence {
            likeness: self.lags.near(TAU / mean),
            determination: self.determination(fit),
            periods,
        };
        let peaks = &self.peaks[..self.peak_count];
        let to_bins = self.spectrum.size() as f64 / TAU;
        let of_one = confidence(evidence);
        let several = if self.checked.several {
            polyphony(fit, peaks, to_bins, self.spectrum.length())
        } else {
            0.0
        };
        PitchEstimate {
            frequency,
            confidence: (1.0 - several) * of_one,
            deviation: fit.deviation / mean * 1200.0 / std::f64::consts::LN_2,
            inharmonicity: if fit.is_shown { fit.inharmonicity } else { 0.0 },
            harmonicity: 10.0
                * ((self.spectrum.energy - fit.residual).max(0.0) / fit.residual.max(1e-30)).log10(),
            level: self.level,
            polyphonic: several > 0.5 && of_one >= VOICED,
        }
    }

    /// The adjusted coefficient of determination up to half a partial above the first few: where a pitch moves, the high ones are
    /// lost first, and it is there all the same.
    #[inline(always)]
    fn determination(&self, fit: &Fit) -> f64 {
        let last = (fit.few as f64 + 0.5) * fit.frequency * self.spectrum.size() as f64 / TAU;
        let last = last.min((self.spectrum.bins() - 1) as f64);
        let energy = self.lags.energy_to(last as usize);
        // Two numbers for each bin of the frame, and for each partial; two more for frequency and inharmonicity.
        let numbers = 2.0 * last * self.spectrum.length() as f64 / self.spectrum.size() as f64;
        let fitted = 2.0 * fit.few as f64 + 2.0;
        let left = 1.0 - (self.spectrum.energy - fit.residual_of_few) / energy.max(1e-30);
        1.0 - left * numbers / (numbers - fitted).max(1.0)
    }
}

impl PitchEstimator for Harmonic {
    fn frame_length(&self) -> usize {
        self.checked.frame_length
    }

    fn range(&self) -> RangeInclusive<f64> {
        self.checked.range()
    }

    fn estimate(&mut self, frame: &[f32]) -> Result<PitchEstimate, PitchError> {
        let is_found = kernels::run(
            self.path,
            #[inline(always)]
            || self.search(frame),
        )?;
        Ok(if is_found {
            self.refine(0)
        } else {
            PitchEstimate::silent(self.level)
        })
    }

    fn candidates(&self) -> &[PitchCandidate] {
        &self.candidates[..self.found]
    }

    fn refine(&mut self, index: usize) -> PitchEstimate {
        kernels::run(
            self.path,
            #[inline(always)]
            || self.refined(index),
        )
    }
}
