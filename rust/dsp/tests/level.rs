//! The sound-level meter on sounds, at both common rates.

use rustle_dsp::level::{FrequencyWeighting, LevelMeter, TimeWeighting, decibels};
use rustle_testkit::{noise, sine};

const RATES: [f64; 2] = [44_100.0, 48_000.0];

/// IEC 61672-1, table 3: the weightings A and C in dB at 10 Hz, and at each third octave up to 20 kHz.
const TABLE: [(f64, f64); 34] = [
    (-70.4, -14.3),
    (-63.4, -11.2),
    (-56.7, -8.5),
    (-50.5, -6.2),
    (-44.7, -4.4),
    (-39.4, -3.0),
    (-34.6, -2.0),
    (-30.2, -1.3),
    (-26.2, -0.8),
    (-22.5, -0.5),
    (-19.1, -0.3),
    (-16.1, -0.2),
    (-13.4, -0.1),
    (-10.9, 0.0),
    (-8.6, 0.0),
    (-6.6, 0.0),
    (-4.8, 0.0),
    (-3.2, 0.0),
    (-1.9, 0.0),
    (-0.8, 0.0),
    (0.0, 0.0),
    (0.6, 0.0),
    (1.0, -0.1),
    (1.2, -0.2),
    (1.3, -0.3),
    (1.2, -0.5),
    (1.0, -0.8),
    (0.5, -1.3),
    (-0.1, -2.0),
    (-1.1, -3.0),
    (-2.5, -4.4),
    (-4.3, -6.2),
    (-6.6, -8.5),
    (-9.3, -11.2),
];

fn meter(rate: f64, frequency: FrequencyWeighting, time: TimeWeighting) -> LevelMeter {
    LevelMeter::new(rate, frequency, time, 0.0).expect("a valid rate")
}

/// The time-averaged level of a sine of full scale, after the weighting has settled, against that without a weighting.
fn weighted(rate: f64, weighting: FrequencyWeighting, frequency: f64) -> f64 {
    let second = rate as usize;
    let tone = sine(2 * second, frequency, rate, 1.0, 0.0);
    // Whole periods, so that the mean square is that of the tone.
    let periods = (frequency * 0.9).floor();
    let whole = second + (periods * rate / frequency).round() as usize;
    let of = |weighting| {
        let mut meter = meter(rate, weighting, TimeWeighting::Fast);
        meter.process(tone[..second].iter().copied());
        meter.restart();
        meter.process(tone[second..whole].iter().copied());
        meter.reading().equivalent_continuous_level
    };
    of(weighting) - of(FrequencyWeighting::Z)
}

#[test]
fn tones_are_weighted_as_the_table_says() {
    for rate in RATES {
        let mut worst: [f64; 2] = [0.0; 2];
        for (index, of_table) in TABLE.into_iter().enumerate() {
            let frequency = 10f64.powf(1.0 + index as f64 / 10.0);
            // 19,953 Hz is the table's last; the bound up to 16 kHz is a third of that above.
            let top = frequency > 16_000.0;
            let bound = if top { 0.3 } else { 0.1 };
            for (weighting, of_table) in [
                (FrequencyWeighting::A, of_table.0),
                (FrequencyWeighting::C, of_table.1),
            ] {
                let got = weighted(rate, weighting, frequency);
                let error = (got - weighting.decibels(frequency)).abs();
                worst[usize::from(top)] = worst[usize::from(top)].max(error);
                let what = format!("{weighting:?} of {frequency:.1} Hz at {rate} Hz: {got:.3} dB");
                assert!(error <= bound, "{what}");
                // The table is rounded to a tenth.
                assert!((got - of_table).abs() <= bound + 0.05, "{what}, table {of_table}");
            }
        }
        println!(
            "{rate} Hz: {:.3} dB up to 16 kHz, {:.3} dB at 20 kHz",
            worst[0], worst[1]
        );
    }
}

#[test]
fn levels_fall_and_bursts_read_as_the_standard_says() {
    for rate in RATES {
        let tone = |seconds: f64| sine((seconds * rate).round() as usize, 4000.0, rate, 1.0, 0.0);
        let silence = |seconds: f64| std::iter::repeat_n(0.0, (seconds * rate).round() as usize);
        for (time, per_second) in [(TimeWeighting::Fast, 34.7), (TimeWeighting::Slow, 4.34)] {
            let mut falling = meter(rate, FrequencyWeighting::A, time);
            falling.process(tone(8.0));
            let steady = falling.reading().level;
            falling.process(silence(0.1));
            let before = falling.reading().level;
            falling.process(silence(1.0));
            let fall = before - falling.reading().level;
            assert!(
                (fall - per_second).abs() <= 0.05,
                "{time:?} at {rate} Hz: {fall} dB/s"
            );
            // IEC 61672-1, table 4: the bursts' highest levels against the steady level, to a tenth.
            let bursts: &[(f64, f64)] = match time {
                TimeWeighting::Fast => &[(1.0, 0.0), (0.2, -1.0), (0.05, -4.8), (0.01, -11.1)],
                TimeWeighting::Slow => &[(1.0, -2.0), (0.2, -7.4), (0.05, -13.1)],
            };
            for (seconds, of_table) in bursts {
                let mut meter = meter(rate, FrequencyWeighting::A, time);
                meter.process(silence(0.1));
                meter.process(tone(*seconds));
                meter.process(silence(0.1));
                let got = meter.reading().highest - steady;
                let expected = decibels(-(-seconds / time.seconds()).exp_m1());
                let what = format!("{time:?}, {seconds} s at {rate} Hz: {got:.3} dB");
                assert!((got - expected).abs() <= 0.05, "{what}, expected {expected:.3}");
                assert!((got - of_table).abs() <= 0.1, "{what}, table {of_table}");
            }
        }
    }
}

#[test]
fn equivalent_level_of_known_samples_is_exact_and_does_not_depend_on_the_blocks() {
    let samples = noise(5, 100_000);
    let mean = samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len() as f64;
    for rate in RATES {
        for time in [TimeWeighting::Fast, TimeWeighting::Slow] {
            let of_blocks = |length: usize| {
                let mut meter = meter(rate, FrequencyWeighting::Z, time);
                for block in samples.chunks(length) {
                    meter.process(block.iter().copied());
                }
                meter.reading()
            };
            let whole = of_blocks(samples.len());
            assert!((whole.equivalent_continuous_level - decibels(mean)).abs() <= 1e-6);
            for length in [1, 7, 512] {
                // As texts, which have all digits: the lowest level may be NaN.
                assert_eq!(
                    format!("{:?}", of_blocks(length)),
                    format!("{whole:?}"),
                    "blocks of {length}"
                );
            }
        }
    }
}
