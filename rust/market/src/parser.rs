//! A parser of all formats.

use crate::{CsvParser, MessageError, NdjsonParser, Schema, SymbolTable, Trade};

/// The formats of trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A JSON text per line.
    Ndjson,
    /// Comma-separated values with a header.
    Csv,
}

impl Format {
    /// The format of a file name's ending, in either case: `.ndjson`, `.jsonl` and `.json`, or `.csv`; each may have `.gz` or
    /// `.zst` behind.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let plain = (name.strip_suffix(".gz")).or_else(|| name.strip_suffix(".zst"));
        let (_, ending) = plain.unwrap_or(&name).rsplit_once('.')?;
        match ending {
            "ndjson" | "jsonl" | "json" => Some(Self::Ndjson),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// A parser of lines in one of the formats.
#[derive(Clone, Debug)]
pub enum TradeParser {
    /// Lines of JSON.
    Ndjson(NdjsonParser),
    /// Lines of CSV.
    Csv(CsvParser),
}

impl TradeParser {
    /// A parser of lines of the given format and schema.
    pub fn new(format: Format, schema: Schema) -> Self {
        match format {
            Format::Ndjson => Self::Ndjson(NdjsonParser::new(schema)),
            Format::Csv => Self::Csv(CsvParser::new(schema)),
        }
    }

    /// Reads one line, appends its trades to `out` and returns their number.
    ///
    /// # Errors
    /// [`MessageError`], as of [`NdjsonParser::parse_line`] and [`CsvParser::parse_line`]; the next line can be read then.
    pub fn parse_line(
        &mut self,
        line: &[u8],
        symbols: &mut SymbolTable,
        out: &mut Vec<Trade>,
    ) -> Result<usize, MessageError> {
        match self {
            Self::Ndjson(parser) => parser.parse_line(line, symbols, out),
            Self::Csv(parser) => parser.parse_line(line, symbols, out),
        }
    }

    /// Begins another file: one of CSV has its own header.
    pub fn reset(&mut self) {
        if let Self::Csv(parser) = self {
            parser.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_the_format() {
        for (name, format) in [
            ("a.ndjson", Some(Format::Ndjson)),
            ("b.c.JSONL", Some(Format::Ndjson)),
            ("a.csv", Some(Format::Csv)),
            ("csv", None),
            ("a.csv.gz", Some(Format::Csv)),
            ("a.NDJSON.ZST", Some(Format::Ndjson)),
            ("a.zst", None),
            ("a.Ndjson.GZ", Some(Format::Ndjson)),
            ("a.gz", None),
        ] {
            assert_eq!(Format::of_file_name(name), format, "{name}");
        }
    }

    #[test]
    fn either_format_is_read_and_begun_anew() {
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        let mut json = TradeParser::new(Format::Ndjson, Schema::default());
        let mut csv = TradeParser::new(Format::Csv, Schema::default());
        for _ in 0..2 {
            let line = br#"{"symbol":"A","price":1}"#;
            assert_eq!(json.parse_line(line, &mut symbols, &mut out), Ok(1));
            assert_eq!(csv.parse_line(b"symbol,price", &mut symbols, &mut out), Ok(0));
            assert_eq!(csv.parse_line(b"A,1", &mut symbols, &mut out), Ok(1));
            json.reset();
            csv.reset();
        }
        assert_eq!(out.len(), 4);
    }
}
