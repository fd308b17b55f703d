//! What is said of cameras and fixtures.

use super::adjust::{Bundle, Covariance, Point, Seen};
use super::algebra::{IDENTITY, Matrix, Vector, length, scaled, subtract};
use super::is_parallel;
use crate::decode::{Mapping, Reason};
use serde_json::json;

fn rounded(value: f64, digits: f64) -> f64 {
    (value * digits).round() / digits + 0.0
}

/// The answer as JSON.
pub(super) fn answer(
    maps: &[Mapping],
    known: &[u32],
    bundle: &Bundle,
    order: &[usize],
    covariance: &Covariance,
) -> String {
    // The root of the mean square distance in pixels between where fixtures are seen and where they should be.
    let off = |of: &dyn Fn(&Point, &Seen) -> bool| {
        let (mut sum, mut count) = (0.0, 0.0);
        for point in &bundle.points {
            let Some(at) = point.at else { continue };
            for seen in point.counted().filter(|seen| of(point, seen)) {
                let sigma = bundle.sigma(seen);
                sum += bundle.square(seen, at) * sigma * sigma;
                count += 1.0;
            }
        }
        (rounded(f64::sqrt(sum / f64::max(count, 1.0)), 1e4), count as u64)
    };
    let mut views: Vec<usize> = (0..order.len()).collect();
    views.sort_by_key(|view| order[*view]);
    let cameras = views.into_iter().map(|index| {
        let view = &bundle.views[index];
        let (rms, fixtures) = off(&|_, seen| seen.view == index);
        let width = 2.0 * view.lens.middle[0] + 1.0;
        let fov = 2.0 * libm::atan2(width / 2.0, view.focal).to_degrees();
        json!({
            "place": view.place.map(|at| rounded(at, 1e4)), "direction": view.direction().map(|at| rounded(at, 1e6)),
            "sigma": rounded(covariance.place(index), 1e5), "focal": rounded(view.focal, 1e3), "fov": rounded(fov, 1e4),
            "rms": rms, "fixtures": fixtures,
        })
    });
    let cameras: Vec<String> = cameras.map(|camera| camera.to_string()).collect();
    let (mut places, mut missing) = (Vec::new(), Vec::new());
    for (index, point) in bundle.points.iter().enumerate() {
        match place(maps, bundle, covariance, index) {
            Ok((at, spread)) => {
                let [x, y, z] = at.map(|at| rounded(at, 1e5));
                let sigma: Vector = std::array::from_fn(|axis| rounded(spread[axis][axis].sqrt(), 1e5));
                let (residual, cameras) = off(&|other, _| other.id == point.id);
                let json = json!({
                    "id": point.id, "x": x, "y": y, "z": z, "sigma": sigma, "residual": residual, "cameras": cameras,
                });
                places.push(json.to_string());
            }
            Err(reason) => missing.push(json!({"id": point.id, "reason": reason})),
        }
    }
    let residuals = known.iter().map(|id| {
        let point = &bundle.points[*id as usize];
        let at = point.at.filter(|_| point.counted().next().is_some())?;
        Some(rounded(length(subtract(at, point.known?.at)), 1e5))
    });
    format!(
        "{{\"v\":1,\"residuals\":{},\"cameras\":[\n{}\n],\"places\":[\n{}\n],\"missing\":{}}}\n",
        json!(residuals.collect::<Vec<_>>()),
        cameras.join(",\n"),
        places.join(",\n"),
        json!(missing)
    )
}

/// The place of a fixture and its covariance, or why there is none.
fn place(
    maps: &[Mapping],
    bundle: &Bundle,
    covariance: &Covariance,
    index: usize,
) -> Result<(Vector, Matrix), &'static str> {
    let point = &bundle.points[index];
    if let (Some(at), Some(spread)) = (point.located(), covariance.points[index]) {
        let is_known = point.prior().is_some();
        return if is_known || !is_parallel(bundle, covariance, index) {
            Ok((at, spread))
        } else {
            Err("parallelRays")
        };
    }
    if let Some(known) = point.prior() {
        // Nothing but the measurement says it.
        let variance = known.sigma * known.sigma;
        return Ok((known.at, IDENTITY.map(|row| scaled(row, variance))));
    }
    match point.seen.len() {
        0 => Err(maps[0].fixtures[index]
            .place
            .map_or_else(Reason::name, |_| "oneCamera")),
        1 => Err("oneCamera"),
        _ => Err("residual"),
    }
}
