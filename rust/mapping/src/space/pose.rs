//! The views of one camera in which measured places are seen where they are.

use super::adjust::{Bundle, Known, Point, Seen};
use super::algebra::{
    Matrix, Vector, add, apply, cross, dot, length, product, scaled, subtract, transposed, unit,
};
use super::view::{Lens, View};

/// A place in space, and where it is in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) at: Vector,
    pub(super) pixel: [f64; 2],
}

/// A view that marks allow, and its cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub(super) view: View,
    pub(super) cost: f64,
    /// Which of the focal lengths it has.
    pub(super) focal: usize,
}

/// Depths that are tried, triples of marks, and poses of a focal length that are kept.
const DEPTHS: usize = 96;
const TRIPLES: usize = 12;
const KEPT: usize = 4;
/// The sine below which three places are a line.
const LINE: f64 = 0.03;

/// The poses of each focal length that fit marks best; `blur`: the pixels that they may be off.
pub(super) fn poses(lens: Lens, focals: &[f64], marks: &[Mark], blur: f64) -> Vec<Pose> {
    let triples = triples(marks);
    let mut all = Vec::new();
    for (index, focal) in focals.iter().enumerate() {
        let mut some: Vec<Pose> = triples
            .iter()
            .flat_map(|triple| of_triple(lens, *focal, triple))
            .map(|view| Pose {
                cost: cost(&view, marks, blur),
                view,
                focal: index,
            })
            .collect();
        some.sort_by(|one, other| one.cost.total_cmp(&other.cost));
        let mut kept: Vec<Pose> = Vec::new();
        for pose in some.into_iter().take(6 * KEPT) {
            let pose = polished(pose, marks, blur);
            if kept.len() < KEPT && kept.iter().all(|kept| differ(&kept.view, &pose.view)) {
                kept.push(pose);
            }
        }
        all.append(&mut kept);
    }
    all
}

/// Whether two views are not one: by 3 degrees, or a twentieth of the focal length.
pub(super) fn differ(one: &View, other: &View) -> bool {
    let turned = product(&one.rotation, &transposed(&other.rotation));
    let trace = turned[0][0] + turned[1][1] + turned[2][2];
    let ratio = one.focal / other.focal;
    (trace - 1.0) / 2.0 < 0.9986 || !(0.95..1.05).contains(&ratio)
}

fn bundle(view: View, marks: &[Mark], blur: f64) -> Bundle {
    let point = |mark: &Mark| Point {
        id: 0,
        at: Some(mark.at),
        known: Some(Known {
            at: mark.at,
            sigma: 0.0,
            counts: true,
        }),
        seen: vec![Seen {
            view: 0,
            pixel: mark.pixel,
            sigma: 0.0,
            is_sure: true,
            counts: true,
        }],
    };
    Bundle {
        views: vec![view],
        focals: vec![None],
        points: marks.iter().map(point).collect(),
        scale: 1.0,
        blur,
    }
}

fn cost(view: &View, marks: &[Mark], blur: f64) -> f64 {
    bundle(*view, marks, blur).fit().cost
}

fn polished(pose: Pose, marks: &[Mark], blur: f64) -> Pose {
    if marks.len() == 3 {
        return pose;
    }
    let mut bundle = bundle(pose.view, marks, blur);
    let fit = bundle.adjust(8);
    Pose {
        view: bundle.views[0],
        cost: fit.cost,
        ..pose
    }
}

/// Triples of marks that are on no line, those far from each other first.
fn triples(marks: &[Mark]) -> Vec<[Mark; 3]> {
    let count = marks.len();
    let mut all: Vec<(f64, [Mark; 3])> = Vec::new();
    let mut take = |indices: [usize; 3]| {
        let triple = indices.map(|index| marks[index]);
        let flat = triple.map(|mark| [mark.pixel[0], mark.pixel[1], 0.0]);
        let [space, picture] = [triple.map(|mark| mark.at), flat].map(|[a, b, c]| {
            let [one, other] = [subtract(b, a), subtract(c, a)];
            let area = length(cross(one, other));
            (area, area / (length(one) * length(other)))
        });
        if space.1 > LINE && picture.1 > LINE {
            all.push((picture.0, triple));
        }
    };
    if count <= 9 {
        for one in 0..count {
            for other in one + 1..count {
                (other + 1..count).for_each(|third| take([one, other, third]));
            }
        }
    } else {
        // Each mark with others at strides that differ.
        for turn in 0..120 {
            let one = turn % count;
            let other = (one + 1 + turn * 7 % (count - 1)) % count;
            let third = (one + 1 + turn * 13 % (count - 1)) % count;
            if other != third {
                take([one, other, third]);
            }
        }
    }
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    // A wrong mark may be in all of the largest.
    let step = all.len().div_ceil(TRIPLES).max(1);
    all.into_iter().step_by(step).map(|(_, triple)| triple).collect()
}

