//! Which session is measured, and what follows from it.

use super::Node;
use super::bounds::{is_line, is_time};
use crate::beats::{GhostTime, HostTime, Time};
use crate::link::measurement::{Measurement, Progress};
use crate::link::{GatewayId, GhostMap, NodeId, Origin, Output, Pong, SessionId};
use std::net::SocketAddrV4;

/// Sessions whose ages differ by less, in us, are of one age.
const SAME_AGE: i64 = 500_000;
/// The times between the measurements of our own session, in us, with how many of them there are. The first ones are close together: a
/// clock that is 100 ppm off is 25 us off after the first.
const PACE: [(u32, i64); 3] = [(8, 250_000), (16, 500_000), (u32::MAX, 2_000_000)];
/// The time to the next one after a failure, in us.
const AFTER_FAILURE: i64 = 1_000_000;

/// How our own session's time is followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracking {
    /// The node that is measured.
    reference: Option<NodeId>,
    due: Option<HostTime>,
    /// The measurements since the session was joined, and the failures since the last one.
    done: u32,
    failures: usize,
}

impl Tracking {
    pub(super) fn next(&self) -> Option<HostTime> {
        self.due
    }

    /// Begins anew with a node that was just measured; `None`: the session is this node's own.
    pub(super) fn restart(&mut self, now: HostTime, reference: Option<NodeId>) {
        *self = Self {
            reference,
            ..Self::default()
        };
        if reference.is_some() {
            self.schedule(now);
        }
    }

    fn schedule(&mut self, now: HostTime) {
        let pace = PACE.iter().find(|(count, _)| self.done < *count);
        self.due = pace.map(|(_, wait)| now.saturating_add_micros(*wait));
    }

    fn succeeded(&mut self, now: HostTime) {
        self.done = self.done.saturating_add(1);
        self.failures = 0;
        self.schedule(now);
    }

    fn failed(&mut self, now: HostTime) {
        self.failures = self.failures.wrapping_add(1);
        self.due = Some(now.saturating_add_micros(AFTER_FAILURE));
    }
}

impl Node {
    /// Continues the measurement, or begins one that is due.
    pub(super) fn advance_measurement(&mut self, now: HostTime, output: &mut Output) {
        if let Some(measurement) = &mut self.measurement {
            let progress = measurement.advance(now, output);
            self.progress(now, progress, output);
        }
        if self.measurement.is_none() && self.tracking.due.is_some_and(|due| due <= now) {
            self.measure_own(now, output);
        }
        while self.measurement.is_none()
            && let Some(session) = self.sessions.due(now)
        {
            match self.peers.reference(session, 0, |_| true) {
                Some((_, gateway, responder)) => {
                    let target = (gateway, responder);
                    self.measurement = Some(Measurement::start(session, target, true, now, output));
                }
                None => self.sessions.postpone(now, session),
            }
        }
    }

    /// Begins to measure our own session, unless we are the one whom others measure: the founder, or without one the node with the
    /// smallest identity, since nodes that follow each other would drift together.
    fn measure_own(&mut self, now: HostTime, output: &mut Output) {
        let founder = self.session.founder();
        let may_be = |node| node == founder || node < self.node;
        let reference = self.peers.reference(self.session, self.tracking.failures, may_be);
        let Some((node, gateway, responder)) = reference else {
            self.tracking.schedule(now);
            return;
        };
        let is_new = self.tracking.reference != Some(node);
        if is_new {
            self.tracker.restart(self.map.rate());
            self.tracking.reference = Some(node);
        }
        let target = (gateway, responder);
        self.measurement = Some(Measurement::start(self.session, target, is_new, now, output));
        // The measurement's end sets the next time.
        self.tracking.due = None;
    }

    pub(super) fn take_pong(&mut self, now: HostTime, from: SocketAddrV4, pong: &Pong, output: &mut Output) {
        if let Some(measurement) = &mut self.measurement {
            let progress = measurement.hear(now, from, pong, output);
            self.progress(now, progress, output);
        }
    }

