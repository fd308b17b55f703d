//! Trades as text, which the parsers read back unchanged.

use crate::{Decimal, NO_SEQUENCE, NO_TIME, Quote, Side, Trade};
use std::io::Write;

/// The header of the CSV that [`write_csv`] writes, line feed included. [`Schema::default`](crate::Schema::default) reads it.
pub const CSV_HEADER: &str = "symbol,price,size,t_ns,seq,side,bid,bid_size,ask,ask_size,mid,spread\n";

/// Appends the trade as the line of JSON that `rustle ticker --json` writes, line feed included:
/// `{"v":1,"symbol":"BTC","price":65000.10,"t_ms":1700000000123,"seq":7}`.
///
/// `name` is that of the trade's symbol. `t_ns` replaces `t_ms` when the time is not a whole millisecond; `size` comes only when
/// it is not 0; what the trade does not have is left out.
pub fn write_ndjson(trade: &Trade, name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"v\":1,\"symbol\":");
    write_json_text(name, out);
    out.extend_from_slice(b",\"price\":");
    trade.price.write_to(out);
    if trade.time_ns != NO_TIME {
        let ms = trade.time_ns / 1_000_000;
        if ms * 1_000_000 == trade.time_ns {
            integer(out, ",\"t_ms\":", ms);
        } else {
            integer(out, ",\"t_ns\":", trade.time_ns);
        }
    }
    if trade.sequence != NO_SEQUENCE {
        integer(out, ",\"seq\":", trade.sequence);
    }
    if !trade.size.is_zero() {
        out.extend_from_slice(b",\"size\":");
        trade.size.write_to(out);
    }
    if let Some(side) = trade.side {
        out.extend_from_slice(b",\"side\":\"");
        out.extend_from_slice(side.name().as_bytes());
        out.push(b'"');
    }
    if let Some(quote) = trade.quote {
        let names = [
            ",\"bid\":",
            ",\"bid_size\":",
            ",\"ask\":",
            ",\"ask_size\":",
            ",\"mid\":",
            ",\"spread\":",
        ];
        for (name, number) in names.iter().zip(numbers(quote)) {
            if let Some(number) = number {
                out.extend_from_slice(name.as_bytes());
                number.write_to(out);
            }
        }
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the trade as a row of CSV (RFC 4180, with a line feed alone) in the columns of [`CSV_HEADER`]. Absent values, and a
/// size of 0, are empty cells.
pub fn write_csv(trade: &Trade, name: &str, out: &mut Vec<u8>) {
    write_cell(name, out);
    out.push(b',');
    trade.price.write_to(out);
    out.push(b',');
    if !trade.size.is_zero() {
        trade.size.write_to(out);
    }
    if trade.time_ns == NO_TIME {
        out.push(b',');
    } else {
        integer(out, ",", trade.time_ns);
    }
    if trade.sequence == NO_SEQUENCE {
        out.push(b',');
    } else {
        integer(out, ",", trade.sequence);
    }
    out.push(b',');
    out.extend_from_slice(trade.side.map_or("", Side::name).as_bytes());
    for number in trade.quote.map_or([None; 6], numbers) {
        out.push(b',');
        if let Some(number) = number {
            number.write_to(out);
        }
    }
    out.push(b'\n');
}

/// Bid and its size, ask and its size, middle and spread; a size of 0 is absent.
fn numbers(quote: Quote) -> [Option<Decimal>; 6] {
    let size = |size: Decimal| Some(size).filter(|size| !size.is_zero());
    let (bid, ask) = (size(quote.bid_size()), size(quote.ask_size()));
    [
        Some(quote.bid()),
        bid,
        Some(quote.ask()),
        ask,
        quote.mid(),
        quote.spread(),
    ]
}

fn integer(out: &mut Vec<u8>, before: &str, value: impl std::fmt::Display) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{before}{value}");
}

/// Appends a JSON text (RFC 8259 section 7) with the necessary escapes.
fn write_json_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => integer(out, "\\u", format_args!("{byte:04x}")),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Appends a CSV cell, in quotation marks when it needs them.
fn write_cell(text: &str, out: &mut Vec<u8>) {
    // A leading byte order mark would be lost at the beginning of a line.
    if !text.contains([',', '"', '\n', '\r', '\u{feff}']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade() -> Trade {
        Trade {
            symbol: 0,
            price: Decimal::parse(b"65000.10").expect("a decimal"),
            size: Decimal::ZERO,
            side: None,
            time_ns: 1_700_000_000_123_000_000,
            sequence: 7,
            quote: None,
        }
    }

    fn json(trade: &Trade, name: &str) -> String {
        let mut out = Vec::new();
        write_ndjson(trade, name, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    fn csv(trade: &Trade, name: &str) -> String {
        let mut out = Vec::new();
        write_csv(trade, name, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn line_is_that_of_the_ticker() {
        let line = "{\"v\":1,\"symbol\":\"BTC\",\"price\":65000.10,\"t_ms\":1700000000123,\"seq\":7}\n";
        assert_eq!(json(&trade(), "BTC"), line);
        assert_eq!(
            csv(&trade(), "BTC"),
            "BTC,65000.10,,1700000000123000000,7,,,,,,,\n"
        );
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        let bare = Trade {
            time_ns: NO_TIME,
            sequence: NO_SEQUENCE,
            ..trade()
        };
        assert_eq!(
            json(&bare, "A"),
            "{\"v\":1,\"symbol\":\"A\",\"price\":65000.10}\n"
        );
        assert_eq!(csv(&bare, "A"), "A,65000.10,,,,,,,,,,\n");
        let full = Trade {
            time_ns: -1,
            size: Decimal::parse(b"0.5").expect("a decimal"),
            ..trade()
        };
        assert_eq!(
            json(&full, "A"),
            "{\"v\":1,\"symbol\":\"A\",\"price\":65000.10,\"t_ns\":-1,\"seq\":7,\"size\":0.5}\n"
        );
    }

    #[test]
    fn side_and_quote_come_last() {
        let number = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
        let quoted = Trade {
            side: Some(Side::Sell),
            quote: Some(Quote::new(
                number("64999.90"),
                number("65000.20"),
                number("0.5"),
                Decimal::ZERO,
            )),
            ..trade()
        };
        let fields =
            r#","side":"sell","bid":64999.90,"bid_size":0.5,"ask":65000.20,"mid":65000.05,"spread":0.30}"#;
        assert!(
            json(&quoted, "A").trim_end().ends_with(fields),
            "{}",
            json(&quoted, "A")
        );
        let cells = ",7,sell,64999.90,0.5,65000.20,,65000.05,0.30\n";
        assert!(csv(&quoted, "A").ends_with(cells), "{}", csv(&quoted, "A"));
    }

    #[test]
    fn names_are_escaped() {
        assert!(json(&trade(), "a\"\\\u{1}\té").contains("\"a\\\"\\\\\\u0001\\té\""));
        assert!(csv(&trade(), "a,\"b").starts_with("\"a,\"\"b\","));
    }
}
