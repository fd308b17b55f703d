//! Mapping of fixtures with a camera: of a recording, or of a rig while it runs, and a simulated camera.

pub(crate) mod camera;
mod interface;

use crate::exclusive::Exclusive;
use crate::fault::{statuses, Outcome};
use crate::lent::Choice;
use crate::object::{Describe, New, Object};
use crate::show::RUSTLE_SHOW_ART_NET;
use crate::status::CallFault;
pub use interface::{
    RustleCameraConfiguration, RustleCameraDescription, RustleFrameFormat, RustleFrameReaderConfiguration,
    RustleFrameReaderDescription, RustleMapperConfiguration, RustleMapperDescription, RustleMapperText,
    RustleMappingMethod, RustleMappingPhase, RustleMappingReport, RustleScene,
};
use rustle_lighting::{PortAddress, SacnUniverse, SLOTS};
use rustle_mapping::frames::{Format, Frame, FrameReader};
use rustle_mapping::live::Phase;
use rustle_mapping::mapper::{Mapper, MappingError, Settings};
use rustle_mapping::report::Report;
use rustle_shows::fixture::RigUniverse;
use std::collections::VecDeque;

/// A mapping.
pub(crate) struct MapperObject(Exclusive<Mapper>);

impl Object for MapperObject {
    const NAME: &'static str = "mapper";
    const KIND: u32 = 28;
    type Error = MappingError;

    /// Ends a loop: what was lit before is to be lit again. What was found stays.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    fn reset(&self) -> Outcome<MappingError> {
        self.0.get()?.cancel();
        Ok(())
    }
}

impl New<RustleMapperConfiguration> for MapperObject {
    /// Makes a mapping, before its first frame.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (a rig that cannot be read, has faults or no fixtures, or an earlier result that does not fit),
    /// `RUSTLE_INVALID_VALUE` (a schedule that there is not).
    fn new(c: &RustleMapperConfiguration) -> Outcome<MappingError, Self> {
        let mapper = Mapper::new(&Settings {
            format: format(c.format, c.width, c.height)?,
            rig: c.rig.file("configuration.rig")?.as_bytes(),
            count: c.count as usize,
            method: c.method.get("configuration.method")?.into(),
            hold: c.hold as usize,
            schedule: c.schedule.file("configuration.schedule")?.as_bytes(),
            known: c.known.file("configuration.known")?.as_bytes(),
            is_live: c.is_live.is_set(),
            again: c.lights_again.is_set(),
        })?;
        Ok(Self(Exclusive::new(mapper, Self::NAME, Mapper::cancel)))
    }
}

impl Describe<RustleMapperDescription> for MapperObject {
    /// Writes how far a mapping is to `description`. Waits for no call of another thread: that fails.
    #[doc(alias = "rustle_mapper_describe")]
    fn describe(&self) -> Result<RustleMapperDescription, CallFault> {
        let mapper = self.0.get()?;
        let progress = mapper.progress();
        Ok(RustleMapperDescription {
            frames: progress.frames,
            dropped: progress.dropped,
            part: progress.part.into(),
            delay: progress.delay.map_or(-1.0, |delay| delay.mean.into()),
            spread: progress.delay.map_or(0.0, |delay| delay.spread.into()),
            fixtures: mapper.schedule().count() as u32,
            found: progress.found as u32,
            universes: mapper.lights().map_or(0, |lights| lights.universes().len()) as u32,
            phase: match progress.phase {
                Phase::Delay => RustleMappingPhase::Delay,
                Phase::Schedule => RustleMappingPhase::Schedule,
                Phase::Again => RustleMappingPhase::Again,
                Phase::Done => RustleMappingPhase::Done,
            }
            .into(),
        })
    }
}

impl MapperObject {
    /// Takes bytes that came at a time in ns of any clock that does not go back; none: the input has ended. The frames in them may change
    /// what is to be lit.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (bytes that are no frames, an end within a frame, those before which were taken, or frames of
    /// another size than that of known places), `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `bytes_count` 0.
    #[doc(alias = "rustle_mapper_push")]
    pub(crate) fn push(&self, bytes: &[u8], time: u64) -> Outcome<MappingError> {
        Ok(self.0.get()?.push(bytes, time)?)
    }

