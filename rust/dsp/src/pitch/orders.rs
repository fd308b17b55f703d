//! The order of the partials that a fit finds: a tone's subharmonics fit it as well as its own frequency.

use super::least_squares::Fit;

/// Partials that hold less than this of the power of the others are not there: 30 dB.
pub(super) const ABSENT: f64 = 1e-3;
/// One partial alone among those of another order may as well be another sound below this part of their power: 19 dB where it is
/// at its place, at which one sound in ten is by chance; 14.5 dB elsewhere, where the frame is as like itself after their period
/// as McLeod asks of a period. A second one at its place, above 40 dB below, makes it no chance.
const LONE: f64 = 0.0126;
const LONE_ELSEWHERE: f64 = 0.035;
const TRACE: f64 = 1e-4;
/// Where the lowest few of those between are not there, as many as this, each 38 dB below the others, the higher ones are the
/// roughness of a reed, up to 24 dB below in sum.
const LOWEST: usize = 3;
const FAINT: f64 = 1.6e-4;
const ROUGHNESS: f64 = 4e-3;
/// A partial is at its place if its own frequency is nearer to it than this part of itself, a third of a semitone as vibrato
/// moves it, and than the other part of the first one's.
const ASIDE: f64 = 0.02;
const APART: f64 = 0.05;
/// As much more than its mean, in standard deviations, may be what noise shows in them.
const CHANCE: f64 = 3.0;

/// The greatest order whose multiples are the only partials that are there: the fit is of a subharmonic of the tone that they are
/// the partials of. Those between hold next to nothing; or, where the tone is above the range, no more than noise does; or
/// they are weak, and the lowest are missing, or no two are at their places: one alone may as well be another sound. 1: all.
#[inline(always)]
pub(super) fn order_there(fit: &Fit, length: usize, highest: f64) -> usize {
    let powers = &fit.powers[..fit.partials];
    let total: f64 = powers.iter().sum();
    let noise = noise(fit, length);
    let found = (2..=fit.partials).rev().find(|&order| {
        let there: f64 = powers.iter().skip(order - 1).step_by(order).sum();
        let (between, others) = (total - there, (fit.partials - fit.partials / order) as f64);
        let above = order as f64 * fit.frequency > highest;
        let chance = if above {
            noise * (others + CHANCE * others.sqrt())
        } else {
            0.0
        };
        let nothing = chance.max(ABSENT * there);
        // A wrong fit shows little of any partial.
        between < there
            && (between < nothing
                || between < ROUGHNESS * there && is_rough(powers, order, there)
                || is_one_sound(fit, order, there, noise))
    });
    found.unwrap_or(1)
}

/// Whether the lowest partials between those of `order`, which hold the power `there`, are not there.
#[inline(always)]
fn is_rough(powers: &[f64], order: usize, there: f64) -> bool {
    let between = (0..powers.len()).filter(|index| !(index + 1).is_multiple_of(order));
    between.clone().count() > LOWEST && between.take(LOWEST).all(|index| powers[index] < FAINT * there)
}

/// Whether the partials between those of `order`, which hold the power `there`, are weak, and no two at their places stronger
/// than noise is.
#[inline(always)]
fn is_one_sound(fit: &Fit, order: usize, there: f64, noise: f64) -> bool {
    let between = (0..fit.partials).filter(|index| !(index + 1).is_multiple_of(order));
    let (mut elsewhere, mut placed) = (0.0_f64, [0.0_f64; 2]);
    for index in between {
        let power = fit.powers[index];
        let slack = (ASIDE * (index + 1) as f64).min(APART);
        if fit.shifts[index].abs() < slack * fit.frequency {
            placed = [placed[0].max(power), placed[1].max(power.min(placed[0]))];
        } else {
            elsewhere = elsewhere.max(power);
        }
    }
    // Of n exponential variables the largest is about ln n times their mean.
    let noise = noise * ((fit.partials as f64).ln() + CHANCE);
    elsewhere < LONE_ELSEWHERE * there && placed[0] < LONE * there && placed[1] < noise.max(TRACE * there)
}

/// The mean power of an absent partial in noise as strong as the residual, in the unit of a partial's power; its standard
/// deviation is the same.
///
/// Each partial's amplitudes of cosine and sine have the variance 2 v / N in noise of variance v: half the sum of their
/// squares is exponential with the mean 2 v / N.
#[inline(always)]
fn noise(fit: &Fit, length: usize) -> f64 {
    2.0 * fit.residual / (length as f64).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pitch::linear::MAX_PARTIALS;

    /// A fit of partials with these levels in dB.
    fn fit(levels: &[f64]) -> Fit {
        let mut powers = [0.0; MAX_PARTIALS];
        for (power, level) in powers.iter_mut().zip(levels) {
            *power = 10.0_f64.powf(0.1 * level);
        }
        Fit {
            frequency: 0.03,
            partials: levels.len(),
            powers,
            residual: 1e-6,
            ..Fit::default()
        }
    }

    #[test]
    fn roughness_between_the_partials_of_a_reed_is_no_tone() {
        // A tenor saxophone's A4 at half of its frequency.
        let reed = [
            -81.0, -12.0, -49.0, -10.0, -47.0, -2.0, -41.0, -22.0, -35.0, -9.0, -28.0, -13.0,
        ];
        assert_eq!(order_there(&fit(&reed), 4095, 1.0), 2);
        // The same partials with a third that is there are an octave lower, and so are few partials.
        let mut tone = reed;
        tone[2] = -36.0;
        assert_eq!(order_there(&fit(&tone), 4095, 1.0), 1);
        let even = [-26.0, 0.0, -28.0, -6.0, -30.0, -10.0, -30.0, -12.0];
        assert_eq!(order_there(&fit(&even), 4095, 1.0), 1);
    }
}
