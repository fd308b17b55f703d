//! MIDI clock: bytes with times.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_tempo::beats::{HostTime, Quantum};
use rustle_tempo::clock::{MidiClock, MidiMessage};

const PERIOD: f64 = 60e6 / 128.0;

/// Clocks of 128 BPM from clock `from` to `to`, the first of all at time 0, each late by up to `late` us.
fn clocks(clock: &mut MidiClock, from: i64, to: i64, late: f64, random: &mut ChaCha8Rng) {
    for index in from..to {
        let late = if late > 0.0 {
            random.gen_range(0.0..late)
        } else {
            0.0
        };
        clock.byte(0xF8, HostTime::new((index as f64 * PERIOD / 24.0 + late) as i64));
    }
}

fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

#[test]
fn clocks_give_tempo_and_position() {
    let mut clock = MidiClock::default();
    assert_eq!(clock.report(), None);
    clocks(&mut clock, 0, 24, 0.0, &mut random());
    assert!(!clock.is_playing());
    assert_eq!(clock.byte(0xFA, HostTime::new(0)), Some(MidiMessage::Start));
    clocks(&mut clock, 24, 24 + 61, 0.0, &mut random());
    let report = clock.report().expect("clocks");
    assert!(report.is_playing && report.confidence > 0.9);
    assert!(
        (report.timeline.tempo.bpm() - 128.0).abs() < 0.001,
        "{}",
        report.timeline.tempo.bpm()
    );
    // The clock after the start is beat 0; the last one is the 61st, at beat 2.5.
    let last = HostTime::new((84.0 * PERIOD / 24.0) as i64);
    assert!((report.timeline.beat_at(last).as_f64() - 2.5).abs() < 1e-4);
}

#[test]
fn song_position_counts_from_the_next_continue() {
    let mut clock = MidiClock::default();
    clocks(&mut clock, 0, 10, 0.0, &mut random());
    clock.byte(0xFC, HostTime::new(0));
    // 129 sixteenths: 1 + 1 · 128; a clock between the bytes is no part of it.
    assert_eq!(clock.byte(0xF2, HostTime::new(0)), None);
    assert_eq!(clock.byte(1, HostTime::new(0)), None);
    clocks(&mut clock, 10, 11, 0.0, &mut random());
    assert_eq!(
        clock.byte(1, HostTime::new(0)),
        Some(MidiMessage::SongPosition(129))
    );
    assert_eq!(clock.byte(0xFB, HostTime::new(0)), Some(MidiMessage::Continue));
    clocks(&mut clock, 11, 12, 0.0, &mut random());
    let at = HostTime::new((11.0 * PERIOD / 24.0) as i64);
    let beat = clock.report().expect("clocks").timeline.beat_at(at).as_f64();
    assert!((beat - 129.0 / 4.0).abs() < 1e-3, "{beat}");
    // Stopped after five more clocks, and on from there.
    clocks(&mut clock, 12, 17, 0.0, &mut random());
    clock.byte(0xFC, HostTime::new(0));
    clocks(&mut clock, 17, 40, 0.0, &mut random());
    clock.byte(0xFB, HostTime::new(0));
    clocks(&mut clock, 40, 41, 0.0, &mut random());
    let at = HostTime::new((40.0 * PERIOD / 24.0) as i64);
    let beat = clock.report().expect("clocks").timeline.beat_at(at).as_f64();
    assert!((beat - (129.0 / 4.0 + 6.0 / 24.0)).abs() < 1e-3, "{beat}");
}

#[test]
fn jitter_of_milliseconds_is_averaged() {
    let mut clock = MidiClock::default();
    clock.byte(0xFA, HostTime::new(0));
    clocks(&mut clock, 0, 480, 3000.0, &mut random());
    let report = clock.report().expect("clocks");
    let bpm = report.timeline.tempo.bpm();
    // The standard error of 48 clocks with uniform errors of 0.87 ms: 0.87 ms / 96 clocks, 0.06 BPM.
    assert!((bpm - 128.0).abs() < 0.25, "{bpm}");
    let phase = report
        .timeline
        .phase_at(
            HostTime::new((480.0 / 24.0 * PERIOD) as i64 + 1500),
            Quantum::BEAT,
        )
        .as_f64();
    // The errors' mean is 1.5 ms; what is left of them is below 1 ms.
    let off = (phase - phase.round()) * PERIOD;
    assert!(off.abs() < 1000.0, "{off} us");
    assert!(
        (0.1..1.0).contains(&report.phase_error),
        "{} ms",
        report.phase_error
    );
}

#[test]
fn another_tempo_is_followed_within_a_beat() {
    let mut clock = MidiClock::default();
    clocks(&mut clock, 0, 96, 0.0, &mut random());
    let begin = 95.0 * PERIOD / 24.0;
    for index in 1..=24 {
        clock.byte(0xF8, HostTime::new((begin + f64::from(index) * 25_000.0) as i64));
    }
    let bpm = clock.report().expect("clocks").timeline.tempo.bpm();
    assert!((bpm - 100.0).abs() < 0.5, "{bpm}");
}

#[test]
fn any_bytes_and_times_are_taken() {
    let mut random = random();
    let mut clock = MidiClock::default();
    for _ in 0..100_000 {
        let byte = if random.gen_bool(0.5) {
            random.gen_range(0xF0..=0xFF)
        } else {
            random.r#gen()
        };
        let at = if random.gen_bool(0.9) {
            random.gen_range(0..1_000_000)
        } else {
            random.r#gen()
        };
        clock.byte(byte, HostTime::new(at));
        if let Some(report) = clock.report() {
            assert!(report.phase_error.is_finite() && (0.0..=1.0).contains(&report.confidence));
        }
    }
}

#[test]
fn message_after_a_pause_revives_no_tempo() {
    let mut clock = MidiClock::default();
    clocks(&mut clock, 0, 48, 0.0, &mut random());
    let last = (47.0 * PERIOD / 24.0) as i64;
    for byte in [0xFA, 0xFB, 0xFC] {
        clock.byte(byte, HostTime::new(last + 499_999));
        assert!(
            clock.report().is_some(),
            "{byte:#x} half a second after the last clock"
        );
    }
    clock.byte(0xFC, HostTime::new(last + 500_000));
    assert!(clock.report().is_none() && !clock.is_playing());
}
