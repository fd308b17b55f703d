//! A simulated camera.

use super::interface::{RustleCameraConfiguration, RustleCameraDescription};
use super::{rig_universe, write_gray, written};
use crate::exclusive::Exclusive;
use crate::fault::Outcome;
use crate::object::{Describe, New, Object};
use crate::status::CallFault;
use rustle_mapping::film::{Film, FilmSettings, MOST_DELAY, MOST_DROPS};
use rustle_mapping::mapper::MappingError;

/// A simulated camera.
pub(crate) struct CameraObject {
    description: RustleCameraDescription,
    film: Exclusive<Film>,
}

impl Object for CameraObject {
    const NAME: &'static str = "camera";
    const KIND: u32 = 29;
    type Error = MappingError;
}

impl New<RustleCameraConfiguration> for CameraObject {
    /// Makes a simulated camera, before its first frame.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (a rig that cannot be read, has faults or no fixtures, or a picture that is too small or too
    /// large), `RUSTLE_INVALID_VALUE` (a schedule that there is not, or a number out of range).
    fn new(c: &RustleCameraConfiguration) -> Outcome<MappingError, Self> {
        let film = Film::new(&FilmSettings {
            drops: chosen("configuration.drops", "0 to 0.5, or -1", c.drops, MOST_DROPS)?,
            auto_exposure: chosen(
                "configuration.auto_exposure",
                "0 to 1, or -1",
                c.auto_exposure,
                1.0,
            )?,
            delay: chosen("configuration.delay", "0 to 15, or -1", c.delay, MOST_DELAY)?,
            difficulty: c.scene.get("configuration.scene")?.into(),
            seed: c.seed,
            width: c.width,
            height: c.height,
            rig: c.rig.file("configuration.rig")?.as_bytes(),
            count: c.count as usize,
            method: c.method.get("configuration.method")?.into(),
            hold: c.hold as usize,
        })?;
        Ok(Self {
            description: RustleCameraDescription {
                frames: film.frames() as u64,
                interval: film.camera().interval_ns(),
                fixtures: film.camera().scene().count as u32,
                reserved: 0,
            },
            film: Exclusive::new(film, Self::NAME, |_| {}),
        })
    }
}

/// What a configuration chooses in place of the scene's, up to `most`; none for -1.
fn chosen(
    name: &'static str,
    expected: &'static str,
    value: f64,
    most: f32,
) -> Result<Option<f32>, CallFault> {
    match value {
        -1.0 => Ok(None),
        value if (0.0..=f64::from(most)).contains(&value) => Ok(Some(value as f32)),
        value => Err(CallFault::number(name, expected, value)),
    }
}

impl Describe<RustleCameraDescription> for CameraObject {
    /// Writes what a camera films to `description`. Realtime-safe.
    #[doc(alias = "rustle_camera_describe")]
    fn describe(&self) -> Result<RustleCameraDescription, CallFault> {
        Ok(self.description)
    }
}

impl CameraObject {
    /// Sets the slots of a universe of the rig from a time in ns on, not before the last one: its number, with `RUSTLE_SHOW_ART_NET` added
    /// for one of Art-Net. Universes that the rig lacks, and slots past 512, are ignored.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `universe` 1, `slots_count` 4.
    #[doc(alias = "rustle_camera_light")]
    pub(crate) fn light(&self, universe: u32, slots: &[u8], time: u64) -> Outcome<MappingError> {
        let universe = rig_universe(universe)?;
        self.film.get()?.light(universe, slots, time);
        Ok(())
    }

    /// Films the next frame: its bytes of gray, row by row. With a rig its exposure begins at a time in ns. `length` receives their number;
    /// 0 for a frame that is dropped.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (no room for a frame; then none is filmed), `RUSTLE_WRONG_STATE` (another call is using the
    /// object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `frame_capacity` 1024.
    #[doc(alias = "rustle_camera_frame")]
    pub(crate) fn frame(&self, time: u64, frame: &mut [u8]) -> Outcome<MappingError, usize> {
        let mut film = self.film.get()?;
        let scene = film.camera().scene();
        let pixels = scene.width as usize * scene.height as usize;
        if frame.len() < pixels {
            return Err(CallFault::length("frame_capacity", pixels, frame.len()).into());
        }
        let Some(filmed) = film.frame(time) else {
            return Ok(0);
        };
        write_gray(&filmed, frame);
        Ok(pixels)
    }

    /// Writes where the fixtures are, JSON in UTF-8, to `text` if there is room for all of it. `length` receives the number of bytes.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `text_capacity` 1024.
    #[doc(alias = "rustle_camera_truth")]
    pub(crate) fn truth(&self, text: &mut [u8]) -> Outcome<MappingError, usize> {
        Ok(written(self.film.get()?.truth().as_bytes(), text))
    }
}
