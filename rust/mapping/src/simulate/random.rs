//! Numbers from a seed.

/// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number of 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// A number of a range.
    pub(crate) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + self.unit() * (high - low)
    }

    /// A number of 0 to `most` - 1.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        ((u128::from(self.next()) * most as u128) >> 64) as usize
    }

    /// A number of the normal distribution (G. E. P. Box and M. E. Muller, Annals of Mathematical Statistics 29, 1958).
    pub(crate) fn normal(&mut self) -> f32 {
        let radius = (-2.0 * libm::log(1.0 - f64::from(self.unit()))).sqrt();
        (radius * libm::cos(std::f64::consts::TAU * f64::from(self.unit()))) as f32
    }
}
