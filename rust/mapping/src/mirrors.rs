//! Mirror images by the law that they share: a floor, or a pane of glass, moves all lamps of a plane by one affine map. Where it is known,
//! a place whose origin shows no light is no mirror image.

use crate::assign::Assignment;
use crate::candidates::{Candidate, Sharp};
use crate::decode::Grid;
use crate::frames::Frame;
use crate::joint::{Known, Pictures, solve};
use std::collections::HashMap;

/// Places of lamps and of their images that a law is looked for in, at most, and that follow it, at least.
const MOST: usize = 120;
const FOLLOW: usize = 5;
/// How far from where the law says, in pixels, and how far apart a lamp and its image are at least.
const NEAR: f64 = 2.5;
const APART: f64 = 12.0;
/// How far apart two images that make a law are at least, across and down, in pixels; and of their distances, those of
/// the lamps.
const WIDE: f64 = 20.0;
const SCALE: std::ops::Range<f64> = 0.8..5.0;
/// The most laws: floors and panes of glass.
const LAWS: usize = 3;
/// Of an image's light, what its lamp has at least, and what is none.
const LAMP: f32 = 1.0;
const NONE: f32 = 0.5;
/// How much more often a place is an image where its origin shows its lamp, and where that shows none.
const SHOWN: f64 = 50.0;
const CLEAR: f64 = 0.05;
/// The mean level above which a pixel may hide a lamp.
const WHITE: f64 = 0.8;

/// From an image to its lamp.
type Law = [[f64; 3]; 2];

/// The laws of a picture's mirrors, and what is known of its lamps.
pub(crate) struct Mirrors<'a> {
    laws: Vec<Law>,
    known: Grid,
    pictures: &'a Pictures<'a>,
    sharp: &'a Sharp,
    frames: &'a [Frame],
}

impl<'a> Mirrors<'a> {
    /// The laws that the further places of ids follow.
    pub(crate) fn new(
        found: &Assignment,
        candidates: &[Candidate],
        pictures: &'a Pictures<'a>,
        sharp: &'a Sharp,
        frames: &'a [Frame],
    ) -> Self {
        let lamps: HashMap<u32, [f64; 2]> = found
            .claims
            .iter()
            .map(|claim| (claim.id, candidates[claim.candidate].at()))
            .collect();
        let images = found.mirrors.iter();
        let pairs = images.filter_map(|(id, image)| Some([*lamps.get(id)?, candidates[*image].at()]));
        let known = lamps.iter().map(|(id, at)| Known { id: *id, at: *at });
        Self {
            laws: laws(pairs.collect()),
            known: Grid::new(known),
            pictures,
            sharp,
            frames,
        }
    }

    pub(crate) fn are_known(&self) -> bool {
        !self.laws.is_empty()
    }

    /// How much more often than others a place with an id and a light is a mirror image, among known lamps.
    pub(crate) fn odds(&self, id: u32, image: [f64; 2], light: f32) -> f64 {
        let (sharp, frames) = (self.sharp, self.frames);
        let mut odds = CLEAR;
        for law in &self.laws {
            let at = origin(law, image);
            let inside = |at: f64, side: usize| at > -NEAR && at < side as f64 + NEAR;
            if !inside(at[0], sharp.width) || !inside(at[1], sharp.height) || distance(at, image) < APART {
                continue;
            }
            let ids: Vec<u32> = std::iter::once(id)
                .chain(
                    Pictures::beside(at, self.known.around(at).filter(|known| known.id != id))
                        .iter()
                        .filter(|known| distance(known.at, at) < 3.0 * NEAR)
                        .take(3)
                        .map(|known| known.id),
                )
                .collect();
            let weights = self.pictures.weights(&ids, &vec![true; sharp.images.len()]);
            let around = |at: f64, side: usize| {
                let at = at.round() as i64;
                (at - 2).clamp(0, side as i64) as usize..(at + 3).clamp(0, side as i64) as usize
            };
            let mut most = f32::NEG_INFINITY;
            for row in around(at[1], sharp.height) {
                for column in around(at[0], sharp.width) {
                    let place = row * sharp.width + column;
                    let values = sharp.images.iter().zip(&weights);
                    most = most.max(values.map(|(image, weight)| image[place] * weight).sum());
                }
            }
            let noises = sharp.noises.iter().zip(&weights);
            let noise = noises
                .map(|(noise, weight)| noise * weight * noise * weight)
                .sum::<f32>()
                .sqrt();
            let [x, y] = [(at[0], sharp.width), (at[1], sharp.height)]
                .map(|(at, side)| (at.round().max(0.0) as usize).min(side - 1));
            let levels = frames
                .iter()
                .map(|frame| f64::from(frame.pixels[y * sharp.width + x]));
            let is_white = levels.sum::<f64>() > WHITE * 65_535.0 * frames.len() as f64;
            if most > (LAMP * light).max(5.0 * noise) {
                return SHOWN;
            }
            if most > NONE * light || 3.0 * noise > NONE * light || is_white {
                odds = 1.0;
            }
        }
        odds
    }
}

