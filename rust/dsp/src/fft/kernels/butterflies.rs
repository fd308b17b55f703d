//! Transforms of 2, 4, 8 and 16 points in registers, forward (with e^(-2 pi i / R)), in natural order.

use super::complex::Complex;
use super::lanes::Lanes;
use std::f32::consts::FRAC_1_SQRT_2;

/// cos(pi / 8) and sin(pi / 8), rounded once from the values of `f64::cos` and `f64::sin`.
const COS_PI_8: f32 = 0.923_879_5;
const SIN_PI_8: f32 = 0.382_683_43;

/// The transform of R points.
pub(super) trait Butterfly<L: Lanes, const R: usize> {
    fn transform(cpu: L::Cpu, x: [Complex<L>; R]) -> [Complex<L>; R];
}

/// The sizes that there are.
pub(super) struct Radix;

impl<L: Lanes> Butterfly<L, 2> for Radix {
    #[inline(always)]
    fn transform(_: L::Cpu, [a, b]: [Complex<L>; 2]) -> [Complex<L>; 2] {
        [a + b, a - b]
    }
}

impl<L: Lanes> Butterfly<L, 4> for Radix {
    #[inline(always)]
    fn transform(_: L::Cpu, x: [Complex<L>; 4]) -> [Complex<L>; 4] {
        radix_4(x)
    }
}

/// Four points take no factors, and so no CPU to make them with.
#[inline(always)]
pub(super) fn radix_4<L: Lanes>([a, b, c, d]: [Complex<L>; 4]) -> [Complex<L>; 4] {
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

impl<L: Lanes> Butterfly<L, 16> for Radix {
    /// Four transforms of four points, the sixteenth roots of unity, and four more transforms across.
    #[inline(always)]
    fn transform(cpu: L::Cpu, x: [Complex<L>; 16]) -> [Complex<L>; 16] {
        let first = Complex::splat(
            cpu,
            Complex {
                re: COS_PI_8,
                im: -SIN_PI_8,
            },
        );
        let third = Complex::splat(
            cpu,
            Complex {
                re: SIN_PI_8,
                im: -COS_PI_8,
            },
        );
        let ninth = Complex::splat(
            cpu,
            Complex {
                re: -COS_PI_8,
                im: SIN_PI_8,
            },
        );
        let zero = Complex::zero(cpu);

        let a = radix_4([x[0], x[4], x[8], x[12]]);
        let b = radix_4([x[1], x[5], x[9], x[13]]);
        let c = radix_4([x[2], x[6], x[10], x[14]]);
        let d = radix_4([x[3], x[7], x[11], x[15]]);
        let y0 = radix_4([a[0], b[0], c[0], d[0]]);
        let y1 = radix_4([a[1], b[1].times(first), second(cpu, c[1]), d[1].times(third)]);
        let y2 = radix_4([a[2], second(cpu, b[2]), zero.minus_i(c[2]), sixth(cpu, d[2])]);
        let y3 = radix_4([a[3], b[3].times(third), sixth(cpu, c[3]), d[3].times(ninth)]);
        [
            y0[0], y1[0], y2[0], y3[0], y0[1], y1[1], y2[1], y3[1], //
            y0[2], y1[2], y2[2], y3[2], y0[3], y1[3], y2[3], y3[3],
        ]
    }
}

/// Times the second power of the sixteenth root of unity, (1 - i) / sqrt 2.
#[inline(always)]
fn second<L: Lanes>(cpu: L::Cpu, x: Complex<L>) -> Complex<L> {
    let root = L::splat(cpu, FRAC_1_SQRT_2);
    Complex {
        re: (x.re + x.im) * root,
        im: (x.im - x.re) * root,
    }
}

/// Times the sixth power of the sixteenth root of unity, (-1 - i) / sqrt 2.
#[inline(always)]
fn sixth<L: Lanes>(cpu: L::Cpu, x: Complex<L>) -> Complex<L> {
    let root = L::splat(cpu, FRAC_1_SQRT_2);
    Complex {
        re: (x.im - x.re) * root,
        im: (x.re + x.im) * L::splat(cpu, -FRAC_1_SQRT_2),
    }
}
