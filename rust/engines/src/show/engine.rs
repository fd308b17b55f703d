//! Shows that run: engines, and the calls of their sessions.

use super::beats::BPM_RANGE;
use super::clock::ShowClock;
use super::configuration::ShowConfiguration;
use super::error::ShowError;
use super::frames::{FramesJob, Playing, ShowLevels};
use super::job::{Course, ShowJob};
use super::outputs::Output;
use super::painter::{Painter, PictureFormat};
use super::records::ShowReport;
use super::shared::{Change, SHOW_OUTPUTS, Shared};
use crate::clock::Clock;
use crate::dmx::{DmxOutput, Frames};
use crate::engine::Sessions;
use crate::lock::{Lock, locked};
use crate::outlet::{Delivery, LaneSession, Outlet};
use crate::runtime::Runtime;
use crate::tempo::BeatReader;
use crate::turns::Turns;
use rustle_lighting::SLOTS;
use rustle_shows::Renderer;
use rustle_shows::fixture::RigUniverse;
use rustle_shows::player::{Input, InputBounds, Player};
use rustle_shows::slots::SlotMap;
use rustle_shows::venue::PictureSettings;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};

/// A show on a rig.
///
/// Each session plays it from its beginning, on outputs of its own.
pub struct ShowEngine {
    sessions: Sessions,
    runtime: Arc<Runtime>,
    configuration: Arc<ShowConfiguration>,
    map: Arc<SlotMap>,
    playing: Arc<Playing>,
}

/// A session that plays a show, and its calls. Inputs are in the next frame that is sent.
pub struct ShowSession {
    reports: LaneSession<ShowReport>,
    shared: Arc<Shared>,
    bounds: InputBounds,
    map: Arc<SlotMap>,
    painter: Mutex<Painter>,
    clock: Arc<dyn Clock>,
    configuration: Arc<ShowConfiguration>,
    /// Lays out scenes that replace others, from the first one on.
    renderer: OnceLock<Renderer>,
}

impl Deref for ShowSession {
    type Target = LaneSession<ShowReport>;

    fn deref(&self) -> &Self::Target {
        &self.reports
    }
}

impl ShowEngine {
    /// An engine on a runtime of the caller's.
    ///
    /// # Errors
    /// [`ShowError::Tempo`], [`ShowError::ReportRate`].
    pub fn on(runtime: Arc<Runtime>, configuration: ShowConfiguration) -> Result<Self, ShowError> {
        configuration.check()?;
        Ok(Self {
            map: Arc::new(SlotMap::new(&configuration.rig)),
            // A show wakes the streams of its frames, which have each one before the next is rendered.
            sessions: Sessions::new(runtime.clone()).at(runtime.place()),
            playing: Arc::default(),
            runtime,
            configuration: Arc::new(configuration),
        })
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The show and the rig.
    pub fn configuration(&self) -> &ShowConfiguration {
        &self.configuration
    }

    /// The slots of the rig.
    pub fn map(&self) -> &Arc<SlotMap> {
        &self.map
    }

    /// Starts a session on some senders of the engine's runtime, at most [`SHOW_OUTPUTS`]: each has the universes of its protocol. The
    /// show's time begins with the first frame that they send. With a clock of that runtime its beats are that clock's smooth ones, until
    /// another tempo is set.
    ///
    /// # Errors
    /// [`ShowError`]; the listener or the bell is dropped then without a call.
    pub fn start(
        &self,
        senders: Vec<DmxOutput>,
        beats: Option<&BeatReader>,
        delivery: Delivery<ShowReport>,
    ) -> Result<ShowSession, ShowError> {
        self.sessions.admit()?;
        if senders.len() > SHOW_OUTPUTS {
            return Err(ShowError::TooManyOutputs);
        }
        let clock = self.runtime.shared_clock();
        let is_here = senders.iter().all(|sender| sender.is_on(&clock));
        if !is_here || beats.is_some_and(|beats| !beats.is_on(&clock)) {
            return Err(ShowError::OtherRuntime);
        }
        let shared = Arc::new(Shared::new(self.map.frame()));
        for sender in senders {
            shared.attach(Output::new(sender, self.map.universes()));
        }
        let ShowConfiguration { show, rig, .. } = &*self.configuration;
        let player = Player::new(show, rig);
        let reports = self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(self.job(shared.clone(), player, beats, outlet))
        })?;
        self.playing.begin(&shared);
        Ok(ShowSession {
            reports,
            shared,
            bounds: InputBounds::new(show),
            map: self.map.clone(),
            painter: Mutex::new(Painter::new(rig, &self.map)),
            clock,
            configuration: self.configuration.clone(),
            renderer: OnceLock::new(),
        })
    }

    /// The job of a session that plays the show.
    pub(super) fn job(
        &self,
        shared: Arc<Shared>,
        player: Player,
        beats: Option<&BeatReader>,
        outlet: Outlet<ShowReport>,
    ) -> ShowJob {
        let configuration = &self.configuration;
        let show = &configuration.show;
        let first = match () {
            () if configuration.starts_in_blackout => None,
            () if !show.cues.is_empty() => Some(Input::Go),
            () if !show.scenes.is_empty() => Some(Input::Scene {
                scene: 0,
                fade: rustle_shows::scene::Span::NONE,
            }),
            () => None,
        };
        ShowJob {
            shared,
            playing: self.playing.clone(),
            player,
            frame: self.map.frame(),
            before: self.map.frame(),
            map: self.map.clone(),
            own_frames: Frames::from_now(configuration.rate, self.runtime.clock()),
            bpm: configuration.bpm,
            first,
            outlet,
            turns: Turns::new(1, configuration.reports_per_second, None),
            limit: configuration.report_limit.unwrap_or(u64::MAX),
            course: Course::new(beats.cloned().map(ShowClock::new)),
        }
    }

    /// Starts a session of frames: the levels of each universe in the last frame of the session that was started last, in each one
    /// after it, and the end of that session. Without one that goes on it waits for the next. The lane's keys are the universes.
    ///
    /// # Errors
    /// [`ShowError::Start`]; the listener or the bell is dropped then without a call.
    pub fn start_frames(&self, delivery: Delivery<ShowLevels>) -> Result<LaneSession<ShowLevels>, ShowError> {
        let keys = self.map.universes().len();
        let started = self.sessions.start_delivering(delivery, keys, |outlet| {
            Box::new(FramesJob::new(self.playing.clone(), &self.map, outlet))
        });
        Ok(started?)
    }
}

