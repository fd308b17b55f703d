//! One clock from several sources: a session, taps, audio, MIDI clock and a tempo of the user's.

mod midi;
mod snapshot;
mod sources;

pub use midi::{MidiClock, MidiMessage};
pub use snapshot::{BeatState, CLOCK_WORDS, ClockSnapshot, Reading};
pub use sources::{Cause, Report, Source};

use crate::beats::{Beats, HostTime, Quantum, Tempo, Timeline};
use sources::Sources;

/// A change that users of the clock may want to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClockEvent {
    /// Another source is followed.
    SourceChanged {
        /// The source before.
        from: Source,
        /// The source now.
        to: Source,
    },
    /// The tempo of the exact reading is another.
    TempoChanged {
        /// The tempo now.
        tempo: Tempo,
        /// Who changed it.
        by: Cause,
    },
    /// The number of peers of the session is another.
    PeersChanged {
        /// The peers now, oneself not counted.
        peers: u32,
    },
    /// The phase of the exact reading moved by so many beats, forwards if positive; the smooth one walks there.
    PhaseShifted {
        /// The distance in beats, at most half a quantum.
        shift: Beats,
        /// Who moved it.
        by: Cause,
    },
    /// Another session is followed, which has peers.
    SessionJoined {
        /// Its id.
        session: u64,
    },
}

/// Shifts up to this, in microseconds, are the precision of a source and no event.
const SHIFT: i64 = 1000;

/// Follows the best of several sources, in an order that the user may change.
///
/// The exact reading is the source's own; it may jump when the source does or another one takes over. The smooth one walks there by at most
/// 1 ms in 22.7 ms, unless [`jump`](Self::jump) is called, and so is continuous over every change. The count of beats goes on over a change
/// of source: a multiple of the quantum is added to the source's (of audio, which does not know bars: of a beat).
///
/// A better source is followed at once. One that has gone is followed on for 5 s: see [`Report`]. A source without a phase of its own time, which
/// the manual one is, and taps that are held, starts from where the one before stood.
///
/// [`advance`](Self::advance) is to be called at [`deadline`](Self::deadline). What other threads read is a [`ClockSnapshot`].
#[derive(Clone, Debug)]
pub struct TempoClock {
    sources: Sources,
    snapshot: ClockSnapshot,
    session: Option<u64>,
}

impl TempoClock {
    /// A clock that follows the manual source, at beat 0.
    pub fn new(now: HostTime, tempo: Tempo, quantum: Quantum) -> Self {
        let timeline = Timeline {
            tempo,
            beat_origin: Beats::ZERO,
            time_origin: now,
        };
        Self {
            sources: Sources::new(timeline),
            snapshot: ClockSnapshot::new(timeline, quantum),
            session: None,
        }
    }

    /// What is to be read: a copy, valid until the next change.
    pub fn snapshot(&self) -> ClockSnapshot {
        self.snapshot
    }

    /// The order of the sources, the best first.
    pub fn order(&self) -> [Source; Source::ALL.len()] {
        self.sources.order
    }

    /// Takes another order of the sources, the best first. A source that the list lacks comes after it, a repeated one counts once.
    pub fn set_order(&mut self, order: &[Source], now: HostTime) -> Vec<ClockEvent> {
        self.sources.set_order(order);
        self.advance(now)
    }

    /// Takes the confidence from 0 to 1 from which audio is followed; of NaN nothing.
    pub fn set_audio_confidence(&mut self, least: f64, now: HostTime) -> Vec<ClockEvent> {
        if !least.is_nan() {
            self.sources.audio_confidence = least;
        }
        self.advance(now)
    }

    /// Holds the taps, so that they do not age, or lets them.
    pub fn hold_taps(&mut self, is_held: bool, now: HostTime) -> Vec<ClockEvent> {
        self.sources.holds_taps = is_held;
        self.advance(now)
    }

    /// Takes what a source reports now.
    pub fn report(&mut self, source: Source, report: Report, now: HostTime) -> Vec<ClockEvent> {
        self.sources.take(source, report, now);
        let mut events = Vec::new();
        if source == Source::Link && report.peers != self.snapshot.peers {
            self.snapshot.peers = report.peers;
            events.push(ClockEvent::PeersChanged { peers: report.peers });
        }
        self.follow(now, source == self.snapshot.source, &mut events);
        events
    }

