//! The cost of making a plan.

use crate::stopwatch::now;
use rustle_dsp::{DspError, Normalization, SpectrumPlan, Symmetry, Window};
use std::fmt::Write;

/// The plans made per size; the fastest counts.
const ROUNDS: usize = 200;

/// A Markdown table of the times to make a plan, in us.
pub(super) fn table(sizes: &[usize]) -> Result<String, DspError> {
    let mut names = String::from("\n### Making a plan, us\n\n|");
    let mut rule = String::from("|");
    let mut times = String::from("|");
    for &size in sizes {
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = now();
            let plan = SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, Normalization::None)?;
            best = best.min(start.elapsed().as_nanos() as f64 / 1000.0);
            drop(plan);
        }
        // Writing to a string does not fail.
        let _ = write!(names, " {size} |");
        let _ = write!(rule, "---|");
        let _ = write!(times, " {best:.1} |");
    }
    Ok(format!("{names}\n{rule}\n{times}\n"))
}
