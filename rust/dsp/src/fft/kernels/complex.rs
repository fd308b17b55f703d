//! Complex numbers: of scalars in tables, of vectors in the kernels.

use super::lanes::Lanes;
use std::ops::{Add, Sub};

/// A complex number, or one in each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Complex<T> {
    pub(super) re: T,
    pub(super) im: T,
}

impl From<(f64, f64)> for Complex<f32> {
    fn from((re, im): (f64, f64)) -> Self {
        Self {
            re: re as f32,
            im: im as f32,
        }
    }
}

impl<T: Add<Output = T>> Add for Complex<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl<T: Sub<Output = T>> Sub for Complex<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl<T: Add<Output = T> + Sub<Output = T>> Complex<T> {
    /// `self - i other`.
    #[inline(always)]
    pub(super) fn minus_i(self, other: Self) -> Self {
        Self {
            re: self.re + other.im,
            im: self.im - other.re,
        }
    }

    /// `self + i other`.
    #[inline(always)]
    pub(super) fn plus_i(self, other: Self) -> Self {
        Self {
            re: self.re - other.im,
            im: self.im + other.re,
        }
    }
}

impl<L: Lanes> Complex<L> {
    /// 0 in every lane.
    #[inline(always)]
    pub(super) fn zero(cpu: L::Cpu) -> Self {
        Self::splat(cpu, Complex { re: 0.0, im: 0.0 })
    }

    /// One number in every lane.
    #[inline(always)]
    pub(super) fn splat(cpu: L::Cpu, value: Complex<f32>) -> Self {
        Self {
            re: L::splat(cpu, value.re),
            im: L::splat(cpu, value.im),
        }
    }

    /// A number of a table in every lane.
    #[inline(always)]
    pub(super) fn spread(cpu: L::Cpu, factor: Complex<L::Factor>) -> Self {
        Self {
            re: L::spread(cpu, factor.re),
            im: L::spread(cpu, factor.im),
        }
    }

    /// One number as it lies in a table.
    pub(super) fn factor(cpu: L::Cpu, (re, im): (f64, f64)) -> Complex<L::Factor> {
        Complex {
            re: L::factor(cpu, re as f32),
            im: L::factor(cpu, im as f32),
        }
    }

    /// The numbers that lie in two arrays.
    #[inline(always)]
    pub(super) fn load(cpu: L::Cpu, arrays: &Complex<L::Array>) -> Self {
        Self {
            re: L::load(cpu, &arrays.re),
            im: L::load(cpu, &arrays.im),
        }
    }

    /// A number for each lane. Slow: for tables.
    pub(super) fn gather(cpu: L::Cpu, number: impl Fn(usize) -> Complex<f32>) -> Self {
        Self {
            re: L::gather(cpu, |lane| number(lane).re),
            im: L::gather(cpu, |lane| number(lane).im),
        }
    }

    /// The product.
    #[inline(always)]
    pub(super) fn times(self, factor: Self) -> Self {
        Self {
            re: self.im.times_from(factor.im, self.re * factor.re),
            im: if L::ROUNDS_SMALLER_ALONE {
                self.im.times_plus(factor.re, self.re * factor.im)
            } else {
                self.re.times_plus(factor.im, self.im * factor.re)
            },
        }
    }

    /// The product with -i.
    #[inline(always)]
    pub(super) fn minus_i_times(self) -> Self {
        Self {
            re: self.im,
            im: -self.re,
        }
    }

    /// The real parts times those of `factor`, and the imaginary parts times those of `factor`: no complex product.
    #[inline(always)]
    pub(super) fn weighted(self, factor: Self) -> Self {
        Self {
            re: self.re * factor.re,
            im: self.im * factor.im,
        }
    }

    /// The conjugates, in opposite order.
    #[inline(always)]
    pub(super) fn mirrored(self) -> Self {
        Self {
            re: self.re.reversed(),
            im: -self.im.reversed(),
        }
    }

    /// See `Lanes::lane`.
    #[inline(always)]
    pub(super) fn lane(self, lane: usize) -> Complex<f32> {
        Complex {
            re: self.re.lane(lane),
            im: self.im.lane(lane),
        }
    }

    /// See `Lanes::regrouped`.
    #[inline(always)]
    pub(super) fn regrouped(self) -> Self {
        Self {
            re: self.re.regrouped(),
            im: self.im.regrouped(),
        }
    }

    /// The square of the absolute value.
    #[inline(always)]
    pub(super) fn power(self) -> L {
        self.re.times_plus(self.re, self.im * self.im)
    }
}
