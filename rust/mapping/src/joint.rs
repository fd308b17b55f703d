//! The light of each lamp for itself: of a pixel, the contrasts are the sums of the lamps around it by their signs.

use crate::contrast::Contrast;

/// Half of the side of a lamp's picture in pixels.
pub(crate) const REACH: usize = 7;
/// Lamps that are taken into account beside one, and how far away in pixels.
const BESIDE: usize = 5;
const NEAR: f64 = 14.0;

/// A lamp with its id and its place in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) id: u32,
    pub(crate) at: [f64; 2],
}

/// The light of a lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) at: [f64; 2],
    /// The standard deviation of `at` in pixels.
    pub(crate) sigma: f64,
    /// The light in its middle.
    pub(crate) light: f32,
    /// Pixels with half of it.
    pub(crate) pixels: u32,
    /// The standard deviation of its picture in pixels.
    pub(crate) width: f64,
    /// The noise of a pixel.
    pub(crate) noise: f32,
}

/// The pictures of lamps.
pub(crate) struct Pictures<'a> {
    pub(crate) contrasts: &'a [Contrast],
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Pictures<'_> {
    /// The lamps closest to a place, without those within a tenth of a pixel.
    pub(crate) fn beside<'a>(at: [f64; 2], others: impl Iterator<Item = &'a Known>) -> Vec<Known> {
        let squared = |known: &Known| {
            let [dx, dy] = [0, 1].map(|axis| known.at[axis] - at[axis]);
            dx * dx + dy * dy
        };
        let mut near: Vec<Known> = others
            .filter(|known| squared(known) < NEAR * NEAR)
            .copied()
            .collect();
        near.sort_by(|one, other| {
            squared(one)
                .total_cmp(&squared(other))
                .then(one.id.cmp(&other.id))
        });
        near.truncate(BESIDE);
        near
    }

    /// The weights of the contrasts whose sum is the light of the first lamp alone.
    pub(crate) fn weights(&self, ids: &[u32], used: &[bool]) -> Vec<f32> {
        let sign = |contrast: &Contrast, id: u32| f64::from(contrast.signs[id as usize]);
        let rows: Vec<&Contrast> = self
            .contrasts
            .iter()
            .zip(used)
            .filter(|(_, used)| **used)
            .map(|(each, _)| each)
            .collect();
        let size = ids.len();
        let mut system = vec![vec![0.0; size + 1]; size];
        for (row, one) in ids.iter().enumerate() {
            for (column, other) in ids.iter().enumerate() {
                system[row][column] = rows
                    .iter()
                    .map(|contrast| sign(contrast, *one) * sign(contrast, *other))
                    .sum();
            }
            // Codes that can hardly be distinguished share the light.
            system[row][row] += 0.01 * rows.len().max(1) as f64;
        }
        system[0][size] = 1.0;
        let first = solve(system);
        let all = self.contrasts.iter().zip(used);
        all.map(|(contrast, used)| {
            let weight: f64 = ids
                .iter()
                .zip(&first)
                .map(|(id, part)| part * sign(contrast, *id))
                .sum();
            if *used { weight as f32 } else { 0.0 }
        })
        .collect()
    }

    /// A weighted sum of the contrasts around a pixel, row by row; what is outside of the picture is 0.
    pub(crate) fn picture(&self, weights: &[f32], x: i64, y: i64) -> Vec<f32> {
        let side = 2 * REACH + 1;
        let mut picture = vec![0.0; side * side];
        let left = x - REACH as i64;
        let from = left.clamp(0, self.width as i64) as usize;
        let to = (left + side as i64).clamp(0, self.width as i64) as usize;
        if from >= to {
            return picture;
        }
        for row in 0..side {
            let line = y - REACH as i64 + row as i64;
            let Some(line) = usize::try_from(line).ok().filter(|line| *line < self.height) else {
                continue;
            };
            let place = row * side + (from as i64 - left) as usize;
            for (contrast, weight) in self
                .contrasts
                .iter()
                .zip(weights)
                .filter(|(_, weight)| **weight != 0.0)
            {
                let values = &contrast.values[line * self.width + from..line * self.width + to];
                for (sum, value) in picture[place..].iter_mut().zip(values) {
                    *sum += weight * value;
                }
            }
        }
        picture
    }

    /// The light of a lamp beside others, for lamps whose pictures have a standard deviation of `blur` pixels.
    pub(crate) fn spot(&self, own: Known, beside: &[Known], used: &[bool], blur: f64) -> Option<Spot> {
        let ids: Vec<u32> = std::iter::once(own.id)
            .chain(beside.iter().map(|known| known.id))
            .collect();
        let weights = self.weights(&ids, used);
        let [x, y] = own.at.map(|at| at.round() as i64);
        let picture = self.picture(&weights, x, y);
        let pairs = self.contrasts.iter().zip(&weights);
        let noise: f32 = pairs
            .map(|(contrast, weight)| (weight * contrast.noise) * (weight * contrast.noise))
            .sum();
        measure(
            &picture,
            [own.at[0] - x as f64, own.at[1] - y as f64],
            noise.sqrt(),
            blur,
        )
        .map(|spot| Spot {
            at: [spot.at[0] + x as f64, spot.at[1] + y as f64],
            ..spot
        })
        .filter(|spot| {
            let inside = |at: f64, side: usize| at > -0.5 && at < side as f64 - 0.5;
            inside(spot.at[0], self.width) && inside(spot.at[1], self.height)
        })
    }
}

