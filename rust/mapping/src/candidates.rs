//! Places that change with the schedule.

use crate::assign::Codes;
use crate::contrast::{Contrast, Level};
use crate::drift::{Drift, median};
use crate::frames::Frame;
use std::collections::{HashMap, HashSet};

/// Half of the side of the square whose mean is the background, in pixels.
const AROUND: usize = 8;
/// Noises above which the median of a place's sizes is light, however many contrasts there are, and more where there are few.
const NOISES: f32 = 2.4;
const MORE: f32 = 5.0;
/// The least light, in parts of white.
const LEAST: f32 = 0.006;
/// Of the median of its sizes, what all of a pixel's have that shows one lamp alone.
const EVEN: f32 = 0.5;

/// Of its light, what changes the mean of a place when something is in front of it, and what a lamp has in a contrast at least.
const CHANGED: f32 = 0.3;
const LITTLE: f32 = 0.5;
/// In parts of a lamp's light, the least standard deviation of what frames show of it, and how much darker or brighter than its
/// surroundings is the place on what covers it.
const STEADY: f32 = 0.15;
const FLAT: f32 = 0.25;
/// How likely a contrast says nothing of a lamp that nobody seemed to cover.
const UNNOTICED: f32 = 0.000_5;
/// How much likelier a contrast with all of its light is a lamp's than that of something else.
const FULL: f32 = 6.2;

/// A place, and its light in each contrast.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) values: Vec<f32>,
    /// The median of their sizes, of those that say something.
    pub(crate) light: f32,
    /// How likely each of them says nothing of it: something may have been in front of it.
    pub(crate) doubts: Vec<f32>,
    /// What of its light is two pixels off: a mirror, or glass, spreads it.
    pub(crate) spread: Option<f32>,
    /// Whether something else than lamps changed the place.
    pub(crate) is_covered: bool,
    /// In which part of the contrasts it did.
    pub(crate) covered: f32,
}

impl Candidate {
    pub(crate) fn at(&self) -> [f64; 2] {
        [self.x as f64, self.y as f64]
    }

    /// Finds the contrasts in which something else than a lamp changes the place: the mean of a state and its complement is not
    /// what it is in the others, without the drift of all light. Of such a place each frame says for itself whether it shows the lamp lit,
    /// or unlit, or what covers it.
    pub(crate) fn look(&mut self, contrasts: &[Contrast], frames: &[Frame], drift: &Drift) {
        let mut levels: Vec<(usize, [Vec<Level>; 2])> = contrasts
            .iter()
            .enumerate()
            .filter_map(|(index, each)| Some((index, each.levels(frames, self.x, self.y)?)))
            .collect();
        if levels.is_empty() {
            return;
        }
        drift.leave(&mut levels);
        let means: Vec<[Level; 2]> = levels
            .iter()
            .map(|(_, both)| [Level::mean(&both[0]), Level::mean(&both[1])])
            .collect();
        let middles: Vec<f32> = means
            .iter()
            .map(|[one, other]| (one.light + other.light) / 2.0)
            .collect();
        let usual = median(middles.clone());
        let noise = contrasts.iter().map(|each| each.noise).sum::<f32>() / contrasts.len() as f32;
        // Of five pixels and both states.
        let noise = 0.5 * noise / 5.0_f32.sqrt();
        let value = |place: usize| self.values[levels[place].0];
        let is_hidden = |place: usize| {
            (middles[place] - usual).abs() > (CHANGED * self.light).max(5.0 * noise)
                || value(place).abs() < LITTLE * self.light
        };
        let (hidden, seen): (Vec<usize>, Vec<usize>) = (0..levels.len()).partition(|place| is_hidden(*place));
        self.is_covered = !hidden.is_empty();
        self.covered = hidden.len() as f32 / levels.len() as f32;
        for place in &hidden {
            self.doubts[levels[*place].0] = 1.0;
        }
        if !self.is_covered || seen.is_empty() {
            return;
        }
        let of =
            |pick: fn(&[Level; 2]) -> f32| median(seen.iter().map(|index| pick(&means[*index])).collect());
        let lit = Level {
            light: of(|[one, other]| one.light.max(other.light)),
            above: of(|[one, other]| one.above.max(other.above)),
        };
        let dark = Level {
            light: of(|[one, other]| one.light.min(other.light)),
            above: of(|[one, other]| one.above.min(other.above)),
        };
        self.light = median(seen.iter().map(|place| value(*place).abs()).collect());
        let range = [lit.light - dark.light, lit.above - dark.above];
        if range[1] < 8.0 * noise {
            return;
        }
        let range = [range[0].max(range[1]), range[1]];
        let part = |level: &Level| {
            [
                (level.light - dark.light) / range[0],
                (level.above - dark.above) / range[1],
            ]
        };
        let spread = [0, 1].map(|axis| {
            let off = |index: &usize| {
                let [unlit, lit] = if value(*index) > 0.0 { [1, 0] } else { [0, 1] };
                let levels = &levels[*index].1;
                let lit = levels[lit].iter().map(|level| (part(level)[axis] - 1.0).abs());
                let unlit = levels[unlit].iter().map(|level| part(level)[axis].abs());
                lit.chain(unlit).collect::<Vec<_>>()
            };
            // The median of a normal distribution's sizes is two thirds of its deviation.
            (1.5 * median(seen.iter().flat_map(off).collect())).max(STEADY)
        });
        // The density of what covers a lamp: as likely of any light as of any other, and mostly flat.
        let covered = |part: [f32; 2]| {
            range[0] * (0.8 * libm::expf(-part[1].abs() / FLAT) / (2.0 * FLAT) + 0.2 * range[1])
        };
        let shows = |part: [f32; 2], wanted: f32| {
            let off = [0, 1].map(|axis| (part[axis] - wanted) / spread[axis]);
            libm::expf(-0.5 * (off[0] * off[0] + off[1] * off[1]))
                / (std::f32::consts::TAU * spread[0] * spread[1])
        };
        // How much likelier a state lights the lamp than not, as a logarithm. What covers the lamp stays for all frames of a state.
        let lights = |state: &[Level]| {
            let each = state.iter().map(part).map(|part| {
                libm::logf((shows(part, 1.0) + covered(part)) / (shows(part, 0.0) + covered(part)))
            });
            each.sum::<f32>() / state.len().max(1) as f32
        };
        for place in hidden {
            let (index, [one, other]) = &levels[place];
            let likelier = lights(one) - lights(other);
            self.values[*index] = self.light.copysign(likelier);
            // With which the weights of both signs differ by that.
            self.doubts[*index] = FULL / (libm::expf(likelier.abs()) + FULL - 1.0);
        }
    }
}

