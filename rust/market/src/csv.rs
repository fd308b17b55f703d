//! Trades from lines of CSV.

mod quotation;

use crate::message::{
    ASK, BID, Fields, Meaning, MessageError, ONLY, PRICE, SLOTS, SYMBOL, SlotBits, Spelling, line_text, slots,
};
use crate::{Excerpt, Schema, SymbolTable, Trade};
use csv_core::{ReadRecordResult, Reader};
use quotation::quotation;

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
    meaning: Meaning,
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
            meaning: Meaning::new(&schema, Spelling::Plain),
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
        if let Some(columns) = &self.columns
            && memchr::memchr2(b'"', b'\r', line.as_bytes()).is_none()
        {
            return self.trade(plain_fields(columns, line)?, symbols, out);
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
            set(&mut fields, *slots, self.cell(column));
        }
        self.trade(fields, symbols, out)
    }

    fn trade(
        &self,
        fields: Fields<'_>,
        symbols: &mut SymbolTable,
        out: &mut Vec<Trade>,
    ) -> Result<usize, MessageError> {
        if !fields.is_selected(self.schema.only()) {
            return Err(MessageError::NotATrade);
        }
        out.push(fields.trade(&self.meaning, symbols)?);
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

    /// The column whose absence leaves rows without a price, given the slots that have a column.
    fn lacks_price(&self, has: &[bool; SLOTS]) -> Option<(&'static str, &str)> {
        let (schema, has_quote) = (&self.schema, has[BID] && has[ASK]);
        if has[PRICE] || has_quote {
            return None;
        }
        let price = schema.price().map(|path| ("price", path));
        let bid = schema.bid().filter(|_| !has[BID]).map(|path| ("bid", path));
        price.or(bid).or(schema.ask().map(|path| ("ask", path)))
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
        } else if let Some((field, path)) = self.lacks_price(&has) {
            Err(self.no_column(field, path, cells))
        } else if let Some(only) = self.schema.only().filter(|_| !has[ONLY]) {
            Err(self.no_column("only", &only.path, cells))
        } else {
            Ok(columns)
        }
    }
}

/// Sets the slots of a column; white space around other values than symbols is left out.
fn set<'a>(fields: &mut Fields<'a>, slots: SlotBits, cell: &'a str) {
    if slots == 0 {
        return;
    }
    fields.set(slots & 1 << SYMBOL, cell);
    let is_bare = matches!(cell.as_bytes(), [b'!'..=b'~', .., b'!'..=b'~']);
    fields.set(slots & !(1 << SYMBOL), if is_bare { cell } else { cell.trim() });
}

/// The fields of a line without quotation marks.
fn plain_fields<'a>(columns: &[SlotBits], line: &'a str) -> Result<Fields<'a>, MessageError> {
    let (mut fields, mut start, mut cells) = (Fields::default(), 0, 0);
    for end in memchr::memchr_iter(b',', line.as_bytes()).chain([line.len()]) {
        if let Some(slots) = columns.get(cells) {
            set(&mut fields, *slots, &line[start..end]);
        }
        (start, cells) = (end + 1, cells + 1);
    }
    if cells > MAX_CELLS {
        Err(MessageError::TooManyCells { limit: MAX_CELLS })
    } else if cells != columns.len() {
        Err(MessageError::CellCount {
            expected: columns.len(),
            got: cells,
        })
    } else {
        Ok(fields)
    }
}

#[cfg(test)]
mod tests;
