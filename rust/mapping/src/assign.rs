//! Which id each place shows: no id is at two places, and what a mirror shows is the weaker one.

use crate::candidates::Candidate;
use crate::contrast::Contrast;
use std::collections::HashMap;

/// The probability that a contrast of a lamp says nothing: somebody stood in front of it.
const OUTLIERS: f32 = 0.02;
/// The standard deviation of a lamp's light from contrast to contrast, in parts of it: lamps beside it add theirs.
const UNEVEN: f32 = 0.35;
/// Contrasts that are turned over in search of ids.
const TURNED: usize = 6;
/// The probability from which on a place has an id.
const SURE: f32 = 0.95;
/// Places closer than this many pixels are one lamp, if they have one id.
const ONE_LAMP: f32 = 4.5;
/// Of the median lamp's light, what a place with a doubtful code has at least: mirrors have less.
const DIM: f32 = 0.25;
/// Of a place's light, what another one with its id has that is a mirror's.
pub(crate) const MIRRORED: f32 = 0.75;
/// By how much more of its light is two pixels off, in parts of it.
const WIDER: f32 = 0.08;
/// Log-likelihoods by which an id that is taken elsewhere may be better than the one that a place gets.
const WORSE: f32 = 1.5;

/// The codes of ids, and the ids of codes.
pub(crate) struct Codes {
    of: HashMap<u128, u32>,
}

impl Codes {
    /// Of the first 128 contrasts.
    pub(crate) fn new(contrasts: &[Contrast]) -> Self {
        let count = contrasts.first().map_or(0, |contrast| contrast.signs.len());
        let mut of = HashMap::with_capacity(count);
        for id in (0..count as u32).rev() {
            of.insert(code(contrasts, id), id);
        }
        Self { of }
    }

    /// The ids of a place's likeliest codes with their log-likelihoods relative to the best code's, best first.
    pub(crate) fn options(&self, candidate: &Candidate, noises: &[f32]) -> Vec<(u32, f32)> {
        let mut code = 0_u128;
        let mut costs: Vec<(f32, usize)> = Vec::with_capacity(candidate.values.len());
        for (index, (value, noise)) in candidate.values.iter().zip(noises).take(128).enumerate() {
            let lit = *value > 0.0;
            code |= u128::from(lit) << index;
            let [right, wrong] =
                [1.0, -1.0].map(|sign| likelihood(sign * value.abs(), candidate.light, *noise));
            costs.push((
                if candidate.hidden[index] {
                    0.0
                } else {
                    right - wrong
                },
                index,
            ));
        }
        costs.sort_by(|one, other| one.0.total_cmp(&other.0));
        costs.truncate(TURNED);
        let mut found = Vec::new();
        for turned in 0..1_u32 << costs.len() {
            let (mut code, mut cost) = (code, 0.0);
            for (bit, (worse, index)) in costs.iter().enumerate() {
                if turned >> bit & 1 == 1 {
                    code ^= 1 << index;
                    cost += worse;
                }
            }
            if let Some(id) = self.of.get(&code) {
                found.push((*id, -cost));
            }
        }
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found
    }
}

fn code(contrasts: &[Contrast], id: u32) -> u128 {
    let signs = contrasts.iter().take(128).enumerate();
    signs.fold(0, |code, (index, contrast)| {
        code | u128::from(contrast.signs[id as usize] > 0) << index
    })
}

/// The logarithm of a value's likelihood, in parts of an unlikely one's, for a lamp that adds so much light.
fn likelihood(value: f32, light: f32, noise: f32) -> f32 {
    let spread = (noise * noise + UNEVEN * UNEVEN * light * light).sqrt();
    let off = (value - light) / spread;
    let normal = (1.0 - OUTLIERS) * libm::expf(-0.5 * off * off) / (2.507 * spread);
    libm::logf(normal + OUTLIERS / (4.0 * light))
}

/// A place with an id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) id: u32,
    pub(crate) candidate: usize,
    pub(crate) confidence: f32,
}

/// Which ids were found where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    pub(crate) claims: Vec<Claim>,
    /// Further places of ids.
    pub(crate) mirrors: Vec<(u32, usize)>,
    /// Ids that a place may have, among others.
    pub(crate) doubtful: Vec<u32>,
    /// Places without an id.
    pub(crate) unclaimed: Vec<usize>,
}

