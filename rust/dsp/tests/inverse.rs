//! The inverse transform: against its definition, numpy's conventions, the round trip, and the edges of `f32`.

use rustle_dsp::{DspError, InstructionSet, InversePlan, Normalization, SpectrumPlan, Symmetry, Window};
use rustle_testkit::{noise, relative_l2, vector_file};
use std::error::Error;

type TestResult = Result<(), Box<dyn Error>>;

fn paths() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL.into_iter().filter(|path| path.is_available())
}

fn sizes() -> impl Iterator<Item = usize> {
    (6..=16).map(|power| 1 << power)
}

/// The samples, from scratch memory that holds something else.
fn samples(plan: &InversePlan, bins: &[f32]) -> Result<Vec<f32>, DspError> {
    let mut output = vec![f32::NAN; plan.size()];
    plan.samples(bins, &mut output, &mut vec![f32::NAN; plan.scratch_len()])?;
    Ok(output)
}

#[test]
fn samples_are_those_of_numpy() -> TestResult {
    for case in vector_file("inverse.txt") {
        let [seed, length] = case.values::<u32>("noise")[..] else {
            panic!("{}: expected a seed and a length", case.name);
        };
        let bins = noise(seed, length as usize);
        let chosen: Vec<usize> = case.values("positions");
        for path in paths() {
            let actual = samples(
                &InversePlan::with_instruction_set(path, case.value("size"))?,
                &bins,
            )?;
            let energy: f64 = actual.iter().map(|x| f64::from(*x).powi(2)).sum();
            let actual: Vec<f32> = chosen.iter().map(|at| actual[*at]).collect();
            let error = relative_l2(&actual, &case.values::<f64>("samples"));
            assert!(error < 2e-7, "{}, {path}: {error:e}", case.name);
            let expected: f64 = case.value("sum_of_squares");
            assert!((energy / expected - 1.0).abs() < 2e-7, "{}, {path}", case.name);
        }
    }
    Ok(())
}

#[test]
fn round_trip_gives_the_samples_back() -> TestResult {
    for path in paths() {
        for size in sizes() {
            let forward = SpectrumPlan::with_instruction_set(
                path,
                size,
                Window::Rectangular,
                Symmetry::Periodic,
                Normalization::None,
            )?;
            let inverse = InversePlan::with_instruction_set(path, size)?;
            let input = noise(41, size);
            let mut bins = vec![f32::NAN; inverse.complex_len()];
            forward.complex(&input, &mut bins, &mut vec![f32::NAN; forward.scratch_len()])?;
            let expected: Vec<f64> = input.iter().copied().map(f64::from).collect();
            let error = relative_l2(&samples(&inverse, &bins)?, &expected);
            let bound = if size <= 16_384 { 2e-7 } else { 2.2e-7 };
            assert!(error < bound, "{path}, {size}: {error:e}");
        }
    }
    Ok(())
}

#[test]
fn single_bins_are_cosines_and_sines() -> TestResult {
    for path in paths() {
        let size = 1024;
        let plan = InversePlan::with_instruction_set(path, size)?;
        for bin in [0, 1, 2, 31, 32, 33, 100, 255, 256, 257, 511, 512] {
            let mut bins = vec![0.0; size + 2];
            let edge = if bin == 0 || bin == size / 2 { 1.0 } else { 2.0 };
            (bins[2 * bin], bins[2 * bin + 1]) = (1.0, -0.5);
            let sine = if edge == 1.0 { 0.0 } else { 0.5 };
            let expected: Vec<f64> = (0..size)
                .map(|n| {
                    let angle = std::f64::consts::TAU * (bin * n % size) as f64 / size as f64;
                    edge * (angle.cos() + sine * angle.sin()) / size as f64
                })
                .collect();
            let error = relative_l2(&samples(&plan, &bins)?, &expected);
            assert!(error < 2e-7, "{path}, bin {bin}: {error:e}");
        }
    }
    Ok(())
}

#[test]
fn imaginary_parts_of_the_edges_are_ignored() -> TestResult {
    for path in paths() {
        let plan = InversePlan::with_instruction_set(path, 256)?;
        let mut bins = noise(42, 258);
        let expected = samples(&plan, &bins)?;
        (bins[1], bins[257]) = (f32::NAN, f32::INFINITY);
        assert_eq!(samples(&plan, &bins)?, expected);
    }
    Ok(())
}

#[test]
fn silence_is_exactly_zero_and_what_is_not_finite_reaches_every_sample() -> TestResult {
    for path in paths() {
        let plan = InversePlan::with_instruction_set(path, 256)?;
        assert_eq!(samples(&plan, &[0.0; 258])?, [0.0; 256]);
        for (bad, place) in [(f32::NAN, 0), (f32::INFINITY, 100), (f32::NEG_INFINITY, 256)] {
            let mut bins = noise(43, 258);
            bins[place] = bad;
            assert!(samples(&plan, &bins)?.iter().all(|x| !x.is_finite()), "{place}");
        }
    }
    Ok(())
}

#[test]
fn wrong_lengths_are_refused_and_nothing_is_written() -> TestResult {
    assert_eq!(InversePlan::new(100).err(), Some(DspError::Size { got: 100 }));
    let plan = InversePlan::new(64)?;
    let needed = plan.scratch_len();
    let mut output = [7.0; 65];
    let mut scratch = vec![0.0; needed];
    let result = plan.samples(&[0.0; 65], &mut output[..64], &mut scratch);
    assert_eq!(
        result,
        Err(DspError::ComplexLength {
            expected: 66,
            got: 65
        })
    );
    let result = plan.samples(&[0.0; 66], &mut output, &mut scratch);
    assert_eq!(
        result,
        Err(DspError::OutputLength {
            expected: 64,
            got: 65
        })
    );
    let result = plan.samples(&[0.0; 66], &mut output[..64], &mut scratch[1..]);
    let (expected, got) = (needed, needed - 1);
    assert_eq!(result, Err(DspError::ScratchLength { expected, got }));
    assert_eq!(output, [7.0; 65]);
    Ok(())
}
