use super::*;
use crate::bounded_text::GivenName;
use rustle_testkit::{noise, pulses, vowel};

const A: [(f64, f64); 5] = [
    (730.0, 80.0),
    (1090.0, 90.0),
    (2440.0, 120.0),
    (3500.0, 175.0),
    (4500.0, 250.0),
];
const I: [(f64, f64); 5] = [
    (270.0, 60.0),
    (2290.0, 90.0),
    (3010.0, 120.0),
    (3500.0, 175.0),
    (4500.0, 250.0),
];

fn sung(rate: f64, pitch: f64, poles: &[(f64, f64)]) -> Vec<f32> {
    let pulses = pulses((0..200).map(|_| 1.0 / pitch), std::iter::repeat(1.0));
    vowel(rate, (0.4 * rate) as usize, &pulses, poles)
}

fn configuration(rate: f64) -> FormantConfiguration {
    FormantConfiguration {
        ceiling: 5000.0,
        ..FormantConfiguration::new(rate)
    }
}

/// The largest error of F1 to F3, as a part.
fn error(found: Formants, poles: &[(f64, f64)]) -> f64 {
    let errors = (1..=3).map(|number| {
        let formant = found.get(number).map_or(0.0, |formant| formant.frequency);
        (formant / poles[number - 1].0 - 1.0).abs()
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn known_poles_are_found_at_every_rate_and_pitch() {
    for rate in [16_000.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
        for pitch in [90.0, 137.0, 210.0, 290.0] {
            for poles in [A, I] {
                let found =
                    extract_formants(&configuration(rate), &sung(rate, pitch, &poles)).expect("valid");
                assert!(error(found, &poles) < 0.02, "{rate}, {pitch}: {found:?}");
                for (formant, pole) in found.as_slice().iter().zip(poles).take(3) {
                    let ratio = formant.bandwidth / pole.1;
                    assert!((0.5..2.0).contains(&ratio), "{rate}, {pitch}: {found:?}");
                }
                assert!(found.confidence > 0.8, "{rate}, {pitch}: {found:?}");
            }
        }
    }
}

#[test]
fn weighted_prediction_is_nearer_than_burgs_in_a_high_voice() {
    let signal = sung(48_000.0, 290.0, &A);
    let burg = FormantConfiguration {
        method: FormantMethod::Burg,
        ..configuration(48_000.0)
    };
    let of_burg = error(extract_formants(&burg, &signal).expect("valid"), &A);
    let weighted = error(
        extract_formants(&configuration(48_000.0), &signal).expect("valid"),
        &A,
    );
    assert!(4.0 * weighted < of_burg, "{weighted}, {of_burg}");
}

#[test]
fn low_sample_rate_lowers_the_ceiling() {
    let found = extract_formants(&configuration(8000.0), &sung(8000.0, 120.0, &A)).expect("valid");
    assert!(error(found, &A) < 0.02, "{found:?}");
    assert!(found.as_slice().iter().all(|formant| formant.frequency < 4000.0));
}

#[test]
fn ten_decibels_less_than_thirty_of_noise_leave_the_first_formants_in_place() {
    let mut signal = sung(44_100.0, 120.0, &A);
    let power: f32 = signal.iter().map(|x| x * x).sum::<f32>() / signal.len() as f32;
    // Uniform noise of amplitude 1 has a power of 1/3.
    let scale = (power * 3.0 / 100.0).sqrt();
    for (x, n) in signal.iter_mut().zip(noise(3, 1 << 20)) {
        *x += scale * n;
    }
    let found = extract_formants(&configuration(44_100.0), &signal).expect("valid");
    assert!(error(found, &A) < 0.1, "{found:?}");
}

#[test]
fn what_is_no_sound_has_no_formants() {
    let mut analyzer = FormantAnalyzer::new(&FormantConfiguration::new(44_100.0)).expect("valid");
    let window = analyzer.frame_length();
    for value in [0.0, f32::NAN, f32::INFINITY] {
        let found = analyzer.analyze(&vec![value; window]).expect("a window");
        assert_eq!(found, Formants::default(), "{value}");
    }
    let mut frame = sung(44_100.0, 120.0, &A)[..window].to_vec();
    frame[window / 2] = f32::NAN;
    assert_eq!(analyzer.analyze(&frame), Ok(Formants::default()));
    let huge = vec![f32::MAX; window];
    let found = analyzer.analyze(&huge).expect("a window");
    assert!(
        found
            .as_slice()
            .iter()
            .all(|formant| formant.frequency.is_finite())
    );
    for short in [0, 1, 100] {
        let signal = &sung(44_100.0, 120.0, &A)[..short];
        let found = extract_formants(&FormantConfiguration::new(44_100.0), signal).expect("valid");
        assert!(
            found
                .as_slice()
                .iter()
                .all(|formant| formant.frequency.is_finite()),
            "{short}"
        );
    }
}

#[test]
fn formants_do_not_depend_on_the_level() {
    let signal = sung(44_100.0, 120.0, &A);
    let quiet: Vec<f32> = signal.iter().map(|x| x / 1024.0).collect();
    let configuration = configuration(44_100.0);
    assert_eq!(
        extract_formants(&configuration, &quiet),
        extract_formants(&configuration, &signal)
    );
}

#[test]
fn configurations_are_checked() {
    let base = FormantConfiguration::new(44_100.0);
    let error = |configuration: FormantConfiguration| FormantAnalyzer::new(&configuration).err();
    let cases = [
        (
            FormantConfiguration {
                sample_rate: 7999.0,
                ..base
            },
            VoiceError::SampleRate { got: 7999.0 },
        ),
        (
            FormantConfiguration {
                ceiling: 2999.0,
                ..base
            },
            VoiceError::Ceiling { got: 2999.0 },
        ),
        (
            FormantConfiguration {
                order: Some(33),
                ..base
            },
            VoiceError::Order { got: 33 },
        ),
        (
            FormantConfiguration { length: 0.2, ..base },
            VoiceError::Length { got: 0.2 },
        ),
    ];
    for (configuration, expected) in cases {
        assert_eq!(error(configuration), Some(expected));
    }
    assert!(
        error(FormantConfiguration {
            ceiling: f64::NAN,
            ..base
        })
        .is_some()
    );
    let mut analyzer = FormantAnalyzer::new(&base).expect("valid");
    let expected = analyzer.frame_length();
    assert_eq!(
        analyzer.analyze(&[0.0; 3]),
        Err(VoiceError::FrameLength { expected, got: 3 })
    );
    assert_eq!("burg".parse(), Ok(FormantMethod::Burg));
    assert_eq!(
        "lpc".parse::<FormantMethod>(),
        Err(VoiceError::MethodName {
            got: GivenName::new("lpc")
        })
    );
}

#[test]
fn what_the_frame_before_left_changes_no_number() {
    for rate in [11_000.0, 44_100.0, 48_000.0] {
        let signal = sung(rate, 137.0, &A);
        let configuration = FormantConfiguration::new(rate);
        let mut analyzer = FormantAnalyzer::new(&configuration).expect("valid");
        let mut fresh = FormantAnalyzer::new(&configuration).expect("valid");
        // Also to and fro, and farther than a frame.
        for start in [0, 441, 953, 1465, 1400, 9000, 9001, 0] {
            let Some(frame) = signal.get(start..start + analyzer.frame_length()) else {
                continue;
            };
            fresh.reset();
            assert_eq!(
                analyzer.analyze_next(frame, start as i64),
                fresh.analyze_next(frame, start as i64),
                "{rate}, {start}"
            );
        }
    }
}
