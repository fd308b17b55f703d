//! Lamps in the light of others. Of the pixels around a place, each contrast is the sum of the lamps' pictures by their signs: what
//! the known lamps leave has the code of a missing one, and a blob of two lamps that are both unknown those of two.

use super::{Grid, Lamp};
use crate::assign::MIRRORED;
use crate::candidates::Candidate;
use crate::joint::{Known, Pictures, solve};

/// Half of the side of the square around a place, in pixels.
const WITHIN: i64 = 4;
/// Of what is left, what a lamp explains at least, and two lamps.
const EXPLAINED: f32 = 0.5;
const BOTH: f32 = 0.8;
/// By how much the best explains more than the second best, in parts of what it explains, and in variances of the noise.
const CLEARER: f32 = 0.08;
const VARIANCES: f32 = 30.0;
/// A lamp's light, in noises and in parts of the lamp beside it.
const NOISES: f32 = 8.0;
const PART: f32 = 0.06;
/// Of the usual blur, a lamp's; and how close to another one it is at most, in pixels.
const WIDE: f64 = 1.5;
const APART: f64 = 0.8;
/// Missing ids that are tried in pairs.
const TRIED: usize = 24;
/// The most distant of lamps that are one blob, in pixels.
const BLOB: f64 = 5.0;

/// Finds lamps beside those that are known, and pairs of lamps at places that have no id; whether there are any. Claims of weaker
/// lamps elsewhere that a pair takes become mirrors.
pub(super) fn find(
    pictures: &Pictures<'_>,
    lamps: &mut Vec<Lamp>,
    blobs: &[&Candidate],
    mirrors: &mut Vec<(u32, [f64; 2])>,
    blur: f64,
    is_image: &impl Fn(&Lamp) -> bool,
) -> bool {
    let count = pictures
        .contrasts
        .first()
        .map_or(0, |contrast| contrast.signs.len());
    // The light of each id's lamp.
    let mut lights = vec![0.0; count];
    for lamp in lamps.iter() {
        lights[lamp.known.id as usize] = lamp.spot.as_ref().map_or(0.0, |spot| spot.light);
    }
    let mut missing: Vec<u32> = (0..count as u32)
        .filter(|id| lights[*id as usize] == 0.0)
        .collect();
    let grid = Grid::new(lamps.iter().map(|lamp| lamp.known));
    let mut new: Vec<Lamp> = Vec::new();
    let all = vec![true; pictures.contrasts.len()];
    for lamp in lamps.iter().filter(|lamp| !lamp.is_covered) {
        let Some(spot) = lamp.spot.as_ref().filter(|_| !missing.is_empty()) else {
            continue;
        };
        let around = grid
            .around(lamp.known.at)
            .chain(new.iter().map(|lamp| &lamp.known));
        let beside = Pictures::beside(lamp.known.at, around);
        let search = Search::new(pictures, lamp.known.at, &beside, &lamp.used, blur);
        if let Some(found) = search
            .and_then(|search| search.one(&missing, spot.light))
            .filter(|found| !is_image(found))
        {
            missing.retain(|id| *id != found.known.id);
            new.push(found);
        }
    }
    for blob in blobs {
        let at = [blob.x as f64, blob.y as f64];
        let around = grid.around(at).chain(new.iter().map(|lamp| &lamp.known));
        let beside = Pictures::beside(at, around);
        let distance = |known: &Known| (known.at[0] - at[0]).hypot(known.at[1] - at[1]);
        if beside.iter().any(|known| distance(known) < 2.5) {
            continue;
        }
        let is_free = |id: &u32| {
            lights[*id as usize] < MIRRORED * blob.light && beside.iter().all(|known| known.id != *id)
        };
        let free: Vec<u32> = (0..count as u32).filter(is_free).collect();
        let search = Search::new(pictures, at, &beside, &all, blur);
        if let Some(pair) = search
            .and_then(|search| search.two(&free))
            .filter(|pair| !pair.iter().any(is_image))
        {
            for found in &pair {
                lights[found.known.id as usize] = blob.light;
            }
            new.extend(pair);
        }
    }
    let found = !new.is_empty();
    lamps.retain(|lamp| {
        let is_mirror = new.iter().any(|new| new.known.id == lamp.known.id);
        if is_mirror {
            mirrors.push((lamp.known.id, lamp.known.at));
        }
        !is_mirror
    });
    lamps.append(&mut new);
    found
}

