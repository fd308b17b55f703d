//! Venues and cameras whose truth is known, simulated without the code under test.

use rustle_mapping::space::located;
use serde_json::{Value, json};

pub(crate) type Vector = [f64; 3];

/// Numbers of a seed, evenly distributed over 0 to 1.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 + 0.5) / (1u64 << 31) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }
}

/// A camera that looks from a place to another one.
#[derive(Clone, Copy)]
pub(crate) struct Camera {
    pub(crate) place: Vector,
    pub(crate) to: Vector,
    pub(crate) fov: f64,
    pub(crate) distortion: [f64; 2],
}

const SIZE: [f64; 2] = [1280.0, 720.0];

pub(crate) fn dot(one: Vector, other: Vector) -> f64 {
    (0..3).map(|axis| one[axis] * other[axis]).sum()
}

impl Camera {
    pub(crate) fn at(place: Vector) -> Self {
        Self {
            place,
            to: [0.0, 4.0, 2.5],
            fov: 66.0,
            distortion: [0.0; 2],
        }
    }

    /// Pixels, to the right and down.
    pub(crate) fn see(&self, at: Vector) -> Option<[f64; 2]> {
        let forward: Vector = std::array::from_fn(|axis| self.to[axis] - self.place[axis]);
        let size = dot(forward, forward).sqrt();
        let forward = forward.map(|value| value / size);
        let flat = forward[0].hypot(forward[1]);
        let right = [forward[1] / flat, -forward[0] / flat, 0.0];
        // Forwards × right.
        let down = [
            forward[1] * right[2] - forward[2] * right[1],
            forward[2] * right[0] - forward[0] * right[2],
            forward[0] * right[1] - forward[1] * right[0],
        ];
        let off: Vector = std::array::from_fn(|axis| at[axis] - self.place[axis]);
        let depth = dot(off, forward);
        let [x, y] = [dot(off, right) / depth, dot(off, down) / depth];
        let square = x * x + y * y;
        let scale = 1.0 + self.distortion[0] * square + self.distortion[1] * square * square;
        let focal = SIZE[0] / 2.0 / (self.fov.to_radians() / 2.0).tan();
        let pixel = [
            (SIZE[0] - 1.0) / 2.0 + focal * scale * x,
            (SIZE[1] - 1.0) / 2.0 + focal * scale * y,
        ];
        let is_seen = depth > 0.1 && (0..2).all(|axis| (0.0..SIZE[axis]).contains(&pixel[axis]));
        is_seen.then_some(pixel)
    }
}

/// A venue, and how it is looked at.
#[derive(Clone)]
pub(crate) struct Venue {
    pub(crate) seed: u64,
    pub(crate) count: usize,
    pub(crate) cameras: Vec<Camera>,
    /// The ids of fixtures whose place is measured, and how exact that is in metres.
    pub(crate) known: Vec<usize>,
    pub(crate) measured: f64,
    /// The noise in pixels.
    pub(crate) noise: f64,
    /// The part of each picture's fixtures that have the place of another one.
    pub(crate) swapped: f64,
    /// What is said of the cameras.
    pub(crate) cameras_json: Value,
    pub(crate) is_one_lens: bool,
    /// Whether all fixtures are on the back wall.
    pub(crate) is_flat: bool,
}

pub(crate) const PLACES: [Vector; 5] = [
    [-5.0, -7.0, 1.6],
    [4.5, -6.0, 1.8],
    [0.5, -8.0, 3.0],
    [-8.0, -2.0, 2.2],
    [7.5, -3.0, 1.2],
];

impl Venue {
    pub(crate) fn new(seed: u64, cameras: usize, noise: f64) -> Self {
        Self {
            seed,
            count: 80,
            cameras: PLACES[..cameras].iter().map(|place| Camera::at(*place)).collect(),
            known: vec![0, 1, 2, 3, 4, 5],
            measured: 0.0,
            noise,
            swapped: 0.0,
            cameras_json: Value::Null,
            is_one_lens: false,
            is_flat: false,
        }
    }

    /// Fixtures on the floor, on the back wall and on two trusses; the first ones are far from each other.
    pub(crate) fn places(&self) -> Vec<Vector> {
        let mut random = Random(self.seed.wrapping_mul(977) + 3);
        let corners = [
            [-4.0, 1.0, 0.1],
            [4.0, 1.5, 0.2],
            [-3.8, 7.5, 4.8],
            [3.9, 7.0, 5.0],
            [0.2, 3.0, 5.2],
            [-0.5, 7.8, 0.3],
        ];
        (0..self.count)
            .map(|id| {
                let [x, y, z] = match (corners.get(id), id % 4) {
                    (Some(corner), _) => *corner,
                    (None, 0) => [random.within(-4.0, 4.0), random.within(1.0, 8.0), 0.1],
                    (None, 1) => [random.within(-4.0, 4.0), 8.0, random.within(0.3, 5.0)],
                    (None, 2) => [random.within(-4.0, 4.0), 3.0, 5.2],
                    _ => [random.within(-4.0, 4.0), 6.0, 4.7],
                };
                let scatter = |random: &mut Random| random.within(-0.2, 0.2);
                let [dx, dy, dz] = [scatter(&mut random), scatter(&mut random), scatter(&mut random)];
                [x + dx, if self.is_flat { 8.0 } else { y + dy }, z + dz]
            })
            .collect()
    }