/// The views of three marks (J. A. Grunert, Das Pothenotische Problem, 1841): the depth of the first is searched, those of the others
/// follow from their distances to it, and their own distance decides.
fn of_triple(lens: Lens, focal: f64, triple: &[Mark; 3]) -> Vec<View> {
    let rays = triple.map(|mark| lens.ray(focal, mark.pixel));
    let [Some(first), Some(second), Some(third)] = rays else {
        return Vec::new();
    };
    let [a, b, c] = triple.map(|mark| mark.at);
    let sides = [subtract(b, a), subtract(c, a), subtract(c, b)].map(|side| dot(side, side));
    let cosines = [dot(first, second), dot(first, third), dot(second, third)];
    let sines = [0, 1].map(|side| (1.0 - cosines[side] * cosines[side]).max(1e-12).sqrt());
    let most = (sides[0].sqrt() / sines[0]).min(sides[1].sqrt() / sines[1]);
    let depths = |near: f64, signs: [f64; 2]| {
        let [second, third] = [0, 1].map(|side| {
            let root = (sides[side] - near * near * sines[side] * sines[side])
                .max(0.0)
                .sqrt();
            near * cosines[side] + signs[side] * root
        });
        let off = second * second + third * third - 2.0 * second * third * cosines[2] - sides[2];
        (second > 0.0 && third > 0.0).then_some(([near, second, third], off))
    };
    let mut views = Vec::new();
    for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        // Denser towards the depth at which the ray touches the sphere around the first.
        let at = |step: usize| most * libm::sin(step as f64 / DEPTHS as f64 * std::f64::consts::FRAC_PI_2);
        let found: Vec<_> = (1..=DEPTHS).map(|step| depths(at(step), signs)).collect();
        for step in 0..DEPTHS {
            let Some((here, off)) = found[step] else { continue };
            let next = found.get(step + 1).copied().flatten();
            let before = step.checked_sub(1).and_then(|before| found[before]);
            let farther =
                |other: Option<([f64; 3], f64)>| other.is_none_or(|(_, other)| other.abs() >= off.abs());
            if let Some((_, after)) = next
                && (after < 0.0) != (off < 0.0)
            {
                let (mut low, mut high) = (at(step + 1), at(step + 2));
                for _ in 0..40 {
                    let middle = (low + high) / 2.0;
                    match depths(middle, signs) {
                        Some((_, between)) if (between < 0.0) == (off < 0.0) => low = middle,
                        _ => high = middle,
                    }
                }
                let root = depths((low + high) / 2.0, signs).map_or(here, |(depths, _)| depths);
                views.extend(placed(lens, focal, [first, second, third], root, [a, b, c]));
            } else if off.abs() < 0.1 * sides[2] && farther(next) && farther(before) {
                // Noise may part a double root.
                views.extend(placed(lens, focal, [first, second, third], here, [a, b, c]));
            }
        }
    }
    views
}

/// The view in which three places are at depths along rays.
fn placed(lens: Lens, focal: f64, rays: [Vector; 3], depths: [f64; 3], places: [Vector; 3]) -> Option<View> {
    let own: [Vector; 3] = std::array::from_fn(|index| scaled(rays[index], depths[index]));
    let rotation = product(&transposed(&axes(own)?), &axes(places)?);
    let middle = |places: [Vector; 3]| scaled(add(add(places[0], places[1]), places[2]), 1.0 / 3.0);
    let back = apply(&transposed(&rotation), middle(own));
    Some(View {
        rotation,
        place: subtract(middle(places), back),
        focal,
        lens,
    })
}

/// The axes of a triangle.
fn axes([a, b, c]: [Vector; 3]) -> Option<Matrix> {
    let first = unit(subtract(b, a))?;
    let third = unit(cross(first, subtract(c, a)))?;
    Some([first, cross(third, first), third])
}
