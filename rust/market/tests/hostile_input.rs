//! On any input, nothing panics, nothing grows without bound, and the next good line is read.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_market::{Decimal, Format, LineSplitter, MessageError, Schema, SymbolTable, Trade, TradeParser};

const GOOD: &str = r#"{"symbol":"BTC","price":65000.10,"t_ms":1700000000123,"seq":7,"size":"0.5"}"#;
const ROW: &str = "BTC,65000.10,0.5,1700000000123000000,7";

/// A parser with its table, and the good line of its format.
struct Feed {
    parser: TradeParser,
    symbols: SymbolTable,
    trades: Vec<Trade>,
    good: &'static str,
}

fn feeds() -> [Feed; 3] {
    let feed = |format, schema: Schema, good| Feed {
        parser: TradeParser::new(format, schema),
        symbols: SymbolTable::with_limit(1_000),
        trades: Vec::new(),
        good,
    };
    let each = Schema::parse("symbol=s,price=p,time=t:iso8601,each=data.0").expect("a schema");
    let mut csv = feed(Format::Csv, Schema::default(), ROW);
    assert_eq!(csv.read(b"symbol,price,size,t_ns,seq"), Ok(0));
    let array = r#"{"data":[[{"s":"BTC","p":1,"t":"2026-01-31T12:00:00Z"}]]}"#;
    [
        feed(Format::Ndjson, Schema::default(), GOOD),
        csv,
        feed(Format::Ndjson, each, array),
    ]
}

impl Feed {
    fn read(&mut self, line: &[u8]) -> Result<usize, MessageError> {
        self.parser.parse_line(line, &mut self.symbols, &mut self.trades)
    }

    /// Reads a hostile line, which yields a trade or a short text; then the good one.
    fn survives(&mut self, line: &[u8]) {
        if let Err(error) = self.read(line) {
            let text = error.to_string();
            assert!(text.len() < 300, "{text}");
        }
        self.trades.clear();
        // The table may be full of names from random lines; BTC was the first.
        assert_eq!(
            self.read(self.good.as_bytes()),
            Ok(1),
            "after {:?}",
            String::from_utf8_lossy(line)
        );
        assert!(self.symbols.len() <= 1_000);
    }
}

#[test]
fn random_bytes_are_survived() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    for mut feed in feeds() {
        feed.survives(b"");
        for _ in 0..20_000 {
            let length = generator.gen_range(0..80);
            let line: Vec<u8> = (0..length).map(|_| generator.r#gen()).collect();
            feed.survives(&line);
            let ascii: Vec<u8> = line
                .iter()
                .map(|byte| br#"{}[]",:.\-+0123eE ntfu"#[usize::from(*byte) % 22])
                .collect();
            feed.survives(&ascii);
        }
    }
}

#[test]
fn damaged_lines_are_survived() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    for mut feed in feeds() {
        feed.survives(b"");
        let good = feed.good.as_bytes().to_vec();
        for cut in 0..good.len() {
            feed.survives(&good[..cut]);
            feed.survives(&good[cut..]);
        }
        for _ in 0..20_000 {
            let mut line = good.clone();
            for _ in 0..generator.gen_range(1..4) {
                let at = generator.gen_range(0..line.len());
                match generator.gen_range(0..4) {
                    0 => line[at] = generator.r#gen(),
                    1 => line[at] ^= 1 << generator.gen_range(0..8),
                    2 => drop(line.remove(at)),
                    _ => line.insert(
                        at,
                        *b"\"\\{}[],:\r\xff\x00"
                            .get(generator.gen_range(0..11))
                            .unwrap_or(&b'0'),
                    ),
                }
            }
            feed.survives(&line);
        }
    }
}

#[test]
fn shapes_that_grow_are_survived() {
    for mut feed in feeds() {
        feed.survives(b"");
        for part in [
            "[",
            "{\"a\":",
            "{\"data\":[",
            "\"",
            "\\",
            ",",
            "1",
            "-",
            "\u{feff}",
            "\"\",",
            "9e9",
        ] {
            feed.survives(part.repeat(50_000).as_bytes());
        }
        let digits = "9".repeat(60_000);
        for line in [
            format!(r#"{{"symbol":"A","price":{digits}}}"#),
            format!(r#"{{"symbol":"A","price":1e{digits}}}"#),
            format!(r#"{{"symbol":"A","price":1,"seq":{digits}}}"#),
            format!(r#"{{"symbol":"{digits}","price":1}}"#),
            format!(r#"{{"symbol":{{"a":{digits}}},"data":{digits}}}"#),
            format!("A,1e{digits},,,"),
            format!("A,1,,{digits},{digits}"),
        ] {
            feed.survives(line.as_bytes());
        }
    }
}

#[test]
fn random_texts_are_decimals_or_errors() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..300_000 {
        let length = generator.gen_range(0..30);
        let text: Vec<u8> = (0..length)
            .map(|_| b"0123456789.-+e"[generator.gen_range(0..14)])
            .collect();
        let plain = String::from_utf8_lossy(&text);
        match Decimal::parse(&text) {
            Ok(decimal) => {
                let value: f64 = plain.parse().expect("a number for the standard library too");
                assert_eq!(decimal.to_f64(), value, "{plain}");
                assert_eq!(Decimal::parse(decimal.to_string().as_bytes()), Ok(decimal));
            }
            Err(error) => assert!(error.to_string().len() < 200),
        }
    }
}

#[test]
fn line_of_100_mb_costs_no_memory_and_what_follows_is_read() {
    let mut splitter = LineSplitter::new();
    let mut lines = Vec::new();
    let piece = vec![b'x'; 10_007];
    let mut sent = 0;
    while sent < 100_000_000 {
        splitter.push(&piece, |line| lines.push(line.to_vec()));
        sent += piece.len();
        assert!(splitter.capacity() <= splitter.limit() + 1);
    }
    splitter.push(b"x\n", |line| lines.push(line.to_vec()));
    splitter.push(GOOD.as_bytes(), |line| lines.push(line.to_vec()));
    splitter.push(b"\nhalf a li", |line| lines.push(line.to_vec()));
    assert_eq!(splitter.oversized(), 1);
    assert_eq!(lines, [GOOD.as_bytes()]);
    splitter.finish(|line| lines.push(line.to_vec()));
    assert_eq!(lines[1], b"half a li");
}

#[test]
fn random_stream_through_the_splitter_loses_no_good_line() {
    let mut generator = ChaCha8Rng::seed_from_u64(4);
    let mut stream = Vec::new();
    let mut good = 0;
    for _ in 0..3_000 {
        if generator.gen_bool(0.5) {
            stream.extend_from_slice(GOOD.as_bytes());
            good += 1;
        } else {
            let length = generator.gen_range(0..2_000);
            stream.extend((0..length).map(|_| generator.gen_range(11..=255_u8)));
        }
        stream.push(b'\n');
    }
    let mut splitter = LineSplitter::with_limit(1_000);
    let mut feed = feeds().into_iter().next().expect("three feeds");
    let mut trades = Vec::new();
    let mut malformed = 0;
    let mut rest = &stream[..];
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(generator.gen_range(1..=rest.len().min(3_000)));
        splitter.push(piece, |line| {
            match feed.parser.parse_line(line, &mut feed.symbols, &mut trades) {
                Ok(_) => {}
                Err(_) => malformed += 1,
            }
        });
        rest = tail;
    }
    assert_eq!(trades.len(), good);
    assert!(malformed > 500 && splitter.oversized() > 500);
}
