//! The contract of `SpectrumPlan`: lengths, normalizations, outputs, and numbers at the edges of `f32`.

use rustle_dsp::{DECIBEL_FLOOR, DspError, Normalization, SpectrumPlan, Symmetry, Window};
use rustle_testkit::{impulse, noise, sine};
use std::error::Error;

const SIZE: usize = 256;

type TestResult = Result<(), Box<dyn Error>>;

fn plan(window: Window, scale: Normalization) -> Result<SpectrumPlan, DspError> {
    SpectrumPlan::new(SIZE, window, Symmetry::Periodic, scale)
}

type Output = fn(&SpectrumPlan, &[f32], &mut [f32], &mut [f32]) -> Result<(), DspError>;

/// The outputs with one value per bin.
const FORMS: [(&str, Output); 3] = [
    ("magnitudes", SpectrumPlan::magnitudes),
    ("power", SpectrumPlan::power),
    ("decibels", SpectrumPlan::decibels),
];

fn run(form: Output, plan: &SpectrumPlan, input: &[f32]) -> Result<Vec<f32>, DspError> {
    let mut output = vec![f32::NAN; plan.bins()];
    form(plan, input, &mut output, &mut vec![f32::NAN; plan.scratch_len()])?;
    Ok(output)
}

#[test]
fn sizes_that_are_no_power_of_two_or_out_of_range_are_refused() {
    for got in [0, 1, 32, 63, 65, 1000, 65_535, 131_072, usize::MAX, 1 << 63] {
        let result = SpectrumPlan::new(got, Window::Hann, Symmetry::Periodic, Normalization::None);
        assert_eq!(result.err(), Some(DspError::Size { got }));
    }
}

#[test]
fn wrong_lengths_are_refused_with_the_right_one() -> TestResult {
    let plan = plan(Window::Hann, Normalization::None)?;
    let mut scratch = vec![0.0; plan.scratch_len()];
    for (name, form) in FORMS {
        for got in [0, SIZE - 1, SIZE + 1] {
            let result = form(&plan, &vec![0.0; got], &mut [0.0; 129], &mut scratch);
            assert_eq!(
                result,
                Err(DspError::InputLength { expected: SIZE, got }),
                "{name}"
            );
        }
        for got in [0, 127, 130] {
            let result = form(&plan, &[0.0; SIZE], &mut vec![0.0; got], &mut scratch);
            assert_eq!(result, Err(DspError::BinCount { expected: 129, got }), "{name}");
        }
        let expected = plan.scratch_len();
        let result = form(&plan, &[0.0; SIZE], &mut [0.0; 129], &mut scratch[1..]);
        let got = expected - 1;
        assert_eq!(result, Err(DspError::ScratchLength { expected, got }), "{name}");
    }
    for got in [256, 257, 259] {
        let result = plan.complex(&[0.0; SIZE], &mut vec![0.0; got], &mut scratch);
        assert_eq!(result, Err(DspError::ComplexLength { expected: 258, got }));
    }
    Ok(())
}

#[test]
fn output_of_half_the_size_leaves_out_the_last_bin_only() -> TestResult {
    for scale in [Normalization::None, Normalization::Amplitude] {
        let plan = plan(Window::Hann, scale)?;
        let input = noise(21, SIZE);
        for (name, form) in FORMS {
            let all = run(form, &plan, &input)?;
            let mut half = vec![f32::NAN; SIZE / 2];
            form(&plan, &input, &mut half, &mut vec![0.0; plan.scratch_len()])?;
            assert_eq!(half, all[..SIZE / 2], "{name}");
        }
    }
    Ok(())
}

#[test]
fn forms_are_functions_of_the_complex_bins() -> TestResult {
    for scale in [Normalization::None, Normalization::Amplitude] {
        let plan = plan(Window::Blackman, scale)?;
        let input = noise(22, SIZE);
        let mut complex = vec![f32::NAN; 2 * plan.bins()];
        plan.complex(&input, &mut complex, &mut vec![0.0; plan.scratch_len()])?;
        let [magnitudes, power, decibels] = [
            run(SpectrumPlan::magnitudes, &plan, &input)?,
            run(SpectrumPlan::power, &plan, &input)?,
            run(SpectrumPlan::decibels, &plan, &input)?,
        ];
        for (bin, pair) in complex.chunks_exact(2).enumerate() {
            let magnitude = pair[0].hypot(pair[1]);
            assert!(
                (magnitudes[bin] - magnitude).abs() <= 1e-6 * magnitude,
                "bin {bin}"
            );
            assert!(
                (power[bin] - magnitude * magnitude).abs() <= 1e-6 * power[bin],
                "bin {bin}"
            );
            assert!(
                (decibels[bin] - 20.0 * magnitude.log10()).abs() < 1e-4,
                "bin {bin}"
            );
        }
    }
    Ok(())
}

#[test]
fn phase_is_that_of_a_cosine_from_the_first_sample_on() -> TestResult {
    let plan = plan(Window::Rectangular, Normalization::Amplitude)?;
    let mut complex = vec![0.0; 2 * plan.bins()];
    for phase in [-2.0_f64, 0.0, 1.0, 3.0] {
        let cosine = sine(SIZE, 10.0, 256.0, 0.5, phase + std::f64::consts::FRAC_PI_2);
        plan.complex(&cosine, &mut complex, &mut vec![0.0; plan.scratch_len()])?;
        let found = f64::from(complex[21]).atan2(f64::from(complex[20]));
        assert!((found - phase).abs() < 1e-6, "expected {phase}, got {found}");
    }
    Ok(())
}