    /// Takes the end of a source: it is as one that stopped reporting now, and of a session has no peers.
    pub fn lost(&mut self, source: Source, now: HostTime) -> Vec<ClockEvent> {
        let mut events = Vec::new();
        self.sources.lose(source, now);
        if source == Source::Link && self.snapshot.peers != 0 {
            self.snapshot.peers = 0;
            events.push(ClockEvent::PeersChanged { peers: 0 });
        }
        self.follow(now, false, &mut events);
        events
    }

    /// Takes a tempo of the user's for the manual source, from now on.
    pub fn set_manual(&mut self, tempo: Tempo, now: HostTime) -> Vec<ClockEvent> {
        let before = self.sources.timeline(Source::Manual);
        // The same tempo from another origin would differ by a rounding.
        let manual = if tempo == before.tempo {
            before
        } else {
            before.with_tempo(tempo, now)
        };
        self.report(Source::Manual, Report::new(manual), now)
    }

    /// Takes another quantum: the phase of the source in it counts at once.
    pub fn set_quantum(&mut self, quantum: Quantum, now: HostTime) -> Vec<ClockEvent> {
        self.snapshot.quantum = quantum;
        let mut events = Vec::new();
        self.rebase(now, Cause::Local, &mut events);
        events
    }

    /// Moves the smooth reading to the exact one now.
    pub fn jump(&mut self) {
        self.snapshot.jump();
    }

    /// Looks for sources that have gone or aged.
    pub fn advance(&mut self, now: HostTime) -> Vec<ClockEvent> {
        let mut events = Vec::new();
        self.follow(now, false, &mut events);
        events
    }

    /// The time at which a source ages, when [`advance`](Self::advance) is to be called; None if the followed one does not.
    pub fn deadline(&self) -> Option<HostTime> {
        self.sources.followed_until(self.snapshot.source)
    }

    /// Follows the best source.
    fn follow(&mut self, now: HostTime, has_reported: bool, events: &mut Vec<ClockEvent>) {
        let before = self.snapshot.source;
        let best = self.sources.best(before, now);
        let tempo = self.snapshot.exact.tempo;
        if best != before {
            if !self.sources.is_live(best, now) {
                let continued = match best {
                    // It has no tempo of its own either, until the user gives it one.
                    Source::Manual => self.snapshot.exact,
                    _ => self
                        .snapshot
                        .exact
                        .with_tempo(self.sources.timeline(best).tempo, now),
                };
                self.sources.continue_from(best, continued);
            }
            self.snapshot.source = best;
            events.push(ClockEvent::SourceChanged {
                from: before,
                to: best,
            });
        }
        let report = self.sources.report_of(best);
        let by = if best == before {
            report.cause
        } else {
            Cause::Local
        };
        if best != before || has_reported {
            self.rebase(now, by, events);
        }
        self.snapshot.confidence = report.confidence;
        self.snapshot.phase_error = report.phase_error;
        self.snapshot.is_playing = report.is_playing;
        if self.snapshot.exact.tempo != tempo {
            let tempo = self.snapshot.exact.tempo;
            events.push(ClockEvent::TempoChanged { tempo, by });
        }
        if best == Source::Link && report.session != self.session {
            self.session = report.session;
            if let Some(session) = report.session {
                events.push(ClockEvent::SessionJoined { session });
            }
        }
    }

    /// Takes the timeline of the followed source, with the count of beats nearest to the one until now.
    fn rebase(&mut self, now: HostTime, by: Cause, events: &mut Vec<ClockEvent>) {
        let source = self.snapshot.source;
        let own = self.sources.timeline(source);
        let unit = if source == Source::Audio {
            Quantum::BEAT
        } else {
            self.snapshot.quantum
        };
        let here = self.snapshot.exact.beat_at(now);
        let offset = nearest_multiple(here.saturating_sub(own.beat_at(now)), unit);
        let exact = Timeline {
            beat_origin: own.beat_origin.saturating_add(offset),
            ..own
        };
        let shift = exact.beat_at(now).saturating_sub(here);
        self.snapshot.set_exact(exact, now);
        let micros = i128::from(shift.micro()) * i128::from(own.tempo.micros_per_beat())
            / i128::from(crate::beats::MICRO_BEATS);
        if micros.abs() > SHIFT.into() {
            events.push(ClockEvent::PhaseShifted { shift, by });
        }
    }
}

/// The multiple of a quantum nearest to a distance.
pub fn nearest_multiple(distance: Beats, unit: Quantum) -> Beats {
    let half = Beats::from_micro(unit.beats().micro() / 2);
    let above = distance.saturating_add(half);
    above.saturating_sub(above.phase(unit))
}
