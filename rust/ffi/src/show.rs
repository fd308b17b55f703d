//! Shows that run: effects, scenes and cues on a rig, sent by senders of DMX.

mod interface;
mod picture;

use crate::dmx::Sending;
use crate::fault::{statuses, Outcome};
use crate::handle::kind_of;
use crate::lane::{BellSink, RustleLaneRequest};
use crate::lent::Choice;
use crate::object::{Describe, New, Object, Tabled};
use crate::rig::RUSTLE_RIG_FAULTS;
use crate::session::{self, Face, Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::tempo::TempoObject;
use crate::{runtime, RustleHandle};
pub use interface::{
    RustleShowConfiguration, RustleShowDescription, RustleShowFrame, RustleShowFramesRequest,
    RustleShowInput, RustleShowLevels, RustleShowReport, RustleShowReportKind, RustleShowScene,
    RustleShowText, RUSTLE_SHOW_ART_NET, RUSTLE_SHOW_NONE,
};
pub use picture::{RustlePictureFormat, RustlePictureSettings, RustlePictureView};
use rustle_engines::{
    BeatReader, Delivery, DmxOutput, Overflow, Sessions, ShowConfiguration, ShowEngine, ShowError,
    ShowReport, ShowSession,
};
use rustle_lighting::sender::FrameRate;
use rustle_shows::fixture::{patch_faults, Fixture, Profile, Rig, RigUniverse};
use rustle_shows::player::Input;
use rustle_shows::scene::Span;
use rustle_shows::show::{Demo, RigSource, Show};
use rustle_shows::Fault;

/// A show on a rig.
pub(crate) struct ShowObject {
    engine: ShowEngine,
    outputs: Vec<DmxOutput>,
    clock: Option<BeatReader>,
    faults: Vec<Fault>,
    /// The name of the rig's file that the show names; empty: none.
    rig_file: String,
    notices: Vec<String>,
}

impl Object for ShowObject {
    const NAME: &'static str = "show";
    const KIND: u32 = 20;
    type Error = ShowError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.engine.sessions())
    }
}

impl New<RustleShowConfiguration> for ShowObject {
    /// Makes a show. Faults within the files do not fail the call: what is wrong is left out, see `rustle_show_text`.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (not JSON, not an object, of another version), `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(c: &RustleShowConfiguration) -> Outcome<ShowError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let runtime = runtime::find(c.runtime)?;
        let demo = match c.demo.text("configuration.demo")? {
            "" => Demo::Pars,
            name => Demo::named(name).ok_or_else(|| {
                let problem = "expected pars, bars, heads, festival or wall, got another text";
                CallFault::value("configuration.demo", problem)
            })?,
        };
        let (show, mut faults) = match c.show.file("configuration.show")? {
            "" => (demo.show(), Vec::new()),
            json => Show::read(json.as_bytes()).map_err(ShowError::File)?,
        };
        let inside = show.rig.as_ref().and_then(|rig| rig.rig(&Profile::built_in()));
        let (rig, of_rig) = match (c.rig.file("configuration.rig")?, inside) {
            ("", Some(inside)) => inside.map_err(ShowError::Rig)?,
            ("", None) => (demo.rig(), Vec::new()),
            (json, _) => Rig::read(json.as_bytes(), &Profile::built_in()).map_err(ShowError::Rig)?,
        };
        faults.extend(of_rig);
        let rig_file = match &show.rig {
            Some(RigSource::File(name)) => name.clone(),
            _ => String::new(),
        };
        if !rig_file.is_empty() && c.rig.length == 0 {
            faults.push(Fault {
                path: "rig".to_owned(),
                expected: format!("the contents of the file \"{}\"", rig_file.escape_debug()),
                got: "none".to_owned(),
            });
        }
        let missing = show.missing(&rig);
        let missing = missing.iter().map(ToString::to_string);
        let patch = patch_faults(&rig, RUSTLE_RIG_FAULTS);
        let notices = missing.chain(patch.iter().map(ToString::to_string)).collect();
        let hertz = c.frames_a_second;
        let rate = FrameRate::from_millihertz((hertz * 1_000.0).round() as u32)
            .map_err(|_| CallFault::number("configuration.frames_a_second", "1 to 200", hertz))?;
        let mut outputs = Vec::new();
        for (argument, handle, is_sacn) in [
            ("configuration.sacn", c.sacn, true),
            ("configuration.art_net", c.art_net, false),
        ] {
            if handle != 0 {
                let output = output(handle, argument)?;
                if output.is_sacn() != is_sacn {
                    let problem = "expected a sender of the protocol, got one of the other";
                    return Err(CallFault::value(argument, problem).into());
                }
                outputs.push(output);
            }
        }
        let clock = match c.clock {
            0 => None,
            clock => Some(reader(clock, "configuration.clock")?),
        };
        let configuration = ShowConfiguration {
            rate,
            bpm: c.beats_a_minute,
            starts_in_blackout: c.starts_in_blackout.is_set(),
            reports_per_second: c.reports_per_second,
            report_limit: (c.report_limit != 0).then_some(c.report_limit),
            ..ShowConfiguration::new(show, rig)
        };
        Ok(Self {
            engine: ShowEngine::on(runtime, configuration)?,
            outputs,
            clock,
            faults,
            rig_file,
            notices,
        })
    }
}

