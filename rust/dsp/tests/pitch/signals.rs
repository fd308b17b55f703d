//! Frames along a signal: their times, pieces of any length, and the path through all of them.

use super::RATE;
use rustle_dsp::pitch::{
    Decoding, PitchConfiguration, PitchError, PitchFrame, PitchTracker, VOICED, contour,
};
use rustle_testkit::{cents, normal_noise, sine};

fn glide() -> Vec<f32> {
    let mut phase = 0.0;
    let frequency = |n: usize| 150.0 * 2_f64.powf(n as f64 / RATE);
    (0..40_000)
        .map(|n| {
            phase += std::f64::consts::TAU * frequency(n) / RATE;
            (0.3 * f64::sin(phase) + 0.2 * f64::sin(2.0 * phase)) as f32
        })
        .collect()
}

#[test]
fn signal_in_pieces_gives_the_same_numbers() {
    let signal = glide();
    for (hop, window) in [(512, 2048), (100, 1024), (3000, 2048)] {
        let configuration = PitchConfiguration {
            frame_length: Some(window),
            ..PitchConfiguration::new(RATE, 60.0..=1000.0)
        };
        let whole = contour(&configuration, hop, Decoding::Frame, &signal).expect("valid");
        assert_eq!(whole.len(), 1 + (signal.len() - window) / hop);
        for piece in [1, 7, 513, 5000, 40_000] {
            let mut tracker = PitchTracker::new(&configuration, hop).expect("valid");
            let mut frames: Vec<PitchFrame> = Vec::new();
            for _ in 0..2 {
                frames.clear();
                for samples in signal.chunks(piece) {
                    tracker.push(samples, |frame| frames.push(frame)).expect("valid");
                }
                assert_eq!(frames, whole, "hop {hop}, pieces of {piece}");
                // The second time is as the first.
                tracker.reset();
            }
        }
    }
}

#[test]
fn times_are_those_of_the_middles() {
    let configuration = PitchConfiguration {
        frame_length: Some(2048),
        ..PitchConfiguration::new(RATE, 60.0..=1000.0)
    };
    let frames = contour(&configuration, 512, Decoding::Frame, &glide()).expect("valid");
    assert_eq!(frames[0].sample, 1024);
    // The glide is 14 cents from frame to frame and 56 across one; of an octave a second the mean strays by one.
    let mut away: Vec<f64> = frames
        .iter()
        .map(|frame| {
            cents(
                frame.estimate.frequency,
                150.0 * 2_f64.powf(frame.sample as f64 / RATE),
            )
            .abs()
        })
        .collect();
    away.sort_by(f64::total_cmp);
    let (median, worst) = (away[away.len() / 2], away[away.len() - 1]);
    assert!(median < 0.5 && worst < 1.5, "{median}, {worst}");
    assert!(matches!(
        PitchTracker::new(&configuration, 0),
        Err(PitchError::Hop { got: 0 })
    ));
    assert_eq!(
        contour(&configuration, 512, Decoding::Frame, &[0.0; 2047]),
        Ok(Vec::new())
    );
}

#[test]
fn path_is_the_frames_own_where_they_are_sure() {
    let signal = glide();
    let configuration = PitchConfiguration::new(RATE, 60.0..=1000.0);
    let own = contour(&configuration, 512, Decoding::Frame, &signal).expect("valid");
    let path = contour(&configuration, 512, Decoding::Viterbi, &signal).expect("valid");
    assert_eq!(own.len(), path.len());
    for (own, path) in own.iter().zip(&path) {
        assert_eq!(own.sample, path.sample);
        assert!(own.estimate.confidence > 0.99 && path.estimate.confidence >= VOICED);
        assert_eq!(own.estimate.frequency, path.estimate.frequency);
    }
    let silence = contour(&configuration, 512, Decoding::Viterbi, &[0.0; 10_000]).expect("valid");
    assert!(silence.iter().all(|frame| !frame.estimate.is_voiced()));
}

#[test]
fn tone_above_the_range_is_no_pitch() {
    // Between its subharmonics and itself, at places that are no round parts of anything.
    for (highest, frequency) in [
        (600.0, 911.7),
        (600.0, 1633.1),
        (1000.0, 1277.3),
        (1000.0, 2213.9),
    ] {
        for partials in [1, 6] {
            for loudness in [0.0, 0.02] {
                let mut signal = normal_noise(5, 12_000, 1.0);
                signal.iter_mut().for_each(|x| *x *= loudness);
                for k in 1..=partials {
                    let part = sine(
                        signal.len(),
                        f64::from(k) * frequency,
                        RATE,
                        0.3 / f64::from(k),
                        1.0,
                    );
                    signal.iter_mut().zip(part).for_each(|(x, y)| *x += y);
                }
                let narrow = PitchConfiguration::new(RATE, 60.0..=highest);
                let frames = contour(&narrow, 512, Decoding::Frame, &signal).expect("valid");
                assert!(
                    frames.iter().all(|frame| !frame.estimate.is_voiced()),
                    "{frequency}, {partials}, {loudness}: {:?}",
                    frames[0]
                );
                let wide = PitchConfiguration::new(RATE, 60.0..=2.0 * frequency);
                for frame in contour(&wide, 512, Decoding::Frame, &signal).expect("valid") {
                    assert!(cents(frame.estimate.frequency, frequency).abs() < 5.0);
                    assert!(frame.estimate.is_voiced());
                }
            }
        }
    }
}

#[test]
fn tone_whose_clipping_is_folded_near_its_half_keeps_its_octave() {
    // At 44,100 Hz its 12th and 13th partials come back at 0.53 and 0.47 of it.
    let configuration = PitchConfiguration {
        frame_length: Some(4096),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    for turn in [0.3, 1.3, 2.3] {
        let mut signal = vec![0.0_f32; 8192];
        for k in 1..=6 {
            let k = f64::from(k);
            let part = sine(signal.len(), 3520.0 * k, RATE, 1.0 / k, turn * k * k);
            signal.iter_mut().zip(part).for_each(|(x, y)| *x += y);
        }
        signal.iter_mut().for_each(|x| *x = x.clamp(-0.4, 0.4));
        for frame in contour(&configuration, 512, Decoding::Frame, &signal).expect("valid") {
            assert!(cents(frame.estimate.frequency, 3520.0).abs() < 0.01, "{frame:?}");
            assert!(frame.estimate.is_voiced());
        }
    }
}
