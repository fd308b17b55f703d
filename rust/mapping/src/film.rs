//! A simulated camera with what lights its fixtures: a schedule, or the slots of a rig.

use crate::frames::{Frame, MAX_PIXELS, MAX_SIDE};
use crate::judge::truth_json;
use crate::lights::Lights;
use crate::live::Method;
use crate::mapper::{MappingError, lights};
use crate::simulate::{Camera, Difficulty, Light, Scene};
use rustle_lighting::SLOTS;
use rustle_shows::fixture::RigUniverse;

/// When a schedule begins, in ns.
const START_NS: u64 = 1_000_000_000;

/// What is filmed.
#[derive(Clone, Debug)]
pub struct FilmSettings<'a> {
    /// How hard the scene is.
    pub difficulty: Difficulty,
    /// The seed of all that is drawn.
    pub seed: u64,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The file of the rig, whose slots light the fixtures; empty: a schedule does.
    pub rig: &'a [u8],
    /// The number of fixtures without a rig.
    pub count: usize,
    /// The schedule without a rig.
    pub method: Method,
    /// The frames that its states are held for.
    pub hold: usize,
    /// The probability that a frame is dropped, 0 to [`MOST_DROPS`]; none: the scene's.
    pub drops: Option<f32>,
    /// How much of a wrong exposure is put right from frame to frame, 0 to 1; none: the scene's.
    pub auto_exposure: Option<f32>,
    /// The time from a change to the frame that shows it, 0 to [`MOST_DELAY`] frames; none: the scene's.
    pub delay: Option<f32>,
}

/// The highest probability that a frame is dropped.
pub const MOST_DROPS: f32 = 0.5;
/// The longest delay in frames.
pub const MOST_DELAY: f32 = 15.0;

/// A simulated camera, and the light on its scene.
#[derive(Clone, Debug)]
pub struct Film {
    camera: Camera,
    light: Light,
    lights: Option<Lights>,
    slots: Vec<[u8; SLOTS]>,
    frames: usize,
    /// How late changes are, in ns.
    late: u64,
}

impl Film {
    /// A film before its first frame.
    ///
    /// # Errors
    /// [`MappingError`] for a rig or a schedule that cannot be used, and for a picture that is too small or too large.
    pub fn new(settings: &FilmSettings<'_>) -> Result<Self, MappingError> {
        let (width, height) = (settings.width, settings.height);
        let fits = |side: u32| (32..=MAX_SIDE).contains(&side);
        if !fits(width) || !fits(height) || u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(MappingError::File(format!(
                "picture: expected sides of 32 to {MAX_SIDE} and at most {MAX_PIXELS} pixels, got {width} x {height}"
            )));
        }
        let rig = match settings.rig {
            [] => None,
            rig => Some(lights(rig)?),
        };
        let count = rig.as_ref().map_or(settings.count, Lights::count);
        let schedule = settings.method.schedule(count, settings.hold)?;
        let mut scene = Scene::new(settings.difficulty, settings.seed, width, height, count);
        for (name, value, most, of) in [
            ("drops", settings.drops, MOST_DROPS, &mut scene.drops),
            (
                "auto exposure",
                settings.auto_exposure,
                1.0,
                &mut scene.auto_exposure,
            ),
            ("delay", settings.delay, MOST_DELAY, &mut scene.delay),
        ] {
            let Some(value) = value else { continue };
            if !(0.0..=most).contains(&value) {
                return Err(MappingError::File(format!(
                    "{name}: expected 0 to {most}, got {value}"
                )));
            }
            *of = value;
        }
        let camera = Camera::new(scene);
        let late = (f64::from(camera.scene().delay) * camera.interval_ns() as f64) as u64;
        let (light, frames) = match &rig {
            Some(_) => (Light::default(), usize::MAX),
            None => (
                Light::of_schedule(&schedule, START_NS + late, camera.interval_ns()),
                // To the last change, and what the camera shows of it.
                schedule.frames() + camera.scene().delay as usize,
            ),
        };
        let slots = rig
            .as_ref()
            .map_or_else(Vec::new, |rig| vec![[0; SLOTS]; rig.universes().len()]);
        Ok(Self {
            camera,
            light,
            lights: rig,
            slots,
            frames,
            late,
        })
    }

    /// Sets the slots of a universe from a time in ns on; of one that the rig lacks, nothing.
    pub fn light(&mut self, universe: RigUniverse, slots: &[u8], time_ns: u64) {
        let Some(lights) = &self.lights else { return };
        if let Ok(index) = lights.universes().binary_search(&universe) {
            for (level, slot) in self.slots[index].iter_mut().zip(slots) {
                *level = *slot;
            }
            self.light
                .change(time_ns.saturating_add(self.late), lights.light(&self.slots));
        }
    }

    /// The next frame; none for one that is dropped. With a rig its exposure begins at a time in ns, otherwise frames follow each other.
    pub fn frame(&mut self, time_ns: u64) -> Option<Frame> {
        let time = match self.lights {
            Some(_) => time_ns,
            None => START_NS + self.camera.count() * self.camera.interval_ns(),
        };
        self.camera.frame(time, &self.light)
    }

    /// The number of frames of the schedule, with the delay; as many as there can be with a rig.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// The truth as JSON.
    pub fn truth(&self) -> String {
        let scene = self.camera.scene();
        truth_json(&self.camera.truth(), scene.width, scene.height)
    }
}
