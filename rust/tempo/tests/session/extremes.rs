//! Times and beats at the ends of the number line, from the network and from the program. That others understand what a host announces is
//! checked of every message.

use super::network::{MS, SECOND, World, address, tempo};
use super::recovery::{STRANGER, answer};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_tempo::beats::{Beats, GhostTime, HostTime, Quantum, Time, Timeline};
use rustle_tempo::link::{Kind, Message, PeerState, SessionId, StartStop};

/// The largest time and number of beats of a message.
const LARGEST: i64 = 1 << 62;

fn announced(session: SessionId, timeline: Timeline<GhostTime>, start_stop: Option<StartStop>) -> Vec<u8> {
    let state = PeerState {
        timeline,
        session,
        start_stop,
        responder: Some(address(77, 1, 2_000)),
    };
    let message = Message::present(Kind::Alive, STRANGER, state);
    message.packet().bytes().to_vec()
}

/// Two hosts of which the first hears one hostile timeline, which it passes on.
fn attacked() -> World {
    let mut world = World::new(1);
    world.join(120.0);
    world.run(SECOND);
    world.join(90.0);
    world.run(2 * SECOND);
    let timeline = Timeline {
        tempo: tempo(130.0),
        beat_origin: Beats::from_micro(LARGEST),
        time_origin: GhostTime::new(0),
    };
    let session = world.snapshot(0).session;
    world.inject(0, address(9, 1, 1), &announced(session, timeline, None));
    world.inject(
        0,
        address(9, 1, 1),
        Message::Leaving { node: STRANGER }.packet().bytes(),
    );
    world.run(SECOND);
    world
}

#[test]
fn largest_beat_origin_makes_no_member_invisible() {
    let mut world = attacked();
    for host in 0..2 {
        world.set_tempo(host, 77.0);
        world.run(2 * SECOND);
    }
    world.run(10 * SECOND);
    assert_eq!((world.peers(0), world.peers(1)), (1, 1));
}

#[test]
fn largest_beat_origin_is_over_with_its_session() {
    let mut world = attacked();
    world.disable(1);
    world.run(SECOND);
    assert_eq!(world.peers(0), 0);
    world.enable(1);
    world.run(3 * SECOND);
    assert_eq!(
        (world.peers(0), world.peers(1), world.sessions().len()),
        (1, 1, 1)
    );
    world.set_tempo(0, 99.0);
    world.run(SECOND);
    assert_eq!(world.snapshot(1).tempo(), world.snapshot(0).tempo());
    assert!(world.phase_error(0, 1).abs() <= 10);
}

/// A count of 2^62 micro-beats has no precision as a number of 64 bits with a point.
#[test]
fn count_moves_on_by_less_than_a_quantum_when_the_session_jumps() {
    let mut world = World::new(2);
    let host = world.join(120.0);
    world.run(SECOND);
    let session = world.snapshot(host).session;
    for origin in [100_000_000, 1 << 45, LARGEST] {
        let timeline = Timeline {
            tempo: tempo(120.0),
            beat_origin: Beats::from_micro(origin),
            time_origin: GhostTime::new(0),
        };
        let before = world.beats(host);
        world.inject(host, address(9, 1, 1), &announced(session, timeline, None));
        let moved = world.beats(host).saturating_sub(before);
        assert!(moved >= Beats::ZERO && moved < Quantum::BAR.beats(), "{moved:?}");
        let time = world.hosts[host].time(world.now);
        let phase = world.snapshot(host).phase_at(time, Quantum::BAR);
        assert_eq!(world.beats(host).phase(Quantum::BAR), phase);
    }
}

