//! Tap tempo: tempo and phase from the times at which a person taps.

mod assign;

use crate::beats::{Beats, HostTime, Quantum, Tempo, Time, Timeline};
use crate::fit::{Expected, Line, Point, fit};
use assign::{Taps, assign};

/// The taps of an estimate: the last ones. Sixteen give 0.30 BPM of standard deviation at 128 BPM and 20 ms of jitter.
pub const WINDOW: usize = 16;

/// The jitter of a hand in microseconds, before the taps themselves show one: 20 ms. With this weight two taps, which show none, have a
/// standard error too.
pub(crate) const HAND: Expected = Expected {
    deviation: 20_000.0,
    weight: 4.0,
};

/// After so many microseconds without a tap, and this many periods, the next tap begins anew.
const RESET: i64 = 3_000_000;
const RESET_PERIODS: f64 = 2.5;

/// So many taps that run away from the line are another tempo: those before them no longer count.
const CHANGED: usize = 4;

/// Outside these tempos, in BPM, the double or the half is suggested.
const LIKELY: std::ops::RangeInclusive<f64> = 60.0..=180.0;

/// The effect of a tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TapOutcome {
    /// It is the first of an estimate: of all, or after a pause.
    First,
    /// It counts.
    Counted {
        /// The beats since the tap before that were not tapped.
        missed: u32,
    },
    /// It falls on the beat of another tap: it does not count.
    Doubled,
    /// It is not later than the tap before: it does not count.
    OutOfOrder,
}

/// A change of the tempo by an octave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Octave {
    /// Half the tempo.
    Half,
    /// Twice the tempo.
    Double,
}

impl Octave {
    /// What the tempo is multiplied with.
    pub fn factor(self) -> f64 {
        match self {
            Self::Half => 0.5,
            Self::Double => 2.0,
        }
    }
}

/// Tempo and phase of the taps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TapEstimate {
    /// Beats as a function of time: beat 0 is a downbeat.
    pub timeline: Timeline<HostTime>,
    /// The tempo in BPM, to the precision of the taps' own.
    pub bpm: f64,
    /// The standard error of the tempo, in BPM.
    pub tempo_error: f64,
    /// The standard error of the phase at the last tap, in milliseconds.
    pub phase_error: f64,
    /// The taps since the last reset.
    pub taps: u32,
    /// The time of the last tap.
    pub last: HostTime,
    /// The change that would take the tempo to between 60 and 180 BPM. It is applied by who calls [`TapTempo::apply`], never by itself.
    pub suggestion: Option<Octave>,
}

/// Tempo and phase by least squares over the last [`WINDOW`] taps.
///
/// Each tap is assigned a whole beat, so that a missed tap is a gap and not a tempo, and of a doubled one only the first counts; taps
/// far off the line weigh less. Two taps give a first tempo. A tap after max(3 s, 2.5 periods) begins anew.
///
/// ```
/// use rustle_tempo::{beats::HostTime, tap::TapTempo};
/// let mut taps = TapTempo::default();
/// for micros in [0, 500_000, 1_500_000, 2_000_000] {
///     taps.tap(HostTime::new(micros));
/// }
/// let estimate = taps.estimate().expect("more than one tap");
/// assert_eq!(estimate.bpm.round(), 120.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TapTempo {
    taps: Taps,
    line: Option<Line>,
    /// Taps since the last reset.
    count: u32,
    /// Beats per tap are 2 to this power.
    octave: i32,
    /// Added to the times of beats, in microseconds.
    nudge: i64,
    /// The tapped beat, in taps from the first one, that is a downbeat.
    downbeat: f64,
}

impl TapTempo {
    /// Takes a tap.
    pub fn tap(&mut self, at: HostTime) -> TapOutcome {
        let Some(last) = self.taps.last_time() else {
            self.begin(at);
            return TapOutcome::First;
        };
        let since = at.saturating_micros_since(last);
        if since <= 0 {
            return TapOutcome::OutOfOrder;
        }
        let period = self.line.map_or(0.0, |line| line.period);
        if since > RESET.max((RESET_PERIODS * period) as i64) {
            self.begin(at);
            return TapOutcome::First;
        }
        if since < Tempo::FASTEST.micros_per_beat() {
            return TapOutcome::Doubled;
        }
        self.taps.push(at);
        self.line = assign(&mut self.taps, period);
        if self.line.is_some() && self.taps.is_leaving() {
            self.taps.keep_last(CHANGED);
            self.line = assign(&mut self.taps, 0.0);
        }
        let Some((missed, is_doubled)) = self.taps.last_step() else {
            return TapOutcome::Doubled;
        };
        if is_doubled {
            return TapOutcome::Doubled;
        }
        self.count = self.count.saturating_add(1);
        TapOutcome::Counted { missed }
    }

