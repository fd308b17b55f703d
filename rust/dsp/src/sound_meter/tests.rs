use super::*;
use crate::level::{BandWidth, FrequencyWeighting, MicrophoneResponse, TimeWeighting};
use crate::loudness::ChannelWeight;
use rustle_testkit::noise;
use std::f64::consts::TAU;

fn configuration() -> SoundMeterConfiguration {
    SoundMeterConfiguration {
        rate: 48_000.0,
        channels: vec![ChannelWeight::Front; 2],
        metered: MeteredChannel::All,
        frequency: FrequencyWeighting::Z,
        time: TimeWeighting::Fast,
        offset: 94.0,
        loudness: true,
        range_step: RangeStep::Tenth,
        bands: Some(BandWidth::Octave),
        response: None,
    }
}

/// Frames of a 1 kHz sine with these amplitudes left and right.
fn tone(left: f64, right: f64, frames: usize) -> Vec<f32> {
    (0..frames)
        .flat_map(|n| {
            let value = (TAU * n as f64 / 48.0).sin();
            [(left * value) as f32, (right * value) as f32]
        })
        .collect()
}

#[test]
fn each_measure_is_of_its_channels() {
    for (metered, power) in [
        (MeteredChannel::All, (0.5 * 0.5 + 0.1 * 0.1) / 4.0),
        (MeteredChannel::One(0), 0.5 * 0.5 / 2.0),
        (MeteredChannel::One(1), 0.1 * 0.1 / 2.0),
    ] {
        let mut meter = SoundMeter::new(&SoundMeterConfiguration {
            metered,
            ..configuration()
        })
        .expect("valid");
        meter.process(&tone(0.5, 0.1, 96_000)).expect("whole frames");
        let reading = meter.reading();
        let level = decibels(power);
        assert!((reading.levels.equivalent_continuous_level - 94.0 - level).abs() < 1e-4);
        assert!((reading.display_value - display_scale(level)).abs() < 0.05);
        let loudness = reading.loudness.expect("asked for");
        // Two channels of a 1 kHz sine: -0.691 dB and the filter's +0.691 dB cancel each other out.
        let both = 10.0 * ((0.25 + 0.01) / 2.0f64).log10();
        assert!((loudness.integrated - both).abs() < 0.01, "{loudness:?}");
        let mut bands = [0.0; 16];
        meter.band_mean_squares(&mut bands);
        let at = meter
            .band_centres()
            .iter()
            .position(|centre| (*centre - 1000.0).abs() < 1.0);
        let band = decibels(bands[at.expect("an octave around 1 kHz")]);
        assert!((band - level).abs() < 0.1, "{band} dB");
    }
}

/// The readings of a meter of these frames, and its bands.
fn shown(configuration: &SoundMeterConfiguration, frames: &[f32]) -> (SoundReading, Option<f64>, [f64; 16]) {
    let mut meter = SoundMeter::new(configuration).expect("valid");
    for block in frames.chunks(configuration.channels.len() * 1000) {
        meter.process(block).expect("whole frames");
    }
    let mut bands = [0.0; 16];
    meter.band_mean_squares(&mut bands);
    (meter.reading(), meter.exceeded(10.0), bands)
}

/// A configuration of `channels` channels without loudness, A-weighted and with a microphone.
fn levels_of(channels: usize) -> SoundMeterConfiguration {
    let response = vec![(20.0, -6.0), (1_000.0, 3.0), (10_000.0, 1.0)];
    SoundMeterConfiguration {
        channels: vec![ChannelWeight::Front; channels],
        frequency: FrequencyWeighting::A,
        loudness: false,
        response: Some(MicrophoneResponse::new(response).expect("valid")),
        ..configuration()
    }
}

#[test]
fn opposite_channels_read_as_one_of_them() {
    let sound: Vec<f32> = noise(1, 96_000).iter().map(|sample| 0.5 * sample).collect();
    let opposite: Vec<f32> = sound.iter().flat_map(|sample| [*sample, -*sample]).collect();
    let (one, both) = (shown(&levels_of(1), &sound), shown(&levels_of(2), &opposite));
    // Twice a square, halved, is the square to the bit.
    assert_eq!(one, both);
    assert!(one.0.levels.level.is_finite() && one.2.iter().any(|power| *power > 0.0));
}

