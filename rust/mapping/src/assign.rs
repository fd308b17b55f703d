//! Which id each place shows: no id is at two places, and what a mirror shows is the weaker one. All places and ids are weighed
//! together, so that an id that is sure at one place leaves fewer for the others.

mod usual;

use crate::candidates::Candidate;
use crate::contrast::Contrast;
use std::collections::{HashMap, HashSet};
use usual::{CLASSES, CLEAR_CLASSES, Usual, class, mirrors};

/// The standard deviation of a lamp's light from contrast to contrast, in parts of it: lamps beside it add theirs.
const UNEVEN: f32 = 0.35;
/// Contrasts that are turned over in search of ids, and how much less likely than the likeliest code an id's may be, as a logarithm.
const TURNED: usize = 12;
const UNLIKELY: f64 = 12.0;
/// The most ids of one code that are kept: they have one where the states are missing that would distinguish them.
const SAME: usize = 8;
/// The probability from which on a place has an id; that from which on it may, and how much likelier it is a lamp than noise then.
const SURE: f64 = 0.93;
const LIKELY: f64 = 0.05;
const LIGHT: f64 = 20.0;
/// Places closer than this many pixels are one lamp, if they have one id.
const ONE_LAMP: f32 = 4.5;
/// Of a place's light, what another one with its id has that is a mirror's.
pub(crate) const MIRRORED: f32 = 0.75;
/// The images of lamps that were found in a venue with mirrors, for each of those lamps.
const USUAL: f64 = 0.02;
/// How much likelier than noise an image is a place's light that is counted as one, and of its lamp's light, what it has at least.
const SEEN: f64 = 1_000.0;
const FAINT: f32 = 0.15;
/// How often a lamp has no place of its own: it is dead, or hidden, or has light in common with another one.
const ABSENT: f64 = 0.02;
/// How often a place that somebody covered shows another code than its own, for each time that it shows that.
const BROKEN: f64 = 0.003;
/// The most rounds in which places and ids weigh each other, and the change of a probability that is none.
const ROUNDS: usize = 100;
const SETTLED: f64 = 1e-5;

/// The codes of ids, and the ids of codes.
pub(crate) struct Codes {
    of: HashMap<u128, Vec<u32>>,
    count: usize,
}

impl Codes {
    /// Of the first 128 contrasts.
    pub(crate) fn new(contrasts: &[Contrast]) -> Self {
        let count = contrasts.first().map_or(0, |contrast| contrast.signs.len());
        let mut of: HashMap<u128, Vec<u32>> = HashMap::with_capacity(count);
        for id in 0..count as u32 {
            let same = of.entry(code(contrasts, id)).or_default();
            if same.len() < SAME {
                same.push(id);
            }
        }
        Self { of, count }
    }

    /// Whether the code of an id is that of others too.
    pub(crate) fn is_shared(&self, contrasts: &[Contrast], id: u32) -> bool {
        self.of.get(&code(contrasts, id)).is_some_and(|ids| ids.len() > 1)
    }

    /// The only id whose lamp has these signs.
    pub(crate) fn id(&self, values: impl Iterator<Item = f32>) -> Option<u32> {
        match self.of.get(&bits(values.map(|value| value > 0.0)))?.as_slice() {
            [id] => Some(*id),
            _ => None,
        }
    }

    /// How many of these places have the code of an id, with the sign of a contrast turned over if one is named.
    pub(crate) fn fitting(&self, places: &[&Candidate], turned: Option<usize>) -> usize {
        let turned = turned
            .and_then(|index| 1_u128.checked_shl(index as u32))
            .unwrap_or(0);
        let fits = |place: &&&Candidate| self.of.contains_key(&(signs(place) ^ turned));
        places.iter().filter(fits).count()
    }

