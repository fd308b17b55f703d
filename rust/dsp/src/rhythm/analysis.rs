//! The beats of a whole signal.

use super::bands::{PARTS, WHOLE};
use super::configuration::RhythmConfiguration;
use super::correlation::{SMOOTHING_DELAY, Smoothing, window_correlation};
use super::error::RhythmError;
use super::onset::{OnsetFrame, OnsetStrength};
use super::peaks::{Onset, OnsetPeaks};
use super::tempo_search::TempoSearch;

/// Seconds of an autocorrelation, and from one to the next.
const WINDOW: f64 = 8.0;
const HOP: f64 = 1.0;
/// The price of a beat that is not a period after the one before, for the square of the logarithm of their ratio, in standard deviations
/// of the strength (D. Ellis, "Beat tracking by dynamic programming", 2007, has 680 for another strength).
const TIGHTNESS: f64 = 100.0;
/// The shortest and the longest interval of two beats, in periods.
const SHORTEST: f64 = 0.56;
const LONGEST: f64 = 1.8;

/// The rhythm of a signal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rhythm {
    /// The tempo in BPM, from the median interval of the beats; None where there are fewer than two.
    pub tempo: Option<f64>,
    /// The times of the beats in samples from the signal's beginning, ascending.
    pub beats: Vec<f64>,
    /// How regular the rhythm is at its tempo, from 0 to 1: some hundredths for noise.
    pub confidence: f64,
    /// The onsets, ascending.
    pub onsets: Vec<Onset>,
}

/// An analysis of a signal that comes in pieces of any length: [`push`](Self::push) for each, then [`finish`](Self::finish). It holds
/// the onset strengths of the whole signal, 4 kB a second.
///
/// ```
/// # fn main() -> Result<(), rustle_dsp::rhythm::RhythmError> {
/// use rustle_dsp::rhythm::{RhythmAnalyzer, RhythmConfiguration};
/// let mut analyzer = RhythmAnalyzer::new(&RhythmConfiguration::new(8000.0))?;
/// // A click every half second.
/// let signal: Vec<f32> = (0..80_000).map(|n| if n % 4000 < 40 { 0.5 } else { 0.0 }).collect();
/// analyzer.push(&signal)?;
/// let rhythm = analyzer.finish()?;
/// assert_eq!(rhythm.tempo.map(f64::round), Some(120.0));
/// # Ok(())
/// # }
/// ```
pub struct RhythmAnalyzer {
    strength: OnsetStrength,
    search: TempoSearch,
    frame_rate: f64,
    frames: Vec<OnsetFrame>,
    /// The strengths of the parts of the spectrum at them.
    strengths: Vec<[f32; PARTS]>,
}

impl RhythmAnalyzer {
    /// # Errors
    /// [`RhythmError::SampleRate`], [`RhythmError::Tempi`], [`RhythmError::Transform`].
    pub fn new(configuration: &RhythmConfiguration) -> Result<Self, RhythmError> {
        configuration.check()?;
        let strength = OnsetStrength::new(configuration.sample_rate)?;
        let frame_rate = configuration.sample_rate / strength.hop() as f64;
        Ok(Self {
            search: TempoSearch::new(&configuration.tempi, frame_rate),
            strength,
            frame_rate,
            frames: Vec::new(),
            strengths: Vec::new(),
        })
    }

    /// Takes the signal's next samples.
    ///
    /// # Errors
    /// [`RhythmError::Memory`].
    pub fn push(&mut self, mut samples: &[f32]) -> Result<(), RhythmError> {
        let more = samples.len() / self.strength.hop() + 1;
        self.frames
            .try_reserve(more)
            .map_err(|_| memory::<OnsetFrame>(more))?;
        self.strengths
            .try_reserve(more)
            .map_err(|_| memory::<[f32; PARTS]>(more))?;
        while let Some((frame, strengths)) = self.strength.next(&mut samples)? {
            self.frames.push(frame);
            self.strengths.push(strengths);
        }
        Ok(())
    }

    /// Ends the signal and returns its rhythm; the next sample is the first of another signal. Its time grows with the signal's length,
    /// about 1 ms a second of sound.
    ///
    /// # Errors
    /// [`RhythmError::Memory`].
    pub fn finish(&mut self) -> Result<Rhythm, RhythmError> {
        let frames = std::mem::take(&mut self.frames);
        self.strength.reset();
        let mut smoothing = Smoothing::default();
        let mut parts = [(); PARTS].map(|()| Vec::new());
        for part in &mut parts {
            *part = room(frames.len())?;
        }
        for strengths in std::mem::take(&mut self.strengths) {
            for (part, strength) in parts.iter_mut().zip(smoothing.next(strengths)) {
                part.push(strength);
            }
        }
        // The delay of the smoothing is taken back; the last frames are those before them.
        for part in &mut parts {
            part.rotate_left(SMOOTHING_DELAY.min(frames.len()));
        }
        let (periods, confidence) = self.periods(&parts)?;
        let beats = beats(&parts[WHOLE], &periods)?;
        let mut peaks = OnsetPeaks::new(self.frame_rate);
        let onsets: Vec<Onset> = frames.iter().filter_map(|frame| peaks.next(frame)).collect();
        let hop = self.strength.hop() as f64;
        let first = frames.first().map_or(0.0, |frame| frame.sample as f64);
        let beats: Vec<f64> = beats.into_iter().map(|frame| first + hop * frame).collect();
        Ok(Rhythm {
            tempo: median_interval(&beats).map(|samples| 60.0 * self.frame_rate * hop / samples),
            beats,
            confidence,
            onsets,
        })
    }

