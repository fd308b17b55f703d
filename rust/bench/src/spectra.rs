//! Windowed spectra beside other libraries.
//!
//! FFTW plans seven times with FFTW_MEASURE and keeps the best. The peers' windows and magnitudes are computed by loops that use
//! the widest vectors of the machine.

mod frames;
mod instructions;
mod job;
mod loops;
mod ours;
mod peers;
mod plans;
mod report;

pub(crate) use instructions::Counter;

use crate::candidate::Candidate;
use crate::stopwatch;
use rustle_dsp::fft::SIZES;
use std::error::Error;
use std::path::Path;

/// Measures spectra of the given sizes, or of all when none is given, and returns the tables. `intel` is the directory of Intel's
/// libraries.
pub(crate) fn tables(
    visits: usize,
    intel: Option<&Path>,
    sizes: Vec<usize>,
) -> Result<String, Box<dyn Error>> {
    let sizes = or_all(sizes);
    let mut tables = report::Tables::of("ns", "faster");
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

/// The tables of instructions instead of times, for peers whose plan is not chosen by timing.
pub(crate) fn counts(counter: &Counter, sizes: Vec<usize>) -> Result<String, Box<dyn Error>> {
    let mut tables = report::Tables::of("instructions", "fewer");
    for size in or_all(sizes) {
        let peers = peers::Peers::untimed(size)?;
        for (job, mut candidates, ours) in [
            ("magnitudes", peers.magnitudes()?, ours::magnitudes(size)?),
            ("complex", peers.complex()?, ours::complex(size)?),
        ] {
            candidates.extend(ours);
            tables.add(job, size, counter.count(candidates)?);
        }
    }
    Ok(tables.to_string())
}

/// The given sizes, or all when none is given.
fn or_all(sizes: Vec<usize>) -> Vec<usize> {
    if sizes.is_empty() {
        let powers = SIZES.start().ilog2()..=SIZES.end().ilog2();
        powers.map(|power| 1 << power).collect()
    } else {
        sizes
    }
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
