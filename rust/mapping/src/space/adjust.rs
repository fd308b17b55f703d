//! Bundle adjustment: the views and the places in space that together explain best what was seen (B. Triggs and others, Bundle
//! Adjustment, A Modern Synthesis, 1999).

use super::algebra::{Cholesky, Matrix, Vector, add, apply, dot, inverse, product, rotation, subtract};
use super::settle::AGREES;
use super::view::{PARAMETERS, View};

/// The normalised distance from which a residual counts less (Cauchy's loss).
const WIDTH: f64 = 3.0;
/// What something that should be seen and is behind the camera costs.
const BEHIND: f64 = 30.0;
/// The smallest standard deviation of a known place in metres: it is then exact.
const EXACT: f64 = 1e-5;

/// A fixture in a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) view: usize,
    pub(super) pixel: [f64; 2],
    /// Pixels.
    pub(super) sigma: f64,
    pub(super) is_sure: bool,
    /// Whether it agrees with the other pictures.
    pub(super) counts: bool,
}

/// A place that was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) at: Vector,
    pub(super) sigma: f64,
    pub(super) counts: bool,
}

impl Known {
    pub(super) fn weight(&self) -> f64 {
        let sigma = self.sigma.max(EXACT);
        1.0 / (sigma * sigma)
    }
}

/// A fixture in space.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) id: u32,
    pub(super) at: Option<Vector>,
    pub(super) known: Option<Known>,
    pub(super) seen: Vec<Seen>,
}

impl Point {
    pub(super) fn counted(&self) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(|seen| seen.counts)
    }

    pub(super) fn prior(&self) -> Option<Known> {
        self.known.filter(|known| known.counts)
    }

    /// Its place, if what was seen and measured fixes it.
    fn fixed(&self) -> Option<Vector> {
        let needed = if self.prior().is_some() { 1 } else { 2 };
        self.at.filter(|_| self.counted().count() >= needed)
    }
}

/// All views and fixtures.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) views: Vec<View>,
    /// The focal length of each view: those of one number have one, and those of none a given one.
    pub(super) focals: Vec<Option<usize>>,
    pub(super) points: Vec<Point>,
    /// What the standard deviations in pictures are multiplied by, and the pixels that are added to their squares, while the views are
    /// far from what they will be.
    pub(super) scale: f64,
    pub(super) blur: f64,
}

/// How well a bundle fits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    /// The sum of Cauchy's loss.
    pub(super) cost: f64,
    /// The sum of squares of normalised residuals, of each so much as agrees.
    pub(super) squares: f64,
    /// The number of measurements less that of parameters.
    pub(super) redundancy: i64,
}

/// The variances and covariances of a bundle.
pub(super) struct Covariance {
    size: usize,
    views: Vec<f64>,
    /// For each fixture with a place.
    pub(super) points: Vec<Option<Matrix>>,
}

impl Covariance {
    /// The standard deviations of a view's place along its worst axis, in metres.
    pub(super) fn place(&self, view: usize) -> f64 {
        (3..6)
            .map(|axis| self.views[(6 * view + axis) * (self.size + 1)])
            .fold(0.0, f64::max)
            .sqrt()
    }

    /// The standard deviation of the focal length of a number, in parts of it.
    pub(super) fn focal(&self, views: usize, focal: usize) -> f64 {
        self.views[(6 * views + focal) * (self.size + 1)].sqrt()
    }
}

/// The normal equations, from which the places of fixtures are eliminated (Schur's complement).
struct Equations {
    size: usize,
    matrix: Vec<f64>,
    right: Vec<f64>,
    points: Vec<Option<Block>>,
}

/// What was eliminated.
struct Block {
    inverse: Matrix,
    right: Vector,
    /// The parameters of views that it depends on, and how.
    by: Vec<(usize, Vector)>,
}

fn weight(square: f64) -> f64 {
    1.0 / (1.0 + square / (WIDTH * WIDTH))
}

