//! Levels in decibels, in code that a compiler turns into vectors.

/// The least level, in dB.
pub(crate) const FLOOR: f32 = -200.0;

/// The power at the floor.
const POWER_FLOOR: f32 = 1e-20;

/// 10 log10(2), the decibels of a doubled power.
const OCTAVE: f32 = 3.010_3;

/// 10 log10(1 + t) / t for t from sqrt(1/2) - 1 to sqrt(2) - 1, by powers of t: the polynomial of degree 8 that meets it at
/// the nodes of Chebyshev's polynomial of degree 9, solved in `f64`. Its relative error is below 6e-8.
const SERIES: [f32; 9] = [
    4.342_944_6,
    -2.171_472_3,
    1.447_685_6,
    -1.085_794_9,
    0.866_675_2,
    -0.719_973_1,
    0.650_460_24,
    -0.619_706_03,
    0.370_597_06,
];

/// Replaces each power by its level, 10 log10, at least the floor. Infinity stays, and NaN.
#[inline(always)]
pub(super) fn from_powers(powers: &mut [f32]) {
    for power in powers {
        *power = level(*power);
    }
}

#[inline(always)]
fn level(power: f32) -> f32 {
    // Above the floor a power is a normal number, and this splits it into 2^octaves and a rest around 1.
    let from_root = power
        .to_bits()
        .wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits()) as i32;
    let octaves = from_root >> 23;
    let rest = f32::from_bits(power.to_bits().wrapping_sub((octaves << 23) as u32));
    let t = rest - 1.0;
    let mut sum = SERIES[8];
    for coefficient in SERIES[..8].iter().rev() {
        sum = sum * t + coefficient;
    }
    let level = octaves as f32 * OCTAVE + sum * t;
    // In this order NaN passes both tests by: it is neither below the floor nor below infinity.
    let level = if power < f32::INFINITY { level } else { power };
    if power <= POWER_FLOOR { FLOOR } else { level }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_logarithm() {
        let mut power = POWER_FLOOR * 1.01;
        while power < f32::MAX / 1.01 {
            let expected = 10.0 * f64::from(power).log10();
            let error = (f64::from(level(power)) - expected).abs();
            assert!(error < 1e-7 * expected.abs() + 4e-7, "{power:e}: {error:e} dB");
            power *= 1.0071;
        }
    }

    #[test]
    fn ends_of_the_scale_are_defined() {
        assert_eq!(level(1.0), 0.0);
        for silent in [0.0, -0.0, f32::from_bits(1), f32::MIN_POSITIVE, POWER_FLOOR] {
            assert_eq!(level(silent), FLOOR, "{silent:e}");
        }
        assert_eq!(level(f32::INFINITY), f32::INFINITY);
        assert!(level(f32::NAN).is_nan());
    }
}