#[test]
fn noises_that_know_nothing_of_each_other_read_as_one_of_them() {
    let left = noise(2, 480_000);
    let frames: Vec<f32> = left
        .iter()
        .zip(noise(3, 480_000))
        .flat_map(|(l, r)| [*l, r])
        .collect();
    let (one, both) = (shown(&levels_of(1), &left), shown(&levels_of(2), &frames));
    let (one, both) = (one.0.levels, both.0.levels);
    // 10 s of noise have hundreds of thousands of independent samples, the last 0.125 s several thousands.
    assert!(
        (one.equivalent_continuous_level - both.equivalent_continuous_level).abs() < 0.05,
        "{one:?} {both:?}"
    );
    assert!((one.level - both.level).abs() < 0.5, "{one:?} {both:?}");
}

#[test]
fn silent_channel_counts_in_the_mean_but_not_in_the_peak() {
    let sound: Vec<f32> = noise(4, 96_000).iter().map(|sample| 0.5 * sample).collect();
    let half: Vec<f32> = sound.iter().flat_map(|sample| [0.0, *sample]).collect();
    let (one, both) = (shown(&levels_of(1), &sound), shown(&levels_of(2), &half));
    let (powers, halves) = (one.2, both.2);
    for (power, half) in powers.into_iter().zip(halves) {
        assert_eq!(power, 2.0 * half);
    }
    let (one, both) = (one.0.levels, both.0.levels);
    let measures = |reading: &LevelReading| {
        let LevelReading {
            level,
            equivalent_continuous_level,
            highest,
            lowest,
            sound_exposure_level,
            ..
        } = *reading;
        [
            level,
            equivalent_continuous_level,
            highest,
            lowest,
            sound_exposure_level,
        ]
    };
    for (one, both) in measures(&one).into_iter().zip(measures(&both)) {
        assert!((one - both - 3.0103).abs() < 1e-4, "{one} {both}");
    }
    assert_eq!(one.peak, both.peak);
}

#[test]
fn sample_that_is_no_number_is_silence_of_its_channel_alone() {
    let sound: Vec<f32> = noise(5, 9_600).iter().map(|sample| 0.5 * sample).collect();
    let with = |other: f32| -> Vec<f32> { sound.iter().flat_map(|sample| [*sample, other]).collect() };
    let (silent, broken) = (
        shown(&levels_of(2), &with(0.0)),
        shown(&levels_of(2), &with(f32::NAN)),
    );
    assert_eq!(broken.0.display_value, silent.0.display_value);
    assert_eq!(
        broken.0.levels.equivalent_continuous_level,
        silent.0.levels.equivalent_continuous_level
    );
    assert_eq!(broken.2, silent.2);
    assert_eq!((silent.0.levels.overloads, broken.0.levels.overloads), (0, 9_600));
}

#[test]
fn every_class_of_the_scale_is_reached_at_its_edge() {
    // Powers a little below and above each edge of the scale, in dB relative to full scale.
    let edges = [
        (-15.20, LevelZone::Silent, LevelZone::Quiet),
        (-8.16, LevelZone::Quiet, LevelZone::Average),
        (-5.00, LevelZone::Average, LevelZone::Noisy),
        (-3.17, LevelZone::Noisy, LevelZone::Loud),
    ];
    for (edge, below, above) in edges {
        for (power, class) in [(edge - 0.02, below), (edge + 0.02, above)] {
            let mut meter = SoundMeter::new(&configuration()).expect("valid");
            let constant = 10f64.powf(power / 20.0) as f32;
            meter.process(&vec![constant; 2 * 96_000]).expect("whole frames");
            assert_eq!(meter.reading().level_zone, class, "{power} dB");
        }
    }
    let mut meter = SoundMeter::new(&configuration()).expect("valid");
    meter.process(&vec![1.0; 2 * 480_000]).expect("whole frames");
    let reading = meter.reading();
    assert!((reading.display_value - 120.0).abs() < 1e-3);
    assert_eq!(reading.level_zone, LevelZone::Loud);
}

