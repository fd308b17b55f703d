//! Compares the windowed spectra of `rustle-dsp` with those of other libraries, in one process, and prints Markdown.
//!
//! Usage: `rustle-bench [--intel DIRECTORY] [--visits N] [SIZE ...]`. Peers are loaded when they run, never linked:
//! FFTW (libfftw3f) has to be there, KissFFT is taken when it is, and Intel's MKL and IPP from the given directory.
//!
//! How it measures: all candidates of a size are visited in a new random order each time, at least 40 times; a visit runs as many
//! frames as take about 20 us, and the fastest visit counts. FFTW plans seven times with FFTW_MEASURE and keeps the best.
//! Everything else that a peer needs, window and magnitude, runs in loops that use the widest vectors of the machine.

mod candidate;
mod frames;
mod loops;
mod ours;
mod peers;
mod plans;
mod report;
mod stopwatch;

use candidate::Candidate;
use rustle_dsp::fft::SIZES;
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

/// What the command line asks for.
struct Options {
    sizes: Vec<usize>,
    visits: usize,
    intel: Option<PathBuf>,
}

/// The least number of visits.
const VISITS: usize = 40;

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        sizes: Vec::new(),
        visits: 2 * VISITS,
        intel: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--intel" => options.intel = Some(words.next().ok_or("--intel: expected a directory")?.into()),
            "--visits" => {
                let visits = words.next().ok_or("--visits: expected a number")?;
                options.visits = visits.parse::<usize>()?.max(VISITS);
            }
            size => options.sizes.push(
                size.parse()
                    .map_err(|_| format!("expected --intel, --visits or a size, got {size}"))?,
            ),
        }
    }
    if options.sizes.is_empty() {
        let powers = SIZES.start().ilog2()..=SIZES.end().ilog2();
        options.sizes = powers.map(|power| 1 << power).collect();
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut out = io::stdout().lock();
    let mut tables = report::Tables::default();
    for &size in &options.sizes {
        let peers = peers::Peers::load(size, options.intel.as_deref())?;
        tables.add(
            "magnitudes",
            size,
            measure(peers.magnitudes()?, ours::magnitudes(size)?, options.visits),
        );
        tables.add(
            "complex",
            size,
            measure(peers.complex()?, ours::complex(size)?, options.visits),
        );
        tables.add(
            "short-time magnitudes",
            size,
            measure(frames::candidates(size)?, Vec::new(), options.visits),
        );
    }
    write!(out, "{tables}")?;
    write!(out, "{}", plans::table(&options.sizes)?)?;
    Ok(())
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
