//! MIDI clock: tempo and position from the bytes of a MIDI stream and the times at which they came.
//!
//! The messages are those of the MIDI 1.0 detailed specification, "System Real Time Messages" and "Song Position Pointer".

use super::sources::{Cause, Report};
use crate::beats::{Beats, HostTime, Tempo, Time, Timeline};
use crate::fit::{Expected, Line, Point, fit};

/// Timing clocks in a quarter note, which is a beat; and in a unit of the song position, a sixteenth.
const CLOCKS: f64 = 24.0;
const SIXTEENTH: i64 = 6;
/// The clocks of an estimate: two beats.
const WINDOW: usize = 48;
/// Without a clock for so many microseconds the tempo begins anew: the slowest one has a clock in 125 ms.
const PAUSE: i64 = 500_000;
/// The jitter of a clock, in microseconds: a byte takes 320 us on a MIDI cable, and waits for a message before it.
const JITTER: Expected = Expected {
    deviation: 1000.0,
    weight: 4.0,
};
/// So many clocks in a row, each so many deviations from the line on one side, are another tempo: those before them no longer count.
const CHANGED: usize = 6;
const LEAVING: f64 = 4.0;

/// A message that changes more than the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MidiMessage {
    /// A timing clock, 24 in a beat.
    Clock,
    /// From the beginning: the next clock is beat 0.
    Start,
    /// On from where it stopped or from the song position.
    Continue,
    /// Stopped; the clocks go on.
    Stop,
    /// The song position in sixteenths, 0 to 16,383, valid for the next continue.
    SongPosition(u16),
}

/// Part of a song position.
#[derive(Clone, Copy, Debug, Default)]
enum Pending {
    #[default]
    None,
    First,
    Second(u8),
}

/// A decoder of MIDI clock. Other messages pass by; it takes any bytes.
///
/// ```
/// use rustle_tempo::{beats::HostTime, clock::MidiClock};
/// let mut clock = MidiClock::default();
/// for tick in 0..48 {
///     clock.byte(0xF8, HostTime::new(tick * 500_000 / 24));
/// }
/// let report = clock.report().expect("more than one clock");
/// assert_eq!(report.timeline.tempo.bpm().round(), 120.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MidiClock {
    pending: Pending,
    ticks: Ticks,
    line: Option<Line>,
    /// The clock that comes next, counted without end; and that which is beat 0.
    next: i64,
    zero: i64,
    /// The position in clocks of the next clock while it plays, or of the next continue.
    position: i64,
    is_playing: bool,
}

/// The last clocks, the oldest first.
#[derive(Clone, Debug)]
struct Ticks {
    at: [HostTime; WINDOW],
    len: usize,
}

impl Default for Ticks {
    fn default() -> Self {
        Self {
            at: [HostTime::default(); WINDOW],
            len: 0,
        }
    }
}

impl Ticks {
    fn held(&self) -> &[HostTime] {
        &self.at[..self.len]
    }

    fn keep_last(&mut self, count: usize) {
        self.at.copy_within(self.len - count..self.len, 0);
        self.len = count;
    }

    fn push(&mut self, at: HostTime) {
        if self.len == WINDOW {
            self.keep_last(WINDOW - 1);
        }
        self.at[self.len] = at;
        self.len += 1;
    }

    /// The line through the clocks: the zero of its times is the first one's, the zero of its beats the first one.
    fn line(&self) -> Option<Line> {
        let mut points = [Point::default(); WINDOW];
        for (index, (point, at)) in points.iter_mut().zip(self.held()).enumerate() {
            *point = Point {
                beat: index as f64,
                micros: at.saturating_micros_since(self.at[0]) as f64,
            };
        }
        fit::<WINDOW>(&points[..self.len], JITTER)
    }

    /// Whether the last clocks are all on one side of the line.
    fn is_leaving(&self, line: &Line) -> bool {
        let Some(first) = self.len.checked_sub(CHANGED).filter(|first| *first >= CHANGED) else {
            return false;
        };
        let off = |index: usize| {
            self.at[index].saturating_micros_since(self.at[0]) as f64 - line.micros_of(index as f64)
        };
        let side = off(first).signum();
        (first..self.len).all(|index| off(index) * side > LEAVING * JITTER.deviation)
    }
}

