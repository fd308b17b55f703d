//! A mapping from bytes to a result: of a recording, or of a rig while it runs.

use crate::correct::corrected;
use crate::decode::{Decoder, Mapping, check_room};
use crate::frames::{Format, Frame, FrameError, FrameReader};
use crate::lights::Lights;
use crate::live::{EARLY, Live, Method, Phase, Progress};
use crate::overlay::overlay;
use crate::schedule::{Schedule, ScheduleError};
use rustle_lighting::SLOTS;
use rustle_shows::fixture::{Profile, Rig, RigError, RigUniverse};
use std::collections::HashSet;
use std::fmt;

/// Why there is no mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MappingError {
    /// The bytes are no frames.
    Frame(FrameError),
    /// There is no such schedule.
    Schedule(ScheduleError),
    /// The rig cannot be read.
    Rig(RigError),
    /// Another file cannot be read, or does not fit.
    File(String),
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(error) => error.fmt(f),
            Self::Schedule(error) => error.fmt(f),
            Self::Rig(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MappingError {}

impl From<FrameError> for MappingError {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}

impl From<ScheduleError> for MappingError {
    fn from(error: ScheduleError) -> Self {
        Self::Schedule(error)
    }
}

impl From<RigError> for MappingError {
    fn from(error: RigError) -> Self {
        Self::Rig(error)
    }
}

/// What a mapping is made of.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// How bytes become frames.
    pub format: Format,
    /// The file of the rig; empty: `count` fixtures.
    pub rig: &'a [u8],
    /// The number of fixtures without a rig.
    pub count: usize,
    /// How fixtures are distinguished.
    pub method: Method,
    /// The frames that a state is held for.
    pub hold: usize,
    /// The file of a schedule in place of the method's; empty: none.
    pub schedule: &'a [u8],
    /// A result whose places stay, in which only the other fixtures are looked for; empty: none.
    pub known: &'a [u8],
    /// Whether it says what is to be lit, and frames follow that.
    pub is_live: bool,
    /// Whether what was not found is lit once more.
    pub again: bool,
}

/// Reads the fixtures of a rig's file, with the built-in profiles and its own.
///
/// # Errors
/// [`MappingError::Rig`], and [`MappingError::File`] for a rig whose fixtures have faults or none has light.
pub fn lights(rig: &[u8]) -> Result<Lights, MappingError> {
    let (rig, faults) = Rig::read(rig, &Profile::built_in())?;
    if let Some(fault) = faults.first() {
        return Err(MappingError::File(format!("rig: {fault}")));
    }
    // Of two fixtures with one id, nobody would know which one a place is of.
    let mut ids = HashSet::new();
    if let Some(again) = rig.fixtures.iter().find(|fixture| !ids.insert(&fixture.id)) {
        let id = &again.id;
        return Err(MappingError::File(format!(
            "rig: id: expected each once, got {id} again"
        )));
    }
    let lights = Lights::new(rig);
    if lights.count() == 0 {
        return Err(MappingError::File("rig: expected a fixture, got none".to_owned()));
    }
    Ok(lights)
}

/// A mapping.
#[derive(Clone, Debug)]
pub struct Mapper {
    reader: FrameReader,
    lights: Option<Lights>,
    run: Run,
    /// The brightest of each pixel, as marks are drawn on it.
    brightest: Option<Frame>,
    result: Option<Mapping>,
    known: Option<Mapping>,
    /// The size of frames of which places are known.
    size: Option<(u32, u32)>,
    /// The slots of each universe before, where they are known.
    base: Vec<Option<[u8; SLOTS]>>,
    schedule: Schedule,
}

/// Reads the result of an earlier mapping of as many fixtures.
fn known(json: &[u8], count: usize) -> Result<Mapping, String> {
    let known = Mapping::read(json).map_err(|error| format!("known: {error}"))?;
    if known.fixtures.len() == count {
        Ok(known)
    } else {
        Err(format!(
            "known: expected a result of {count} fixtures, got one of {}",
            known.fixtures.len()
        ))
    }
}

#[derive(Clone, Debug)]
enum Run {
    Recording(Box<Decoder>),
    Live(Box<Live>),
}

impl Mapper {
    /// A mapping before its first frame.
    ///
    /// # Errors
    /// [`MappingError`] for a rig, a schedule or a format that cannot be used.
    pub fn new(settings: &Settings<'_>) -> Result<Self, MappingError> {
        let lights = match settings.rig {
            [] => None,
            rig => Some(lights(rig)?),
        };
        let count = lights.as_ref().map_or(settings.count, Lights::count);
        let schedule = match settings.schedule {
            [] => settings.method.schedule(count, settings.hold)?,
            json => Schedule::read(json, count)?,
        };
        let known = match settings.known {
            [] => None,
            json => Some(known(json, count).map_err(MappingError::File)?),
        };
        let run = if settings.is_live {
            let mut live = Live::of(schedule.clone(), settings.again);
            if let Some(known) = &known {
                if !settings.schedule.is_empty() {
                    let wrong = "known: expected no schedule beside it, as it has its own, got both";
                    return Err(MappingError::File(wrong.to_owned()));
                }
                live.keep(known.clone(), settings.method)?;
            }
            Run::Live(Box::new(live))
        } else {
            Run::Recording(Box::new(Decoder::new(schedule.clone())))
        };
        Ok(Self {
            reader: FrameReader::new(settings.format)?,
            run,
            brightest: None,
            result: None,
            base: vec![None; lights.as_ref().map_or(0, |lights| lights.universes().len())],
            lights,
            size: known
                .as_ref()
                .filter(|known| known.found() > 0)
                .map(|known| (known.width, known.height)),
            known,
            schedule,
        })
    }

