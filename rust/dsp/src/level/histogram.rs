//! Counts of levels, for percentiles and gates over any length of time in memory of a fixed size.

/// Levels in classes of equal width. Each class keeps a count and a sum, so that means over whole classes are exact.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    lowest: f64,
    width: f64,
    counts: Box<[u64]>,
    sums: Box<[f64]>,
}

impl Histogram {
    /// Classes of `width` dB from `lowest` to `highest` dB. Levels outside count in the first or the last.
    pub(crate) fn new(lowest: f64, highest: f64, width: f64) -> Self {
        let classes = ((highest - lowest) / width).ceil() as usize;
        Self {
            lowest,
            width,
            counts: vec![0; classes].into(),
            sums: vec![0.0; classes].into(),
        }
    }

    /// Counts `level` dB, with a `value` that goes into the class's sum.
    pub(crate) fn add(&mut self, level: f64, value: f64) {
        let class = self.class(level);
        self.counts[class] += 1;
        self.sums[class] += value;
    }

    fn class(&self, level: f64) -> usize {
        // A level that is not a number, or too low, is cast to 0.
        (((level - self.lowest) / self.width) as usize).min(self.counts.len() - 1)
    }

    /// The count and the sum of the class of `level` dB and of those above.
    pub(crate) fn from(&self, level: f64) -> (u64, f64) {
        let first = self.class(level);
        (self.counts[first..].iter().sum(), self.sums[first..].iter().sum())
    }

    /// The level below which a `fraction` of those levels lies that are in the class of `gate` dB and above; between the
    /// edges of a class in proportion. `None` without levels.
    pub(crate) fn percentile(&self, fraction: f64, gate: f64) -> Option<f64> {
        let first = self.class(gate);
        let total: u64 = self.counts[first..].iter().sum();
        if total == 0 {
            return None;
        }
        let wanted = fraction * total as f64;
        let mut below = 0.0;
        for (class, count) in self.counts.iter().enumerate().skip(first) {
            let count = *count as f64;
            if count > 0.0 && below + count >= wanted {
                let within = ((wanted - below) / count).clamp(0.0, 1.0);
                return Some(self.lowest + self.width * (class as f64 + within));
            }
            below += count;
        }
        None
    }

    /// Clears all classes.
    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
        self.sums.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_ramp_are_its_points() {
        let mut histogram = Histogram::new(-100.0, 20.0, 0.1);
        for k in 0..10_000 {
            histogram.add(-50.0 + f64::from(k) / 200.0, 0.0);
        }
        for (fraction, level) in [(0.0, -50.0), (0.1, -45.0), (0.5, -25.0), (0.95, -2.5), (1.0, 0.0)] {
            let got = histogram.percentile(fraction, -100.0).expect("levels");
            assert!((got - level).abs() < 0.101, "{fraction}: {got}");
        }
        // From -25 dB on there are 25 dB left, and the middle of them is -12.5 dB.
        let got = histogram.percentile(0.5, -25.0).expect("levels");
        assert!((got + 12.5).abs() < 0.101, "{got}");
    }

    #[test]
    fn sums_are_those_of_the_classes_above() {
        let mut histogram = Histogram::new(-100.0, 20.0, 0.5);
        for (level, value) in [
            (-30.0, 1.0),
            (-10.0, 2.0),
            (5.0, 4.0),
            (900.0, 8.0),
            (f64::NEG_INFINITY, 16.0),
        ] {
            histogram.add(level, value);
        }
        assert_eq!(histogram.from(-10.0), (3, 14.0));
        assert_eq!(histogram.from(-100.0), (5, 31.0));
        histogram.clear();
        assert_eq!(histogram.percentile(0.5, -100.0), None);
    }
}