/// The beats of a clock.
fn reader(clock: RustleHandle, argument: &'static str) -> Result<BeatReader, CallFault> {
    let clock = TempoObject::table().pin(clock, argument)?;
    Ok(clock.engine().reader().clone())
}

/// The levels of a session of a sender.
fn output(sender: RustleHandle, argument: &'static str) -> Result<DmxOutput, CallFault> {
    let session = session::find_in(sender, argument)?;
    Ok(session.face::<Sending>()?.output())
}

impl Describe<RustleShowDescription> for ShowObject {
    /// Writes what is in a show and in its rig to `description`.
    #[doc(alias = "rustle_show_describe")]
    fn describe(&self) -> Result<RustleShowDescription, CallFault> {
        let ShowConfiguration { show, rig, .. } = self.engine.configuration();
        let elements = rig.fixtures.iter().map(|fixture| fixture.mode.elements() as u64);
        Ok(RustleShowDescription {
            elements: elements.sum(),
            fixtures: rig.fixtures.len() as u32,
            universes: self.engine.map().universes().len() as u32,
            faders: show.faders.len() as u32,
            scenes: show.scenes.len() as u32,
            cues: show.cues.len() as u32,
            faults: self.faults.len() as u32,
            notices: self.notices.len() as u32,
            reserved: 0,
        })
    }
}

impl ShowObject {
    /// Writes a text of a show to `text` if there is room for all of it: `kind` is one of `RUSTLE_SHOW_TEXT_…`, `place` counts from 0.
    /// `length` receives the number of bytes, UTF-8, not NUL-terminated; 0 past the last.
    ///
    /// Example: `text_capacity` 64.
    #[doc(alias = "rustle_show_text")]
    pub(crate) fn text(
        &self,
        kind: Choice<RustleShowText>,
        place: u32,
        text: &mut [u8],
    ) -> Result<usize, CallFault> {
        let ShowConfiguration { show, rig, .. } = self.engine.configuration();
        let index = place as usize;
        let found = match kind.get("kind")? {
            RustleShowText::Name => (place == 0).then(|| show.name.clone()),
            RustleShowText::Fader => show.faders.get(index).cloned(),
            RustleShowText::Scene => show.scenes.get(index).map(|scene| scene.name.clone()),
            RustleShowText::Cue => show.cues.get(index).map(|cue| cue.name.clone()),
            RustleShowText::Fault => self.faults.get(index).map(ToString::to_string),
            RustleShowText::RigFile => (place == 0).then(|| self.rig_file.clone()),
            RustleShowText::Json => (place == 0).then(|| show.to_json()),
            RustleShowText::Notice => self.notices.get(index).cloned(),
            RustleShowText::Fixture => rig.fixtures.get(index).map(Fixture::patch_json),
        };
        let words = found.unwrap_or_default();
        if let Some(room) = text.get_mut(..words.len()) {
            room.copy_from_slice(words.as_bytes());
        }
        Ok(words.len())
    }
}

