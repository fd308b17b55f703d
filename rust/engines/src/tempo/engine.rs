//! Clocks of beats.

use super::clock::{BeatReader, Shared};
use super::configuration::TempoConfiguration;
use super::error::TempoError;
use super::jobs::{FollowJob, ReportsJob};
use super::records::TempoReport;
use crate::engine::Sessions;
use crate::link::{Link, LinkCounts};
use crate::lock::locked_surely;
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::turns::Turns;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Timeline};
use rustle_tempo::clock::{Cause, Report, Source, TempoClock};
use rustle_tempo::tap::{Octave, TapEstimate, TapOutcome};
use std::sync::Arc;

/// A change of a clock or of its session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TempoChange {
    /// Takes part in sessions, or leaves.
    Enabled(bool),
    /// The session's tempo, for all, with the beat at a host time unchanged; also the one of the user's that the clock follows without
    /// another source.
    Tempo(Tempo, HostTime),
    /// Starts or stops at a host time; for all, if starts and stops are shared.
    Playing(bool, HostTime),
    /// Whether starts and stops are shared.
    FollowsStartStop(bool),
    /// The quantum.
    Quantum(Quantum),
    /// Counts a beat of the session at a host time, or with peers at the next one whose phase fits.
    RequestBeat(Beats, HostTime),
    /// Counts a beat of the session at a host time, and moves the phase of everybody in it.
    ForceBeat(Beats, HostTime),
    /// A tap.
    Tap(HostTime),
    /// The taps' tempo is halved or doubled.
    Octave(Octave),
    /// The taps' beats are later by so many milliseconds.
    Nudge(f64),
    /// The taps' beat nearest to a host time is a downbeat.
    Downbeat(HostTime),
    /// Whether taps are held: followed until there are others.
    HoldsTaps(bool),
    /// The taps are forgotten.
    ForgetTaps,
    /// A byte of a MIDI stream.
    MidiByte(u8, HostTime),
    /// A beat that was heard in audio.
    Heard {
        /// The beat's time.
        at: HostTime,
        /// The tempo.
        tempo: Tempo,
        /// From 0 to 1.
        confidence: f64,
        /// The standard error of the time, in milliseconds.
        phase_error: f64,
    },
    /// The confidence from which audio is followed.
    AudioConfidence(f64),
    /// A source is the first in the order, before the others in the order that they have.
    Prefer(Source),
    /// The smooth beats are the exact ones at once.
    Jump,
}

/// What a change did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TempoChanged {
    /// Its time: that of the request for a requested beat, which may be later than asked for.
    pub at: HostTime,
    /// The effect of a tap.
    pub tap: Option<TapOutcome>,
}

/// A clock. Dropping it leaves the session, unless another clock follows it. Any thread may call it at any time.
pub struct TempoEngine {
    sessions: Sessions,
    /// Of the job that follows the sources.
    jobs: Sessions,
    follower: Session,
    runtime: Arc<Runtime>,
    link: Arc<Link>,
    /// Whether the session is another clock's.
    is_following: bool,
    configuration: TempoConfiguration,
    reader: BeatReader,
}

impl TempoEngine {
    /// A clock on a runtime of the caller's, with the session of another clock or one of its own, in which it does not take part yet.
    ///
    /// # Errors
    /// [`TempoError::ReportRate`], [`TempoError::OtherRuntime`], [`TempoError::Link`].
    pub fn on(
        runtime: Arc<Runtime>,
        configuration: TempoConfiguration,
        of: Option<&Self>,
    ) -> Result<Self, TempoError> {
        configuration.check()?;
        if of.is_some_and(|of| !Arc::ptr_eq(&of.runtime, &runtime)) {
            return Err(TempoError::OtherRuntime);
        }
        let link = match of {
            Some(of) => of.link.clone(),
            None => Arc::new(Link::on(runtime.clone(), configuration.link.clone())),
        };
        let (tempo, quantum) = (configuration.link.tempo, configuration.link.quantum);
        let clock = TempoClock::new(link.host_now(), tempo, quantum);
        let shared = Arc::new(Shared::new(clock, &link, runtime.shared_clock()));
        let jobs = Sessions::new(runtime.clone());
        let of_job = shared.clone();
        let follower = jobs.start(|| Box::new(FollowJob(of_job)))?;
        link.listen(follower.clone(), shared.waiting.clone());
        Ok(Self {
            sessions: Sessions::new(runtime.clone()),
            jobs,
            follower,
            runtime,
            link,
            is_following: of.is_some(),
            configuration,
            reader: BeatReader(shared),
        })
    }

    /// The started sessions of reports.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// A reader of beats for other threads.
    pub fn reader(&self) -> &BeatReader {
        &self.reader
    }

