//! Fixtures in space: from the pictures of cameras at several places, and fixtures whose places in the venue were measured.
//!
//! The views of two cameras are searched in which the measured fixtures are seen where they are and the rays of the others meet; the
//! other cameras follow, and a bundle adjustment fits all views and places. The measured places are so exact as their standard
//! deviations say. What pictures disagree about has no place.

mod adjust;
mod algebra;
mod answer;
mod input;
mod pair;
mod pose;
mod seen;
mod settle;
mod start;
mod turn;
mod view;

use adjust::{Bundle, Covariance};
pub use seen::seen;
pub(crate) use turn::turned_in_space;

use algebra::{Vector, cross, dot, length, subtract, unit};
use start::{REDUNDANCY, Setup, Solved};

/// The part of their distance within which measured places are on a line, or in a plane.
const FLAT: f64 = 0.02;
/// The most uncertain focal length and place of a camera, in parts of it and of its distance.
const UNCERTAIN: f64 = 0.1;
/// The least distance between cameras, in parts of that of what they see.
const APART: f64 = 0.005;
/// The most uncertain place of a fixture, in parts of its distance: above that, its rays hardly cross.
const PARALLEL: f64 = 0.05;

/// Places in space, of maps and measured points: `{"v":1,"maps":[…]}` with the results of two cameras or more, and
/// `{"v":1,"points":[{"id":3,"at":[4,0,2.5],"sigma":0.01}],"cameras":[{"fov":65,"k1":0,"k2":0}],"oneLens":true}`: metres, degrees of the
/// whole width, and the distortion of each map's lens; all but the points may be left out. The answer has each camera, the distances of
/// the points from where they were measured, the places with their standard deviations, and why the other fixtures have none: the reason
/// of the first map, `oneCamera`, `parallelRays`, or `residual` where the pictures disagree.
///
/// # Errors
/// What is expected and what is there, also where the input does not fix the views.
pub fn located(maps: &[u8], points: &[u8]) -> Result<String, String> {
    let maps = input::read_maps(maps)?;
    let (setup, known) = input::read_points(&maps, points)?;
    let Solved { mut bundle, order } = setup.solve()?;
    for _ in 0..3 {
        bundle.settle();
        let fit = bundle.adjust(50);
        // What the residuals say of the standard deviations, and these of themselves.
        let noise = (fit.squares + REDUNDANCY as f64) / (fit.redundancy.max(0) + REDUNDANCY) as f64;
        bundle.scale *= noise.sqrt();
    }
    let fit = bundle.adjust(50);
    let twice = bundle.points.iter().filter(|point| point.seen.len() >= 2);
    let agree = twice.clone().filter(|point| point.counted().count() >= 2).count();
    if 2 * agree < twice.clone().count() {
        return Err(format!(
            "maps: expected pictures that agree about most fixtures, got {agree} of {}: ids are wrong, or the distortion of the lenses",
            twice.count()
        ));
    }
    if fit.redundancy < REDUNDANCY {
        return Err(format!(
            "maps: expected {REDUNDANCY} measurements beyond those needed or more, got {}: the pictures agree about too few fixtures",
            fit.redundancy
        ));
    }
    let covariance = certain(&setup, &bundle, &order)?;
    Ok(answer::answer(&maps, &known, &bundle, &order, &covariance))
}

/// How many dimensions places fill: 1 on a line, 2 in a plane, 3.
fn dimensions(places: &[Vector]) -> usize {
    let farthest = |off: &dyn Fn(Vector) -> f64| {
        let mut most = (0.0, places[0]);
        for place in places {
            let off = off(*place);
            if off > most.0 {
                most = (off, *place);
            }
        }
        most
    };
    let first = places[0];
    let (size, second) = farthest(&|place| length(subtract(place, first)));
    let Some(along) = unit(subtract(second, first)) else {
        return 0;
    };
    let (off, third) = farthest(&|place| length(cross(along, subtract(place, first))));
    if off < FLAT * size {
        return 1;
    }
    let Some(normal) = unit(cross(along, subtract(third, first))) else {
        return 1;
    };
    let (off, _) = farthest(&|place| dot(normal, subtract(place, first)).abs());
    if off < FLAT * size { 2 } else { 3 }
}

