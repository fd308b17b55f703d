//! The state of a clock, and its readers.

use super::records::{Beat, TempoReportKind};
use crate::board::{Board, Words};
use crate::clock::{Clock, Nanoseconds};
use crate::link::{HostClock, Link, LinkEvent, LinkReader};
use crate::listeners::{Listeners, Waiting};
use crate::lock::locked_surely;
use crate::session::Session;
use rustle_tempo::beats::{Beats, HostTime, Time, Timeline};
use rustle_tempo::clock::{
    CLOCK_WORDS, Cause, ClockEvent, ClockSnapshot, MidiClock, Reading, Report, Source, TempoClock,
    nearest_multiple,
};
use rustle_tempo::link::{Event, Origin, Snapshot};
use rustle_tempo::tap::TapTempo;
use std::sync::{Arc, Mutex};

/// The time between two looks at a session with peers, in us: its rate is another by at most 100 ppm, so that the clock is at most 25 us
/// from it.
const LOOK: i64 = 250_000;

/// Which beats are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BeatReading {
    /// The clock's, which walk to a change: for lights.
    #[default]
    Smooth,
    /// The clock's, which may jump: for sequencers.
    Exact,
    /// The session's, whichever source the clock follows.
    Session,
}

impl Words<CLOCK_WORDS> for ClockSnapshot {
    fn to_words(&self) -> [u64; CLOCK_WORDS] {
        Self::to_words(self)
    }

    fn from_words(words: &[u64; CLOCK_WORDS]) -> Self {
        Self::from_words(words)
    }
}

/// What a change is.
#[derive(Clone, Copy)]
pub(super) struct Notice {
    pub(super) kind: TempoReportKind,
    pub(super) is_by_peer: bool,
    pub(super) shift: Beats,
}

/// A change on its way to the sessions of reports, with the state after it: when it is delivered there may be a later one.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) host: HostTime,
    pub(super) notice: Notice,
    clock: ClockSnapshot,
    session: Snapshot,
}

impl Change {
    /// The beat at a host time, if nothing changed later.
    pub(super) fn beat_at(&self, at: HostTime, reading: BeatReading) -> Beat {
        beat_of(&self.clock, &self.session, at, reading)
    }
}

/// The sources of a clock.
pub(super) struct State {
    pub(super) clock: TempoClock,
    pub(super) taps: TapTempo,
    pub(super) midi: MidiClock,
    pub(super) listeners: Listeners<Change>,
    /// Whether the session has been followed.
    has_session: bool,
    heard: Vec<LinkEvent>,
    changes: Vec<Change>,
}

impl State {
    /// Has the clock follow the taps' present estimate.
    pub(super) fn report_taps(&mut self, now: HostTime) -> Vec<ClockEvent> {
        match self.taps.estimate() {
            Some(estimate) => self.clock.report(Source::Tap, (&estimate).into(), now),
            None => Vec::new(),
        }
    }
}

/// What the engine, its jobs and its readers share.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// The changes of the session that the clock has not seen.
    pub(super) waiting: Arc<Mutex<Waiting<LinkEvent>>>,
    board: Board<ClockSnapshot, CLOCK_WORDS>,
    link: LinkReader,
    pub(super) host: HostClock,
    time: Arc<dyn Clock>,
}

impl Shared {
    pub(super) fn new(clock: TempoClock, link: &Link, time: Arc<dyn Clock>) -> Self {
        Self {
            board: Board::new(&clock.snapshot()),
            state: Mutex::new(State {
                clock,
                taps: TapTempo::default(),
                midi: MidiClock::default(),
                listeners: Listeners::default(),
                has_session: false,
                heard: Vec::new(),
                changes: Vec::new(),
            }),
            waiting: Arc::default(),
            link: link.reader(),
            host: link.host_clock(),
            time,
        }
    }

    /// Changes a source, follows the best one, and reports what is new.
    pub(super) fn act<T>(&self, call: impl FnOnce(&mut State, HostTime) -> (T, Vec<ClockEvent>)) -> T {
        let mut state = locked_surely(&self.state);
        let now = self.host.now();
        let (result, events) = call(&mut state, now);
        self.publish(&mut state, &events, now);
        result
    }

    /// Leaves the present state, and each change from now on, for a session of reports.
    pub(super) fn listen(&self, session: Session, waiting: Arc<Mutex<Waiting<Change>>>) {
        let mut state = locked_surely(&self.state);
        let present = Change {
            host: self.host.now(),
            notice: Notice {
                kind: TempoReportKind::State,
                is_by_peer: false,
                shift: Beats::ZERO,
            },
            clock: state.clock.snapshot(),
            session: self.link.snapshot(),
        };
        state.listeners.add(session, waiting, Some(present));
    }

