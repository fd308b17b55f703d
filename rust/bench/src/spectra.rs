//! Windowed spectra beside other libraries.
//!
//! FFTW plans seven times with FFTW_MEASURE and keeps the best. Everything else that a peer needs, window and magnitude, runs
//! in loops that use the widest vectors of the machine.

mod frames;
mod job;
mod loops;
mod ours;
mod peers;
mod plans;
mod report;

use crate::candidate::Candidate;
use crate::stopwatch;
use rustle_dsp::fft::SIZES;
use std::error::Error;
use std::path::Path;

/// Measures spectra of the given sizes, without one of all that there are, and returns the tables. `intel` is the directory of
/// Intel's libraries.
pub(crate) fn tables(
    visits: usize,
    intel: Option<&Path>,
    mut sizes: Vec<usize>,
) -> Result<String, Box<dyn Error>> {
    if sizes.is_empty() {
        let powers = SIZES.start().ilog2()..=SIZES.end().ilog2();
        sizes = powers.map(|power| 1 << power).collect();
    }
    let mut tables = report::Tables::default();
    for &size in &sizes {
        let peers = peers::Peers::load(size, intel)?;
        tables.add(
            "magnitudes",
            size,
            measure(peers.magnitudes()?, ours::magnitudes(size)?, visits),
        );
        tables.add(
            "complex",
            size,
            measure(peers.complex()?, ours::complex(size)?, visits),
        );
        tables.add(
            "short-time magnitudes",
            size,
            measure(frames::candidates(size)?, Vec::new(), visits),
        );
    }
    Ok(format!("{tables}{}", plans::table(&sizes)?))
}

/// The best time of a frame of each candidate in ns, by name. The first is the base.
fn measure(
    mut candidates: Vec<Box<dyn Candidate>>,
    ours: Vec<Box<dyn Candidate>>,
    visits: usize,
) -> Vec<(String, f64)> {
    candidates.extend(ours);
    let times = stopwatch::fastest(&mut candidates, visits);
    let names = candidates.iter().map(|candidate| candidate.name());
    names.zip(times).collect()
}