    fn progress(&mut self, now: HostTime, progress: Progress, output: &mut Output) {
        match progress {
            Progress::Going => {}
            Progress::Failed => self.fail_measurement(now),
            Progress::Done => {
                if let Some(measurement) = self.measurement.take() {
                    self.measured(now, measurement, output);
                }
            }
        }
    }

    /// The measurement has failed: its session is unknown again, and so are its nodes. Of our own session another node may answer.
    pub(super) fn fail_measurement(&mut self, now: HostTime) {
        let Some(measurement) = self.measurement.take() else {
            return;
        };
        self.counters.failed_measurements += 1;
        if measurement.session == self.session {
            self.tracking.failed(now);
        } else {
            self.sessions.remove(measurement.session);
            self.peers
                .remove(|_, _, peer| peer.session == measurement.session);
        }
    }

    fn measured(&mut self, now: HostTime, mut measurement: Measurement, output: &mut Output) {
        let session = measurement.session;
        if session == self.session {
            let before = self.snapshot();
            if self.tracker.is_contradicted(&self.map, &measurement.samples) {
                self.tracker.restart(self.map.rate());
                self.tracking.restart(now, self.tracking.reference);
            }
            self.tracker.add(&measurement.samples);
            self.map = self.tracker.fit(now).unwrap_or(self.map);
            self.tracking.succeeded(now);
            let by = Origin::Peer(self.tracking.reference.unwrap_or(session.founder()));
            self.report_shift(now, &before, by, output);
            return;
        }
        // Its last node may have left meanwhile.
        let Some((timeline, offset)) = self.sessions.timeline(session).zip(measurement.offset()) else {
            return;
        };
        let theirs = GhostTime::from_micros(now.micros().saturating_add(offset));
        if is_time(theirs)
            && is_line(&timeline, theirs)
            && is_preferred((session, theirs), (self.session, self.map.ghost_at(now)))
        {
            let map = GhostMap::new(now, theirs, 0);
            self.tracker.restart(0);
            self.tracker.add(&measurement.samples);
            let map = self.tracker.fit(now).unwrap_or(map);
            let reference = self.node_at(session, measurement.target);
            self.join(now, session, map, output);
            self.tracking.restart(now, reference);
        } else {
            self.sessions.postpone(now, session);
        }
    }

    /// The node of a session that answers at an address; its founder if it has left meanwhile.
    fn node_at(&self, session: SessionId, (gateway, responder): (GatewayId, SocketAddrV4)) -> Option<NodeId> {
        let found = (self.peers.of(session))
            .find(|(at, _, peer)| *at == gateway && peer.responder == Some(responder));
        Some(found.map_or(session.founder(), |(_, node, _)| node))
    }
}

/// Whether a session at its time is to be joined by members of another one: the older does not join the younger, and of one age that
/// with the smaller identity stays.
fn is_preferred((theirs, at): (SessionId, GhostTime), (ours, now): (SessionId, GhostTime)) -> bool {
    let older_by = at.saturating_micros_since(now);
    if older_by.saturating_abs() > SAME_AGE {
        older_by > 0
    } else {
        theirs < ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_sessions_one_is_preferred_by_all() {
        let [a, b] = [*b"aaaaaaaa", *b"bbbbbbbb"].map(|id| SessionId::founded_by(NodeId::from_field(id)));
        for difference in [-600_000, -500_001, -500_000, -1, 0, 1, 500_000, 500_001, i64::MAX] {
            let (at, now) = (GhostTime::new(difference), GhostTime::new(0));
            let is_joined = is_preferred((a, at), (b, now));
            assert_ne!(is_joined, is_preferred((b, now), (a, at)), "{difference}");
            let expected = if difference.saturating_abs() > 500_000 {
                difference > 0
            } else {
                true
            };
            assert_eq!(is_joined, expected, "{difference}");
        }
    }
}
