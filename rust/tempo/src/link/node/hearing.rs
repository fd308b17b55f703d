//! What the network says.

use super::bounds::{is_line, is_plausible};
use super::{Node, StartStop};
use crate::beats::{GhostTime, HostTime, MICRO_BEATS, Time, Timeline};
use crate::link::discovery::{Kind, Message, PeerState, parse};
use crate::link::peers::Peer;
use crate::link::ping::{is_measurement, parse_pong};
use crate::link::{Action, Event, GatewayId, Malformed, NodeId, Origin, Output};
use std::net::SocketAddrV4;

/// The time beyond that of its message after which a node is gone, in us.
const GRACE: i64 = 1_000_000;

impl Node {
    /// Takes a datagram that came by a gateway at a host time, which is read directly after: to the group, or to the address from which
    /// the node sends.
    pub fn hear(
        &mut self,
        now: HostTime,
        gateway: GatewayId,
        from: SocketAddrV4,
        bytes: &[u8],
        output: &mut Output,
    ) {
        if !self.is_enabled || !self.gateways.contains_key(&gateway) {
            return;
        }
        if let Err(reason) = self.take(now, gateway, from, bytes, output) {
            self.counters.malformed[reason.index()] += 1;
        }
        self.advance(now, output);
    }

    fn take(
        &mut self,
        now: HostTime,
        gateway: GatewayId,
        from: SocketAddrV4,
        bytes: &[u8],
        output: &mut Output,
    ) -> Result<(), Malformed> {
        if is_measurement(bytes) {
            let pong = parse_pong(bytes)?;
            self.counters.messages += 1;
            self.take_pong(now, from, &pong, output);
            return Ok(());
        }
        match parse(bytes)? {
            Message::Present { node, .. } | Message::Leaving { node } if self.is_own(node) => {}
            Message::Leaving { node } => {
                self.counters.messages += 1;
                if self.peers.remove_one(gateway, node) {
                    self.peers_left(now, output);
                }
            }
            Message::Present {
                kind,
                node,
                time_to_live,
                state,
            } => {
                self.counters.messages += 1;
                if state.session == self.session && !is_line(&state.timeline, self.map.ghost_at(now)) {
                    return Err(Malformed::Range);
                }
                self.take_state(now, (gateway, node), time_to_live, &state, output);
                if kind == Kind::Alive {
                    self.respond(gateway, from, output);
                }
            }
        }
        Ok(())
    }

    fn is_own(&self, node: NodeId) -> bool {
        node == self.node || Some(node) == self.former
    }

    fn respond(&self, gateway: GatewayId, to: SocketAddrV4, output: &mut Output) {
        let Some(own) = self.gateways.get(&gateway) else {
            return;
        };
        let responder = Some(own.responder);
        let state = PeerState {
            responder,
            ..self.state()
        };
        output.actions.push(Action::Unicast {
            gateway,
            to,
            packet: Message::present(Kind::Response, self.node, state).packet(),
        });
    }

    fn take_state(
        &mut self,
        now: HostTime,
        (gateway, node): (GatewayId, NodeId),
        time_to_live: u8,
        state: &PeerState,
        output: &mut Output,
    ) {
        let is_ours = state.session == self.session;
        if !is_ours {
            let heard = self
                .sessions
                .hear(now, state.session, state.timeline, state.start_stop);
            if heard.is_err() {
                self.counters.excess_sessions += 1;
                return;
            }
        }
        let peer = Peer {
            session: state.session,
            responder: state.responder.filter(is_reachable),
            expires: now.saturating_add_micros(i64::from(time_to_live) * 1_000_000 + GRACE),
        };
        match self.peers.set(gateway, node, peer) {
            Ok(Some(before)) if before.session == state.session => {}
            Ok(_) => self.peers_moved(output),
            Err(()) => {
                self.counters.excess_peers += 1;
                return;
            }
        }
        if is_ours {
            self.take_timeline(now, state.timeline, node, output);
            if let Some(start_stop) = state.start_stop {
                self.take_start_stop(now, start_stop, node, output);
            }
        }
    }

    /// Of two timelines in a session, that with the larger beat origin counts.
    fn take_timeline(
        &mut self,
        now: HostTime,
        timeline: Timeline<GhostTime>,
        node: NodeId,
        output: &mut Output,
    ) {
        if timeline.beat_origin <= self.timeline.beat_origin {
            return;
        }
        if self.tempo_held.is_some() {
            let known = self.deferred_timeline.map(|(known, _)| known.beat_origin);
            if known.is_none_or(|known| timeline.beat_origin > known) {
                self.deferred_timeline = Some((timeline, node));
            }
            return;
        }
        let before = self.snapshot();
        self.timeline = timeline;
        let by = (self.snapshot().beats_at(now)).saturating_sub(before.beats_at(now));
        // A change that is known late is a part of a beat behind, which is no reason to count on; a jump is, back or over a quantum.
        if by.micro() < -MICRO_BEATS / 2 || by >= self.quantum.beats() {
            self.continue_count(now, &before);
        }
        let (tempo, by) = (timeline.tempo, Origin::Peer(node));
        if tempo != before.timeline.tempo {
            output.events.push(Event::TempoChanged { tempo, by });
        }
        self.report_shift(now, &before, by, output);
        self.state_changed(now);
    }

    /// Of two starts or stops in a session, the later one counts; it is passed on also when it is not followed here.
    fn take_start_stop(&mut self, now: HostTime, start_stop: StartStop, node: NodeId, output: &mut Output) {
        if start_stop.time <= self.start_stop.time || !is_plausible(&start_stop, self.map.ghost_at(now)) {
            return;
        }
        self.start_stop = start_stop;
        self.state_changed(now);
        if !self.follows_start_stop {
            return;
        }
        if self.playing_held.is_some() {
            self.deferred_start_stop = Some((start_stop, node));
        } else {
            self.play(start_stop.is_playing, Origin::Peer(node), output);
        }
    }

    /// Takes what came while local changes held that hold no longer.
    pub(super) fn end_holds(&mut self, now: HostTime, output: &mut Output) {
        if self.tempo_held.take_if(|until| *until <= now).is_some()
            && let Some((timeline, node)) = self.deferred_timeline.take()
        {
            self.take_timeline(now, timeline, node, output);
        }
        if self.playing_held.take_if(|until| *until <= now).is_some()
            && let Some((start_stop, node)) = self.deferred_start_stop.take()
        {
            self.play(start_stop.is_playing, Origin::Peer(node), output);
        }
    }
}

/// Whether an address may be that of one node: pings to others would go astray.
fn is_reachable(responder: &SocketAddrV4) -> bool {
    let ip = responder.ip();
    responder.port() != 0 && !(ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast())
}