impl Stream<RustleLaneRequest> for ShowObject {
    type Record = RustleShowReport;

    /// Starts a session, which plays the show from its beginning on the configured senders. Events are `RustleShowReport` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<ShowError, Started> {
        let delivery = request.delivery::<RustleShowReport, ShowReport>(sink)?;
        let session = self
            .engine
            .start(self.outputs.clone(), self.clock.as_ref(), delivery)?;
        let lane = rustle_engines::LaneSession::clone(&session);
        Ok(Started::of::<RustleShowReport, _>(lane).with_face(Performing(session)))
    }
}

impl Stream<RustleShowFramesRequest> for ShowObject {
    type Record = RustleShowLevels;

    /// Starts a session of frames: the levels of each universe in the last frame of the show's newest session that goes on, and in
    /// each one after it. It ends with that session; without one it waits for the next. They are drained as `RustleShowLevels`.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    #[doc(alias = "rustle_show_start_frames")]
    fn start(&self, request: &RustleShowFramesRequest, sink: RawSink) -> Outcome<ShowError, Started> {
        let bell = BellSink(sink);
        let delivery = match request.capacity {
            // Its size is the number of universes.
            0 => Delivery::pull(Overflow::Conflate, 1, bell),
            size => Delivery::pull(Overflow::DropOldest, size, bell),
        };
        let delivery = delivery.ok_or_else(|| {
            CallFault::length("request.capacity", "0 to 1048576 elements", request.capacity)
        })?;
        Ok(Started::of::<RustleShowLevels, _>(
            self.engine.start_frames(delivery)?,
        ))
    }
}

/// A session of a show, and its calls.
pub(crate) struct Performing(ShowSession);

impl Face for Performing {
    const NAME: &'static str = "show";
}

impl Performing {
    /// Gives a session of a show an input, which is in the next packets; after the end it is ignored: `kind` is one of `RUSTLE_SHOW_…`, `place` a band, a fader, a
    /// cue or a scene, from 0, and `value` as the kind says.
    ///
    /// Fails with `RUSTLE_EXHAUSTED` (the worker is held up, and 65,536 inputs wait), `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_show_start`, `kind` 4, `value` 0.5.
    #[doc(alias = "rustle_show_input")]
    pub(crate) fn input(&self, kind: Choice<RustleShowInput>, place: u32, value: f64) -> Outcome<ShowError> {
        use RustleShowInput as Kind;
        let level = value as f32;
        let byte = || {
            let byte = u8::try_from(place);
            byte.map_err(|_| CallFault::number("place", "0 to 255", place))
        };
        let input = match kind.get("kind")? {
            Kind::Tempo => return Ok(self.0.set_tempo(value)?),
            Kind::Onset => Input::Onset(level),
            Kind::Level => Input::Level(level),
            Kind::Band => Input::Band { band: byte()?, level },
            Kind::Fader => Input::Fader {
                fader: byte()?,
                level,
            },
            Kind::Master => Input::Master(level),
            Kind::Blackout => Input::Blackout(value != 0.0),
            Kind::Panic => Input::Panic,
            Kind::Pause => Input::Pause(value != 0.0),
            Kind::Go => Input::Go,
            Kind::Back => Input::Back,
            Kind::Cue => Input::Cue(place as usize),
            Kind::Scene => Input::Scene {
                scene: place as usize,
                fade: Span::seconds(value).map_err(|_| CallFault::number("value", "0 to 100000", value))?,
            },
        };
        Ok(self.0.input(input)?)
    }