fn loss(square: f64) -> f64 {
    WIDTH * WIDTH * libm::log1p(square / (WIDTH * WIDTH))
}

impl Bundle {
    fn size(&self) -> usize {
        let focals = self.focals.iter().flatten().max().map_or(0, |most| most + 1);
        6 * self.views.len() + focals
    }

    /// The place of a view's parameter among those of all.
    fn parameter(&self, view: usize, index: usize) -> Option<usize> {
        if index < 6 {
            return Some(6 * view + index);
        }
        self.focals[view].map(|focal| 6 * self.views.len() + focal)
    }

    pub(super) fn sigma(&self, seen: &Seen) -> f64 {
        (seen.sigma * self.scale).hypot(self.blur)
    }

    /// The normalised square of the distance between where something is seen and where it should be.
    pub(super) fn square(&self, seen: &Seen, at: Vector) -> f64 {
        self.views[seen.view].see(at).map_or(BEHIND * BEHIND, |pixel| {
            let [x, y] = [0, 1].map(|axis| (pixel[axis] - seen.pixel[axis]) / self.sigma(seen));
            x * x + y * y
        })
    }

    pub(super) fn fit(&self) -> Fit {
        let mut fit = Fit {
            redundancy: -(self.size() as i64),
            ..Fit::default()
        };
        for point in &self.points {
            let Some(at) = point.fixed() else { continue };
            fit.redundancy -= 3;
            let squares = point.counted().map(|seen| (self.square(seen, at), 2));
            let off = |known: Known| {
                let off = subtract(at, known.at);
                known.weight() * off.iter().map(|off| off * off).sum::<f64>()
            };
            let known = point.prior().map(|known| (off(known), 3));
            for (square, numbers) in squares.chain(known) {
                fit.cost += loss(square);
                fit.squares += square.min(AGREES * AGREES);
                fit.redundancy += numbers;
            }
        }
        fit
    }

