//! What the camera looks at.

use super::random::Random;

/// How hard a scene is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difficulty {
    /// A dark room, a good camera.
    Dark,
    /// Ambient light, noise and haze.
    Club,
    /// All that makes venues hard.
    Hard,
}

impl Difficulty {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Club, Self::Hard];

    /// The name: `dark`, `club` or `hard`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Club => "club",
            Self::Hard => "hard",
        }
    }

    /// The difficulty with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }
}

/// The settings of a scene. Light is in parts of what makes a pixel white.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The seed of all that is drawn.
    pub seed: u64,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The number of fixtures.
    pub count: usize,
    /// Frames a second.
    pub frames_a_second: u32,
    /// The standard deviation of the sensor's noise.
    pub noise: f32,
    /// The variance of noise per light.
    pub shot: f32,
    /// The standard deviation of a lamp's picture in pixels.
    pub blur: f32,
    /// The part of fixtures that are dimmer and out of focus, or behind frosted glass: a fifth of the light, and a picture twice as wide.
    pub soft: f32,
    /// The light of a lamp's halo.
    pub halo: f32,
    /// The brightest ambient light.
    pub ambient: f32,
    /// The number of windows, lit and at times white.
    pub windows: usize,
    /// The depth of the mains' flicker.
    pub flicker: f32,
    /// The number of people.
    pub people: usize,
    /// The part of fixtures with a mirror image: on the floor, or in glass.
    pub mirrors: f32,
    /// The part of fixtures that shine into the camera, whose pictures are white plates.
    pub glare: f32,
    /// The part of fixtures that are dead.
    pub dead: f32,
    /// The part of fixtures with another one closer than their blur.
    pub pairs: f32,
    /// The brightest lamp for the darkest, as a ratio.
    pub contrast: f32,
    /// The exposure, in parts of the time between frames.
    pub exposure: f32,
    /// The time from the first row to the last, in parts of that between frames.
    pub readout: f32,
    /// The exponent of the response.
    pub gamma: f32,
    /// The probability that a frame is dropped.
    pub drops: f32,
    /// How much of a wrong exposure is put right from frame to frame.
    pub auto_exposure: f32,
    /// The time from a change to the frame that shows it, in parts of that between frames.
    pub delay: f32,
}

impl Scene {
    /// A scene, with what differs from venue to venue drawn from the seed.
    pub fn new(difficulty: Difficulty, seed: u64, width: u32, height: u32, count: usize) -> Self {
        let mut random = Random::new(seed ^ 0x5EED_0F5C_E4E5_0000);
        let mut within = |low, high| random.within(low, high);
        let dark = Self {
            seed,
            width,
            height,
            count,
            frames_a_second: 30,
            noise: within(0.004, 0.012),
            shot: 0.0,
            blur: within(0.9, 1.5),
            soft: 0.0,
            halo: 0.0,
            ambient: 0.01,
            windows: 0,
            flicker: 0.0,
            people: 0,
            mirrors: 0.0,
            glare: 0.0,
            dead: 0.0,
            pairs: 0.0,
            contrast: 2.0,
            exposure: 0.5,
            readout: 0.0,
            gamma: 1.0,
            drops: 0.0,
            auto_exposure: 0.0,
            delay: 0.0,
        };
        let club = Self {
            noise: within(0.01, 0.02),
            shot: 0.000_5,
            halo: within(0.003, 0.012),
            ambient: within(0.1, 0.25),
            contrast: within(2.0, 4.0),
            ..dark.clone()
        };
        match difficulty {
            Difficulty::Dark => dark,
            Difficulty::Club => club,
            Difficulty::Hard => Self {
                noise: within(0.015, 0.03),
                shot: within(0.000_5, 0.001_5),
                blur: within(0.9, 1.7),
                halo: within(0.005, 0.02),
                ambient: within(0.15, 0.35),
                windows: 1 + (within(0.0, 2.99)) as usize,
                flicker: within(0.05, 0.2),
                people: 1 + (within(0.0, 2.99)) as usize,
                mirrors: within(0.03, 0.1),
                glare: within(0.01, 0.03),
                dead: within(0.002, 0.02),
                pairs: within(0.02, 0.06),
                contrast: within(4.0, 8.0),
                exposure: within(0.3, 0.9),
                readout: within(0.1, 0.8),
                gamma: within(0.6, 1.0),
                delay: within(0.0, 0.35),
                ..club
            },
        }
    }

