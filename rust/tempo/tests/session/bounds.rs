//! Hostile numbers of nodes, sessions and pings, and hostile bytes.

use super::network::{SECOND, World, address, tempo};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_tempo::beats::{Beats, GhostTime, HostTime, Time, Timeline};
use rustle_tempo::link::{
    Action, Kind, MAX_PEERS, MAX_SESSIONS, Malformed, Message, NodeId, Output, PeerState, SessionId,
    StartStop, parse, ping, pong,
};

fn message(node: u64, session: NodeId) -> Vec<u8> {
    let state = PeerState {
        timeline: Timeline {
            tempo: tempo(120.0),
            beat_origin: Beats::from_micro(-1),
            time_origin: GhostTime::new(0),
        },
        session: SessionId::founded_by(session),
        start_stop: None,
        responder: Some(address(99, 1, 9)),
    };
    let node = NodeId::from_field(node.to_be_bytes());
    Message::present(Kind::Alive, node, state)
        .packet()
        .bytes()
        .to_vec()
}

#[test]
fn nodes_are_4096_at_most() {
    let mut world = World::new(1);
    let host = world.join(120.0);
    let session = world.hosts[host].node.id();
    for node in 0..5_000 {
        world.inject(host, address(9, 1, 1), &message(node, session));
    }
    assert_eq!(world.peers(host) as usize, MAX_PEERS);
    assert_eq!(
        world.hosts[host].node.counters().excess_peers,
        5_000 - MAX_PEERS as u64
    );
    world.run(7 * SECOND);
    assert_eq!(world.peers(host), 0);
}

/// The shortest time of 1,000 messages, each of a node that comes, goes to another session or leaves, beside so many that stay.
#[expect(clippy::disallowed_methods, reason = "a comparison of times")]
fn flood(present: u64) -> std::time::Duration {
    let mut world = World::new(5);
    let host = world.join(120.0);
    let session = world.hosts[host].node.id();
    let stranger = NodeId::from_field(*b"stranger");
    for node in 0..present {
        world.inject(host, address(9, 1, 1), &message(node, session));
    }
    let leaving = Message::Leaving {
        node: NodeId::from_field(u64::MAX.to_be_bytes()),
    };
    let steps = [
        message(u64::MAX, session),
        message(u64::MAX, stranger),
        leaving.packet().bytes().to_vec(),
    ];
    let mut round = || {
        world.sent(host);
        let begin = std::time::Instant::now();
        for step in steps.iter().cycle().take(1_000) {
            world.inject(host, address(9, 1, 1), step);
        }
        begin.elapsed()
    };
    let rounds = [(); 8].map(|()| round());
    assert_eq!(
        u64::from(world.peers(host)),
        present + 1,
        "the first of three comes last"
    );
    rounds.into_iter().min().expect("eight")
}

#[test]
fn flood_costs_little_more_beside_many_nodes_than_beside_few() {
    let (few, many) = (flood(4), flood(4_000));
    assert!(many < 5 * few, "{few:?} {many:?}");
}

#[test]
fn sessions_are_256_at_most_and_measured_one_at_a_time() {
    let mut world = World::new(2);
    let host = world.join(120.0);
    world.sent(host);
    for node in 0..1_000_u64 {
        world.inject(
            host,
            address(9, 1, 1),
            &message(node, NodeId::from_field(node.to_be_bytes())),
        );
    }
    let counters = world.hosts[host].node.counters();
    assert_eq!(counters.excess_sessions, 1_000 - MAX_SESSIONS as u64);
    let pings = |sent: Vec<(i64, Action)>| {
        let pings = sent
            .iter()
            .filter(|(_, action)| matches!(action, Action::Ping { .. }));
        pings.count()
    };
    assert_eq!(pings(world.sent(host)), 1);
    world.run(SECOND);
    // Five pings, 50 ms apart, for each session that does not answer.
    assert!(pings(world.sent(host)) <= 21);
    assert_eq!(world.hosts[host].node.counters().failed_measurements, 4);
}

#[test]
fn addresses_that_are_no_nodes_get_no_pings() {
    let mut world = World::new(3);
    let host = world.join(120.0);
    for (node, text) in [
        "0.0.0.0:9",
        "224.76.78.75:20808",
        "255.255.255.255:9",
        "10.0.0.1:0",
    ]
    .iter()
    .enumerate()
    {
        let session = NodeId::from_field([node as u8; 8]);
        let Ok(Message::Present {
            kind, node, state, ..
        }) = parse(&message(node as u64, session))
        else {
            panic!("a message")
        };
        let responder = Some(text.parse().expect("an address"));
        let message = Message::present(kind, node, PeerState { responder, ..state });
        world.inject(host, address(9, 1, 1), message.packet().bytes());
    }
    world.run(SECOND);
    assert!(
        !world
            .sent(host)
            .iter()
            .any(|(_, action)| matches!(action, Action::Ping { .. }))
    );
}

