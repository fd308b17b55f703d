//! What C sees of mapping: its choices and records.

use crate::lent::{choices, Choice, Flag, RustleString};
use crate::records::records;
use rustle_mapping::live::Method;
use rustle_mapping::report::Report;
use rustle_mapping::simulate::Difficulty;

choices! {
    /// How fixtures are distinguished.
    pub enum RustleMappingMethod = RUSTLE_MAPPING_ for Method {
        /// By the bits of their ids.
        Coded = 0,
        /// By those and by check bits.
        Checked = 1,
        /// One after the other.
        Sequential = 2,
    }

    /// How bytes become frames.
    pub enum RustleFrameFormat = RUSTLE_FRAMES_ {
        /// YUV4MPEG2.
        Y4m = 0,
        /// Bytes of gray without a header, row by row, 0 black to 255 white.
        Gray = 1,
        /// The bytes of each call are a file: PNG, or PGM (P5).
        Images = 2,
    }

    /// What a mapping is doing.
    pub enum RustleMappingPhase = RUSTLE_PHASE_ {
        /// All fixtures without a place are lit and dark in turns, to find out how late the frames are.
        Delay = 0,
        /// The schedule runs, or a recording is read.
        Schedule = 1,
        /// What was not found is lit once more.
        Again = 2,
        /// It is over: what was lit before is to be lit again.
        Done = 3,
    }

    /// A file of a mapping.
    pub enum RustleMapperText = RUSTLE_MAPPER_ {
        /// The places of all fixtures as JSON; a recording's frames so far are decoded for it.
        Result = 0,
        /// The schedule of all fixtures as JSON. With `known` places, one of the other fixtures alone runs in its place.
        Schedule = 1,
        /// The result as a PNG: what the camera saw, with marks. Nothing before the first frame.
        Picture = 2,
        /// The rig's fixture and its cell of each id as JSON; nothing without a rig.
        Cells = 3,
    }

    /// What is made of two files.
    pub enum RustleMappingReport = RUSTLE_REPORT_ for Report {
        /// A verdict, of a truth and a result.
        Verdict = 0,
        /// Places on a plan, of a result and points.
        Plan = 1,
        /// A result, of a result and corrections.
        Corrected = 2,
        /// A rig with positions, of a rig and places on a plan of the floor.
        Placed = 3,
        /// A rig with positions, of a rig and places on an upright plan.
        PlacedUpright = 4,
        /// Places in space, of results and measured points.
        Located = 5,
        /// A rig with positions, of a rig and places in space.
        PlacedInSpace = 6,
        /// A result, of a rig and a camera that sees it from a place.
        Seen = 7,
    }

    /// How hard a simulated scene is.
    pub enum RustleScene = RUSTLE_SCENE_ for Difficulty {
        /// A dark room, a good camera.
        Dark = 0,
        /// Ambient light, noise and haze.
        Club = 1,
        /// People, mirrors, windows, flicker, dead fixtures and a shutter that rolls.
        Hard = 2,
    }
}

records! {
    /// A mapping.
    pub struct RustleMapperConfiguration lending memory {
        /// The file of the rig, each cell of whose fixtures has an id, in the rig's order; empty: `count` fixtures.
        pub rig: RustleString,
        /// The file of a schedule in place of the method's; empty: none.
        pub schedule: RustleString,
        /// An earlier result of as many fixtures, in frames of the same size, whose places stay: only the others get places, and are lit;
        /// empty: none.
        pub known: RustleString,
        /// The number of fixtures without a rig, 1 to 65,536. Example: 4.
        pub count: u32,
        /// The frames that a state is held for, 1 to 1,000. Example: 2.
        pub hold: u32,
        /// The width of frames of gray in pixels, 1 to 8,192. Example: 8.
        pub width: u32,
        /// The height of frames of gray in pixels, 1 to 8,192. Example: 8.
        pub height: u32,
        /// How fixtures are distinguished.
        pub method: Choice<RustleMappingMethod>,
        /// How bytes become frames.
        pub format: Choice<RustleFrameFormat>,
        /// Not 0: it says what is to be lit, and the frames follow that.
        pub is_live: Flag,
        /// Not 0: what was not found is lit once more.
        pub lights_again: Flag,
    }

    /// How far a mapping is.
    pub struct RustleMapperDescription {
        /// The number of frames so far.
        pub frames: u64,
        /// The number of frames that were lost between those, by their times, or left out.
        pub dropped: u64,
        /// The part of the phase that is over, 0 to 1.
        pub part: f64,
        /// The mean time from a change to the frame that shows it, in frames; below 0: not known.
        pub delay: f64,
        /// By how much the changes differ in that, in frames.
        pub spread: f64,
        /// The number of fixtures.
        pub fixtures: u32,
        /// The number of fixtures that were found.
        pub found: u32,
        /// The number of universes of the rig.
        pub universes: u32,
        /// The phase.
        pub phase: Choice<RustleMappingPhase>,
    }

    /// How bytes become frames.
    pub struct RustleFrameReaderConfiguration {
        /// The width of frames of gray in pixels, 1 to 8,192. Example: 8.
        pub width: u32,
        /// The height of frames of gray in pixels, 1 to 8,192. Example: 8.
        pub height: u32,
        /// How bytes become frames. Example: 1.
        pub format: Choice<RustleFrameFormat>,
    }

    /// What was read.
    pub struct RustleFrameReaderDescription {
        /// The number of frames so far, with those that wait.
        pub frames: u64,
        /// The time between frames in ns; 0: the bytes do not say it.
        pub interval: u64,
        /// The width in pixels; 0 before the first frame.
        pub width: u32,
        /// The height in pixels; 0 before the first frame.
        pub height: u32,
    }

    /// A simulated camera.
    pub struct RustleCameraConfiguration lending memory {
        /// The file of the rig, whose slots light the fixtures; empty: `count` fixtures, which a schedule lights.
        pub rig: RustleString,
        /// The seed of the scene.
        pub seed: u64,
        /// The probability that a frame is dropped, 0 to 0.5; -1: the scene's.
        pub drops: f64,
        /// How much of a wrong exposure is put right from frame to frame, 0 to 1; -1: the scene's.
        pub auto_exposure: f64,
        /// The time from a change to the frame that shows it, 0 to 15 frames; -1: the scene's.
        pub delay: f64,
        /// The number of fixtures without a rig, 1 to 65,536. Example: 4.
        pub count: u32,
        /// The frames that a state is held for, 1 to 1,000. Example: 2.
        pub hold: u32,
        /// The width in pixels, 32 to 8,192. Example: 32.
        pub width: u32,
        /// The height in pixels, 32 to 8,192. Example: 32.
        pub height: u32,
        /// The schedule.
        pub method: Choice<RustleMappingMethod>,
        /// The scene.
        pub scene: Choice<RustleScene>,
    }

    /// What a simulated camera films.
    pub struct RustleCameraDescription {
        /// The frames of the schedule; the largest number with a rig.
        pub frames: u64,
        /// The time between frames in ns.
        pub interval: u64,
        /// The number of fixtures.
        pub fixtures: u32,
        reserved: u32,
    }
}