    /// Follows the session, and looks for sources that have gone. Returns when the next look is due, if one is.
    pub(super) fn look(&self) -> Option<HostTime> {
        let mut state = locked_surely(&self.state);
        let now = self.host.now();
        let state = &mut *state;
        locked_surely(&self.waiting).take(&mut state.heard);
        let is_by_peer = state
            .heard
            .iter()
            .filter_map(of_session)
            .any(|notice| notice.is_by_peer);
        let cause = if is_by_peer { Cause::Peer } else { Cause::Local };
        let session = self.link.snapshot();
        state.has_session |= session.is_enabled;
        let events = match state.has_session {
            true => (state.clock).report(Source::Link, report(&session, cause, now), now),
            false => state.clock.advance(now),
        };
        self.publish(state, &events, now);
        let look = (session.peers > 0).then(|| now.saturating_add_micros(LOOK));
        look.into_iter().chain(state.clock.deadline()).min()
    }

    fn publish(&self, state: &mut State, events: &[ClockEvent], now: HostTime) {
        let (clock, session) = (state.clock.snapshot(), self.link.snapshot());
        self.board.write(&clock);
        state.changes.extend(state.heard.drain(..).filter_map(|event| {
            Some(Change {
                host: event.host,
                notice: of_session(&event)?,
                clock,
                session: event.snapshot,
            })
        }));
        state.changes.extend(events.iter().filter_map(|event| {
            Some(Change {
                host: now,
                notice: of_clock(event)?,
                clock,
                session,
            })
        }));
        state.listeners.report(&state.changes);
        state.changes.clear();
    }

    fn beat_at(&self, at: HostTime, reading: BeatReading) -> Beat {
        beat_of(&self.board.read(), &self.link.snapshot(), at, reading)
    }
}

fn beat_of(clock: &ClockSnapshot, session: &Snapshot, at: HostTime, reading: BeatReading) -> Beat {
    let reading = match reading {
        BeatReading::Smooth => Reading::Smooth,
        BeatReading::Exact => Reading::Exact,
        BeatReading::Session => return of_member(session, at),
    };
    let state = clock.state_at(at, reading);
    let shared = match state.source {
        Source::Link => {
            let distance = state.beats.saturating_sub(session.session_beats_at(at));
            state
                .beats
                .saturating_sub(nearest_multiple(distance, state.quantum))
        }
        _ => state.beats,
    };
    Beat {
        host: at,
        beats: state.beats,
        shared,
        tempo: state.tempo,
        quantum: state.quantum,
        source: state.source,
        peers: session.peers,
        session: session_id(session),
        is_playing: state.is_playing,
        is_enabled: session.is_enabled,
        confidence: state.confidence,
        phase_error: state.phase_error,
    }
}

/// Reads beats, from any thread, without a lock or an allocation: realtime-safe. Clones read the same clock.
#[derive(Clone)]
pub struct BeatReader(pub(super) Arc<Shared>);

impl BeatReader {
    /// The beat at a host time.
    pub fn beat_at(&self, at: HostTime, reading: BeatReading) -> Beat {
        self.0.beat_at(at, reading)
    }

    /// The present host time.
    pub fn host_now(&self) -> HostTime {
        self.0.host.now()
    }

    /// The host time of a time of its jobs' clock.
    pub(crate) fn host_at(&self, time: Nanoseconds) -> HostTime {
        // A thread that is held up between two readings is off by that: the closest of three.
        let readings = [(); 3].map(|()| {
            let before = self.0.time.now();
            let host = self.0.host.now();
            (self.0.time.now().abs_diff(before), before, host)
        });
        let (_, now, host) = readings.into_iter().min().unwrap_or_default();
        let micros = i64::try_from(time.abs_diff(now) / 1_000).unwrap_or(i64::MAX);
        host.saturating_add_micros(if time < now { -micros } else { micros })
    }

    /// Whether its jobs' times are those of a clock.
    pub(crate) fn is_on(&self, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.0.time, clock)
    }
}

fn session_id(session: &Snapshot) -> u64 {
    u64::from_be_bytes(*session.session.bytes())
}

fn of_member(session: &Snapshot, at: HostTime) -> Beat {
    Beat {
        host: at,
        beats: session.beats_at(at),
        shared: session.session_beats_at(at),
        tempo: session.tempo(),
        quantum: session.quantum,
        source: Source::Link,
        peers: session.peers,
        session: session_id(session),
        is_playing: session.is_playing,
        is_enabled: session.is_enabled,
        confidence: 1.0,
        phase_error: 0.0,
    }
}

