//! Random joins, leaves and changes.

use super::network::{MS, SECOND, World};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const HOSTS: usize = 6;

/// After each of 1,000 random joins, leaves and tempo changes: two sessions are one within 3 s.
#[test]
fn t3_no_two_sessions_for_longer_than_three_seconds() {
    storm(10, |_| {});
}

#[test]
fn t3_no_two_sessions_for_longer_than_three_seconds_with_jitter_and_loss() {
    storm(200, |world| {
        world.conditions.delay = 2 * MS..=4 * MS;
        world.conditions.loss = 0.05;
    });
}

/// `precision`: the phase error at the end, in us.
fn storm(precision: i64, prepare: impl Fn(&mut World)) {
    for seed in 0..5 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut world = World::new(seed);
        prepare(&mut world);
        for _ in 0..HOSTS {
            world.add(random.gen_range(60.0..180.0));
        }
        let (mut next, mut divided) = (0, None);
        let mut steps = 0;
        while steps < 200 {
            if world.now >= next {
                steps += 1;
                next = world.now + random.gen_range(20 * MS..2 * SECOND);
                let host = random.gen_range(0..HOSTS);
                match (random.gen_range(0..3), world.snapshot(host).is_enabled) {
                    (0, true) => world.disable(host),
                    (_, false) => world.enable(host),
                    (_, true) => world.set_tempo(host, random.gen_range(40.0..250.0)),
                }
            }
            world.run(50 * MS);
            if world.sessions().len() < 2 {
                divided = None;
            } else {
                let since = *divided.get_or_insert(world.now);
                let span = world.now - since;
                assert!(
                    span <= 3 * SECOND,
                    "{} sessions, seed {seed}, step {steps}",
                    world.sessions().len()
                );
            }
        }
        world.run(4 * SECOND);
        let enabled: Vec<_> = (0..HOSTS)
            .filter(|host| world.snapshot(*host).is_enabled)
            .collect();
        for pair in enabled.windows(2) {
            assert_eq!(world.snapshot(pair[0]).tempo(), world.snapshot(pair[1]).tempo());
            let error = world.phase_error(pair[0], pair[1]);
            assert!(error.abs() <= precision, "{error} us, seed {seed}");
        }
    }
}
