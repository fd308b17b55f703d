//! Whole beats for taps: which ones were missed, and which are doubled.

use super::{CHANGED, HAND, WINDOW, line_of};
use crate::beats::{HostTime, Tempo, Time};
use crate::fit::{Line, Point};

/// The price of a beat that was not tapped, in squared standard deviations of the hand: as a tap that is 3 deviations off (a chance of
/// 0.3 %). Further beats of one gap cost less.
const MISSED: f64 = 9.0;
const MISSED_TOO: f64 = 2.0;
/// The price of a tap beside the beat's: a bounce of a hand or a key, up to so many microseconds after it, and any other.
const BOUNCE: f64 = 250_000.0;
const DOUBLED: f64 = 9.0;
const EXTRA: f64 = 36.0;
/// The share of a tap's error by which the expectation of the next one moves.
const FOLLOWED: f64 = 0.5;
/// A residual counts at most so much, so that a stray tap does not choose the period.
const MOST: f64 = 25.0;
/// Intervals of another tempo differ from the line's by so many standard errors (less would cost precision where the tempo is steady),
/// and each from their mean by less than so many deviations of the hand.
const LEAVING: f64 = 5.0;
const AGREE: f64 = 3.0;

/// A tap and its beat, counted from the first tap since the reset.
#[derive(Clone, Copy, Debug, Default)]
struct Tap {
    at: HostTime,
    beat: i64,
    is_doubled: bool,
}

/// The last taps, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Taps {
    taps: [Tap; WINDOW],
    len: usize,
}

impl Taps {
    /// Adds a tap, which is later than the last. Of a full window a doubled tap leaves, except one of the last, which may be those of another
    /// tempo; else the oldest.
    pub(super) fn push(&mut self, at: HostTime) {
        if self.len == WINDOW {
            let settled = &self.taps[1..WINDOW - CHANGED];
            let leaving = settled
                .iter()
                .position(|tap| tap.is_doubled)
                .map_or(0, |index| index + 1);
            self.taps.copy_within(leaving + 1.., leaving);
            self.len -= 1;
        }
        self.taps[self.len] = Tap { at, ..Tap::default() };
        self.len += 1;
    }

    fn held(&self) -> &[Tap] {
        &self.taps[..self.len]
    }

    pub(super) fn last_time(&self) -> Option<HostTime> {
        self.held().last().map(|tap| tap.at)
    }

    /// The zero of the line's times.
    pub(super) fn origin(&self) -> HostTime {
        self.taps[0].at
    }

    /// The beat of the last tap.
    pub(super) fn last_beat(&self) -> f64 {
        self.held().last().map_or(0.0, |tap| tap.beat as f64)
    }

    /// The beats between the last tap and the one before it that were not tapped, and whether the last is doubled.
    pub(super) fn last_step(&self) -> Option<(u32, bool)> {
        let [.., before, last] = self.held() else {
            return None;
        };
        let between = (last.beat - before.beat - 1).max(0);
        Some((between.try_into().unwrap_or(u32::MAX), last.is_doubled))
    }

    /// Forgets all but the last taps.
    pub(super) fn keep_last(&mut self, count: usize) {
        let count = count.min(self.len);
        self.taps.copy_within(self.len - count..self.len, 0);
        self.len = count;
    }

