//! The first two views: of those in which the measured fixtures fit, the two in which the rays of the others meet.

use super::adjust::{Bundle, Fit, Point};
use super::pose::{Pose, differ};
use super::settle::nearest;
use super::start::{COARSE, REDUNDANCY, Setup, Solved, spread};
use super::view::View;

/// The most arrangements of a pair that are fitted.
const ARRANGEMENTS: usize = 8;
/// The least difference of the costs of two arrangements of which one is certain: 50 to 1.
const CERTAIN: f64 = 8.0;

impl Setup {
    /// The arrangement of two views that fits best, and by how much their rays cross; an error where another one fits alike.
    pub(super) fn pair(
        &self,
        pair: [usize; 2],
        poses: [&[Pose]; 2],
    ) -> Option<(f64, Result<Solved, String>)> {
        let blur = pair.map(|camera| self.cameras[camera].width * COARSE);
        let start = self.bundle(&pair, Vec::new());
        let shared: Vec<[[f64; 2]; 2]> = start
            .points
            .iter()
            .filter(|point| {
                point.known.is_none() && point.seen.len() == 2 && point.seen.iter().all(|seen| seen.is_sure)
            })
            .map(|point| [point.seen[0].pixel, point.seen[1].pixel])
            .collect();
        let shared = spread(shared);
        let rays: [Vec<Vec<_>>; 2] = std::array::from_fn(|side| {
            let of_pose = |pose: &Pose| shared.iter().map(|pixels| pose.view.ray(pixels[side])).collect();
            poses[side].iter().map(of_pose).collect()
        });
        let are_alike = self.is_one_lens && pair.iter().all(|camera| self.cameras[*camera].focal.is_none());
        let mut arrangements = Vec::new();
        for (one, first) in poses[0].iter().enumerate() {
            for (other, second) in poses[1].iter().enumerate() {
                if are_alike && first.focal != second.focal {
                    continue;
                }
                let views = [first.view, second.view];
                let mut cost = first.cost + second.cost;
                for (index, pixels) in shared.iter().enumerate() {
                    let at = match [rays[0][one][index], rays[1][other][index]] {
                        [Some(first), Some(second)] => {
                            nearest([(views[0].place, first), (views[1].place, second)].into_iter())
                        }
                        _ => None,
                    };
                    let off = |side: usize| {
                        let seen = views[side].see(at?)?;
                        let off = (seen[0] - pixels[side][0]).hypot(seen[1] - pixels[side][1]) / blur[side];
                        Some(off * off)
                    };
                    let square = off(0).zip(off(1)).map_or(1e3, |(one, other)| one + other);
                    cost += 9.0 * libm::log1p(square / 9.0);
                }
                arrangements.push((cost, views));
            }
        }
        arrangements.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut kept: Vec<[View; 2]> = Vec::new();
        for (_, views) in arrangements {
            let is_new = |kept: &[View; 2]| (0..2).any(|side| differ(&kept[side], &views[side]));
            if kept.len() < ARRANGEMENTS && kept.iter().all(is_new) {
                kept.push(views);
            }
        }
        let mut fitted: Vec<(Fit, Bundle)> = kept
            .into_iter()
            .map(|views| {
                let mut bundle = self.bundle(&pair, views.to_vec());
                bundle.points = sampled(bundle.points);
                let fit = bundle.sharpen(blur[0].max(blur[1]));
                (fit, bundle)
            })
            .filter(|(fit, _)| fit.cost.is_finite())
            .collect();
        // What fewer pictures agree with costs less.
        let total = |(fit, bundle): &(Fit, Bundle)| fit.cost - bundle.agreement();
        fitted.sort_by(|one, other| total(one).total_cmp(&total(other)));
        let (fit, bundle) = fitted.first()?;
        let rival = fitted[1..]
            .iter()
            .find(|(_, rival)| (0..2).any(|side| differ(&bundle.views[side], &rival.views[side])));
        let is_certain = rival.is_none_or(|rival| total(rival) - total(&fitted[0]) > CERTAIN);
        let result = if let Err(error) = super::are_apart(bundle) {
            Err(error)
        } else if fit.redundancy < REDUNDANCY {
            Err(format!(
                "points: expected {REDUNDANCY} measurements beyond those needed or more, got {}: measure more fixtures, or give the field of view",
                fit.redundancy
            ))
        } else if is_certain {
            let mut all = self.bundle(&pair, bundle.views.clone());
            all.scale = bundle.scale;
            all.settle();
            all.adjust(20);
            Ok(Solved {
                bundle: all,
                order: pair.to_vec(),
            })
        } else {
            Err("points: expected one arrangement of the cameras that fits, got two: measure more fixtures, one of them out of the plane of the others, or give the field of view".to_owned())
        };
        Some((
            bundle.crossing() * if result.is_ok() { 1.0 } else { 1e-3 },
            result,
        ))
    }
}

impl Bundle {
    /// What the pictures and the measured places that agree are worth: twice the logarithm of how much more likely each is than a place
    /// anywhere.
    fn agreement(&self) -> f64 {
        const MEASURED: f64 = 24.0;
        let of_point = |point: &Point| {
            let seen = point.counted().map(|seen| {
                let [x, y] = self.views[seen.view].lens.middle;
                let sigma = self.sigma(seen);
                2.0 * libm::log(4.0 * x * y / (std::f64::consts::TAU * sigma * sigma))
            });
            let seen: f64 = seen.sum();
            seen + if seen > 0.0 && point.prior().is_some() {
                MEASURED
            } else {
                0.0
            }
        };
        self.points.iter().map(of_point).sum()
    }
}

/// The points that were measured, and some of the others that are seen twice.
fn sampled(points: Vec<Point>) -> Vec<Point> {
    let (known, others): (Vec<_>, Vec<_>) = points.into_iter().partition(|point| point.known.is_some());
    let twice = others.into_iter().filter(|point| point.seen.len() >= 2).collect();
    [spread(known), spread(twice)].concat()
}
