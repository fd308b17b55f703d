//! From the texts of a message's fields to a trade.

use crate::symbol_table::{SymbolTable, SymbolTableError};
use crate::time::parse_time;
use crate::{Decimal, Excerpt, MAX_TIMES, MessageType, NO_SEQUENCE, NO_TIME, Schema, TimeUnit, Trade};
use std::borrow::Cow;
use std::fmt;

/// Slots of [`Fields`].
pub(crate) const SYMBOL: usize = 0;
pub(crate) const PRICE: usize = 1;
pub(crate) const SIZE: usize = 2;
pub(crate) const SEQUENCE: usize = 3;
pub(crate) const TIMES: usize = 4;
pub(crate) const ONLY: usize = TIMES + MAX_TIMES;
pub(crate) const SLOTS: usize = ONLY + 1;
/// A bit for each slot.
pub(crate) type SlotBits = u16;

/// The paths of a trade's fields and their slots.
pub(crate) fn slots(schema: &Schema) -> impl Iterator<Item = (&str, usize)> {
    [
        (Some(schema.symbol()), SYMBOL),
        (Some(schema.price()), PRICE),
        (schema.size(), SIZE),
        (schema.sequence(), SEQUENCE),
    ]
    .into_iter()
    .filter_map(|(path, slot)| path.map(|path| (path, slot)))
    .chain(
        schema
            .times()
            .iter()
            .enumerate()
            .map(|(n, time)| (time.path.as_str(), TIMES + n)),
    )
}

/// The units of a schema's times, by slot.
pub(crate) fn units(schema: &Schema) -> [TimeUnit; MAX_TIMES] {
    let mut units = [TimeUnit::Milliseconds; MAX_TIMES];
    for (unit, time) in units.iter_mut().zip(schema.times()) {
        *unit = time.unit;
    }
    units
}

/// The encoding of the fields' texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// JSON values: plain numbers, texts in quotation marks; `null` is an absent field.
    Json,
    /// The text itself; an empty one is an absent field.
    Plain,
}

/// The fields of a message that the schema names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields<'a>([Option<&'a str>; SLOTS]);

impl<'a> Fields<'a> {
    /// Sets the slots whose bits are set; the last of several settings counts.
    pub(crate) fn set(&mut self, slots: SlotBits, text: &'a str) {
        for (slot, value) in self.0.iter_mut().enumerate() {
            if slots >> slot & 1 == 1 {
                *value = Some(text);
            }
        }
    }

    /// The text of the first slot.
    pub(crate) fn first(&self) -> Option<&'a str> {
        self.0[0]
    }

    /// Whether the message is of a type that the schema selects.
    pub(crate) fn is_selected(&self, only: Option<&MessageType>) -> bool {
        let Some(only) = only else { return true };
        let Some(text) = self.0[ONLY] else { return false };
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let value = match inner {
            Some(inner) if inner.contains('\\') => {
                serde_json::from_str(text).map_or(Cow::Borrowed(inner), Cow::Owned)
            }
            _ => Cow::Borrowed(inner.unwrap_or(text)),
        };
        only.values.iter().any(|wanted| **wanted == *value)
    }

    /// The trade of the fields. The symbol comes last: a malformed message adds none to the table.
    pub(crate) fn trade(
        &self,
        spelling: Spelling,
        units: &[TimeUnit; MAX_TIMES],
        symbols: &mut SymbolTable,
    ) -> Result<Trade, MessageError> {
        let (symbol, price) = match (self.text(SYMBOL, spelling)?, self.text(PRICE, spelling)?) {
            (Some(symbol), Some(price)) => (symbol, price),
            (None, None) => return Err(MessageError::NotATrade),
            (None, _) => return Err(MessageError::Missing { field: "symbol" }),
            (_, None) => return Err(MessageError::Missing { field: "price" }),
        };
        let price = Decimal::parse(price.as_bytes())
            .map_err(|_| value_error("price", "a number of at most 18 digits", &price))?;
        let size = match self.text(SIZE, spelling)? {
            None => Decimal::ZERO,
            Some(text) => Decimal::parse(text.as_bytes())
                .ok()
                .filter(|size| *size >= Decimal::ZERO)
                .ok_or_else(|| value_error("size", "a number of at most 18 digits, 0 or above", &text))?,
        };
        let sequence = match self.text(SEQUENCE, spelling)? {
            None => NO_SEQUENCE,
            Some(text) => text
                .parse()
                .ok()
                .filter(|sequence| *sequence != NO_SEQUENCE)
                .ok_or_else(|| value_error("seq", "a whole number from 0 to 2^64 - 2", &text))?,
        };
        let mut time_ns = NO_TIME;
        for (slot, unit) in (TIMES..ONLY).zip(units) {
            if let Some(text) = self.text(slot, spelling)? {
                time_ns = parse_time(&text, *unit).ok_or_else(|| {
                    value_error("time", "a time of the years 1678 to 2261 in its unit", &text)
                })?;
                break;
            }
        }
        let symbol = symbols.number_or_add(&symbol).map_err(MessageError::Symbol)?;
        Ok(Trade {
            symbol,
            price,
            size,
            time_ns,
            sequence,
        })
    }

    fn text(&self, slot: usize, spelling: Spelling) -> Result<Option<Cow<'a, str>>, MessageError> {
        let Some(text) = self.0[slot] else {
            return Ok(None);
        };
        if spelling == Spelling::Plain {
            return Ok(Some(Cow::Borrowed(text)).filter(|text| !text.is_empty()));
        }
        match text.as_bytes() {
            [b'"', inner @ .., b'"'] => match inner.contains(&b'\\') {
                false => Ok(Some(Cow::Borrowed(&text[1..text.len() - 1]))),
                true => serde_json::from_str(text)
                    .map(|text: String| Some(Cow::Owned(text)))
                    .map_err(|_| value_error(name(slot), "a JSON text", text)),
            },
            [b'-' | b'0'..=b'9', ..] => Ok(Some(Cow::Borrowed(text))),
            b"null" => Ok(None),
            _ => Err(value_error(name(slot), "a number or a text", text)),
        }
    }
}

