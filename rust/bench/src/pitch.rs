//! The cost of a frame of pitch: the mean and the maximum.

use crate::stopwatch::now;
use rustle_dsp::pitch::{PitchConfiguration, PitchError, PitchMethod, estimator};
use rustle_testkit::{Tone, noise, normal_noise};
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;

const RATE: f64 = 44_100.0;
const WINDOW: usize = 4096;
const HOP: usize = 512;

/// A table: for each signal the mean over its frames, the most expensive frame, and the share of real time, of the default
/// method; and the mean of the others. Of each frame the fastest of `visits` counts.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let mut text = format!(
        "### Pitch, {WINDOW} samples every {HOP} at {RATE} Hz, one thread\n\n\
         | signal | us a frame | dearest frame over the mean | of real time |\n|---|---:|---:|---:|\n"
    );
    let mut all = Vec::new();
    for (name, signal) in signals() {
        let times = times(PitchMethod::Harmonic, &signal, visits)?;
        row(&mut text, name, &times)?;
        all.extend(times);
    }
    row(&mut text, "all of these", &all)?;
    text.push_str("\n| method | us a frame, of all signals |\n|---|---:|\n");
    for method in PitchMethod::ALL {
        let mut times_of_all = Vec::new();
        for (_, signal) in signals() {
            times_of_all.extend(times(method, &signal, visits)?);
        }
        writeln!(text, "| {method} | {:.1} |", mean(&times_of_all) / 1000.0)?;
    }
    Ok(text)
}

fn row(text: &mut String, name: &str, times: &[f64]) -> Result<(), Box<dyn Error>> {
    let mean = mean(times);
    let worst = times.iter().copied().fold(0.0, f64::max);
    let share = mean * 1e-9 * RATE / HOP as f64;
    writeln!(
        text,
        "| {name} | {:.1} | {:.2} | {share:.5} |",
        mean / 1000.0,
        worst / mean
    )?;
    Ok(())
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// The fastest time of each frame, in ns.
fn times(method: PitchMethod, signal: &[f32], visits: usize) -> Result<Vec<f64>, PitchError> {
    let configuration = PitchConfiguration {
        method,
        frame_length: Some(WINDOW),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    let mut pitch = estimator(&configuration)?;
    let mut times = vec![f64::INFINITY; 1 + (signal.len() - WINDOW) / HOP];
    for _ in 0..visits {
        for (time, frame) in times.iter_mut().zip(signal.windows(WINDOW).step_by(HOP)) {
            let start = now();
            black_box(pitch.estimate(black_box(frame))?);
            *time = time.min(start.elapsed().as_nanos() as f64);
        }
    }
    Ok(times)
}

fn signals() -> Vec<(&'static str, Vec<f32>)> {
    const LENGTH: usize = 22_050;
    let stack = |frequency, partials| Tone::stack(frequency, partials, 0.2, RATE).samples(LENGTH, 0.7);
    let mut string = Tone::stack(110.0, 24, 0.2, RATE);
    string.inharmonicity = 3e-4;
    let tone = Tone::stack(220.0, 24, 0.2, RATE);
    let mut noisy = tone.samples(LENGTH, 0.7);
    for (sample, noise) in noisy.iter_mut().zip(normal_noise(1, LENGTH, tone.power() / 10.0)) {
        *sample += noise;
    }
    let glide = (0..LENGTH).scan(0.0, |phase, n| {
        *phase += std::f64::consts::TAU * 200.0 * 2_f64.powf(n as f64 / RATE) / RATE;
        Some(
            (1..=8)
                .map(|k| 0.2 / f64::from(k) * (f64::from(k) * *phase).sin())
                .sum::<f64>() as f32,
        )
    });
    vec![
        ("sine, 440 Hz", stack(440.0, 1)),
        ("24 partials, 55 Hz", stack(55.0, 24)),
        ("24 partials, 440 Hz", stack(440.0, 24)),
        ("inharmonic string, 110 Hz", string.samples(LENGTH, 0.7)),
        ("24 partials in noise, 10 dB", noisy),
        ("glide", glide.collect()),
        ("noise", noise(7, LENGTH)),
    ]
}