/// The covariance of a bundle in which all is certain.
fn certain(setup: &Setup, bundle: &Bundle, order: &[usize]) -> Result<Covariance, String> {
    let fixed: Vec<Vector> = bundle
        .points
        .iter()
        .filter(|point| point.counted().next().is_some())
        .filter_map(|point| Some(point.prior()?.at))
        .collect();
    if fixed.len() < 3 || dimensions(&fixed) < 2 {
        return Err(format!(
            "points: expected three or more, on no line, that are seen where they were measured, got {}",
            fixed.len()
        ));
    }
    let measured = bundle
        .points
        .iter()
        .filter(|point| point.known.is_some() && !point.seen.is_empty())
        .count();
    // Three always have views in which they are where they were measured, and others of which one axis is mirrored.
    if fixed.len() < measured && (fixed.len() < 4 || 2 * fixed.len() <= measured) {
        return Err(format!(
            "points: expected most of them seen where they were measured, got {} of {measured}: an axis is mirrored, or ids are wrong",
            fixed.len()
        ));
    }
    let advice = if dimensions(&fixed) < 3 {
        "measure a fixture out of the plane of the others, or give the field of view"
    } else {
        "measure more fixtures, or give the field of view"
    };
    let uncertain = |what: &str| format!("points: expected what fixes {what}, got too little: {advice}");
    let distance = (0..order.len())
        .map(|view| distance(bundle, view))
        .collect::<Vec<_>>();
    are_apart(bundle)?;
    let covariance = bundle.covariance().ok_or_else(|| uncertain("the cameras"))?;
    for (view, focal) in bundle.focals.iter().enumerate() {
        let map = order[view];
        if focal.is_some_and(|focal| !(0.0..UNCERTAIN).contains(&covariance.focal(bundle.views.len(), focal)))
        {
            return Err(uncertain(&format!("the focal length of maps[{map}]")));
        }
        if !(0.0..UNCERTAIN * distance[view]).contains(&covariance.place(view)) {
            return Err(uncertain(&format!("the place of maps[{map}]")));
        }
    }
    let twice = || {
        bundle
            .points
            .iter()
            .enumerate()
            .filter(|(_, point)| point.prior().is_none() && point.located().is_some())
    };
    let parallel = twice()
        .filter(|(index, _)| is_parallel(bundle, &covariance, *index))
        .count();
    if 2 * parallel > twice().count() {
        return Err(format!(
            "maps: expected cameras at places apart from each other, got {parallel} of {} fixtures with rays that hardly cross",
            twice().count()
        ));
    }
    if setup.points.iter().all(|point| point.known.is_some()) {
        return Ok(covariance);
    }
    if twice().count() == 0 {
        return Err(
            "maps: expected fixtures that two of them have found, got none but known points".to_owned(),
        );
    }
    Ok(covariance)
}

/// Refuses views of one place.
fn are_apart(bundle: &Bundle) -> Result<(), String> {
    let first = bundle.views[0].place;
    let places = bundle
        .views
        .iter()
        .map(|view| length(subtract(view.place, first)));
    let apart = places.fold(0.0, f64::max);
    if apart >= APART * distance(bundle, 0) {
        return Ok(());
    }
    Err(format!(
        "maps: expected cameras at places apart from each other, got {apart:.2} m"
    ))
}

/// The usual distance of a view from what it sees.
fn distance(bundle: &Bundle, view: usize) -> f64 {
    let place = bundle.views[view].place;
    let mut all: Vec<f64> = bundle
        .points
        .iter()
        .filter(|point| point.counted().any(|seen| seen.view == view))
        .filter_map(|point| Some(length(subtract(point.at?, place))))
        .collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn is_parallel(bundle: &Bundle, covariance: &Covariance, index: usize) -> bool {
    let point = &bundle.points[index];
    let (Some(at), Some(spread)) = (point.at, covariance.points[index]) else {
        return true;
    };
    let sigma = (0..3).map(|axis| spread[axis][axis]).fold(0.0, f64::max).sqrt();
    let near = point
        .counted()
        .map(|seen| length(subtract(at, bundle.views[seen.view].place)));
    !(0.0..PARALLEL * near.fold(f64::INFINITY, f64::min)).contains(&sigma) || bundle.angle(point) < 1e-4
}
