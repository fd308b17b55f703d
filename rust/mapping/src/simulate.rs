//! A simulated camera that looks at fixtures: what makes venues hard, drawn from a seed, with the truth.

mod people;
pub(crate) mod random;
mod scene;
mod shutter;

use crate::frames::Frame;
use crate::schedule::Schedule;
use people::Person;
use random::Random;
pub use scene::{Difficulty, Scene, Truth};
use scene::{Lamp, Sprite};
pub use shutter::Light;

/// A camera: its frames follow from the scene, and from what was lit when.
#[derive(Clone, Debug)]
pub struct Camera {
    scene: Scene,
    lamps: Vec<Lamp>,
    ambient: Vec<f32>,
    people: Vec<Person>,
    noise: Random,
    /// The gain of automatic exposure.
    gain: f32,
    frame: u64,
    linear: Vec<f32>,
    halo: Vec<f32>,
    /// Numbers of a normal distribution.
    normal: Vec<f32>,
}

/// Pixels of a cell of the halo's grid.
const CELL: usize = 4;

impl Camera {
    /// A camera before its first frame.
    pub fn new(scene: Scene) -> Self {
        let mut random = Random::new(scene.seed);
        let mut normal: Vec<f32> = (0..8_192).map(|_| random.normal()).collect();
        // Without a mean, which a run over the table would show as light.
        let mean = normal.iter().sum::<f32>() / normal.len() as f32;
        normal.iter_mut().for_each(|number| *number -= mean);
        let lamps = scene.lamps(&mut random);
        let ambient = scene.ambient(&mut random);
        let people = (0..scene.people)
            .map(|_| Person::new(&mut random, scene.width, scene.height))
            .collect();
        let pixels = scene.width as usize * scene.height as usize;
        let cells = (scene.width as usize).div_ceil(CELL) * (scene.height as usize).div_ceil(CELL);
        Self {
            lamps,
            ambient,
            people,
            noise: random,
            gain: 1.0,
            frame: 0,
            linear: vec![0.0; pixels],
            halo: vec![0.0; cells],
            normal,
            scene,
        }
    }

    /// Where the fixtures are.
    pub fn truth(&self) -> Vec<Truth> {
        self.lamps.iter().map(Lamp::truth).collect()
    }

    /// The number of frames so far, dropped ones included.
    pub fn count(&self) -> u64 {
        self.frame
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The time between frames in ns.
    pub fn interval_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.scene.frames_a_second)
    }

    /// The frames of a recording of a schedule, without those that are dropped.
    pub fn record(&mut self, schedule: &Schedule) -> Vec<Frame> {
        const START_NS: u64 = 1_000_000_000;
        let interval = self.interval_ns();
        let late = (f64::from(self.scene.delay) * interval as f64) as u64;
        let light = Light::of_schedule(schedule, START_NS + late, interval);
        // To the last change, and what the camera shows of it.
        let frames = 0..schedule.frames() as u64 + self.scene.delay as u64;
        frames
            .filter_map(|frame| self.frame(START_NS + frame * interval, &light))
            .collect()
    }

    /// The next frame, whose exposure begins at a time in ns; none for one that is dropped.
    pub fn frame(&mut self, time_ns: u64, light: &Light) -> Option<Frame> {
        self.frame += 1;
        self.expose(time_ns, light);
        let mean = self.linear.iter().sum::<f32>() / self.linear.len() as f32;
        let frame = self.develop();
        if self.scene.auto_exposure > 0.0 {
            let wanted = (0.25 / mean.max(0.02)).clamp(0.7, 1.4);
            self.gain += (wanted - self.gain) * self.scene.auto_exposure;
        }
        (self.noise.unit() >= self.scene.drops).then_some(frame)
    }

    /// The light at each pixel.
    fn expose(&mut self, time_ns: u64, light: &Light) {
        let scene = &self.scene;
        let (width, height) = (scene.width as usize, scene.height as usize);
        let row_ns = scene.readout * self.interval_ns() as f32 / height as f32;
        let exposure_ns = (scene.exposure * self.interval_ns() as f32) as u64;
        for (row, (line, ambient)) in self
            .linear
            .chunks_exact_mut(width)
            .zip(self.ambient.chunks_exact(width))
            .enumerate()
        {
            let start = time_ns as f64 + f64::from(row_ns) * row as f64;
            let level = scene.mains(start, exposure_ns as f64);
            for (pixel, ambient) in line.iter_mut().zip(ambient) {
                *pixel = ambient * level;
            }
        }
        self.halo.fill(0.0);
        let columns = width.div_ceil(CELL);
        for lamp in &self.lamps {
            for (sprite, strength) in lamp.sprites() {
                let start = time_ns + (row_ns * sprite.at[1].max(0.0)) as u64;
                let lit = light.level(lamp.id, start, exposure_ns) * strength;
                if lit > 0.0 {
                    sprite.add(&mut self.linear, width, height, lit);
                    spread(&mut self.halo, columns, sprite, lit * scene.halo);
                }
            }
        }
        if scene.halo > 0.0 {
            for (row, line) in self.linear.chunks_exact_mut(width).enumerate() {
                let cells = &self.halo[row / CELL * columns..];
                for (column, pixel) in line.iter_mut().enumerate() {
                    *pixel += cells[column / CELL];
                }
            }
        }
        let seconds = time_ns as f64 / 1e9;
        for person in &self.people {
            person.cover(&mut self.linear, width, seconds);
        }
    }

    /// What the sensor makes of the light.
    fn develop(&mut self) -> Frame {
        let scene = &self.scene;
        let mask = self.normal.len() - 1;
        let mut pixels = Vec::with_capacity(self.linear.len());
        for row in self.linear.chunks_exact(scene.width as usize) {
            let mut place = self.noise.next() as usize;
            let step = (self.noise.next() as usize) | 1;
            for light in row {
                let level = (light * self.gain).max(0.0);
                place = place.wrapping_add(step);
                let noise = self.normal[(place ^ place >> 17) & mask];
                let noisy = level + noise * (scene.noise * scene.noise + scene.shot * level).sqrt();
                let seen = scene.response(noisy);
                // Eight bits, as cameras have.
                pixels.push((seen * 255.0 + 0.5) as u16 * 257);
            }
        }
        Frame {
            width: scene.width,
            height: scene.height,
            pixels,
        }
    }
}

/// Adds the faint wide part of a lamp's light to a grid of cells.
fn spread(halo: &mut [f32], columns: usize, sprite: &Sprite, strength: f32) {
    const REACH: i32 = 8;
    if strength <= 0.0 {
        return;
    }
    let [x, y] = sprite.at.map(|at| at / CELL as f32);
    let rows = halo.len() / columns;
    for row in (y as i32 - REACH).max(0)..(y as i32 + REACH).min(rows as i32) {
        for column in (x as i32 - REACH).max(0)..(x as i32 + REACH).min(columns as i32) {
            let (dx, dy) = (column as f32 - x, row as f32 - y);
            let falling =
                1.0 / (1.0 + (dx * dx + dy * dy) / 6.0) - 1.0 / (1.0 + (REACH * REACH) as f32 / 6.0);
            halo[row as usize * columns + column as usize] += strength * falling.max(0.0);
        }
    }
}
