//! The rules of discovery and of sessions: facts on tempo, section 3.

use super::network::{MS, SECOND, World, address, tempo};
use rustle_tempo::beats::{Beats, GhostTime, Time, Timeline};
use rustle_tempo::link::{Action, Event, Kind, Message, NodeId, PeerState, SessionId, StartStop, parse};

/// The alive messages among what was sent, with their times.
fn alive(sent: Vec<(i64, Action)>) -> Vec<(i64, Message)> {
    let messages = sent.into_iter().filter_map(|(at, action)| match action {
        Action::Multicast { packet, .. } => Some((at, parse(packet.bytes()).expect("a message"))),
        _ => None,
    });
    messages
        .filter(|(_, message)| matches!(message, Message::Present { .. }))
        .collect()
}

fn state(session: NodeId, beats: f64) -> PeerState {
    PeerState {
        timeline: Timeline {
            tempo: tempo(100.0),
            beat_origin: Beats::from_f64(beats),
            time_origin: GhostTime::new(0),
        },
        session: SessionId::founded_by(session),
        start_stop: None,
        responder: None,
    }
}

fn alive_of(node: NodeId, state: PeerState) -> Vec<u8> {
    Message::present(Kind::Alive, node, state)
        .packet()
        .bytes()
        .to_vec()
}

const STRANGER: NodeId = NodeId::from_field(*b"stranger");

#[test]
fn alive_messages_come_four_times_a_second_and_at_once_on_a_change() {
    let mut world = World::new(1);
    let host = world.join(120.0);
    world.run(10 * SECOND);
    let times: Vec<_> = alive(world.sent(host)).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times.len(), 41);
    assert!(
        times
            .windows(2)
            .all(|pair| (249 * MS..=251 * MS).contains(&(pair[1] - pair[0])))
    );
    world.run(100 * MS);
    world.sent(host);
    for bpm in 100..110 {
        world.set_tempo(host, f64::from(bpm));
    }
    let mut times = alive(world.sent(host));
    assert_eq!(times.len(), 1, "at once, for the first change");
    world.run(SECOND);
    times.extend(alive(world.sent(host)));
    assert!(
        (49 * MS..=51 * MS).contains(&(times[1].0 - times[0].0)),
        "with the rest 50 ms later"
    );
    assert!(times[2].0 - times[1].0 > 200 * MS);
}

#[test]
fn messages_have_the_sizes_of_the_wire() {
    let mut world = World::new(2);
    world.join(120.0);
    world.join(120.0);
    world.run(3 * SECOND);
    world.disable(1);
    let sizes: std::collections::BTreeSet<_> = world
        .sent(1)
        .iter()
        .filter_map(|(_, action)| match action {
            Action::Multicast { packet, .. } => Some(("multicast", packet.bytes().len())),
            Action::Unicast { packet, .. } => Some(("unicast", packet.bytes().len())),
            Action::Ping { .. } => None,
        })
        .collect();
    assert_eq!(
        sizes,
        [("multicast", 20), ("multicast", 107), ("unicast", 107)].into()
    );
}

#[test]
fn each_alive_message_is_answered_to_its_sender() {
    let mut world = World::new(3);
    let host = world.join(120.0);
    let from = address(9, 1, 1_234);
    world.sent(host);
    world.inject(host, from, &alive_of(STRANGER, state(STRANGER, 0.0)));
    let sent = world.sent(host);
    let [(_, Action::Unicast { to, packet, .. })] = sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!(to, from);
    let Ok(Message::Present {
        kind: Kind::Response,
        node,
        time_to_live: 5,
        state: answer,
    }) = parse(packet.bytes())
    else {
        panic!("{packet:?}")
    };
    assert_eq!(
        (node, answer.session.founder()),
        (world.hosts[host].node.id(), node)
    );
    assert_eq!(answer.responder, Some(address(host, 1, 2_000)));
    // A response is not.
    let response = Message::present(Kind::Response, STRANGER, state(STRANGER, 0.0));
    world.inject(host, from, response.packet().bytes());
    assert_eq!(world.sent(host), []);
}

#[test]
fn time_to_live_is_the_senders() {
    let mut world = World::new(4);
    let host = world.join(120.0);
    let session = world.hosts[host].node.id();
    for time_to_live in [0, 2, 9] {
        let message = Message::Present {
            kind: Kind::Alive,
            node: STRANGER,
            time_to_live,
            state: state(session, -1.0),
        };
        let session = world.hosts[host].node.id();
        let message = match message {
            Message::Present {
                kind,
                node,
                time_to_live,
                state,
            } => Message::Present {
                kind,
                node,
                time_to_live,
                state: PeerState {
                    session: SessionId::founded_by(session),
                    ..state
                },
            },
            leaving => leaving,
        };
        world.inject(host, address(9, 1, 1), message.packet().bytes());
        assert_eq!(world.peers(host), 1);
        let after = world.run_until(20 * SECOND, |world| world.peers(host) == 0);
        let expected = (i64::from(time_to_live) + 1) * SECOND;
        assert!((expected - MS..=expected + MS).contains(&after), "{after}");
    }
}