    pub(crate) fn maps(&self) -> String {
        let places = self.places();
        let mut random = Random(self.seed.wrapping_mul(31) + 17);
        let maps: Vec<Value> = self
            .cameras
            .iter()
            .map(|camera| {
                let mut pixels: Vec<Option<[f64; 2]>> = places.iter().map(|at| camera.see(*at)).collect();
                let swaps = (self.swapped * places.len() as f64 / 2.0).round() as usize;
                for _ in 0..swaps {
                    let [one, other] = [0, 1].map(|_| (random.unit() * places.len() as f64) as usize);
                    pixels.swap(one, other);
                }
                let fixtures = pixels.iter().enumerate().map(|(id, pixel)| match pixel {
                    Some(pixel) => {
                        let [x, y] = pixel.map(|pixel| pixel + self.noise * random.normal());
                        json!({"id": id, "found": true, "x": x, "y": y, "sigma": self.noise, "confidence": 0.999})
                    }
                    None => json!({"id": id, "found": false, "reason": "dark"}),
                });
                json!({"v": 1, "width": SIZE[0] as u32, "height": SIZE[1] as u32, "fixtures": fixtures.collect::<Vec<_>>()})
            })
            .collect();
        json!({"v": 1, "maps": maps}).to_string()
    }

    pub(crate) fn points(&self) -> String {
        let places = self.places();
        let mut random = Random(self.seed + 5);
        let points = self.known.iter().map(|id| {
            let at = places[*id].map(|at| at + self.measured * random.normal());
            json!({"id": id, "at": at, "sigma": self.measured})
        });
        json!({
            "v": 1, "points": points.collect::<Vec<_>>(), "cameras": self.cameras_json, "oneLens": self.is_one_lens,
        })
        .to_string()
    }

    pub(crate) fn located(&self) -> Result<Value, String> {
        let json = located(self.maps().as_bytes(), self.points().as_bytes())?;
        Ok(serde_json::from_str(&json).expect("JSON"))
    }

    /// The fixtures that were not measured, the distances of their places from the true ones, and the same in standard deviations along
    /// each axis.
    pub(crate) fn errors(&self, answer: &Value) -> Vec<(usize, f64, Vector)> {
        let places = self.places();
        let number = |value: &Value| value.as_f64().expect("number");
        let all = answer["places"].as_array().expect("places").iter();
        all.map(|place| (place, number(&place["id"]) as usize))
            .filter(|(_, id)| !self.known.contains(id))
            .map(|(place, id)| {
                let off: Vector =
                    std::array::from_fn(|axis| number(&place[["x", "y", "z"][axis]]) - places[id][axis]);
                let normalised = std::array::from_fn(|axis| off[axis] / number(&place["sigma"][axis]));
                (id, dot(off, off).sqrt(), normalised)
            })
            .collect()
    }
}

impl Venue {
    /// The root of the mean square error of a fixture's place that the noise causes where the cameras are known: by the information of
    /// what they see, from differences.
    pub(crate) fn expected(&self, at: Vector) -> f64 {
        let mut information = [[0.0; 3]; 3];
        let step = 1e-5;
        for camera in &self.cameras {
            let Some(pixel) = camera.see(at) else { continue };
            for axis in 0..2 {
                let slope: Vector = std::array::from_fn(|index| {
                    let mut moved = at;
                    moved[index] += step;
                    (camera.see(moved).unwrap_or(pixel)[axis] - pixel[axis]) / step / self.noise
                });
                for row in 0..3 {
                    for column in 0..3 {
                        information[row][column] += slope[row] * slope[column];
                    }
                }
            }
        }
        let [a, b, c] = information;
        let minor = |one: usize, other: usize, p: Vector, q: Vector| p[one] * q[other] - p[other] * q[one];
        let determinant = a[0] * minor(1, 2, b, c) - a[1] * minor(0, 2, b, c) + a[2] * minor(0, 1, b, c);
        let trace = minor(1, 2, b, c) + minor(0, 2, a, c) + minor(0, 1, a, b);
        (trace / determinant).sqrt()
    }
}
