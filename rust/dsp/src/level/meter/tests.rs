use super::*;

const RATE: f64 = 48_000.0;

fn meter(frequency: FrequencyWeighting, time: TimeWeighting) -> LevelMeter {
    LevelMeter::new(RATE, frequency, time, 0.0).expect("a valid rate")
}

fn sine(frequency: f64, seconds: f64) -> impl Iterator<Item = f32> {
    (0..(seconds * RATE) as u32)
        .map(move |n| (std::f64::consts::TAU * (frequency / RATE * f64::from(n)).fract()).sin() as f32)
}

#[test]
fn equivalent_level_is_that_of_the_mean_square() {
    let mut meter =
        LevelMeter::new(RATE, FrequencyWeighting::Z, TimeWeighting::Fast, 94.0).expect("a valid rate");
    let samples: Vec<f32> = sine(997.0, 2.0).collect();
    meter.process(samples.iter().copied());
    let mean = samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len() as f64;
    let reading = meter.reading();
    assert!((reading.equivalent_continuous_level - 94.0 - decibels(mean)).abs() < 1e-9);
    assert!((reading.equivalent_continuous_level - 94.0 + 3.0103).abs() < 1e-4);
    assert!(
        (reading.sound_exposure_level - reading.equivalent_continuous_level - decibels(2.0)).abs() < 1e-9
    );
    assert_eq!(reading.seconds, 2.0);
}

#[test]
fn level_falls_as_fast_as_its_time_constant_says() {
    for (time, rate) in [(TimeWeighting::Fast, 34.744), (TimeWeighting::Slow, 4.343)] {
        let mut meter = meter(FrequencyWeighting::A, time);
        meter.process(sine(1000.0, 10.0));
        // The filter's own decay ends after a few milliseconds.
        meter.process(std::iter::repeat_n(0.0, 4800));
        let before = meter.reading().level;
        meter.process(std::iter::repeat_n(0.0, 48_000));
        let fall = before - meter.reading().level;
        assert!((fall - rate).abs() < 0.05, "{time:?}: {fall}");
    }
}

#[test]
fn bursts_read_as_the_standard_says() {
    // 10 lg(1 - e^(-T / time constant)) below the steady level of the same tone at 4 kHz.
    for (time, milliseconds) in [
        (TimeWeighting::Fast, 1000.0),
        (TimeWeighting::Fast, 200.0),
        (TimeWeighting::Fast, 50.0),
        (TimeWeighting::Fast, 10.0),
        (TimeWeighting::Fast, 1.0),
        (TimeWeighting::Slow, 1000.0),
        (TimeWeighting::Slow, 200.0),
        (TimeWeighting::Slow, 50.0),
    ] {
        // The weighting's own beginning and end are longer than the shortest bursts.
        let weighting = if milliseconds < 10.0 {
            FrequencyWeighting::Z
        } else {
            FrequencyWeighting::A
        };
        let mut steady = meter(weighting, time);
        steady.process(sine(4000.0, 12.0));
        let mut burst = meter(weighting, time);
        burst.process(std::iter::repeat_n(0.0, 4800));
        burst.process(sine(4000.0, milliseconds / 1000.0));
        burst.process(std::iter::repeat_n(0.0, 4800));
        let got = burst.reading().highest - steady.reading().highest;
        let expected = 10.0 * (-(-milliseconds / 1000.0 / time.seconds()).exp_m1()).log10();
        assert!(
            (got - expected).abs() < 0.05,
            "{time:?} {milliseconds} ms: {got} {expected}"
        );
    }
}

#[test]
fn percentiles_tell_loud_from_soft() {
    let mut meter = meter(FrequencyWeighting::Z, TimeWeighting::Fast);
    meter.process(sine(1000.0, 2.0));
    meter.process(sine(1000.0, 8.0).map(|x| 0.1 * x));
    let (l10, l50, l90) = (meter.exceeded(10.0), meter.exceeded(50.0), meter.exceeded(90.0));
    let near = |level: Option<f64>, expected: f64| level.is_some_and(|level| (level - expected).abs() < 0.15);
    assert!(
        near(l10, -3.01) && near(l50, -23.01) && near(l90, -23.01),
        "{l10:?} {l50:?} {l90:?}"
    );
}

#[test]
fn peak_lowest_and_overloads_are_reported() {
    let mut meter = meter(FrequencyWeighting::A, TimeWeighting::Fast);
    meter.process(sine(1000.0, 0.5).map(|x| 0.5 * x));
    assert!(meter.reading().lowest.is_nan());
    meter.process(sine(1000.0, 0.5).map(|x| 0.5 * x));
    let reading = meter.reading();
    // The tone's first period, which the weighting does not expect, peaks higher than those that follow.
    assert!(reading.peak > -6.03 && reading.peak < -5.6, "{reading:?}");
    assert!((reading.lowest + 9.03).abs() < 0.1, "{reading:?}");
    assert_eq!(reading.overloads, 0);
    meter.process([1.0, -1.5, f32::NAN, f32::INFINITY]);
    let reading = meter.reading();
    assert_eq!(reading.overloads, 4);
    assert!(reading.level.is_finite());
    meter.restart();
    assert_eq!(meter.reading().overloads, 0);
}

#[test]
fn no_share_of_the_time_is_outside_of_what_there_was() {
    let mut meter = meter(FrequencyWeighting::Z, TimeWeighting::Fast);
    meter.process(sine(1000.0, 2.0).map(|x| 0.3 * x));
    let reading = meter.reading();
    for percent in [0.0, 5.0, 50.0, 95.0, 100.0] {
        let level = meter.exceeded(percent).expect("two seconds");
        assert!(
            (reading.lowest..=reading.highest).contains(&level),
            "{percent} %: {level} of {reading:?}"
        );
    }
}

#[test]
fn silence_is_minus_infinity() {
    let mut meter = meter(FrequencyWeighting::A, TimeWeighting::Slow);
    assert_eq!(meter.reading().equivalent_continuous_level, f64::NEG_INFINITY);
    meter.process(std::iter::repeat_n(0.0, 48_000));
    assert_eq!(meter.reading().equivalent_continuous_level, f64::NEG_INFINITY);
    assert_eq!(meter.exceeded(50.0), None);
    meter.process(std::iter::repeat_n(0.0, 5 * 48_000));
    assert_eq!(meter.exceeded(50.0), Some(f64::NEG_INFINITY));
}

#[test]
fn rate_out_of_range_is_refused() {
    for got in [0.0, 7999.0, f64::INFINITY, 1e6] {
        let meter = LevelMeter::new(got, FrequencyWeighting::A, TimeWeighting::Fast, 0.0);
        assert_eq!(meter.err(), Some(MeterError::SampleRate { got }));
    }
}
