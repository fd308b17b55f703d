//! Founding, joining and leaving.

use super::Node;
use super::bounds::{founded, is_plausible};
use crate::beats::{GhostTime, HostTime, Timeline};
use crate::link::discovery::StartStop;
use crate::link::{Event, GhostMap, NodeId, Origin, Output, SessionId};

impl Node {
    /// Founds a session under a new identity, whose time begins now. Tempo and beats go on.
    pub(super) fn found(&mut self, now: HostTime) {
        let beat = self.timeline.beat_at(self.map.ghost_at(now));
        let (beat_origin, offset) = founded(beat, self.offset, self.quantum);
        self.offset = offset;
        self.timeline = Timeline {
            tempo: self.timeline.tempo,
            beat_origin,
            time_origin: GhostTime::new(0),
        };
        self.map = GhostMap::founded_at(now);
        self.former = Some(self.node);
        self.node = NodeId::random(&mut self.random);
        self.session = SessionId::founded_by(self.node);
        self.forget_session(now);
    }

    /// What belonged to the session before is over.
    fn forget_session(&mut self, now: HostTime) {
        self.start_stop = StartStop::default();
        self.forget_holds();
        self.tracking.restart(now, None);
    }

    /// Local changes hold no longer, and what came meanwhile is over with its session.
    pub(super) fn forget_holds(&mut self) {
        (self.tempo_held, self.deferred_timeline) = (None, None);
        (self.playing_held, self.deferred_start_stop) = (None, None);
    }

    /// Joins a session whose time is known.
    pub(super) fn join(&mut self, now: HostTime, session: SessionId, map: GhostMap, output: &mut Output) {
        let Some(known) = self.sessions.remove(session) else {
            return;
        };
        let before = self.snapshot();
        self.sessions.leave(now, self.session, self.timeline);
        (self.session, self.map, self.timeline) = (session, map, known.timeline);
        self.forget_session(now);
        self.continue_count(now, &before);
        output.events.push(Event::SessionJoined { session });
        let by = Origin::Peer(session.founder());
        if self.timeline.tempo != before.timeline.tempo {
            let tempo = self.timeline.tempo;
            output.events.push(Event::TempoChanged { tempo, by });
        }
        self.report_shift(now, &before, by, output);
        if is_plausible(&known.start_stop, self.map.ghost_at(now)) {
            self.start_stop = known.start_stop;
        }
        if self.follows_start_stop {
            self.play(self.start_stop.is_playing, by, output);
        }
        self.peers_moved(output);
        self.state_changed(now);
    }

    /// Nodes came, or went from one session to another.
    pub(super) fn peers_moved(&mut self, output: &mut Output) {
        let peers = &self.peers;
        self.sessions.retain(|session| peers.count(session) > 0);
        let count = self.peers.count(self.session);
        if count != self.peer_count {
            self.peer_count = count;
            output.events.push(Event::PeersChanged { count });
        }
    }

    /// Nodes are gone. With the last one of the session, this node founds another.
    pub(super) fn peers_left(&mut self, now: HostTime, output: &mut Output) {
        let had_peers = self.peer_count > 0;
        self.peers_moved(output);
        if had_peers && self.peer_count == 0 {
            // Others, in sessions of their own, need not wait for the old identity to expire.
            self.say_bye(output);
            if (self.measurement.as_ref()).is_some_and(|measurement| measurement.session == self.session) {
                self.measurement = None;
            }
            self.found(now);
            let session = self.session;
            output.events.push(Event::SessionJoined { session });
            self.state_changed(now);
        }
    }
}
