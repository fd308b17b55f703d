//! Pitch contours of WAV files, for the evaluation in `peers/`.

use rustle_dsp::pitch::{Decoding, PitchConfiguration, PitchMethod, contour};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Lines of `path time f0 confidence`, parted by tabs.
pub(crate) fn lines(words: &[String]) -> Result<String, Box<dyn Error>> {
    let (mut lowest, mut highest, mut window, mut hop) = (25.0, 4500.0, None, 512);
    let mut features = false;
    let (mut method, mut decoding) = (PitchMethod::default(), Decoding::default());
    let mut files = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--min" => lowest = words.next().ok_or("--min HZ")?.parse()?,
            "--max" => highest = words.next().ok_or("--max HZ")?.parse()?,
            "--window" => window = Some(words.next().ok_or("--window N")?.parse()?),
            "--hop" => hop = words.next().ok_or("--hop N")?.parse()?,
            "--method" => method = words.next().ok_or("--method NAME")?.parse()?,
            "--viterbi" => decoding = Decoding::Viterbi,
            "--features" => features = true,
            file => files.push(file.to_owned()),
        }
    }
    let mut text = String::new();
    for file in files {
        let (rate, samples) = read(Path::new(&file))?;
        let configuration = PitchConfiguration {
            method,
            window,
            ..PitchConfiguration::new(f64::from(rate), lowest..=highest)
        };
        for frame in contour(&configuration, hop, decoding, &samples)? {
            let estimate = frame.estimate;
            let time = frame.sample as f64 / f64::from(rate);
            write!(
                text,
                "{file}\t{time:.6}\t{:.9}\t{:.4}",
                estimate.frequency, estimate.confidence
            )?;
            if features {
                write!(text, "\t{:?}", estimate)?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn read(path: &Path) -> Result<(u32, Vec<f32>), Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut at = 12;
    let mut rate = 0;
    while at + 8 <= bytes.len() {
        let size = number(at + 4) as usize;
        match &bytes[at..at + 4] {
            b"fmt " => rate = number(at + 12),
            b"data" => {
                let samples = bytes[at + 8..(at + 8 + size).min(bytes.len())]
                    .chunks_exact(2)
                    .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0)
                    .collect();
                return Ok((rate, samples));
            }
            _ => {}
        }
        at += 8 + size + size % 2;
    }
    Err("no data".into())
}
