//! Pitch contours of WAV files, for the evaluation in `peers/`.

use crate::wave;
use rustle_dsp::pitch::{Decoding, PitchConfiguration, PitchMethod, contour};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Lines of path, time in seconds, frequency in Hz, confidence, and 1 where there is more than one note, separated by tabs, for
/// `words`: the options matched below, and files.
pub(crate) fn lines(words: impl Iterator<Item = String>) -> Result<String, Box<dyn Error>> {
    let (mut lowest, mut highest, mut frame_length, mut hop) = (25.0, 4500.0, None, 512);
    let (mut method, mut decoding, mut several) = (PitchMethod::default(), Decoding::default(), true);
    let mut files = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word}: expected a value, got none"));
        match word.as_str() {
            "--min" => lowest = value()?.parse()?,
            "--max" => highest = value()?.parse()?,
            "--window" => frame_length = Some(value()?.parse()?),
            "--hop" => hop = value()?.parse()?,
            "--method" => method = value()?.parse()?,
            "--one-note" => several = false,
            "--viterbi" => decoding = Decoding::Viterbi,
            _ => files.push(word),
        }
    }
    let mut text = String::new();
    for file in files {
        let (rate, samples) = wave::read(Path::new(&file))?;
        let configuration = PitchConfiguration {
            method,
            frame_length,
            several,
            ..PitchConfiguration::new(f64::from(rate), lowest..=highest)
        };
        for frame in contour(&configuration, hop, decoding, &samples)? {
            let time = frame.sample as f64 / f64::from(rate);
            let estimate = frame.estimate;
            writeln!(
                text,
                "{file}\t{time:.6}\t{:.9}\t{:.4}\t{}",
                estimate.frequency,
                estimate.confidence,
                u8::from(estimate.polyphonic)
            )?;
        }
    }
    Ok(text)
}
