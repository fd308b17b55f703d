//! Bands that come and go: their sound, and their cost.

use rustle_dsp::equalizer::{Band, Equalizer, MAX_BANDS, Ramp, Settings};
use rustle_testkit::noise;

const RATE: f64 = 48_000.0;

/// The first `count` bands of a set, with other gains on the right; those of the set that follow up to `all` have as good
/// as no gain.
fn bands_of(count: usize, all: usize) -> Settings {
    let channel = |gain: fn(usize) -> f64| -> Vec<Band> {
        let gain = |index: usize| if index < count { gain(index) } else { 1e-9 };
        // The lowest one, which rings longest, is the eleventh.
        let frequency = |index: usize| 30.0 + 330.0 * ((index + 54) % 64) as f64;
        let band = |index: usize| Band::peaking(frequency(index), gain(index), 0.25);
        (0..all).map(band).collect()
    };
    Settings {
        left: channel(|index| 6.5 - (index % 13) as f64),
        right: channel(|index| (index % 7) as f64 - 2.5),
        preamp: 0.0,
    }
}

fn bands(count: usize) -> Settings {
    bands_of(count, count)
}

/// The sound of settings one after the other, each for as many frames as `input` has by its share.
fn sound(capacity: usize, settings: &[Settings], input: &[f32], frames: usize) -> Vec<f32> {
    let mut equalizer = Equalizer::new(2, capacity).expect("valid");
    let mut before = Settings::default();
    let mut output = Vec::new();
    for (settings, share) in settings.iter().zip(input.chunks(input.len() / settings.len())) {
        let ramp = Ramp::new(&before, settings, capacity, RATE).expect("in range");
        assert!(equalizer.change(ramp).is_ok());
        for block in share.chunks(2 * frames) {
            let mut block = block.to_vec();
            equalizer.process(&mut block).expect("whole frames");
            output.extend(block);
        }
        before = settings.clone();
    }
    output
}

#[test]
fn sound_does_not_depend_on_the_room_for_bands() {
    let input = noise(31, 2 * 6000);
    let settings = [bands(14), bands(5), bands(9)];
    let expected = sound(14, &settings, &input, 512);
    for capacity in [15, 32, MAX_BANDS] {
        assert_eq!(sound(capacity, &settings, &input, 512), expected, "{capacity}");
    }
}

#[test]
fn removed_band_rings_on_as_one_without_a_gain() {
    let input = noise(32, 2 * 5 * 2000);
    let counts = [14, 6, 1, 3, 14];
    let removed = counts.map(bands);
    // Each change has the bands of the one before, so that none of them is removed.
    let flat = counts.map(|count| bands_of(count, 14));
    let difference = sound(MAX_BANDS, &removed, &input, 480)
        .into_iter()
        .zip(sound(MAX_BANDS, &flat, &input, 480))
        .fold(0f32, |largest, (a, b)| largest.max((a - b).abs()));
    // The poles of a band that fades are not quite those of one of 1e-9 dB. Without the ringing it is 3e-3.
    assert!(difference <= 5e-4, "{difference}");
}

#[test]
fn output_does_not_depend_on_the_blocks_while_bands_come_and_go() {
    let input = noise(33, 2 * 4 * 4800);
    let settings = [bands(20), bands(3), bands(33), bands(0)];
    let one_by_one = sound(40, &settings, &input, 1);
    for frames in [2, 31, 32, 33, 480, 4800] {
        assert_eq!(
            sound(40, &settings, &input, frames),
            one_by_one,
            "blocks of {frames}"
        );
    }
}

#[test]
fn preamplification_alone_is_in_force() {
    let settings = Settings {
        preamp: -6.0,
        ..Settings::default()
    };
    let output = sound(4, &[settings, Settings::default()], &[0.5; 2 * 24_000], 512);
    let last = |frames: usize| output[2 * frames - 1];
    assert!((last(12_000) - 0.5 * 10f32.powf(-0.3)).abs() < 1e-6);
    assert_eq!(last(24_000), 0.5);
}

#[test]
fn bands_in_use_are_counted_without_those_that_are_silent() {
    let mut equalizer = Equalizer::new(2, MAX_BANDS).expect("valid");
    assert_eq!(equalizer.bands_in_use(), 0);
    let mut before = Settings::default();
    for count in [40, 14, 27, 2] {
        let settings = bands(count);
        let ramp = Ramp::new(&before, &settings, MAX_BANDS, RATE).expect("in range");
        assert!(equalizer.change(ramp).is_ok());
        // The lowest band rings for two seconds.
        let mut silence = vec![0.0; 2 * 48_000 * 4];
        equalizer.process(&mut silence).expect("whole frames");
        assert_eq!(equalizer.bands_in_use(), count);
        before = settings;
    }
    let ramp = Ramp::new(&before, &Settings::default(), MAX_BANDS, RATE).expect("in range");
    assert!(equalizer.change(ramp).is_ok());
    equalizer.reset();
    assert_eq!(equalizer.bands_in_use(), 0);
}
