//! The evidence of a frame for more than one note.
//!
//! Two notes show in one of two ways. Where the fit is one of them, the partials of the other are peaks between its own. Where it
//! is the common root of both, which they are partials of, it has gaps: only multiples of two or three of its partials are there,
//! and the first is not.

use super::comb::SpectralPeak;
use super::least_squares::Fit;
use std::f64::consts::TAU;

/// A peak this far from the places of all partials, as a part of its frequency or in bins of the frame, is not of the tone:
/// vibrato moves partials by half of it.
const ASIDE: f64 = 0.03;
const BINS: f64 = 1.5;
/// Where such a peak counts, in multiples of the tone: below are thumps of the instrument's body and hum, above movement spreads
/// the partials over their distance.
const PLACES: std::ops::Range<f64> = 0.3..8.0;
/// The least level of such a peak, in dB from the strongest of all: hum and sympathetic strings are below.
const LEAST: f64 = -14.0;
/// A partial this much below the strongest, as a part of its power, is weak: 20 dB.
const WEAK: f64 = 0.01;
/// The lowest partials whose multiples all strong ones are, at most; and the largest ratio of the first two: a tenth.
const NOTES: usize = 3;
const WIDEST: f64 = 2.6;
/// Three partials in a row that are out of tune by this much, in cents, are not of one harmonic tone.
const MISTUNED: f64 = 1.2;

/// The probability that a frame is of more than one note, of two models: each a logistic function, fitted to the chords of
/// `rust/bench/peers/pitch/chords.py` and the single notes and voices of `pitch_set.py`, then lowered until 0.4 % of the frames of
/// single notes of instruments are above one half. An octave and a twelfth are partials of one note.
#[inline(always)]
pub(super) fn polyphony(fit: &Fit, peaks: &[SpectralPeak], to_bins: f64, length: usize) -> f64 {
    let single = (1.0 - of_strays(fit, peaks, to_bins, length)) * (1.0 - of_gaps(fit));
    1.0 - single
}

#[inline(always)]
fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// By the strongest peak that is not of the tone: its level, and its power over what noise of the residual's energy would have
/// there, beside that of a lone sine.
#[inline(always)]
fn of_strays(fit: &Fit, peaks: &[SpectralPeak], to_bins: f64, length: usize) -> f64 {
    let Some(largest) = peaks.first() else {
        return 0.0;
    };
    let length = length as f64;
    let stray = peaks.iter().find(|peak| {
        let w = peak.bin / to_bins;
        PLACES.contains(&(w / fit.frequency))
            && (w - nearest(fit, w)).abs() > (ASIDE * w).max(BINS * TAU / length)
    });
    let Some(stray) = stray else {
        return 0.0;
    };
    let level = 20.0 * (stray.magnitude / largest.magnitude).log10();
    if level < LEAST {
        return 0.0;
    }
    // Of noise of the energy E a bin under Hann's window has 3/8 E on average; of a sine N/3 times as much.
    let tonality = stray.magnitude.powi(2) / (0.375 * fit.residual).max(1e-30) / (length / 3.0);
    let tonality = (10.0 * tonality.log10()).clamp(-20.0, 0.0);
    logistic(2.0 + 0.2 * level + 0.25 * tonality)
}

/// The place of the tone's partial that is nearest to `w`.
#[inline(always)]
fn nearest(fit: &Fit, w: f64) -> f64 {
    let b = fit.inharmonicity;
    let first = fit.frequency / (1.0 + b).sqrt();
    let place = |order: f64| order * first * (1.0 + b * order * order).sqrt();
    let mut order = (w / first).round().max(1.0);
    // Stiff strings' partials are further apart than the first is from 0.
    while order > 1.0 && (place(order - 1.0) - w).abs() < (place(order) - w).abs() {
        order -= 1.0;
    }
    place(order)
}

/// By the partials that are missing: the energy of those that are multiples of none of the lowest.
#[inline(always)]
fn of_gaps(fit: &Fit) -> f64 {
    let powers = &fit.powers[..fit.partials];
    let strongest = powers.iter().copied().fold(0.0, f64::max);
    let strong = |order: usize| powers[order - 1] > WEAK * strongest;
    let Some(last) = (1..=powers.len()).rev().find(|&order| strong(order)) else {
        return 0.0;
    };
    let (mut notes, mut count) = ([0; NOTES], 0);
    let is_of = |notes: &[usize], order: usize| notes.iter().any(|note| order.is_multiple_of(*note));
    for order in (1..=last).filter(|&order| strong(order)) {
        if !is_of(&notes[..count], order) {
            if count == NOTES || order == 1 {
                return 0.0;
            }
            notes[count] = order;
            count += 1;
        }
    }
    if count < 2 || notes[1] as f64 > WIDEST * notes[0] as f64 {
        return 0.0;
    }
    let between = |end: usize| (1..=end).filter(|&order| !is_of(&notes[..count], order));
    // As many as notes at least; a fifth leaves the first alone, a fourth and a third above it two.
    let few = between(last).count() < count;
    if few && !(notes == [2, 3, 0] || between(last).count() == 2 && mistuning(fit, last) > MISTUNED) {
        return 0.0;
    }
    let total: f64 = powers.iter().sum();
    let left: f64 = between(powers.len()).map(|order| powers[order - 1]).sum();
    let left = (10.0 * (left / total).log10()).clamp(-60.0, 0.0);
    logistic(-6.0 - 0.278 * left - if few { 3.58 } else { 0.0 })
}

/// The distance of the partials up to `last` from their places, the root of its mean square by power, in cents.
#[inline(always)]
fn mistuning(fit: &Fit, last: usize) -> f64 {
    let (mut sum, mut total) = (0.0, 1e-30);
    for (index, (&power, shift)) in fit.powers[..last].iter().zip(&fit.shifts).enumerate() {
        sum += power * (shift / ((index + 1) as f64 * fit.frequency)).powi(2);
        total += power;
    }
    1200.0 / std::f64::consts::LN_2 * (sum / total).sqrt()
}
