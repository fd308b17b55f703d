//! Market data: the speed of reading trades and of making candles, statistics and sequences; and files and candles for
//! `peers/candles.py`.

mod recording;

pub(crate) use recording::{candles, recording};

use crate::stopwatch::now;
use recording::trades;
use rustle_market::{
    CSV_HEADER, CandleBuilder, Format, GbmParameters, GeometricBrownianMotion, Interval, LineSplitter,
    RollingStatistics, Schema, SequenceTracker, SymbolTable, Trade, TradeParser, write_csv, write_ndjson,
};
use std::error::Error;
use std::fmt::Write;

/// The trades of one visit, and their symbols.
const COUNT: usize = 100_000;
const SYMBOLS: usize = 100;
/// The size of a stream's pieces.
const PIECE: usize = 64 * 1_024;

/// A table: the fastest of `visits` visits of each job.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let (table, trades) = trades(COUNT, SYMBOLS, 1)?;
    let mut text = format!(
        "### Market data, {COUNT} updates of {SYMBOLS} symbols, one thread, the fastest of {visits} visits\n\n\
         | job | a second | ns each | MB/s |\n|---|---|---|---|\n"
    );
    let mut ndjson = Vec::new();
    let mut csv = CSV_HEADER.as_bytes().to_vec();
    for trade in &trades {
        let name = table.name(trade.symbol).ok_or("a symbol without a name")?;
        write_ndjson(trade, name, &mut ndjson);
        write_csv(trade, name, &mut csv);
    }
    for (name, format, bytes) in [
        ("read NDJSON", Format::Ndjson, &ndjson),
        ("read CSV", Format::Csv, &csv),
    ] {
        let seconds = fastest(visits, || read(format, bytes).len());
        row(&mut text, name, seconds, Some(bytes.len()))?;
    }
    let mut out = Vec::with_capacity(ndjson.len());
    let seconds = fastest(visits, || {
        out.clear();
        for trade in &trades {
            write_ndjson(trade, table.name(trade.symbol).unwrap_or_default(), &mut out);
        }
        out.len()
    });
    row(&mut text, "write NDJSON", seconds, Some(ndjson.len()))?;
    derived(&mut text, visits, &trades)?;
    Ok(text)
}

/// The consumers of trades.
fn derived(text: &mut String, visits: usize, trades: &[Trade]) -> Result<(), Box<dyn Error>> {
    let interval = Interval::parse("1s")?;
    let mut closed = Vec::new();
    let seconds = fastest(visits, || {
        closed.clear();
        let Ok(mut builder) = CandleBuilder::new(interval, 0) else {
            return 0;
        };
        for trade in trades {
            builder.push(trade, &mut closed);
        }
        closed.len()
    });
    row(text, "candles of 1 s", seconds, None)?;
    let seconds = fastest(visits, || {
        let mut statistics = RollingStatistics::new(interval);
        for trade in trades {
            statistics.push(trade);
        }
        statistics.late() as usize
    });
    row(text, "statistics of 1 s", seconds, None)?;
    let seconds = fastest(visits, || {
        let mut tracker = SequenceTracker::new();
        for trade in trades {
            tracker.observe(trade.symbol, trade.sequence);
        }
        tracker.totals().observed as usize
    });
    row(text, "sequence numbers", seconds, None)?;
    let mut motion = GeometricBrownianMotion::new(&[GbmParameters::usual("BTC"); SYMBOLS], 1)?;
    let seconds = fastest(visits, || {
        (0..COUNT)
            .filter(|n| motion.step(n % SYMBOLS, 1_000_000).is_some())
            .count()
    });
    row(text, "geometric Brownian motion", seconds, None)
}

/// Reads the trades of a stream in pieces.
fn read(format: Format, bytes: &[u8]) -> Vec<Trade> {
    let mut splitter = LineSplitter::new();
    let mut parser = TradeParser::new(format, Schema::default());
    let mut symbols = SymbolTable::new();
    let mut trades = Vec::with_capacity(COUNT);
    for piece in bytes.chunks(PIECE) {
        splitter.push(piece, |line| {
            // A malformed line would change the number of trades.
            let _ = parser.parse_line(line, &mut symbols, &mut trades);
        });
    }
    trades
}

/// Seconds of the fastest visit; `job` returns a result, so that the compiler does not remove it.
fn fastest(visits: usize, mut job: impl FnMut() -> usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let start = now();
        std::hint::black_box(job());
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn row(text: &mut String, name: &str, seconds: f64, bytes: Option<usize>) -> Result<(), Box<dyn Error>> {
    let rate = COUNT as f64 / seconds;
    let each = seconds / COUNT as f64 * 1e9;
    let volume = bytes.map_or(String::new(), |bytes| {
        format!("{:.0}", bytes as f64 / seconds / 1e6)
    });
    writeln!(
        text,
        "| {name} | {:.2} million | {each:.1} | {volume} |",
        rate / 1e6
    )?;
    Ok(())
}
