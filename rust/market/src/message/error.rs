//! The errors of messages.

use crate::Excerpt;
use crate::symbol_table::SymbolTableError;
use std::fmt;

/// The error of a line without a trade. The parser's state is unchanged: the next line can be read, unless the error
/// [is final](Self::is_final).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// Well-formed, and no symbol, price or quote in it: a heartbeat, an acknowledgement.
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
