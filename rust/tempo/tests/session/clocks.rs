//! Clocks that drift, and networks that are uneven.

use super::network::{MS, SECOND, World};

/// The largest phase error between two hosts, sampled ten times a second for ten minutes from two seconds after the second came.
fn worst(ppm: [i64; 2], seed: u64, prepare: impl Fn(&mut World)) -> i64 {
    let mut world = World::new(seed);
    prepare(&mut world);
    for ppm in ppm {
        let host = world.add_with(125.0, false, ppm);
        world.enable(host);
        world.run(2 * SECOND);
    }
    assert_eq!(world.sessions().len(), 1);
    let mut worst = 0;
    for _ in 0..6_000 {
        world.run(100 * MS);
        worst = worst.max(world.phase_error(0, 1).abs());
    }
    worst
}

#[test]
fn clock_that_is_100_ppm_off_stays_within_50_us() {
    for (seed, ppm) in [(1, [0, 100]), (2, [0, -100]), (3, [100, 0]), (4, [-50, 50])] {
        let worst = worst(ppm, seed, |_| {});
        assert!(worst <= 50, "{worst} us at {ppm:?} ppm");
    }
}

#[test]
fn equal_clocks_stay_within_10_us() {
    let worst = worst([0, 0], 5, |_| {});
    assert!(worst <= 10, "{worst} us");
}

/// The reference has 40 (joiner) and 74 (founder) us at the 99th percentile, measured; the goal is 25 us more.
#[test]
fn jitter_of_milliseconds_is_averaged() {
    let worst = worst([0, 0], 6, |world| world.conditions.delay = 2 * MS..=4 * MS);
    assert!(worst <= 250, "{worst} us at worst");
}
