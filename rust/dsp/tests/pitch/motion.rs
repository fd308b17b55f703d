//! Sounds that move, begin and end, in the default range, whose longest window is longer than they are.

use rustle_dsp::pitch::{Decoding, PitchConfiguration, PitchFrame, PitchTracker, contour};
use rustle_testkit::{Tone, cents};
use std::cell::RefCell;
use std::f64::consts::TAU;
use std::mem::MaybeUninit;

const RATE: f64 = 48_000.0;
const HOP: usize = 480;

/// From 25 Hz: windows of 8192 samples, and shorter ones.
fn music() -> PitchConfiguration {
    PitchConfiguration::new(RATE, 25.0..=4500.0)
}

/// Six partials along a frequency of time.
fn along(length: usize, frequency: impl Fn(f64) -> f64) -> Vec<f32> {
    let mut phase = 0.0;
    (0..length)
        .map(|n| {
            phase += TAU * frequency((n as f64 + 0.5) / RATE) / RATE;
            (1..=6)
                .map(|k| 0.2 / f64::from(k) * (f64::from(k) * phase).sin())
                .sum::<f64>() as f32
        })
        .collect()
}

/// The error of each voiced frame in cents, rising.
fn errors(frames: &[PitchFrame], frequency: impl Fn(f64) -> f64) -> Vec<f64> {
    let voiced = frames.iter().filter(|frame| frame.estimate.is_voiced());
    let mut errors: Vec<f64> = voiced
        .map(|frame| cents(frame.estimate.frequency, frequency(frame.sample as f64 / RATE)).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

#[test]
fn glide_is_followed_from_its_beginning_to_its_end() {
    let frequency = |t: f64| 200.0 * 2_f64.powf(2.0 * t);
    let signal = along(24_000, frequency);
    let frames = contour(&music(), HOP, Decoding::Frame, &signal).expect("valid");
    let errors = errors(&frames, frequency);
    // Half a second has 50 frames; two octaves a second are 43 cents in the shortest window.
    assert!(
        errors.len() >= 47 && errors[errors.len() / 2] < 1.5 && errors[errors.len() - 2] < 10.0,
        "{} of {}: {errors:?}",
        errors.len(),
        frames.len()
    );
}

#[test]
fn vibrato_of_80_cents_is_followed() {
    let frequency = |t: f64| 440.0 * 2_f64.powf(80.0 / 1200.0 * (TAU * 5.5 * t).sin());
    let frames = contour(&music(), HOP, Decoding::Frame, &along(48_000, frequency)).expect("valid");
    let errors = errors(&frames, frequency);
    assert!(
        errors.len() >= 95 && errors[errors.len() / 2] < 2.0 && errors[95 * errors.len() / 100] < 6.0,
        "{} of {}: {errors:?}",
        errors.len(),
        frames.len()
    );
}

#[test]
fn short_sound_has_its_pitch() {
    let hop = 512;
    for length in [1024, 2500, 7200] {
        let signal = Tone::stack(440.0, 8, 0.3, RATE).samples(length, 0.3);
        for decoding in [Decoding::Frame, Decoding::Viterbi] {
            let frames = contour(&music(), hop, decoding, &signal).expect("valid");
            let tracker = PitchTracker::new(&music(), hop).expect("valid");
            assert_eq!(frames.len(), tracker.frames_of(length));
            assert_eq!(frames.len(), 1 + (length - 1024) / hop);
            let errors = errors(&frames, |_| 440.0);
            assert!(
                errors.len() == frames.len() && errors[errors.len() - 1] < 0.5,
                "{length}: {errors:?}"
            );
        }
    }
    assert_eq!(
        contour(&music(), HOP, Decoding::Frame, &[0.1; 1023]),
        Ok(Vec::new())
    );
}

#[test]
fn silence_between_two_tones_has_no_pitch() {
    let mut signal = Tone::stack(300.0, 8, 0.3, RATE).samples(24_000, 0.3);
    // 80 ms, half of the longest window.
    signal[10_000..13_840].fill(0.0);
    let frames = contour(&music(), HOP, Decoding::Frame, &signal).expect("valid");
    for frame in &frames {
        let inside = (10_600..13_240).contains(&frame.sample);
        let outside = frame.sample < 9_700 || frame.sample > 14_140;
        let is_voiced = frame.estimate.is_voiced();
        assert!(!(inside && is_voiced || outside && !is_voiced), "{frame:?}");
    }
}

#[test]
fn frames_of_all_windows_do_not_depend_on_the_pieces() {
    let signal = along(20_011, |t| 150.0 * 2_f64.powf(t));
    for hop in [100, 480, 3000, 20_000] {
        let whole = contour(&music(), hop, Decoding::Frame, &signal).expect("valid");
        let mut tracker = PitchTracker::new(&music(), hop).expect("valid");
        assert_eq!(whole.len(), tracker.frames_of(signal.len()), "hop {hop}");
        for piece in [7, 513, 9000] {
            // The second time is as the first.
            for _ in 0..2 {
                let mut frames = Vec::new();
                for samples in signal.chunks(piece) {
                    tracker.push(samples, |frame| frames.push(frame)).expect("valid");
                }
                tracker.finish(|frame| frames.push(frame)).expect("valid");
                assert_eq!(frames, whole, "hop {hop}, pieces of {piece}");
            }
        }
        // In rooms of one, three and many frames.
        for room in [1, 3, 400] {
            KEPT.take();
            let mut places: Vec<_> = (0..room).map(|_| MaybeUninit::<Kept>::uninit()).collect();
            let (mut rest, mut count) = (&signal[..], 0);
            while !rest.is_empty() {
                let (taken, written) = tracker.push_into(rest, &mut places).expect("valid");
                rest = &rest[taken..];
                count += written;
                assert!(written <= room && KEPT.with_borrow(Vec::len) == count);
            }
            loop {
                let written = tracker.finish_into(&mut places).expect("valid");
                count += written;
                assert!(written <= room && KEPT.with_borrow(Vec::len) == count);
                if written < room {
                    break;
                }
            }
            assert_eq!(KEPT.take(), whole, "hop {hop}, room for {room}");
        }
    }
}

thread_local! {
    /// The frames that the test's tracker wrote.
    static KEPT: RefCell<Vec<PitchFrame>> = const { RefCell::new(Vec::new()) };
}

/// What a frame becomes where it is written: memory that may be uninitialized is not read back.
struct Kept;

impl From<PitchFrame> for Kept {
    fn from(frame: PitchFrame) -> Self {
        KEPT.with_borrow_mut(|kept| kept.push(frame));
        Self
    }
}
