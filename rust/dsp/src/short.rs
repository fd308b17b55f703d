//! Numbers in the texts of errors.

use std::fmt::{self, Display, LowerExp};

/// Displays a number in few characters: in scientific form if it is 10^16 or more, or below 10^-5.
#[derive(Clone, Copy, Debug)]
pub struct Short<T>(pub T);

impl<T: Copy + Display + LowerExp + Into<f64>> Display for Short<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.into().abs();
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
        let texts = [
            1e300,
            -1.5e300,
            1e16,
            1e15,
            440.5,
            1e-5,
            -9e-6,
            5e-324,
            0.0,
            f64::INFINITY,
            f64::NAN,
        ];
        let texts = texts.map(|number| Short(number).to_string());
        let expected = "1e300 -1.5e300 1e16 1000000000000000 440.5 0.00001 -9e-6 5e-324 0 inf NaN";
        assert_eq!(texts.join(" "), expected);
        assert_eq!(Short(f32::MAX).to_string(), "3.4028235e38");
        assert_eq!(Short(0.1_f32).to_string(), "0.1");
    }
}
