//! A recording of a simulated market, and the candles of a recording.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_market::{
    Candle, CandleBuilder, Decimal, Format, GbmParameters, GeometricBrownianMotion, Interval, LineSplitter,
    Schema, SymbolTable, Trade, TradeParser, write_ndjson,
};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Write};

/// The start of the recording, 2026-01-01T00:00:00Z, in ns.
const START_NS: i64 = 1_767_225_600_000_000_000;
/// How far a trade may be out of order, in ns.
const DISORDER_NS: i64 = 3_000_000_000;

/// `count` trades of `symbols` symbols in a random order, 1 ms apart on average, numbered per symbol, their times in order.
pub(super) fn trades(
    count: usize,
    symbols: usize,
    seed: u64,
) -> Result<(SymbolTable, Vec<Trade>), Box<dyn Error>> {
    let mut table = SymbolTable::new();
    let mut parameters = Vec::new();
    for n in 0..symbols {
        let name = format!("SYM{n}-USD");
        parameters.push(GbmParameters::usual(&name));
        table.number_or_add(&name)?;
    }
    let mut motion = GeometricBrownianMotion::new(&parameters, seed)?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut sequences = vec![0; symbols];
    let mut time_ns = START_NS;
    let mut trades = Vec::with_capacity(count);
    for _ in 0..count {
        let symbol = generator.gen_range(0..symbols);
        time_ns += generator.gen_range(0..=2) * 1_000_000;
        trades.push(Trade {
            side: None,
            quote: None,
            symbol: symbol as u32,
            price: motion
                .step(symbol, 100_000_000)
                .ok_or("a symbol without a price")?,
            size: Decimal::new(generator.gen_range(0..1_000_000), 4).unwrap_or_default(),
            time_ns,
            sequence: sequences[symbol],
        });
        sequences[symbol] += 1;
    }
    Ok((table, trades))
}

/// Writes a recording of NDJSON for `LINES SYMBOLS SEED FILE`: times are up to 3 s out of order, many are equal.
pub(crate) fn recording(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [lines, symbols, seed, file] = words else {
        return Err("expected LINES SYMBOLS SEED FILE".into());
    };
    let (table, trades) = trades(lines.parse()?, symbols.parse()?, seed.parse()?)?;
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut file = BufWriter::new(File::create(file)?);
    let mut line = Vec::new();
    for trade in &trades {
        let behind = generator.gen_range(0..DISORDER_NS) / 1_000_000 * 1_000_000;
        let time_ns = trade.time_ns - if generator.gen_bool(0.2) { behind } else { 0 };
        line.clear();
        let name = table.name(trade.symbol).ok_or("a symbol without a name")?;
        write_ndjson(&Trade { time_ns, ..*trade }, name, &mut line);
        file.write_all(&line)?;
    }
    file.flush()?;
    Ok(())
}

/// The candles of a recording for `INTERVAL LATENESS FILE`, as CSV; an error when a line is malformed or late.
pub(crate) fn candles(words: &[String]) -> Result<String, Box<dyn Error>> {
    let [interval, lateness, file] = words else {
        return Err("expected INTERVAL LATENESS FILE".into());
    };
    let lateness = if lateness == "0" {
        0
    } else {
        Interval::parse(lateness)?.ns()
    };
    let mut builder = CandleBuilder::new(Interval::parse(interval)?, lateness)?;
    let mut parser = TradeParser::new(Format::Ndjson, Schema::default());
    let (mut symbols, mut splitter) = (SymbolTable::new(), LineSplitter::new());
    let (mut trades, mut closed, mut fault) = (Vec::new(), Vec::new(), None);
    let mut file = File::open(file)?;
    let mut piece = vec![0; 1 << 20];
    loop {
        let length = file.read(&mut piece)?;
        let mut line = |line: &[u8]| {
            if let Err(error) = parser.parse_line(line, &mut symbols, &mut trades) {
                fault = Some(error);
            }
        };
        match length {
            0 => splitter.finish(&mut line),
            _ => splitter.push(&piece[..length], &mut line),
        }
        for trade in trades.drain(..) {
            builder.push(&trade, &mut closed);
        }
        if length == 0 {
            break;
        }
    }
    builder.flush(&mut closed);
    if let Some(error) = fault {
        return Err(error.into());
    }
    if builder.late() > 0 {
        return Err(format!("{} updates were late", builder.late()).into());
    }
    let mut text = String::from("symbol,start_ns,open,high,low,close,volume,count\n");
    for candle in &closed {
        text += &row(candle, symbols.name(candle.symbol).unwrap_or_default());
    }
    Ok(text)
}

fn row(candle: &Candle, name: &str) -> String {
    let Candle {
        start_ns,
        open,
        high,
        low,
        close,
        volume,
        count,
        ..
    } = candle;
    format!("{name},{start_ns},{open},{high},{low},{close},{volume},{count}\n")
}