    /// Writes what is to be lit: the rig's universes in ascending order, those of Art-Net with `RUSTLE_SHOW_ART_NET` added, and 512 slots
    /// for each, as many of both as there is room for. Lit fixtures have their colours and dimmers at full, the others are dark, and all
    /// else is as `rustle_mapper_keep` got it, or at its default. `count` receives the number of universes; 0 without a rig.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `universes_capacity` 2, `slots_capacity` 1024.
    #[doc(alias = "rustle_mapper_levels")]
    pub(crate) fn levels(&self, universes: &mut [u32], slots: &mut [u8]) -> Outcome<MappingError, usize> {
        let mapper = self.0.get()?;
        let Some(lights) = mapper.lights() else {
            return Ok(0);
        };
        let all = lights.universes();
        for (place, universe) in universes.iter_mut().zip(all) {
            *place = match universe {
                RigUniverse::Sacn(universe) => universe.get().into(),
                RigUniverse::ArtNet(address) => RUSTLE_SHOW_ART_NET + u32::from(address.get()),
            };
        }
        for (place, level) in slots.iter_mut().zip(mapper.levels().as_flattened()) {
            *place = *level;
        }
        Ok(all.len())
    }

    /// Says what the slots of a universe of the rig were before: what is no light of its fixtures, as pan and tilt, stays so. The universe
    /// is a number, with `RUSTLE_SHOW_ART_NET` added for one of Art-Net; one that the rig lacks, and slots past 512, are ignored. Slots
    /// past those given are 0.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `universe` 1, `slots_count` 4.
    #[doc(alias = "rustle_mapper_keep")]
    pub(crate) fn keep(&self, universe: u32, slots: &[u8]) -> Outcome<MappingError> {
        let universe = rig_universe(universe)?;
        let mut all = [0; SLOTS];
        for (place, level) in all.iter_mut().zip(slots) {
            *place = *level;
        }
        self.0.get()?.keep(universe, &all);
        Ok(())
    }

    /// Applies corrections to the result, as `RUSTLE_REPORT_CORRECTED` does, until further frames come; no bytes: none.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (corrections that cannot be read, or that do not fit), `RUSTLE_WRONG_STATE` (another call is using
    /// the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `corrections_count` 0.
    #[doc(alias = "rustle_mapper_correct")]
    pub(crate) fn correct(&self, corrections: &[u8]) -> Outcome<MappingError> {
        let mut mapper = self.0.get()?;
        if corrections.is_empty() {
            return Ok(());
        }
        Ok(mapper.correct(corrections)?)
    }

    /// Writes a file of a mapping to `text` if there is room for all of it. `length` receives the number of bytes.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `text_capacity` 1024.
    #[doc(alias = "rustle_mapper_text")]
    pub(crate) fn text(
        &self,
        kind: Choice<RustleMapperText>,
        text: &mut [u8],
    ) -> Outcome<MappingError, usize> {
        let kind = kind.get("kind")?;
        let mut mapper = self.0.get()?;
        let bytes = match kind {
            RustleMapperText::Result => mapper.mapping().to_json().into_bytes(),
            RustleMapperText::Schedule => mapper.schedule().to_json().into_bytes(),
            RustleMapperText::Picture if mapper.progress().frames == 0 => Vec::new(),
            RustleMapperText::Picture => mapper.picture()?,
            RustleMapperText::Cells => mapper
                .lights()
                .map_or_else(Vec::new, |lights| lights.to_json().into_bytes()),
        };
        Ok(written(&bytes, text))
    }
}

/// Writes bytes if there is room for them; their number.
fn written(bytes: &[u8], text: &mut [u8]) -> usize {
    if let Some(room) = text.get_mut(..bytes.len()) {
        room.copy_from_slice(bytes);
    }
    bytes.len()
}

/// Makes a file of two others and writes it to `text` if there is room for all of it. `length` receives the number of bytes, JSON in UTF-8;
/// 0 for a first file without bytes.
///
/// Fails with `RUSTLE_MALFORMED_FILE` (a file that cannot be read, or that does not fit the other).
///
/// Example: `one_count` 0, `text_capacity` 64.
#[doc(alias = "rustle_mapping_report")]
pub(crate) fn mapping_report(
    kind: Choice<RustleMappingReport>,
    one: &[u8],
    other: &[u8],
    text: &mut [u8],
) -> Outcome<MappingError, usize> {
    let report = Report::from(kind.get("kind")?);
    if one.is_empty() {
        return Ok(0);
    }
    Ok(written(report.of(one, other)?.as_bytes(), text))
}

