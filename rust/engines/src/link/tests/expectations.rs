//! What a user may expect of a program that takes part, with whole members: facts on tempo, section 8. Those of which nodes alone have a
//! part are in `rust/tempo/tests/session`.

use super::super::LinkConfiguration;
use super::scripted::{Stage, tempo};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_tempo::beats::Tempo;
use rustle_tempo::link::SessionId;
use std::collections::BTreeSet;

/// Two members in one session.
fn pair() -> Stage {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    for bpm in [120.0, 90.0] {
        let configuration = LinkConfiguration {
            follows_start_stop: true,
            ..LinkConfiguration::default()
        };
        stage.add_with(configuration, bpm, 0);
        stage.links.last().expect("one").enable().expect("enabled");
        stage.run(2_000);
    }
    assert_eq!(stage.peers(), [1, 1]);
    stage
}

fn tempos(stage: &Stage) -> Vec<Tempo> {
    stage.links.iter().map(|link| link.snapshot().tempo()).collect()
}

fn sessions(stage: &Stage) -> BTreeSet<SessionId> {
    let snapshots = stage.links.iter().map(|link| link.snapshot());
    snapshots
        .filter(|snapshot| snapshot.is_enabled)
        .map(|snapshot| snapshot.session)
        .collect()
}

#[test]
fn t1_t4_and_b2_tempos_of_the_whole_range_travel_both_ways_and_beats_coincide() {
    let stage = pair();
    for (index, bpm) in [
        (0, 140.0),
        (1, 77.0),
        (0, 20.0),
        (1, 999.0),
        (0, 5_000.0),
        (1, 1.0),
    ] {
        stage.run(1_500);
        let link = &stage.links[index];
        link.set_tempo(tempo(bpm), link.host_now());
        stage.run(500);
        assert_eq!(tempos(&stage), [tempo(bpm); 2]);
        let error = stage.phase_error();
        assert!(error.abs() <= 20, "{error} us at {bpm} BPM");
    }
}

#[test]
fn t2_and_t3_tempo_of_a_program_or_its_document_is_not_that_of_the_session_it_joins() {
    let mut stage = pair();
    stage.add_with(LinkConfiguration::default(), 60.0, 0);
    let late = &stage.links[2];
    late.set_tempo(tempo(150.0), late.host_now());
    late.enable().expect("enabled");
    stage.run(2_000);
    assert_eq!(
        (tempos(&stage), stage.peers()),
        (vec![tempo(120.0); 3], vec![2; 3])
    );
}

#[test]
fn t5_and_b1_enabling_alone_keeps_tempo_and_beat() {
    let mut stage = Stage::new(0..=0, 0.0);
    stage.add_with(LinkConfiguration::default(), 97.0, 0);
    stage.run(1_234);
    let link = &stage.links[0];
    let before = link.reader().beats_at(link.host_now());
    link.enable().expect("enabled");
    assert_eq!(link.reader().beats_at(link.host_now()), before);
    stage.run(3_000);
    let passed = link.reader().beats_at(link.host_now()).saturating_sub(before);
    assert!((passed.as_f64() - link.snapshot().tempo().bpm() / 20.0).abs() < 1e-5);
    assert_eq!(tempos(&stage), [tempo(97.0)]);
}

#[test]
fn s1_and_s2_starts_and_stops_travel_both_ways_while_they_are_shared() {
    let stage = pair();
    let playing = || [0, 1].map(|index| stage.links[index].snapshot().is_playing);
    for (index, is_playing) in [(0, true), (1, false), (1, true), (0, false)] {
        stage.run(1_500);
        let link = &stage.links[index];
        link.set_playing(is_playing, link.host_now());
        stage.run(500);
        assert_eq!(playing(), [is_playing; 2]);
    }
    stage.links[1].set_follows_start_stop(false);
    stage.run(1_500);
    stage.links[0].set_playing(true, stage.links[0].host_now());
    stage.run(500);
    assert_eq!(playing(), [true, false]);
}

#[test]
fn killed_member_is_gone_after_six_seconds() {
    let stage = pair();
    // Nobody calls it any more, and no word was said.
    let running = stage.links[1].running.lock().expect("no panic").take();
    running.expect("it runs").end();
    stage.run(5_600);
    assert_eq!(stage.peers()[0], 1);
    stage.run(500);
    assert_eq!(stage.peers()[0], 0);
}

#[test]
fn founder_leaves_and_the_rest_goes_on() {
    let mut stage = pair();
    stage.add(60.0, 0);
    stage.run(2_000);
    let session = sessions(&stage);
    stage.links[0].disable();
    stage.run(20_000);
    assert_eq!((sessions(&stage), stage.peers()), (session, vec![0, 1, 1]));
    stage.links.remove(0);
    assert!(stage.phase_error().abs() <= 20, "{} us", stage.phase_error());
}

#[test]
fn two_sessions_that_meet_are_the_older_one() {
    let mut stage = pair();
    stage.add_with(LinkConfiguration::default(), 60.0, 0);
    let away = std::mem::take(&mut *stage.interfaces[2].lock().expect("no panic"));
    stage.links[2].enable().expect("enabled");
    stage.run(10_000);
    let older = stage.links[0].snapshot().session;
    assert_eq!(sessions(&stage).len(), 2);
    *stage.interfaces[2].lock().expect("no panic") = away;
    stage.run(6_000);
    assert_eq!((sessions(&stage), stage.peers()), ([older].into(), vec![2; 3]));
    assert_eq!(tempos(&stage), [tempo(120.0); 3]);
}

/// Over 1,000 random joins, leaves and tempo changes.
#[test]
fn t3_never_two_sessions_for_longer_than_three_seconds() {
    let mut random = StdRng::seed_from_u64(1);
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    for bpm in [80.0, 120.0, 160.0] {
        stage.add_with(LinkConfiguration::default(), bpm, 0);
    }
    let (mut steps, mut wait, mut divided) = (0, 0, 0);
    while steps < 1_000 {
        if wait <= 0 {
            steps += 1;
            wait = random.gen_range(20..1_500);
            let link = &stage.links[random.gen_range(0..3)];
            match (random.gen_range(0..3), link.is_enabled()) {
                (0, true) => link.disable(),
                (_, false) => link.enable().expect("enabled"),
                (_, true) => link.set_tempo(tempo(random.gen_range(40.0..250.0)), link.host_now()),
            }
        }
        stage.run(50);
        wait -= 50;
        divided = if sessions(&stage).len() < 2 {
            0
        } else {
            divided + 50
        };
        assert!(divided <= 3_000, "two sessions for {divided} ms, step {steps}");
    }
}
