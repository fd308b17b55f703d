//! How late frames are: all fixtures are lit and dark in turns, and the picture follows.

use crate::align::Probes;
use crate::frames::Frame;

/// Frames for which all are dark, lit, dark and so on: no two delays look alike.
const PATTERN: [usize; 8] = [4, 3, 2, 2, 4, 3, 3, 2];
/// The longest delay in frames.
const LONGEST: usize = 15;
/// The least correlation of a picture that follows.
const FOLLOWS: f32 = 0.5;

/// How late frames are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    /// The frames after a change that do not show it yet.
    pub frames: u32,
    /// The mean time from a change to its middle in the picture, in frames.
    pub mean: f32,
    /// By how much the changes differ in that, in frames.
    pub spread: f32,
}

/// The most probes, and those of each fixture where few are lit: the rest would be noise.
const PROBES: usize = 256;
const EACH: usize = 4;

/// A measurement of the delay.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    frames: Vec<Frame>,
    probes: usize,
    delay: Option<Delay>,
}

/// Whether all are lit after so many frames.
fn is_lit(frame: usize) -> bool {
    let mut left = frame;
    for (index, length) in PATTERN.iter().enumerate() {
        if left < *length {
            return index % 2 == 1;
        }
        left -= length;
    }
    false
}

fn length() -> usize {
    PATTERN.iter().sum::<usize>() + LONGEST + 1
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            probes: PROBES,
            delay: None,
        }
    }
}

impl Measure {
    /// A measurement with so many fixtures of more.
    pub(super) fn of_fixtures(count: usize) -> Self {
        Self {
            probes: count.saturating_mul(EACH).min(PROBES),
            ..Self::default()
        }
    }

    pub(super) fn is_lit(&self) -> bool {
        is_lit(self.frames.len())
    }

    pub(super) fn part(&self) -> f32 {
        self.frames.len() as f32 / length() as f32
    }

    pub(super) fn delay(&self) -> Option<Delay> {
        self.delay
    }

    /// Takes a frame; whether it was the last.
    pub(super) fn take(&mut self, frame: Frame) -> bool {
        self.frames.push(frame);
        let is_over = self.frames.len() >= length();
        if is_over {
            self.delay = found(&self.frames, self.probes);
            self.frames = Vec::new();
        }
        is_over
    }
}

/// The delay with which frames follow the pattern, if they do.
fn found(frames: &[Frame], probes: usize) -> Option<Delay> {
    let probes = Probes::new(frames, probes);
    let light = probes.brightness(frames);
    // What was to be lit when a frame came was decided with the frame before it.
    let wanted = |frame: usize, delay: usize| {
        if frame >= delay && is_lit(frame - delay) {
            1.0
        } else {
            0.0
        }
    };
    let correlation = |delay: usize| {
        let wanted: Vec<f32> = (0..light.len()).map(|frame| wanted(frame, delay)).collect();
        correlation(&light, &wanted)
    };
    let best = (0..=LONGEST).max_by(|one, other| correlation(*one).total_cmp(&correlation(*other)))?;
    if correlation(best) < FOLLOWS {
        return None;
    }
    let mut sorted = light.clone();
    sorted.sort_by(f32::total_cmp);
    let half = (sorted[sorted.len() / 8] + sorted[sorted.len() * 7 / 8]) / 2.0;
    let mut changes = Vec::new();
    let mut at = 0;
    for length in &PATTERN[..PATTERN.len() - 1] {
        at += length;
        let near = (at + best).saturating_sub(2)..(at + best + 2).min(light.len() - 1);
        let crossing = near
            .clone()
            .find(|frame| (light[*frame] < half) != (light[*frame + 1] < half));
        if let Some(frame) = crossing {
            let part = (half - light[frame]) / (light[frame + 1] - light[frame]);
            changes.push(frame as f32 + 0.5 + part - at as f32);
        }
    }
    let mean = changes.iter().sum::<f32>() / changes.len().max(1) as f32;
    let ends = changes
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), change| {
            (low.min(*change), high.max(*change))
        });
    Some(Delay {
        frames: best as u32,
        mean,
        spread: (ends.1 - ends.0).max(0.0),
    })
}

fn correlation(one: &[f32], other: &[f32]) -> f32 {
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
    let (a, b) = (mean(one), mean(other));
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (one, other) in one.iter().zip(other) {
        both += (one - a) * (other - b);
        first += (one - a) * (one - a);
        second += (other - b) * (other - b);
    }
    both / (first * second).sqrt().max(1e-9)
}
