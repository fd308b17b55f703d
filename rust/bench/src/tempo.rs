//! Tempo: the time of a reading of beats.

use crate::stopwatch::now;
use rustle_engines::{BeatReading, Runtime, TempoConfiguration, TempoEngine};
use rustle_tempo::beats::{HostTime, Time};
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;

/// The readings of a visit.
const READINGS: i64 = 1_000;

/// A table: the fastest of `visits` visits of each reading.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let engine = TempoEngine::on(Runtime::shared().clone(), TempoConfiguration::default(), None)?;
    let reader = engine.reader();
    let start = reader.host_now().micros();
    let mut text = format!(
        "### Readings of beats by any thread, the fastest of {visits} visits\n\n\
         | reading | ns |\n|---|---|\n"
    );
    let beats = |reading: BeatReading| {
        fastest(visits, start, |at| {
            black_box(reader.beat_at(at, reading));
        })
    };
    let host_time = fastest(visits, start, |_| {
        black_box(reader.host_now());
    });
    let rows = [
        ("the clock's smooth beats", beats(BeatReading::Smooth)),
        ("the clock's exact beats", beats(BeatReading::Exact)),
        ("the session's beats", beats(BeatReading::Session)),
        ("the present host time", host_time),
    ];
    for (name, ns) in rows {
        writeln!(text, "| {name} | {ns:.0} |")?;
    }
    Ok(text)
}

/// ns of a reading in the fastest visit, of host times that pass.
fn fastest(visits: usize, from: i64, mut read: impl FnMut(HostTime)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let start = now();
        for micros in 0..READINGS {
            read(black_box(HostTime::new(from + micros)));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / READINGS as f64
}
