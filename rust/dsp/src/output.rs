//! The outputs of a spectrum, chosen by a value.

use crate::error::DspError;
use crate::spectrum::SpectrumPlan;

/// The value that is written for each bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Output {
    /// The magnitude: [`SpectrumPlan::magnitudes`].
    #[default]
    Magnitudes,
    /// The square of the magnitude: [`SpectrumPlan::power`].
    Power,
    /// The level in dB: [`SpectrumPlan::decibels`].
    Decibels,
    /// The real and the imaginary part: [`SpectrumPlan::complex`].
    Complex,
}

impl Output {
    /// Every output, in the order of the C interface's numbers.
    pub const ALL: [Self; 4] = [Self::Magnitudes, Self::Power, Self::Decibels, Self::Complex];

    /// The elements that the N/2 + 1 bins of a frame of `size` samples take.
    pub const fn row_len(self, size: usize) -> usize {
        match self {
            Self::Magnitudes | Self::Power | Self::Decibels => size / 2 + 1,
            Self::Complex => size + 2,
        }
    }
}

impl SpectrumPlan {
    /// Writes the spectrum of one frame as an output of the caller's choice; arguments as for the method of that output.
    ///
    /// # Errors
    /// As the method of that output.
    pub fn write(
        &self,
        form: Output,
        input: &[f32],
        output: &mut [f32],
        scratch: &mut [f32],
    ) -> Result<(), DspError> {
        match form {
            Output::Magnitudes => self.magnitudes(input, output, scratch),
            Output::Power => self.power(input, output, scratch),
            Output::Decibels => self.decibels(input, output, scratch),
            Output::Complex => self.complex(input, output, scratch),
        }
    }
}
