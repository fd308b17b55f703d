//! From pictures to a bundle that fits: two views first, then the others.

use super::adjust::{Bundle, Fit, Point, Seen};
use super::algebra::{Vector, cross, length};
use super::pose::{Mark, Pose, poses};
use super::view::{Lens, View};

/// A camera whose place is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) lens: Lens,
    /// The width of the picture in pixels.
    pub(super) width: f64,
    /// The focal length in pixels, if it is known.
    pub(super) focal: Option<f64>,
}

/// What is given.
pub(super) struct Setup {
    pub(super) cameras: Vec<Camera>,
    /// Whether all cameras have one focal length.
    pub(super) is_one_lens: bool,
    /// All fixtures, as all cameras see them.
    pub(super) points: Vec<Point>,
}

/// A bundle, and the camera of each of its views.
pub(super) struct Solved {
    pub(super) bundle: Bundle,
    pub(super) order: Vec<usize>,
}

/// The shortest and the longest focal length that is tried, in widths of the picture: fields of view of 110 and of 24 degrees.
const FOCALS: [f64; 2] = [0.35, 2.35];
const RATIO: f64 = 1.1;
/// Parts of a picture's width: how much poses may be off before and while they are fitted.
pub(super) const COARSE: f64 = 1.0 / 150.0;
const MIDDLE: f64 = 1.0 / 1000.0;
/// The most pairs of cameras, and fixtures of one, that are tried.
const PAIRS: usize = 6;
const SAMPLE: usize = 60;
/// Measurements beyond those that are needed.
pub(super) const REDUNDANCY: i64 = 4;

impl Setup {
    fn focals(&self, camera: usize) -> Vec<f64> {
        let Camera { width, focal, .. } = self.cameras[camera];
        if let Some(focal) = focal {
            return vec![focal];
        }
        let count = (libm::log(FOCALS[1] / FOCALS[0]) / libm::log(RATIO)) as i32 + 1;
        (0..count)
            .map(|step| width * FOCALS[0] * libm::pow(RATIO, step.into()))
            .collect()
    }

    /// A bundle of some cameras.
    pub(super) fn bundle(&self, order: &[usize], views: Vec<View>) -> Bundle {
        let mut next = 0;
        let focals = order.iter().map(|camera| {
            if self.cameras[*camera].focal.is_some() {
                return None;
            }
            next += 1;
            Some(if self.is_one_lens { 0 } else { next - 1 })
        });
        let points = self.points.iter().map(|point| {
            let seen = order.iter().enumerate().filter_map(|(view, camera)| {
                let seen = point.seen.iter().find(|seen| seen.view == *camera)?;
                Some(Seen { view, ..*seen })
            });
            Point {
                seen: seen.collect(),
                ..point.clone()
            }
        });
        Bundle {
            focals: focals.collect(),
            points: points.collect(),
            views,
            scale: 1.0,
            blur: 0.0,
        }
    }

    /// The measured places that a camera sees.
    fn marks(&self, camera: usize) -> Vec<Mark> {
        let all: Vec<(Mark, bool)> = self
            .points
            .iter()
            .filter_map(|point| {
                let seen = point.seen.iter().find(|seen| seen.view == camera)?;
                let mark = Mark {
                    at: point.known?.at,
                    pixel: seen.pixel,
                };
                Some((mark, seen.is_sure))
            })
            .collect();
        let sure: Vec<Mark> = all
            .iter()
            .filter(|(_, is_sure)| *is_sure)
            .map(|(mark, _)| *mark)
            .collect();
        let all = all.into_iter().map(|(mark, _)| mark).collect();
        spread(if sure.len() >= 4 { sure } else { all })
    }

