//! Compares `rustle-dsp` with other libraries and measures `rustle-market`, `rustle-lighting`, `rustle-shows` and readings of beats, in one run, and prints Markdown.
//!
//! Usage: `rustle-bench spectra [--intel DIRECTORY] [--visits N] [SIZE ...]`, `rustle-bench spectra --instructions COUNTER [SIZE
//! ...]`, `rustle-bench sound [--python INTERPRETER] [--visits N]`, `rustle-bench pitch [--visits N]`, `rustle-bench market
//! [--visits N]`, `rustle-bench light [--visits N]`, `rustle-bench shows [--visits N]`, `rustle-bench tempo [--visits N]`, `rustle-bench mapping [SEED]`, `rustle-bench dmx FLOOR [--seconds N] [UNIVERSES ...]`, or, for the programs in `peers/`, `rustle-bench contour [OPTION ...] FILE
//! ...`, `rustle-bench voice [OPTION ...] FILE ...`, `rustle-bench rhythm [--stream] FILE ...`, `rustle-bench recording LINES SYMBOLS SEED FILE` and `rustle-bench candles
//! INTERVAL LATENESS FILE`. Peers are loaded when they run, never linked: FFTW (libfftw3f) and libebur128 are required, KissFFT
//! and FFmpeg are used when installed, Intel's MKL and IPP are loaded from the given directory, and scipy and pedalboard from the
//! given Python.
//!
//! The method: all candidates of a job are visited in a new random order each time, at least 40 times; a visit runs as many jobs
//! as take about 20 us, and the fastest visit counts. With `--instructions` it counts the instructions that an emulator executes,
//! see `scripts/arm64`.

mod candidate;
mod contour;
mod dmx;
mod light;
mod mapping;
mod market;
mod nodes;
mod pitch;
mod rhythm;
mod shows;
mod sound;
mod spectra;
mod stopwatch;
mod tempo;
mod venue;
mod voice;
mod wave;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

/// The minimum number of visits.
const VISITS: usize = 40;

const USAGE: &str = "expected spectra [--intel DIRECTORY] [--visits N] [SIZE ...], spectra --instructions COUNTER [SIZE ...], sound [--python INTERPRETER] [--visits N], pitch [--visits N], market [--visits N], light [--visits N], shows [--visits N], tempo [--visits N], mapping [SEED], dmx FLOOR [--seconds N] [UNIVERSES ...], contour [OPTION ...] FILE ..., voice [OPTION ...] FILE ..., rhythm [--stream] FILE ..., recording LINES SYMBOLS SEED FILE or candles INTERVAL LATENESS FILE";

/// The options of the command line.
struct Options {
    visits: usize,
    intel: Option<PathBuf>,
    counter: Option<spectra::Counter>,
    python: Option<PathBuf>,
    sizes: Vec<usize>,
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        visits: 2 * VISITS,
        intel: None,
        counter: None,
        python: None,
        sizes: Vec::new(),
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--intel" => options.intel = Some(words.next().ok_or(USAGE)?.into()),
            "--instructions" => {
                options.counter = Some(spectra::Counter::new(words.next().ok_or(USAGE)?.into()));
            }
            "--python" => options.python = Some(words.next().ok_or(USAGE)?.into()),
            "--visits" => options.visits = words.next().ok_or(USAGE)?.parse::<usize>()?.max(VISITS),
            size => options
                .sizes
                .push(size.parse().map_err(|_| format!("{USAGE}, got {size}"))?),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let subject = words.next();
    if subject.as_deref() == Some("contour") {
        write!(io::stdout().lock(), "{}", contour::lines(words)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("mapping") {
        let seed = words.next().map_or(Ok(1), |seed| seed.parse())?;
        write!(io::stdout().lock(), "{}", mapping::tables(seed)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("rhythm") {
        write!(io::stdout().lock(), "{}", rhythm::lines(words)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("voice") {
        let words: Vec<String> = words.collect();
        write!(io::stdout().lock(), "{}", voice::lines(&words)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("dmx-sender") {
        let words: Vec<String> = words.collect();
        write!(io::stdout().lock(), "{}", dmx::sender(&words)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("dmx") {
        let floor = PathBuf::from(words.next().ok_or(USAGE)?);
        let words: Vec<String> = words.collect();
        write!(io::stdout().lock(), "{}", dmx::tables(&floor, &words)?)?;
        return Ok(());
    }
    if subject.as_deref() == Some("dmx-receiver") {
        return dmx::receiver(&words.collect::<Vec<_>>());
    }
    if subject.as_deref() == Some("recording") {
        return market::recording(&words.collect::<Vec<_>>());
    }
    if subject.as_deref() == Some("candles") {
        let words: Vec<String> = words.collect();
        write!(io::stdout().lock(), "{}", market::candles(&words)?)?;
        return Ok(());
    }
    let options = options(words)?;
    let tables = match subject.as_deref() {
        Some("spectra") if options.python.is_none() => match options.counter {
            Some(counter) if options.intel.is_none() => spectra::counts(&counter, options.sizes)?,
            Some(_) => return Err(USAGE.into()),
            None => spectra::tables(options.visits, options.intel.as_deref(), options.sizes)?,
        },
        _ if options.counter.is_some() => return Err(USAGE.into()),
        Some("sound") if options.intel.is_none() && options.sizes.is_empty() => {
            sound::tables(options.visits, options.python.as_deref())?
        }
        Some("pitch") if options.intel.is_none() && options.python.is_none() && options.sizes.is_empty() => {
            pitch::tables(options.visits)?
        }
        Some("market") if options.intel.is_none() && options.python.is_none() && options.sizes.is_empty() => {
            market::tables(options.visits)?
        }
        Some("light") if options.intel.is_none() && options.python.is_none() && options.sizes.is_empty() => {
            light::tables(options.visits)? + &venue::tables(options.visits)?
        }
        Some("shows") if options.intel.is_none() && options.python.is_none() && options.sizes.is_empty() => {
            shows::tables(options.visits)?
        }
        Some("tempo") if options.intel.is_none() && options.python.is_none() && options.sizes.is_empty() => {
            tempo::tables(options.visits)?
        }
        _ => return Err(USAGE.into()),
    };
    write!(io::stdout().lock(), "{tables}")?;
    Ok(())
}
