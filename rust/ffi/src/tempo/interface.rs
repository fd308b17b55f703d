//! What C sees of clocks: their changes, texts and records.

use crate::lent::{choices, same, Choice, Flag, RustleString};
use crate::records::records;
use crate::RustleHandle;
use rustle_engines::{Beat, BeatReading, LinkCounts, TempoReport, TempoReportKind};
use rustle_tempo::beats::{Quantum, Time};
use rustle_tempo::clock::Source;

choices! {
    /// Which beats are read.
    pub enum RustleBeatReading = RUSTLE_BEATS_ for BeatReading {
        /// The clock's, which walk to a change by at most 1 ms in 22.7 ms: for lights.
        Smooth = 0,
        /// The clock's, which may jump: for sequencers.
        Exact = 1,
        /// The session's, whichever source the clock follows.
        Session = 2,
    }

    /// A source of beats.
    pub enum RustleTempoSource = RUSTLE_TEMPO_SOURCE_ for Source {
        /// A session with peers.
        Link = 0,
        /// Taps.
        Tap = 1,
        /// MIDI clock.
        Midi = 2,
        /// Beats that are heard in audio.
        Audio = 3,
        /// The tempo that the user sets.
        Manual = 4,
    }

    /// What a report of a clock is for.
    pub enum RustleTempoReportKind = RUSTLE_TEMPO_REPORT_ {
        /// The state at a time of the reports' rate.
        State = 0,
        /// The clock follows another source; not reported with `RUSTLE_BEATS_SESSION`, as the next two.
        SourceChanged = 1,
        /// The clock has another tempo.
        TempoChanged = 2,
        /// The clock's phase moved.
        PhaseShifted = 3,
        /// The session has another tempo.
        SessionTempoChanged = 4,
        /// The session's phase moved.
        SessionPhaseShifted = 5,
        /// The number of peers is another.
        PeersChanged = 6,
        /// The session is another.
        SessionJoined = 7,
        /// The session started or stopped.
        PlayingChanged = 8,
        /// This program takes part in sessions, or left.
        EnabledChanged = 9,
        /// The quantum is another.
        QuantumChanged = 10,
    }

    /// The effect of a tap.
    pub enum RustleTapOutcome = RUSTLE_TAP_ {
        /// The change was no tap.
        None = 0,
        /// It is the first of an estimate: of all, or after a pause of 3 s and 2.5 periods.
        First = 1,
        /// It counts.
        Counted = 2,
        /// It falls on the beat of another tap, and does not count.
        Doubled = 3,
        /// It is not later than the tap before, and does not count.
        OutOfOrder = 4,
    }

    /// A change of a clock or of its session.
    pub enum RustleTempoInput = RUSTLE_TEMPO_ {
        /// Value 1 takes part in sessions, 0 leaves.
        Enabled = 0,
        /// The value in beats a minute, 20 to 999, is the tempo of the session, for all, with the beat at the time unchanged; and the one
        /// that the clock follows without another source.
        Tempo = 1,
        /// Value 1 starts, 0 stops, at the time; for all, if starts and stops are shared. The state says so at once.
        Playing = 2,
        /// Value 1 shares starts and stops, 0 does not.
        FollowsStartStop = 3,
        /// The value in beats is the quantum, more than 0 to 1,000,000.
        Quantum = 4,
        /// The session's count is the value at the time, or with peers at the next one whose phase fits.
        RequestBeat = 5,
        /// The session's count is the value at the time; the phase moves for everybody in it.
        ForceBeat = 6,
        /// A tap at the time.
        Tap = 7,
        /// The taps' tempo is halved; refused without two taps, and where it would not be within 20 to 999.
        Halve = 8,
        /// The taps' tempo is doubled; refused as halving is.
        Double = 9,
        /// The taps' beats are later by the value in milliseconds, -10,000 to 10,000.
        Nudge = 10,
        /// The taps' beat nearest to the time is a downbeat; refused without two taps.
        Downbeat = 11,
        /// Value 1 holds the taps, which then do not age; 0 does not.
        HoldsTaps = 12,
        /// The taps are forgotten.
        ForgetTaps = 13,
        /// The value, 0 to 255, is a byte of a MIDI stream that came at the time.
        MidiByte = 14,
        /// A beat was heard in audio at the time: the value is the tempo, 20 to 999, with the confidence and the phase error.
        Heard = 15,
        /// The value, 0 to 1, is the confidence from which audio is followed; 0.3 at first.
        AudioConfidence = 16,
        /// The value, one of `RUSTLE_TEMPO_SOURCE_…`, is the first source in the order, before the others in the order that they have.
        Prefer = 17,
        /// The smooth beats are the exact ones at once.
        Jump = 18,
    }
}

same!(TempoReportKind as RustleTempoReportKind:
    State SourceChanged TempoChanged PhaseShifted SessionTempoChanged SessionPhaseShifted PeersChanged SessionJoined PlayingChanged
    EnabledChanged QuantumChanged);
same!(Source as RustleTempoSource: Link Tap Midi Audio Manual);