    /// Discards the signal; the next sample is the first of another.
    pub fn reset(&mut self) {
        self.strength.reset();
        self.frames.clear();
    }

    /// The period at each frame, in frames, and the mean regularity at them.
    fn periods(&self, parts: &[Vec<f32>; PARTS]) -> Result<(Vec<f32>, f64), RhythmError> {
        let strengths = &parts[WHOLE];
        let window = ((WINDOW * self.frame_rate) as usize).min(strengths.len());
        let hop = (HOP * self.frame_rate) as usize;
        let windows = 1 + (strengths.len() - window) / hop;
        let tempi = self.search.len();
        let mut correlations = self.search.lags().map(|lags| vec![0.0; lags]);
        let lags = correlations[WHOLE].len();
        let mut all = room::<f32>(windows * lags)?;
        let (mut salience, mut scores, mut next) = (vec![0.0; tempi], vec![0.0; tempi], vec![0.0; tempi]);
        let mut came = room(windows * tempi)?;
        came.resize(windows * tempi, 0_u16);
        let mut centred = Vec::new();
        let mut best = 0;
        for (at, came) in came.chunks_exact_mut(tempi).enumerate() {
            for (part, correlation) in parts.iter().zip(&mut correlations) {
                window_correlation(&part[at * hop..at * hop + window], correlation, &mut centred);
            }
            let known = correlations.each_ref().map(Vec::as_slice);
            self.search.salience(known, window, &mut salience);
            best = self
                .search
                .advance(&mut scores, &mut next, &salience, HOP, Some(came));
            all.extend_from_slice(&correlations[WHOLE]);
        }
        let mut course = vec![0.0; windows];
        let mut regularity = 0.0;
        for (at, came) in came.chunks_exact(tempi).enumerate().rev() {
            let correlation = &all[at * lags..(at + 1) * lags];
            course[at] = self.search.refined(correlation, best);
            regularity += self.search.regularity(correlation, course[at]);
            best = usize::from(came[best]);
        }
        let mut periods = room(strengths.len())?;
        periods.extend((0..strengths.len()).map(|frame| {
            let position = (frame as f64 - window as f64 / 2.0) / hop as f64;
            let position = position.clamp(0.0, (windows - 1) as f64);
            let (left, part) = (position as usize, position.fract());
            let right = (left + 1).min(windows - 1);
            (course[left] * (1.0 - part) + course[right] * part) as f32
        }));
        Ok((periods, regularity / windows as f64))
    }
}

/// The beats, in frames: the sequence with the greatest sum of strengths less the price of uneven intervals.
fn beats(strengths: &[f32], periods: &[f32]) -> Result<Vec<f64>, RhythmError> {
    let deviation = deviation(strengths);
    if deviation * deviation <= f64::from(super::correlation::SILENT) {
        return Ok(Vec::new());
    }
    let mut scores = room::<f64>(strengths.len())?;
    let mut before = room::<u32>(strengths.len())?;
    for (at, (&strength, &period)) in strengths.iter().zip(periods).enumerate() {
        let period = f64::from(period);
        let (nearest, furthest) = (
            (SHORTEST * period).round() as usize,
            (LONGEST * period).round() as usize,
        );
        let (mut most, mut from) = (0.0, NONE);
        for distance in nearest..=furthest.min(at) {
            let uneven = (distance as f64 / period).ln();
            let score = scores[at - distance] - TIGHTNESS * uneven * uneven;
            if score > most {
                (most, from) = (score, (at - distance) as u32);
            }
        }
        scores.push(f64::from(strength) / deviation + most);
        before.push(from);
    }
    // The last beat is within the last period.
    let last = periods.last().map_or(0, |period| *period as usize);
    let tail = strengths.len().saturating_sub(last.max(1));
    let Some(mut at) = (tail..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])) else {
        return Ok(Vec::new());
    };
    let mut beats = Vec::new();
    loop {
        beats.push(at as f64 + between(strengths, at));
        if before[at] == NONE {
            break;
        }
        at = before[at] as usize;
    }
    beats.reverse();
    Ok(beats)
}

const NONE: u32 = u32::MAX;

/// The distance from a frame to the maximum of the parabola through it and its neighbours, -0.5 to 0.5; 0 where it is none.
pub(super) fn between(strengths: &[f32], at: usize) -> f64 {
    let Some([left, middle, right]) = at
        .checked_sub(1)
        .and_then(|first| strengths.get(first..first + 3))
    else {
        return 0.0;
    };
    let curve = f64::from(left - 2.0 * middle + right);
    if middle >= left && middle >= right && curve < 0.0 {
        0.5 * f64::from(left - right) / curve
    } else {
        0.0
    }
}

fn deviation(strengths: &[f32]) -> f64 {
    let count = strengths.len().max(1) as f64;
    let mean = strengths.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let squares: f64 = strengths.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum();
    (squares / count).sqrt()
}

fn median_interval(beats: &[f64]) -> Option<f64> {
    let mut intervals: Vec<f64> = beats.windows(2).map(|two| two[1] - two[0]).collect();
    intervals.sort_unstable_by(f64::total_cmp);
    let middle = intervals.len() / 2;
    let upper = *intervals.get(middle)?;
    let is_odd = intervals.len() % 2 == 1;
    Some(if is_odd {
        upper
    } else {
        0.5 * (intervals[middle - 1] + upper)
    })
}

fn room<T>(count: usize) -> Result<Vec<T>, RhythmError> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| memory::<T>(count))?;
    Ok(list)
}

fn memory<T>(count: usize) -> RhythmError {
    RhythmError::Memory {
        bytes: count.saturating_mul(size_of::<T>()),
    }
}
