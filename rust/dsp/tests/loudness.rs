//! The test signals of EBU Tech 3341 (table 1) and 3342 (table 1), as far as they are synthetic.
//!
//! The tables give their values to a tenth. By the formulas of BS.1770 the signals themselves are up to 0.04 LU away from those:
//! a sine of 1 kHz reads 0.0067 LU too much, the tones of case 12 have a mean power of -22.967 dB, and in case 5 the blocks
//! overlap the ends of the file less often than its middle. What is asserted is the value by the formulas, within 0.005 LU (the
//! filters at other rates than 48 kHz add 0.003), and
//! the one of the table within 0.05 LU.

use rustle_dsp::loudness::{ChannelWeight, LoudnessMeter, LoudnessReading, RangeStep};
use rustle_testkit::{Ebur128, Ebur128Place, noise};
use std::f64::consts::TAU;

const RATES: [f64; 2] = [48_000.0, 44_100.0];

/// Stereo sines of 1 kHz, one after the other: level in dB relative to full scale of the peak, and seconds.
fn tones(rate: f64, parts: &[(f64, f64)]) -> Vec<f32> {
    let mut sound = Vec::new();
    let mut n = 0u32;
    for (level, seconds) in parts {
        let amplitude = 10f64.powf(level / 20.0);
        for _ in 0..(seconds * rate).round() as u32 {
            let sample = (amplitude * (TAU * (1000.0 / rate * f64::from(n)).fract()).sin()) as f32;
            sound.extend([sample, sample]);
            n += 1;
        }
    }
    sound
}

fn measured(rate: f64, sound: &[f32], channels: &[ChannelWeight]) -> LoudnessReading {
    let mut meter = LoudnessMeter::new(rate, channels).expect("valid channels");
    // Blocks of an odd length, as they come.
    for block in sound.chunks(997 * channels.len()) {
        meter.process(block).expect("whole frames");
    }
    meter.reading()
}

/// By how much a sine of 1 kHz reads too much, in LU: -0.691 and the gain of the two filters of BS.1770 at 1 kHz, computed with
/// scipy's `sosfreqz` from the coefficients of its tables 1 and 2.
const AT_1_KILOHERTZ: f64 = 0.006_704;

/// The level in dB of a mean of powers.
fn mean_power(parts: &[(f64, f64)]) -> f64 {
    let power: f64 = parts
        .iter()
        .map(|(level, seconds)| 10f64.powf(level / 10.0) * seconds)
        .sum();
    10.0 * (power / parts.iter().map(|(_, seconds)| seconds).sum::<f64>()).log10()
}

/// Levels in dB relative to full scale, each with its seconds.
type Parts<'a> = &'a [(f64, f64)];

const STEREO: [ChannelWeight; 2] = [ChannelWeight::Front; 2];

#[test]
fn integrated_loudness_of_cases_1_to_5() {
    // The parts, the table's value, and how long the blocks above the gate dwell on each level. Each moment is in four blocks. At
    // an edge three blocks have 0.1, 0.2 and 0.3 s of the louder level; in cases 3 and 4 that takes them above the gate.
    let edges = [(-23.0, 4.0 * 60.0), (-36.0, 1.2)];
    let cases: [(Parts<'_>, f64, Parts<'_>); 5] = [
        (&[(-23.0, 20.0)], -23.0, &[(-23.0, 1.0)]),
        (&[(-33.0, 20.0)], -33.0, &[(-33.0, 1.0)]),
        (&[(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)], -23.0, &edges),
        (
            &[
                (-72.0, 10.0),
                (-36.0, 10.0),
                (-23.0, 60.0),
                (-36.0, 10.0),
                (-72.0, 10.0),
            ],
            -23.0,
            &edges,
        ),
        // The blocks cover 0.15 s less of each end of the file.
        (
            &[(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)],
            -23.0,
            &[(-26.0, 39.7), (-20.0, 20.1)],
        ),
    ];
    for rate in RATES {
        for (case, (parts, of_table, dwells)) in cases.iter().enumerate() {
            let reading = measured(rate, &tones(rate, parts), &STEREO);
            let expected = mean_power(dwells) + AT_1_KILOHERTZ;
            println!(
                "case {}: {:.4} LUFS, by the formulas {expected:.4}",
                case + 1,
                reading.integrated
            );
            assert!(
                (reading.integrated - expected).abs() <= 0.005,
                "case {} at {rate}: {reading:?}",
                case + 1
            );
            assert!(
                (reading.integrated - of_table).abs() <= 0.05,
                "case {} at {rate}: {reading:?}",
                case + 1
            );
        }
        // The first two are of one level throughout.
        let reading = measured(rate, &tones(rate, cases[0].0), &STEREO);
        assert!((reading.momentary + 23.0).abs() <= 0.02 && (reading.short_term + 23.0).abs() <= 0.02);
    }
}

