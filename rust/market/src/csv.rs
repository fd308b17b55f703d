//! Trades from lines of CSV.

use crate::message::{
    Fields, MessageError, ONLY, PRICE, SLOTS, SYMBOL, SlotBits, Spelling, line_text, slots, units,
};
use crate::{Excerpt, MAX_TIMES, Schema, SymbolTable, TimeUnit, Trade};
use csv_core::{ReadRecordResult, Reader};

/// The most cells of a line.
const MAX_CELLS: usize = 1_024;

/// Reads CSV (RFC 4180) line by line: first a header, which names the columns, then a trade per line.
///
/// The schema's paths are names of columns, dots included; a column of the schema that the header lacks is an absent field,
/// except for the symbol and the price. An empty cell is an absent field; white space around other values than symbols is left
/// out. A cell with a comma or a quotation mark in it is enclosed in quotation marks, those within doubled; any other quotation
/// mark makes the line malformed. A record is a line: a cell with a line feed in it makes two malformed lines, so that a missing
/// quotation mark costs one line and not the rest of the file.
#[derive(Clone, Debug)]
pub struct CsvParser {
    schema: Schema,
    units: [TimeUnit; MAX_TIMES],
    /// The slots that each column goes to; `None` before the header.
    columns: Option<Vec<SlotBits>>,
    reader: Box<Reader>,
    /// The cells of the present line without their quotation marks, and the end of each.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl CsvParser {
    /// A parser whose next line is the header.
    pub fn new(schema: Schema) -> Self {
        Self {
            units: units(&schema),
            schema,
            columns: None,
            reader: Box::new(Reader::new()),
            text: Vec::new(),
            ends: vec![0; MAX_CELLS + 1],
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Expects a header again: another file follows.
    pub fn reset(&mut self) {
        self.columns = None;
    }

    /// Reads one line (without its line feed) of any bytes: the header (0 trades), an empty line (0), or a row, whose trade is
    /// appended to `out` (1). New symbols are added to the table.
    ///
    /// # Errors
    /// [`MessageError`]; `out` is then as it was. After [`MessageError::NoColumn`] the next line is taken for the header again.
    pub fn parse_line(
        &mut self,
        line: &[u8],
        symbols: &mut SymbolTable,
        out: &mut Vec<Trade>,
    ) -> Result<usize, MessageError> {
        let line = line_text(line)?;
        if line.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return Ok(0);
        }
        quotation(line.as_bytes())?;
        let cells = self.split(line.as_bytes())?;
        let Some(columns) = &self.columns else {
            self.columns = Some(self.header(cells)?);
            return Ok(0);
        };
        if cells != columns.len() {
            return Err(MessageError::CellCount {
                expected: columns.len(),
                got: cells,
            });
        }
        let mut fields = Fields::default();
        for (column, slots) in columns.iter().enumerate() {
            if *slots != 0 {
                let cell = self.cell(column);
                fields.set(slots & 1 << SYMBOL, cell);
                fields.set(slots & !(1 << SYMBOL), cell.trim());
            }
        }
        if !fields.is_selected(self.schema.only()) {
            return Err(MessageError::NotATrade);
        }
        out.push(fields.trade(Spelling::Plain, &self.units, symbols)?);
        Ok(1)
    }

    /// Splits a line and returns the number of its cells.
    fn split(&mut self, line: &[u8]) -> Result<usize, MessageError> {
        // A line never gets longer by being unquoted.
        self.text.resize(self.text.len().max(line.len() + 1), 0);
        self.reader.reset();
        let (mut read, mut written, mut cells) = (0, 0, 0);
        loop {
            // An empty input ends the line.
            let (result, input, output, ends) =
                self.reader
                    .read_record(&line[read..], &mut self.text[written..], &mut self.ends[cells..]);
            read += input;
            written += output;
            cells += ends;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    // The end of the record puts the reader's position back, which `reset` leaves as it is.
                    self.reader.read_record(&[], &mut self.text, &mut self.ends);
                    return Err(MessageError::TooManyCells { limit: MAX_CELLS });
                }
            }
        }
        if cells > MAX_CELLS {
            return Err(MessageError::TooManyCells { limit: MAX_CELLS });
        }
        if read < line.len() {
            return Err(MessageError::LooseReturn { position: read - 1 });
        }
        Ok(cells)
    }

    /// The text of a cell of the present line.
    fn cell(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        // Cut at ASCII characters, so that it is UTF-8 like the line.
        std::str::from_utf8(&self.text[start..self.ends[at]]).unwrap_or_default()
    }

    fn no_column(&self, field: &'static str, column: &str, cells: usize) -> MessageError {
        let names: Vec<&str> = (0..cells).map(|at| self.cell(at).trim()).collect();
        let header = names.join(",");
        let end = (0..=header.len().min(160)).rfind(|end| header.is_char_boundary(*end));
        MessageError::NoColumn {
            field,
            column: Excerpt::new(column.as_bytes()),
            header: header[..end.unwrap_or(0)].into(),
        }
    }

    fn header(&self, cells: usize) -> Result<Vec<SlotBits>, MessageError> {
        let mut columns = vec![0; cells];
        let mut has = [false; SLOTS];
        let only = self.schema.only().map(|only| (&*only.path, ONLY));
        for (name, slot) in slots(&self.schema).chain(only) {
            if let Some(column) = (0..cells).find(|column| self.cell(*column).trim() == name) {
                columns[column] |= 1 << slot;
                has[slot] = true;
            }
        }
        if !has[SYMBOL] {
            Err(self.no_column("symbol", self.schema.symbol(), cells))
        } else if !has[PRICE] {
            Err(self.no_column("price", self.schema.price(), cells))
        } else if let Some(only) = self.schema.only().filter(|_| !has[ONLY]) {
            Err(self.no_column("only", &only.path, cells))
        } else {
            Ok(columns)
        }
    }
}

