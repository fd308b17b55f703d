//! What brightens or darkens the whole picture while a schedule runs.

use crate::contrast::{Contrast, Level};
use crate::frames::Frame;

/// How much brighter or darker the whole picture is in each contrast than usual: clouds, dimmers, and exposures that are not locked.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    /// Of each contrast, the light that is added to each pixel, and that for each of the light that is usually there.
    lines: Vec<[f32; 2]>,
}

impl Drift {
    /// Pixels that are looked at, about, and the least difference of light that says how drift follows light.
    const PIXELS: usize = 600;
    const RANGE: f32 = 0.03;

    pub(crate) fn new(contrasts: &[Contrast], frames: &[Frame], width: usize, height: usize) -> Self {
        let step = ((width * height / Self::PIXELS) as f64).sqrt().max(1.0) as usize;
        // Of each pixel the middles of the contrasts.
        let mut pixels: Vec<(f32, Vec<f32>)> = Vec::new();
        for y in (step / 2..height).step_by(step) {
            for x in (step / 2..width).step_by(step) {
                let middles: Vec<f32> = contrasts
                    .iter()
                    .filter_map(|each| each.levels(frames, x, y))
                    .map(|both| (Level::mean(&both[0]).light + Level::mean(&both[1]).light) / 2.0)
                    .collect();
                if !middles.is_empty() {
                    pixels.push((median(middles.clone()), middles));
                }
            }
        }
        pixels.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (darker, brighter) = pixels.split_at(pixels.len() / 2);
        let mut next = 0;
        let lines = contrasts.iter().map(|each| {
            if darker.is_empty() || each.levels(frames, 0, 0).is_none() {
                return [0.0; 2];
            }
            let at = next;
            next += 1;
            let of = |pixels: &[(f32, Vec<f32>)]| {
                [
                    median(pixels.iter().map(|(usual, _)| *usual).collect()),
                    median(
                        pixels
                            .iter()
                            .map(|(usual, middles)| middles[at] - usual)
                            .collect(),
                    ),
                ]
            };
            let [[low, one], [high, other]] = [of(darker), of(brighter)];
            if high - low < Self::RANGE {
                return [(one + other) / 2.0, 0.0];
            }
            let slope = (other - one) / (high - low);
            [one - slope * low, slope]
        });
        Self {
            lines: lines.collect(),
        }
    }

    /// Takes the drift from the levels of some contrasts at a place.
    pub(crate) fn leave(&self, levels: &mut [(usize, [Vec<Level>; 2])]) {
        let around = levels.iter().map(|(_, both)| {
            let [one, other] = [0, 1].map(|state| Level::mean(&both[state]));
            (one.light - one.above + other.light - other.above) / 2.0
        });
        let usual = median(around.collect());
        for (index, both) in levels {
            let [more, slope] = self.lines[*index];
            for level in both.iter_mut().flatten() {
                level.light -= more + slope * usual;
            }
        }
    }
}

pub(crate) fn median(mut values: Vec<f32>) -> f32 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}
