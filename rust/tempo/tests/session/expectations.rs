//! What a user may expect of a program that takes part: facts on tempo, section 8.

use super::network::{MS, SECOND, World};
use rustle_tempo::beats::{Beats, Quantum};
use rustle_tempo::link::{Event, Origin};

/// Two hosts in one session.
fn pair() -> World {
    let mut world = World::new(1);
    world.join(120.0);
    world.run(2 * SECOND);
    world.join(90.0);
    world.run(2 * SECOND);
    assert_eq!((world.peers(0), world.peers(1)), (1, 1));
    world
}

#[test]
fn t1_tempo_of_one_is_that_of_all() {
    let mut world = pair();
    for (index, bpm) in [(0, 140.0), (1, 77.0), (0, 128.5)] {
        world.run(2 * SECOND);
        world.set_tempo(index, bpm);
        let tempo = world.snapshot(index).tempo();
        let other = 1 - index;
        let after = world.run_until(SECOND / 2, |world| world.snapshot(other).tempo() == tempo);
        assert!(after <= 57 * MS, "after {after} ns");
        let by = Origin::Peer(world.hosts[index].node.id());
        assert!(world.events(other).contains(&Event::TempoChanged { tempo, by }));
    }
}

#[test]
fn t2_who_joins_takes_the_tempo_and_changes_nothing() {
    let mut world = pair();
    assert_eq!((world.bpm(0), world.bpm(1)), (120.0, 120.0));
    assert!(
        !world
            .events(0)
            .iter()
            .any(|event| matches!(event, Event::TempoChanged { .. } | Event::PhaseShifted { .. }))
    );
}

#[test]
fn t3_document_that_is_loaded_into_a_session_changes_nothing() {
    let mut world = World::new(2);
    world.join(120.0);
    world.run(2 * SECOND);
    // A document with another tempo, loaded before the program takes part.
    let late = world.add(90.0);
    world.set_tempo(late, 150.0);
    world.enable(late);
    world.run(2 * SECOND);
    assert_eq!((world.bpm(0), world.bpm(late)), (120.0, 120.0));
}

#[test]
fn tempo_that_is_asked_for_last_holds_against_one_that_waits() {
    let mut world = pair();
    world.set_tempo(0, 100.0);
    world.run(SECOND / 10);
    // It reaches the first node while that one's change holds, which then asks for its tempo again.
    world.set_tempo(1, 90.0);
    world.run(SECOND / 10);
    assert_eq!(world.bpm(0), 100.0);
    world.set_tempo(0, 100.0);
    world.run(3 * SECOND);
    assert_eq!((world.bpm(0), world.bpm(1)), (100.0, 100.0));
    assert!(world.phase_error(0, 1).abs() <= 10);
}

#[test]
fn t4_tempos_of_the_whole_range_travel() {
    let mut world = pair();
    for (bpm, micros) in [
        (20.0, 3_000_000),
        (999.0, 60_060),
        (5.0, 3_000_000),
        (20_000.0, 60_060),
    ] {
        world.run(2 * SECOND);
        world.set_tempo(0, bpm);
        world.run(SECOND / 2);
        assert_eq!(world.snapshot(1).tempo().micros_per_beat(), micros);
        assert!(world.phase_error(0, 1).abs() <= 10);
    }
}

#[test]
fn t5_and_b1_enabling_alone_keeps_tempo_and_beat() {
    let mut world = World::new(3);
    let host = world.add(97.0);
    world.run(7 * SECOND + 123 * MS);
    let before = world.beats(host);
    world.enable(host);
    assert_eq!(world.beats(host), before);
    world.run(1);
    let bpm = world.bpm(host);
    assert!((bpm - 97.0).abs() < 1e-3);
    world.run(3 * SECOND);
    let expected = before.as_f64() + bpm / 20.0;
    assert!((world.beats(host).as_f64() - expected).abs() < 1e-5);
    world.disable(host);
    assert!((world.beats(host).as_f64() - expected).abs() < 1e-5);
    let events = world.events(host);
    let is_known =
        |event: &Event| matches!(event, Event::EnabledChanged { .. } | Event::SessionJoined { .. });
    assert!(events.len() == 3 && events.iter().all(is_known), "{events:?}");
}