    /// Starts a session of reports.
    ///
    /// # Errors
    /// [`TempoError::Link`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<TempoReport>) -> Result<LaneSession<TempoReport>, TempoError> {
        let waiting = Arc::default();
        let of_job = Arc::clone(&waiting);
        let session = self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(ReportsJob {
                reader: self.reader.clone(),
                reading: self.configuration.reading,
                waiting: of_job,
                outlet,
                has_begun: false,
                last: HostTime::default(),
                turns: Turns::new(1, self.configuration.reports_per_second, None),
                limit: self.configuration.report_limit.unwrap_or(u64::MAX),
                sequence: 0,
                changes: Vec::new(),
                reports: Vec::new(),
            })
        })?;
        self.reader.0.listen(session.session().clone(), waiting);
        Ok(session)
    }

    /// Makes a change.
    ///
    /// # Errors
    /// [`TempoError::Value`], [`TempoError::NoTaps`]; of [`TempoChange::Enabled`] [`TempoError::Link`]; in a fork [`TempoError::Link`]. Nothing is changed then.
    pub fn change(&self, change: TempoChange) -> Result<TempoChanged, TempoError> {
        self.sessions.check_process()?;
        let now = self.reader.host_now();
        let mut tap = None;
        let at = match change {
            TempoChange::Enabled(true) => {
                // One that is called while the clock shuts down is refused by the session.
                self.sessions.admit()?;
                self.link.enable()?;
                now
            }
            TempoChange::Enabled(false) => {
                self.link.disable();
                now
            }
            TempoChange::Tempo(tempo, at) => {
                self.link.set_tempo(tempo, at);
                self.reader
                    .0
                    .act(|state, now| ((), state.clock.set_manual(tempo, now)));
                at
            }
            TempoChange::Playing(is_playing, at) => {
                self.link.set_playing(is_playing, at);
                at
            }
            TempoChange::FollowsStartStop(follows) => {
                self.link.set_follows_start_stop(follows);
                now
            }
            TempoChange::Quantum(quantum) => {
                self.link.set_quantum(quantum);
                self.reader
                    .0
                    .act(|state, now| ((), state.clock.set_quantum(quantum, now)));
                now
            }
            TempoChange::RequestBeat(beat, at) => self.link.request_beat(beat, at),
            TempoChange::ForceBeat(beat, at) => {
                self.link.force_beat(beat, at);
                at
            }
            TempoChange::Tap(at) => {
                tap = Some(self.reader.0.act(|state, now| {
                    let outcome = state.taps.tap(at);
                    (outcome, state.report_taps(now))
                }));
                at
            }
            change => self.change_source(change, now)?,
        };
        // The clock has what the caller reads next.
        self.reader.0.look();
        // It may have another time at which to look.
        self.follower.wake();
        Ok(TempoChanged { at, tap })
    }

    fn change_source(&self, change: TempoChange, now: HostTime) -> Result<HostTime, TempoError> {
        let value = |what, expected, got| TempoError::Value { what, expected, got };
        match change {
            TempoChange::Nudge(milliseconds) if !(-10_000.0..=10_000.0).contains(&milliseconds) => {
                return Err(value("nudge", "-10000 to 10000 ms", milliseconds));
            }
            TempoChange::AudioConfidence(least) if !(0.0..=1.0).contains(&least) => {
                return Err(value("confidence", "0 to 1", least));
            }
            TempoChange::Heard { confidence, .. } if !(0.0..=1.0).contains(&confidence) => {
                return Err(value("confidence", "0 to 1", confidence));
            }
            TempoChange::Heard { phase_error, .. } if !(0.0..=1e6).contains(&phase_error) => {
                return Err(value("phase error", "0 to 1000000 ms", phase_error));
            }
            _ => {}
        }
        self.reader.0.act(|state, _| {
            let mut at = now;
            let mut result = Ok(());
            let events = match change {
                TempoChange::Octave(octave) => {
                    result = match state.taps.estimate() {
                        None => Err(TempoError::NoTaps),
                        Some(_) if state.taps.apply(octave) => Ok(()),
                        Some(taps) => Err(value(
                            "tempo of the taps",
                            "20 to 999 BPM",
                            taps.bpm * octave.factor(),
                        )),
                    };
                    state.report_taps(now)
                }
                TempoChange::Nudge(milliseconds) => {
                    state.taps.nudge(milliseconds);
                    state.report_taps(now)
                }
                TempoChange::Downbeat(time) => {
                    at = time;
                    if !state.taps.set_downbeat(time) {
                        result = Err(TempoError::NoTaps);
                    }
                    state.report_taps(now)
                }
                TempoChange::HoldsTaps(is_held) => state.clock.hold_taps(is_held, now),
                TempoChange::ForgetTaps => {
                    state.taps.reset();
                    state.clock.lost(Source::Tap, now)
                }
                TempoChange::MidiByte(byte, time) => {
                    at = time;
                    match state.midi.byte(byte, time).and_then(|_| state.midi.report()) {
                        Some(report) => state.clock.report(Source::Midi, report, now),
                        None => Vec::new(),
                    }
                }
                TempoChange::Heard {
                    at: time,
                    tempo,
                    confidence,
                    phase_error,
                } => {
                    at = time;
                    let report = Report {
                        confidence,
                        phase_error,
                        cause: Cause::Peer,
                        ..Report::new(Timeline {
                            tempo,
                            beat_origin: Beats::ZERO,
                            time_origin: time,
                        })
                    };
                    state.clock.report(Source::Audio, report, now)
                }
                TempoChange::AudioConfidence(least) => state.clock.set_audio_confidence(least, now),
                TempoChange::Prefer(source) => {
                    let order: Vec<Source> = std::iter::once(source).chain(state.clock.order()).collect();
                    state.clock.set_order(&order, now)
                }
                TempoChange::Jump => {
                    state.clock.jump();
                    Vec::new()
                }
                _ => Vec::new(),
            };
            (result.map(|()| at), events)
        })
    }

    /// The taps' tempo and phase, once there are two.
    pub fn taps(&self) -> Option<TapEstimate> {
        locked_surely(&self.reader.0.state).taps.estimate()
    }

    /// The counts of the session so far.
    pub fn counts(&self) -> LinkCounts {
        self.link.counts()
    }

    /// Leaves the session, unless it is another clock's, ends all sessions of reports, and refuses later ones. Idempotent.
    pub fn shut_down(&self) {
        self.sessions.shut_down();
        if self.sessions.check_process().is_ok() && !self.is_following {
            self.link.shut_down();
        }
    }
}

impl Drop for TempoEngine {
    fn drop(&mut self) {
        self.jobs.cancel();
    }
}
