//! The beats of a signal as it comes.

use super::bands::{PARTS, WHOLE};
use super::configuration::RhythmConfiguration;
use super::correlation::{FadingCorrelation, SMOOTHING_DELAY, Smoothing};
use super::error::RhythmError;
use super::onset::{OnsetFrame, OnsetStrength};
use super::peaks::{Onset, OnsetPeaks};
use super::pulse::Pulse;
use super::tempo_search::TempoSearch;

/// Seconds in which the past of the autocorrelation fades to 1/e.
const MEMORY: f64 = 4.0;
/// Seconds between two decisions on the tempo.
const DECISION: f64 = 0.25;
/// Seconds of sound that an autocorrelation's lag must have seen.
const LEAST: f64 = 1.0;

/// The rhythm at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RhythmFrame {
    /// The frame's onset strength and levels, and its time.
    pub frame: OnsetFrame,
    /// The onset at the frame before this one, if there is one.
    pub onset: Option<Onset>,
    /// Tempo and phase, once there is a tempo.
    pub beat: Option<BeatEstimate>,
}

/// Tempo and phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BeatEstimate {
    /// The tempo in BPM.
    pub tempo: f64,
    /// The position between two beats at the time of the frame, 0 to less than 1.
    pub phase: f64,
    /// The time of the next beat, in samples from the signal's beginning: after the frame, and after the last sample that it needs.
    pub next: f64,
    /// Whether the frame is the last one before a beat, so that each beat is reported once, when its sample comes: `next` is its time.
    pub is_beat: bool,
    /// The standard error of the beats' times, in samples, from how far onsets were from where they were expected.
    pub phase_error: f64,
    /// How regular the rhythm is at its tempo, from 0 to 1: some hundredths for noise.
    pub confidence: f64,
}

/// Follows the beats of a signal that comes in pieces of any length. The results do not depend on how the signal is cut. Nothing is
/// allocated after construction. Every frame costs about the same, but one at which the tempo is another.
///
/// A frame needs the samples of [`latency`](Self::latency) after its time, and is there with the last of them; beats are expected ahead, so
/// that they are not late. The first tempo is there after about two seconds, and a rhythm that has changed is followed after four to six:
/// after nine where its tempo is about half the one before.
///
/// ```
/// # fn main() -> Result<(), rustle_dsp::rhythm::RhythmError> {
/// use rustle_dsp::rhythm::{RhythmConfiguration, RhythmTracker};
/// let mut tracker = RhythmTracker::new(&RhythmConfiguration::new(8000.0))?;
/// // A click every half second.
/// let signal: Vec<f32> = (0..80_000).map(|n| if n % 4000 < 40 { 0.5 } else { 0.0 }).collect();
/// let mut tempo = 0.0;
/// for buffer in signal.chunks(512) {
///     tracker.push(buffer, |frame| tempo = frame.beat.map_or(0.0, |beat| beat.tempo))?;
/// }
/// assert_eq!(f64::round(tempo), 120.0);
/// # Ok(())
/// # }
/// ```
pub struct RhythmTracker {
    strength: OnsetStrength,
    peaks: OnsetPeaks,
    smoothing: Smoothing,
    correlations: [FadingCorrelation; PARTS],
    search: TempoSearch,
    pulse: Pulse,
    frame_rate: f64,
    frames: u64,
    /// Frames from decision to decision.
    decision: u64,
    least_weight: f32,
    written: [Vec<f32>; PARTS],
    salience: Vec<f64>,
    scores: Vec<f64>,
    next: Vec<f64>,
    regularity: f64,
}

