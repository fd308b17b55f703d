//! Clocks that drift, and networks that are uneven.

use super::network::{MS, SECOND, World};

/// The phase errors between two hosts, ascending, sampled ten times a second for ten minutes from two seconds after the second came.
fn errors(ppm: [i64; 2], seed: u64, prepare: impl Fn(&mut World)) -> Vec<i64> {
    let mut world = World::new(seed);
    prepare(&mut world);
    for ppm in ppm {
        let host = world.add_with(125.0, false, ppm);
        world.enable(host);
        world.run(2 * SECOND);
    }
    assert_eq!(world.sessions().len(), 1);
    let sampled = (0..6_000).map(|_| {
        world.run(100 * MS);
        world.phase_error(0, 1).abs()
    });
    let mut errors: Vec<_> = sampled.collect();
    errors.sort_unstable();
    errors
}

fn worst(errors: &[i64]) -> i64 {
    errors.last().copied().expect("errors")
}

#[test]
fn clock_that_is_100_ppm_off_stays_within_50_us() {
    for loss in [0.0, 0.05] {
        for (seed, ppm) in [(1, [0, 100]), (2, [0, -100]), (3, [100, 0]), (4, [-50, 50])] {
            let worst = worst(&errors(ppm, seed, |world| world.conditions.loss = loss));
            assert!(worst <= 50, "{worst} us at {ppm:?} ppm and a loss of {loss}");
        }
    }
}

#[test]
fn equal_clocks_stay_within_10_us() {
    let worst = worst(&errors([0, 0], 5, |_| {}));
    assert!(worst <= 10, "{worst} us");
}

/// At the 99th percentile the reference has 40 us as joiner and 74 as founder, and with a loss of 5 % 35 and 26, measured; the goal is
/// 25 us more than the lower of the two.
#[test]
fn jitter_of_milliseconds_and_loss_are_within_the_goal() {
    for (loss, goal) in [(0.0, 65), (0.05, 51)] {
        for seed in 0..6 {
            let errors = errors([0, 0], seed, |world| {
                world.conditions.delay = 2 * MS..=4 * MS;
                world.conditions.loss = loss;
            });
            let high = errors[errors.len() * 99 / 100];
            assert!(high <= goal, "{high} us at a loss of {loss}, seed {seed}");
        }
    }
}
