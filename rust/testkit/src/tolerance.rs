//! The distance of a result from its reference.

/// The Euclidean norm of the difference, over that of `expected`: 0 for equal slices, also when both are silent. Slices
/// of different lengths, and a difference from silence or to NaN, are infinitely far apart.
pub fn relative_l2(actual: &[f32], expected: &[f64]) -> f64 {
    if actual.len() != expected.len() {
        return f64::INFINITY;
    }
    let square = |sum: f64, x: f64| sum + x * x;
    let difference = actual
        .iter()
        .zip(expected)
        .map(|(a, e)| f64::from(*a) - e)
        .fold(0.0, square);
    let norm = expected.iter().copied().fold(0.0, square);
    if difference == 0.0 {
        return 0.0;
    }
    let ratio = (difference / norm).sqrt();
    if ratio.is_nan() { f64::INFINITY } else { ratio }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_relative_and_never_nan() {
        assert_eq!(relative_l2(&[3.0, 4.0], &[3.0, 4.0]), 0.0);
        assert_eq!(relative_l2(&[3.0, 5.0], &[3.0, 4.0]), 0.2);
        assert_eq!(relative_l2(&[0.0], &[0.0]), 0.0);
        assert_eq!(relative_l2(&[1.0], &[0.0]), f64::INFINITY);
        assert_eq!(relative_l2(&[f32::NAN], &[1.0]), f64::INFINITY);
        assert_eq!(relative_l2(&[1.0], &[1.0, 2.0]), f64::INFINITY);
    }
}
