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
        self.place(fraction * total as f64, first)
    }

    /// The level at the nearest rank, `round((count - 1) fraction)` from 0, among those levels that are in the class of `gate` dB
    /// and above, to half a class. `None` without levels.
    pub(crate) fn ranked(&self, fraction: f64, gate: f64) -> Option<f64> {
        let first = self.class(gate);
        let total: u64 = self.counts[first..].iter().sum();
        let rank = (total.checked_sub(1)? as f64 * fraction + 0.5).floor();
        self.place(rank + 0.5, first)
    }

    /// The level below which `wanted` levels of the class `first` and above lie.
    fn place(&self, wanted: f64, first: usize) -> Option<f64> {
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

    /// Adds the counts and sums of another histogram with the same classes.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
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
    fn ranked_levels_are_those_of_a_sorted_list() {
        let mut histogram = Histogram::new(-70.0, 30.0, 0.01);
        let levels: Vec<f64> = (0..58).map(|k| -40.0 + 0.37 * f64::from(k)).collect();
        for level in &levels {
            histogram.add(*level, 0.0);
        }
        for (fraction, index) in [(0.0, 0), (0.1, 6), (0.95, 54), (1.0, 57)] {
            let got = histogram.ranked(fraction, -70.0).expect("levels");
            assert!((got - levels[index]).abs() <= 0.005 + 1e-9, "{fraction}: {got}");
        }
        assert_eq!(histogram.ranked(0.5, 0.0), None);
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