#[test]
fn larger_beat_origin_wins_and_others_are_ignored() {
    let mut world = World::new(5);
    let host = world.join(120.0);
    let session = world.hosts[host].node.id();
    let timeline = world.snapshot(host).timeline;
    for (beats, wins) in [
        (-5.0, false),
        (0.0, false),
        (0.5, true),
        (0.5, false),
        (0.25, false),
        (3.0, true),
    ] {
        let before = world.snapshot(host).timeline;
        let mut sent = state(session, beats);
        sent.timeline.time_origin = GhostTime::new((beats * 1e6) as i64);
        world.inject(host, address(9, 1, 1), &alive_of(STRANGER, sent));
        let expected = if wins { sent.timeline } else { before };
        assert_eq!(world.snapshot(host).timeline, expected, "{beats}");
    }
    assert_ne!(world.snapshot(host).timeline, timeline);
}

#[test]
fn local_change_holds_for_a_second_and_what_came_meanwhile_is_taken_then() {
    let mut world = World::new(6);
    let host = world.join(120.0);
    world.run(SECOND);
    world.set_tempo(host, 140.0);
    let session = world.hosts[host].node.id();
    for beats in [50.0, 60.0, 55.0] {
        world.inject(host, address(9, 1, 1), &alive_of(STRANGER, state(session, beats)));
    }
    world.run(990 * MS);
    assert!(world.bpm(host) > 139.0);
    world.run(20 * MS);
    assert_eq!(world.bpm(host), 100.0);
    assert_eq!(world.snapshot(host).timeline.beat_origin, Beats::from_f64(60.0));
}

#[test]
fn local_stop_holds_for_a_second() {
    let mut world = World::new(7);
    let host = world.add_with(120.0, true, 0);
    world.enable(host);
    world.run(SECOND);
    world.set_playing(host, true);
    world.run(2 * SECOND);
    world.set_playing(host, false);
    let mut sent = state(world.hosts[host].node.id(), -1.0);
    sent.start_stop = Some(StartStop {
        is_playing: true,
        beats: Beats::ZERO,
        time: GhostTime::new(3_500_000),
    });
    world.inject(host, address(9, 1, 1), &alive_of(STRANGER, sent));
    world.run(990 * MS);
    assert!(!world.snapshot(host).is_playing);
    world.run(20 * MS);
    assert!(world.snapshot(host).is_playing);
}

/// A stop comes while a local start holds, and the user starts again, or stops and starts again: the stop is older than that.
#[test]
fn start_after_a_deferred_stop_is_not_undone() {
    for stops in [false, true] {
        let mut world = World::new(13);
        let host = world.add_with(120.0, true, 0);
        world.enable(host);
        world.run(SECOND);
        world.set_playing(host, true);
        world.run(100 * MS);
        let mut sent = state(world.hosts[host].node.id(), -1.0);
        sent.start_stop = Some(StartStop {
            is_playing: false,
            beats: Beats::ZERO,
            time: GhostTime::new(1_100_000),
        });
        world.inject(host, address(9, 1, 1), &alive_of(STRANGER, sent));
        world.run(100 * MS);
        if stops {
            world.set_playing(host, false);
            world.run(100 * MS);
        }
        world.set_playing(host, true);
        world.run(2 * SECOND);
        assert!(world.snapshot(host).is_playing, "stops: {stops}");
    }
}

#[test]
fn start_that_is_to_come_is_put_off() {
    let mut world = World::new(16);
    let hosts = [world.add_with(120.0, true, 0), world.add_with(120.0, true, 0)];
    for host in hosts {
        world.enable(host);
    }
    world.run(3 * SECOND);
    let announced = |world: &mut World, host: usize| {
        let last = alive(world.sent(host)).pop().map(|(_, message)| message);
        let Some(Message::Present { state, .. }) = last else {
            panic!("expected a message, got {last:?}")
        };
        state.start_stop.expect("a start").time
    };
    let start = |world: &mut World, ahead: i64| {
        world.act(hosts[0], |node, now, output| {
            node.set_playing(now, true, now.saturating_add_micros(ahead / 1_000), output);
        });
        world.run(200 * MS);
        let start = announced(world, hosts[0]);
        assert_eq!(announced(world, hosts[1]), start, "a peer passes it on");
        start
    };
    let first = start(&mut world, 2 * SECOND);
    let put_off = start(&mut world, 4 * SECOND);
    let apart = 1_000 * put_off.saturating_micros_since(first);
    assert_eq!(apart, 2 * SECOND + 200 * MS);
    // One that has begun stays.
    world.run(6 * SECOND);
    world.set_playing(hosts[0], true);
    world.run(SECOND);
    assert_eq!(announced(&mut world, hosts[0]), put_off);
}

