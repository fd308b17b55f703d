//! What C sees of shows: their inputs, texts and records.

use crate::dmx::RustleDMXProtocol;
use crate::dmx_receiver::RUSTLE_DMX_SLOTS;
use crate::lent::{choices, same, Choice, Flag, RustleString};
use crate::records::records;
use crate::RustleHandle;
use rustle_engines::{ShowLevels, ShowReport, ShowReportKind};

/// In place of a cue or a scene: none.
pub const RUSTLE_SHOW_NONE: u32 = u32::MAX;

/// Added to the Port-Address of a universe of Art-Net, where those of sACN stand beside it.
pub const RUSTLE_SHOW_ART_NET: u32 = 0x1_0000;

choices! {
    /// An input of a show.
    pub enum RustleShowInput = RUSTLE_SHOW_ {
        /// An onset of the sound, its strength the value, 0 to 1.
        Onset = 0,
        /// The level of the sound from now on, 0 to 1.
        Level = 1,
        /// The level of a band of the sound from now on, 0 to 1; its place is 0 to 7, from the lowest.
        Band = 2,
        /// The level of a fader of the show, 0 to 1.
        Fader = 3,
        /// What all light is multiplied with, 0 to 1.
        Master = 4,
        /// 0: there is light; otherwise there is none. Heads and cues go on.
        Blackout = 5,
        /// No light, and the list of cues pauses. Place and value are not read.
        Panic = 6,
        /// 0: fades and waits for the next cue go on; otherwise they stand still.
        Pause = 7,
        /// To the next cue, the first one at the start. Place and value are not read.
        Go = 8,
        /// To the cue before. Place and value are not read.
        Back = 9,
        /// To a cue by its place.
        Cue = 10,
        /// To a scene by its place, without a cue; it takes the value in seconds to come, 0 to 100,000.
        Scene = 11,
        /// The tempo from the coming frame on, 1 to 999 beats a minute; the beats go on from where they are. The place is not read.
        Tempo = 12,
    }

    /// What a report of a show is for.
    pub enum RustleShowReportKind = RUSTLE_SHOW_REPORT_ {
        /// The state at a time of the reports' rate.
        State = 0,
        /// A cue started, by hand or because it followed.
        CueStarted = 1,
        /// A scene started that is none of a cue.
        SceneStarted = 2,
        /// The scene is all that is on.
        FadeEnded = 3,
        /// There is no cue after, or before, the one that is on.
        CuesEnded = 4,
        /// Fades and waits stopped or went on.
        Paused = 5,
        /// Light went off or came back.
        Blackout = 6,
    }

    /// A kind of text of a show.
    pub enum RustleShowText = RUSTLE_SHOW_TEXT_ {
        /// The name of the show, at place 0.
        Name = 0,
        /// The name of a fader.
        Fader = 1,
        /// The name of a scene.
        Scene = 2,
        /// The name of a cue.
        Cue = 3,
        /// A fault of the show's file or of the rig's, in one sentence.
        Fault = 4,
        /// The name of the rig's file that the show names, relative to the show's own, at place 0; empty: it names none.
        RigFile = 5,
        /// What is played as it is, in one sentence: a selection that the rig lacks, a fault of the rig's patch.
        Notice = 6,
        /// The show as JSON of version 1, at place 0; it is read as the same show.
        Json = 7,
        /// The patch of a fixture as an object of JSON: `id` (a number or a text), `name`, `profile`, `mode`, `group`, `protocol`
        /// (`sacn`, `artnet`), `universe` (of Art-Net the Port-Address as a number), `address` (1 to 512) and `slots`, the number of
        /// its slots; those past 512 are not sent.
        Fixture = 8,
    }
}

same!(ShowReportKind as RustleShowReportKind: State CueStarted SceneStarted FadeEnded CuesEnded Paused Blackout);

