//! A complex FFT of 2^m points: Stockham's self-sorting form, radix 4 with one radix-2 stage when m is odd.
//!
//! Stockham's form writes each stage into the other of two buffers in an order that leaves the last one sorted, so that
//! there is no bit reversal, and the inner loop runs over adjacent elements. Real and imaginary parts are separate
//! arrays, which a compiler can turn into vector code.

use super::root_of_unity;

/// The twiddle factors w, w^2, w^3 of one butterfly, real and imaginary.
type Twiddles = [(f32, f32); 3];

/// The stages of a forward transform of `size` complex points.
pub(crate) struct ComplexPlan {
    size: usize,
    /// The twiddle factors of the radix-4 stages, first stage first; stage j has `size` / 4^(j + 1) entries.
    stages: Box<[Box<[Twiddles]>]>,
    /// Whether a radix-2 stage follows.
    ends_in_radix_2: bool,
}

/// `size` complex numbers: the real parts, and the imaginary parts.
pub(crate) struct Parts<'a> {
    pub(crate) re: &'a mut [f32],
    pub(crate) im: &'a mut [f32],
}

impl ComplexPlan {
    /// A plan for `size` points, a power of two of at least 4.
    pub(crate) fn new(size: usize) -> Self {
        let mut stages = Vec::new();
        let mut length = size;
        while length >= 4 {
            stages.push((0..length / 4).map(|p| twiddles(p, length)).collect());
            length /= 4;
        }
        Self {
            size,
            stages: stages.into_boxed_slice(),
            ends_in_radix_2: length == 2,
        }
    }

    /// Whether the number of stages is odd: the result of `forward` is then in the second buffer.
    pub(crate) fn swaps(&self) -> bool {
        (self.stages.len() + usize::from(self.ends_in_radix_2)) % 2 == 1
    }

    /// Transforms the points in `from`, using both buffers, each of `size` points. The result is in `from`, or in `to`
    /// when `swaps` says so.
    pub(crate) fn forward<'a>(&self, mut from: Parts<'a>, mut to: Parts<'a>) {
        let mut stride = 1;
        for stage in &self.stages {
            radix_4(stage, stride, &from, &mut to);
            std::mem::swap(&mut from, &mut to);
            stride *= 4;
        }
        if self.ends_in_radix_2 {
            radix_2(self.size / 2, &from, &mut to);
        }
    }
}

fn twiddles(p: usize, length: usize) -> Twiddles {
    [1, 2, 3].map(|power| {
        let (re, im) = root_of_unity(p * power, length);
        (re as f32, im as f32)
    })
}

/// One stage that turns each of `stride` interleaved transforms of length n into four of length n/4, where
/// n = 4 * `twiddles.len()`.
fn radix_4(twiddles: &[Twiddles], stride: usize, from: &Parts<'_>, to: &mut Parts<'_>) {
    let quarter = stride * twiddles.len();
    let outputs = to
        .re
        .chunks_exact_mut(4 * stride)
        .zip(to.im.chunks_exact_mut(4 * stride));
    for (p, (twiddles, (out_re, out_im))) in twiddles.iter().zip(outputs).enumerate() {
        let [(w1r, w1i), (w2r, w2i), (w3r, w3i)] = *twiddles;
        let first = stride * p;
        // Slices of one length: the loop below needs no bounds checks.
        let [ar, br, cr, dr] = [0, 1, 2, 3].map(|i| &from.re[first + i * quarter..][..stride]);
        let [ai, bi, ci, di] = [0, 1, 2, 3].map(|i| &from.im[first + i * quarter..][..stride]);
        let [y0r, y1r, y2r, y3r] = quarters(out_re, stride);
        let [y0i, y1i, y2i, y3i] = quarters(out_im, stride);
        for q in 0..stride {
            let (sum_acr, sum_aci) = (ar[q] + cr[q], ai[q] + ci[q]);
            let (dif_acr, dif_aci) = (ar[q] - cr[q], ai[q] - ci[q]);
            let (sum_bdr, sum_bdi) = (br[q] + dr[q], bi[q] + di[q]);
            // -i (b - d)
            let (dif_bdr, dif_bdi) = (bi[q] - di[q], dr[q] - br[q]);
            y0r[q] = sum_acr + sum_bdr;
            y0i[q] = sum_aci + sum_bdi;
            let (re, im) = (dif_acr + dif_bdr, dif_aci + dif_bdi);
            y1r[q] = re * w1r - im * w1i;
            y1i[q] = re * w1i + im * w1r;
            let (re, im) = (sum_acr - sum_bdr, sum_aci - sum_bdi);
            y2r[q] = re * w2r - im * w2i;
            y2i[q] = re * w2i + im * w2r;
            let (re, im) = (dif_acr - dif_bdr, dif_aci - dif_bdi);
            y3r[q] = re * w3r - im * w3i;
            y3i[q] = re * w3i + im * w3r;
        }
    }
}

/// The last stage when one factor of two is left over: `half` transforms of length 2, without twiddle factors.
fn radix_2(half: usize, from: &Parts<'_>, to: &mut Parts<'_>) {
    for (from, to) in [(&*from.re, &mut *to.re), (&*from.im, &mut *to.im)] {
        let (a, b) = from.split_at(half);
        let (sum, difference) = to.split_at_mut(half);
        for q in 0..half {
            sum[q] = a[q] + b[q];
            difference[q] = a[q] - b[q];
        }
    }
}

/// The four consecutive parts of `stride` elements of a slice of 4 * `stride`.
fn quarters(slice: &mut [f32], stride: usize) -> [&mut [f32]; 4] {
    let (a, rest) = slice.split_at_mut(stride);
    let (b, rest) = rest.split_at_mut(stride);
    let (c, d) = rest.split_at_mut(stride);
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::dft;
    use rustle_testkit::{noise, relative_l2};

    #[test]
    fn agrees_with_the_definition_for_even_and_odd_numbers_of_stages() {
        for size in [4, 8, 16, 32, 64, 128, 256, 512, 1024] {
            let (mut re, mut im) = (noise(1, size), noise(2, size));
            let expected = definition(&re, &im);
            let (mut other_re, mut other_im) = (vec![f32::NAN; size], vec![f32::NAN; size]);
            let plan = ComplexPlan::new(size);
            plan.forward(
                Parts {
                    re: &mut re,
                    im: &mut im,
                },
                Parts {
                    re: &mut other_re,
                    im: &mut other_im,
                },
            );
            let result = if plan.swaps() {
                [other_re, other_im]
            } else {
                [re, im]
            };
            let error = relative_l2(&result.concat(), &expected);
            assert!(error < 2e-7, "{size} points: relative error {error:e}");
        }
    }

    /// The transform of re + i im by linearity from the two real ones, real parts first.
    fn definition(re: &[f32], im: &[f32]) -> Vec<f64> {
        let [re, im] = [re, im].map(|part| part.iter().copied().map(f64::from).collect::<Vec<_>>());
        let bins: Vec<_> = (0..re.len())
            .map(|k| {
                let ((rr, ri), (ir, ii)) = (dft::bin(&re, k), dft::bin(&im, k));
                (rr - ii, ri + ir)
            })
            .collect();
        let real = bins.iter().map(|bin| bin.0);
        let imaginary = bins.iter().map(|bin| bin.1);
        real.chain(imaginary).collect()
    }
}