/// The laws that pairs of a lamp and its image follow.
fn laws(mut pairs: Vec<[[f64; 2]; 2]>) -> Vec<Law> {
    pairs.retain(|[lamp, image]| distance(*lamp, *image) > APART);
    pairs.truncate(MOST);
    let follows = |law: &Law, [lamp, image]: &[[f64; 2]; 2]| distance(origin(law, *image), *lamp) < NEAR;
    let mut laws = Vec::new();
    while laws.len() < LAWS {
        let mut best = (0, None);
        for (index, [lamp, image]) in pairs.iter().enumerate() {
            for [other, shown] in &pairs[..index] {
                // Of an upright camera, to begin with.
                let scale = [0, 1].map(|axis| (lamp[axis] - other[axis]) / (image[axis] - shown[axis]));
                let apart = (0..2).all(|axis| (image[axis] - shown[axis]).abs() > WIDE);
                if apart && scale.iter().all(|scale| SCALE.contains(&scale.abs())) {
                    let law = [
                        [scale[0], 0.0, lamp[0] - scale[0] * image[0]],
                        [0.0, scale[1], lamp[1] - scale[1] * image[1]],
                    ];
                    let count = pairs.iter().filter(|pair| follows(&law, pair)).count();
                    if count > best.0 {
                        best = (count, Some(law));
                    }
                }
            }
        }
        let (FOLLOW.., Some(law)) = best else { break };
        let followers: Vec<_> = pairs.iter().filter(|pair| follows(&law, pair)).copied().collect();
        let law = fitted(&followers);
        pairs.retain(|pair| !follows(&law, pair));
        laws.push(law);
    }
    laws
}

fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

/// Where the lamp of an image is.
fn origin(law: &Law, [x, y]: [f64; 2]) -> [f64; 2] {
    law.map(|row| row[0] * x + row[1] * y + row[2])
}

/// The law with the least squares.
fn fitted(pairs: &[[[f64; 2]; 2]]) -> Law {
    [0, 1].map(|axis| {
        let mut system = vec![vec![0.0; 4]; 3];
        for [lamp, [x, y]] in pairs {
            let row = [*x, *y, 1.0, lamp[axis]];
            for (line, one) in system.iter_mut().zip(row) {
                for (sum, other) in line.iter_mut().zip(row) {
                    *sum += one * other;
                }
            }
        }
        let solved = solve(system);
        [solved[0], solved[1], solved[2]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_found_among_places_that_follow_none() {
        let mut pairs = Vec::new();
        for index in 0..8 {
            let image = [f64::from(40 + 71 * index), f64::from(300 + (index * 37) % 150)];
            pairs.push([[image[0] + 2.0, 1_100.0 - 2.5 * image[1]], image]);
            pairs.push([[700.0 - image[0], image[1] - 250.0], [image[0], image[1] - 250.5]]);
            // The same few images of many lamps, and lamps far from all.
            pairs.push([
                [f64::from(index * index * 9), f64::from(index * 53)],
                [500.0, 200.0],
            ]);
            pairs.push([
                [f64::from(index * index * 7), 400.0],
                [f64::from(600 - index * index), 90.0],
            ]);
        }
        let laws = laws(pairs);
        let expected = [([100.0, 400.0], [102.0, 100.0]), ([100.0, 100.0], [600.0, 100.5])];
        assert_eq!(laws.len(), expected.len(), "{laws:?}");
        for (image, lamp) in expected {
            let nearest = laws
                .iter()
                .map(|law| distance(origin(law, image), lamp))
                .fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.1, "{lamp:?}: {laws:?}");
        }
        assert!(super::laws(Vec::new()).is_empty());
    }
}