/// The smoothed contrasts without their backgrounds.
#[derive(Clone, Debug)]
pub(crate) struct Sharp {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) images: Vec<Vec<f32>>,
    /// The standard deviation of the noise of each.
    pub(crate) noises: Vec<f32>,
    /// The one to which all lamps add their light.
    whole: Option<usize>,
}

impl Sharp {
    pub(crate) fn new(contrasts: &[Contrast], width: usize, height: usize) -> Self {
        let mut work = Work::new(width, height);
        let images = contrasts
            .iter()
            .map(|contrast| work.sharpened(&contrast.values))
            .collect();
        Self {
            width,
            height,
            images,
            // The weights of the smoothing: (1 + 4 + 1) / 16 in both directions.
            noises: contrasts.iter().map(|contrast| contrast.noise * 0.375).collect(),
            whole: contrasts
                .iter()
                .position(|contrast| contrast.signs.iter().all(|sign| *sign == 1)),
        }
    }

    /// The places of most light around them; and where lamps overlap, of ids that have no such place, what shows them alone.
    pub(crate) fn candidates(&self, codes: &Codes) -> Vec<Candidate> {
        let count = self.images.len();
        if count == 0 || self.width < 3 || self.height < 3 {
            return Vec::new();
        }
        let noise = self.noises.iter().sum::<f32>() / count as f32;
        // The median of the sizes of a normal distribution is two thirds of its deviation.
        let least = ((NOISES + MORE / count as f32) * noise).max(LEAST);
        let mut sums = vec![0.0_f32; self.width * self.height];
        for image in &self.images {
            for (sum, value) in sums.iter_mut().zip(image) {
                *sum += value.abs();
            }
        }
        let mut light = vec![0.0_f32; sums.len()];
        let mut sizes = Vec::with_capacity(count);
        for (place, sum) in sums.iter().enumerate() {
            // The median of numbers that are not negative is at most twice their mean.
            if 2.0 * sum / count as f32 >= least {
                sizes.clear();
                sizes.extend(self.images.iter().map(|image| image[place].abs()));
                let (_, median, _) = sizes.select_nth_unstable_by(count / 2, f32::total_cmp);
                // Around a lamp its light is the background, and what is less than that has the opposite code.
                if self
                    .whole
                    .is_none_or(|whole| self.images[whole][place] > -0.5 * *median)
                {
                    light[place] = *median;
                }
            }
        }
        let mut found = Vec::new();
        // By id, the brightest pixel that shows its code alone.
        let mut alone: HashMap<u32, (f32, usize)> = HashMap::new();
        for y in 1..self.height - 1 {
            for x in 1..self.width - 1 {
                let at = y * self.width + x;
                let here = light[at];
                if here < least {
                    continue;
                }
                let [above, below] = [at - self.width, at + self.width];
                let before = [above - 1, above, above + 1, at - 1];
                let after = [at + 1, below - 1, below, below + 1];
                if before.iter().all(|place| light[*place] < here)
                    && after.iter().all(|place| light[*place] <= here)
                {
                    found.push(self.candidate(at, here));
                } else if self.images.iter().all(|image| image[at].abs() > EVEN * here)
                    && let Some(id) = codes.id(self.images.iter().map(|image| image[at]))
                {
                    let best = alone.entry(id).or_insert((here, at));
                    if here > best.0 {
                        *best = (here, at);
                    }
                }
            }
        }
        let own: HashSet<u32> = found
            .iter()
            .filter_map(|candidate| codes.id(candidate.values.iter().copied()))
            .collect();
        let mut alone: Vec<_> = alone.into_iter().filter(|(id, _)| !own.contains(id)).collect();
        alone.sort_by_key(|(id, _)| *id);
        for (_, (here, at)) in alone {
            found.push(Candidate {
                // That of its middle is not known.
                spread: None,
                ..self.candidate(at, here)
            });
        }
        found
    }

