//! What is usual of the places in a recording, and how often a place that differs from it is a mirror's.

use super::Place;
use crate::candidates::Candidate;
use crate::drift::median;

/// How often a place with the usual light is a mirror's, for each time that it is a lamp's, where more of its light than usual is two
/// pixels off, by this part of it; each step further makes that e times as often, and so many steps at most.
const MIRRORS: f64 = 0.05;
const WIDER: f32 = 0.06;
const STEP: f32 = 0.02;
const MOST_STEPS: f64 = 3.0;
/// Of the largest logarithm of a weight, that of a place which is hardly anything but a lamp's.
const CLEAR: f64 = 0.8;
/// Classes of places: by how often they were covered, and whether their light is as wide as usual.
pub(super) const CLASSES: usize = 8;
pub(super) const CLEAR_CLASSES: usize = 2;
/// How much more or less of its light than usual is two pixels off where a place is not like a lamp's.
const OTHER: f32 = 0.12;

/// The light of places that nobody covered, and what of it is two pixels off where they are hardly anything but lamps: the medians.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usual {
    light: Option<f32>,
    spread: Option<f32>,
    /// By how much the latter differs, as a standard deviation.
    varies: f32,
}

impl Usual {
    pub(super) fn new(candidates: &[Candidate], places: &[Place]) -> Self {
        let clear = || {
            let all = places.iter().filter(|place| place.broken == 0.0);
            all.filter_map(|place| Some((place, libm::log(place.options.first()?.weight))))
        };
        let most = clear().map(|(_, weight)| weight).fold(0.0, f64::max);
        // The median of places of so much weight or more.
        let middle = |least: f64, value: &dyn Fn(&Candidate) -> Option<f32>| {
            let sure = clear().filter(|(_, weight)| *weight >= least);
            let values: Vec<f32> = sure
                .filter_map(|(place, _)| value(&candidates[place.candidate]))
                .collect();
            (!values.is_empty()).then(|| median(values))
        };
        let spread = middle(CLEAR * most, &|candidate| candidate.spread);
        let off = middle(CLEAR * most, &|candidate| {
            Some((candidate.spread? - spread?).abs())
        });
        Self {
            light: middle(f64::NEG_INFINITY, &|candidate| Some(candidate.light)),
            spread,
            varies: off.map_or(0.0, |off| off / 0.6745),
        }
    }
}

/// The class of a place.
pub(super) fn class(candidate: &Candidate, usual: Usual) -> usize {
    let is_other = match (candidate.spread, usual.spread) {
        (Some(spread), Some(middle)) => (spread - middle).abs() > OTHER.max(3.0 * usual.varies),
        _ => true,
    };
    let covered = if candidate.is_covered {
        1 + ((3.0 * candidate.covered) as usize).min(2)
    } else {
        0
    };
    2 * covered + usize::from(is_other)
}

/// How often each place is a mirror's, for each time that it is a lamp's.
pub(super) fn mirrors(candidates: &[Candidate], places: &[Place], usual: Usual) -> Vec<f64> {
    let Usual {
        light,
        spread,
        varies,
    } = usual;
    let (least, step) = (WIDER.max(2.0 * varies), STEP.max(0.7 * varies));
    let of = |place: &Place| {
        let candidate = &candidates[place.candidate];
        let part = light
            .map_or(1.0, |light| f64::from(candidate.light / light))
            .max(0.1);
        let wider = candidate
            .spread
            .zip(spread)
            .map_or(least, |(spread, usual)| spread - usual);
        let wide = libm::exp(f64::from((wider - least) / step).clamp(-MOST_STEPS, MOST_STEPS));
        MIRRORS / (part * part) * wide
    };
    places.iter().map(of).collect()
}
