//! A line through times at whole beats, by least squares with weights that discount outliers.

/// Residuals are squared up to so many standard deviations, and count linearly beyond (P. J. Huber, "Robust estimation of a location
/// parameter", 1964). 3.5 costs less than 0.1 % of the precision where errors are normal.
const HUBER: f64 = 3.5;
/// From the median of absolute deviations to the standard deviation of normal errors.
const FROM_MEDIAN: f64 = 1.4826;
/// Rounds of weighting; the weights change little after three.
const ROUNDS: usize = 4;

/// The expectation of errors before there is a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// Their standard deviation, in microseconds.
    pub(crate) deviation: f64,
    /// The number of measurements that this counts as.
    pub(crate) weight: f64,
}

/// A point of the line: a whole beat, and the microseconds at which it was observed, from the caller's zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) beat: f64,
    pub(crate) micros: f64,
}

/// A line: micros = mean_micros + period (beat - mean_beat).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) mean_beat: f64,
    pub(crate) mean_micros: f64,
    /// Microseconds per beat.
    pub(crate) period: f64,
    /// The standard deviation of one point's error, in microseconds.
    pub(crate) deviation: f64,
    /// The sum of the weights, and that of the weighted squares of distances from the mean beat.
    weight: f64,
    spread: f64,
}

impl Line {
    /// The microseconds of a beat.
    pub(crate) fn micros_of(&self, beat: f64) -> f64 {
        self.mean_micros + self.period * (beat - self.mean_beat)
    }

    /// The standard error of [`micros_of`](Self::micros_of), in microseconds.
    pub(crate) fn error_at(&self, beat: f64) -> f64 {
        let away = beat - self.mean_beat;
        self.deviation * (1.0 / self.weight + away * away / self.spread).sqrt()
    }

    /// The standard error of the period, in microseconds.
    pub(crate) fn period_error(&self) -> f64 {
        self.deviation / self.spread.sqrt()
    }
}

/// The line through at most N points. None for fewer than two different beats, and where time does not advance with them.
pub(crate) fn fit<const N: usize>(points: &[Point], expected: Expected) -> Option<Line> {
    let points = &points[..points.len().min(N)];
    let mut weights = [1.0; N];
    let mut line = weighted(points, &weights)?;
    for _ in 0..ROUNDS {
        let mut sizes = [0.0; N];
        let sizes = &mut sizes[..points.len()];
        for (size, point) in sizes.iter_mut().zip(points) {
            *size = (point.micros - line.micros_of(point.beat)).abs();
        }
        let mut sorted = [0.0; N];
        let sorted = &mut sorted[..points.len()];
        sorted.copy_from_slice(sizes);
        sorted.sort_unstable_by(f64::total_cmp);
        let limit = HUBER * (FROM_MEDIAN * sorted[sorted.len() / 2]).max(expected.deviation);
        let mut is_changed = false;
        for (weight, &size) in weights.iter_mut().zip(&*sizes) {
            let before = std::mem::replace(weight, if size > limit { limit / size } else { 1.0 });
            is_changed |= before != *weight;
        }
        if !is_changed {
            break;
        }
        line = weighted(points, &weights)?;
    }
    let squares: f64 = points
        .iter()
        .zip(&weights)
        .map(|(point, weight)| weight * (point.micros - line.micros_of(point.beat)).powi(2))
        .sum();
    let freedom = expected.weight + (points.len() - 2) as f64;
    line.deviation = ((expected.weight * expected.deviation.powi(2) + squares) / freedom).sqrt();
    Some(line)
}

fn weighted(points: &[Point], weights: &[f64]) -> Option<Line> {
    let (mut weight, mut beats, mut micros) = (0.0, 0.0, 0.0);
    for (point, w) in points.iter().zip(weights) {
        weight += w;
        beats += w * point.beat;
        micros += w * point.micros;
    }
    if weight <= 0.0 {
        return None;
    }
    let (mean_beat, mean_micros) = (beats / weight, micros / weight);
    let (mut spread, mut both) = (0.0, 0.0);
    for (point, w) in points.iter().zip(weights) {
        spread += w * (point.beat - mean_beat).powi(2);
        both += w * (point.beat - mean_beat) * (point.micros - mean_micros);
    }
    let period = both / spread;
    (spread > 0.0 && period > 0.0 && period.is_finite()).then_some(Line {
        mean_beat,
        mean_micros,
        period,
        deviation: 0.0,
        weight,
        spread,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected = Expected {
        deviation: 20_000.0,
        weight: 4.0,
    };

    fn points(errors: &[f64]) -> Vec<Point> {
        let point = |(beat, error): (usize, &f64)| Point {
            beat: beat as f64,
            micros: 500_000.0 * beat as f64 + error,
        };
        errors.iter().enumerate().map(point).collect()
    }

    #[test]
    fn line_is_that_of_ordinary_least_squares() {
        // By hand: means 1.5 and 752,500, slope 500,000 + (-1.5 · 1000 - 0.5 · 2000 + 0.5 · 3000 + 1.5 · 4000) / 5 = 501,000.
        let line = fit::<4>(&points(&[1000.0, 2000.0, 3000.0, 4000.0]), EXPECTED).expect("a line");
        assert!((line.period - 501_000.0).abs() < 1e-6, "{line:?}");
        assert!((line.micros_of(1.5) - 752_500.0).abs() < 1e-6, "{line:?}");
        // No residual: the deviation is the expected one, of 4 of 6 degrees of freedom.
        let deviation = 20_000.0 * (4.0_f64 / 6.0).sqrt();
        assert!((line.deviation - deviation).abs() < 1e-6, "{line:?}");
        assert!((line.period_error() - deviation / 5.0_f64.sqrt()).abs() < 1e-6);
        assert!((line.error_at(3.0) - deviation * (0.25 + 2.25 / 5.0_f64).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn one_wild_point_moves_the_line_little() {
        let mut errors = [0.0; 9];
        errors[7] = 200_000.0;
        let line = fit::<9>(&points(&errors), EXPECTED).expect("a line");
        // Ordinary least squares would give 500,000 + 3 · 200,000 / 60 = 510,000; 70 ms, at which it stops to weigh more, 503,500 and more.
        assert!((line.period - 500_000.0).abs() < 5_000.0, "{line:?}");
    }

    #[test]
    fn no_line_through_one_beat_or_back_in_time() {
        assert!(fit::<4>(&points(&[0.0]), EXPECTED).is_none());
        assert!(fit::<4>(&[], EXPECTED).is_none());
        assert!(fit::<4>(&[Point::default(); 3], EXPECTED).is_none());
        assert!(fit::<4>(&points(&[0.0, -600_000.0]), EXPECTED).is_none());
    }
}