    /// Replaces a scene of a session of a show by another one. If it is on, the next packets show the new one.
    ///
    /// Fails with `RUSTLE_MALFORMED_FILE` (not JSON, or anything wrong within), `RUSTLE_EXHAUSTED` (as `rustle_show_input`),
    /// `RUSTLE_FORKED`; nothing changes then.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_show_start`.
    #[doc(alias = "rustle_show_replace")]
    pub(crate) fn replace(&self, scene: &RustleShowScene) -> Outcome<ShowError> {
        CallFault::check_reserved(scene.reserved, "scene.reserved")?;
        let json = scene.json.file("scene.json")?;
        Ok(self.0.replace(scene.place as usize, json.as_bytes())?)
    }

    /// Adds a session of a sender on the same runtime to a session of a show, at most 64: it takes the universes of its protocol from
    /// the coming frame on. The show follows the frames of the first one that sends. One that is there already is left as it is.
    /// `sender` may be a clock of the runtime's (`rustle_tempo_new`) instead: the show follows its smooth beats from the coming frame on,
    /// until another tempo is set. The count of beats goes on, and walks to the clock's phase by 1 ms in 22.7 ms.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (a 65th), `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_show_start`, `sender` rustle_dmx_sender_start.
    #[doc(alias = "rustle_show_attach")]
    pub(crate) fn attach(&self, sender: RustleHandle) -> Outcome<ShowError> {
        if kind_of(sender) == TempoObject::KIND {
            return Ok(self.0.follow(&reader(sender, "sender")?)?);
        }
        Ok(self.0.attach(output(sender, "sender")?)?)
    }

    /// Reads the last frame of a session of a show, also after its end: its universes in ascending order, those of Art-Net with
    /// `RUSTLE_SHOW_ART_NET` added, and 512 slots for each, as many of both as there is room for. `frame` receives the rest.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_show_start`, `universes_capacity` 2, `slots_capacity` 1024.
    #[doc(alias = "rustle_show_levels")]
    pub(crate) fn levels(
        &self,
        universes: &mut [u32],
        slots: &mut [u8],
    ) -> Outcome<ShowError, RustleShowFrame> {
        let all = self.0.universes();
        for (place, universe) in universes.iter_mut().zip(all) {
            *place = match universe {
                RigUniverse::Sacn(universe) => universe.get().into(),
                RigUniverse::ArtNet(address) => RUSTLE_SHOW_ART_NET + u32::from(address.get()),
            };
        }
        Ok(self.0.with_frame(|frame, time_ns, beats| {
            for (place, slot) in slots.iter_mut().zip(frame.as_flattened()) {
                *place = *slot;
            }
            RustleShowFrame {
                time_ns,
                beats,
                universes: all.len(),
            }
        }))
    }

    /// Draws the last frame of a session of a show, as its slots say, to `bytes` if there is room for all. `length` receives the number
    /// of bytes. Works after the end.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (a side of 0, or of more than 8,192 pixels).
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_show_start`, `bytes_capacity` 64.
    #[doc(alias = "rustle_show_picture")]
    pub(crate) fn picture(
        &self,
        settings: &RustlePictureSettings,
        bytes: &mut [u8],
    ) -> Outcome<ShowError, usize> {
        let (settings, format) = settings.read()?;
        let drawn = self.0.picture(settings, format)?;
        if let Some(room) = bytes.get_mut(..drawn.len()) {
            room.copy_from_slice(&drawn);
        }
        Ok(drawn.len())
    }
}

statuses!(ShowError {
    RUSTLE_INVALID_VALUE: Tempo Input OtherRuntime,
    RUSTLE_RATE_OUT_OF_RANGE: ReportRate,
    RUSTLE_MALFORMED_FILE: File Scene,
    RUSTLE_INVALID_LENGTH: TooManyOutputs Picture,
    RUSTLE_EXHAUSTED: TooManyInputs,
    _: Start Rig,
});
