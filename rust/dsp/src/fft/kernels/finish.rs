//! The outputs of a spectrum, written straight from the registers.

use super::complex::Complex;
use super::lanes::Lanes;
use super::points;
use super::rows::across_in_blocks;
use std::cell::Cell;
use std::marker::PhantomData;

/// The places of four vectors of bins: the first two begin at `first` and go upwards. The others are mirrors, which begin at `last`
/// and go downwards: lane i is the conjugate of bin `last` - i.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) first: [usize; 2],
    pub(super) last: [usize; 2],
}

/// The destination of the bins, for one of the outputs.
pub(super) trait Output {
    /// Takes four vectors of V bins.
    ///
    /// The places are looked up before `bins` is called, so that what follows has no branch: across one, the compiler makes
    /// no vectors of plain arrays.
    fn square<L: Lanes>(&mut self, places: Places, bins: impl FnOnce() -> [Complex<L>; 4]);

    /// Takes the bins of any number of points, a multiple of four, as rows of one block whose last transform is still to be
    /// done; `places` are those of the first point's bins.
    #[inline(always)]
    fn points<L: Lanes>(&mut self, places: Places, rows: &[Complex<L>]) {
        self.squares(places, rows);
    }

    /// `points` square by square.
    #[inline(always)]
    fn squares<L: Lanes>(&mut self, Places { first, last }: Places, rows: &[Complex<L>]) {
        for (group, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
            let (first, last) = (first.map(|bin| bin + 4 * group), last.map(|bin| bin - 4 * group));
            L::turn();
            self.square(
                Places { first, last },
                #[inline(always)]
                || across_in_blocks(*rows),
            );
        }
    }

    /// Takes four vectors of V bins, each in `RUNS` runs of V / `RUNS` bins. The next run begins `step` bins further, in the
    /// direction of its vector.
    fn runs<L: Lanes, const RUNS: usize>(&mut self, places: Places, step: usize, bins: [Complex<L>; 4]);

    /// Takes V bins that are `step` apart: of the lower half of the lanes i, bin `first` + i `step`; of the others, as
    /// mirrors, bin N - `first` - i `step`, where N = V `step`.
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>);

    /// `spread` of four bins, one by one.
    fn spread_four(&mut self, first: usize, step: usize, bins: [Complex<f32>; 4]);
}

/// An output with one value per bin, from its power.
pub(super) trait Real {
    fn value<L: Lanes>(power: L) -> L;

    /// The same of one number.
    fn single(power: f32) -> f32;
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

    #[inline(always)]
    fn single(power: f32) -> f32 {
        power.sqrt()
    }
}

impl Real for Power {
    #[inline(always)]
    fn value<L: Lanes>(power: L) -> L {
        power
    }

    #[inline(always)]
    fn single(power: f32) -> f32 {
        power
    }
}

/// One value per bin, N/2 + 1 of them, or N/2 to leave out the last bin.
pub(super) struct Reals<'a, F> {
    values: &'a mut [f32],
    form: PhantomData<F>,
}

impl<'a, F: Real> Reals<'a, F> {
    pub(super) fn new(values: &'a mut [f32]) -> Self {
        Self {
            values,
            form: PhantomData,
        }
    }
}

impl<F: Real> Output for Reals<'_, F> {
    #[inline(always)]
    fn square<L: Lanes>(&mut self, Places { first, last }: Places, bins: impl FnOnce() -> [Complex<L>; 4]) {
        // Bin N/2, the highest, is the last of its vector. Where the caller leaves it out, the vector is stored one place
        // too low, and moved.
        let values = Cell::from_mut(&mut *self.values).as_slice_of_cells();
        let highest = values.len() - L::COUNT;
        let (second, left_out) = (last[0] + 1 - L::COUNT, last[0] == values.len());
        let up = first.map(|first| &values[first..first + L::COUNT]);
        let down = [second.min(highest), last[1] + 1 - L::COUNT].map(|at| &values[at..at + L::COUNT]);
        let below = down[0][0].get();

        let [a, b, c, d] = bins().map(|bins| F::value(bins.power()));
        a.store(up[0]);
        b.store(up[1]);
        c.reversed().store(down[0]);
        d.reversed().store(down[1]);
        if left_out {
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
        let values = Cell::from_mut(&mut *self.values).as_slice_of_cells();
        let [a, b, c, d] = bins.map(|bins| F::value(bins.power()));
        let lowest = last.map(|last| lowest::<L, RUNS>(last, step));
        a.store_runs::<RUNS>(values, first[0], step);
        b.store_runs::<RUNS>(values, first[1], step);
        d.reversed().store_runs::<RUNS>(values, lowest[1], step);
        // Bin N/2, the highest, ends the last run of its vector. The caller may leave it out.
        if last[0] < values.len() {
            c.reversed().store_runs::<RUNS>(values, lowest[0], step);
        } else {
            store_but_last::<L, RUNS>(c.reversed(), values, lowest[0], step);
        }
    }

    #[inline(always)]
    fn points<L: Lanes>(&mut self, places: Places, rows: &[Complex<L>]) {
        if !L::BY_POINTS {
            return self.squares(places, rows);
        }
        let value = |bin: Complex<f32>| F::single(bin.re * bin.re + bin.im * bin.im);
        points::write(self.values, places, rows, value, value);
    }

    #[inline(always)]
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>) {
        let values = lanes(F::value(bins.power()));
        for lane in 0..L::COUNT / 2 {
            self.values[first + lane * step] = values[lane];
            // Lane V - 1 - i is bin N - step - i step + first.
            self.values[step - first + lane * step] = values[L::COUNT - 1 - lane];
        }
    }

    #[inline(always)]
    fn spread_four(&mut self, first: usize, step: usize, bins: [Complex<f32>; 4]) {
        let [a, b, c, d] = bins.map(|bin| F::single(bin.re * bin.re + bin.im * bin.im));
        self.values[first] = a;
        self.values[first + step] = b;
        self.values[2 * step - first] = c;
        self.values[step - first] = d;
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
}

