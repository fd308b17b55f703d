//! Places that change with the schedule.

use crate::contrast::Contrast;
use crate::frames::Frame;

/// Half of the side of the square whose mean is the background, in pixels.
const AROUND: usize = 8;
/// Noises above which a place is one.
const NOISES: f32 = 4.5;
/// The least light, in parts of white.
const LEAST: f32 = 0.006;

/// Of its light, what changes the mean of a place when something is in front of it, and what a lamp has in a contrast at least.
const CHANGED: f32 = 0.3;
const LITTLE: f32 = 0.15;
/// How near to a level is that level, in parts of the difference of lit and dark; and of its light, what a level alone counts.
const NEAR: f32 = 0.2;
const SINGLE: f32 = 0.5;

/// A place, and its light in each contrast.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) values: Vec<f32>,
    /// The median of their sizes, of those in which it is not hidden.
    pub(crate) light: f32,
    /// In which contrasts something may have been in front of it.
    pub(crate) hidden: Vec<bool>,
    /// What of its light is two pixels off: a mirror, or glass, spreads it.
    pub(crate) spread: f32,
    /// Whether something else than lamps changed the place.
    pub(crate) is_covered: bool,
}

impl Candidate {
    /// Finds the contrasts in which something else than a lamp changes the place: the mean of a state and its complement is not
    /// what it is in the others. Where one of the two was seen nevertheless, its level alone says which it is.
    pub(crate) fn look(&mut self, contrasts: &[Contrast], frames: &[Frame]) {
        let levels: Option<Vec<[Vec<f32>; 2]>> = contrasts
            .iter()
            .map(|each| each.levels(frames, self.x, self.y))
            .collect();
        let Some(levels) = levels else { return };
        let mean = |levels: &Vec<f32>| levels.iter().sum::<f32>() / levels.len() as f32;
        let means: Vec<[f32; 2]> = levels
            .iter()
            .map(|both| [mean(&both[0]), mean(&both[1])])
            .collect();
        let middles: Vec<f32> = means.iter().map(|[one, other]| (one + other) / 2.0).collect();
        let usual = median(middles.clone());
        let noise = contrasts.iter().map(|each| each.noise).sum::<f32>() / contrasts.len() as f32;
        // Of five pixels and both states.
        let noise = 0.5 * noise / 5.0_f32.sqrt();
        for (hidden, middle) in self.hidden.iter_mut().zip(&middles) {
            *hidden = (middle - usual).abs() > (CHANGED * self.light).max(5.0 * noise);
        }
        self.is_covered = self.hidden.contains(&true);
        let seen = || (0..self.values.len()).filter(|index| !self.hidden[*index]);
        if seen().count() == 0 {
            return;
        }
        let light = median(seen().map(|index| self.values[index].abs()).collect());
        let low = median(seen().map(|index| means[index][0].min(means[index][1])).collect());
        let high = median(seen().map(|index| means[index][0].max(means[index][1])).collect());
        self.light = light;
        let near = (NEAR * (high - low)).max(4.0 * noise);
        for (index, [lit, unlit]) in levels.iter().enumerate() {
            if !self.hidden[index] && self.values[index].abs() >= LITTLE * light {
                continue;
            }
            self.hidden[index] = true;
            let count = |levels: &[f32], wanted: f32| {
                levels
                    .iter()
                    .filter(|level| (*level - wanted).abs() < near)
                    .count()
            };
            let on = count(lit, high) + count(unlit, low);
            let off = count(lit, low) + count(unlit, high);
            if high - low > 8.0 * noise && (on == 0) != (off == 0) {
                self.hidden[index] = false;
                self.values[index] = if on > 0 { SINGLE * light } else { -SINGLE * light };
            }
        }
    }
}

fn median(mut values: Vec<f32>) -> f32 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// The smoothed contrasts without their backgrounds.
#[derive(Clone, Debug)]
pub(crate) struct Sharp {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) images: Vec<Vec<f32>>,
    /// The standard deviation of the noise of each.
    pub(crate) noises: Vec<f32>,
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
        }
    }

    /// The places of most light around them.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let count = self.images.len();
        if count == 0 || self.width < 3 || self.height < 3 {
            return Vec::new();
        }
        let noise = self.noises.iter().sum::<f32>() / count as f32;
        // The median of the sizes of a normal distribution is two thirds of its deviation.
        let least = (NOISES * noise).max(LEAST);
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
                light[place] = *median;
            }
        }
        let mut found = Vec::new();
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
                    let off = |image: &[f32]| {
                        let places = [
                            above.checked_sub(self.width),
                            Some(below + self.width),
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
                    found.push(Candidate {
                        x,
                        y,
                        spread: self.images.iter().map(|image| off(image)).sum::<f32>() / sum,
                        values: self.images.iter().map(|image| image[at]).collect(),
                        light: here,
                        hidden: vec![false; count],
                        is_covered: false,
                    });
                }
            }
        }
        found
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
