//! Equalizer and meters beside other libraries.

mod equalizer;
mod meters;
mod python;
mod report;
mod signal;

use crate::candidate::Candidate;
use crate::stopwatch;
use python::Python;
use signal::BLOCK;
use std::cell::RefCell;
use std::error::Error;
use std::path::Path;
use std::rc::Rc;

/// A block size at which the cost of a Python call is negligible.
const LONG_BLOCK: usize = 65_536;

/// The visits to jobs of 11 seconds of sound, some of which take seconds.
const LONG_VISITS: usize = 3;

/// Measures, and returns the tables. `interpreter` is a Python that has numpy, scipy and pedalboard.
pub(crate) fn tables(visits: usize, interpreter: Option<&Path>) -> Result<String, Box<dyn Error>> {
    let python = interpreter.map(Python::start).transpose()?;
    let mut tables = String::new();
    if let Some(python) = &python {
        tables += &format!("Python peers: {}\n", python.versions());
    }
    let python = python.map(|python| Rc::new(RefCell::new(python)));
    let peers = |block: usize, blocks: usize, silent: bool| {
        let candidates = python
            .as_ref()
            .map(|python| python::candidates(python, block, blocks, silent));
        candidates.unwrap_or_default()
    };

    let mut candidates = equalizer::noise()?;
    candidates.extend(peers(BLOCK, 1, false));
    candidates.extend(peers(LONG_BLOCK, 1, false));
    tables += &report::times(
        "28 biquads on stereo, noise",
        "frame",
        &measure(candidates, visits),
    );

    let blocks = 8;
    let signal: Rc<[f32]> = signal::signal().into();
    let mut long = Vec::new();
    for silent in [false, true] {
        let mut candidates = equalizer::steady(&signal, blocks * LONG_BLOCK / BLOCK, silent)?;
        candidates.extend(peers(LONG_BLOCK, blocks, silent));
        long.push(candidates);
    }
    // Noise and silence are visited alternately too.
    let count = long[0].len();
    let times = measure(long.into_iter().flatten().collect(), LONG_VISITS);
    let (noise, silence) = times.split_at(count);
    tables += &report::silence(noise, silence);

    tables += &report::times(
        "Loudness of stereo, all values",
        "frame",
        &measure(meters::loudness()?, visits),
    );
    tables += &report::times(
        "Level and bands of one channel",
        "sample",
        &measure(meters::levels()?, visits),
    );
    Ok(tables)
}

/// The best time of a frame of each candidate in ns, by name.
fn measure(mut candidates: Vec<Box<dyn Candidate>>, visits: usize) -> Vec<(String, f64)> {
    let times = stopwatch::fastest(&mut candidates, visits);
    let names = candidates.iter().map(|candidate| candidate.name());
    names.zip(times).collect()
}
