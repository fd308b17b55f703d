//! Written trades are read back, and writing those yields the same bytes.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_market::{
    CSV_HEADER, Decimal, Format, NO_SEQUENCE, NO_TIME, Quote, Schema, Side, SymbolTable, Trade, TradeParser,
    write_csv, write_ndjson,
};

/// Any trade: prices of all sizes and signs, times in whole milliseconds and not, absent values.
fn random(generator: &mut ChaCha8Rng, symbols: u32) -> Trade {
    let mut decimal = |least: i64| {
        let end = 10_i64.pow(generator.gen_range(1..=18));
        let units = generator.gen_range((least * end).max(1 - end)..end);
        Decimal::new(units, generator.gen_range(0..=18)).expect("within the bounds")
    };
    let (price, size) = (decimal(-1), decimal(0));
    let quote = Quote::new(decimal(-1), decimal(-1), decimal(0), decimal(0));
    let quote = generator.gen_bool(0.4).then_some(quote);
    let time = generator.gen_range(i64::MIN / 2..i64::MAX);
    Trade {
        side: [None, Some(Side::Buy), Some(Side::Sell)][generator.gen_range(0..3)],
        quote,
        symbol: generator.gen_range(0..symbols),
        price,
        size: if generator.gen_bool(0.3) {
            Decimal::ZERO
        } else {
            size
        },
        time_ns: match generator.gen_range(0..4) {
            0 => NO_TIME,
            1 => time,
            _ => time / 1_000_000 * 1_000_000,
        },
        sequence: if generator.gen_bool(0.2) {
            NO_SEQUENCE
        } else {
            generator.gen_range(0..NO_SEQUENCE)
        },
    }
}

const NAMES: [&str; 8] = [
    "BTC",
    "a,b",
    "\"x\"",
    "\\",
    "é/ü",
    "{}",
    "\u{feff}A",
    "a:\u{1F4B0}",
];

fn written(format: Format, trades: &[Trade], symbols: &SymbolTable) -> Vec<u8> {
    let mut out = Vec::new();
    if format == Format::Csv {
        out.extend_from_slice(CSV_HEADER.as_bytes());
    }
    for trade in trades {
        let name = symbols.name(trade.symbol).expect("in the table");
        match format {
            Format::Ndjson => write_ndjson(trade, name, &mut out),
            Format::Csv => write_csv(trade, name, &mut out),
        }
    }
    out
}

#[test]
fn trades_survive_both_formats_and_their_bytes_do_too() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut symbols = SymbolTable::new();
    for name in NAMES {
        symbols.number_or_add(name).expect("a name");
    }
    let trades: Vec<Trade> = (0..20_000)
        .map(|_| random(&mut generator, NAMES.len() as u32))
        .collect();
    for format in [Format::Ndjson, Format::Csv] {
        let text = written(format, &trades, &symbols);
        let mut parser = TradeParser::new(format, Schema::default());
        let mut read = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            let result = parser.parse_line(line, &mut symbols, &mut read);
            assert!(result.is_ok(), "{}: {result:?}", String::from_utf8_lossy(line));
        }
        assert_eq!(read, trades, "{format:?}");
        assert!(written(format, &read, &symbols) == text, "{format:?}");
    }
    assert_eq!(symbols.len(), NAMES.len());
}

#[test]
fn line_of_the_ticker_comes_back_to_the_byte() {
    let line = "{\"v\":1,\"symbol\":\"ETH\",\"price\":3500.0,\"t_ms\":1700000000123,\"seq\":0}\n";
    let mut symbols = SymbolTable::new();
    let mut read = Vec::new();
    let mut parser = TradeParser::new(Format::Ndjson, Schema::default());
    parser
        .parse_line(line.trim_end().as_bytes(), &mut symbols, &mut read)
        .expect("well-formed");
    assert_eq!(
        String::from_utf8_lossy(&written(Format::Ndjson, &read, &symbols)),
        line
    );
}