    fn candidate(&self, at: usize, light: f32) -> Candidate {
        let off = |image: &[f32]| {
            let places = [
                at.checked_sub(2 * self.width),
                Some(at + 2 * self.width),
                at.checked_sub(2),
                Some(at + 2),
            ];
            let values = places.map(|place| {
                place
                    .and_then(|place| image.get(place))
                    .copied()
                    .unwrap_or_default()
            });
            values.iter().sum::<f32>() / 4.0 * image[at].signum()
        };
        let sum: f32 = self.images.iter().map(|image| image[at].abs()).sum();
        Candidate {
            x: at % self.width,
            y: at / self.width,
            spread: Some(self.images.iter().map(|image| off(image)).sum::<f32>() / sum),
            values: self.images.iter().map(|image| image[at]).collect(),
            light,
            doubts: vec![UNNOTICED; self.images.len()],
            is_covered: false,
            covered: 0.0,
        }
    }
}

/// A smoothed picture without its background.
pub(crate) fn sharpened(values: &[f32], width: usize, height: usize) -> Vec<f32> {
    Work::new(width, height).sharpened(values)
}

/// Memory for smoothing.
struct Work {
    width: usize,
    height: usize,
    smooth: Vec<f32>,
    rows: Vec<f32>,
    columns: Vec<f32>,
}

impl Work {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            smooth: vec![0.0; width * height],
            rows: vec![0.0; width * height],
            columns: vec![0.0; width],
        }
    }

    fn sharpened(&mut self, values: &[f32]) -> Vec<f32> {
        let (width, height) = (self.width, self.height);
        // Across: the smoothing, and the sums of the square's rows.
        for (row, (smooth, sums)) in values.chunks_exact(width).zip(
            self.smooth
                .chunks_exact_mut(width)
                .zip(self.rows.chunks_exact_mut(width)),
        ) {
            smooth.copy_from_slice(row);
            for (place, triple) in smooth[1..].iter_mut().zip(row.windows(3)) {
                *place = 0.25 * (triple[0] + triple[2]) + 0.5 * triple[1];
            }
            let mut sum: f32 = row[..AROUND.min(width)].iter().sum();
            let mut count = AROUND.min(width);
            for x in 0..width {
                if x + AROUND < width {
                    sum += row[x + AROUND];
                    count += 1;
                }
                if x > AROUND {
                    sum -= row[x - AROUND - 1];
                    count -= 1;
                }
                sums[x] = sum / count as f32;
            }
        }
        let mut sharp = vec![0.0; width * height];
        let mut count = 0;
        self.columns.fill(0.0);
        for row in self.rows.chunks_exact(width).take(AROUND) {
            add(&mut self.columns, row, 1.0);
            count += 1;
        }
        for (y, out) in sharp.chunks_exact_mut(width).enumerate() {
            if y + AROUND < height {
                add(
                    &mut self.columns,
                    &self.rows[(y + AROUND) * width..][..width],
                    1.0,
                );
                count += 1;
            }
            if y > AROUND {
                add(
                    &mut self.columns,
                    &self.rows[(y - AROUND - 1) * width..][..width],
                    -1.0,
                );
                count -= 1;
            }
            let line = |y: usize| &self.smooth[y * width..][..width];
            let (above, here, below) = (line(y.saturating_sub(1)), line(y), line((y + 1).min(height - 1)));
            let scale = 1.0 / count as f32;
            for (x, value) in out.iter_mut().enumerate() {
                *value = 0.25 * (above[x] + below[x]) + 0.5 * here[x] - self.columns[x] * scale;
            }
        }
        sharp
    }
}

fn add(sums: &mut [f32], row: &[f32], factor: f32) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += factor * value;
    }
}