#[test]
fn deferred_start_is_dropped_when_starts_are_no_longer_shared() {
    let mut world = World::new(14);
    let host = world.add_with(120.0, true, 0);
    world.enable(host);
    world.run(SECOND);
    world.set_playing(host, true);
    world.set_playing(host, false);
    let mut sent = state(world.hosts[host].node.id(), -1.0);
    sent.start_stop = Some(StartStop {
        is_playing: true,
        beats: Beats::ZERO,
        time: GhostTime::new(1_500_000),
    });
    world.inject(host, address(9, 1, 1), &alive_of(STRANGER, sent));
    world.act(host, |node, _, output| node.set_follows_start_stop(false, output));
    world.run(2 * SECOND);
    assert!(!world.snapshot(host).is_playing);
}

#[test]
fn earlier_start_or_stop_is_ignored() {
    let mut world = World::new(8);
    let host = world.add_with(120.0, true, 0);
    world.enable(host);
    world.run(2 * SECOND);
    for (time, is_playing, expected) in [
        (100, true, true),
        (100, false, true),
        (99, false, true),
        (101, false, false),
    ] {
        let mut sent = state(world.hosts[host].node.id(), -1.0);
        sent.start_stop = Some(StartStop {
            is_playing,
            beats: Beats::ZERO,
            time: GhostTime::new(time),
        });
        world.inject(host, address(9, 1, 1), &alive_of(STRANGER, sent));
        assert_eq!(world.snapshot(host).is_playing, expected, "{time}");
    }
}

#[test]
fn own_messages_that_come_back_are_ignored() {
    let mut world = World::new(9);
    let host = world.join(120.0);
    world.events(host);
    world.run(2 * SECOND);
    assert_eq!(
        (world.peers(host), world.hosts[host].node.counters().messages),
        (0, 0)
    );
    assert_eq!(world.events(host), []);
    // Also those of the identity before.
    let former = world.hosts[host].node.id();
    world.disable(host);
    world.enable(host);
    assert_ne!(world.hosts[host].node.id(), former);
    world.inject(
        host,
        address(host, 1, 1_000),
        &alive_of(former, state(former, 0.0)),
    );
    assert_eq!(world.hosts[host].node.counters().messages, 0);
}

#[test]
fn node_that_answers_no_ping_is_forgotten_and_tried_again() {
    let mut world = World::new(10);
    let host = world.join(120.0);
    let mut sent = state(STRANGER, 0.0);
    sent.responder = Some(address(77, 1, 5));
    for round in 1..=3 {
        world.inject(host, address(77, 1, 1), &alive_of(STRANGER, sent));
        world.sent(host);
        world.run(300 * MS);
        let pings = world.sent(host);
        let pings = pings
            .iter()
            .filter(|(_, action)| matches!(action, Action::Ping { .. }));
        assert_eq!(pings.count(), 4, "with the one at once 5");
        assert_eq!(world.hosts[host].node.counters().failed_measurements, round);
    }
    let session = world.hosts[host].node.id();
    assert_eq!(world.snapshot(host).session.founder(), session);
}

#[test]
fn founder_is_measured_if_it_is_there() {
    let mut world = World::new(11);
    for _ in 0..3 {
        world.join(120.0);
        world.run(2 * SECOND);
    }
    world.run(10 * SECOND);
    world.hosts.iter_mut().for_each(|host| host.sent.clear());
    world.run(60 * SECOND);
    let founder = address(0, 1, 2_000);
    for host in 1..3 {
        let sent = world.sent(host);
        let pings = sent.iter().filter_map(|(_, action)| match action {
            Action::Ping { to, .. } => Some(*to),
            _ => None,
        });
        let pings: Vec<_> = pings.collect();
        assert!(pings.iter().all(|to| *to == founder));
        assert!(
            (80..=100).contains(&pings.len()),
            "{} pings a minute",
            pings.len()
        );
    }
    assert!(
        !world
            .sent(0)
            .iter()
            .any(|(_, action)| matches!(action, Action::Ping { .. }))
    );
}

#[test]
fn node_that_is_not_enabled_is_silent_and_deaf() {
    let mut world = World::new(12);
    let host = world.add(120.0);
    world.inject(host, address(9, 1, 1), &alive_of(STRANGER, state(STRANGER, 0.0)));
    world.run(2 * SECOND);
    assert_eq!(world.sent(host), []);
    assert_eq!(world.events(host), Vec::<Event>::new());
    assert_eq!(world.hosts[host].node.next(), None);
}