records! {
    /// The configuration of a clock. Texts are read during the call only.
    pub struct RustleTempoConfiguration lending memory {
        /// The interfaces of the session by name or address, separated by commas; `all`; empty: the loopback, by which programs of one
        /// machine hear each other.
        pub interfaces: RustleString,
        /// Beats a minute at the start, 20 to 999. Example: 120.
        pub beats_a_minute: f64,
        /// The beats of a bar, more than 0 to 1,000,000. Example: 4.
        pub quantum: f64,
        /// Reports of the state a second, 0.001 to 10,000,000. Example: 1000.
        pub reports_per_second: f64,
        /// The number of reports after which a session of them ends, those of changes among them; 0: no limit.
        pub report_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The clock on the same runtime whose session this one follows; 0: one of its own.
        pub followed: RustleHandle,
        /// Which beats are reported.
        pub reading: Choice<RustleBeatReading>,
        /// Not 0: starts and stops are shared.
        pub follows_start_stop: Flag,
        /// The port of the session's programs, 1 to 65535; 0: 20808, that of other programs. Those of different ports do not meet.
        pub port: u32,
        reserved: u32,
    }

    /// A beat at a host time, and the state of the clock.
    pub struct RustleBeat for Beat {
        /// The host time in microseconds: CLOCK_MONOTONIC_RAW on Linux, `mach_absolute_time` on Apple systems.
        pub host_us: i64 = |beat| beat.host.micros(),
        /// The count of beats.
        pub beats: f64 = |beat| beat.beats.as_f64(),
        /// The count whose phase in any quantum the members of the session share; of other sources `beats`.
        pub shared_beats: f64 = |beat| beat.shared.as_f64(),
        /// Beats a minute; the smooth ones pass up to 4.4 % faster or slower.
        pub beats_a_minute: f64 = |beat| beat.tempo.bpm(),
        /// The position between two beats, 0 to less than 1.
        pub beat_phase: f64 = |beat| beat.beats.phase(Quantum::BEAT).as_f64(),
        /// The position in the quantum as a share of it, 0 to less than 1.
        pub bar_phase: f64 = |beat| beat.beats.phase(beat.quantum).as_f64() / beat.quantum.beats().as_f64(),
        /// The quantum in beats.
        pub quantum: f64 = |beat| beat.quantum.beats().as_f64(),
        /// The source's confidence, 0 to 1.
        pub confidence: f64,
        /// The standard error of the phase in milliseconds, as the source reports it.
        pub phase_error_ms: f64 = |beat| beat.phase_error,
        /// The id of the session.
        pub session: u64,
        /// The source.
        pub source: Choice<RustleTempoSource> = |beat| RustleTempoSource::from(beat.source).into(),
        /// The other members of the session.
        pub peers: u32,
        /// Not 0 while the source plays: its last start or stop is a start, which may be to come.
        pub is_playing: Flag,
        /// Not 0 while this program takes part in sessions.
        pub is_enabled: Flag,
    }

    /// The state of a clock, and what happened.
    pub struct RustleTempoReport in lanes of TempoReport {
        /// The sequence number in the session of reports: 0, 1, 2 …
        pub sequence: u64,
        /// The state after it.
        pub beat: RustleBeat = |report| report.beat.into(),
        /// How far the phase moved in beats, forwards if positive; otherwise 0.
        pub shift: f64 = |report| report.shift.as_f64(),
        /// What the report is for.
        pub kind: Choice<RustleTempoReportKind> = |report| RustleTempoReportKind::from(report.kind).into(),
        /// Not 0: a peer, or the source, made the change; otherwise this program. A change of source is this program's.
        pub is_by_peer: Flag,
        /// On a batched lane the number of reports dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
        reserved: u32,
    }

    /// A change of a clock or of its session.
    pub struct RustleTempoChange {
        /// The host time in microseconds, where the kind has one; negative: now.
        pub at_us: i64,
        /// The value, as the kind says. Example: 120.
        pub value: f64,
        /// The confidence of a beat that was heard, 0 to 1.
        pub confidence: f64,
        /// The standard error of the time of a beat that was heard, in milliseconds.
        pub phase_error_ms: f64,
        /// The kind. Example: 15.
        pub kind: Choice<RustleTempoInput>,
        reserved: u32,
    }

    /// What a change of a clock did.
    pub struct RustleTempoChanged {
        /// Its host time in microseconds: that of a requested beat may be later than asked for.
        pub at_us: i64,
        /// The effect of a tap.
        pub tap: Choice<RustleTapOutcome>,
        /// The beats between a tap that counts and the one before that were not tapped.
        pub missed: u32,
    }

    /// Tempo and phase of the taps.
    pub struct RustleTapEstimate {
        /// Beats a minute; 0: there are fewer than two taps.
        pub beats_a_minute: f64,
        /// The standard error of the tempo.
        pub tempo_error: f64,
        /// The standard error of the phase at the last tap, in milliseconds.
        pub phase_error_ms: f64,
        /// What the tempo would be multiplied with to be within 60 to 180 beats a minute: 0.5, 1 or 2. It is never done by itself.
        pub suggestion: f64,
        /// The host time of the last tap, in microseconds.
        pub last_us: i64,
        /// The host time of beat 0, a downbeat, in microseconds.
        pub downbeat_us: i64,
        /// The taps since the last reset.
        pub taps: u32,
        reserved: u32,
    }

    /// The counts of a member of sessions.
    pub struct RustleTempoCounts for LinkCounts {
        /// Messages of other members.
        pub messages: u64 = |counts| counts.node.messages,
        /// Datagrams that are no messages.
        pub malformed: u64 = |counts| counts.node.malformed.iter().sum(),
        /// Messages of members or sessions for which there was no room.
        pub excess: u64 = |counts| counts.node.excess_peers + counts.node.excess_sessions,
        /// Pings that were not answered because there were too many.
        pub refused_pings: u64 = |counts| counts.node.refused_pings,
        /// Measurements of a session's time that failed.
        pub failed_measurements: u64 = |counts| counts.node.failed_measurements,
        /// Datagrams that were sent.
        pub sent: u64,
        /// Datagrams that the system did not send.
        pub refused: u64,
        /// Errors of sockets, and interfaces that could not be opened.
        pub socket_errors: u64,
    }
}
