//! What is read of a clock, and what it reports.

use crate::lane::Record;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo};
use rustle_tempo::clock::Source;

/// A beat at a host time, and the state of the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beat {
    /// The host time.
    pub host: HostTime,
    /// The count of beats.
    pub beats: Beats,
    /// The count without the multiples of a quantum by which it differs from the session's: its phase in any quantum is shared. Of other
    /// sources the same.
    pub shared: Beats,
    /// The tempo.
    pub tempo: Tempo,
    /// The quantum.
    pub quantum: Quantum,
    /// The source.
    pub source: Source,
    /// The nodes in the session, this one not counted.
    pub peers: u32,
    /// The id of the session.
    pub session: u64,
    /// Whether the source plays.
    pub is_playing: bool,
    /// Whether this program takes part in sessions.
    pub is_enabled: bool,
    /// The source's confidence, 0 to 1.
    pub confidence: f64,
    /// The standard error of the phase, in milliseconds.
    pub phase_error: f64,
}

/// What a report is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TempoReportKind {
    /// Nothing: the state at a time of the reports' rate.
    State,
    /// The clock follows another source; not reported with the beats of the session, as the next two.
    SourceChanged,
    /// The clock has another tempo.
    TempoChanged,
    /// The clock's phase moved.
    PhaseShifted,
    /// The session has another tempo.
    SessionTempoChanged,
    /// The session's phase moved.
    SessionPhaseShifted,
    /// The number of peers is another.
    PeersChanged,
    /// The session is another.
    SessionJoined,
    /// The session started or stopped.
    PlayingChanged,
    /// This program takes part in sessions, or left.
    EnabledChanged,
    /// The quantum is another.
    QuantumChanged,
}

impl TempoReportKind {
    /// Whether it is the session's, and not a change of the clock that may follow another source.
    pub(super) fn is_of_session(self) -> bool {
        !matches!(
            self,
            Self::SourceChanged | Self::TempoChanged | Self::PhaseShifted
        )
    }
}

/// The state of a clock, and what happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TempoReport {
    /// Its number in the session of reports: 0, 1, 2 …
    pub sequence: u64,
    /// What happened.
    pub kind: TempoReportKind,
    /// Whether a peer, or the source, made the change; otherwise this program. A change of source is this program's.
    pub is_by_peer: bool,
    /// How far the phase moved, forwards if positive.
    pub shift: Beats,
    /// The state after it.
    pub beat: Beat,
}

impl Record for TempoReport {}