#[test]
fn pieces_of_any_length_give_the_same_reading() {
    let sound = tone(0.5, 0.25, 30_000);
    let mut whole = SoundMeter::new(&configuration()).expect("valid");
    whole.process(&sound).expect("whole frames");
    let mut pieces = SoundMeter::new(&configuration()).expect("valid");
    for piece in sound.chunks(2 * 337) {
        pieces.process(piece).expect("whole frames");
    }
    let numbers = |meter: &SoundMeter| {
        let reading = meter.reading();
        let (levels, loudness) = (reading.levels, reading.loudness.expect("asked for"));
        [
            levels.seconds,
            levels.level,
            levels.equivalent_continuous_level,
            levels.highest,
            levels.peak,
            loudness.integrated,
            loudness.short_term,
            loudness.true_peak,
            reading.display_value,
        ]
    };
    // Sums of squares are added up piece by piece, in another order.
    let are_close = |a: [f64; 9], b: [f64; 9]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(are_close(numbers(&whole), numbers(&pieces)));
    assert!(pieces.process(&sound[..3]).is_err());
    assert!(are_close(numbers(&whole), numbers(&pieces)));
}

#[test]
fn overload_of_one_channel_counts_in_the_mean_too() {
    for (metered, expected) in [
        (MeteredChannel::All, 3),
        (MeteredChannel::One(0), 2),
        (MeteredChannel::One(1), 1),
    ] {
        let mut meter = SoundMeter::new(&SoundMeterConfiguration {
            metered,
            ..configuration()
        })
        .expect("valid");
        let frames = [1.0, 0.0, 0.5, -1.5, f32::NAN, 0.999, 0.0, 0.0];
        meter.process(&frames).expect("whole frames");
        assert_eq!(meter.reading().levels.overloads, expected);
        meter.restart();
        assert_eq!(meter.reading().levels.overloads, 0);
    }
}

#[test]
fn response_of_the_microphone_is_undone() {
    let response =
        MicrophoneResponse::new(vec![(20.0, -6.0), (1_000.0, 3.0), (10_000.0, 3.0)]).expect("valid");
    let mut meter = SoundMeter::new(&SoundMeterConfiguration {
        response: Some(response),
        ..configuration()
    })
    .expect("valid");
    meter.process(&tone(0.5, 0.5, 96_000)).expect("whole frames");
    let level = meter.reading().levels.level - 94.0;
    assert!(
        (level - (10.0 * 0.125f64.log10() - 3.0)).abs() < 0.05,
        "{level} dB"
    );
}

#[test]
fn refusals_say_expected_and_got() {
    let refusal = |change: fn(&mut SoundMeterConfiguration)| {
        let mut configuration = configuration();
        change(&mut configuration);
        let refused = SoundMeter::new(&configuration);
        refused
            .map_err(|error| error.to_string())
            .err()
            .unwrap_or_default()
    };
    assert_eq!(
        refusal(|c| c.rate = 10.0),
        "sample rate: expected 8000 to 768000 Hz, got 10"
    );
    assert_eq!(
        refusal(|c| c.metered = MeteredChannel::One(2)),
        "metered channel: expected one below 2, got 2"
    );
    assert_eq!(
        refusal(|c| c.offset = f64::NAN),
        "calibration offset: expected -300 to 300 dB, got NaN"
    );
    assert_eq!(
        refusal(|c| c.channels.clear()),
        "channels: expected 1 to 24, got 0"
    );
}

