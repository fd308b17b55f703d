use super::*;
use crate::pitch::configuration::Measured;
use rustle_testkit::Tone;
use std::f64::consts::TAU;

fn spectrum(tone: &Tone) -> CentredSpectrum {
    let mut spectrum = CentredSpectrum::new(2048).expect("a window");
    let frame = tone.samples(2048, 0.4);
    spectrum.take(&Measured::new(&frame)).expect("a frame");
    spectrum
}

#[test]
fn amplitudes_and_frequency_are_those_of_the_tone() {
    let tone = Tone::stack(300.0, 6, 0.4, 48_000.0);
    let spectrum = spectrum(&tone);
    let fit = LeastSquares::new().fit(
        &spectrum,
        Start {
            frequency: 301.0 * TAU / 48_000.0,
            partials: FIRST_PARTIALS,
            inharmonicity: 1e-3,
        },
    );
    assert!((fit.frequency * 48_000.0 / TAU - 300.0).abs() < 1e-5);
    for (power, amplitude) in fit.powers.iter().zip(&tone.amplitudes) {
        assert!((power / (amplitude * amplitude / 2.0) - 1.0).abs() < 1e-4);
    }
    assert!(fit.powers[6..].iter().all(|&power| power < 1e-9));
    let left = [fit.residual, fit.residual_of_few].map(|residual| residual / spectrum.energy);
    // Single precision, of the transform, leaves this much.
    assert!(left[0] < 1e-6 && left[1] > 0.01, "{left:?}");
    assert_eq!((fit.partials, fit.few), (MAX_PARTIALS, FIRST_PARTIALS));
}

#[test]
fn sums_of_multiples_are_those_of_any_frequencies() {
    let tone = Tone::stack(300.0, 6, 0.4, 48_000.0);
    let spectrum = spectrum(&tone);
    let w = 299.0 * TAU / 48_000.0;
    let (mut one, mut other) = (LeastSquares::new(), LeastSquares::new());
    one.place(&spectrum, w, 0.0, MAX_PARTIALS);
    one.harmonic_sums(spectrum.length() as f64, MAX_PARTIALS);
    other.place(&spectrum, w, 1e-15, MAX_PARTIALS);
    other.sums(spectrum.length() as f64, MAX_PARTIALS);
    let pairs = [
        (&one.slopes, &other.slopes),
        (&one.turned, &other.turned),
        (&one.moving_sines, &other.moving_sines),
        (&one.moving_cosines, &other.moving_cosines),
    ];
    let scale = (spectrum.length() as f64).powi(3);
    for (one, other) in pairs {
        let rows = one.iter().zip(other.iter());
        for (one, other) in rows.flat_map(|(one, other)| one[..COSINES].iter().zip(&other[..COSINES])) {
            assert!((one - other).abs() < 1e-9 * scale, "{one}, {other}");
        }
    }
    for (i, j) in (0..=MAX_PARTIALS).flat_map(|i| (0..=i).map(move |j| (i, j))) {
        assert!((one.cosines[i][j] - other.cosines[i][j]).abs() < 1e-6);
        assert!((one.sines[i][j] - other.sines[i][j]).abs() < 1e-6);
    }
}

#[test]
fn inharmonicity_takes_a_third_partial_to_be_shown() {
    let start = |frequency: f64| Start {
        frequency: frequency * TAU / 48_000.0,
        partials: FIRST_PARTIALS,
        inharmonicity: 2e-3,
    };
    for inharmonicity in [1e-3, 1e-2] {
        for (partials, shows) in [(2, false), (3, true), (8, true)] {
            let mut tone = Tone::stack(400.0, partials, 0.4, 48_000.0);
            tone.inharmonicity = inharmonicity;
            let fit = LeastSquares::new().fit(&spectrum(&tone), start(400.0));
            assert_eq!(
                fit.is_shown, shows,
                "{inharmonicity}, {partials} partials: {fit:?}"
            );
            if shows {
                assert!((fit.inharmonicity / inharmonicity - 1.0).abs() < 0.02, "{fit:?}");
            } else {
                // One that strings have stays in the model; it is theirs that the first partial is where it is.
                assert_eq!(fit.inharmonicity > 0.0, inharmonicity < 2e-3, "{fit:?}");
            }
        }
    }
}