/// Measures a lamp in its picture, whose middle pixel is (0, 0): the mean of the places by their light under a window that follows it
/// (as `XWIN` of E. Bertin and S. Arnouts, SExtractor, Astronomy and Astrophysics Supplement 117, 1996), which no background that is
/// even around it shifts.
pub(crate) fn measure(picture: &[f32], start: [f64; 2], noise: f32, blur: f64) -> Option<Spot> {
    let side = 2 * REACH + 1;
    let mut ring: Vec<f32> = picture
        .iter()
        .enumerate()
        .filter(|(place, _)| {
            let (row, column) = (place / side, place % side);
            row <= 1 || row + 2 >= side || column <= 1 || column + 2 >= side
        })
        .map(|(_, value)| *value)
        .collect();
    let middle = ring.len() / 2;
    let (_, background, _) = ring.select_nth_unstable_by(middle, f32::total_cmp);
    let background = *background;
    let window = 2.0 * blur * blur;
    let mut at = start;
    let mut moments = [0.0; 2];
    for _ in 0..24 {
        let (mut sum, mut shift, mut wide, mut weights) = (0.0, [0.0; 2], 0.0, 0.0);
        for (place, value) in picture.iter().enumerate() {
            let dx = (place % side) as f64 - REACH as f64 - at[0];
            let dy = (place / side) as f64 - REACH as f64 - at[1];
            let squared = dx * dx + dy * dy;
            if squared < 8.0 * window {
                let weight = libm::exp(-squared / window);
                let light = weight * f64::from(value - background);
                sum += light;
                shift[0] += light * dx;
                shift[1] += light * dy;
                wide += light * squared;
                weights += weight * weight;
            }
        }
        if sum <= 0.0 {
            return None;
        }
        moments = [sum / weights, wide / sum / 2.0];
        // A window as wide as the picture sees half of the way.
        let step = shift.map(|shift| 2.0 * shift / sum);
        at = [0, 1].map(|axis| at[axis] + step[axis].clamp(-1.0, 1.0));
        if at.iter().zip(start).any(|(at, start)| (at - start).abs() > 3.0) {
            return None;
        }
        if step.iter().all(|step| step.abs() < 1e-3) {
            break;
        }
    }
    let light = moments[0] as f32;
    let reciprocal = 1.0 / moments[1].max(1e-3) - 1.0 / (blur * blur);
    let width = if reciprocal > 0.02 {
        (1.0 / reciprocal).sqrt()
    } else {
        7.0
    };
    let half = picture
        .iter()
        .filter(|value| **value - background > light / 2.0)
        .count() as u32;
    // The error of a centre under white noise, for a picture of the window's width, and that of the pixels themselves.
    let sigma = (1.6 * f64::from(noise / light.max(1e-6))).hypot(0.01);
    Some(Spot {
        at,
        sigma,
        light,
        pixels: half,
        width,
        noise,
    })
}

/// Solves a system of equations by elimination; its last column is the right side.
pub(crate) fn solve(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    let size = system.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|one, other| {
                system[*one][column]
                    .abs()
                    .total_cmp(&system[*other][column].abs())
            })
            .unwrap_or(column);
        system.swap(column, pivot);
        let scale = system[column][column];
        if scale.abs() < 1e-12 {
            continue;
        }
        let row = system[column].clone();
        for (index, other) in system.iter_mut().enumerate() {
            if index != column {
                let factor = other[column] / scale;
                for (value, pivot) in other.iter_mut().zip(&row).skip(column) {
                    *value -= factor * pivot;
                }
            }
        }
    }
    (0..size)
        .map(|row| {
            let scale = system[row][row];
            if scale.abs() < 1e-12 {
                0.0
            } else {
                system[row][size] / scale
            }
        })
        .collect()
}
