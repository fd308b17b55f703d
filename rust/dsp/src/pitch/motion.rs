//! The movement of a tone's frequency within a frame.

use super::centred::{CentredSpectrum, ORIGIN, OVERSAMPLING};
use super::least_squares::Fit;
use super::linear::MAX_PARTIALS;
use std::f64::consts::{PI, TAU};

/// The number of times at which the phase is evaluated, on each side of the middle.
const SIDE: usize = 6;
const TIMES: usize = 2 * SIDE + 1;
/// The middle and the times on one side, in whole vectors.
const LANES: usize = (SIDE + 1).next_multiple_of(4);
/// The part of the frame that they span: nearer to its ends a narrow band rings.
const SPAN: f64 = 0.72;
/// The number of partials that are followed.
const FOLLOWED: usize = 4;
/// The largest distance of a bin that takes part from its partial, in bins of the frame.
const REACH: f64 = 12.0;

/// The frequency in the middle of a frame, and its rate of change there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    /// The difference from the mean frequency that a fit finds, in radians per sample.
    pub(super) offset: f64,
    /// The part of the phase's movement that a parabola of the frequency explains beyond a line, over the rest.
    pub(super) bend: f64,
}

impl Motion {
    /// Whether the frequency moves beyond doubt, so that its value in the middle is not the mean: a parabola explains many times
    /// what it leaves, the more so in frames of few periods, where few of the phases are independent, and shifts the frequency by
    /// eight times what noise may.
    #[inline(always)]
    pub(super) fn moves(&self, fit: &Fit, periods: f64) -> bool {
        let shift = self.offset.abs();
        periods > 4.0
            && self.bend > 8.0 + 1000.0 / (periods * periods)
            && shift > 8.0 * fit.deviation
            && shift < 0.035 * fit.frequency
    }
}

/// Follows the strongest partials of `fit` through the frame: each is moved to 0 Hz and cut out of its neighbours, and what
/// its phase does, over its order, is the tone's. A cubic polynomial of the phase has the frequency in the middle.
#[inline(always)]
pub(super) fn motion(spectrum: &CentredSpectrum, fit: &Fit) -> Motion {
    let root = (1.0 + fit.inharmonicity).sqrt();
    let to_bins = spectrum.size() as f64 / TAU;
    let half = (0.75 * fit.frequency * to_bins).min(REACH * OVERSAMPLING as f64);
    let step = SPAN * spectrum.length() as f64 / (TIMES - 1) as f64;
    // The phase's precision is that of the amplitude, and an order's share of it is divided by the order.
    let noise = fit.residual / spectrum.length() as f64;
    let mut strength = [0.0; MAX_PARTIALS];
    for (k, value) in strength.iter_mut().enumerate().take(fit.partials) {
        // A phase that noise determines carries no information.
        if fit.powers[k] * spectrum.length() as f64 > 200.0 * noise {
            *value = fit.powers[k] * ((k + 1) as f64).powi(2);
        }
    }
    let (mut total, mut phases) = (0.0, [0.0; TIMES]);
    for _ in 0..FOLLOWED {
        let Some((index, &weight)) = strength.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else {
            break;
        };
        if weight <= 0.0 {
            break;
        }
        strength[index] = 0.0;
        let order = (index + 1) as f64;
        let partial = order * fit.frequency / root * (1.0 + fit.inharmonicity * order * order).sqrt();
        let phase = envelope_phases(spectrum, partial * to_bins, half, step);
        for (sum, value) in phases.iter_mut().zip(phase) {
            *sum += weight * value / order;
        }
        total += weight;
    }
    if total <= 0.0 {
        return Motion::default();
    }
    for phase in &mut phases {
        *phase /= total;
    }
    cubic(&phases, step)
}

