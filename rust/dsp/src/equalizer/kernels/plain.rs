//! Four lanes in a plain array, on every CPU.

use super::lanes::Lanes;
use super::wavefront::{self, Block, Section, State};

/// Four lanes.
#[derive(Clone, Copy)]
struct Plain([f64; 4]);

/// The kernel.
pub(super) fn run(sections: &[Section], states: &mut [State], block: Block<'_>) {
    wavefront::run::<Plain>((), sections, states, block);
}

impl Plain {
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        let (Self([a, b, c, d]), Self([e, f, g, h])) = (self, other);
        Self([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

impl Lanes<4> for Plain {
    type Cpu = ();

    #[inline(always)]
    fn load((): (), lanes: &[f64; 4]) -> Self {
        Self(*lanes)
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f64; 4]) {
        *lanes = self.0;
    }

    #[inline(always)]
    fn times(self, factor: Self) -> Self {
        self.each(factor, |a, b| a * b)
    }

    // Two roundings: a fused product-sum without the instruction is a function call.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self.times(factor).each(term, |product, term| product + term)
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        self.times(factor).each(term, |product, term| term - product)
    }

    #[inline(always)]
    fn behind(self, first: Self) -> Self {
        let (Self([a, b, _, _]), Self([c, d, _, _])) = (first, self);
        Self([a, b, c, d])
    }

    #[inline(always)]
    fn last(self) -> Self {
        let Self([_, _, c, d]) = self;
        Self([c, d, c, d])
    }

    #[inline(always)]
    fn chosen((): (), pairs: usize, new: Self, old: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            if pairs >> (lane / 2) & 1 == 1 {
                new.0[lane]
            } else {
                old.0[lane]
            }
        }))
    }

    #[inline(always)]
    fn frame((): (), [left, right]: [f32; 2]) -> Self {
        Self([f64::from(left), f64::from(right), 0.0, 0.0])
    }

    #[inline(always)]
    fn samples(self) -> [f32; 2] {
        [self.0[0] as f32, self.0[1] as f32]
    }
}
