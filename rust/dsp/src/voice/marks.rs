//! The marks of a voice's periods.

/// A part of a signal.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) samples: &'a [f32],
    /// The place of its first sample in the signal.
    pub(super) start: u64,
}

impl Part<'_> {
    /// The sample at a place in the signal, 0 beyond the part.
    pub(super) fn at(&self, place: i64) -> f64 {
        let index = usize::try_from(place - self.start as i64).ok();
        index
            .and_then(|index| self.samples.get(index))
            .map_or(0.0, |&x| f64::from(x))
    }
}

/// A stretch of a signal whose pitch goes in a straight line.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    /// The beginning and the end, in samples.
    pub(super) from: f64,
    pub(super) to: f64,
    /// The pitch there, in Hz.
    pub(super) first: f64,
    pub(super) last: f64,
}

impl Stretch {
    fn pitch(&self, time: f64) -> f64 {
        if self.to <= self.from {
            return self.last;
        }
        let part = ((time - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        self.first + part * (self.last - self.first)
    }
}

/// The least correlation of a period with the next (P. Boersma and D. Weenink, Praat, "Sound: To PointProcess (periodic, cc)").
pub(super) const LIKENESS: f64 = 0.3;
/// The search range of the next period, in periods (there too).
const NEAREST: f64 = 0.8;
const FARTHEST: f64 = 1.25;
/// The length of a part before and after a mark, in periods.
pub(super) const BEFORE: f64 = 0.5;
pub(super) const AFTER: f64 = FARTHEST + 0.5;

/// A place in a period, the same in each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    /// The time, in samples from the signal's beginning.
    pub(super) time: f64,
    /// Whether it is one period after the mark before.
    pub(super) follows: bool,
}

/// Goes from period to period, each found by its similarity to the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Marker {
    last: Option<f64>,
}

impl Marker {
    /// Passes the marks in a stretch to `found`. `part` holds the signal around the marks; with `fresh` the stretch does not
    /// continue where the one before ended.
    pub(super) fn walk(
        &mut self,
        part: Part<'_>,
        stretch: Stretch,
        sample_rate: f64,
        fresh: bool,
        mut found: impl FnMut(Mark),
    ) {
        if fresh {
            self.last = None;
        }
        let mut last = match self.last {
            Some(last) => last,
            None => {
                let period = sample_rate / stretch.first;
                let time = extremum(part, stretch.from, stretch.from + period);
                found(Mark { time, follows: false });
                time
            }
        };
        while last < stretch.to {
            let period = sample_rate / stretch.pitch(last);
            let (shift, likeness) = next(part, last, period, Way::On).unwrap_or((period, 0.0));
            last += shift;
            found(Mark {
                time: last,
                follows: likeness > LIKENESS,
            });
        }
        self.last = Some(last);
    }

    pub(super) fn reset(&mut self) {
        self.last = None;
    }
}

/// The time of the sample with the largest absolute value from the last sample before `from` to the first after `to`; between
/// samples by a parabola, unless it is the first or the last.
pub(super) fn extremum(part: Part<'_>, from: f64, to: f64) -> f64 {
    let (first, last) = (from.floor() as i64, to.ceil() as i64);
    let (mut place, mut height) = (first, 0.0);
    for other in first..=last {
        if part.at(other).abs() > height {
            (place, height) = (other, part.at(other).abs());
        }
    }
    if place == first || place == last {
        return place as f64;
    }
    let sign = part.at(place).signum();
    place as f64 + vertex([-1, 0, 1].map(|k| sign * part.at(place + k)))
}

/// The top of the parabola through three values, from the middle one, -1 to 1; 0 if it has none.
fn vertex([left, middle, right]: [f64; 3]) -> f64 {
    let bend = left - 2.0 * middle + right;
    if bend < 0.0 {
        (0.5 * (left - right) / bend).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    On,
}

/// From a period around `time` to the one before or after that is most like it: how far, below 0 for back, and the correlation of
/// both; `None`: no maximum, or the signal ends. As in Praat a period goes from the sample nearest to its beginning to the one
/// nearest to its end, both included: with one less, at rates of few samples a period, jitter is a tenth more.
pub(super) fn next(part: Part<'_>, time: f64, period: f64, way: Way) -> Option<(f64, f64)> {
    let begin = time - 0.5 * period;
    let left = (begin + 0.5).floor();
    let length = ((time + 0.5 * period + 0.5).floor() - left) as usize + 1;
    let index = |place: f64| usize::try_from(place as i64 - part.start as i64).ok();
    let first = index(left)?;
    let here = part.samples.get(first..first + length)?;
    let (nearest, farthest) = match way {
        Way::On => (NEAREST * period, FARTHEST * period),
        Way::Back => (-FARTHEST * period, -NEAREST * period),
    };
    // One shift more at each end: a maximum has neighbours.
    let from = index((begin + nearest).floor() - 1.0)?;
    let to = index((begin + farthest).ceil() + 1.0)?;
    let there = part.samples.get(from..to + length)?;
    let energy = dot(here, here);
    let mut sliding = dot(&there[..length], &there[..length]);
    let (mut two, mut one) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut best: Option<(f64, f64)> = None;
    for shift in 0..=there.len() - length {
        let value = dot(here, &there[shift..shift + length]) / (energy * sliding).max(1e-60).sqrt();
        if one >= two && one > value && two > f64::NEG_INFINITY && best.is_none_or(|(_, top)| one > top) {
            let place = (from + shift - 1) as f64 - first as f64 + vertex([two, one, value]);
            best = Some((place, one));
        }
        (two, one) = (one, value);
        if let Some(&new) = there.get(shift + length) {
            let old = f64::from(there[shift]);
            sliding += f64::from(new) * f64::from(new) - old * old;
        }
    }
    best
}

/// The sum of products, in eight parts that are added at last.
fn dot(x: &[f32], y: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (a, b) = (x.chunks_exact(8), y.chunks_exact(8));
    let tail: f64 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum();
    for (x, y) in a.zip(b) {
        for k in 0..8 {
            sums[k] += f64::from(x[k]) * f64::from(y[k]);
        }
    }
    sums.iter().sum::<f64>() + tail
}