/// Checks that each quotation mark encloses a whole cell, or is one of two within such a cell.
fn quotation(line: &[u8]) -> Result<(), MessageError> {
    if !line.contains(&b'"') {
        return Ok(());
    }
    let (mut rest, mut cell) = (line, 1);
    loop {
        let end = match rest {
            [b'"', inner @ ..] => {
                let mut at = 0;
                // The mark that closes it is the first that is not one of two.
                loop {
                    let mark = inner[at..].iter().position(|byte| *byte == b'"');
                    at += mark.ok_or(MessageError::OpenCell { cell })? + 1;
                    if inner.get(at) != Some(&b'"') {
                        break at + 1;
                    }
                    at += 1;
                }
            }
            _ => rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b','))
                .unwrap_or(rest.len()),
        };
        match rest.get(end) {
            None | Some(b'\r') => return Ok(()),
            Some(b',') => (rest, cell) = (&rest[end + 1..], cell + 1),
            Some(_) => {
                let from = if rest[0] == b'"' { 0 } else { end };
                return Err(MessageError::LooseQuotation {
                    cell,
                    got: Excerpt::new(&rest[from..]),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NO_SEQUENCE, NO_TIME};

    fn parse(schema: &str, lines: &[&str]) -> Vec<Result<usize, MessageError>> {
        let mut parser = CsvParser::new(Schema::parse(schema).expect("a schema"));
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        let mut line = |line: &&str| parser.parse_line(line.as_bytes(), &mut symbols, &mut out);
        lines.iter().map(&mut line).collect()
    }

    fn no_column(field: &'static str, column: &str, header: &str) -> Result<usize, MessageError> {
        Err(MessageError::NoColumn {
            field,
            column: Excerpt::new(column.as_bytes()),
            header: header.into(),
        })
    }

    #[test]
    fn header_names_the_columns_in_any_order() {
        let mut parser = CsvParser::new(Schema::default());
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        for line in [
            "\u{feff}seq, price ,note,symbol,t_ms,t_ns",
            "3,65000.10,\"a \"\"b\"\", c\",BTC,1700000000123,",
            "",
            ",0.5,,\"E,TH\",,7\r",
        ] {
            let result = parser.parse_line(line.trim_end_matches('\r').as_bytes(), &mut symbols, &mut out);
            assert!(result.is_ok(), "{line}: {result:?}");
        }
        assert_eq!(symbols.names().collect::<Vec<_>>(), ["BTC", "E,TH"]);
        assert_eq!(
            (out[0].price.to_string().as_str(), out[0].sequence),
            ("65000.10", 3)
        );
        assert_eq!(out[0].time_ns, 1_700_000_000_123_000_000);
        assert_eq!((out[1].time_ns, out[1].sequence), (7, NO_SEQUENCE));
    }

    #[test]
    fn white_space_around_numbers_and_times_is_left_out() {
        let mut parser = CsvParser::new(Schema::default());
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        let mut line = |text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
        assert_eq!(line("symbol, price, size, t_ns, seq"), Ok(0));
        assert_eq!(line("BTC, 5.50,\t2 , 7 , 3"), Ok(1));
        assert_eq!(line("BTC, 6, , ,"), Ok(1));
        assert!(matches!(
            line("BTC, 5 5,,,"),
            Err(MessageError::Value { field: "price", .. })
        ));
        let texts: Vec<String> = out.iter().map(|trade| trade.price.to_string()).collect();
        assert_eq!(texts, ["5.50", "6"]);
        assert_eq!((out[0].time_ns, out[0].sequence), (7, 3));
        assert_eq!((out[1].time_ns, out[1].sequence), (NO_TIME, NO_SEQUENCE));
        assert_eq!(out[0].size.to_string(), "2");
    }

    #[test]
    fn schema_names_columns_with_dots() {
        assert_eq!(parse("symbol=a.b,price=c", &["a.b,c", "X,1"]), [Ok(0), Ok(1)]);
    }

    #[test]
    fn rows_of_another_type_are_no_trades() {
        let lines = ["s,p,kind", "A,1,trade", "A,,heartbeat", "A,2,", "A,3,fill"];
        let other = Err(MessageError::NotATrade);
        let expected = [Ok(0), Ok(1), other.clone(), other, Ok(1)];
        assert_eq!(parse("symbol=s,price=p,only=kind:trade|fill", &lines), expected);
        let missing = parse("symbol=s,price=p,only=type:trade", &lines[..1]);
        assert_eq!(missing, [no_column("only", "type", lines[0])]);
    }

    #[test]
    fn one_column_may_serve_two_fields() {
        let mut parser = CsvParser::new(Schema::parse("symbol=s,price=n,size=n").expect("a schema"));
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        for line in ["s,n", "X,1.5"] {
            parser
                .parse_line(line.as_bytes(), &mut symbols, &mut out)
                .expect("well-formed");
        }
        assert_eq!((out[0].price, out[0].time_ns), (out[0].size, NO_TIME));
    }

    #[test]
    fn each_fault_is_reported_apart_and_the_next_line_is_read() {
        let wide = ",".repeat(5_000);
        let results = parse(
            "symbol=s,price=p",
            &[
                "x,y", "s,y", "s,p,x", "A,1", "A,1,2,3", "A,?,", ",,", "A,,", "\"A,1,", &wide, "A,1,x",
            ],
        );
        assert_eq!(results[0], no_column("symbol", "s", "x,y"));
        assert_eq!(results[1], no_column("price", "p", "s,y"));
        assert_eq!(results[2], Ok(0));
        assert_eq!(results[3], Err(MessageError::CellCount { expected: 3, got: 2 }));
        assert_eq!(results[4], Err(MessageError::CellCount { expected: 3, got: 4 }));
        assert!(matches!(
            results[5],
            Err(MessageError::Value { field: "price", .. })
        ));
        assert_eq!(results[6], Err(MessageError::NotATrade));
        assert_eq!(results[7], Err(MessageError::Missing { field: "price" }));
        assert_eq!(results[8], Err(MessageError::OpenCell { cell: 1 }));
        assert_eq!(results[9], Err(MessageError::TooManyCells { limit: MAX_CELLS }));
        assert_eq!(results[10], Ok(1));
    }

    #[test]
    fn quotation_marks_enclose_whole_cells() {
        let texts = |lines: &[&str]| -> Vec<String> {
            let results = parse("symbol=symbol,price=price", lines).into_iter();
            results
                .map(|result| result.map_or_else(|error| error.to_string(), |count| count.to_string()))
                .collect()
        };
        let loose = "expected quotation marks around it and doubled ones within it, got";
        assert_eq!(
            texts(&[
                "symbol,price",
                "A,\"12",
                "34\"",
                "A,\"5",
                "\"D\"x\"y\",9",
                "A,1\"2",
                "\"A\" ,1",
                "\"B\"\"\",\"7\"",
                "\"\"\"C\",7\r",
            ]),
            [
                "0".to_owned(),
                "cell 2: expected a closing quotation mark, got the end of the line".to_owned(),
                format!("cell 1: {loose} \"\\\"\""),
                "cell 2: expected a closing quotation mark, got the end of the line".to_owned(),
                format!("cell 1: {loose} \"\\\"D\\\"x\\\"y\\\",9\""),
                format!("cell 2: {loose} \"\\\"2\""),
                format!("cell 1: {loose} \"\\\"A\\\" ,1\""),
                "1".to_owned(),
                "1".to_owned(),
            ]
        );
    }

    #[test]
    fn column_that_is_missing_is_named() {
        let results = parse("symbol=s,price=last", &["s,price"]);
        let text = results[0].as_ref().map_err(ToString::to_string);
        assert_eq!(
            text,
            Err("price: expected a column \"last\" in the header, got s,price".to_owned())
        );
        let wide = "ä,".repeat(200);
        let Err(MessageError::NoColumn { header, .. }) = &parse("symbol=s,price=p", &[&wide])[0] else {
            panic!("expected a missing column");
        };
        assert_eq!((header.len(), header.ends_with(",ä")), (159, false));
    }

    #[test]
    fn line_after_one_with_too_many_cells_is_read_right() {
        let mut parser = CsvParser::new(Schema::default());
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        let mut line = |text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
        assert_eq!(line(""), Ok(0));
        assert_eq!(line("symbol,price"), Ok(0));
        assert_eq!(line(" \t"), Ok(0));
        for wide in ["x,".repeat(1_025), "x,".repeat(1_024), ",".repeat(1_025)] {
            assert_eq!(line(&wide), Err(MessageError::TooManyCells { limit: MAX_CELLS }));
            assert_eq!(line("ABC,12.5"), Ok(1));
        }
        assert_eq!(symbols.names().collect::<Vec<_>>(), ["ABC"]);
        assert!(out.iter().all(|trade| trade.price.to_string() == "12.5"));
    }

    #[test]
    fn carriage_return_within_a_line_is_refused() {
        let results = parse("symbol=s,price=p", &["s,p", "A,1\rB,2", "A,1\r"]);
        assert_eq!(
            results,
            [Ok(0), Err(MessageError::LooseReturn { position: 3 }), Ok(1)]
        );
    }

    #[test]
    fn reset_expects_a_header() {
        let mut parser = CsvParser::new(Schema::default());
        let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
        let mut line =
            |parser: &mut CsvParser, text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
        assert_eq!(line(&mut parser, "symbol,price"), Ok(0));
        parser.reset();
        assert_eq!(line(&mut parser, "price,symbol"), Ok(0));
        assert_eq!(line(&mut parser, "1,A"), Ok(1));
    }
}