    /// Takes bytes that came at a time in ns; none: the input has ended.
    ///
    /// # Errors
    /// [`MappingError::Frame`] for bytes that are no frames, and for an end within one; the frames before it were taken.
    /// [`MappingError::File`] where known places are of frames of another size than the first, and [`MappingError::Schedule`] where there
    /// is no memory for all frames of the schedule; the first was not taken.
    pub fn push(&mut self, bytes: &[u8], time_ns: u64) -> Result<(), MappingError> {
        if bytes.is_empty() {
            if let Run::Live(live) = &mut self.run {
                live.end();
                self.result = None;
            }
            return match self.reader.count() {
                0 => Ok(()),
                _ => Ok(self.reader.finish()?),
            };
        }
        self.result = None;
        let (run, brightest, size) = (&mut self.run, &mut self.brightest, self.size);
        let (mut other, mut room) = (None, Ok(()));
        let schedule = brightest.is_none().then(|| match run {
            Run::Recording(decoder) => (decoder.schedule().clone(), 0),
            Run::Live(live) => (live.schedule().clone(), EARLY),
        });
        let read = self.reader.push(bytes, |frame| {
            match brightest {
                None if size.is_some_and(|size| size != (frame.width, frame.height)) => {
                    other = Some((frame.width, frame.height));
                    return;
                }
                None => {
                    let size = (frame.width, frame.height);
                    room = schedule
                        .as_ref()
                        .map_or(Ok(()), |(schedule, early)| check_room(schedule, *early, size));
                    if room.is_err() {
                        return;
                    }
                    *brightest = Some(frame.clone());
                }
                Some(brightest) => {
                    for (most, pixel) in brightest.pixels.iter_mut().zip(&frame.pixels) {
                        *most = (*most).max(*pixel);
                    }
                }
            }
            match run {
                Run::Recording(decoder) => decoder.push(frame),
                Run::Live(live) => live.frame(frame, time_ns),
            }
        });
        if let (Some(known), Some(other)) = (size, other) {
            return Err(MappingError::File(format!(
                "known: expected frames of {} x {}, got {} x {}",
                known.0, known.1, other.0, other.1
            )));
        }
        room?;
        Ok(read?)
    }

    /// The rig's cells.
    pub fn lights(&self) -> Option<&Lights> {
        self.lights.as_ref()
    }

    /// The schedule of all fixtures; while only some are looked for, one of those runs.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Sets the slots of a universe of the rig before the mapping: what is no light of its fixtures stays as it is there. Of one that the
    /// rig lacks, nothing.
    pub fn keep(&mut self, universe: RigUniverse, slots: &[u8; SLOTS]) {
        let universes = self.lights.as_ref().map_or(&[][..], Lights::universes);
        if let Ok(index) = universes.binary_search(&universe) {
            self.base[index] = Some(*slots);
        }
    }

    /// The slots of each universe of the rig with the fixtures lit that are to be.
    pub fn levels(&self) -> Vec<[u8; SLOTS]> {
        let is_lit = |id| self.is_lit(id).unwrap_or(false);
        self.lights
            .as_ref()
            .map_or_else(Vec::new, |lights| lights.levels_over(&self.base, is_lit))
    }

    /// Whether a fixture is to be lit now; none once it is over, when what was lit before is.
    pub fn is_lit(&self, id: u32) -> Option<bool> {
        match &self.run {
            Run::Recording(_) => None,
            Run::Live(live) => live.lights(id),
        }
    }

    /// Ends it: what was lit before is to be lit again. What was found stays.
    pub fn cancel(&mut self) {
        if let Run::Live(live) = &mut self.run {
            live.cancel();
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        match &self.run {
            Run::Live(live) => live.progress(),
            Run::Recording(decoder) => Progress {
                phase: Phase::Schedule,
                part: (decoder.frames() as f32 / self.schedule.frames() as f32).min(1.0),
                frames: self.reader.count(),
                dropped: decoder.left_out(),
                delay: None,
                found: self.result.as_ref().map_or(0, Mapping::found),
            },
        }
    }

    /// The places of all fixtures, as far as the frames so far show them.
    pub fn mapping(&mut self) -> &Mapping {
        let (run, known) = (&self.run, &self.known);
        self.result.get_or_insert_with(|| match run {
            Run::Live(live) => live.mapping().clone(),
            Run::Recording(decoder) => {
                let mut mapping = decoder.mapping();
                if let Some(known) = known {
                    mapping.keep(known, decoder.factor());
                }
                mapping
            }
        })
    }

    /// Applies corrections to the result, as [`corrected`] does, until further frames come.
    ///
    /// # Errors
    /// [`MappingError::File`] for corrections that cannot be read, or that do not fit.
    pub fn correct(&mut self, corrections: &[u8]) -> Result<(), MappingError> {
        self.result = Some(corrected(self.mapping(), corrections).map_err(MappingError::File)?);
        Ok(())
    }

    /// The result as a PNG with marks.
    ///
    /// # Errors
    /// [`MappingError::File`] before the first frame.
    pub fn picture(&mut self) -> Result<Vec<u8>, MappingError> {
        let mapping = self.mapping().clone();
        overlay(&mapping, self.brightest.as_ref()).map_err(|error| MappingError::File(error.to_string()))
    }
}