#[test]
fn integrated_loudness_of_case_6_with_five_channels() {
    use ChannelWeight::{Front, LowFrequency, Surround};
    for rate in RATES {
        let amplitude = |level: f64| 10f64.powf(level / 20.0);
        let levels = [-28.0, -28.0, -24.0, -200.0, -30.0, -30.0].map(amplitude);
        let mut sound = Vec::new();
        for n in 0..(20.0 * rate) as u32 {
            let sine = (TAU * (1000.0 / rate * f64::from(n)).fract()).sin();
            sound.extend(levels.map(|level| (level * sine) as f32));
        }
        let channels = [Front, Front, Front, LowFrequency, Surround, Surround];
        let reading = measured(rate, &sound, &channels);
        assert!((reading.integrated + 23.0).abs() <= 0.02, "{reading:?}");
    }
}

#[test]
fn short_term_loudness_of_case_9() {
    for rate in RATES {
        let mut parts = Vec::new();
        for _ in 0..5 {
            parts.extend([(-20.0, 1.34), (-30.0, 1.66)]);
        }
        let sound = tones(rate, &parts);
        let mut meter = LoudnessMeter::new(rate, &STEREO).expect("valid channels");
        let mut worst: f64 = 0.0;
        for (index, block) in sound.chunks(2 * (0.1 * rate) as usize).enumerate() {
            meter.process(block).expect("whole frames");
            if index >= 30 {
                worst = worst.max((meter.reading().short_term + 23.0).abs());
            }
        }
        println!("case 9: {worst:.4} LU");
        assert!(worst <= 0.02, "{worst}");
    }
}

#[test]
fn momentary_loudness_of_case_12() {
    for rate in RATES {
        let mut parts = Vec::new();
        for _ in 0..25 {
            parts.extend([(-20.0, 0.18), (-30.0, 0.22)]);
        }
        let sound = tones(rate, &parts);
        let mut meter = LoudnessMeter::new(rate, &STEREO).expect("valid channels");
        let mut worst: f64 = 0.0;
        for (index, block) in sound.chunks(2 * (0.1 * rate) as usize).enumerate() {
            meter.process(block).expect("whole frames");
            if index >= 10 {
                let expected = mean_power(&parts[..2]) + AT_1_KILOHERTZ;
                let momentary = meter.reading().momentary;
                worst = worst.max((momentary - expected).abs());
                assert!((momentary + 23.0).abs() <= 0.05, "{momentary}");
            }
        }
        println!("case 12: {worst:.4} LU from the value by the formulas");
        assert!(worst <= 0.005, "{worst}");
    }
}

#[test]
fn true_peak_of_cases_15_to_19() {
    // Divisor of the rate, phase in degrees, amplitude, expected level.
    let cases = [
        (15, 4.0, 0.0, 0.5, -6.0),
        (16, 4.0, 45.0, 0.5, -6.0),
        (17, 6.0, 60.0, 0.5, -6.0),
        (18, 8.0, 67.5, 0.5, -6.0),
        (19, 4.0, 45.0, 1.41, 3.0),
    ];
    for rate in RATES {
        for (case, divisor, phase, amplitude, expected) in cases {
            let phase: f64 = phase;
            let length = (3.0 * rate) as u32;
            let mut sound = Vec::new();
            for n in 0..length {
                // Faded in and out over 0.1 s.
                let edge = (f64::from(n.min(length - n)) / (0.1 * rate)).min(1.0);
                let sample = edge * amplitude * (TAU * f64::from(n) / divisor + phase.to_radians()).sin();
                sound.extend([sample as f32; 2]);
            }
            let level = measured(rate, &sound, &STEREO).true_peak;
            println!("case {case}: {level:.3} dBTP");
            assert!(
                level <= expected + 0.2 && level >= expected - 0.4,
                "case {case} at {rate}: {level}"
            );
        }
    }
}

