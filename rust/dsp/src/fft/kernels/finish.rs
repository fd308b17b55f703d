//! What becomes of the bins: the forms of a spectrum, written straight from the registers.

use super::complex::Complex;
use super::lanes::Lanes;

/// Where the bins go, in one of the forms.
pub(super) trait Output {
    /// Takes V bins from bin `first` upwards.
    fn ascending<L: Lanes>(&mut self, first: usize, bins: Complex<L>);

    /// Takes the mirrors of V bins, from bin `last` downwards: lane i is the conjugate of bin `last` - i.
    fn descending<L: Lanes>(&mut self, last: usize, bins: Complex<L>);

    /// Takes V bins that are `step` apart: of the lower half of the lanes i, bin `first` + i `step`; of the others, as
    /// mirrors, bin N - `first` - i `step`, where N = V `step`.
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>);
}

/// A form with one value per bin, from its power.
pub(super) trait Real {
    fn value<L: Lanes>(power: L) -> L;
}

/// The absolute value.
pub(super) struct Magnitude;

/// The square of the absolute value.
pub(super) struct Power;

impl Real for Magnitude {
    #[inline(always)]
    fn value<L: Lanes>(power: L) -> L {
        power.sqrt()
    }
}

impl Real for Power {
    #[inline(always)]
    fn value<L: Lanes>(power: L) -> L {
        power
    }
}

/// One value per bin, N/2 + 1 of them, or N/2 to leave out the last bin.
pub(super) struct Reals<'a, F> {
    values: &'a mut [f32],
    form: std::marker::PhantomData<F>,
}

impl<'a, F: Real> Reals<'a, F> {
    pub(super) fn new(values: &'a mut [f32]) -> Self {
        Self {
            values,
            form: std::marker::PhantomData,
        }
    }
}

impl<F: Real> Output for Reals<'_, F> {
    #[inline(always)]
    fn ascending<L: Lanes>(&mut self, first: usize, bins: Complex<L>) {
        F::value(bins.power()).store(&mut self.values[first..first + L::COUNT]);
    }

    #[inline(always)]
    fn descending<L: Lanes>(&mut self, last: usize, bins: Complex<L>) {
        let values = F::value(bins.power()).reversed();
        let first = last + 1 - L::COUNT;
        if let Some(place) = self.values.get_mut(first..=last) {
            values.store(place);
        } else {
            // Bin N/2, which the caller leaves out, is the highest.
            let mut all = [0.0; 16];
            values.store(&mut all[..L::COUNT]);
            self.values[first..last].copy_from_slice(&all[..L::COUNT - 1]);
        }
    }

    #[inline(always)]
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>) {
        let mut all = [0.0; 16];
        F::value(bins.power()).store(&mut all[..L::COUNT]);
        for lane in 0..L::COUNT / 2 {
            self.values[first + lane * step] = all[lane];
            // Lane V - 1 - i is bin N - step - i step + first.
            self.values[step - first + lane * step] = all[L::COUNT - 1 - lane];
        }
    }
}

/// The bins themselves: real and imaginary part by turns, N + 2 elements.
pub(super) struct Pairs<'a> {
    parts: &'a mut [f32],
}

impl<'a> Pairs<'a> {
    pub(super) fn new(parts: &'a mut [f32]) -> Self {
        Self { parts }
    }

    #[inline(always)]
    fn store<L: Lanes>(&mut self, first: usize, bins: Complex<L>) {
        let [low, high] = L::interleave(bins.re, bins.im);
        let place = &mut self.parts[2 * first..2 * (first + L::COUNT)];
        low.store(&mut place[..L::COUNT]);
        high.store(&mut place[L::COUNT..]);
    }
}

impl Output for Pairs<'_> {
    #[inline(always)]
    fn ascending<L: Lanes>(&mut self, first: usize, bins: Complex<L>) {
        self.store(first, bins);
    }

    #[inline(always)]
    fn descending<L: Lanes>(&mut self, last: usize, bins: Complex<L>) {
        let mirrors = Complex {
            re: bins.re.reversed(),
            im: -bins.im.reversed(),
        };
        self.store(last + 1 - L::COUNT, mirrors);
    }

    #[inline(always)]
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>) {
        let (mut re, mut im) = ([0.0; 16], [0.0; 16]);
        bins.re.store(&mut re[..L::COUNT]);
        bins.im.store(&mut im[..L::COUNT]);
        for lane in 0..L::COUNT / 2 {
            let (bin, mirror) = (first + lane * step, step - first + lane * step);
            let opposite = L::COUNT - 1 - lane;
            self.parts[2 * bin] = re[lane];
            self.parts[2 * bin + 1] = im[lane];
            self.parts[2 * mirror] = re[opposite];
            self.parts[2 * mirror + 1] = -im[opposite];
        }
    }
}