/// A reader of frames, and those that wait.
pub(crate) struct FrameReaderObject(Exclusive<Frames>);

pub(crate) struct Frames {
    reader: FrameReader,
    waiting: VecDeque<Frame>,
    size: (u32, u32),
}

impl Object for FrameReaderObject {
    const NAME: &'static str = "frame_reader";
    const KIND: u32 = 27;
    type Error = MappingError;
}

impl New<RustleFrameReaderConfiguration> for FrameReaderObject {
    /// Makes a reader, before its first byte.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (frames of gray that are too large).
    fn new(c: &RustleFrameReaderConfiguration) -> Outcome<MappingError, Self> {
        let format = format(c.format, c.width, c.height)?;
        let frames = Frames {
            reader: FrameReader::new(format).map_err(MappingError::from)?,
            waiting: VecDeque::new(),
            size: (0, 0),
        };
        Ok(Self(Exclusive::new(frames, Self::NAME, |frames| {
            frames.waiting.clear()
        })))
    }
}

impl Describe<RustleFrameReaderDescription> for FrameReaderObject {
    /// Writes what was read to `description`. Waits for no call of another thread: that fails.
    #[doc(alias = "rustle_frame_reader_describe")]
    fn describe(&self) -> Result<RustleFrameReaderDescription, CallFault> {
        let frames = self.0.get()?;
        Ok(RustleFrameReaderDescription {
            frames: frames.reader.count(),
            interval: frames.reader.interval_ns().unwrap_or(0),
            width: frames.size.0,
            height: frames.size.1,
        })
    }
}

impl FrameReaderObject {
    /// Takes bytes; none: the input has ended. The frames that are complete with them wait.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (bytes that are no frames, or an end within a frame; those before it wait),
    /// `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `bytes_count` 4.
    #[doc(alias = "rustle_frame_reader_push")]
    pub(crate) fn push(&self, bytes: &[u8]) -> Outcome<MappingError> {
        let mut frames = self.0.get()?;
        let Frames {
            reader,
            waiting,
            size,
        } = &mut *frames;
        if bytes.is_empty() {
            return Ok(reader.finish().map_err(MappingError::from)?);
        }
        let read = reader.push(bytes, |frame| {
            *size = (frame.width, frame.height);
            waiting.push_back(frame);
        });
        Ok(read.map_err(MappingError::from)?)
    }

    /// Takes the frame that has waited longest: its bytes of gray, row by row. `length` receives their number; 0: none waits.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (no room for the frame, which waits on), `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    ///
    /// Example: `frame_capacity` 64.
    #[doc(alias = "rustle_frame_reader_next")]
    pub(crate) fn next(&self, frame: &mut [u8]) -> Outcome<MappingError, usize> {
        let mut frames = self.0.get()?;
        let Some(first) = frames.waiting.front() else {
            return Ok(0);
        };
        let pixels = first.pixels.len();
        if frame.len() < pixels {
            return Err(CallFault::length("frame_capacity", pixels, frame.len()).into());
        }
        write_gray(first, frame);
        frames.waiting.pop_front();
        Ok(pixels)
    }
}

/// Writes the gray of a frame in bytes.
fn write_gray(frame: &Frame, bytes: &mut [u8]) {
    for (byte, pixel) in bytes.iter_mut().zip(&frame.pixels) {
        *byte = (pixel >> 8) as u8;
    }
}

/// The format of a configuration.
fn format(format: Choice<RustleFrameFormat>, width: u32, height: u32) -> Result<Format, CallFault> {
    Ok(match format.get("configuration.format")? {
        RustleFrameFormat::Y4m => Format::Y4m,
        RustleFrameFormat::Images => Format::Images,
        RustleFrameFormat::Gray => Format::Gray { width, height },
    })
}

/// The universe of a number, to which `RUSTLE_SHOW_ART_NET` is added for one of Art-Net.
fn rig_universe(number: u32) -> Result<RigUniverse, CallFault> {
    match number.checked_sub(RUSTLE_SHOW_ART_NET) {
        Some(address) => PortAddress::new(address).map(RigUniverse::ArtNet),
        None => SacnUniverse::new(number).map(RigUniverse::Sacn),
    }
    .map_err(|_| CallFault::number("universe", "a universe of the protocol", number))
}

statuses!(MappingError {
    RUSTLE_MALFORMED_FILE: Frame Rig File,
    RUSTLE_INVALID_VALUE: Schedule,
});