#[test]
fn amplitudes_of_full_scale_signals_are_one() -> TestResult {
    for size in [64, 256, 4096] {
        for window in Window::ALL {
            for symmetry in [Symmetry::Periodic, Symmetry::Symmetric] {
                let plan = SpectrumPlan::new(size, window, symmetry, Normalization::Amplitude)?;
                let alternating = [1.0, -1.0].repeat(size / 2);
                let tone = sine(size, 16.0, size as f64, 1.0, 0.7);
                let cases = [(0, vec![1.0; size]), (size / 2, alternating), (16, tone)];
                for (bin, signal) in cases {
                    let read = run(SpectrumPlan::magnitudes, &plan, &signal)?[bin];
                    // A symmetric window is not orthogonal to the neighbouring bins.
                    let tolerance = if symmetry == Symmetry::Periodic {
                        3e-7
                    } else {
                        2e-3
                    };
                    let error = (read - 1.0).abs();
                    assert!(
                        error < tolerance,
                        "{size} {window:?} {symmetry:?}, bin {bin}: {read}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn unscaled_sine_reads_half_the_windows_sum() -> TestResult {
    for window in Window::ALL {
        let half = window.sums(Symmetry::Periodic, SIZE).sum / 2.0;
        let read = run(
            SpectrumPlan::magnitudes,
            &plan(window, Normalization::None)?,
            &sine(SIZE, 16.0, 256.0, 1.0, 0.0),
        )?[16];
        assert!(
            (f64::from(read) / half - 1.0).abs() < 3e-7,
            "{window:?}: {read} {half}"
        );
    }
    Ok(())
}

#[test]
fn silence_is_exactly_zero_and_at_the_floor() -> TestResult {
    for window in Window::ALL {
        for scale in [Normalization::None, Normalization::Amplitude] {
            let plan = plan(window, scale)?;
            for zero in [0.0, -0.0] {
                let silence = [zero; SIZE];
                assert_eq!(run(SpectrumPlan::magnitudes, &plan, &silence)?, [0.0; 129]);
                assert_eq!(run(SpectrumPlan::power, &plan, &silence)?, [0.0; 129]);
                assert_eq!(
                    run(SpectrumPlan::decibels, &plan, &silence)?,
                    [DECIBEL_FLOOR; 129]
                );
            }
        }
    }
    Ok(())
}

#[test]
fn levels_meet_the_floor_without_a_step() -> TestResult {
    let plan = plan(Window::Rectangular, Normalization::Amplitude)?;
    for (amplitude, expected) in [(1.0, 0.0), (1e-5, -100.0), (1.01e-10, -199.91), (0.9e-10, -200.0)] {
        let level = run(SpectrumPlan::decibels, &plan, &[amplitude; SIZE])?[0];
        assert!((level - expected).abs() < 0.01, "{amplitude}: {level} dB");
    }
    Ok(())
}

#[test]
fn tiny_and_huge_samples_underflow_and_overflow_as_documented() -> TestResult {
    let plan = plan(Window::Rectangular, Normalization::None)?;
    let read = |height: f32| -> Result<f32, DspError> {
        let mut signal = impulse(SIZE, 0);
        signal[0] = height;
        Ok(run(SpectrumPlan::magnitudes, &plan, &signal)?[5])
    };
    assert_eq!(read(f32::from_bits(1))?, 0.0, "the least denormal");
    assert_eq!(read(2.6e-23)?, 0.0);
    assert!((read(1.2e-19)? / 1.2e-19 - 1.0).abs() < 1e-6);
    assert!((read(1.8e19)? / 1.8e19 - 1.0).abs() < 1e-6);
    assert_eq!(read(1.9e19)?, f32::INFINITY);
    Ok(())
}

#[test]
fn nan_and_infinity_reach_every_bin() -> TestResult {
    for scale in [Normalization::None, Normalization::Amplitude] {
        let plan = plan(Window::Hann, scale)?;
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            // Sample 0 has the weight 0 in this window: 0 times infinity is NaN.
            for place in [0, 1, 100, 255] {
                let mut signal = noise(23, SIZE);
                signal[place] = bad;
                for (name, form) in FORMS {
                    let output = run(form, &plan, &signal)?;
                    assert!(output.iter().all(|x| !x.is_finite()), "{name}, {bad} at {place}");
                }
                let mut complex = vec![0.0; 2 * plan.bins()];
                plan.complex(&signal, &mut complex, &mut vec![0.0; plan.scratch_len()])?;
                let all = complex
                    .chunks_exact(2)
                    .all(|bin| bin.iter().any(|x| !x.is_finite()));
                assert!(all, "complex, {bad} at {place}");
            }
        }
    }
    Ok(())
}

#[test]
fn plan_is_shared_between_threads() -> TestResult {
    let plan = plan(Window::Hann, Normalization::None)?;
    let input = noise(24, SIZE);
    let alone = run(SpectrumPlan::magnitudes, &plan, &input)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| run(SpectrumPlan::magnitudes, &plan, &input)))
            .collect();
        for worker in workers {
            assert_eq!(worker.join().expect("no panic"), Ok(alone.clone()));
        }
    });
    Ok(())
}
