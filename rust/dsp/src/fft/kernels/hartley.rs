//! The inverse by the forward kernel: a Hermitian spectrum as a real sequence.
//!
//! Let X be the spectrum of N real samples x, and h[k] = Re X[k] - Im X[k] for all k below N, which with X[N - k] =
//! conj X[k] takes the bins 0 to N/2 alone. With c and s for the cosine and the sine of 2 pi k n / N, the transform G of h
//! is the sum of h[k] (c - i s); the parts of h that are even and odd in k leave Re G[n] = sum of Re X[k] c and
//! Im G[n] = sum of Im X[k] s. So x[n] = (Re G[n] - Im G[n]) / N, and x[N - n] = (Re G[n] + Im G[n]) / N.

use super::complex::Complex;
use super::finish::{Output, Places, lanes, lowest, store_but_last};
use super::lanes::Lanes;
use std::cell::Cell;

/// Writes h, N values, from the real and imaginary parts of the bins 0 to N/2, N + 2 values. The imaginary parts of bin 0
/// and bin N/2, which a real signal does not have, are left out. Both edge bins are multiplied by `edge`.
#[inline(always)]
pub(super) fn fold(bins: &[f32], edge: f32, sequence: &mut [f32]) {
    let (pairs, _) = bins.as_chunks::<2>();
    let half = sequence.len() / 2;
    let (low, high) = sequence.split_at_mut(half);
    let inner = &pairs[1..half];
    for (value, [re, im]) in low[1..].iter_mut().zip(inner) {
        *value = re - im;
    }
    for (value, [re, im]) in high[1..].iter_mut().rev().zip(inner) {
        *value = re + im;
    }
    low[0] = pairs[0][0] * edge;
    high[0] = pairs[half][0] * edge;
}

/// An output other than bins: with the transform of h in their place, the N samples of x.
pub(super) struct Samples<'a> {
    samples: &'a [Cell<f32>],
}

impl<'a> Samples<'a> {
    pub(super) fn new(samples: &'a mut [f32]) -> Self {
        Self {
            samples: Cell::from_mut(samples).as_slice_of_cells(),
        }
    }
}

impl Output for Samples<'_> {
    #[inline(always)]
    fn square<L: Lanes>(&mut self, Places { first, last }: Places, bins: impl FnOnce() -> [Complex<L>; 4]) {
        // Value n gives sample n and sample N - n. There is no sample N: the vector that would end there is stored one
        // place too low, and moved.
        let length = self.samples.len();
        let (second, has_end) = (length - first[0] + 1 - L::COUNT, first[0] == 0);
        let from = |at: usize| &self.samples[at..at + L::COUNT];
        let up = [first[0], first[1], length - last[0], length - last[1]].map(from);
        let down = [
            second.min(length - L::COUNT),
            length - first[1] + 1 - L::COUNT,
            last[0] + 1 - L::COUNT,
            last[1] + 1 - L::COUNT,
        ]
        .map(from);
        let below = down[0][0].get();

        let [a, b, c, d] = bins();
        // Of the last two come the conjugates.
        let rising = [a.re - a.im, b.re - b.im, c.re - c.im, d.re - d.im];
        let falling = [a.re + a.im, b.re + b.im, c.re + c.im, d.re + d.im];
        for lane in 0..4 {
            rising[lane].store(up[lane]);
            falling[lane].reversed().store(down[lane]);
        }
        if has_end {
            for lane in (1..L::COUNT).rev() {
                down[0][lane].set(down[0][lane - 1].get());
            }
            down[0][0].set(below);
        }
    }

    #[inline(always)]
    fn runs<L: Lanes, const RUNS: usize>(
        &mut self,
        Places { first, last }: Places,
        step: usize,
        bins: [Complex<L>; 4],
    ) {
        let [a, b, c, d] = bins;
        let length = self.samples.len();
        // Of the last two come the conjugates.
        let values = [
            (a, first[0]),
            (b, first[1]),
            (c, length - last[0]),
            (d, length - last[1]),
        ];
        for (bins, first) in values {
            let (rising, falling) = (bins.re - bins.im, (bins.re + bins.im).reversed());
            let lowest = lowest::<L, RUNS>(length - first, step);
            rising.store_runs::<RUNS>(self.samples, first, step);
            // There is no sample N.
            if first > 0 {
                falling.store_runs::<RUNS>(self.samples, lowest, step);
            } else {
                store_but_last::<L, RUNS>(falling, self.samples, lowest, step);
            }
        }
    }

    #[inline(always)]
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>) {
        let (rising, falling) = (lanes(bins.re - bins.im), lanes(bins.re + bins.im));
        for lane in 0..L::COUNT {
            let at = first + lane * step;
            self.samples[at].set(rising[lane]);
            self.samples[self.samples.len() - at].set(falling[lane]);
        }
    }

    #[inline(always)]
    fn spread_four(&mut self, first: usize, step: usize, bins: [Complex<f32>; 4]) {
        for (lane, bin) in bins.into_iter().enumerate() {
            let at = first + lane * step;
            self.samples[at].set(bin.re - bin.im);
            self.samples[self.samples.len() - at].set(bin.re + bin.im);
        }
    }
}
