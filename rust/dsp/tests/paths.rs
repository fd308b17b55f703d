//! Every instruction set of this machine at every size: errors against references in `f64` and against FFTW's, and the
//! guarantees of all outputs.
//!
//! The error of a signal with few large bins is that of a few roundings and scatters from signal to signal, between FFTW and any
//! instruction set by up to 1.7 in both directions. So one compares with FFTW over 32 signals of a kind together.

use rustle_dsp::fft::SIZES;
use rustle_dsp::{
    DECIBEL_FLOOR, DspError, INSTRUCTION_SET_VARIABLE, InstructionSet, Normalization, SpectrumPlan, Symmetry,
    Window,
};
use rustle_testkit::{Fftw, half_spectrum, impulse, noise, relative_l2, sine, this_program};

/// The most that the error of any signal may be up to 8192 samples, and above: what `SpectrumPlan` documents.
const BOUNDS: [f64; 2] = [2e-7, 2.5e-7];

/// The sizes with the bounds below.
const COMPARED: std::ops::RangeInclusive<usize> = 256..=8192;

/// The most that the error of noise may be.
const NOISE_BOUND: f64 = 1.2e-7;

const WINDOWS: [Window; 2] = [Window::Rectangular, Window::Hann];

/// The most that the error of noise may be over FFTW's; and of signals with few large bins, where there is some scatter
/// left. FFTW's code for arm64 rounds a product and a sum once, which plain arrays do not.
fn over_fftw(path: InstructionSet) -> [f64; 2] {
    match path {
        InstructionSet::Plain if cfg!(target_arch = "aarch64") => [1.07, 1.15],
        InstructionSet::Neon => [1.05, 1.12],
        _ => [1.05, 1.1],
    }
}

fn bound(size: usize) -> f64 {
    BOUNDS[usize::from(size > 8192)]
}

fn sizes() -> impl Iterator<Item = usize> {
    (SIZES.start().ilog2()..=SIZES.end().ilog2()).map(|power| 1 << power)
}

/// A plan for each instruction set of this machine.
fn plans(size: usize, window: Window, scale: Normalization) -> Vec<SpectrumPlan> {
    let paths = InstructionSet::ALL.into_iter().filter(|path| path.is_available());
    paths
        .map(|path| SpectrumPlan::with_instruction_set(path, size, window, Symmetry::Periodic, scale))
        .map(|plan| plan.expect("a valid size"))
        .collect()
}

type Output = fn(&SpectrumPlan, &[f32], &mut [f32], &mut [f32]) -> Result<(), DspError>;

/// The outputs with one value per bin.
const REAL_FORMS: [(&str, Output); 3] = [
    ("magnitudes", SpectrumPlan::magnitudes),
    ("power", SpectrumPlan::power),
    ("decibels", SpectrumPlan::decibels),
];

/// The values of an output, in memory and with a scratch that were used before.
fn run(form: Output, plan: &SpectrumPlan, input: &[f32], elements: usize) -> Vec<f32> {
    let mut output = vec![f32::NAN; elements];
    form(plan, input, &mut output, &mut vec![f32::NAN; plan.scratch_len()]).expect("matching lengths");
    output
}

fn magnitudes(plan: &SpectrumPlan, input: &[f32]) -> Vec<f32> {
    run(SpectrumPlan::magnitudes, plan, input, plan.bins())
}

fn complex(plan: &SpectrumPlan, input: &[f32]) -> Vec<f32> {
    run(SpectrumPlan::complex, plan, input, 2 * plan.bins())
}