impl ShowSession {
    /// Gives the show an input; after the end it is ignored.
    ///
    /// # Errors
    /// [`ShowError::Input`], [`ShowError::TooManyInputs`]; [`ShowError::Start`] in a fork.
    pub fn input(&self, input: Input) -> Result<(), ShowError> {
        self.bounds.check(input).map_err(ShowError::Input)?;
        self.change(Change::Input(input))
    }

    /// Changes the tempo from the coming frame on; the beats go on from where they are.
    ///
    /// # Errors
    /// [`ShowError::Tempo`], [`ShowError::TooManyInputs`]; [`ShowError::Start`] in a fork.
    pub fn set_tempo(&self, bpm: f64) -> Result<(), ShowError> {
        if !BPM_RANGE.contains(&bpm) {
            return Err(ShowError::Tempo { got: bpm });
        }
        self.change(Change::Tempo(bpm))
    }

    /// Replaces a scene by another one of JSON, as in the list of a show's scenes. If it is on, the coming frame shows the new one.
    ///
    /// # Errors
    /// [`ShowError::Input`] for a place that the show does not have, [`ShowError::Scene`], [`ShowError::TooManyInputs`];
    /// [`ShowError::Start`] in a fork. Nothing changes then.
    pub fn replace(&self, place: usize, scene: &[u8]) -> Result<(), ShowError> {
        let fade = rustle_shows::scene::Span::NONE;
        let checked = self.bounds.check(Input::Scene { scene: place, fade });
        checked.map_err(ShowError::Input)?;
        let ShowConfiguration { show, rig, .. } = &*self.configuration;
        let scene = show.read_scene(scene).map_err(ShowError::Scene)?;
        let renderer = self.renderer.get_or_init(|| Renderer::new(rig));
        self.change(Change::Scene(place, Box::new(renderer.ready(&scene))))
    }

    /// Follows the smooth beats of a clock of the engine's runtime from the coming frame on, until another tempo is set. The show's
    /// count of beats goes on from where it is, and walks to the clock's phase in its quantum by 1 ms in 22.7 ms: nothing jumps.
    ///
    /// # Errors
    /// [`ShowError::OtherRuntime`], [`ShowError::TooManyInputs`]; [`ShowError::Start`] in a fork.
    pub fn follow(&self, clock: &BeatReader) -> Result<(), ShowError> {
        if !clock.is_on(&self.clock) {
            return Err(ShowError::OtherRuntime);
        }
        self.change(Change::Clock(clock.clone()))
    }

    /// Adds a sender of the engine's runtime, which takes the universes of its protocol from the coming frame on. Frames follow the
    /// first one's times. One that is there already is left as it is.
    ///
    /// # Errors
    /// [`ShowError::OtherRuntime`], [`ShowError::TooManyOutputs`]; [`ShowError::Start`] in a fork.
    pub fn attach(&self, sender: DmxOutput) -> Result<(), ShowError> {
        self.reports.check_process()?;
        if !sender.is_on(&self.clock) {
            return Err(ShowError::OtherRuntime);
        }
        let has_room = self.shared.attach(Output::new(sender, self.map.universes()));
        self.reports.wake();
        has_room.then_some(()).ok_or(ShowError::TooManyOutputs)
    }

    /// Removes a sender; its universes stay as they are.
    pub fn detach(&self, sender: &DmxOutput) {
        self.shared
            .with_outputs(|outputs| outputs.retain(|output| !output.sender().is(sender)));
    }

    /// The universes of the rig, in ascending order.
    pub fn universes(&self) -> &[RigUniverse] {
        self.map.universes()
    }

    /// Looks at the slots of the frame that was rendered last, by universe, with its time in ns since the show's start and its beats.
    pub fn with_frame<R>(&self, work: impl FnOnce(&[[u8; SLOTS]], u64, f64) -> R) -> R {
        self.shared
            .with_shown(|shown| work(&shown.frame, shown.time_ns, shown.beats))
    }

    /// Draws the frame that was rendered last, as its slots say.
    ///
    /// # Errors
    /// [`ShowError::Picture`].
    pub fn picture(&self, settings: PictureSettings, format: PictureFormat) -> Result<Vec<u8>, ShowError> {
        let mut painter = locked(&self.painter, Lock::ShowPainter);
        self.shared
            .with_shown(|shown| painter.read(&self.map, &shown.frame));
        painter.draw(settings, format).map_err(ShowError::Picture)
    }

    fn change(&self, change: Change) -> Result<(), ShowError> {
        self.reports.check_process()?;
        // Nothing takes them any more.
        if self.reports.is_released() {
            return Ok(());
        }
        if !self.shared.change(change) {
            return Err(ShowError::TooManyInputs);
        }
        self.reports.wake();
        Ok(())
    }
}