fn report(session: &Snapshot, cause: Cause, now: HostTime) -> Report {
    Report {
        cause,
        peers: session.peers,
        session: Some(session_id(session)),
        is_playing: session.is_playing,
        ..Report::new(Timeline {
            tempo: session.tempo(),
            // The clock's quantum may be another than the session's.
            beat_origin: session.session_beats_at(now),
            time_origin: now,
        })
    }
}

/// What a session's event is. Who is there and which session it is come from others while there are some.
fn of_session(event: &LinkEvent) -> Option<Notice> {
    let notice = |kind, is_by_peer| Notice {
        kind,
        is_by_peer,
        shift: Beats::ZERO,
    };
    let is_of_peer = |by| matches!(by, Origin::Peer(_));
    Some(match event.change? {
        Event::TempoChanged { by, .. } => notice(TempoReportKind::SessionTempoChanged, is_of_peer(by)),
        Event::PlayingChanged { by, .. } => notice(TempoReportKind::PlayingChanged, is_of_peer(by)),
        Event::PhaseShifted { shift, by } => Notice {
            shift,
            ..notice(TempoReportKind::SessionPhaseShifted, is_of_peer(by))
        },
        Event::PeersChanged { .. } => notice(TempoReportKind::PeersChanged, event.snapshot.is_enabled),
        Event::SessionJoined { .. } => notice(TempoReportKind::SessionJoined, event.snapshot.peers > 0),
        Event::EnabledChanged { .. } => notice(TempoReportKind::EnabledChanged, false),
        Event::QuantumChanged { .. } => notice(TempoReportKind::QuantumChanged, false),
        _ => return None,
    })
}

/// The session reports its peers, and that it is another, itself.
fn of_clock(event: &ClockEvent) -> Option<Notice> {
    let notice = |kind, by| Notice {
        kind,
        is_by_peer: by == Cause::Peer,
        shift: Beats::ZERO,
    };
    match *event {
        ClockEvent::SourceChanged { .. } => Some(notice(TempoReportKind::SourceChanged, Cause::Local)),
        ClockEvent::TempoChanged { by, .. } => Some(notice(TempoReportKind::TempoChanged, by)),
        ClockEvent::PhaseShifted { shift, by } => Some(Notice {
            shift,
            ..notice(TempoReportKind::PhaseShifted, by)
        }),
        ClockEvent::PeersChanged { .. } | ClockEvent::SessionJoined { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_tempo::beats::{GhostTime, Quantum, Tempo};
    use rustle_tempo::link::{GhostMap, NodeId, SessionId};

    /// A session of a quantum of 3 whose count is ahead of the others' by some of them.
    fn session() -> Snapshot {
        Snapshot {
            timeline: Timeline {
                tempo: Tempo::default(),
                beat_origin: Beats::from_f64(7.25),
                time_origin: GhostTime::new(0),
            },
            map: GhostMap::new(HostTime::new(0), GhostTime::new(0), 0),
            offset: Beats::from_f64(-33.0),
            quantum: Quantum::new(Beats::from_f64(3.0)).expect("a quantum"),
            session: SessionId::founded_by(NodeId::from_field(*b"somebody")),
            peers: 1,
            is_playing: false,
            is_enabled: true,
        }
    }

    #[test]
    fn phase_in_any_quantum_is_that_of_the_members() {
        let session = session();
        let start = HostTime::new(0);
        let mut clock = TempoClock::new(start, Tempo::default(), Quantum::BAR);
        clock.report(Source::Link, report(&session, Cause::Peer, start), start);
        for at in [0, 1_234_567, 60_000_000].map(HostTime::new) {
            for reading in [BeatReading::Exact, BeatReading::Smooth, BeatReading::Session] {
                // The smooth one has walked there.
                let settled = reading != BeatReading::Smooth || at == HostTime::new(60_000_000);
                let beat = beat_of(&clock.snapshot(), &session, at, reading);
                assert_eq!(beat.beats.phase(beat.quantum), beat.shared.phase(beat.quantum));
                for quantum in [3.0, 4.0, 8.0, 0.75] {
                    let quantum = Quantum::new(Beats::from_f64(quantum)).expect("a quantum");
                    let expected = session.phase_at(at, quantum);
                    let distance = beat.shared.saturating_sub(session.session_beats_at(at));
                    assert!(distance.micro().abs() <= 2_000_000, "{distance:?}");
                    assert!(
                        !settled || beat.shared.phase(quantum) == expected,
                        "{reading:?} {quantum:?}"
                    );
                }
            }
        }
    }
}
