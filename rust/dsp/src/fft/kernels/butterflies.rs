//! Transforms of 4 and 8 points in registers, forward (with e^(-2 pi i / R)), in natural order.

use super::complex::Complex;
use super::lanes::Lanes;
use std::f32::consts::FRAC_1_SQRT_2;
use std::ops::{Add, Sub};

/// The transform of R points.
pub(super) trait Butterfly<L: Lanes, const R: usize> {
    fn transform(cpu: L::Cpu, x: [Complex<L>; R]) -> [Complex<L>; R];
}

/// The sizes that there are.
pub(super) struct Radix;

impl<L: Lanes> Butterfly<L, 4> for Radix {
    #[inline(always)]
    fn transform(_: L::Cpu, x: [Complex<L>; 4]) -> [Complex<L>; 4] {
        radix_4(x)
    }
}

/// Four points take no factors, and so no CPU to make them with.
#[inline(always)]
pub(super) fn radix_4<T>([a, b, c, d]: [Complex<T>; 4]) -> [Complex<T>; 4]
where
    T: Copy + Add<Output = T> + Sub<Output = T>,
{
    let (sum_ac, difference_ac) = (a + c, a - c);
    let (sum_bd, difference_bd) = (b + d, b - d);
    [
        sum_ac + sum_bd,
        difference_ac.minus_i(difference_bd),
        sum_ac - sum_bd,
        difference_ac.plus_i(difference_bd),
    ]
}

impl<L: Lanes> Butterfly<L, 8> for Radix {
    /// Two transforms of four points, joined by the eighth roots of unity. The odd roots are (1 - i) / sqrt 2 and
    /// (-1 - i) / sqrt 2: the factor 1 / sqrt 2 goes into the additions that follow.
    #[inline(always)]
    fn transform(cpu: L::Cpu, x: [Complex<L>; 8]) -> [Complex<L>; 8] {
        let root = L::splat(cpu, FRAC_1_SQRT_2);
        let [e0, e1, e2, e3] = radix_4([x[0], x[2], x[4], x[6]]);
        let [o0, o1, o2, o3] = radix_4([x[1], x[3], x[5], x[7]]);
        // o1 (1 - i), and o3 (-1 - i) with its imaginary part negated.
        let (t1_re, t1_im) = (o1.re + o1.im, o1.im - o1.re);
        let (t3_re, t3_minus_im) = (o3.im - o3.re, o3.re + o3.im);
        [
            e0 + o0,
            Complex {
                re: t1_re.times_plus(root, e1.re),
                im: t1_im.times_plus(root, e1.im),
            },
            e2.minus_i(o2),
            Complex {
                re: t3_re.times_plus(root, e3.re),
                im: t3_minus_im.times_from(root, e3.im),
            },
            e0 - o0,
            Complex {
                re: t1_re.times_from(root, e1.re),
                im: t1_im.times_from(root, e1.im),
            },
            e2.plus_i(o2),
            Complex {
                re: t3_re.times_from(root, e3.re),
                im: t3_minus_im.times_plus(root, e3.im),
            },
        ]
    }
}