/// Gives each id its place.
pub(crate) fn assign(candidates: &[Candidate], codes: &Codes, noises: &[f32]) -> Assignment {
    let options: Vec<_> = candidates
        .iter()
        .map(|each| codes.options(each, noises))
        .collect();
    // The brightest first, of those whose light is even.
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    let score = |index: usize| candidates[index].light * evenness(&candidates[index]);
    order.sort_by(|one, other| score(*other).total_cmp(&score(*one)).then(one.cmp(other)));
    let mut found = Assignment::default();
    let mut owners: HashMap<u32, usize> = HashMap::new();
    let mut left = Vec::new();
    for index in order {
        let Some(((id, _), confidence)) = best(&options[index]) else {
            found.unclaimed.push(index);
            continue;
        };
        match owners.get(&id) {
            Some(owner) if distance(&candidates[index], &candidates[*owner]) < ONE_LAMP => {}
            _ if confidence < SURE => left.push(index),
            Some(_) => left.push(index),
            None => {
                owners.insert(id, index);
                found.claims.push(Claim {
                    id,
                    candidate: index,
                    confidence,
                });
            }
        }
    }
    let usual = |of: fn(&Candidate) -> f32| {
        let mut values: Vec<f32> = found
            .claims
            .iter()
            .map(|claim| of(&candidates[claim.candidate]))
            .collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let least = DIM * usual(|candidate| candidate.light);
    let widest = usual(|candidate| candidate.spread) + WIDER;
    // What is left has one of the ids that are left, or is no lamp. Each that is given away leaves fewer for the others.
    // Those that were seen best come first.
    left.sort_by_key(|index| candidates[*index].hidden.iter().filter(|hidden| **hidden).count());
    loop {
        let before = left.len();
        left.retain(|index| {
            let (all, candidate) = (&options[*index], &candidates[*index]);
            let top = all[0];
            // A mirror's claim yields to that of what it shows.
            let is_mirror = |owner: &usize| {
                let owner = &candidates[*owner];
                owner.light < MIRRORED * candidate.light
                    && owner.spread > widest
                    && distance(owner, candidate) >= ONE_LAMP
            };
            let free: Vec<_> = all
                .iter()
                .copied()
                .filter(|(id, _)| owners.get(id).is_none_or(is_mirror))
                .collect();
            let chosen = best(&free).filter(|((_, likelihood), confidence)| {
                *confidence >= SURE
                    && top.1 - likelihood < WORSE
                    && candidate.light >= least
                    && candidate.spread <= widest
            });
            let Some(((id, likelihood), confidence)) = chosen else {
                return true;
            };
            if let Some(owner) = owners.insert(id, *index) {
                found.claims.retain(|claim| claim.candidate != owner);
                found.mirrors.push((id, owner));
            }
            // If another id fits too, this may be a second picture of that.
            let others: f32 = all.iter().map(|(_, other)| libm::expf(other - likelihood)).sum();
            found.claims.push(Claim {
                id,
                candidate: *index,
                confidence: confidence * (1.0 - 0.1 * (1.0 - 1.0 / others)),
            });
            false
        });
        if left.len() == before {
            break;
        }
    }
    for index in left {
        let (all, candidate) = (&options[index], &candidates[index]);
        let (id, _) = all[0];
        match owners.get(&id) {
            Some(owner) if distance(candidate, &candidates[*owner]) < ONE_LAMP => {}
            Some(_) if best(all).is_some_and(|(_, confidence)| confidence >= SURE) => {
                found.mirrors.push((id, index))
            }
            _ if candidate.light < least || candidate.spread > widest => {}
            _ => {
                let free = all.iter().filter(|(id, _)| !owners.contains_key(id));
                found.doubtful.extend(free.take(2).map(|(id, _)| *id));
                found.unclaimed.push(index);
            }
        }
    }
    found
}

/// The likeliest of ids with log-likelihoods, and its probability.
fn best(options: &[(u32, f32)]) -> Option<((u32, f32), f32)> {
    let top = *options.first()?;
    let sum: f32 = options
        .iter()
        .map(|(_, likelihood)| libm::expf(likelihood - top.1))
        .sum();
    Some((top, 1.0 / sum))
}

/// 1 for a place with as much light in each contrast, less for one that is hidden in some.
fn evenness(candidate: &Candidate) -> f32 {
    let even = |value: &&f32| (value.abs() - candidate.light).abs() < 0.5 * candidate.light;
    let part = candidate.values.iter().filter(even).count() as f32 / candidate.values.len().max(1) as f32;
    part * part
}

fn distance(one: &Candidate, other: &Candidate) -> f32 {
    let (dx, dy) = (one.x.abs_diff(other.x) as f32, one.y.abs_diff(other.y) as f32);
    (dx * dx + dy * dy).sqrt()
}