impl RhythmTracker {
    /// # Errors
    /// [`RhythmError::SampleRate`], [`RhythmError::Tempi`], [`RhythmError::Transform`].
    pub fn new(configuration: &RhythmConfiguration) -> Result<Self, RhythmError> {
        configuration.check()?;
        let strength = OnsetStrength::new(configuration.sample_rate)?;
        let frame_rate = configuration.sample_rate / strength.hop() as f64;
        let search = TempoSearch::new(&configuration.tempi, frame_rate);
        let lags = search.lags();
        let early = (strength.latency() as f64 / strength.hop() as f64).ceil() + SMOOTHING_DELAY as f64;
        Ok(Self {
            peaks: OnsetPeaks::new(frame_rate),
            smoothing: Smoothing::default(),
            correlations: lags.map(|lags| FadingCorrelation::new(lags - 1, MEMORY * frame_rate)),
            pulse: Pulse::new(search.period(0), early),
            frame_rate,
            frames: 0,
            decision: (DECISION * frame_rate).round() as u64,
            least_weight: (LEAST * frame_rate) as f32,
            written: lags.map(|lags| vec![0.0; lags]),
            salience: vec![0.0; search.len()],
            scores: vec![0.0; search.len()],
            next: vec![0.0; search.len()],
            regularity: 0.0,
            strength,
            search,
        })
    }

    /// Samples from frame to frame: about 10 ms.
    pub fn hop(&self) -> usize {
        self.strength.hop()
    }

    /// Samples from a frame's time to the last one that it needs: about 23 ms.
    pub fn latency(&self) -> usize {
        self.strength.latency()
    }

    /// The most frames that a [`push`](Self::push) of `count` samples can complete.
    pub fn most_frames(&self, count: usize) -> usize {
        count / self.hop() + 1
    }

    /// Takes the signal's next samples and passes every frame that they complete to `found`.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub fn push(
        &mut self,
        mut samples: &[f32],
        mut found: impl FnMut(RhythmFrame),
    ) -> Result<(), RhythmError> {
        while let Some((frame, strengths)) = self.strength.next(&mut samples)? {
            found(self.frame(frame, strengths));
        }
        Ok(())
    }

    fn frame(&mut self, frame: OnsetFrame, strengths: [f32; PARTS]) -> RhythmFrame {
        let onset = self.peaks.next(&frame);
        let strengths = self.smoothing.next(strengths);
        for (correlation, strength) in self.correlations.iter_mut().zip(strengths) {
            correlation.push(strength);
        }
        self.frames += 1;
        if self.frames.is_multiple_of(self.decision) {
            self.decide();
        }
        // The strength is that of some frames before this one.
        let first = frame.sample as f64 - self.hop() as f64 * (self.frames - 1) as f64;
        let state = self.pulse.next(strengths[WHOLE]);
        let beat = state.map(|state| {
            let next = first + self.hop() as f64 * (state.next - SMOOTHING_DELAY as f64);
            let period = state.period * self.hop() as f64;
            BeatEstimate {
                tempo: 60.0 * self.frame_rate / state.period,
                phase: ((frame.sample as f64 - next) / period).rem_euclid(1.0),
                next,
                is_beat: state.is_beat,
                phase_error: state.error * self.hop() as f64,
                confidence: self.regularity * state.agreement,
            }
        });
        RhythmFrame { frame, onset, beat }
    }

    /// Decides on the tempo.
    fn decide(&mut self) {
        let least_weight = self.least_weight;
        let written = self.correlations.iter().zip(&mut self.written);
        let known = written.map(|(correlation, written)| correlation.write(written, least_weight));
        // That of the whole spectrum has the most lags.
        let known = known.max().unwrap_or(0);
        let whole = &self.written[WHOLE];
        if whole[0] == 0.0 {
            self.regularity = 0.0;
            return;
        }
        let written = self.written.each_ref().map(Vec::as_slice);
        self.search.salience(written, known, &mut self.salience);
        let best = self
            .search
            .advance(&mut self.scores, &mut self.next, &self.salience, DECISION, None);
        let period = self.search.refined(whole, best);
        self.regularity = self.search.regularity(whole, period);
        // Before the lag of the shortest beat has been there for a second, nothing repeats.
        if self.regularity > 0.0 {
            self.pulse.set_period(period);
        }
    }

    /// Resets the signal; the next sample is the first of another.
    pub fn reset(&mut self) {
        self.strength.reset();
        self.peaks.reset();
        self.smoothing = Smoothing::default();
        self.correlations.iter_mut().for_each(FadingCorrelation::reset);
        self.pulse.reset();
        self.scores.fill(0.0);
        (self.frames, self.regularity) = (0, 0.0);
    }
}