    /// The equations of a step; `damping` in parts of the diagonal.
    fn equations(&self, damping: f64) -> Option<Equations> {
        let size = self.size();
        let mut equations = Equations {
            size,
            matrix: vec![0.0; size * size],
            right: vec![0.0; size],
            points: Vec::with_capacity(self.points.len()),
        };
        let mut diagonal = vec![0.0; size];
        for point in &self.points {
            let Some(at) = point.fixed() else {
                equations.points.push(None);
                continue;
            };
            let (mut own, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
            if let Some(known) = point.prior() {
                let off = subtract(known.at, at);
                let square = known.weight() * off.iter().map(|off| off * off).sum::<f64>();
                let weight = weight(square) * known.weight();
                for axis in 0..3 {
                    own[axis][axis] += weight;
                    right[axis] += weight * off[axis];
                }
            }
            let mut by: Vec<(usize, Vector)> = Vec::with_capacity(PARAMETERS * point.seen.len());
            for seen in point.counted() {
                let Some(sight) = self.views[seen.view].sight(at) else {
                    continue;
                };
                let weight = weight(self.square(seen, at)) / (self.sigma(seen) * self.sigma(seen));
                for axis in 0..2 {
                    let (off, by_place) = (seen.pixel[axis] - sight.pixel[axis], sight.by_place[axis]);
                    for row in 0..3 {
                        right[row] += weight * by_place[row] * off;
                        for column in 0..3 {
                            own[row][column] += weight * by_place[row] * by_place[column];
                        }
                    }
                    for (index, slope) in sight.by_view[axis].into_iter().enumerate() {
                        let Some(row) = self.parameter(seen.view, index) else {
                            continue;
                        };
                        let cross = by_place.map(|place| weight * slope * place);
                        match by.iter_mut().find(|(known, _)| *known == row) {
                            Some((_, sum)) => *sum = add(*sum, cross),
                            None => by.push((row, cross)),
                        }
                        equations.right[row] += weight * slope * off;
                        diagonal[row] += weight * slope * slope;
                        for (other, second) in sight.by_view[axis].into_iter().enumerate() {
                            if let Some(column) = self.parameter(seen.view, other) {
                                equations.matrix[row * size + column] += weight * slope * second;
                            }
                        }
                    }
                }
            }
            for (axis, row) in own.iter_mut().enumerate() {
                row[axis] *= 1.0 + damping;
            }
            let inverse = inverse(&own)?;
            let moved = apply(&inverse, right);
            for (row, cross) in &by {
                equations.right[*row] -= dot(*cross, moved);
                let reduced = apply(&inverse, *cross);
                for (column, other) in &by {
                    equations.matrix[row * size + column] -= dot(reduced, *other);
                }
            }
            equations.points.push(Some(Block { inverse, right, by }));
        }
        for (row, sum) in diagonal.into_iter().enumerate() {
            equations.matrix[row * size + row] += damping * sum;
        }
        Some(equations)
    }

    /// Moves along a step.
    fn step(&self, equations: &Equations) -> Option<Self> {
        let mut step = equations.right.clone();
        Cholesky::new(equations.matrix.clone(), equations.size)?.solve(&mut step);
        let mut moved = self.clone();
        for index in 0..self.views.len() {
            let view = &mut moved.views[index];
            let part = |from: usize| std::array::from_fn(|axis| step[6 * index + from + axis]);
            view.rotation = product(&rotation(part(0)), &view.rotation);
            view.place = add(view.place, part(3));
            if let Some(row) = self.parameter(index, 6) {
                view.focal *= libm::exp(step[row].clamp(-0.3, 0.3));
            }
        }
        for (point, block) in moved.points.iter_mut().zip(&equations.points) {
            if let (Some(at), Some(block)) = (&mut point.at, block) {
                let right = block.by.iter().fold(block.right, |right, (row, cross)| {
                    subtract(right, cross.map(|cross| cross * step[*row]))
                });
                *at = add(*at, apply(&block.inverse, right));
            }
        }
        Some(moved)
    }

    /// Fits, by the method of Levenberg and Marquardt, in at most so many steps.
    pub(super) fn adjust(&mut self, steps: usize) -> Fit {
        let mut damping = 1e-4;
        let mut fit = self.fit();
        for _ in 0..steps {
            let better = self
                .equations(damping)
                .and_then(|equations| self.step(&equations))
                .map(|moved| (moved.fit(), moved))
                .filter(|(after, _)| after.cost.is_finite() && after.cost <= fit.cost);
            let Some((after, moved)) = better else {
                damping *= 10.0;
                if damping > 1e8 {
                    break;
                }
                continue;
            };
            *self = moved;
            let is_over = fit.cost - after.cost <= 1e-9 * (1.0 + fit.cost);
            (fit, damping) = (after, (damping * 0.2).max(1e-12));
            if is_over {
                break;
            }
        }
        fit
    }

    /// None where what was seen does not fix all of the views.
    pub(super) fn covariance(&self) -> Option<Covariance> {
        let equations = self.equations(0.0)?;
        let size = equations.size;
        let views = Cholesky::new(equations.matrix, size)?.inverse();
        let points = equations.points.iter().map(|block| {
            let block = block.as_ref()?;
            // V⁻¹ + V⁻¹ Wᵀ C W V⁻¹.
            let by: Vec<_> = block
                .by
                .iter()
                .map(|(row, cross)| (*row, apply(&block.inverse, *cross)))
                .collect();
            let mut sum = block.inverse;
            for (row, one) in &by {
                for (column, other) in &by {
                    let shared = views[row * size + column];
                    for axis in 0..3 {
                        for second in 0..3 {
                            sum[axis][second] += one[axis] * shared * other[second];
                        }
                    }
                }
            }
            Some(sum)
        });
        Some(Covariance {
            size,
            points: points.collect(),
            views,
        })
    }
}