/// What known lamps leave of the contrasts around a place.
struct Search<'a> {
    pictures: &'a Pictures<'a>,
    at: [f64; 2],
    beside: &'a [Known],
    is_used: &'a [bool],
    used: Vec<usize>,
    blur: f64,
    /// The products of what is left of each two contrasts, summed over the pixels.
    products: Vec<Vec<f32>>,
    /// Leaves of a code what the known ones do not explain.
    project: Vec<Vec<f32>>,
    /// What is left of all contrasts, and the part of it that is noise.
    total: f32,
    noise: f32,
    /// The variance of a contrast's noise over all pixels.
    variance: f32,
}

impl<'a> Search<'a> {
    fn new(
        pictures: &'a Pictures<'a>,
        at: [f64; 2],
        beside: &'a [Known],
        is_used: &'a [bool],
        blur: f64,
    ) -> Option<Self> {
        let used: Vec<usize> = (0..pictures.contrasts.len())
            .filter(|index| is_used[*index])
            .collect();
        if used.len() < beside.len() + 3 {
            return None;
        }
        let columns: Vec<Vec<f32>> = beside
            .iter()
            .map(|known| signs(pictures, &used, known.id))
            .collect();
        let project = projector(&columns, used.len());
        let [x, y] = at.map(|at| at.round() as i64);
        let inside = |at: i64, side: usize| {
            (at - WITHIN).max(0) as usize..((at + WITHIN + 1).max(0) as usize).min(side)
        };
        let mut products = vec![vec![0.0; used.len()]; used.len()];
        let mut pixels = 0;
        let mut values = vec![0.0; used.len()];
        for row in inside(y, pictures.height) {
            for column in inside(x, pictures.width) {
                pixels += 1;
                for (value, index) in values.iter_mut().zip(&used) {
                    *value = pictures.contrasts[*index].values[row * pictures.width + column];
                }
                let left = apply(&project, &values);
                for (products, one) in products.iter_mut().zip(&left) {
                    for (product, other) in products.iter_mut().zip(&left) {
                        *product += one * other;
                    }
                }
            }
        }
        let noise = used
            .iter()
            .map(|index| pictures.contrasts[*index].noise)
            .sum::<f32>()
            / used.len() as f32;
        let freedom = (used.len() - beside.len()) as f32;
        let variance = noise * noise * pixels as f32;
        Some(Self {
            pictures,
            at,
            beside,
            is_used,
            blur,
            total: (0..used.len()).map(|index| products[index][index]).sum(),
            noise: variance * freedom,
            variance,
            products,
            project,
            used,
        })
    }

    /// A missing id's code without what the known ones have of it; none if that is little.
    fn code(&self, id: u32) -> Option<Vec<f32>> {
        let code = apply(&self.project, &signs(self.pictures, &self.used, id));
        (dot(&code, &code) > 0.15 * self.used.len() as f32).then_some(code)
    }

    /// What a code explains of what is left.
    fn explained(&self, code: &[f32]) -> f32 {
        dot(&apply(&self.products, code), code) / dot(code, code)
    }

    /// A missing lamp.
    fn one(&self, missing: &[u32], light: f32) -> Option<Lamp> {
        if self.total < 1.5 * self.noise {
            return None;
        }
        let tried = missing
            .iter()
            .filter_map(|id| Some((self.explained(&self.code(*id)?), *id)));
        let (best, second) = best_two(tried)?;
        let part = (best.0 - self.variance) / (self.total - self.noise);
        if part < EXPLAINED || best.0 - second < (CLEARER * best.0).max(VARIANCES / 81.0 * self.variance) {
            return None;
        }
        self.lamp(best.1, &[], part, (best.0 - second) / best.0)
            .filter(|lamp| lamp.spot.as_ref().is_some_and(|spot| spot.light > PART * light))
    }