    /// How many of these places have the code of an id except one contrast.
    pub(crate) fn fitting_without(&self, places: &[&Candidate], contrast: usize) -> usize {
        let rest = !(1_u128 << contrast);
        let known: HashSet<u128> = self.of.keys().map(|code| code & rest).collect();
        let fits = |place: &&&Candidate| known.contains(&(signs(place) & rest));
        places.iter().filter(fits).count()
    }

    /// Whether less than a quarter of the codes there are, are those of ids.
    pub(crate) fn are_few(&self, contrasts: usize) -> bool {
        contrasts >= 64 || (self.of.len() as u64) < 1 << contrasts >> 2
    }

    /// The ids of a place's likeliest codes with the logarithms of their weights beside that of no lamp, best first; and the weight of a
    /// code that is any, as that of a lamp which somebody covered unnoticed.
    fn options(&self, candidate: &Candidate, noises: &[f32]) -> (Vec<(u32, f64)>, f64) {
        let (mut code, mut weight, mut any) = (0_u128, 0.0, 0.0);
        let mut costs: Vec<(f64, usize)> = Vec::with_capacity(candidate.values.len());
        let contrasts = candidate.values.iter().zip(noises).zip(&candidate.doubts);
        for (index, ((value, noise), doubt)) in contrasts.take(128).enumerate() {
            code |= u128::from(*value > 0.0) << index;
            let [right, wrong] = [1.0, -1.0]
                .map(|sign| likelihood(sign * value.abs(), candidate.light, *noise, (*doubt).into()));
            weight += right;
            any -= if *doubt < 1.0 { std::f64::consts::LN_2 } else { 0.0 };
            costs.push((right - wrong, index));
        }
        costs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        costs.truncate(TURNED);
        let mut found = Vec::new();
        let each = weight - libm::log(self.count.max(1) as f64);
        self.turn(code, 0.0, &costs, &mut |id, cost| found.push((id, each - cost)));
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        (found, weight + any)
    }

    /// The ids of a code and of those that differ from it in some of the contrasts, with what the differences cost.
    fn turn(&self, code: u128, cost: f64, costs: &[(f64, usize)], found: &mut impl FnMut(u32, f64)) {
        for id in self.of.get(&code).into_iter().flatten() {
            found(*id, cost);
        }
        for (place, (more, index)) in costs.iter().enumerate() {
            if cost + more > UNLIKELY {
                break;
            }
            self.turn(code ^ 1 << index, cost + more, &costs[place + 1..], found);
        }
    }
}

fn code(contrasts: &[Contrast], id: u32) -> u128 {
    bits(contrasts.iter().map(|contrast| contrast.signs[id as usize] > 0))
}

/// The code of a place, as far as its signs show it.
fn signs(place: &Candidate) -> u128 {
    bits(place.values.iter().map(|value| *value > 0.0))
}

/// A number of the first 128 bits, the lowest first.
fn bits(values: impl Iterator<Item = bool>) -> u128 {
    let first = values.take(128).enumerate();
    first.fold(0, |code, (index, is_set)| code | u128::from(is_set) << index)
}

/// The logarithm of a value's likelihood for a lamp that adds so much light, less that for what is no lamp but as bright.
fn likelihood(value: f32, light: f32, noise: f32, doubt: f64) -> f64 {
    let spread = f64::from(noise.hypot(UNEVEN * light));
    let off = f64::from(value - light) / spread;
    let lamp = libm::exp(-0.5 * off * off) / (2.507 * spread);
    let light = f64::from(light);
    let other = libm::exp(-f64::from(value.abs()) / light) / (2.0 * light);
    libm::log((1.0 - doubt) * lamp / other + doubt)
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
    /// How many of those are bright and clear enough to be mirror images, and not noise.
    pub(crate) images: usize,
    /// Ids that a place may have, among others.
    pub(crate) doubtful: Vec<u32>,
    /// Places without an id.
    pub(crate) unclaimed: Vec<usize>,
}