fn name(slot: usize) -> &'static str {
    ["symbol", "price", "size", "seq"].get(slot).unwrap_or(&"time")
}

fn value_error(field: &'static str, expected: &'static str, got: &str) -> MessageError {
    MessageError::Value {
        field,
        expected,
        got: Excerpt::new(got.as_bytes()),
    }
}

/// The line as text, without a byte order mark.
pub(crate) fn line_text(line: &[u8]) -> Result<&str, MessageError> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    std::str::from_utf8(line).map_err(|error| MessageError::NotUtf8 {
        position: error.valid_up_to(),
    })
}

/// The error of a line without a trade. The parser's state is unchanged: the next line can be read, unless the error
/// [is final](Self::is_final).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// Well-formed, and neither a symbol nor a price in it: a heartbeat, an acknowledgement.
    NotATrade,
    /// The line is not UTF-8.
    NotUtf8 {
        /// The number of valid bytes.
        position: usize,
    },
    /// The line is not a JSON text (RFC 8259), or nests more than 127 deep on the way to a field.
    NotJson {
        /// The column of the error, in bytes from 1.
        column: usize,
        /// The text there.
        got: Excerpt,
    },
    /// The value at the schema's path of an array is not an array.
    NotAnArray {
        /// Its path in the schema; `.` is the message itself.
        path: Excerpt,
        /// The given text.
        got: Excerpt,
    },
    /// A required field is missing.
    Missing {
        /// Its name in the schema.
        field: &'static str,
    },
    /// A field is malformed.
    Value {
        /// Its name in the schema.
        field: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The given text.
        got: Excerpt,
    },
    /// The symbol is not a name, or the table is full.
    Symbol(SymbolTableError),
    /// A CSV row has another number of cells than the header.
    CellCount {
        /// Cells of the header.
        expected: usize,
        /// Cells of the row.
        got: usize,
    },
    /// A CSV line has too many cells.
    TooManyCells {
        /// The most cells.
        limit: usize,
    },
    /// A CSV line continues after a carriage return outside of quotation marks.
    LooseReturn {
        /// The number of bytes before it.
        position: usize,
    },
    /// A CSV cell begins with a quotation mark, and the line ends before another closes it.
    OpenCell {
        /// The cell's number, from 1.
        cell: usize,
    },
    /// A CSV cell has a quotation mark that neither encloses it nor is doubled within such marks.
    LooseQuotation {
        /// The cell's number, from 1.
        cell: usize,
        /// The cell from the mark on.
        got: Excerpt,
    },
    /// A CSV header lacks a column of the schema.
    NoColumn {
        /// The field's name in the schema.
        field: &'static str,
        /// The column's name there.
        column: Excerpt,
        /// The names in the header, separated by commas; the first 160 bytes.
        header: Box<str>,
    },
}

impl MessageError {
    /// Whether the line is well-formed but not a trade.
    pub fn is_not_a_trade(&self) -> bool {
        *self == Self::NotATrade
    }

    /// Whether no further line can be read: the header lacks a column.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::NoColumn { .. })
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATrade => write!(f, "expected a symbol and a price, got a message without both"),
            Self::NotUtf8 { position } => {
                write!(f, "expected UTF-8, got an invalid byte after {position} bytes")
            }
            Self::NotJson { column, got } => write!(f, "expected JSON, got {got} at column {column}"),
            Self::NotAnArray { path, got } if path.bytes() == b"." => {
                write!(f, "expected an array of trades, got {got}")
            }
            Self::NotAnArray { path, got } => write!(f, "expected an array of trades at {path}, got {got}"),
            Self::Missing { field } => write!(f, "{field}: expected a value, got none"),
            Self::Value { field, expected, got } => write!(f, "{field}: expected {expected}, got {got}"),
            Self::Symbol(error) => error.fmt(f),
            Self::CellCount { expected, got } => {
                write!(f, "row: expected {expected} cells as in the header, got {got}")
            }
            Self::TooManyCells { limit } => write!(f, "row: expected at most {limit} cells, got more"),
            Self::LooseReturn { position } => {
                write!(
                    f,
                    "expected a line feed after the row, got a carriage return after {position} bytes"
                )
            }
            Self::OpenCell { cell } => {
                write!(
                    f,
                    "cell {cell}: expected a closing quotation mark, got the end of the line"
                )
            }
            Self::LooseQuotation { cell, got } => write!(
                f,
                "cell {cell}: expected quotation marks around it and doubled ones within it, got {got}"
            ),
            Self::NoColumn {
                field,
                column,
                header,
            } => {
                write!(
                    f,
                    "{field}: expected a column {column} in the header, got {header}"
                )
            }
        }
    }
}

impl std::error::Error for MessageError {}