    /// Two missing lamps at one place.
    fn two(&self, missing: &[u32]) -> Option<[Lamp; 2]> {
        let mut single: Vec<(f32, u32, Vec<f32>)> = missing
            .iter()
            .filter_map(|id| {
                let code = self.code(*id)?;
                Some((self.explained(&code), *id, code))
            })
            .collect();
        single.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        single.truncate(TRIED);
        let mut pairs = Vec::new();
        for (index, (first, one, code)) in single.iter().enumerate() {
            for (_, other, next) in &single[..index] {
                // The part of the second code that the first does not have.
                let shared = dot(code, next) / dot(code, code);
                let own: Vec<f32> = next
                    .iter()
                    .zip(code)
                    .map(|(next, code)| next - shared * code)
                    .collect();
                if dot(&own, &own) > 0.15 * self.used.len() as f32 {
                    pairs.push((first + self.explained(&own), (*one, *other)));
                }
            }
        }
        let (best, second) = best_two(pairs.into_iter())?;
        let part = (best.0 - 2.0 * self.variance) / (self.total - self.noise);
        let left = (self.total - best.0).max(0.3 * self.noise);
        if part < BOTH || self.total - second < 1.6 * left {
            return None;
        }
        let (one, other) = best.1;
        let margin = 1.0 - left / (self.total - second);
        let known = |id| Known { id, at: self.at };
        let one = self.lamp(one, &[known(other)], part, margin)?;
        let other = self.lamp(other, &[one.known], part, margin)?;
        let [dx, dy] = [0, 1].map(|axis| one.known.at[axis] - other.known.at[axis]);
        (APART..BLOB).contains(&dx.hypot(dy)).then_some([one, other])
    }

    /// The lamp of an id, if its picture is that of a lamp.
    fn lamp(&self, id: u32, more: &[Known], part: f32, margin: f32) -> Option<Lamp> {
        let beside: Vec<Known> = more.iter().chain(self.beside).copied().collect();
        let spot = self
            .pictures
            .spot(Known { id, at: self.at }, &beside, self.is_used, self.blur)?;
        let distance = (spot.at[0] - self.at[0]).hypot(spot.at[1] - self.at[1]);
        let close = self
            .beside
            .iter()
            .any(|known| (spot.at[0] - known.at[0]).hypot(spot.at[1] - known.at[1]) < APART);
        let is_lamp =
            spot.light > NOISES * spot.noise && spot.width < WIDE * self.blur && distance < BLOB && !close;
        is_lamp.then(|| Lamp {
            known: Known { id, at: spot.at },
            confidence: (0.5 + 0.5 * part.min(1.0) * (4.0 * margin).min(1.0)).min(0.98),
            used: self.is_used.to_vec(),
            is_covered: false,
            spot: Some(spot),
        })
    }
}

/// The best of some, and how good the second best is.
fn best_two<T>(all: impl Iterator<Item = (f32, T)>) -> Option<((f32, T), f32)> {
    let (mut best, mut second): (Option<(f32, T)>, f32) = (None, 0.0);
    for each in all {
        match &best {
            Some((value, _)) if each.0 <= *value => second = second.max(each.0),
            _ => {
                if let Some((value, _)) = best.replace(each) {
                    second = value;
                }
            }
        }
    }
    Some((best?, second))
}

fn signs(pictures: &Pictures<'_>, used: &[usize], id: u32) -> Vec<f32> {
    used.iter()
        .map(|index| pictures.contrasts[*index].signs[id as usize].into())
        .collect()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn apply(matrix: &[Vec<f32>], vector: &[f32]) -> Vec<f32> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

/// The matrix that leaves what columns do not explain.
fn projector(columns: &[Vec<f32>], length: usize) -> Vec<Vec<f32>> {
    let size = columns.len();
    let gram = |row: usize, column: usize| {
        f64::from(dot(&columns[row], &columns[column])) + if row == column { 1e-6 } else { 0.0 }
    };
    let mut project = vec![vec![0.0; length]; length];
    for (place, row) in project.iter_mut().enumerate() {
        let system = (0..size)
            .map(|row| {
                let right = f64::from(columns[row][place]);
                (0..size).map(|column| gram(row, column)).chain([right]).collect()
            })
            .collect();
        let parts = solve(system);
        for (other, value) in row.iter_mut().enumerate() {
            let explained: f64 = columns
                .iter()
                .zip(&parts)
                .map(|(column, part)| part * f64::from(column[other]))
                .sum();
            *value = if other == place { 1.0 } else { 0.0 } - explained as f32;
        }
    }
    project
}