#[test]
fn b2_beats_coincide_also_after_changes() {
    let mut world = pair();
    for step in 0..20 {
        world.set_tempo(step % 2, 60.0 + 17.0 * step as f64);
        world.run(2 * SECOND);
        let error = world.phase_error(0, 1);
        assert!(error.abs() <= 10, "{error} us after change {step}");
    }
}

#[test]
fn s1_starts_and_stops_travel_both_ways() {
    let mut world = World::new(4);
    let hosts = [0; 2].map(|_| world.add_with(120.0, true, 0));
    hosts.iter().for_each(|host| world.enable(*host));
    world.run(2 * SECOND);
    for (index, is_playing) in [(0, true), (1, false), (1, true), (0, false)] {
        world.run(2 * SECOND);
        world.set_playing(index, is_playing);
        world.run(SECOND / 2);
        assert_eq!(hosts.map(|host| world.snapshot(host).is_playing), [is_playing; 2]);
    }
    let by = Origin::Peer(world.hosts[0].node.id());
    assert!(
        world
            .events(1)
            .contains(&Event::PlayingChanged { is_playing: true, by })
    );
}

#[test]
fn s2_starts_and_stops_do_not_travel_when_they_are_not_shared_and_are_passed_on() {
    let mut world = World::new(5);
    let [first, between, last] = [true, false, true].map(|follows| world.add_with(120.0, follows, 0));
    [first, between, last].iter().for_each(|host| world.enable(*host));
    // The first and the last hear of each other by the one between alone.
    world.run(3 * SECOND);
    world.cut.insert((first, last));
    world.set_playing(first, true);
    world.run(SECOND);
    let playing = [first, between, last].map(|host| world.snapshot(host).is_playing);
    assert_eq!(playing, [true, false, true]);
    world.set_playing(between, true);
    world.set_playing(between, false);
    world.run(2 * SECOND);
    let playing = [first, between, last].map(|host| world.snapshot(host).is_playing);
    assert_eq!(playing, [true, false, true]);
    // Who begins to share takes what is.
    world.act(between, |node, _, output| {
        node.set_follows_start_stop(true, output)
    });
    assert!(world.snapshot(between).is_playing);
}

#[test]
fn who_leaves_is_gone_at_once() {
    let mut world = pair();
    world.disable(1);
    let after = world.run_until(SECOND, |world| world.peers(0) == 0);
    assert!(after <= MS, "{after} ns");
    assert!(world.events(0).contains(&Event::PeersChanged { count: 0 }));
}

#[test]
fn who_is_killed_is_gone_after_six_seconds() {
    let mut world = pair();
    world.hosts[1].is_running = false;
    let after = world.run_until(8 * SECOND, |world| world.peers(0) == 0);
    assert!((5_700 * MS..=6_001 * MS).contains(&after), "{after} ns");
}

#[test]
fn many_are_one_session() {
    let mut world = World::new(6);
    for _ in 0..6 {
        world.join(120.0);
        world.run(SECOND / 3);
    }
    world.run(3 * SECOND);
    assert_eq!(world.sessions().len(), 1);
    for host in 0..6 {
        assert_eq!(world.peers(host), 5);
        assert!(world.phase_error(0, host).abs() <= 10);
    }
}

#[test]
fn founder_leaves_and_the_rest_goes_on() {
    let mut world = World::new(7);
    for _ in 0..3 {
        world.join(133.0);
        world.run(2 * SECOND);
    }
    let session = world.snapshot(1).session;
    assert_eq!(session.founder(), world.hosts[0].node.id());
    world.events(1);
    world.disable(0);
    world.run(30 * SECOND);
    assert_eq!(world.sessions(), [session].into());
    assert_eq!((world.peers(1), world.peers(2)), (1, 1));
    assert!(world.phase_error(1, 2).abs() <= 10);
    assert_eq!(
        world.events(1),
        [Event::PeersChanged { count: 1 }],
        "and nothing else"
    );
    // Who comes now measures one that stayed.
    let late = world.join(60.0);
    world.run(2 * SECOND);
    assert_eq!((world.snapshot(late).session, world.peers(late)), (session, 2));
    assert!(world.phase_error(1, late).abs() <= 10);
}

