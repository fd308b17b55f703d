//! Voice measures of WAV files, for the evaluation in `peers/voice.py`.

use crate::wave::read;
use rustle_dsp::voice::{
    FormantConfiguration, VoiceConfiguration, analyze, extract_formants, h1_minus_h2, harmonicity,
    perturbation,
};
use std::error::Error;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::Path;

/// One line for each file, separated by tabs: the path; F1 to F5 and B1 to B5 in Hz, 0 where there is none; the ratio in dB; its
/// frequency; jitter local, rap, ppq5; shimmer local, in dB, apq3, apq5; H1-H2 in dB; median, mean and deviation of the pitch.
/// With `--hop SAMPLES` the frames of the stream instead, that far apart: the path, the middle in samples, pitch, ratio (or 0),
/// F1 to F3 and centroid; and a line with jitter and shimmer of all.
pub(crate) fn lines(words: &[String]) -> Result<String, Box<dyn Error>> {
    let (mut lowest, mut highest) = (75.0, 600.0);
    let mut formants = FormantConfiguration::new(0.0);
    let (mut files, mut hop) = (Vec::new(), None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--min" => lowest = words.next().ok_or("--min HZ")?.parse()?,
            "--max" => highest = words.next().ok_or("--max HZ")?.parse()?,
            "--ceiling" => formants.ceiling = words.next().ok_or("--ceiling HZ")?.parse()?,
            "--order" => formants.order = Some(words.next().ok_or("--order N")?.parse()?),
            "--length" => formants.length = words.next().ok_or("--length S")?.parse()?,
            "--method" => formants.method = words.next().ok_or("--method NAME")?.parse()?,
            "--hop" => hop = Some(words.next().ok_or("--hop SAMPLES")?.parse()?),
            file => files.push(file),
        }
    }
    let mut text = String::new();
    for file in files {
        match hop {
            None => line(&mut text, file, formants, lowest..=highest)?,
            Some(hop) => frames(&mut text, file, formants, lowest..=highest, hop)?,
        }
    }
    Ok(text)
}

fn frames(
    text: &mut String,
    file: &str,
    formants: FormantConfiguration,
    range: RangeInclusive<f64>,
    hop: usize,
) -> Result<(), Box<dyn Error>> {
    let (rate, samples) = read(Path::new(file))?;
    let configuration = VoiceConfiguration {
        range,
        hop: Some(hop),
        formants: Some(formants),
        ..VoiceConfiguration::new(f64::from(rate))
    };
    let (frames, summary) = analyze(&configuration, &samples)?;
    for frame in frames {
        let ratio = frame.harmonicity.map_or(0.0, |found| found.hnr);
        write!(text, "{file}\t{}\t{:.4}\t{ratio:.4}", frame.sample, frame.pitch)?;
        for number in 1..=3 {
            let found = frame.formants.get(number).unwrap_or_default();
            write!(text, "\t{:.3}", found.frequency)?;
        }
        writeln!(text, "\t{:.3}", frame.centroid)?;
    }
    let p = summary.perturbation;
    writeln!(text, "{file}\t{:.7}\t{:.7}", p.jitter, p.shimmer)?;
    Ok(())
}

fn line(
    text: &mut String,
    file: &str,
    formants: FormantConfiguration,
    range: RangeInclusive<f64>,
) -> Result<(), Box<dyn Error>> {
    let (rate, samples) = read(Path::new(file))?;
    let sample_rate = f64::from(rate);
    let found = extract_formants(
        &FormantConfiguration {
            sample_rate,
            ..formants
        },
        &samples,
    )?;
    write!(text, "{file}")?;
    for number in 1..=5 {
        write!(text, "\t{:.3}", found.get(number).unwrap_or_default().frequency)?;
    }
    for number in 1..=5 {
        write!(text, "\t{:.3}", found.get(number).unwrap_or_default().bandwidth)?;
    }
    let ratio = harmonicity(sample_rate, range.clone(), &samples)?;
    write!(text, "\t{:.4}\t{:.4}", ratio.hnr, ratio.frequency)?;
    let configuration = VoiceConfiguration {
        range: range.clone(),
        formants: None,
        harmonicity: false,
        centroid: false,
        ..VoiceConfiguration::new(sample_rate)
    };
    let (_, summary) = analyze(&configuration, &samples)?;
    let p = perturbation(sample_rate, range.clone(), &samples)?;
    for value in [
        p.jitter,
        p.jitter_rap,
        p.jitter_ppq5,
        p.shimmer,
        p.shimmer_decibels,
        p.shimmer_apq3,
        p.shimmer_apq5,
    ] {
        write!(text, "\t{value:.7}")?;
    }
    let levels = h1_minus_h2(sample_rate, None, range, &samples)?;
    writeln!(
        text,
        "\t{:.4}\t{:.4}\t{:.4}\t{:.4}",
        levels.difference, summary.median_pitch, summary.mean_pitch, summary.pitch_deviation
    )?;
    Ok(())
}