/// Gives each id its place; and once more, if what was found says how much more often, or less, a place with an id is a mirror's: all
/// places, or by `more` each.
pub(crate) fn assign<'a, F: Fn(u32, usize) -> f64 + 'a>(
    candidates: &[Candidate],
    codes: &Codes,
    noises: &[f32],
    more: impl FnOnce(&Assignment) -> Option<F>,
) -> Assignment {
    let mut places = distinct(candidates, codes, noises);
    let usual = Usual::new(candidates, &places);
    for place in &mut places {
        place.class = class(&candidates[place.candidate], usual);
    }
    let mut mirrors = mirrors(candidates, &places, usual);
    weigh(&mut places, &mirrors, codes.count);
    let found = assignment(candidates, &places);
    // Fewer images of lamps that were found than usual mean fewer of those that were not.
    let part = ((found.images as f64 + 0.5) / (USUAL * found.claims.len() as f64 + 0.5)).min(1.0);
    let more = more(&found);
    if more.is_none() && part == 1.0 {
        return found;
    }
    for (mirror, place) in mirrors.iter_mut().zip(&places) {
        *mirror *= part;
        if let (Some(first), Some(more)) = (place.options.first(), &more) {
            *mirror *= more(first.id, place.candidate);
        }
    }
    weigh(&mut places, &mirrors, codes.count);
    assignment(candidates, &places)
}

/// The likeliest id of each place, as far as it is sure.
fn assignment(candidates: &[Candidate], places: &[Place]) -> Assignment {
    let mut found = Assignment::default();
    let mut owners: HashMap<u32, usize> = HashMap::new();
    for place in places {
        let best = place
            .options
            .iter()
            .max_by(|one, other| one.probability.total_cmp(&other.probability));
        if let Some(best) = best.filter(|best| best.probability >= SURE) {
            owners.insert(best.id, place.candidate);
            found.claims.push(Claim {
                id: best.id,
                candidate: place.candidate,
                confidence: best.probability as f32,
            });
        }
    }
    for place in places {
        let Some(first) = place.options.first() else {
            found.unclaimed.push(place.candidate);
            continue;
        };
        match owners.get(&first.id) {
            Some(owner) if *owner == place.candidate => {}
            Some(owner) => {
                let part = candidates[place.candidate].light / candidates[*owner].light;
                found.images += usize::from(first.weight > SEEN && part > FAINT);
                found.mirrors.push((first.id, place.candidate));
            }
            None if place
                .options
                .iter()
                .any(|option| owners.get(&option.id) == Some(&place.candidate)) => {}
            None => {
                let likely = place
                    .options
                    .iter()
                    .filter(|option| option.probability >= LIKELY && option.weight > LIGHT);
                found.doubtful.extend(likely.map(|option| option.id));
                found.unclaimed.push(place.candidate);
            }
        }
    }
    found
}

/// A place and the ids that it may have, the likeliest by its light first.
struct Place {
    candidate: usize,
    class: usize,
    /// The weight of its code being broken, none of its options.
    broken: f64,
    options: Vec<Choice>,
}

/// How often places of a class are lamps' at least, for each time that they are nothing.
const RARE: f64 = 0.01;
/// An id that a place may have.
struct Choice {
    id: u32,
    /// By the place's light alone, beside that of no lamp.
    weight: f64,
    /// What the place says of it to the others, and the others to the place.
    said: f64,
    heard: f64,
    /// How likely the id's lamp is at a brighter place, or at none.
    mirror: f64,
    probability: f64,
}

