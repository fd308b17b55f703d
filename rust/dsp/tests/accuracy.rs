//! Every size and window against references in `f64`: the definition, a second transform, and numpy's results.

use rustle_dsp::fft::{SIZES, dft};
use rustle_dsp::{Normalization, SpectrumPlan, Symmetry, Window};
use rustle_testkit::{VectorCase, half_spectrum, impulse, noise, relative_l2, sine, sweep, vector_file};

/// The bound that the documentation of `SpectrumPlan` states.
const BOUND: f64 = 2e-7;

fn sizes() -> impl Iterator<Item = usize> {
    (SIZES.start().ilog2()..=SIZES.end().ilog2()).map(|power| 1 << power)
}

fn plan(size: usize, window: Window, symmetry: Symmetry) -> SpectrumPlan {
    SpectrumPlan::new(size, window, symmetry, Normalization::None).expect("a valid size")
}

fn magnitudes(plan: &SpectrumPlan, input: &[f32]) -> Vec<f32> {
    let mut output = vec![f32::NAN; plan.bins()];
    let mut scratch = vec![f32::NAN; plan.scratch_len()];
    plan.magnitudes(input, &mut output, &mut scratch)
        .expect("matching lengths");
    output
}

fn reference(input: &[f32], window: Window, symmetry: Symmetry) -> Vec<f64> {
    let weighted: Vec<f64> = input
        .iter()
        .enumerate()
        .map(|(n, x)| f64::from(*x) * window.coefficient(symmetry, n, input.len()))
        .collect();
    half_spectrum(&weighted)
        .into_iter()
        .map(|(re, im)| re.hypot(im))
        .collect()
}

#[test]
fn reference_agrees_with_the_definition() {
    for size in [64, 1024] {
        let input: Vec<f64> = noise(11, size).into_iter().map(f64::from).collect();
        for ((a, b), (c, d)) in half_spectrum(&input).into_iter().zip(dft::half_spectrum(&input)) {
            assert!((a - c).hypot(b - d) < 1e-11, "{size} samples");
        }
    }
}

#[test]
fn magnitudes_are_within_the_bound_for_every_size_window_and_signal() {
    for size in sizes() {
        let signals = [
            ("noise", noise(size as u32, size)),
            ("sine between bins", sine(size, 10.37, size as f64, 1.0, 0.4)),
            ("sine on a bin", sine(size, 8.0, size as f64, 1.0, 0.0)),
            ("sweep", sweep(size, 0.0, 500.0, 1000.0, 1.0)),
            ("impulse", impulse(size, size / 3)),
            ("constant", vec![0.7; size]),
        ];
        for window in Window::ALL {
            for symmetry in [Symmetry::Periodic, Symmetry::Symmetric] {
                let plan = plan(size, window, symmetry);
                for (name, signal) in &signals {
                    let expected = reference(signal, window, symmetry);
                    let error = relative_l2(&magnitudes(&plan, signal), &expected);
                    assert!(
                        error < BOUND,
                        "{name}, {size}, {window:?} {symmetry:?}: {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn other_bins_of_an_on_bin_sine_are_below_135_db() {
    for size in sizes() {
        let signal = sine(size, 8.0, size as f64, 1.0, 0.0);
        let plan = SpectrumPlan::new(
            size,
            Window::Rectangular,
            Symmetry::Periodic,
            Normalization::Amplitude,
        )
        .expect("a valid size");
        let mut levels = vec![0.0; plan.bins()];
        plan.decibels(&signal, &mut levels, &mut vec![0.0; plan.scratch_len()])
            .expect("matching lengths");
        for (bin, level) in levels.iter().enumerate().filter(|(bin, _)| *bin != 8) {
            assert!(*level < -135.0, "{size} samples, bin {bin}: {level} dB");
        }
    }
}

fn window_of(case: &VectorCase) -> (Window, Symmetry) {
    let window = match case.value::<String>("window").as_str() {
        "rectangular" => Window::Rectangular,
        "hann" => Window::Hann,
        "hamming" => Window::Hamming,
        "blackman" => Window::Blackman,
        other => panic!("case {}: no window {other}", case.name),
    };
    let symmetry = match case.value::<String>("symmetry").as_str() {
        "periodic" => Symmetry::Periodic,
        "symmetric" => Symmetry::Symmetric,
        other => panic!("case {}: no symmetry {other}", case.name),
    };
    (window, symmetry)
}

#[test]
fn windows_are_those_of_scipy() {
    for case in vector_file("windows.txt") {
        let (window, symmetry) = window_of(&case);
        let length = case.value("length");
        for (index, expected) in case.values::<f64>("coefficients").into_iter().enumerate() {
            let actual = window.coefficient(symmetry, index, length);
            assert!(
                (actual - expected).abs() < 1e-10,
                "{} {index}: {actual} {expected}",
                case.name
            );
        }
        let sums = window.sums(symmetry, length);
        assert!(
            (sums.sum - case.value::<f64>("sum")).abs() < 1e-12,
            "{}",
            case.name
        );
        let squares = case.value::<f64>("sum_of_squares");
        assert!((sums.sum_of_squares - squares).abs() < 1e-12, "{}", case.name);
    }
}

#[test]
fn magnitudes_are_those_of_numpy() {
    for case in vector_file("fft.txt") {
        let (window, symmetry) = window_of(&case);
        let size = case.value("size");
        let input = noise(case.values("noise")[0], size);
        let actual = magnitudes(&plan(size, window, symmetry), &input);

        let chosen: Vec<f32> = case
            .values("bins")
            .into_iter()
            .map(|bin: usize| actual[bin])
            .collect();
        let error = relative_l2(&chosen, &case.values("magnitudes"));
        assert!(error < BOUND, "{}: {error:e}", case.name);

        let power: f64 = actual.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let expected: f64 = case.value("sum_of_squares");
        assert!(
            (power / expected - 1.0).abs() < 2.0 * BOUND,
            "{}: {power} {expected}",
            case.name
        );
    }
}