/// 32 signals of each kind, or four of sizes that are not compared.
fn kinds(size: usize) -> [(&'static str, Vec<Vec<f32>>); 5] {
    let n = size as f64;
    let count = if COMPARED.contains(&size) { 32 } else { 4 };
    let many = |signal: &dyn Fn(usize) -> Vec<f32>| (0..count).map(signal).collect();
    [
        ("noise", many(&|i| noise((size + i) as u32, size))),
        ("impulse", many(&|i| impulse(size, i * size / 33 + 1))),
        ("constant", many(&|i| vec![0.3 + 0.021 * i as f32; size])),
        (
            "sine on a bin",
            many(&|i| sine(size, (i * size / 80 + 3) as f64, n, 0.9, 0.3 * i as f64)),
        ),
        (
            "sine between bins",
            many(&|i| sine(size, 2.37 + (i * size / 80) as f64, n, 0.9, 0.3 * i as f64)),
        ),
    ]
}

/// The bins of the weighted signal, in `f64`.
fn reference(input: &[f32], window: Window) -> Vec<(f64, f64)> {
    let weight = |n: usize| window.coefficient(Symmetry::Periodic, n, input.len());
    let weighted: Vec<f64> = input
        .iter()
        .enumerate()
        .map(|(n, x)| f64::from(*x) * weight(n))
        .collect();
    half_spectrum(&weighted)
}

fn absolute(bins: &[(f64, f64)]) -> Vec<f64> {
    bins.iter().map(|(re, im)| re.hypot(*im)).collect()
}

/// The computation of a caller of FFTW: weights and magnitudes in `f32`.
fn magnitudes_by_fftw(fftw: &Fftw, input: &[f32], window: Window) -> Vec<f32> {
    let mut weights = vec![0.0; input.len()];
    window.fill(Symmetry::Periodic, &mut weights);
    let weighted: Vec<f32> = input.iter().zip(&weights).map(|(x, w)| x * w).collect();
    let bins = fftw.half_spectrum(&weighted);
    bins.into_iter()
        .map(|(re, im)| (re * re + im * im).sqrt())
        .collect()
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt()
}

#[test]
fn magnitudes_are_within_the_bounds_and_as_good_as_those_of_fftw() {
    let fftw = Fftw::load();
    for (size, window) in sizes().flat_map(|size| WINDOWS.map(|window| (size, window))) {
        let plans = plans(size, window, Normalization::None);
        for (kind, signals) in kinds(size) {
            let references: Vec<_> = signals.iter().map(|s| absolute(&reference(s, window))).collect();
            let errors_of = |spectrum: &dyn Fn(&[f32]) -> Vec<f32>| -> Vec<f64> {
                let pairs = signals.iter().zip(&references);
                pairs
                    .map(|(s, expected)| relative_l2(&spectrum(s), expected))
                    .collect()
            };
            let theirs = fftw
                .as_ref()
                .map(|fftw| root_mean_square(&errors_of(&|s| magnitudes_by_fftw(fftw, s, window))));
            for plan in &plans {
                let what = format!("{kind}, {size} {window:?}, {}", plan.instruction_set());
                let ours = errors_of(&|s| magnitudes(plan, s));
                let (bound, over_fftw) = match kind {
                    "noise" if COMPARED.contains(&size) => {
                        (NOISE_BOUND, over_fftw(plan.instruction_set())[0])
                    }
                    _ => (bound(size), over_fftw(plan.instruction_set())[1]),
                };
                assert!(ours.iter().all(|error| *error <= bound), "{what}: {ours:?}");
                if let Some(theirs) = theirs.filter(|_| COMPARED.contains(&size)) {
                    let ours = root_mean_square(&ours);
                    assert!(ours <= over_fftw * theirs, "{what}: {ours:e}, FFTW {theirs:e}");
                }
            }
        }
    }
}

#[test]
fn other_forms_are_within_the_bound() {
    for size in sizes() {
        let input = noise(size as u32, size);
        let bins = reference(&input, Window::Hann);
        let parts: Vec<f64> = bins.iter().flat_map(|(re, im)| [*re, *im]).collect();
        let powers: Vec<f64> = bins.iter().map(|(re, im)| re * re + im * im).collect();
        for plan in plans(size, Window::Hann, Normalization::None) {
            let what = format!("{size}, {}", plan.instruction_set());
            let error = relative_l2(&complex(&plan, &input), &parts);
            assert!(error <= bound(size), "complex, {what}: {error:e}");

            let power = run(SpectrumPlan::power, &plan, &input, plan.bins());
            let error = relative_l2(&power, &powers);
            assert!(error <= 2.0 * bound(size), "power, {what}: {error:e}");

            let levels = run(SpectrumPlan::decibels, &plan, &input, plan.bins());
            for (bin, (level, power)) in levels.iter().zip(power).enumerate() {
                let expected = 10.0 * f64::from(power).log10();
                // Two roundings of a number of up to 128.
                assert!(
                    (f64::from(*level) - expected).abs() < 2e-5,
                    "{what}, bin {bin}: {level} {expected}"
                );
            }
        }
    }
}

#[test]
fn paths_agree() {
    for size in sizes() {
        let input = noise(size as u32, size);
        let plans = plans(size, Window::Hann, Normalization::Amplitude);
        let wide = |values: Vec<f32>| -> Vec<f64> { values.into_iter().map(f64::from).collect() };
        let (magnitudes_of_plain, complex_of_plain) = {
            let plain = plans.last().expect("plain arrays are everywhere");
            (wide(magnitudes(plain, &input)), wide(complex(plain, &input)))
        };
        for plan in &plans {
            let errors = [
                relative_l2(&magnitudes(plan, &input), &magnitudes_of_plain),
                relative_l2(&complex(plan, &input), &complex_of_plain),
            ];
            assert!(
                errors.iter().all(|error| *error <= bound(size)),
                "{size}, {}: {errors:?}",
                plan.instruction_set()
            );
        }
    }
}

#[test]
fn other_bins_of_an_on_bin_sine_are_below_135_db() {
    for size in sizes() {
        for bin in [1, 5, size / 4, size / 2 - 3] {
            let signal = sine(size, bin as f64, size as f64, 1.0, 0.2);
            for plan in plans(size, Window::Rectangular, Normalization::Amplitude) {
                let levels = run(SpectrumPlan::decibels, &plan, &signal, plan.bins());
                for (other, level) in levels.iter().enumerate().filter(|(other, _)| *other != bin) {
                    let path = plan.instruction_set();
                    assert!(
                        *level < -135.0,
                        "{size}, {path}, sine in bin {bin}: {level} dB in bin {other}"
                    );
                }
            }
        }
    }
}

#[test]
fn neither_addresses_nor_old_contents_change_a_bit() {
    for size in sizes() {
        let input = noise(9, size);
        for plan in plans(size, Window::Hann, Normalization::None) {
            let expected = magnitudes(&plan, &input);
            for (offset, dirt) in [(1, 0.0), (2, f32::INFINITY), (3, f32::MAX), (5, -1.0)] {
                let mut moved = vec![0.0; offset];
                moved.extend(&input);
                let mut output = vec![dirt; offset + size / 2];
                let mut scratch = vec![dirt; offset + plan.scratch_len()];
                plan.magnitudes(&moved[offset..], &mut output[offset..], &mut scratch[offset..])
                    .expect("matching lengths");
                assert!(
                    output[offset..] == expected[..size / 2],
                    "{size}, {}, {dirt} in the scratch",
                    plan.instruction_set()
                );
            }
        }
    }
}

#[test]
fn silence_is_exactly_zero_in_every_form() {
    for size in sizes() {
        for plan in plans(size, Window::Hann, Normalization::Amplitude) {
            let silence = vec![0.0; size];
            for (name, form) in REAL_FORMS {
                let expected = if name == "decibels" { DECIBEL_FLOOR } else { 0.0 };
                let output = run(form, &plan, &silence, plan.bins());
                assert!(
                    output.iter().all(|x| *x == expected),
                    "{name}, {size}, {}",
                    plan.instruction_set()
                );
            }
            assert!(
                complex(&plan, &silence).iter().all(|x| *x == 0.0),
                "{size}, {}",
                plan.instruction_set()
            );
        }
    }
}

#[test]
fn denormal_samples_lose_digits_and_nothing_else() {
    let least = f64::from(f32::from_bits(1));
    for size in sizes() {
        let input: Vec<f32> = noise(4, size).into_iter().map(|x| x * 1e-40).collect();
        let expected = reference(&input, Window::Rectangular);
        for plan in plans(size, Window::Rectangular, Normalization::None) {
            // Each of N samples is rounded to a multiple of the least number when it is weighted, and in each pass.
            let tolerance = least * 4.0 * (size as f64).sqrt() * f64::from(size.ilog2());
            for (bin, (parts, expected)) in complex(&plan, &input).chunks_exact(2).zip(&expected).enumerate()
            {
                let distance = (f64::from(parts[0]) - expected.0).hypot(f64::from(parts[1]) - expected.1);
                assert!(
                    distance <= tolerance,
                    "{size}, {}, bin {bin}: {distance:e}",
                    plan.instruction_set()
                );
            }
            assert!(
                magnitudes(&plan, &input).iter().all(|x| *x == 0.0),
                "{size}, {}",
                plan.instruction_set()
            );
        }
    }
}

#[test]
fn nan_and_infinity_reach_every_bin() {
    for size in sizes() {
        for plan in plans(size, Window::Hann, Normalization::None) {
            for (bad, place) in [
                (f32::NAN, 0),
                (f32::INFINITY, size / 2),
                (f32::NEG_INFINITY, size - 1),
            ] {
                let what = format!("{bad} at {place} of {size}, {}", plan.instruction_set());
                let mut input = noise(5, size);
                input[place] = bad;
                for (name, form) in REAL_FORMS {
                    let output = run(form, &plan, &input, plan.bins());
                    assert!(output.iter().all(|x| !x.is_finite()), "{name}, {what}");
                }
                let reached = |bin: &[f32]| bin.iter().any(|x| !x.is_finite());
                assert!(
                    complex(&plan, &input).chunks_exact(2).all(reached),
                    "complex, {what}"
                );
            }
        }
    }
}

/// The variable is read once in a process: the test runs again in one that has it set.
#[test]
#[expect(clippy::disallowed_methods, reason = "no realtime thread is here")]
fn environment_names_the_path_of_plans_without_one() {
    const NAME: &str = "environment_names_the_path_of_plans_without_one";
    if let Ok(expected) = std::env::var("RUSTLE_EXPECTED_PATH") {
        let plan = SpectrumPlan::new(256, Window::Hann, Symmetry::Periodic, Normalization::None);
        let got = plan.map_or_else(
            |error| error.to_string(),
            |plan| plan.instruction_set().to_string(),
        );
        assert!(got.contains(&expected), "expected {expected}, got {got}");
        return;
    }
    let names = "expected one of avx512 avx2 neon narrow plain";
    let mut cases = vec![
        ("", InstructionSet::widest().to_string()),
        ("fast", names.to_string()),
        ("AVX2", names.to_string()),
    ];
    for path in InstructionSet::ALL {
        let refused = if path.is_available() { "" } else { "got " };
        cases.push((path.name(), format!("{refused}{path}")));
    }
    for (variable, expected) in cases {
        let output = this_program()
            .args([NAME, "--exact"])
            .env(INSTRUCTION_SET_VARIABLE, variable)
            .env("RUSTLE_EXPECTED_PATH", expected)
            .output()
            .expect("the test runs again");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{variable}: {text}");
    }
}