/// Places with their options, the brightest first, without second ones of a lamp.
fn distinct(candidates: &[Candidate], codes: &Codes, noises: &[f32]) -> Vec<Place> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|one, other| {
        let lights = [*other, *one].map(|index| candidates[index].light);
        lights[0].total_cmp(&lights[1]).then(one.cmp(other))
    });
    let mut places = Vec::with_capacity(order.len());
    let mut brighter: HashMap<u32, Vec<usize>> = HashMap::new();
    for index in order {
        let (options, any) = codes.options(&candidates[index], noises);
        if let Some((id, _)) = options.first() {
            let same = brighter.entry(*id).or_default();
            if same
                .iter()
                .any(|other| distance(&candidates[index], &candidates[*other]) < ONE_LAMP)
            {
                continue;
            }
            same.push(index);
        }
        let choice = |(id, weight): (u32, f64)| Choice {
            id,
            weight: libm::exp(weight.min(600.0)),
            said: 0.0,
            heard: 1.0 / ABSENT,
            mirror: 1.0,
            probability: 0.0,
        };
        places.push(Place {
            candidate: index,
            class: 0,
            broken: if candidates[index].is_covered {
                BROKEN * libm::exp(any.min(600.0))
            } else {
                0.0
            },
            options: options.into_iter().map(choice).collect(),
        });
    }
    places
}

/// The probability of each option of each place, where no id has two places and a mirror's is no brighter than its lamp's: by the
/// sum-product algorithm (F. R. Kschischang, B. J. Frey and H.-A. Loeliger, Factor Graphs and the Sum-Product Algorithm, IEEE
/// Transactions on Information Theory 47, 2001). The places come with the brightest first.
fn weigh(places: &mut [Place], mirrors: &[f64], count: usize) {
    let (mut sums, mut brighter) = (vec![0.0; count], vec![0.0; count]);
    // How often places of a class that were covered are lamps', for each time that they are nothing, as the edge of somebody: as often
    // as they turn out to be.
    let mut lamps = [(count as f64 / places.len().max(1) as f64).min(1.0); CLASSES];
    let mut sizes = [0.0; CLASSES];
    for place in places.iter() {
        sizes[place.class] += 1.0;
    }
    for _ in 0..ROUNDS {
        // What all places say of an id, and below those that were before.
        sums.fill(0.0);
        let mut changed = 0.0_f64;
        let mut likely = [0.0; CLASSES];
        for (place, mirror) in places.iter_mut().zip(mirrors) {
            let part = if place.class < CLEAR_CLASSES {
                1.0
            } else {
                lamps[place.class]
            };
            let other = |option: &Choice| part * option.weight * option.mirror * mirror;
            let others = 1.0 + part * place.broken + place.options.iter().map(other).sum::<f64>();
            let own = |option: &Choice| part * option.weight * option.heard;
            let all: f64 = place.options.iter().map(own).sum();
            likely[place.class] += all / (others + all);
            for option in &mut place.options {
                let own = part * option.weight * option.heard;
                option.said = part * option.weight / (others + (all - own).max(0.0));
                let probability = own / (others + all);
                changed = changed.max((probability - option.probability).abs());
                option.probability = probability;
                sums[option.id as usize] += option.said;
            }
        }
        if changed < SETTLED {
            break;
        }
        // Places say more before they hear of each other than there can be.
        let most = (count as f64 / likely.iter().sum::<f64>().max(1e-9)).min(1.0);
        for (lamps, (likely, size)) in lamps.iter_mut().zip(likely.iter().zip(sizes)) {
            let usual = (likely * most + 0.5) / (size + 1.0);
            *lamps = (*lamps * (usual / (1.0 - usual).max(0.01)).clamp(RARE, 1.0)).sqrt();
        }
        brighter.fill(0.0);
        for option in places.iter_mut().flat_map(|place| &mut place.options) {
            let id = option.id as usize;
            let others = ABSENT + (sums[id] - option.said).max(0.0);
            option.heard = 1.0 / others;
            option.mirror = (ABSENT + brighter[id]) / others;
            brighter[id] += option.said;
        }
    }
}

fn distance(one: &Candidate, other: &Candidate) -> f32 {
    let (dx, dy) = (one.x.abs_diff(other.x) as f32, one.y.abs_diff(other.y) as f32);
    dx.hypot(dy)
}
