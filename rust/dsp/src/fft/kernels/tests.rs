//! The generic algorithm in every vector type, those of other machines' widths included: eight and sixteen lanes in plain
//! arrays. What is public of this is tested in `tests/paths.rs`.

use super::*;
use crate::fft::{SIZES, dft};
use rustle_testkit::{half_spectrum, noise, relative_l2};

/// See `tests/paths.rs`.
const BOUND: f64 = 2e-7;

/// Each kernel that this machine can run for frames of `size` samples without a window.
fn all(size: usize) -> Vec<(&'static str, Box<dyn Kernel>)> {
    let (roots, weights) = (Roots::new(size), vec![1.0; size]);
    let all = [
        ("4 plain", made::<plain::Plain<1>>(&roots, &weights)),
        ("8 plain", made::<plain::Plain<2>>(&roots, &weights)),
        ("16 plain", made::<plain::Plain<4>>(&roots, &weights)),
        #[cfg(target_arch = "x86_64")]
        ("SSE2", made::<narrow::Narrow>(&roots, &weights)),
        #[cfg(target_arch = "x86_64")]
        ("AVX2", made::<avx2::Avx2<false>>(&roots, &weights)),
        #[cfg(target_arch = "x86_64")]
        ("256 bits of AVX-512", made::<avx2::Avx2<true>>(&roots, &weights)),
        #[cfg(target_arch = "x86_64")]
        ("AVX-512", made::<avx512::Avx512>(&roots, &weights)),
        #[cfg(target_arch = "aarch64")]
        ("NEON", made::<neon::Neon>(&roots, &weights)),
    ];
    let made = all.into_iter();
    made.filter_map(|(name, kernel)| Some((name, kernel?))).collect()
}

type Output = fn(&dyn Kernel, &[f32], &mut [f32], &mut [f32]);

fn run(form: Output, kernel: &dyn Kernel, input: &[f32], elements: usize) -> Vec<f32> {
    let mut output = vec![f32::NAN; elements];
    form(
        kernel,
        input,
        &mut output,
        &mut vec![f32::NAN; input.len() + SCRATCH_SLACK],
    );
    output
}

#[test]
fn every_width_gives_every_form() {
    let sizes = (SIZES.start().ilog2()..=SIZES.end().ilog2()).map(|power| 1_usize << power);
    for size in sizes {
        let input = noise(size as u32, size);
        let wide: Vec<f64> = input.iter().map(|x| f64::from(*x)).collect();
        let bins = half_spectrum(&wide);
        let magnitudes: Vec<f64> = bins.iter().map(|(re, im)| re.hypot(*im)).collect();
        let powers: Vec<f64> = magnitudes.iter().map(|x| x * x).collect();
        let parts: Vec<f64> = bins.iter().flat_map(|(re, im)| [*re, *im]).collect();
        let forms: [(&str, Output, &[f64], f64); 3] = [
            (
                "magnitudes",
                |k, i, o, s| k.magnitudes(i, o, s),
                &magnitudes,
                BOUND,
            ),
            ("power", |k, i, o, s| k.power(i, o, s), &powers, 2.0 * BOUND),
            ("complex", |k, i, o, s| k.complex(i, o, s), &parts, BOUND),
        ];
        for (name, kernel) in all(size) {
            for (form_name, form, expected, bound) in forms {
                let output = run(form, kernel.as_ref(), &input, expected.len());
                let error = relative_l2(&output, expected);
                assert!(error <= bound, "{form_name}, {size}, {name}: {error:e}");
                if form_name != "complex" {
                    let without_the_last = run(form, kernel.as_ref(), &input, size / 2);
                    assert!(
                        without_the_last == output[..size / 2],
                        "{form_name}, {size}, {name}"
                    );
                }
            }
        }
    }
}

#[test]
fn lanes_start_where_half_the_rows_of_a_square_are() {
    let count = |size: usize, name: &str| all(size).iter().filter(|(other, _)| *other == name).count();
    for (name, least) in [("4 plain", 64), ("8 plain", 64), ("16 plain", 256)] {
        assert_eq!(
            (count(least, name), count(least / 2, name)),
            (1, 0),
            "{name} from {least} samples"
        );
    }
}

#[test]
fn reference_is_the_definition() {
    let input: Vec<f64> = noise(3, 64).into_iter().map(f64::from).collect();
    for (fast, slow) in half_spectrum(&input).into_iter().zip(dft::half_spectrum(&input)) {
        assert!((fast.0 - slow.0).hypot(fast.1 - slow.1) < 1e-12);
    }
}