    /// The level of the mains' light over an exposure that begins at a time in ns.
    pub(super) fn mains(&self, start_ns: f64, exposure_ns: f64) -> f32 {
        if self.flicker == 0.0 {
            return 1.0;
        }
        // Lamps on 50 Hz flicker at 100.
        let turns = |time: f64| time / 1e9 * 100.0 * std::f64::consts::TAU;
        let (from, to) = (turns(start_ns), turns(start_ns + exposure_ns));
        let mean = (libm::cos(from) - libm::cos(to)) / (to - from).max(1e-9);
        1.0 + self.flicker * mean as f32
    }

    /// What the camera makes of light, 0 to 1.
    pub(super) fn response(&self, light: f32) -> f32 {
        let light = light.clamp(0.0, 1.0);
        if self.gamma == 1.0 {
            return light;
        }
        libm::powf(light, self.gamma)
    }

    /// The lamps: lines, arcs and some at random.
    pub(super) fn lamps(&self, random: &mut Random) -> Vec<Lamp> {
        let (width, height) = (self.width as f32, self.height as f32);
        let margin = 6.0;
        // Lamps have room for their blur, as far as there is room for it.
        let room = (width * height / self.count.max(1) as f32).sqrt();
        let apart = (room * 0.45).min(9.0);
        let mut placed: Vec<[f32; 2]> = Vec::with_capacity(self.count);
        let columns = (width / apart).ceil() as usize + 1;
        let mut grid: Vec<Vec<u32>> = vec![Vec::new(); columns * ((height / apart).ceil() as usize + 1)];
        let cell = |at: [f32; 2]| (at[0] / apart) as usize + (at[1] / apart) as usize * columns;
        while placed.len() < self.count {
            let near = !placed.is_empty() && random.unit() < self.pairs;
            let mut at = [0.0; 2];
            for attempt in 0..200 {
                at = if near {
                    let other = placed[random.below(placed.len())];
                    let (turn, distance) = (
                        random.within(0.0, std::f32::consts::TAU),
                        random.within(1.5, 3.0) * self.blur,
                    );
                    [
                        other[0] + distance * libm::cosf(turn),
                        other[1] + distance * libm::sinf(turn),
                    ]
                } else {
                    [
                        random.within(margin, width - margin),
                        random.within(margin, height - margin),
                    ]
                };
                at = [
                    at[0].clamp(margin, width - margin),
                    at[1].clamp(margin, height - margin),
                ];
                let least = if near { 1.4 * self.blur } else { apart };
                let around = cell(at);
                let steps = [0, 1, columns, columns - 1, columns + 1].into_iter();
                let free = steps.flat_map(|step| [around.checked_sub(step), Some(around + step)]);
                let is_free = free
                    .flatten()
                    .filter_map(|cell| grid.get(cell))
                    .flatten()
                    .all(|other| {
                        let [dx, dy] = [0, 1].map(|axis| placed[*other as usize][axis] - at[axis]);
                        dx * dx + dy * dy >= least * least
                    });
                if is_free || attempt == 199 {
                    break;
                }
            }
            grid[cell(at)].push(placed.len() as u32);
            placed.push(at);
        }
        let brightest = random.within(0.6, 1.1);
        let floor = height * random.within(0.55, 0.8);
        // A pane at the side, seen at a right angle: twice its distance from the middle.
        let glass = width * random.within(-0.3, 0.3);
        let lamps = placed.into_iter().enumerate();
        let mut softness = Random::new(self.seed ^ 0x50F7);
        lamps
            .map(|(id, at)| {
                let mut level = brightest / random.within(1.0, self.contrast);
                let is_dead = random.unit() < self.dead;
                let stretch = random.within(0.85, 1.2);
                let mirrored = random.unit() < self.mirrors;
                let below = [at[0], floor + (floor - at[1]) * 0.4];
                let mirror = (mirrored && at[1] < floor && below[1] < height - margin).then(|| {
                    (
                        Sprite::new(below, self.blur * 1.6, 1.3),
                        level * random.within(0.15, 0.4),
                    )
                });
                let beside = [width - at[0] + glass, at[1]];
                let is_beside = mirrored && mirror.is_none() && (margin..width - margin).contains(&beside[0]);
                let mirror = mirror.or_else(|| {
                    is_beside.then(|| {
                        (
                            Sprite::new(beside, self.blur * 1.3, stretch),
                            level * random.within(0.2, 0.6),
                        )
                    })
                });
                if random.unit() < self.glare {
                    level *= random.within(3.0, 6.0);
                }
                let mut blur = self.blur;
                if softness.unit() < self.soft {
                    (level, blur) = (0.2 * level, 2.0 * blur);
                }
                Lamp {
                    id: id as u32,
                    sprite: Sprite::new(at, blur, stretch),
                    level: if is_dead { 0.0 } else { level },
                    mirror: mirror.filter(|_| !is_dead),
                }
            })
            .collect()
    }