#[test]
fn start_of_the_far_future_locks_nobody() {
    let mut world = World::new(3);
    for _ in 0..2 {
        let host = world.add_with(120.0, true, 0);
        world.enable(host);
        world.run(SECOND);
    }
    world.run(2 * SECOND);
    let snapshot = world.snapshot(0);
    for time in [LARGEST, 1 << 50] {
        let start = StartStop {
            is_playing: true,
            beats: Beats::ZERO,
            time: GhostTime::new(time),
        };
        let bytes = announced(snapshot.session, snapshot.timeline, Some(start));
        world.inject(0, address(9, 1, 1), &bytes);
    }
    world.run(100 * MS);
    assert!(!world.snapshot(0).is_playing, "it is refused");
    for (host, is_playing) in [(1, true), (0, false), (1, true)] {
        world.run(2 * SECOND);
        world.set_playing(host, is_playing);
        world.run(SECOND);
        assert_eq!(
            [0, 1].map(|host| world.snapshot(host).is_playing),
            [is_playing; 2]
        );
    }
}

#[test]
fn times_and_beats_of_the_program_make_no_message_that_others_refuse() {
    for at in [i64::MIN, i64::MAX, 1 << 61, -1 << 61] {
        for call in 0..4 {
            let mut world = World::new(4);
            for _ in 0..2 {
                let host = world.add_with(120.0, true, 0);
                world.enable(host);
                world.run(SECOND);
            }
            world.run(2 * SECOND);
            let at = HostTime::new(at);
            let far = Beats::from_micro(at.micros());
            world.act(0, |node, now, output| match call {
                0 => node.set_tempo(now, tempo(200.0), at, output),
                1 => node.set_playing(now, true, at, output),
                2 => node.force_beat(now, far, at, output),
                _ => {
                    let huge = Quantum::new(Beats::from_micro(i64::MAX)).expect("positive");
                    node.set_quantum(now, huge, output);
                    for _ in 0..4 {
                        node.force_beat(now, far, now, output);
                    }
                }
            });
            world.run(8 * SECOND);
            assert_eq!(
                (world.peers(0), world.peers(1)),
                (1, 1),
                "call {call} with {at:?}"
            );
            world.set_tempo(1, 77.0);
            world.run(2 * SECOND);
            assert_eq!(
                world.snapshot(0).tempo(),
                world.snapshot(1).tempo(),
                "call {call} with {at:?}"
            );
        }
    }
}

/// Messages and calls with the ends of the number line, from sessions that are joined too.
#[test]
fn whatever_comes_and_is_asked_what_is_announced_is_understood() {
    for seed in 0..100 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut world = World::new(seed);
        let host = world.add_with(120.0, true, 0);
        world.enable(host);
        let mut ahead = 0;
        for step in 0..200 {
            let mut number = || {
                let end = [LARGEST, LARGEST / 2, 1 << 50, 0][random.gen_range(0..4)];
                (end - random.gen_range(0..1_000_000)) * [-1, 1][random.gen_range(0..2)]
            };
            let [first, second, third] = [number(), number(), number()];
            let at = HostTime::new(second);
            let session = match random.gen_range(0..4) {
                0 => SessionId::founded_by(STRANGER),
                _ => world.snapshot(host).session,
            };
            match random.gen_range(0..8) {
                0 => world.act(host, |node, now, output| {
                    node.set_tempo(now, tempo(step as f64 + 50.0), at, output)
                }),
                1 => world.act(host, |node, now, output| {
                    node.set_playing(now, step % 2 == 0, at, output)
                }),
                2 => world.act(host, |node, now, output| {
                    node.force_beat(now, Beats::from_micro(first), at, output)
                }),
                3 => world.act(host, |node, now, output| {
                    let quantum = Quantum::new(Beats::from_micro(first.abs().max(1))).expect("positive");
                    node.set_quantum(now, quantum, output);
                    let _ = node.request_beat(now, Beats::from_micro(third), at, output);
                }),
                4 => ahead = first,
                _ => {
                    let timeline = Timeline {
                        tempo: tempo(130.0),
                        beat_origin: Beats::from_micro(first),
                        time_origin: GhostTime::new(second),
                    };
                    let start_stop = StartStop {
                        is_playing: step % 2 == 0,
                        beats: Beats::from_micro(third),
                        time: GhostTime::new(second),
                    };
                    let bytes = announced(session, timeline, Some(start_stop));
                    world.inject(host, address(77, 1, 1_000), &bytes);
                }
            }
            while answer(&mut world, host, STRANGER, ahead) {}
            world.run(random.gen_range(0..3_000) * MS);
        }
    }
}
