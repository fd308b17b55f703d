//! A camera at a place: where it sees what is in space.

use super::algebra::{Matrix, Vector, apply, cross, subtract, transposed, unit};

/// The parameters of a view that are fitted: three of its rotation, three of its place, and the logarithm of its focal length.
pub(super) const PARAMETERS: usize = 7;

/// A camera without skew, whose principal point is the picture's middle. Its own axes point to the right, down and forwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// From the axes of space to its own.
    pub(super) rotation: Matrix,
    pub(super) place: Vector,
    /// Pixels.
    pub(super) focal: f64,
    pub(super) lens: Lens,
}

/// What of a view is known before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    /// The picture's middle.
    pub(super) middle: [f64; 2],
    /// The radial distortion: a ray at the distance r of the axis is seen at r (1 + k1 r² + k2 r⁴), in focal lengths.
    pub(super) distortion: [f64; 2],
}

impl Lens {
    /// The direction of a pixel along a camera's own axes; none for one that the lens shows nothing at.
    pub(super) fn ray(&self, focal: f64, pixel: [f64; 2]) -> Option<Vector> {
        let [x, y] = [0, 1].map(|axis| (pixel[axis] - self.middle[axis]) / focal);
        let [k1, k2] = self.distortion;
        let seen = x.hypot(y);
        let mut radius = seen;
        // Newton's method; without distortion its first step stays.
        for _ in 0..20 {
            let square = radius * radius;
            let slope = 1.0 + square * (3.0 * k1 + square * 5.0 * k2);
            if slope <= 0.05 {
                return None;
            }
            radius -= (radius * (1.0 + square * (k1 + square * k2)) - seen) / slope;
        }
        let square = radius * radius;
        let scale = 1.0 + square * (k1 + square * k2);
        ((radius * scale - seen).abs() < 1e-9 * (1.0 + seen)).then(|| unit([x / scale, y / scale, 1.0]))?
    }
}

/// Where something is seen, and how that changes with the parameters of the view and with the place in space.
pub(super) struct Sight {
    pub(super) pixel: [f64; 2],
    pub(super) by_view: [[f64; PARAMETERS]; 2],
    pub(super) by_place: [Vector; 2],
}

impl View {
    /// The direction of a pixel in space.
    pub(super) fn ray(&self, pixel: [f64; 2]) -> Option<Vector> {
        let ray = self.lens.ray(self.focal, pixel)?;
        Some(apply(&transposed(&self.rotation), ray))
    }

    /// Where something in space is seen; none for what is behind the camera, or where the distortion turns back.
    pub(super) fn see(&self, at: Vector) -> Option<[f64; 2]> {
        let seen = self.project(apply(&self.rotation, subtract(at, self.place)))?;
        Some([0, 1].map(|axis| self.lens.middle[axis] + self.focal * seen.scale * seen.at[axis]))
    }

    fn project(&self, [x, y, z]: Vector) -> Option<Projection> {
        let at = [x / z, y / z];
        let square = at[0] * at[0] + at[1] * at[1];
        let [k1, k2] = self.lens.distortion;
        let scale = 1.0 + square * (k1 + square * k2);
        let growth = k1 + 2.0 * square * k2;
        (z > 1e-6 && scale + 2.0 * square * growth > 0.0).then_some(Projection { at, scale, growth })
    }

    pub(super) fn sight(&self, at: Vector) -> Option<Sight> {
        let own = apply(&self.rotation, subtract(at, self.place));
        let Projection { at, scale, growth } = self.project(own)?;
        let mut sight = Sight {
            pixel: [0.0; 2],
            by_view: [[0.0; PARAMETERS]; 2],
            by_place: [[0.0; 3]; 2],
        };
        for axis in 0..2 {
            let off = self.focal * scale * at[axis];
            sight.pixel[axis] = self.lens.middle[axis] + off;
            // By the coordinates divided by the depth, and by the camera's own.
            let slope: [f64; 2] = std::array::from_fn(|other| {
                let straight = if axis == other { scale } else { 0.0 };
                self.focal * (straight + 2.0 * growth * at[axis] * at[other])
            });
            let by_own = [
                slope[0] / own[2],
                slope[1] / own[2],
                -(slope[0] * at[0] + slope[1] * at[1]) / own[2],
            ];
            let by_place = apply(&transposed(&self.rotation), by_own);
            let by_turn = cross(own, by_own);
            sight.by_place[axis] = by_place;
            sight.by_view[axis][..3].copy_from_slice(&by_turn);
            sight.by_view[axis][3..6].copy_from_slice(&by_place.map(|value| -value));
            sight.by_view[axis][6] = off;
        }
        Some(sight)
    }

    /// The direction in which it looks.
    pub(super) fn direction(&self) -> Vector {
        self.rotation[2]
    }
}

struct Projection {
    at: [f64; 2],
    scale: f64,
    growth: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::algebra::{add, product, rotation, scaled};

    #[test]
    fn slopes_are_those_of_differences_and_rays_lead_back() {
        let view = View {
            rotation: rotation([1.2, 0.3, -0.4]),
            place: [1.0, -6.0, 2.0],
            focal: 500.0,
            lens: Lens {
                middle: [319.5, 239.5],
                distortion: [-0.12, 0.03],
            },
        };
        let own = [0.8, -0.5, 7.0];
        let at = add(view.place, apply(&transposed(&view.rotation), own));
        let sight = view.sight(at).expect("sight");
        let ray = view.ray(sight.pixel).expect("ray");
        let back = add(view.place, scaled(ray, super::super::algebra::length(own)));
        assert!(
            subtract(back, at).iter().all(|off| off.abs() < 1e-9),
            "{back:?} {at:?}"
        );
        let step = 1e-6;
        let off = |view: &View, at: Vector| view.see(at).expect("seen").map(|pixel| pixel / step);
        for index in 0..PARAMETERS + 3 {
            let (mut changed, mut moved) = (view, at);
            match index {
                0..3 => {
                    let mut around = [0.0; 3];
                    around[index] = step;
                    changed.rotation = product(&rotation(around), &view.rotation);
                }
                3..6 => changed.place[index - 3] += step,
                6 => changed.focal *= 1.0 + step,
                _ => moved[index - 7] += step,
            }
            let [before, after] = [off(&view, at), off(&changed, moved)];
            for axis in 0..2 {
                let slope = match index {
                    7.. => sight.by_place[axis][index - 7],
                    _ => sight.by_view[axis][index],
                };
                let found = after[axis] - before[axis];
                assert!(
                    (found - slope).abs() < 1e-3 * (1.0 + slope.abs()),
                    "{index}: {found} {slope}"
                );
            }
        }
    }
}
