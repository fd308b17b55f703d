//! Beats of WAV files, for the evaluation in `peers/`.

use crate::wave;
use rustle_dsp::rhythm::{RhythmAnalyzer, RhythmConfiguration, RhythmTracker};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Samples of a buffer of the stream.
const BUFFER: usize = 512;

/// For each of `words`, which are `--stream` and files: a line of path, tempo in BPM (0 where there is none), confidence, and the times of
/// the beats in seconds, separated by tabs. With `--stream` by the tracker: the tempo is then that of the last frame.
pub(crate) fn lines(words: impl Iterator<Item = String>) -> Result<String, Box<dyn Error>> {
    let (mut is_stream, mut text) = (false, String::new());
    for word in words {
        if word == "--stream" {
            is_stream = true;
            continue;
        }
        let (rate, samples) = wave::read(Path::new(&word))?;
        let configuration = RhythmConfiguration::new(f64::from(rate));
        let (tempo, confidence, beats) = if is_stream {
            followed(&configuration, &samples)?
        } else {
            let mut analyzer = RhythmAnalyzer::new(&configuration)?;
            analyzer.push(&samples)?;
            let rhythm = analyzer.finish()?;
            (rhythm.tempo.unwrap_or(0.0), rhythm.confidence, rhythm.beats)
        };
        write!(text, "{word}\t{tempo:.3}\t{confidence:.3}")?;
        for beat in beats {
            write!(text, "\t{:.4}", beat / f64::from(rate))?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

fn followed(
    configuration: &RhythmConfiguration,
    samples: &[f32],
) -> Result<(f64, f64, Vec<f64>), Box<dyn Error>> {
    let mut tracker = RhythmTracker::new(configuration)?;
    let (mut last, mut beats) = (None, Vec::new());
    for buffer in samples.chunks(BUFFER) {
        tracker.push(buffer, |frame| {
            last = frame.beat.or(last);
            beats.extend(frame.beat.filter(|beat| beat.is_beat).map(|beat| beat.next));
        })?;
    }
    let (tempo, confidence) = last.map_or((0.0, 0.0), |beat| (beat.tempo, beat.confidence));
    Ok((tempo, confidence, beats))
}
