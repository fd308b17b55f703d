//! Which pictures of a fixture agree, and where it then is.

use super::adjust::{Bundle, Known, Point, Seen};
use super::algebra::{Matrix, Vector, add, apply, dot, inverse, scaled, subtract};

/// The normalised distance up to which a picture agrees.
pub(super) const AGREES: f64 = 4.0;

/// The normalised distance from which two places are not one.
const APART: f64 = 3.0 * AGREES;

/// The same as [`AGREES`] of a measured fixture in parts of the picture's width, if that is more: lenses that are not quite straight may not part
/// the pictures from what was measured.
const NEAR: f64 = 1.0 / 200.0;

/// The votes for a place that was measured and holds, where each picture has one: with one picture it stands against two that meet, which
/// happens by chance, and gives way to three.
const MEASURED: f64 = 1.9;

/// The place nearest to rays, each from a place into a direction; none for parallel ones.
pub(super) fn nearest(rays: impl Iterator<Item = (Vector, Vector)>) -> Option<Vector> {
    let (mut matrix, mut right): (Matrix, Vector) = ([[0.0; 3]; 3], [0.0; 3]);
    for (from, way) in rays {
        for row in 0..3 {
            for column in 0..3 {
                let entry = f64::from(u8::from(row == column)) - way[row] * way[column];
                matrix[row][column] += entry;
                right[row] += entry * from[column];
            }
        }
    }
    Some(apply(&inverse(&matrix)?, right)).filter(|at| at.iter().all(|value| value.is_finite()))
}

impl Bundle {
    /// Where some pictures say that a fixture is, from a place to begin at.
    fn refined(&self, some: &[Seen], known: Option<Known>, mut at: Vector) -> Vector {
        for _ in 0..5 {
            let (mut matrix, mut right): (Matrix, Vector) = ([[0.0; 3]; 3], [0.0; 3]);
            if let Some(known) = known {
                let weight = known.weight();
                for (axis, row) in matrix.iter_mut().enumerate() {
                    row[axis] = weight;
                }
                right = scaled(subtract(known.at, at), weight);
            }
            for seen in some {
                let Some(sight) = self.views[seen.view].sight(at) else {
                    continue;
                };
                let sigma = self.sigma(seen);
                let weight = 1.0 / (sigma * sigma * (1.0 + self.square(seen, at) / (AGREES * AGREES)));
                for axis in 0..2 {
                    let by = sight.by_place[axis];
                    right = add(right, scaled(by, weight * (seen.pixel[axis] - sight.pixel[axis])));
                    for (row, slope) in matrix.iter_mut().zip(by) {
                        *row = add(*row, scaled(by, weight * slope));
                    }
                }
            }
            let Some(inverse) = inverse(&matrix) else { break };
            let step = apply(&inverse, right);
            if !step.iter().all(|value| value.is_finite()) {
                break;
            }
            at = add(at, step);
            if dot(step, step) < 1e-14 {
                break;
            }
        }
        at
    }

    /// Which pictures of a fixture agree with a place, and what is against it.
    fn agreeing(&self, seen: &[Seen], at: Vector, near: f64) -> (Vec<bool>, f64) {
        let (mut agree, mut against) = (Vec::with_capacity(seen.len()), 0.0);
        for seen in seen {
            let limit = AGREES.max(2.0 * near * self.views[seen.view].lens.middle[0] / self.sigma(seen));
            let square = self.square(seen, at);
            agree.push(square <= limit * limit);
            against += square.min(limit * limit);
        }
        (agree, against)
    }

    /// Finds the pictures of each fixture that agree, most of them or those that are sure, and the place that these say.
    pub(super) fn settle(&mut self) {
        for index in 0..self.points.len() {
            let settled = self.settled(&self.points[index]);
            let point = &mut self.points[index];
            for (place, seen) in point.seen.iter_mut().enumerate() {
                seen.counts = settled.as_ref().is_some_and(|settled| settled.agree[place]);
            }
            if let Some(known) = &mut point.known {
                known.counts = settled.as_ref().is_some_and(|settled| settled.holds);
            }
            point.at = settled.map(|settled| settled.at).or(point.at);
        }
    }

    fn settled(&self, point: &Point) -> Option<Settled> {
        let seen = &point.seen;
        let mut best: Option<Settled> = None;
        // The places of others with as many votes.
        let mut rivals: Vec<Vector> = Vec::new();
        let mut take = |(agree, against): (Vec<bool>, f64), at: Vector, holds: bool| {
            let votes = agree.iter().zip(seen).filter(|(agree, _)| **agree);
            let votes: f64 = votes.map(|(_, seen)| if seen.is_sure { 1.0 } else { 0.6 }).sum();
            let settled = Settled {
                rank: (votes + if holds { MEASURED } else { 0.0 }, -against),
                agree,
                at,
                holds,
            };
            let most = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.rank.0);
            if settled.rank.0 > most {
                rivals.clear();
            }
            if settled.rank.0 >= most {
                rivals.push(at);
            }
            if best.as_ref().is_none_or(|best| settled.rank > best.rank) {
                best = Some(settled);
            }
        };
        if let Some(known) = point.known {
            let at = self.refined(seen, Some(known), known.at);
            take(self.agreeing(seen, at, NEAR), at, true);
        }
        'pairs: for (index, one) in seen.iter().enumerate() {
            for other in &seen[index + 1..] {
                let rays = [one, other].map(|seen| {
                    let view = &self.views[seen.view];
                    Some((view.place, view.ray(seen.pixel)?))
                });
                let [Some(first), Some(second)] = rays else {
                    continue;
                };
                let Some(start) = nearest([first, second].into_iter()) else {
                    continue;
                };
                let at = self.refined(&[*one, *other], None, start);
                let (agree, _) = self.agreeing(seen, at, 0.0);
                let some = seen.iter().zip(agree).filter(|(_, agree)| *agree);
                let some: Vec<Seen> = some.map(|(seen, _)| *seen).collect();
                if some.len() < 2 {
                    continue;
                }
                let at = self.refined(&some, None, at);
                let agreeing = self.agreeing(seen, at, 0.0);
                let count = agreeing.0.iter().filter(|agree| **agree).count();
                if count >= 2 {
                    take(agreeing, at, false);
                }
                if count == seen.len() {
                    break 'pairs;
                }
            }
        }
        // Where pictures disagree, none are right alone.
        best.filter(|best| {
            let few = best.agree.iter().filter(|agree| **agree).count() * 2 < seen.len();
            let apart = |at: &Vector| {
                let some = seen.iter().zip(&best.agree).filter(|(_, agree)| **agree);
                some.map(|(seen, _)| self.square(seen, *at)).fold(0.0, f64::max) > APART * APART
            };
            best.holds || !(few || rivals.iter().any(apart))
        })
    }
}

/// What some pictures of a fixture agree about.
struct Settled {
    /// The votes for it, and what is against it, below 0.
    rank: (f64, f64),
    agree: Vec<bool>,
    at: Vector,
    /// Whether what was measured holds.
    holds: bool,
}
