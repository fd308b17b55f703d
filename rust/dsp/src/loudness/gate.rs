//! The statistics over blocks: integrated loudness and loudness range.

use crate::level::Histogram;

/// The absolute gate of BS.1770, in LUFS.
const ABSOLUTE: f64 = -70.0;

/// The relative gates, in LU: of the integrated loudness (BS.1770) and of the loudness range (Tech 3342).
const RELATIVE: f64 = -10.0;
const RELATIVE_OF_RANGE: f64 = -20.0;

/// The classes that blocks are counted in. A block within a class's width of a gate may be on its other side.
const WIDTH: f64 = 0.01;
const HIGHEST: f64 = 30.0;

/// The loudness in LUFS of the weighted mean square of a block (BS.1770-4, formula 2).
pub(super) fn loudness(mean_square: f64) -> f64 {
    -0.691 + 10.0 * mean_square.log10()
}

/// Blocks, counted by their loudness in memory of a fixed size.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Histogram);

impl Blocks {
    pub(super) fn new() -> Self {
        Self(Histogram::new(ABSOLUTE, HIGHEST, WIDTH))
    }

    /// Counts a block, unless it is below the absolute gate.
    pub(super) fn add(&mut self, mean_square: f64) {
        let loudness = loudness(mean_square);
        if loudness >= ABSOLUTE {
            self.0.add(loudness, mean_square);
        }
    }

    /// The gate that lies `relative` LU below the loudness of all blocks; `None` without blocks.
    fn relative_gate(&self, relative: f64) -> Option<f64> {
        let (count, sum) = self.0.from(ABSOLUTE);
        (count > 0).then(|| (loudness(sum / count as f64) + relative).max(ABSOLUTE))
    }

    /// The loudness of the blocks above both gates, in LUFS; minus infinity without blocks.
    pub(super) fn integrated(&self) -> f64 {
        let Some(gate) = self.relative_gate(RELATIVE) else {
            return f64::NEG_INFINITY;
        };
        let (count, sum) = self.0.from(gate);
        loudness(sum / count as f64)
    }

    /// The distance of the 95th from the 10th percentile of the blocks above both gates, at the nearest ranks (Tech 3342, section
    /// 5), in LU; 0 without blocks.
    pub(super) fn range(&self) -> f64 {
        let percentile = |fraction| {
            let gate = self.relative_gate(RELATIVE_OF_RANGE)?;
            self.0.ranked(fraction, gate)
        };
        match (percentile(0.10), percentile(0.95)) {
            (Some(low), Some(high)) => high - low,
            _ => 0.0,
        }
    }

    /// Adds the blocks of another measurement.
    pub(super) fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