#[test]
fn last_peer_leaves_and_tempo_and_beats_go_on() {
    let mut world = pair();
    world.set_tempo(0, 150.0);
    world.run(2 * SECOND);
    let expected = world.beats(1).as_f64() + 150.0 / 60.0 * 10.0;
    let (session, node) = (world.snapshot(1).session, world.hosts[1].node.id());
    world.disable(0);
    world.run(10 * SECOND);
    assert!((world.beats(1).as_f64() - expected).abs() < 1e-3);
    assert_eq!(world.bpm(1), 150.0);
    assert_ne!(
        (world.snapshot(1).session, world.hosts[1].node.id()),
        (session, node)
    );
}

#[test]
fn suspended_host_returns_to_the_session() {
    let mut world = pair();
    let session = world.snapshot(0).session;
    world.join(50.0);
    world.run(2 * SECOND);
    world.hosts[1].is_running = false;
    world.run(60 * SECOND);
    assert_eq!(world.peers(0), 1);
    world.hosts[1].is_running = true;
    world.run(4 * SECOND);
    assert_eq!(world.sessions(), [session].into());
    assert_eq!([0, 1, 2].map(|host| world.peers(host)), [2; 3]);
    assert!(world.phase_error(0, 1).abs() <= 10);
}

#[test]
fn beat_is_requested_at_the_next_time_of_its_phase_and_forced_for_all() {
    let mut world = pair();
    let now = world.hosts[1].time(world.now);
    let beat = Beats::from_f64(0.0);
    let at = world.act(1, |node, now, output| node.request_beat(now, beat, now, output));
    assert_eq!(world.snapshot(1).beats_at(at), beat);
    assert!(
        at >= now && world.snapshot(1).phase_at(at, Quantum::BAR).micro() <= 2,
        "{at:?}"
    );
    assert!(world.phase_error(0, 1).abs() <= 10, "nobody else moves");
    let shift = world
        .events(1)
        .into_iter()
        .find(|event| matches!(event, Event::PhaseShifted { .. }));
    assert!(shift.is_some(), "our count moves");
    let phase = Beats::from_f64(1.5);
    world.act(1, |node, now, output| node.force_beat(now, phase, now, output));
    assert!((world.beats(1).as_f64() - 1.5).abs() < 1e-3);
    world.run(SECOND / 2);
    assert!(world.phase_error(0, 1).abs() <= 10);
    assert!(
        world
            .events(0)
            .iter()
            .any(|event| matches!(event, Event::PhaseShifted { shift, .. } if shift.micro() > 0))
    );
}

#[test]
fn beat_is_taken_as_asked_when_alone() {
    let mut world = World::new(8);
    let host = world.join(120.0);
    world.run(SECOND + 77 * MS);
    let beat = Beats::from_f64(-3.25);
    let now = world.hosts[host].time(world.now);
    let at = world.act(host, |node, now, output| {
        node.request_beat(now, beat, now, output)
    });
    assert_eq!((at, world.beats(host)), (now, beat));
}

#[test]
fn count_does_not_run_backwards_when_joining_and_bars_agree() {
    for wait in 0..12 {
        let mut world = World::new(100 + wait);
        world.join(120.0);
        world.run(9 * SECOND);
        let late = world.add(174.0);
        world.run(30 * SECOND + wait as i64 * 173 * MS);
        world.enable(late);
        let mut last = world.beats(late);
        for _ in 0..400 {
            world.run(5 * MS);
            let beats = world.beats(late);
            assert!(beats >= last, "{last:?} {beats:?}");
            assert!(beats.saturating_sub(last) < Beats::from_f64(4.1));
            last = beats;
        }
        assert_eq!(world.peers(late), 1);
        let difference = world
            .beats(late)
            .saturating_sub(world.beats(0))
            .phase(Quantum::BAR)
            .micro();
        assert!(difference.min(4_000_000 - difference) <= 20, "{difference}");
    }
}

#[test]
fn quantum_is_ones_own_and_beats_agree() {
    let mut world = pair();
    let three = Quantum::new(Beats::from_f64(3.0)).expect("a quantum");
    let before = world.beats(1);
    world.act(1, |node, now, output| node.set_quantum(now, three, output));
    let after = world.beats(1);
    assert!(after >= before && after.saturating_sub(before) < three.beats());
    let time = world.hosts[1].time(world.now);
    assert_eq!(after.phase(three), world.snapshot(1).phase_at(time, three));
    assert!(world.phase_error(0, 1).abs() <= 10);
}
