//! Numbers in the texts of errors.

use std::fmt::{self, Display, LowerExp};

/// Displays a number in few characters: in scientific form if it is 10^16 or more, or below 10^-5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short(pub(crate) f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let is_plain = size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite();
        if is_plain {
            Display::fmt(&self.0, f)
        } else {
            LowerExp::fmt(&self.0, f)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_and_tiny_numbers_were_written_with_hundreds_of_digits() {
        let texts =
            [-1.5e300, 1e16, 1e15, 1e-5, 5e-324, 0.0, f64::NAN].map(|number| Short(number).to_string());
        assert_eq!(
            texts.join(" "),
            "-1.5e300 1e16 1000000000000000 0.00001 5e-324 0 NaN"
        );
    }
}
