use super::*;

#[test]
fn lowest_band_has_a_finite_curve() {
    const KINDS: [BandKind; 5] = [
        BandKind::Peaking,
        BandKind::LowShelf,
        BandKind::HighShelf,
        BandKind::LowPass,
        BandKind::HighPass,
    ];
    for kind in KINDS {
        for gain in [-24.0, -6.0, 6.0, 24.0] {
            for octaves in [0.05, 1.0, 5.0] {
                let band = Band {
                    kind,
                    ..Band::peaking(0.048, gain, octaves)
                };
                let settings = Settings {
                    left: vec![band],
                    ..Settings::default()
                };
                assert_eq!(settings.check(48_000.0), Ok(()));
                for frequency in [0.0, 0.048, 1.0, 1000.0, 23_999.0] {
                    let level = settings.decibels(frequency, 48_000.0)[0];
                    // The sharpest pass rises by its quality, 29.2 dB.
                    let expected = -400.0..=29.7;
                    let is_silent = level == f64::NEG_INFINITY && frequency == 0.0;
                    assert!(
                        expected.contains(&level) || is_silent,
                        "{band:?} at {frequency}: {level}"
                    );
                }
            }
        }
    }
}

#[test]
fn settings_out_of_range_are_refused_with_what_came() {
    let rate = 48_000.0;
    let with = |band| Settings {
        left: vec![band],
        ..Settings::default()
    };
    let good = Band::peaking(1000.0, 3.0, 1.0);
    assert_eq!(with(good).check(rate), Ok(()));
    let refused = |band, expected| assert_eq!(with(band).check(rate), Err(expected));
    let (limit, got) = (24_000.0, 24_000.0);
    refused(
        Band {
            frequency: got,
            ..good
        },
        EqualizerError::Frequency { limit, got },
    );
    let got = 0.047;
    refused(
        Band {
            frequency: got,
            ..good
        },
        EqualizerError::Frequency { limit, got },
    );
    refused(Band { gain: 24.5, ..good }, EqualizerError::Gain { got: 24.5 });
    refused(Band { q: 40.0, ..good }, EqualizerError::Quality { got: 40.0 });
    assert!(
        with(Band {
            frequency: f64::NAN,
            ..good
        })
        .check(rate)
        .is_err()
    );
    assert!(
        with(Band {
            gain: f64::NAN,
            ..good
        })
        .check(rate)
        .is_err()
    );
    for got in [0.0, 1.001e9, f64::MAX, f64::INFINITY] {
        assert_eq!(
            Settings::default().check(got),
            Err(EqualizerError::SampleRate { got })
        );
    }
    let many = Settings {
        right: vec![good; 65],
        ..Settings::default()
    };
    assert_eq!(
        many.check(rate),
        Err(EqualizerError::BandCount { limit: 64, got: 65 })
    );
    for octaves in [*OCTAVES.start(), *OCTAVES.end()] {
        assert_eq!(with(Band::peaking(1000.0, 1.0, octaves)).check(rate), Ok(()));
    }
}

#[test]
fn graphic_settings_have_left_and_right_apart() {
    let gains: [f64; 28] = std::array::from_fn(|index| index as f64 - 14.0);
    let settings = Settings::graphic(&gains, 1.0, 48_000.0);
    assert_eq!(settings.left[13].gain, -1.0);
    assert_eq!(settings.right[0].gain, 0.0);
    assert_eq!(settings.right[13].frequency, 16_384.0);
    assert_eq!(Settings::graphic(&gains, 1.0, 22_050.0).left.len(), 13);
    assert_eq!(settings.check(48_000.0), Ok(()));
}

#[test]
fn response_is_the_sum_of_the_bands_and_the_preamplification() {
    let settings = Settings {
        left: vec![Band::peaking(1000.0, 6.0, 1.0)],
        right: vec![],
        preamp: -6.0,
    };
    let [left, right] = settings.decibels(1000.0, 48_000.0);
    assert!(left.abs() < 0.001, "{left}");
    assert_eq!(right, -6.0);
}