#[test]
fn loudness_range_of_3342_cases_1_to_4() {
    let cases: [(Parts<'_>, f64); 4] = [
        (&[(-20.0, 20.0), (-30.0, 20.0)], 10.0),
        (&[(-20.0, 20.0), (-15.0, 20.0)], 5.0),
        (&[(-40.0, 20.0), (-20.0, 20.0)], 20.0),
        (
            &[
                (-50.0, 20.0),
                (-35.0, 20.0),
                (-20.0, 20.0),
                (-35.0, 20.0),
                (-50.0, 20.0),
            ],
            15.0,
        ),
    ];
    for rate in RATES {
        for (case, (parts, expected)) in cases.iter().enumerate() {
            let range = measured(rate, &tones(rate, parts), &STEREO).range;
            println!("3342 case {}: {range:.3} LU", case + 1);
            assert!(
                (range - expected).abs() <= 0.1,
                "case {} at {rate}: {range}",
                case + 1
            );
        }
    }
}

#[test]
fn silence_has_no_loudness() {
    let reading = measured(48_000.0, &vec![0.0; 2 * 48_000 * 4], &STEREO);
    assert_eq!(reading.integrated, f64::NEG_INFINITY);
    assert_eq!(reading.momentary, f64::NEG_INFINITY);
    assert_eq!(reading.true_peak, f64::NEG_INFINITY);
    assert_eq!(reading.range, 0.0);
}

/// Something like a programme: parts of 0.2 to 3 s, each of its own level from -34 to -16 dB, its own colour and its own balance
/// of left and right, with pauses.
fn programme(seed: u32, rate: u32, seconds: u32) -> Vec<f32> {
    let length = (rate * seconds) as usize;
    let (white, choices) = (
        noise(seed, 2 * length),
        noise(seed + 100, 4 * 20 * seconds as usize),
    );
    let mut choices = choices.chunks_exact(4);
    let mut sound = Vec::with_capacity(2 * length);
    let mut filtered = [0.0f32; 2];
    while sound.len() < 2 * length {
        let choice = choices.next().expect("parts are longer than 0.05 s");
        let part = ((1.6 + 1.4 * choice[0]) * rate as f32) as usize;
        let pause = choice[1] > 0.8;
        let level = if pause {
            0.0
        } else {
            10f32.powf((-24.0 + 10.0 * choice[1]) / 20.0)
        };
        let (colour, balance) = (0.55 + 0.4 * choice[2], 0.5 * choice[3]);
        for _ in 0..part {
            let n = sound.len();
            let Some(frame) = white.get(n..n + 2) else { break };
            for (channel, gain) in [1.0 + balance, 1.0 - balance].into_iter().enumerate() {
                filtered[channel] += (1.0 - colour) * (frame[channel] - filtered[channel]);
                sound.push(level * gain * filtered[channel]);
            }
        }
    }
    sound
}

/// The loudness range of short-term values as Tech 3342 defines it: through both gates, from the 10th to the 95th of a hundred;
/// the least and the greatest value, where those may be one place lower or higher among the values.
fn range_of(short_term: &[f64]) -> (f64, f64) {
    let above = |gate: f64, values: &[f64]| -> Vec<f64> {
        values.iter().copied().filter(|value| *value >= gate).collect()
    };
    let loud = above(-70.0, short_term);
    let power: f64 = loud.iter().map(|value| 10f64.powf(value / 10.0)).sum();
    let mut gated = above(10.0 * (power / loud.len() as f64).log10() - 20.0, &loud);
    gated.sort_by(f64::total_cmp);
    let place = |fraction: f64| ((gated.len() - 1) as f64 * fraction).round() as usize;
    let (low, high) = (place(0.10), place(0.95));
    (gated[high - 1] - gated[low + 1], gated[high + 1] - gated[low - 1])
}

#[test]
fn programme_reads_as_in_libebur128() {
    for (rate, seed) in [(48_000u32, 1), (48_000, 2), (44_100, 3)] {
        let Some(mut peer) = Ebur128::load(2, rate) else {
            return;
        };
        let sound = programme(seed, rate, 60);
        let mut meter = LoudnessMeter::new(f64::from(rate), &STEREO).expect("valid channels");
        let mut by_seconds = meter.clone().with_range_step(RangeStep::Second);
        let (mut momentary, mut short_term): (f64, f64) = (0.0, 0.0);
        let mut short_terms = Vec::new();
        for (tenth, block) in sound.chunks(2 * rate as usize / 10).enumerate() {
            meter.process(block).expect("whole frames");
            by_seconds.process(block).expect("whole frames");
            peer.add(block);
            let (ours, theirs) = (meter.reading(), peer.reading());
            // The time before the start counts as silence in both.
            if theirs.momentary > -70.0 {
                momentary = momentary.max((ours.momentary - theirs.momentary).abs());
            }
            if theirs.short_term > -70.0 {
                short_term = short_term.max((ours.short_term - theirs.short_term).abs());
            }
            if tenth + 1 >= 30 {
                short_terms.push(theirs.short_term);
            }
        }
        assert_eq!(short_terms.len(), 571);
        let (ours, theirs) = (meter.reading(), peer.reading());
        let integrated = (ours.integrated - theirs.integrated).abs();
        let (least, greatest) = range_of(&short_terms);
        let peak = ours.true_peak - 20.0 * theirs.true_peak.log10();
        println!(
            "{rate} Hz, {seed}: I {:.2} LUFS, LRA {:.2} LU, peak {:.2} dBTP; apart M {momentary:.5}, S {short_term:.5}, I \
                 {integrated:.5}, LRA {:.3} LU, peak {peak:.3} dB",
            ours.integrated,
            ours.range,
            ours.true_peak,
            ours.range - theirs.range
        );
        assert!(momentary <= 0.005 && short_term <= 0.005 && integrated <= 0.005);
        assert!(ours.range >= least - 0.02 && ours.range <= greatest + 0.02);
        // libebur128 itself takes one short-term value a second for it, this package ten unless asked.
        assert!((ours.range - theirs.range).abs() <= 0.5);
        let range = by_seconds.reading().range;
        assert!(
            (range - theirs.range).abs() <= 0.02,
            "{range} LU, libebur128 {} LU",
            theirs.range
        );
        // Of full-band noise four times as many samples still miss some of the peak, each set of phases its own part; Tech
        // 3341 grants each meter 0.4 dB of it.
        assert!(peak.abs() <= 0.4);
    }
}

/// Each channel of 5.1 and of 7.1 alone, and all at once: each with the weight of its position in BS.1770-4, annex 3.
#[test]
fn channels_of_5_1_and_7_1_count_as_in_libebur128() {
    use ChannelWeight::{Front, LowFrequency, Surround};
    use Ebur128Place::{
        Center, Left, LeftBack, LeftSide, LeftSurround, Right, RightBack, RightSide, RightSurround, Unused,
    };
    let front = [
        (Front, Left),
        (Front, Right),
        (Front, Center),
        (LowFrequency, Unused),
    ];
    let layouts = [
        [&front[..], &[(Surround, LeftSurround), (Surround, RightSurround)]].concat(),
        [
            &front[..],
            &[
                (Front, LeftBack),
                (Front, RightBack),
                (Surround, LeftSide),
                (Surround, RightSide),
            ],
        ]
        .concat(),
    ];
    for layout in layouts {
        let (weights, places): (Vec<_>, Vec<_>) = layout.into_iter().unzip();
        let channels = weights.len();
        let white = noise(11, 48_000 * channels);
        for alone in (0..channels).map(Some).chain([None]) {
            let keep = |at: usize| alone.is_none_or(|channel| at % channels == channel);
            let samples = white.iter().enumerate();
            let sound: Vec<f32> = samples
                .map(|(at, sample)| if keep(at) { 0.2 * sample } else { 0.0 })
                .collect();
            let ours = measured(48_000.0, &sound, &weights).integrated;
            let Some(mut peer) = Ebur128::load(channels as u32, 48_000) else {
                return;
            };
            peer.place(&places);
            peer.add(&sound);
            let theirs = peer.reading().integrated;
            assert!(
                ours == theirs || (ours - theirs).abs() <= 0.005,
                "{alone:?} of {channels}: {ours}, libebur128 {theirs}"
            );
            assert_eq!(ours == f64::NEG_INFINITY, alone == Some(3));
        }
    }
}
