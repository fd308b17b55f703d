//! Random sequences of tempo changes.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_tempo::beats::{Beats, GhostTime, Quantum, Tempo, Timeline};

fn random_tempo(random: &mut StdRng) -> Tempo {
    Tempo::from_micros_per_beat(random.gen_range(60_060..=3_000_000)).expect("in range")
}

/// The beat is the integral of the tempo, each change leaves it where it is within a micro-beat, and beat origins grow.
#[test]
fn beats_are_the_integral_of_the_tempo() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut timeline = Timeline {
            tempo: random_tempo(&mut random),
            beat_origin: Beats::from_micro(random.gen_range(-1_000_000_000..1_000_000_000)),
            time_origin: GhostTime::new(random.gen_range(-1_000_000_000..1_000_000_000)),
        };
        let mut time = random.gen_range(0..2_000_000_000);
        let start = timeline.beat_at(GhostTime::new(time)).micro() as f64;
        let mut integral = 0.0;
        for change in 1..=500 {
            let span = random.gen_range(0..3_000_000);
            integral += span as f64 * 1e6 / timeline.tempo.micros_per_beat() as f64;
            time += span;
            let now = GhostTime::new(time);
            let new = timeline.with_tempo(random_tempo(&mut random), now);
            let (before, after) = (timeline.beat_at(now).micro(), new.beat_at(now).micro());
            assert!((before - after).abs() <= 1, "{before} {after}");
            assert!(new.beat_origin > timeline.beat_origin);
            timeline = new;
            let error = (after as f64 - start - integral).abs();
            assert!(
                error <= 2.0 * f64::from(change),
                "{error} micro-beats after {change} changes"
            );
        }
    }
}

#[test]
fn times_of_beats_and_beats_at_times_are_inverse() {
    let mut random = StdRng::seed_from_u64(1);
    for _ in 0..100_000 {
        let timeline = Timeline {
            tempo: random_tempo(&mut random),
            beat_origin: Beats::from_micro(random.gen_range(-1 << 50..1 << 50)),
            time_origin: GhostTime::new(random.gen_range(-1 << 50..1 << 50)),
        };
        let time = GhostTime::new(random.gen_range(-1 << 50..1 << 50));
        // A microsecond is 0.3 micro-beats or more.
        let again = timeline.time_of(timeline.beat_at(time));
        let error =
            (rustle_tempo::beats::Time::micros(again) - rustle_tempo::beats::Time::micros(time)).abs();
        assert!(error <= 2, "{error} us");
        let quantum = Quantum::new(Beats::from_micro(random.gen_range(1..10_000_000))).expect("positive");
        let beat = Beats::from_micro(random.gen_range(-1 << 40..1 << 40));
        let (at, found) = timeline.next_with_phase_of(beat, time, quantum);
        assert_eq!(found.phase(quantum), beat.phase(quantum));
        assert!(at >= time && found.saturating_sub(timeline.beat_at(time)) < quantum.beats());
    }
}
