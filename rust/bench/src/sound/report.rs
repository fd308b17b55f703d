//! The tables, in Markdown.

use super::signal::RATE;
use std::fmt::Write;

/// The cost of a frame in ns for each candidate, and its ratio to the first one's.
pub(super) fn times(title: &str, unit: &str, times: &[(String, f64)]) -> String {
    let mut table = format!(
        "\n### {title}\n\n| | ns a {unit} | million {unit}s/s | real-time factor at {RATE} Hz | time / that of the first |\n\
         |---|---:|---:|---:|---:|\n"
    );
    for (name, time) in times {
        // Writing to a string does not fail.
        let _ = writeln!(
            table,
            "| {name} | {time:.2} | {:.2} | {:.5} | {:.2} |",
            1000.0 / time,
            time * f64::from(RATE) / 1e9,
            time / times[0].1
        );
    }
    table
}

/// The cost of a frame in ns in noise and in silence.
pub(super) fn silence(noise: &[(String, f64)], silence: &[(String, f64)]) -> String {
    let mut table = String::from(
        "\n### 28 biquads on stereo: 11 s of noise, and of silence after a block of noise\n\n\
         | | noise, ns a frame | silence, ns a frame | silence / noise |\n|---|---:|---:|---:|\n",
    );
    for ((name, noise), (_, silence)) in noise.iter().zip(silence) {
        let _ = writeln!(
            table,
            "| {name} | {noise:.2} | {silence:.2} | {:.2} |",
            silence / noise
        );
    }
    table
}