impl MidiClock {
    /// Takes a byte and the time at which it came; returns the message that it completes, if that is one of the clock's.
    pub fn byte(&mut self, byte: u8, at: HostTime) -> Option<MidiMessage> {
        let message = match (byte, self.pending) {
            (0xF8, _) => MidiMessage::Clock,
            (0xFA, _) => MidiMessage::Start,
            (0xFB, _) => MidiMessage::Continue,
            (0xFC, _) => MidiMessage::Stop,
            // The other real-time messages may come between the bytes of any message.
            (0xF9 | 0xFD..=0xFF, _) => return None,
            (0xF2, _) => {
                self.pending = Pending::First;
                return None;
            }
            (0x80.., _) => {
                self.pending = Pending::None;
                return None;
            }
            (_, Pending::None) => return None,
            (low, Pending::First) => {
                self.pending = Pending::Second(low);
                return None;
            }
            (high, Pending::Second(low)) => {
                self.pending = Pending::None;
                MidiMessage::SongPosition(u16::from(high) << 7 | u16::from(low))
            }
        };
        self.take(message, at);
        Some(message)
    }

    /// Takes a message and the time at which it came.
    pub fn take(&mut self, message: MidiMessage, at: HostTime) {
        // Clocks before a pause say nothing of the time after it.
        if self.since_last(at).is_some_and(|since| since >= PAUSE) {
            self.forget_clocks();
        }
        match message {
            MidiMessage::Clock => self.clock(at),
            MidiMessage::Start => self.begin(0),
            MidiMessage::Continue => self.begin(self.position),
            MidiMessage::Stop => self.is_playing = false,
            MidiMessage::SongPosition(sixteenths) => self.position = SIXTEENTH * i64::from(sixteenths),
        }
    }

    fn begin(&mut self, position: i64) {
        self.is_playing = true;
        self.position = position;
        self.zero = self.next - position;
    }

    fn since_last(&self, at: HostTime) -> Option<i64> {
        let last = self.ticks.held().last()?;
        Some(at.saturating_micros_since(*last))
    }

    fn forget_clocks(&mut self) {
        self.ticks.len = 0;
        self.line = None;
    }

    fn clock(&mut self, at: HostTime) {
        if self.since_last(at).is_some_and(|since| since < 0) {
            self.forget_clocks();
        }
        self.ticks.push(at);
        self.next += 1;
        if self.is_playing {
            self.position += 1;
        }
        self.line = self.ticks.line();
        if self.line.is_some_and(|line| self.ticks.is_leaving(&line)) {
            self.ticks.keep_last(CHANGED);
            self.line = self.ticks.line();
        }
    }

    /// Whether it plays: since a start or continue without a stop.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Tempo and phase; None before the second clock, after a pause of the clocks, and where the clocks are not those of a [`Tempo`]. Beats count from the song's
    /// beginning since the last start or continue; while it is stopped they go on.
    pub fn report(&self) -> Option<Report> {
        let line = self.line?;
        let period = CLOCKS * line.period;
        let range =
            Tempo::FASTEST.micros_per_beat() as f64 - 1.0..=Tempo::SLOWEST.micros_per_beat() as f64 + 1.0;
        if !range.contains(&period) {
            return None;
        }
        let tempo = Tempo::from_micros_per_beat(period.round() as i64).ok()?;
        let last = self.ticks.len as f64 - 1.0;
        let at = line.micros_of(last).round() as i64;
        let phase_error = line.error_at(last) / 1000.0;
        let beat = (self.next - 1).saturating_sub(self.zero) as f64 / CLOCKS;
        Some(Report {
            confidence: Report::confidence(phase_error, tempo),
            phase_error,
            is_playing: self.is_playing,
            cause: Cause::Peer,
            ..Report::new(Timeline {
                tempo,
                beat_origin: Beats::from_f64(beat),
                time_origin: self.ticks.at[0].saturating_add_micros(at),
            })
        })
    }
}