    /// Finds all views.
    pub(super) fn solve(&self) -> Result<Solved, String> {
        let count = self.cameras.len();
        let marks: Vec<Vec<Mark>> = (0..count).map(|camera| self.marks(camera)).collect();
        let mut poses_of: Vec<Option<Vec<Pose>>> = vec![None; count];
        let common = |one: usize, other: usize| {
            let is_seen = |point: &&Point| {
                [one, other]
                    .iter()
                    .all(|view| point.seen.iter().any(|seen| seen.view == *view))
            };
            self.points.iter().filter(is_seen).count()
        };
        let mut pairs: Vec<(usize, [usize; 2])> = (0..count)
            .flat_map(|one| (one + 1..count).map(move |other| [one, other]))
            .filter(|pair| pair.iter().all(|camera| marks[*camera].len() >= 3))
            .map(|pair| (common(pair[0], pair[1]), pair))
            .filter(|(common, _)| *common >= 4)
            .collect();
        pairs.sort_by_key(|(common, _)| std::cmp::Reverse(*common));
        if pairs.is_empty() {
            let seen: Vec<usize> = marks.iter().map(Vec::len).collect();
            return Err(format!(
                "points: expected two maps with three known points or more in each and four fixtures or more in both, got {seen:?} known points"
            ));
        }
        let mut arrangements = Vec::new();
        for (_, pair) in pairs.into_iter().take(PAIRS) {
            for camera in pair {
                let blur = self.cameras[camera].width * COARSE;
                poses_of[camera].get_or_insert_with(|| {
                    poses(
                        self.cameras[camera].lens,
                        &self.focals(camera),
                        &marks[camera],
                        blur,
                    )
                });
            }
            let of = |camera: usize| poses_of[camera].as_deref().unwrap_or_default();
            arrangements.extend(self.pair(pair, [of(pair[0]), of(pair[1])]));
        }
        arrangements.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut refusal = None;
        for (_, arrangement) in arrangements {
            match arrangement.and_then(|solved| self.grown(solved)) {
                Ok(solved) => return Ok(solved),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(refusal.unwrap_or_else(|| "points: expected places of cameras from which the known points are seen where they are, got none".to_owned()))
    }

    fn grown(&self, mut solved: Solved) -> Result<Solved, String> {
        while solved.order.len() < self.cameras.len() {
            self.grow(&mut solved)?;
        }
        Ok(solved)
    }

    /// Adds the camera that sees most of what has a place.
    fn grow(&self, solved: &mut Solved) -> Result<(), String> {
        let places: Vec<_> = solved.bundle.points.iter().map(|point| point.located()).collect();
        let marks = |camera: usize| {
            let seen = self.points.iter().zip(&places).filter_map(|(point, at)| {
                let seen = point
                    .seen
                    .iter()
                    .find(|seen| seen.view == camera && seen.is_sure)?;
                Some(Mark {
                    at: (*at)?,
                    pixel: seen.pixel,
                })
            });
            seen.collect::<Vec<_>>()
        };
        let rest = (0..self.cameras.len()).filter(|camera| !solved.order.contains(camera));
        let Some((camera, marks)) = rest
            .map(|camera| (camera, marks(camera)))
            .max_by_key(|(_, marks)| marks.len())
        else {
            return Ok(());
        };
        let refused = |count: usize| {
            format!(
                "maps[{camera}]: expected four fixtures or more, on no line, that have a place from the other maps, got {count}"
            )
        };
        if marks.len() < 4 {
            return Err(refused(marks.len()));
        }
        let Camera { lens, width, focal } = self.cameras[camera];
        let shared = solved
            .order
            .iter()
            .position(|known| self.cameras[*known].focal.is_none());
        let focals = match shared.filter(|_| self.is_one_lens && focal.is_none()) {
            Some(view) => vec![solved.bundle.views[view].focal],
            None => self.focals(camera),
        };
        let count = marks.len();
        let poses = poses(lens, &focals, &spread(marks), width * COARSE);
        let pose = poses
            .into_iter()
            .min_by(|one, other| one.cost.total_cmp(&other.cost))
            .ok_or_else(|| refused(count))?;
        let mut views = solved.bundle.views.clone();
        views.push(pose.view);
        solved.order.push(camera);
        let mut bundle = self.bundle(&solved.order, views);
        bundle.sharpen(width * COARSE);
        let view = solved.order.len() - 1;
        let agree = bundle
            .points
            .iter()
            .filter(|point| point.counted().any(|seen| seen.view == view))
            .count();
        if 2 * agree < count {
            return Err(format!(
                "maps[{camera}]: expected fixtures that are seen where the other maps have them, got {agree} of {count}"
            ));
        }
        solved.bundle = bundle;
        Ok(())
    }
}

impl Point {
    /// Its place, if pictures that agree say it.
    pub(super) fn located(&self) -> Option<Vector> {
        let needed = if self.prior().is_some() { 0 } else { 2 };
        self.at.filter(|_| self.counted().count() >= needed)
    }
}

impl Bundle {
    /// Fits from views that are somewhat off: what is seen counts as less exact at first.
    pub(super) fn sharpen(&mut self, blur: f64) -> Fit {
        for blur in [blur, blur * MIDDLE / COARSE] {
            self.blur = blur;
            self.settle();
            self.adjust(25);
        }
        // Lenses and fixtures are less exact than the standard deviations of the maps.
        self.blur = 0.0;
        self.scale = self.noise().max(1.0);
        self.settle();
        self.adjust(25)
    }

    /// The usual residual of all pictures, in their standard deviations.
    fn noise(&self) -> f64 {
        let located = self
            .points
            .iter()
            .filter_map(|point| Some((point, point.located()?)));
        let mut all: Vec<f64> = located
            .flat_map(|(point, at)| point.seen.iter().map(move |seen| self.square(seen, at)))
            .collect();
        all.sort_by(f64::total_cmp);
        let fit = self.fit();
        let numbers = 2 * all.len().max(1);
        // The measurements that only say where fixtures are leave no residual.
        let part = (fit.redundancy.max(1) as f64 / numbers as f64).min(1.0);
        all.get(all.len() / 2).copied().unwrap_or_default().sqrt() / part.sqrt()
    }

    /// How much the rays of fixtures cross, in all.
    pub(super) fn crossing(&self) -> f64 {
        let located = self.points.iter().filter(|point| point.counted().count() >= 2);
        located.map(|point| self.angle(point)).sum()
    }

    /// The largest sine between two rays of a fixture.
    pub(super) fn angle(&self, point: &Point) -> f64 {
        let rays: Vec<_> = point
            .counted()
            .filter_map(|seen| self.views[seen.view].ray(seen.pixel))
            .collect();
        let pairs = rays
            .iter()
            .enumerate()
            .flat_map(|(index, one)| rays[..index].iter().map(move |other| (one, other)));
        pairs
            .map(|(one, other)| length(cross(*one, *other)))
            .fold(0.0, f64::max)
    }
}

/// Some of a list, from all of its parts.
pub(super) fn spread<Item: Clone>(all: Vec<Item>) -> Vec<Item> {
    let step = all.len().div_ceil(SAMPLE).max(1);
    all.into_iter().step_by(step).collect()
}
