//! What a session reports.

use crate::lane::Record;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowReportKind {
    /// Nothing: the state at a time of the reports' rate.
    State,
    /// A cue started, by hand or because it followed.
    CueStarted,
    /// A scene started that is none of a cue.
    SceneStarted,
    /// The scene is all that is on.
    FadeEnded,
    /// There is no cue after, or before, the one that is on.
    CuesEnded,
    /// Fades and waits stopped or went on.
    Paused,
    /// Light went off or came back.
    Blackout,
}

/// The state of a show at a frame, and what happened there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShowReport {
    /// The report's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// What happened.
    pub kind: ShowReportKind,
    /// The time of the frame in ns since the show's start.
    pub time_ns: u64,
    /// The beats at the frame.
    pub beats: f64,
    /// Beats a minute.
    pub bpm: f64,
    /// Frames so far; one that an input renders anew counts once.
    pub frames: u64,
    /// Frames that were left out because their time was over.
    pub skipped: u64,
    /// The cue by its place, if one is on.
    pub cue: Option<u32>,
    /// The scene by its place, if one is on.
    pub scene: Option<u32>,
    /// What all light is multiplied with, 0..=1.
    pub master: f32,
    /// Whether what was there before the scene is still seen.
    pub is_fading: bool,
    /// Whether fades and waits stand still.
    pub is_paused: bool,
    /// Whether the light is off.
    pub is_blackout: bool,
    /// Outputs that take frames.
    pub outputs: u32,
}

impl Record for ShowReport {}