/// Good messages, of every kind.
fn good() -> Vec<Vec<u8>> {
    let node = NodeId::from_field(*b"somebody");
    let state = PeerState {
        timeline: Timeline {
            tempo: tempo(99.0),
            beat_origin: Beats::from_micro(5),
            time_origin: GhostTime::new(-7),
        },
        session: SessionId::founded_by(node),
        start_stop: Some(StartStop {
            is_playing: true,
            beats: Beats::from_micro(-9),
            time: GhostTime::new(11),
        }),
        responder: Some(address(1, 2, 3)),
    };
    let first = ping(HostTime::new(1), None);
    let second = ping(HostTime::new(2), Some(GhostTime::new(3)));
    let packets = [
        Message::present(Kind::Alive, node, state).packet(),
        Message::present(Kind::Response, node, state).packet(),
        Message::Leaving { node }.packet(),
        first,
        second,
        pong(state.session, GhostTime::new(4), &first.bytes()[9..]),
        pong(state.session, GhostTime::new(4), &second.bytes()[9..]),
    ];
    let sizes = packets.map(|packet| packet.bytes().len());
    assert_eq!(
        sizes,
        [107, 107, 20, 25, 41, 57, 73],
        "the sizes seen on the wire"
    );
    packets.map(|packet| packet.bytes().to_vec()).to_vec()
}

#[test]
fn broken_messages_are_dropped_for_their_reason() {
    let [alive, ..] = &good()[..] else {
        panic!("messages")
    };
    let changed = |offset: usize, byte: u8| {
        let mut bytes = alive.clone();
        bytes[offset] = byte;
        bytes
    };
    let mut without = alive.clone();
    without.truncate(20);
    let mut infinite = alive.clone();
    // The beat origin: 20 bytes, key, size and tempo before it.
    infinite[36..44].copy_from_slice(&i64::MIN.to_be_bytes());
    let mut long = alive.clone();
    long.resize(512, 0);
    let mut rest = alive.clone();
    rest.extend(b"abc");
    let cases = [
        (Vec::new(), Malformed::Header),
        (changed(0, b'-'), Malformed::Header),
        (changed(7, 2), Malformed::Header),
        (changed(8, 0), Malformed::Type),
        (changed(8, 4), Malformed::Type),
        (changed(11, 1), Malformed::Group),
        (without, Malformed::Missing),
        // One of the two that every message needs.
        (changed(20, b'T'), Malformed::Missing),
        (changed(52, b'S'), Malformed::Missing),
        (changed(27, 25), Malformed::Size),
        (changed(27, 0x17), Malformed::Size),
        (changed(24, 0xFF), Malformed::Entry),
        (changed(28, 0x80), Malformed::Tempo),
        (infinite, Malformed::Range),
        (long, Malformed::Length),
        (rest, Malformed::Entry),
    ];
    for (case, (bytes, reason)) in cases.iter().enumerate() {
        let got = parse(bytes);
        // An entry with another size shifts what follows it: it is either the size or the next entry that is wrong.
        assert_eq!(got, Err(*reason), "case {case}");
    }
    let mut doubled = alive.clone();
    doubled.extend_from_slice(&alive[52..68]);
    let last = doubled.len() - 1;
    doubled[last] ^= 1;
    doubled.extend(b"new!\0\0\0\x03abc");
    assert_eq!(
        parse(&doubled),
        parse(alive),
        "the first of two counts, and others are skipped"
    );
}

/// Random and mutated messages to an engine that has a session: it neither panics nor is late or unbounded.
#[test]
fn a_million_hostile_datagrams_do_no_harm() {
    let mut random = StdRng::seed_from_u64(4);
    let mut world = World::new(4);
    world.join(120.0);
    world.join(120.0);
    world.run(3 * SECOND);
    let mut now = world.hosts[0].time(world.now);
    let node = &mut world.hosts[0].node;
    let (good, mut output) = (good(), Output::default());
    let gateway = rustle_tempo::link::GatewayId(1);
    for round in 0..1_000_000 {
        let mut bytes = good[random.gen_range(0..good.len())].clone();
        match random.gen_range(0..4) {
            0 => bytes = (0..random.gen_range(0..140)).map(|_| random.r#gen()).collect(),
            1 => bytes.truncate(random.gen_range(0..=bytes.len())),
            _ => {
                for _ in 0..random.gen_range(1..4) {
                    let place = random.gen_range(0..bytes.len());
                    bytes[place] = [0, 0x7F, 0x80, 0xFF, random.r#gen()][random.gen_range(0..5)];
                }
            }
        }
        let from = address(random.gen_range(0..4), 1, 1_000);
        now = now.saturating_add_micros(random.gen_range(0..500));
        if random.gen_bool(0.1) {
            let pong = node.answer(now, from, &bytes);
            assert!(pong.is_none_or(|pong| pong.bytes().len() <= 73));
        } else {
            node.hear(now, gateway, from, &bytes, &mut output);
            assert!(node.next().is_some_and(|next| next > now), "round {round}");
        }
        assert!(
            output.actions.len() <= 4 && output.events.len() <= 6,
            "round {round}: {output:?}"
        );
        output = Output::default();
        let _ = node.snapshot().beats_at(now);
    }
}