    fn begin(&mut self, at: HostTime) {
        *self = Self::default();
        self.taps.push(at);
        self.count = 1;
    }

    /// Tempo and phase; None before the second tap.
    pub fn estimate(&self) -> Option<TapEstimate> {
        let line = self.line?;
        let scale = 2.0_f64.powi(self.octave);
        let period = line.period / scale;
        let bpm = 60e6 / period;
        // In the middle of the taps, where a rounded period moves the beats of all of them least; never before the first.
        let middle = line.mean_beat.round();
        let origin = self.taps.origin();
        let time = line.micros_of(middle).round() as i64;
        let timeline = Timeline {
            tempo: Tempo::from_micros_per_beat(period.round() as i64).ok()?,
            beat_origin: Beats::from_f64((middle - self.downbeat) * scale),
            time_origin: origin
                .saturating_add_micros(time)
                .saturating_add_micros(self.nudge),
        };
        Some(TapEstimate {
            timeline,
            bpm,
            tempo_error: bpm * line.period_error() / line.period,
            phase_error: line.error_at(self.taps.last_beat()) / 1000.0,
            taps: self.count,
            last: self.taps.last_time()?,
            suggestion: suggestion(bpm),
        })
    }

    /// Shifts the beats by so many milliseconds, to later ones if positive, until the next reset; of a number that is not finite
    /// nothing.
    pub fn nudge(&mut self, milliseconds: f64) {
        if milliseconds.is_finite() {
            self.nudge = self.nudge.saturating_add((milliseconds * 1000.0).round() as i64);
        }
    }

    /// Halves or doubles the tempo until the next reset: a tap is then half a beat, or two beats. Returns whether it did: not without an
    /// estimate, and not beyond the range of [`Tempo`].
    pub fn apply(&mut self, octave: Octave) -> bool {
        let Some(line) = self.line else {
            return false;
        };
        let changed = match octave {
            Octave::Half => self.octave - 1,
            Octave::Double => self.octave + 1,
        };
        let period = line.period / 2.0_f64.powi(changed);
        let range = Tempo::FASTEST.micros_per_beat() as f64..=Tempo::SLOWEST.micros_per_beat() as f64;
        let is_within = range.contains(&period);
        if is_within {
            self.octave = changed;
        }
        is_within
    }

    /// [`apply`](Self::apply) with [`Octave::Half`].
    pub fn halve(&mut self) -> bool {
        self.apply(Octave::Half)
    }

    /// [`apply`](Self::apply) with [`Octave::Double`].
    pub fn double(&mut self) -> bool {
        self.apply(Octave::Double)
    }

    /// Makes the beat nearest to a time a downbeat, beat 0. Returns whether there is an estimate. Without a call the first tap is one.
    pub fn set_downbeat(&mut self, at: HostTime) -> bool {
        let Some(estimate) = self.estimate() else {
            return false;
        };
        let beat = estimate.timeline.beat_at(at).as_f64().round();
        self.downbeat += beat / 2.0_f64.powi(self.octave);
        true
    }

    /// The position in the bar at a time; None before the second tap.
    pub fn phase_at(&self, at: HostTime, quantum: Quantum) -> Option<Beats> {
        Some(self.estimate()?.timeline.phase_at(at, quantum))
    }

    /// Forgets all taps.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

fn suggestion(bpm: f64) -> Option<Octave> {
    if bpm < *LIKELY.start() {
        Some(Octave::Double)
    } else if bpm > *LIKELY.end() {
        Some(Octave::Half)
    } else {
        None
    }
}

/// The line through taps on whole beats.
fn line_of(points: &[Point]) -> Option<Line> {
    fit::<WINDOW>(points, HAND)
}