impl Output for Pairs<'_> {
    #[inline(always)]
    fn square<L: Lanes>(&mut self, Places { first, last }: Places, bins: impl FnOnce() -> [Complex<L>; 4]) {
        let parts = Cell::from_mut(&mut *self.parts).as_slice_of_cells();
        let place = |bin: usize| parts[2 * bin..2 * (bin + L::COUNT)].split_at(L::COUNT);
        let up = first.map(place);
        let down = last.map(|last| place(last + 1 - L::COUNT));

        let [a, b, c, d] = bins();
        for (bins, place) in [
            (a, up[0]),
            (b, up[1]),
            (c.mirrored(), down[0]),
            (d.mirrored(), down[1]),
        ] {
            let [low, high] = L::interleave(bins.re, bins.im);
            low.store(place.0);
            high.store(place.1);
        }
    }

    #[inline(always)]
    fn runs<L: Lanes, const RUNS: usize>(
        &mut self,
        Places { first, last }: Places,
        step: usize,
        bins: [Complex<L>; 4],
    ) {
        let parts = Cell::from_mut(&mut *self.parts).as_slice_of_cells();
        let lowest = last.map(|last| lowest::<L, RUNS>(last, step));
        let [a, b, c, d] = bins;
        for (bins, place) in [
            (a, first[0]),
            (b, first[1]),
            (c.mirrored(), lowest[0]),
            (d.mirrored(), lowest[1]),
        ] {
            // Each of the two vectors has half of the runs, twice as long.
            let [low, high] = L::interleave(bins.re, bins.im);
            let halves = [(low, place), (high, place + RUNS / 2 * step)];
            for (half, place) in halves {
                match RUNS {
                    2 => half.store(&parts[2 * place..2 * place + L::COUNT]),
                    _ => half.store_runs::<2>(parts, 2 * place, 2 * step),
                }
            }
        }
    }

    #[inline(always)]
    fn points<L: Lanes>(&mut self, places: Places, rows: &[Complex<L>]) {
        if !L::BY_POINTS {
            return self.squares(places, rows);
        }
        let (bins, _) = self.parts.as_chunks_mut::<2>();
        let (bin, mirror) = (|x: Complex<f32>| [x.re, x.im], |x: Complex<f32>| [x.re, -x.im]);
        points::write(bins, places, rows, bin, mirror);
    }

    #[inline(always)]
    fn spread<L: Lanes>(&mut self, first: usize, step: usize, bins: Complex<L>) {
        let (re, im) = (lanes(bins.re), lanes(bins.im));
        for lane in 0..L::COUNT / 2 {
            let (bin, mirror) = (first + lane * step, step - first + lane * step);
            let opposite = L::COUNT - 1 - lane;
            self.parts[2 * bin] = re[lane];
            self.parts[2 * bin + 1] = im[lane];
            self.parts[2 * mirror] = re[opposite];
            self.parts[2 * mirror + 1] = -im[opposite];
        }
    }

    #[inline(always)]
    fn spread_four(&mut self, first: usize, step: usize, [a, b, c, d]: [Complex<f32>; 4]) {
        let (bins, _) = self.parts.as_chunks_mut::<2>();
        bins[first] = [a.re, a.im];
        bins[first + step] = [b.re, b.im];
        bins[2 * step - first] = [c.re, -c.im];
        bins[step - first] = [d.re, -d.im];
    }
}

/// As `Lanes::store_runs`, of a last run that ends one place too high all but that lane.
#[inline(always)]
pub(super) fn store_but_last<L: Lanes, const RUNS: usize>(
    vector: L,
    values: &[Cell<f32>],
    first: usize,
    step: usize,
) {
    let (lanes, length) = (lanes(vector), L::COUNT / RUNS);
    for lane in 0..L::COUNT - 1 {
        values[first + lane / length * step + lane % length].set(lanes[lane]);
    }
}

/// The lowest place of runs that go downwards from `last`.
#[inline(always)]
pub(super) fn lowest<L: Lanes, const RUNS: usize>(last: usize, step: usize) -> usize {
    last + 1 - L::COUNT / RUNS - (RUNS - 1) * step
}

/// The lanes of a vector, one by one: the first V elements.
#[inline(always)]
pub(super) fn lanes<L: Lanes>(vector: L) -> [f32; 16] {
    let mut lanes = [0.0; 16];
    vector.store(Cell::from_mut(&mut lanes[..L::COUNT]).as_slice_of_cells());
    lanes
}