/// The phase of what lies within `half` bins of `bin`, moved to 0 Hz, at [`TIMES`] times `step` samples apart, less that in
/// the middle.
#[inline(always)]
fn envelope_phases(spectrum: &CentredSpectrum, bin: f64, half: f64, step: f64) -> [f64; TIMES] {
    let (low, high) = (
        (bin - half).ceil().max(0.0) as usize,
        (bin + half).floor() as usize,
    );
    let high = high.min(spectrum.bins() - 1);
    // From bin to bin, and from time to time, angles grow by the same: one sine and cosine follows from another.
    let turn = |angle: f64| angle.sin_cos();
    let away = low as f64 - bin;
    let mut at = multiples(TAU * away * step / spectrum.size() as f64);
    let by = multiples(TAU * step / spectrum.size() as f64);
    let (mut taper_sin, mut taper_cos) = turn(PI * away / half);
    let (taper_step_sin, taper_step_cos) = turn(PI / half);
    // The products of both parts with the sine and the cosine, whose sums and differences are those before and after the middle.
    let mut products = [[0.0; LANES]; 4];
    for bin in ORIGIN + low..=ORIGIN + high {
        let weight = 0.5 + 0.5 * taper_cos;
        let hann = |part: &[f32]| {
            let around = &part[bin - OVERSAMPLING..bin + OVERSAMPLING + 1];
            weight * f64::from(0.5 * around[OVERSAMPLING] + 0.25 * (around[0] + around[2 * OVERSAMPLING]))
        };
        let (x, y) = (hann(&spectrum.real), hann(&spectrum.imaginary));
        for j in 0..LANES {
            let [sin, cos] = [at[0][j], at[1][j]];
            products[0][j] += x * cos;
            products[1][j] += y * sin;
            products[2][j] += x * sin;
            products[3][j] += y * cos;
            at[0][j] = sin * by[1][j] + cos * by[0][j];
            at[1][j] = cos * by[1][j] - sin * by[0][j];
        }
        (taper_sin, taper_cos) = (
            taper_sin * taper_step_cos + taper_cos * taper_step_sin,
            taper_cos * taper_step_cos - taper_sin * taper_step_sin,
        );
    }
    let mut sums = [[0.0; 2]; TIMES];
    for j in 0..=SIDE {
        let [xc, ys, xs, yc] = products.map(|product| product[j]);
        sums[SIDE + j] = [xc - ys, xs + yc];
        sums[SIDE - j] = [xc + ys, yc - xs];
    }
    let mut phases = [0.0; TIMES];
    for j in 0..SIDE {
        for (now, before) in [(SIDE + j + 1, SIDE + j), (SIDE - j - 1, SIDE - j)] {
            let [x, y] = sums[now];
            let [u, v] = sums[before];
            phases[now] = phases[before] + (y * u - x * v).atan2(x * u + y * v);
        }
    }
    phases
}

/// The sines and cosines of 0, 1, 2 and so on times an angle.
#[inline(always)]
fn multiples(angle: f64) -> [[f64; LANES]; 2] {
    let (sin, cos) = angle.sin_cos();
    let mut multiples = [[0.0; LANES], [1.0; LANES]];
    for j in 1..LANES {
        let (s, c) = (multiples[0][j - 1], multiples[1][j - 1]);
        multiples[0][j] = s * cos + c * sin;
        multiples[1][j] = c * cos - s * sin;
    }
    multiples
}

/// The cubic polynomial through `phases`, by least squares; its slope in the middle.
#[inline(always)]
fn cubic(phases: &[f64; TIMES], step: f64) -> Motion {
    let mut sums = [0.0; 4];
    let mut moments = [0.0; 4];
    let time = |j: usize| j as f64 - SIDE as f64;
    for (j, phase) in phases.iter().enumerate() {
        let t = time(j);
        let powers = [1.0, t, t * t, t * t * t];
        for (power, (sum, moment)) in powers.iter().zip(sums.iter_mut().zip(&mut moments)) {
            *sum += phase * power;
            *moment += power * power;
        }
    }
    let [m0, m2, m4, m6] = moments;
    let even = m0 * m4 - m2 * m2;
    let odd = m2 * m6 - m4 * m4;
    let c0 = (sums[0] * m4 - sums[2] * m2) / even;
    let c2 = (sums[2] * m0 - sums[0] * m2) / even;
    let c1 = (sums[1] * m6 - sums[3] * m4) / odd;
    let c3 = (sums[3] * m2 - sums[1] * m4) / odd;
    let left: f64 = phases
        .iter()
        .enumerate()
        .map(|(j, phase)| {
            let t = time(j);
            (phase - (c0 + t * (c1 + t * (c2 + t * c3)))).powi(2)
        })
        .sum();
    // What the cubic term explains beyond the line.
    let bent = c3 * c3 * odd / m2;
    Motion {
        offset: c1 / step,
        bend: bent / left.max(1e-30),
    }
}
