//! What the program does with its node.

use super::bounds::{LONGEST_QUANTUM, near, sendable, sendable_beats};
use super::{HOLD, Node, StartStop};
use crate::beats::{Beats, HostTime, Quantum, Tempo, Time};
use crate::link::{Event, Origin, Output, Snapshot};

impl Node {
    /// Takes part in sessions, in one of its own at first; tempo and beats go on. Idempotent.
    pub fn enable(&mut self, now: HostTime, output: &mut Output) {
        if !self.is_enabled {
            self.is_enabled = true;
            self.found(now);
            let (session, is_enabled) = (self.session, true);
            (output.events).extend([
                Event::EnabledChanged { is_enabled },
                Event::SessionJoined { session },
            ]);
            for gateway in self.gateways.values_mut() {
                (gateway.sent, gateway.due) = (None, now);
            }
        }
        self.advance(now, output);
    }

    /// Leaves; tempo and beats go on. Idempotent.
    pub fn disable(&mut self, now: HostTime, output: &mut Output) {
        if !self.is_enabled {
            return;
        }
        self.say_bye(output);
        self.is_enabled = false;
        self.peers.clear();
        self.sessions.clear();
        self.measurement = None;
        self.forget_holds();
        if self.peer_count > 0 {
            self.peer_count = 0;
            output.events.push(Event::PeersChanged { count: 0 });
        }
        output.events.push(Event::EnabledChanged { is_enabled: false });
        // Without the others' time it is this host's.
        self.map = crate::link::GhostMap::new(now, self.map.ghost_at(now), 0);
    }

    /// Changes the tempo for all, so that the beat at a host time stays the same: one within a day, as the times of all such calls.
    pub fn set_tempo(&mut self, now: HostTime, tempo: Tempo, at: HostTime, output: &mut Output) {
        let is_same = tempo == self.timeline.tempo;
        // A peer's change that waits for the end of a local one is not to undo the present tempo, which was asked for after it.
        if is_same && self.deferred_timeline.is_none() {
            return;
        }
        let before = self.snapshot();
        let ghost = self.map.ghost_at(near(now, at));
        self.timeline = sendable(self.timeline.with_tempo(tempo, ghost), ghost);
        self.tempo_held = Some(now.saturating_add_micros(HOLD));
        let by = Origin::Local;
        if !is_same {
            output.events.push(Event::TempoChanged { tempo, by });
        }
        self.report_shift(now, &before, by, output);
        self.state_changed(now);
        self.advance(now, output);
    }

    /// Starts or stops at a host time: for all, if starts and stops are shared. One that is to come may be put off.
    pub fn set_playing(&mut self, now: HostTime, is_playing: bool, at: HostTime, output: &mut Output) {
        let ghost = self.map.ghost_at(near(now, at));
        let is_same = is_playing == self.is_playing;
        // A peer's that waits for the end of a local one is not to undo what was asked for after it.
        let is_put_off = self.start_stop.time > self.map.ghost_at(now) && ghost > self.start_stop.time;
        if is_same && !(self.follows_start_stop && (self.deferred_start_stop.is_some() || is_put_off)) {
            return;
        }
        self.is_playing = is_playing;
        if !is_same {
            let by = Origin::Local;
            output.events.push(Event::PlayingChanged { is_playing, by });
        }
        if self.follows_start_stop {
            // What came before is older than this.
            self.deferred_start_stop = None;
            self.start_stop = StartStop {
                is_playing,
                beats: sendable_beats(self.timeline.beat_at(ghost)),
                time: ghost.max(self.start_stop.time.saturating_add_micros(1)),
            };
            self.playing_held = Some(now.saturating_add_micros(HOLD));
            self.state_changed(now);
        }
        self.advance(now, output);
    }

    /// Whether starts and stops are shared from now on; the session's then is taken.
    pub fn set_follows_start_stop(&mut self, follows: bool, output: &mut Output) {
        if follows == self.follows_start_stop {
            return;
        }
        self.follows_start_stop = follows;
        (self.playing_held, self.deferred_start_stop) = (None, None);
        if follows && self.start_stop.time > StartStop::default().time {
            self.play(
                self.start_stop.is_playing,
                Origin::Peer(self.session.founder()),
                output,
            );
        }
    }

    /// Plays or not, as others do.
    pub(super) fn play(&mut self, is_playing: bool, by: Origin, output: &mut Output) {
        if is_playing != self.is_playing {
            self.is_playing = is_playing;
            output.events.push(Event::PlayingChanged { is_playing, by });
        }
    }

    /// Another quantum, of at most a million beats. Our count moves on to the phase that the session has in it.
    pub fn set_quantum(&mut self, now: HostTime, quantum: Quantum, output: &mut Output) {
        let before = self.snapshot();
        self.quantum = quantum.min(LONGEST_QUANTUM);
        if self.quantum != before.quantum {
            let quantum = self.quantum;
            output.events.push(Event::QuantumChanged { quantum });
        }
        self.continue_count(now, &before);
        self.report_shift(now, &before, Origin::Local, output);
    }

    /// Counts `beat` at a host time, or with peers at the first one from there on whose phase is that of the beat; returns that time.
    pub fn request_beat(
        &mut self,
        now: HostTime,
        beat: Beats,
        at: HostTime,
        output: &mut Output,
    ) -> HostTime {
        let at = near(now, at);
        if self.peer_count == 0 {
            self.force_beat(now, beat, at, output);
            return at;
        }
        let before = self.snapshot();
        let ghost = self.map.ghost_at(at);
        let (ghost, session) = self.timeline.next_with_phase_of(beat, ghost, self.quantum);
        self.offset = beat.saturating_sub(session);
        self.report_shift(now, &before, Origin::Local, output);
        self.map.host_at(ghost).max(at)
    }

    /// Counts `beat` at a host time, and moves the phase of **everybody** in the session.
    pub fn force_beat(&mut self, now: HostTime, beat: Beats, at: HostTime, output: &mut Output) {
        let before = self.snapshot();
        let ghost = self.map.ghost_at(near(now, at));
        self.timeline = sendable(self.timeline.with_phase(beat, ghost, self.quantum), ghost);
        self.offset = beat.saturating_sub(self.timeline.beat_at(ghost));
        self.tempo_held = Some(now.saturating_add_micros(HOLD));
        self.report_shift(now, &before, Origin::Local, output);
        self.state_changed(now);
        self.advance(now, output);
    }

    /// Chooses the smallest offset with which our count does not run backwards from that of `before`.
    pub(super) fn continue_count(&mut self, now: HostTime, before: &Snapshot) {
        let session = self.timeline.beat_at(self.map.ghost_at(now));
        let missing = before.beats_at(now).saturating_sub(session);
        self.offset = missing.up_to_multiple(self.quantum);
    }

    /// Reports that our count moved, if it did by more than 1 ms.
    pub(super) fn report_shift(&self, now: HostTime, before: &Snapshot, by: Origin, output: &mut Output) {
        let shift = (self.snapshot().beats_at(now)).saturating_sub(before.beats_at(now));
        let micros = i128::from(shift.micro()) * i128::from(self.timeline.tempo.micros_per_beat());
        // Micro-beats times us per beat: a millionth of a us.
        if micros.abs() > 1_000 * i128::from(crate::beats::MICRO_BEATS) {
            output.events.push(Event::PhaseShifted { shift, by });
        }
    }
}