    /// The ambient light at each pixel.
    pub(super) fn ambient(&self, random: &mut Random) -> Vec<f32> {
        let (width, height) = (self.width as usize, self.height as usize);
        let slope = [random.within(-1.0, 1.0), random.within(-1.0, 1.0)];
        let waves: Vec<[f32; 4]> = (0..6)
            .map(|_| {
                [
                    random.within(0.01, 0.08),
                    random.within(0.01, 0.08),
                    random.within(0.0, 6.3),
                    random.within(0.0, 0.12),
                ]
            })
            .collect();
        let windows: Vec<[f32; 5]> = (0..self.windows)
            .map(|_| {
                let (wide, high) = (
                    random.within(0.06, 0.2) * width as f32,
                    random.within(0.08, 0.25) * height as f32,
                );
                [
                    random.unit() * (width as f32 - wide),
                    random.unit() * (height as f32 - high),
                    wide,
                    high,
                    random.within(0.2, 0.8),
                ]
            })
            .collect();
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let (x, y) = (column as f32, row as f32);
                let ramp = 0.5
                    + 0.25
                        * (slope[0] * (x / width as f32 - 0.5) + slope[1] * (y / height as f32 - 0.5))
                        * 2.0;
                let texture: f32 = waves
                    .iter()
                    .map(|[a, b, phase, depth]| depth * libm::sinf(a * x + b * y + phase))
                    .sum();
                let lit: f32 = windows
                    .iter()
                    .filter(|[left, top, wide, high, _]| {
                        x >= *left && x < left + wide && y >= *top && y < top + high
                    })
                    .map(|window| window[4])
                    .sum();
                pixels.push((self.ambient * (ramp + texture) + lit).max(0.0));
            }
        }
        pixels
    }
}

/// Where a fixture is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The id.
    pub id: u32,
    /// Pixels from the middle of the first one, to the right and down.
    pub at: [f64; 2],
    /// Whether it has light.
    pub is_alive: bool,
}

/// A lamp.
#[derive(Clone, Debug)]
pub(super) struct Lamp {
    pub(super) id: u32,
    sprite: Sprite,
    level: f32,
    mirror: Option<(Sprite, f32)>,
}

impl Lamp {
    pub(super) fn truth(&self) -> Truth {
        Truth {
            id: self.id,
            at: self.sprite.at.map(f64::from),
            is_alive: self.level > 0.0,
        }
    }

    /// What shows the lamp, and how bright.
    pub(super) fn sprites(&self) -> impl Iterator<Item = (&Sprite, f32)> {
        let mirror = self.mirror.as_ref().map(|(sprite, level)| (sprite, *level));
        std::iter::once((&self.sprite, self.level)).chain(mirror)
    }
}

/// The picture of a point of light.
#[derive(Clone, Debug)]
pub(super) struct Sprite {
    /// The middle in pixels.
    pub(super) at: [f32; 2],
    corner: [i32; 2],
    side: usize,
    weights: Vec<f32>,
}

impl Sprite {
    /// The picture around a place, `stretch` wider than high; 1 in its middle.
    fn new(at: [f32; 2], blur: f32, stretch: f32) -> Self {
        let reach = (4.0 * blur * stretch.max(1.0)).ceil() as i32;
        let side = (2 * reach + 2) as usize;
        let corner = at.map(|at| at.floor() as i32 - reach);
        let mut weights = Vec::with_capacity(side * side);
        for row in 0..side {
            for column in 0..side {
                let dx = (corner[0] + column as i32) as f32 - at[0];
                let dy = (corner[1] + row as i32) as f32 - at[1];
                let (across, down) = (dx / (blur * stretch), dy / (blur / stretch));
                weights.push(libm::expf(-0.5 * (across * across + down * down)));
            }
        }
        Self {
            at,
            corner,
            side,
            weights,
        }
    }

    /// Adds the picture.
    pub(super) fn add(&self, pixels: &mut [f32], width: usize, height: usize, strength: f32) {
        for (row, weights) in self.weights.chunks_exact(self.side).enumerate() {
            let Some(y) = usize::try_from(self.corner[1] + row as i32)
                .ok()
                .filter(|y| *y < height)
            else {
                continue;
            };
            for (column, weight) in weights.iter().enumerate() {
                if let Some(x) = usize::try_from(self.corner[0] + column as i32)
                    .ok()
                    .filter(|x| *x < width)
                {
                    pixels[y * width + x] += strength * weight;
                }
            }
        }
    }
}