#[test]
fn added_measurements_are_measured_together() {
    let meter = |rate: f64, channels: usize| {
        SoundMeter::new(&SoundMeterConfiguration {
            rate,
            channels: vec![ChannelWeight::Front; channels],
            bands: Some(BandWidth::ThirdOctave),
            ..configuration()
        })
        .expect("valid")
    };
    // 10 s at -20 dB of 1 kHz, and 30 s at -30 dB of 2 kHz (the period is 24 samples of 48 kHz) from a file with another rate.
    let amplitude = |level: f64| (2.0 * 10f64.powf(level / 10.0)).sqrt();
    let mut loud = meter(48_000.0, 2);
    loud.process(&tone(amplitude(-20.0), amplitude(-20.0), 480_000))
        .expect("whole frames");
    let mut soft = meter(96_000.0, 2);
    soft.process(&tone(amplitude(-30.0), amplitude(-30.0), 2_880_000))
        .expect("whole frames");
    let (of_loud, of_soft) = (loud.reading(), soft.reading());
    soft.add(&loud).expect("one configuration");
    let all = soft.reading();
    let is_close = |got: f64, expected: f64, tolerance: f64| {
        assert!((got - expected).abs() <= tolerance, "{got}, expected {expected}");
    };
    is_close(all.levels.seconds, 40.0, 1e-9);
    let mean = 10.0 * ((10.0 * 1e-2 + 30.0 * 1e-3) / 40.0f64).log10();
    is_close(all.levels.equivalent_continuous_level, 94.0 + mean, 0.01);
    is_close(
        all.levels.sound_exposure_level,
        94.0 + mean + 10.0 * 40f64.log10(),
        0.01,
    );
    assert_eq!(all.levels.highest, of_loud.levels.highest);
    assert_eq!(all.levels.lowest, of_soft.levels.lowest);
    assert_eq!(all.levels.level, of_soft.levels.level);
    is_close(soft.exceeded(20.0).expect("levels"), 74.0, 0.2);
    is_close(soft.exceeded(50.0).expect("levels"), 64.0, 0.2);
    // 97 blocks of 0.4 s at -17 LUFS (two channels) and 297 at about -27 + the filter's gain at 2 kHz: the mean of the louder
    // ones and of those within 10 LU below it.
    let (first, second) = (
        of_loud.loudness.expect("measured"),
        of_soft.loudness.expect("measured"),
    );
    let power = |loudness: f64| 10f64.powf(loudness / 10.0);
    let sum = 97.0 * power(first.integrated) + 297.0 * power(second.integrated);
    let loudness = all.loudness.expect("measured");
    is_close(loudness.integrated, 10.0 * (sum / 394.0).log10(), 0.005);
    // The 10th percentile is soft, the 95th loud.
    is_close(loudness.range, first.integrated - second.integrated, 0.02);
    assert_eq!(loudness.true_peak, first.true_peak);
    assert_eq!(loudness.momentary_highest, first.momentary_highest);
    let band = |meter: &SoundMeter, frequency: f64| {
        let index = meter
            .band_centres()
            .iter()
            .position(|centre| (centre - frequency).abs() < 30.0);
        let mut powers = [0.0; 64];
        meter.band_mean_squares(&mut powers);
        10.0 * powers[index.expect("a band")].log10()
    };
    is_close(band(&soft, 1_000.0), -20.0 - 10.0 * 4f64.log10(), 0.05);
    is_close(band(&soft, 1_995.0), -30.0 + 10.0 * 0.75f64.log10(), 0.05);
    // Sound after the addition is measured too, and a new measurement has none of it.
    soft.process(&tone(amplitude(-30.0), amplitude(-30.0), 960_000))
        .expect("whole frames");
    is_close(soft.reading().levels.seconds, 50.0, 1e-9);
    is_close(band(&soft, 1_000.0), -20.0 - 10.0 * 5f64.log10(), 0.05);
    soft.restart();
    assert_eq!((soft.reading().levels.seconds, soft.exceeded(50.0)), (0.0, None));
    assert_eq!(
        soft.reading().loudness.expect("measured").integrated,
        f64::NEG_INFINITY
    );
    let mut other = SoundMeter::new(&configuration()).expect("valid");
    assert_eq!(other.add(&loud), Err(SoundMeterError::Added));
    // Its highest bands would be left out.
    let mut narrow = meter(8_000.0, 1);
    assert_eq!(narrow.add(&loud), Err(SoundMeterError::Added));
    loud.add(&narrow).expect("all bands are there");
}
