//! The text of every error.

use rustle_market::*;
use std::fmt::Display;

fn check(texts: &[(&dyn Display, &str)]) {
    for (failure, expected) in texts {
        assert_eq!(failure.to_string(), *expected);
    }
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).expect("a decimal")
}

#[test]
fn failures_of_messages_say_what_was_expected_and_what_came() {
    use MessageError as E;
    let got = Excerpt::new(b"x");
    check(&[
        (
            &E::NotATrade,
            "expected a symbol and a price, got a message without both",
        ),
        (
            &E::NotUtf8 { position: 3 },
            "expected UTF-8, got an invalid byte after 3 bytes",
        ),
        (
            &E::NotJson { column: 4, got },
            "expected JSON, got \"x\" at column 4",
        ),
        (
            &E::NotAnArray {
                path: Excerpt::new(b"."),
                got,
            },
            "expected an array of trades, got \"x\"",
        ),
        (
            &E::NotAnArray {
                path: Excerpt::new(b"a.b"),
                got,
            },
            "expected an array of trades at \"a.b\", got \"x\"",
        ),
        (
            &E::Missing { field: "price" },
            "price: expected a value, got none",
        ),
        (
            &E::Value {
                field: "price",
                expected: "a number",
                got,
            },
            "price: expected a number, got \"x\"",
        ),
        (
            &E::Symbol(SymbolTableError::Full { limit: 2 }),
            "symbols: expected at most 2, got one more",
        ),
        (
            &E::CellCount { expected: 2, got: 3 },
            "row: expected 2 cells as in the header, got 3",
        ),
        (
            &E::TooManyCells { limit: 9 },
            "row: expected at most 9 cells, got more",
        ),
        (
            &E::LooseReturn { position: 5 },
            "expected a line feed after the row, got a carriage return after 5 bytes",
        ),
        (
            &E::OpenCell { cell: 2 },
            "cell 2: expected a closing quotation mark, got the end of the line",
        ),
        (
            &E::LooseQuotation { cell: 2, got },
            "cell 2: expected quotation marks around it and doubled ones within it, got \"x\"",
        ),
        (
            &E::NoColumn {
                field: "price",
                column: got,
                header: "s,size".into(),
            },
            "price: expected a column \"x\" in the header, got s,size",
        ),
    ]);
}

#[test]
fn failures_of_schemas_say_what_was_expected_and_what_came() {
    use SchemaError as E;
    let got = Excerpt::new(b"x");
    check(&[
        (
            &E::TooLong { bytes: 1_025 },
            "schema: expected at most 1024 bytes, got 1025",
        ),
        (&E::NoAssignment { got }, "schema: expected FIELD=PATH, got \"x\""),
        (
            &E::UnknownField { got },
            "schema: expected symbol, price, size, side, time, seq, bid, bid_size, ask, ask_size, each or only, got \"x\"",
        ),
        (
            &E::Unparted { got },
            "schema: expected a comma before each further part, got \"x\"",
        ),
        (
            &E::MalformedPath { got },
            "schema: expected 1 to 8 names of JSON members separated by dots, such as data.price, got \"x\"",
        ),
        (
            &E::UnknownUnit { got },
            "schema: expected s, ms, us, ns or iso8601, got \"x\"",
        ),
        (
            &E::NoSides { got },
            "schema: expected side=PATH:BUY|SELL with two values, got \"x\"",
        ),
        (
            &E::TooManyTimes,
            "schema: expected at most 4 fields time, got one more",
        ),
        (
            &E::Twice { field: "size" },
            "schema: expected size once, got it again",
        ),
        (&E::Missing { field: "price" }, "schema: expected price, got none"),
    ]);
}

#[test]
fn failures_of_symbols_say_what_was_expected_and_what_came() {
    use SymbolError as E;
    let empty = E::Empty { position: 7 };
    check(&[
        (&E::None, "symbols: expected at least one, got none"),
        (
            &E::TooMany { got: 100_001 },
            "symbols: expected at most 100000, got 100001",
        ),
        (
            &E::TooLong {
                position: 1,
                bytes: 33,
            },
            "symbol 1: expected at most 32 bytes, got 33",
        ),
        (&empty, "symbol 7: expected a name, got an empty text"),
        (
            &E::Malformed {
                position: 1,
                character: '\t',
            },
            "symbol 1: expected no white space or control character, got '\\t'",
        ),
        (
            &E::Duplicate {
                position: 1,
                name: "A".into(),
            },
            "symbol 1: expected each symbol once, got \"A\" again",
        ),
        (
            &SymbolTableError::Name(empty.clone()),
            "symbol 7: expected a name, got an empty text",
        ),
    ]);
}

#[test]
fn failures_of_numbers_say_what_was_expected_and_what_came() {
    let backoff = BackoffSettings {
        base_ns: 1,
        cap_ns: 2,
        ..BackoffSettings::default()
    };
    let backoff = Backoff::new(backoff, 0).expect_err("refused");
    let lateness = CandleBuilder::new(Interval::from_ns(10).expect("above 0"), -1);
    let lateness = lateness.expect_err("refused");
    let interval = Interval::parse("1w").expect_err("refused");
    let speed = ReplayClock::new(Pace::Times(0.0)).expect_err("refused");
    check(&[
        (
            &AlertError::NegativeHysteresis { got: decimal("-1") },
            "hysteresis: expected 0 or above, got -1",
        ),
        (
            &AlertError::Range {
                level: decimal("1"),
                hysteresis: decimal("2"),
            },
            "level and hysteresis: expected at most 18 digits of the price that rearms the alert, got 1 and 2",
        ),
        (
            &backoff,
            "backoff: expected a base from 1000000 ns up to a cap of at most 86400000000000 ns, got 1 and 2",
        ),
        (&lateness, "lateness: expected 0 to 640 ns (64 intervals), got -1"),
        (
            &interval,
            "expected a duration such as 250ms, 1s, 5m, 1h or 1d, got \"1w\"",
        ),
        (&speed, "speed: expected 0.001 to 1000000, got 0.0"),
        (
            &GbmError::TooMany { got: 100_001 },
            "model parameters: expected those of at most 100000 symbols, got 100001",
        ),
        (
            &GbmError::Price {
                position: 3,
                got: decimal("0"),
            },
            "price of symbol 3 (from 0): expected above 0 and at most 15 digits, got 0",
        ),
        (
            &GbmError::Rate {
                position: 3,
                drift: 1.0,
                volatility: -1.0,
            },
            "volatility of symbol 3 (from 0): expected 0 to 1000 a year, got -1.0",
        ),
        (
            &GbmError::Rate {
                position: 3,
                drift: -1e300,
                volatility: 1.0,
            },
            "drift of symbol 3 (from 0): expected -1000 to 1000 a year, got -1e300",
        ),
    ]);
}

#[test]
fn excerpt_is_cut_behind_its_thirty_second_byte() {
    let whole = "a".repeat(32);
    assert_eq!(Excerpt::new(whole.as_bytes()).to_string(), format!("\"{whole}\""));
    let more = format!("{whole}b");
    assert_eq!(Excerpt::new(more.as_bytes()).to_string(), format!("\"{whole}\"…"));
    assert_eq!(format!("{:?}", Excerpt::new(b"\n")), "\"\\n\"");
}

#[test]
fn lateness_at_the_ends_of_its_range_is_taken_and_one_beyond_is_not() {
    let interval = Interval::from_ns(10).expect("above 0");
    let is_taken = |lateness| CandleBuilder::new(interval, lateness).is_ok();
    assert_eq!([0, 640, -1, 641].map(is_taken), [true, true, false, false]);
}
