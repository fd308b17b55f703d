//! Sessions that meet.

use super::network::{MS, SECOND, World};

/// Two groups of two hosts that cannot hear each other, the second one founded `later` ns after the first.
fn apart(later: i64, seed: u64) -> World {
    let mut world = World::new(seed);
    for (one, other) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        world.cut.insert((one, other));
    }
    for host in 0..4 {
        if host == 2 {
            world.run(later);
        }
        world.join(100.0 + 10.0 * f64::from(host));
        world.run(MS);
    }
    world.run(5 * SECOND);
    assert_eq!(world.sessions().len(), 2);
    world
}

#[test]
fn two_sessions_that_meet_are_the_older_one() {
    for later in [600 * MS, 10 * SECOND, 300 * SECOND] {
        let mut world = apart(later, 1);
        let (older, tempo) = (world.snapshot(0).session, world.snapshot(0).tempo());
        world.cut.clear();
        let after = world.run_until(3 * SECOND, |world| world.sessions().len() == 1);
        assert!(after <= SECOND, "{after} ns");
        assert_eq!(world.sessions(), [older].into());
        world.run(2 * SECOND);
        for host in 0..4 {
            assert_eq!((world.peers(host), world.snapshot(host).tempo()), (3, tempo));
            assert!(world.phase_error(0, host).abs() <= 10);
        }
    }
}

#[test]
fn of_two_sessions_of_one_age_that_with_the_smaller_identity_stays() {
    for seed in 0..8 {
        let mut world = apart(200 * MS, seed);
        let expected = world.sessions().into_iter().next();
        world.cut.clear();
        world.run(3 * SECOND);
        assert_eq!(world.sessions().into_iter().next(), expected);
        assert_eq!(world.sessions().len(), 1);
    }
}

#[test]
fn session_that_was_divided_is_one_again_with_the_latest_tempo() {
    let mut world = World::new(2);
    for _ in 0..4 {
        world.join(120.0);
        world.run(SECOND);
    }
    world.run(2 * SECOND);
    for (one, other) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        world.cut.insert((one, other));
    }
    world.run(10 * SECOND);
    world.set_tempo(0, 90.0);
    world.run(10 * SECOND);
    world.set_tempo(3, 150.0);
    world.run(2 * SECOND);
    world.cut.clear();
    world.run(3 * SECOND);
    assert_eq!(world.sessions().len(), 1);
    for host in 0..4 {
        assert_eq!((world.peers(host), world.bpm(host)), (3, 150.0));
        assert!(world.phase_error(0, host).abs() <= 10);
    }
}

#[test]
fn ten_that_start_together_are_one_session_within_three_seconds() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        for host in 0..10 {
            world.join(80.0 + f64::from(host));
            world.run(seed as i64 * 7 * MS);
        }
        let after = world.run_until(10 * SECOND, |world| world.sessions().len() == 1);
        assert!(after <= 3 * SECOND, "{after} ns");
    }
}

#[test]
fn loss_and_jitter_delay_a_session_and_do_not_prevent_it() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        world.conditions.delay = 2 * MS..=4 * MS;
        world.conditions.loss = 0.05;
        for _ in 0..3 {
            world.join(120.0);
            world.run(SECOND);
        }
        world.run(5 * SECOND);
        assert_eq!(world.sessions().len(), 1);
        world.set_tempo(1, 99.0);
        world.run(SECOND);
        for host in 0..3 {
            assert_eq!(
                (world.peers(host), world.snapshot(host).tempo()),
                (2, world.snapshot(1).tempo())
            );
        }
    }
}