    /// Whether the last three intervals agree with each other, and neither with the line of the taps before them nor with gaps in it.
    pub(super) fn is_leaving(&self) -> bool {
        let Some(before) = self
            .len
            .checked_sub(CHANGED)
            .filter(|&before| before >= CHANGED - 1)
        else {
            return false;
        };
        // One doubled tap is a bounce; at twice the tempo every other one looks doubled.
        if self.held()[before..].iter().filter(|tap| tap.is_doubled).count() == 1 {
            return false;
        }
        let mut points = [Point::default(); WINDOW];
        let mut count = 0;
        for (index, tap) in self.held()[..before]
            .iter()
            .enumerate()
            .filter(|(_, tap)| !tap.is_doubled)
        {
            points[count] = Point {
                beat: tap.beat as f64,
                micros: self.micros(index),
            };
            count += 1;
        }
        let Some(line) = line_of(&points[..count]) else {
            return false;
        };
        let mean = (self.micros(self.len - 1) - self.micros(before)) / (CHANGED - 1) as f64;
        let agree = (before + 1..self.len)
            .all(|at| (self.micros(at) - self.micros(at - 1) - mean).abs() < AGREE * HAND.deviation);
        // The error of a mean of three intervals is that of the two taps at their ends.
        let uncertain = line
            .period_error()
            .hypot(2.0_f64.sqrt() * HAND.deviation / (CHANGED - 1) as f64);
        let steps = (mean / line.period).round().max(1.0);
        agree && (mean - steps * line.period).abs() > LEAVING * steps * uncertain
    }

    fn micros(&self, index: usize) -> f64 {
        self.taps[index].at.saturating_micros_since(self.origin()) as f64
    }
}

/// The beats of one period.
#[derive(Clone, Copy)]
struct Assignment {
    beats: [i64; WINDOW],
    is_doubled: [bool; WINDOW],
    line: Line,
    price: f64,
}

/// Assigns beats to the taps and returns the line through them: of the periods that two successive taps have, or the running one,
/// that which explains all taps at the lowest price.
pub(super) fn assign(taps: &mut Taps, running: f64) -> Option<Line> {
    let mut best: Option<Assignment> = None;
    let intervals = (1..taps.len).map(|at| taps.micros(at) - taps.micros(at - 1));
    for period in std::iter::once(running).chain(intervals) {
        let Some(found) = explained(taps, period).and_then(|first| {
            // Again with the line's period: an error of one interval adds up over a long gap.
            explained(taps, first.line.period).or(Some(first))
        }) else {
            continue;
        };
        if best.is_none_or(|before| found.price < before.price - 1e-9) {
            best = Some(found);
        }
    }
    let best = best?;
    let first = taps.taps[0].beat;
    for (index, tap) in taps.taps[..taps.len].iter_mut().enumerate() {
        tap.beat = first + best.beats[index];
        tap.is_doubled = best.is_doubled[index];
    }
    let mut line = best.line;
    line.mean_beat += first as f64;
    Some(line)
}

/// The beats of the taps at a period: each a whole number of periods after the one before.
fn explained(taps: &Taps, period: f64) -> Option<Assignment> {
    let slowest = Tempo::SLOWEST.micros_per_beat() as f64;
    let fastest = Tempo::FASTEST.micros_per_beat() as f64;
    if !(fastest..=slowest).contains(&period) {
        return None;
    }
    let mut beats = [0; WINDOW];
    let mut is_doubled = [false; WINDOW];
    let mut points = [Point::default(); WINDOW];
    let mut count = 1;
    let mut price = 0.0;
    // Where the last beat is expected to be: between its tap and what the taps before it had led to expect.
    let mut anchor = 0.0;
    for index in 1..taps.len {
        let last = points[count - 1];
        let away = taps.micros(index) - anchor;
        let steps = (away / period).round();
        beats[index] = last.beat as i64 + steps.max(0.0) as i64;
        if steps < 1.0 {
            is_doubled[index] = true;
            let is_bounce = taps.micros(index) - last.micros < BOUNCE;
            price += if is_bounce { DOUBLED } else { EXTRA };
            continue;
        }
        anchor += steps * period + FOLLOWED * (away - steps * period);
        if steps > 1.0 {
            price += MISSED + MISSED_TOO * (steps - 2.0);
        }
        points[count] = Point {
            beat: last.beat + steps,
            micros: taps.micros(index),
        };
        count += 1;
    }
    let points = &points[..count];
    let line = line_of(points)?;
    for point in points {
        let off = (point.micros - line.micros_of(point.beat)) / HAND.deviation;
        price += (off * off).min(MOST);
    }
    Some(Assignment {
        beats,
        is_doubled,
        line,
        price,
    })
}
