//! Pitch of tones of known pitch, and of sounds without one.

mod configurations;
mod interference;
mod motion;
mod several;
mod signals;

use rustle_dsp::pitch::{PitchConfiguration, PitchEstimate, PitchEstimator, PitchMethod, estimator};
use rustle_testkit::{Tone, cents, noise, normal_noise, sine};

const RATE: f64 = 44_100.0;
const WINDOW: usize = 4096;
/// A1 to A6.
const NOTES: [f64; 6] = [55.0, 110.0, 220.0, 440.0, 880.0, 1760.0];

fn music(method: PitchMethod) -> Box<dyn PitchEstimator> {
    let configuration = PitchConfiguration {
        method,
        frame_length: Some(WINDOW),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    estimator(&configuration).expect("valid")
}

fn default() -> Box<dyn PitchEstimator> {
    music(PitchMethod::Harmonic)
}

/// 16 bits, as sound comes from files.
fn quantised(samples: &[f32]) -> Vec<f32> {
    samples
        .iter()
        .map(|x| (x * 32_768.0).round() / 32_768.0)
        .collect()
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

#[track_caller]
fn expect(estimate: PitchEstimate, frequency: f64, within: f64, what: &str) {
    let away = cents(estimate.frequency, frequency).abs();
    assert!(
        away <= within,
        "{what}: {frequency} Hz, off by {away} cents: {estimate:?}"
    );
    assert!(estimate.is_voiced(), "{what}: {frequency} Hz: {estimate:?}");
}

// MARK: clean tones

#[test]
fn clean_tones_are_exact_whichever_partials_they_have() {
    let mut pitch = default();
    for (index, note) in NOTES.into_iter().enumerate() {
        for detuned in [-37.0, 0.0, 21.0] {
            let frequency = note * 2_f64.powf(detuned / 1200.0);
            let phase = 0.7 + index as f64;
            let full = Tone::stack(frequency, 24, 0.3, RATE);
            let mut missing = Tone::stack(frequency, 12, 0.3, RATE);
            missing.amplitudes[0] = 0.0;
            let mut weak = full.clone();
            weak.amplitudes[0] *= 0.0316;
            let sine = Tone::stack(frequency, 1, 0.3, RATE);
            for (name, tone) in [
                ("sine", sine),
                ("stack", full),
                ("missing", missing),
                ("weak", weak),
            ] {
                let frame = quantised(&tone.samples(WINDOW, phase));
                expect(pitch.estimate(&frame).expect("a frame"), frequency, 0.01, name);
            }
        }
    }
}

#[test]
fn lowest_and_highest_notes_are_within_a_cent() {
    let mut pitch = default();
    for frequency in [27.5, 3520.0, 4186.0] {
        for partials in [1, 24] {
            let frame = quantised(&Tone::stack(frequency, partials, 0.3, RATE).samples(WINDOW, 1.3));
            expect(pitch.estimate(&frame).expect("a frame"), frequency, 1.0, "an end");
        }
    }
}

#[test]
fn inharmonic_tones_have_the_pitch_of_their_first_partial_and_tell_b() {
    let mut pitch = default();
    for inharmonicity in [1e-5, 1e-4, 3e-4, 1e-3] {
        for frequency in [82.4, 110.0, 220.0, 440.0] {
            let mut tone = Tone::stack(frequency, 20, 0.3, RATE);
            tone.inharmonicity = inharmonicity;
            let frame = quantised(&tone.samples(WINDOW, 0.4));
            let estimate = pitch.estimate(&frame).expect("a frame");
            expect(estimate, frequency, 0.1, "inharmonic");
            let ratio = estimate.inharmonicity / inharmonicity;
            assert!(
                (ratio - 1.0).abs() < 0.02,
                "B {inharmonicity} at {frequency} Hz: {estimate:?}"
            );
        }
    }
    let harmonic = Tone::stack(220.0, 20, 0.3, RATE).samples(WINDOW, 0.4);
    let noisy = sum(&harmonic, &normal_noise(5, WINDOW, 1e-4));
    assert_eq!(pitch.estimate(&noisy).expect("a frame").inharmonicity, 0.0);
}

#[test]
fn vibrato_is_read_in_the_middle_of_the_frame() {
    // 30 cents at 5.5 Hz, and at the crest, where a mean over the frame reads low.
    let (depth, speed): (f64, f64) = (30.0, 5.5);
    let mut pitch = default();
    let mut worst: f64 = 0.0;
    for frequency in [220.0, 440.0] {
        let crest = 0.25 / speed;
        let mut phase = 0.0;
        let frame: Vec<f32> = (0..WINDOW)
            .map(|n| {
                let time = (n as f64 - WINDOW as f64 / 2.0) / RATE + crest;
                let now =
                    frequency * 2_f64.powf(depth / 1200.0 * (std::f64::consts::TAU * speed * time).sin());
                phase += std::f64::consts::TAU * now / RATE;
                (1..=12)
                    .map(|k| 0.3 / f64::from(k) * (f64::from(k) * phase).sin())
                    .sum::<f64>() as f32
            })
            .collect();
        let estimate = pitch.estimate(&frame).expect("a frame");
        worst = worst.max(cents(estimate.frequency, frequency * 2_f64.powf(depth / 1200.0)).abs());
    }
    // The mean over the frame is 6 cents lower.
    assert!(worst < 1.5, "{worst} cents");
}

// MARK: noise

#[test]
fn error_in_noise_is_the_cramer_rao_bound() {
    let mut pitch = default();
    for (partials, decibels) in [(1, 20.0), (24, 20.0), (24, 10.0), (1, 10.0), (24, 40.0)] {
        let mut squares = Vec::new();
        for (index, note) in NOTES.into_iter().enumerate() {
            let tone = Tone::stack(note * 1.0021, partials, 0.1, RATE);
            let variance = tone.power() / 10_f64.powf(decibels / 10.0);
            for trial in 0..12 {
                let seed = 1 + 100 * index as u32 + trial;
                let clean = tone.samples(WINDOW, 0.3 + f64::from(trial));
                let frame = sum(&clean, &normal_noise(seed, WINDOW, variance));
                let estimate = pitch.estimate(&frame).expect("a frame");
                let error = cents(estimate.frequency, tone.frequency);
                assert!(
                    error.abs() < 50.0,
                    "{partials} partials, {decibels} dB: {estimate:?}"
                );
                squares.push((error / tone.bound(WINDOW, variance)).powi(2));
            }
        }
        // 72 errors: their root mean square is within a quarter of the bound's, three of its standard deviations.
        let ratio = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(
            (0.75..1.35).contains(&ratio),
            "{partials} partials, {decibels} dB: {ratio} bounds"
        );
    }
}

#[test]
fn reported_deviation_is_that_of_the_errors() {
    let mut pitch = default();
    let tone = Tone::stack(331.0, 16, 0.1, RATE);
    let (mut errors, mut reported) = (0.0, 0.0);
    for trial in 0..80 {
        let noise = normal_noise(900 + trial, WINDOW, tone.power() / 100.0);
        let frame = sum(&tone.samples(WINDOW, 0.1 * f64::from(trial)), &noise);
        let estimate = pitch.estimate(&frame).expect("a frame");
        errors += cents(estimate.frequency, tone.frequency).powi(2);
        reported += estimate.deviation.powi(2);
        // 20 dB; the fit takes a little of the noise for the tone.
        assert!((estimate.harmonicity - 20.0).abs() < 0.5, "{estimate:?}");
    }
    let ratio = (errors / reported).sqrt();
    assert!((0.75..1.3).contains(&ratio), "{ratio}");
}

#[test]
fn tones_as_loud_as_the_noise_are_found() {
    let mut pitch = default();
    for note in NOTES {
        for (partials, trial) in (0..6).flat_map(|trial| [(1, trial), (24, trial)]) {
            let tone = Tone::stack(note, partials, 0.1, RATE);
            let frame = sum(
                &tone.samples(WINDOW, 0.9),
                &normal_noise(40 + trial, WINDOW, tone.power()),
            );
            expect(pitch.estimate(&frame).expect("a frame"), note, 30.0, "0 dB");
        }
    }
}

#[test]
fn what_has_no_pitch_is_not_voiced() {
    let mut pitch = default();
    let voiced = |frames: Vec<Vec<f32>>, pitch: &mut dyn PitchEstimator| {
        let voiced = frames
            .iter()
            .map(|frame| pitch.estimate(frame).expect("a frame"))
            .filter(PitchEstimate::is_voiced);
        voiced.count()
    };
    let white: Vec<Vec<f32>> = (1..200).map(|seed| noise(seed, WINDOW)).collect();
    assert_eq!(voiced(white.clone(), &mut *pitch), 0);
    let dither: Vec<Vec<f32>> = white
        .iter()
        .map(|frame| {
            frame
                .iter()
                .map(|x| x.signum() / 65_536.0 + 1.0 / 65_536.0)
                .collect()
        })
        .collect();
    assert_eq!(voiced(dither, &mut *pitch), 0);
    // Sums that leak a little: brown.
    let brown: Vec<Vec<f32>> = (300..500)
        .map(|seed| {
            let mut sum = 0.0;
            let walk = noise(seed, 4 * WINDOW).into_iter().map(move |x| {
                sum = 0.999 * sum + 0.01 * x;
                sum
            });
            walk.skip(3 * WINDOW).collect()
        })
        .collect();
    assert!(voiced(brown, &mut *pitch) <= 2);
    let clicks: Vec<Vec<f32>> = (1..50)
        .map(|seed| {
            noise(seed, WINDOW)
                .into_iter()
                .map(|x| if x > 0.999 { 1.0 } else { 0.0 })
                .collect()
        })
        .collect();
    // Two equal clicks in a frame are two periods; one frame of these has them.
    assert!(voiced(clicks, &mut *pitch) <= 1);
    let silence = pitch.estimate(&[0.0; WINDOW]).expect("a frame");
    assert_eq!((silence.frequency, silence.confidence), (0.0, 0.0));
    assert_eq!(silence.level, f64::NEG_INFINITY);
    let constant = pitch.estimate(&[0.25; WINDOW]).expect("a frame");
    assert!(!constant.is_voiced(), "{constant:?}");
}

#[test]
fn quiet_clipped_and_offset_tones_keep_their_pitch() {
    let mut pitch = default();
    for note in NOTES {
        let tone = Tone::stack(note, 12, 0.3, RATE).samples(WINDOW, 0.2);
        let quiet: Vec<f32> = tone.iter().map(|x| x * 0.002).collect();
        expect(
            pitch.estimate(&quantised(&quiet)).expect("a frame"),
            note,
            1.0,
            "-60 dBFS",
        );
        let clipped: Vec<f32> = tone.iter().map(|x| (4.0 * x).clamp(-0.5, 0.5)).collect();
        expect(pitch.estimate(&clipped).expect("a frame"), note, 1.0, "clipped");
        let offset: Vec<f32> = tone.iter().map(|x| x + 0.3).collect();
        expect(pitch.estimate(&offset).expect("a frame"), note, 0.1, "offset");
        if note > 100.0 {
            let hum = sum(&tone, &sine(WINDOW, 50.0, RATE, 0.03, 0.5));
            expect(pitch.estimate(&hum).expect("a frame"), note, 1.0, "hum");
        }
    }
}

#[test]
fn tones_at_the_ends_of_the_range_are_found_whatever_their_phase() {
    for (rate, low, high) in [
        (48_000.0, 60.0, 1000.0),
        (RATE, 82.0, 880.0),
        (RATE, 100.0, 950.0),
    ] {
        for method in [PitchMethod::Harmonic, PitchMethod::Mpm] {
            let configuration = PitchConfiguration {
                method,
                ..PitchConfiguration::new(rate, low..=high)
            };
            let mut pitch = estimator(&configuration).expect("valid");
            for step in 0..16 {
                for frequency in [low, high] {
                    let frame = sine(pitch.frame_length(), frequency, rate, 0.3, 0.4 * f64::from(step));
                    let estimate = pitch.estimate(&frame).expect("a frame");
                    expect(estimate, frequency, 5.0, method.name());
                }
            }
        }
    }
}

#[test]
fn a_lone_sample_has_no_pitch() {
    let mut pitch = default();
    for place in [0, 1, 2, 700, WINDOW / 2, WINDOW - 1] {
        for level in [0.0, 1.0 / 65_536.0] {
            let mut frame: Vec<f32> = noise(9, WINDOW).into_iter().map(|x| level * x.signum()).collect();
            frame[place] = 1.0;
            let estimate = pitch.estimate(&frame).expect("a frame");
            assert!(!estimate.is_voiced(), "at {place}: {estimate:?}");
        }
    }
}

#[test]
fn samples_that_are_no_numbers_have_no_pitch() {
    for method in PitchMethod::ALL {
        let mut pitch = music(method);
        let tone = Tone::stack(220.0, 8, 0.3, RATE).samples(WINDOW, 0.2);
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            for place in [0, 1, 2000, WINDOW - 1] {
                let mut frame = tone.clone();
                frame[place] = wrong;
                let estimate = pitch.estimate(&frame).expect("a frame");
                assert_eq!(
                    (estimate.frequency, estimate.confidence),
                    (0.0, 0.0),
                    "{method}, {wrong}"
                );
            }
        }
        // And the next frame is not touched by it.
        let after = pitch.estimate(&tone).expect("a frame");
        assert_eq!(after, music(method).estimate(&tone).expect("a frame"), "{method}");
    }
}

#[test]
fn amplitude_does_not_matter() {
    let mut pitch = default();
    let tone = Tone::stack(196.0, 10, 0.3, RATE).samples(WINDOW, 0.2);
    let expected = pitch.estimate(&tone).expect("a frame");
    for scale in [1e-10_f32, 1e-5, 100.0, 1e6] {
        let scaled: Vec<f32> = tone.iter().map(|x| x * scale).collect();
        let estimate = pitch.estimate(&scaled).expect("a frame");
        assert!(
            cents(estimate.frequency, expected.frequency).abs() < 1e-3,
            "{scale}: {estimate:?}"
        );
        assert!((estimate.confidence - expected.confidence).abs() < 1e-3);
    }
}
