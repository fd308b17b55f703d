//! Arithmetic that has the same bits on every machine and vector width: additions, products and square roots of IEEE 754, none
//! of them contracted, no function of the system's libm.

/// The elements that are computed together. Arrays of it fill vectors without a rest.
pub(crate) const LANES: usize = 128;

/// A value per element.
pub(crate) type Lanes = [f32; LANES];

/// Adding and subtracting it rounds a number below 2^22 to the nearest integer: 1.5 * 2^23.
pub(crate) const ROUNDING: f32 = 12_582_912.0;

/// The sine of turns below 2^22. Its error is below 4e-7.
#[inline(always)]
pub(crate) fn sine(turns: f32) -> f32 {
    let turn = turns - ((turns + ROUNDING) - ROUNDING);
    let size = turn.abs();
    let fold = least(size, 0.5 - size);
    let square = fold * fold;
    // A weighted least-squares fit of sin(2 pi x) on 0 to 1/4 by odd powers, its largest error reduced by iteration: 3.4e-9.
    let sum = 81.601_006 + square * (-76.549_78 + square * 39.536_71);
    let sum = fold * (std::f32::consts::TAU + square * (-41.341_656 + square * sum));
    f32::from_bits(sum.to_bits() | (turn.to_bits() & 0x8000_0000))
}

/// The lower number; neither is NaN. `f32::min` also handles NaN, with three times the instructions.
#[inline(always)]
pub(crate) fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The higher number; neither is NaN.
#[inline(always)]
pub(crate) fn most(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The number within 0 to 1.
#[inline(always)]
pub(crate) fn unit(value: f32) -> f32 {
    least(most(value, 0.0), 1.0)
}

/// From `a` at 0 to `b` at 1.
#[inline(always)]
pub(crate) fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// From 0 at 0 to 1 at 1, level at both (3x^2 - 2x^3); `share` is 0 to 1.
#[inline(always)]
pub(crate) fn smooth(share: f32) -> f32 {
    share * share * (3.0 - 2.0 * share)
}

/// The distance of two places of a circle of length 1, 0 to 0.5. The difference is below 2^22.
#[inline(always)]
pub(crate) fn around(difference: f32) -> f32 {
    (difference - ((difference + ROUNDING) - ROUNDING)).abs()
}

/// The number of the cycle at a count of cycles, and the share of it that has passed, 0 to 1.
pub(crate) fn cycle(count: f64) -> (i64, f32) {
    let whole = count.floor();
    (whole as i64, (count - whole) as f32)
}

/// Random bits that a seed, a fixture and a cycle determine: the state of SplitMix64 is a counter (Steele, Lea and Flood, Fast
/// splittable pseudorandom number generators, OOPSLA 2014), here of all three.
pub(crate) fn hash(seed: u32, fixture: u32, cycle: i64) -> u64 {
    let place = u64::from(seed) << 32 | u64::from(fixture);
    mixed(mixed(place.wrapping_add(0x9E37_79B9_7F4A_7C15)).wrapping_add(cycle as u64))
}

/// SplitMix64's function of its counter.
fn mixed(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// 0 to 1, without 1, of the lowest 24 bits.
pub(crate) fn share_of(bits: u64) -> f32 {
    (bits & 0xFF_FFFF) as f32 / 16_777_216.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_agrees_with_a_reference() {
        let mut worst = 0.0_f64;
        for step in -40_000..=40_000 {
            let turns = step as f32 / 9_973.0;
            let expected = libm::sin(std::f64::consts::TAU * f64::from(turns));
            worst = worst.max((f64::from(sine(turns)) - expected).abs());
        }
        assert!(worst < 4e-7, "{worst}");
        assert_eq!(
            [0.0, 0.25, 0.75, 3.5]
                .map(sine)
                .map(|value| (value * 1e6).round()),
            [0.0, 1e6, -1e6, 0.0]
        );
    }

    #[test]
    fn cycles_are_counted_below_zero_too() {
        assert_eq!(cycle(2.25), (2, 0.25));
        assert_eq!(cycle(-0.25), (-1, 0.75));
        assert_eq!(cycle(-3.0), (-3, 0.0));
    }

    #[test]
    fn distances_on_a_circle_are_the_shorter_way() {
        assert_eq!(
            [0.0, 0.25, 0.75, -0.75, 3.5].map(around),
            [0.0, 0.25, 0.25, 0.25, 0.5]
        );
    }

    /// The mean and the correlation of neighbours, along each argument.
    #[test]
    fn random_numbers_are_even_and_do_not_follow_each_other() {
        let count = 20_000;
        for argument in 0..3 {
            let at = |index: i64| match argument {
                0 => share_of(hash(index as u32, 3, 5)),
                1 => share_of(hash(7, index as u32, 5)),
                _ => share_of(hash(7, 3, index - 10_000)),
            };
            let values: Vec<f64> = (0..count).map(|index| f64::from(at(index)) - 0.5).collect();
            let mean = values.iter().sum::<f64>() / count as f64;
            let products: f64 = values.windows(2).map(|pair| pair[0] * pair[1]).sum();
            // Five standard errors of an even distribution: 1/sqrt(12 n), and for the correlation 1/sqrt(n).
            assert!(
                mean.abs() < 5.0 * (1.0 / 12.0_f64 / count as f64).sqrt(),
                "{argument}: {mean}"
            );
            assert!((12.0 * products / count as f64).abs() < 5.0 / (count as f64).sqrt());
        }
    }
}