records! {
    /// The configuration of a show. Texts are read during the call only.
    pub struct RustleShowConfiguration lending memory {
        /// The show as JSON, by `docs/show.schema.json`; empty: the built-in one.
        pub show: RustleString,
        /// The rig as JSON, see `rustle_rig_new`; empty: that of the show, or the built-in one of `demo`.
        pub rig: RustleString,
        /// The built-in rig, `pars`, `bars`, `heads`, `festival` or `wall`, where no other is given. Example: "pars".
        pub demo: RustleString,
        /// Beats a minute at the start, 1 to 999. Example: 120.
        pub beats_a_minute: f64,
        /// Frames a second without a sender, 1 to 200; with one, its rate. Example: 44.
        pub frames_a_second: f64,
        /// Reports of the state a second, 0.001 to 10,000,000. Example: 1000.
        pub reports_per_second: f64,
        /// The number of reports after which a session ends, those of events among them; 0: no limit.
        pub report_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The session of a sender of sACN, on the same runtime, that takes the rig's universes of sACN, and whose frames the show
        /// follows; 0: none.
        pub sacn: RustleHandle,
        /// The session of a sender of Art-Net, likewise; the show follows its frames where there is none of sACN.
        pub art_net: RustleHandle,
        /// A clock on the same runtime, of `rustle_tempo_new`, whose smooth beats the show has from its beginning until another tempo is
        /// set; 0: none.
        pub clock: RustleHandle,
        /// Not 0: the first cue, or the first scene of a show without cues, waits for an input.
        pub starts_in_blackout: Flag,
        reserved: u32,
    }

    /// A show and its rig.
    pub struct RustleShowDescription {
        /// The number of lights of the fixtures: each pixel is one.
        pub elements: u64,
        /// The number of fixtures.
        pub fixtures: u32,
        /// The number of universes with fixtures.
        pub universes: u32,
        /// The number of faders.
        pub faders: u32,
        /// The number of scenes.
        pub scenes: u32,
        /// The number of cues.
        pub cues: u32,
        /// The number of faults of the files; what is wrong is left out.
        pub faults: u32,
        /// The number of notices.
        pub notices: u32,
        reserved: u32,
    }

    /// A scene in place of one of a show. The text is read during the call only.
    pub struct RustleShowScene lending memory {
        /// An object of JSON as in the list of a show's scenes, whose modulators name the show's faders. Example: "{"name":"next"}".
        pub json: RustleString,
        /// The place of the scene that it replaces, from 0.
        pub place: u32,
        reserved: u32,
    }

    /// The state of a show at a frame.
    pub struct RustleShowReport in lanes of ShowReport {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The time of the frame in nanoseconds since the show's start.
        pub time_ns: u64,
        /// The beats at the frame.
        pub beats: f64,
        /// Beats a minute.
        pub beats_a_minute: f64 = |report| report.bpm,
        /// Frames so far.
        pub frames: u64,
        /// Frames that were left out because their time was over.
        pub skipped: u64,
        /// What the report is for.
        pub kind: Choice<RustleShowReportKind> = |report| RustleShowReportKind::from(report.kind).into(),
        /// The cue by its place, or `RUSTLE_SHOW_NONE`.
        pub cue: u32 = |report| report.cue.unwrap_or(RUSTLE_SHOW_NONE),
        /// The scene by its place, or `RUSTLE_SHOW_NONE`.
        pub scene: u32 = |report| report.scene.unwrap_or(RUSTLE_SHOW_NONE),
        /// What all light is multiplied with, 0 to 1.
        pub master: f32,
        /// Not 0 while what was there before the scene is still seen.
        pub is_fading: Flag,
        /// Not 0 while fades and waits stand still.
        pub is_paused: Flag,
        /// Not 0 while the light is off.
        pub is_blackout: Flag,
        /// Senders that take frames.
        pub outputs: u32,
        /// On a batched lane the number of reports dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
        reserved: u32,
    }

    /// A session of a show's frames.
    pub struct RustleShowFramesRequest {
        /// The levels that wait at most, 1 to 1,048,576, of which the oldest are dropped; 0: the newest of each universe wait.
        pub capacity: usize,
    }

    /// The levels of a universe in a frame of a show.
    pub struct RustleShowLevels in lanes of ShowLevels {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The number of the frame in the show, from 1; one that an input renders anew has its number again.
        pub frame: u64,
        /// The time of the frame in nanoseconds since the show's start.
        pub time_ns: u64,
        /// The beats at the frame.
        pub beats: f64,
        /// The protocol.
        pub kind: Choice<RustleDMXProtocol> = |levels| RustleDMXProtocol::from(levels.protocol).into(),
        /// The universe of sACN, or the Port-Address.
        pub universe: u32,
        /// The universe's index among those of the rig: those of sACN, then the Port-Addresses, each in ascending order.
        pub index: u32 = |levels| levels.place,
        /// The number of levels dropped just before these; where the newest of each universe wait, of their own universe.
        pub gap: u32,
        /// 512.
        pub levels_count: u32 = |levels| levels.levels.len() as u32,
        /// The levels of slots 1 to 512.
        pub levels: [u8; RUSTLE_DMX_SLOTS],
        reserved: u32,
    }

    /// A frame of a show.
    pub struct RustleShowFrame {
        /// Its time in nanoseconds since the show's start.
        pub time_ns: u64,
        /// Its beats.
        pub beats: f64,
        /// The number of its universes.
        pub universes: usize,
    }
}
