//! What comes back after a break: a node that did not answer, a clock that stood still, a session that ended while it was measured.

use super::network::{MS, SECOND, World, address, tempo};
use rustle_tempo::beats::{Beats, GhostTime, Time, Timeline};
use rustle_tempo::link::{Action, Kind, Message, NodeId, PeerState, SessionId, ping, pong};

/// The pings that a host sent, by where they went.
fn pings(sent: &[(i64, Action)]) -> Vec<std::net::SocketAddrV4> {
    let pings = sent.iter().filter_map(|(_, action)| match action {
        Action::Ping { to, .. } => Some(*to),
        _ => None,
    });
    pings.collect()
}

/// A second in which nothing arrives, as on a wireless network, makes a measurement fail; the next ones do not.
#[test]
fn founder_that_did_not_answer_for_a_second_is_measured_again() {
    for seed in 0..8 {
        let mut world = World::new(seed);
        for _ in 0..3 {
            world.join(120.0);
            world.run(2 * SECOND);
        }
        world.conditions.loss = 1.0;
        world.run(3 * SECOND);
        world.conditions.loss = 0.0;
        assert!(world.hosts[2].node.counters().failed_measurements > 0);
        world.run(10 * SECOND);
        assert_eq!((world.sessions().len(), world.peers(2)), (1, 2));
        for host in 1..3 {
            world.sent(host);
        }
        world.run(20 * SECOND);
        for host in 1..3 {
            let pings = pings(&world.sent(host));
            assert!(pings.len() >= 27, "{} pings, seed {seed}", pings.len());
            assert!(pings.contains(&address(0, 1, 2_000)), "seed {seed}");
        }
    }
}

/// The host clock of a machine that sleeps stands still, and its peers are not gone for it.
#[test]
fn host_that_slept_is_in_phase_within_three_seconds() {
    for span in [1, 4, 60, 3_600] {
        for sleeper in [1, 0] {
            let mut world = World::new(1);
            for _ in 0..3 {
                world.join(120.0);
                world.run(2 * SECOND);
            }
            world.run(10 * SECOND);
            world.suspend(sleeper, span * SECOND);
            world.run(3 * SECOND);
            assert_eq!(world.sessions().len(), 1);
            for host in 1..3 {
                let error = world.phase_error(0, host);
                assert!(error.abs() <= 20, "{error} us after {span} s of host {sleeper}");
            }
        }
    }
}

/// Somebody who answers pings as a member of whichever session.
pub(super) const STRANGER: NodeId = NodeId::from_field([b'!'; 8]);

fn announced(session: NodeId) -> Vec<u8> {
    let state = PeerState {
        timeline: Timeline {
            tempo: tempo(120.0),
            beat_origin: Beats::ZERO,
            time_origin: GhostTime::new(0),
        },
        session: SessionId::founded_by(session),
        start_stop: None,
        responder: Some(address(77, 1, 2_000)),
    };
    let message = Message::present(Kind::Alive, STRANGER, state);
    message.packet().bytes().to_vec()
}

/// Answers the last ping of a host for a session whose time is so far ahead of the host's, in us; false: there is none.
pub(super) fn answer(world: &mut World, host: usize, session: NodeId, ahead: i64) -> bool {
    let last = world
        .sent(host)
        .into_iter()
        .rev()
        .find_map(|(at, action)| match action {
            Action::Ping { previous, .. } => Some((at, previous)),
            _ => None,
        });
    let Some((at, previous)) = last else {
        return false;
    };
    let sent = world.hosts[host].time(at);
    world.run(20_000);
    let ghost = GhostTime::new(sent.micros() + 10 + ahead);
    let payload = ping(sent, previous);
    let packet = pong(SessionId::founded_by(session), ghost, &payload.bytes()[9..]);
    world.inject(host, address(77, 1, 2_000), packet.bytes());
    true
}

/// The stranger moves from a session to ours before the last pong: what was measured is of no session then.
#[test]
fn session_that_ended_while_it_was_measured_leaves_ours_as_it_is() {
    const AHEAD: i64 = 1_000_000_000_000;
    let mut world = World::new(3);
    let host = world.join(120.0);
    let ours = NodeId::from_field(*b"somebody");
    world.inject(host, address(77, 1, 1_000), &announced(ours));
    while answer(&mut world, host, ours, AHEAD) {}
    assert_eq!(world.snapshot(host).session.founder(), ours);
    world.inject(host, address(77, 1, 1_000), &announced(STRANGER));
    for _ in 0..50 {
        assert!(answer(&mut world, host, STRANGER, 2 * AHEAD));
    }
    world.inject(host, address(77, 1, 1_000), &announced(ours));
    assert!(answer(&mut world, host, STRANGER, 2 * AHEAD));
    assert_eq!(world.snapshot(host).session.founder(), ours);
    world.run(300 * MS);
    assert!(
        answer(&mut world, host, ours, AHEAD),
        "our own session is measured"
    );
    while answer(&mut world, host, ours, AHEAD) {}
    let now = world.hosts[host].time(world.now);
    let ahead = world.snapshot(host).map.ghost_at(now).micros() - now.micros();
    assert!((ahead - AHEAD).abs() <= 10, "{} us", ahead - AHEAD);
}
