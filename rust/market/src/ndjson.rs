//! Trades from lines of JSON.

mod path;

use crate::message::{Fields, Meaning, MessageError, ONLY, Spelling, line_text, slots};
use crate::{Excerpt, Schema, SymbolTable, Trade};
use path::{Node, Within};
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use std::fmt;

/// Reads messages that are JSON texts (RFC 8259), one per line.
///
/// Numbers are taken as they are written: no price passes through a double. Prices, sizes, times and sequences may also be texts,
/// as in many feeds; `null` is an absent field; of a name that an object has twice, the last counts. Other fields than the
/// schema's are skipped, in any shape.
///
/// Costs one pass over the line and, when no text has an escape, no allocation.
#[derive(Clone, Debug)]
pub struct NdjsonParser {
    meaning: Meaning,
    trade: Node,
    /// The path of the array of trades, if a message has many.
    each: Option<Node>,
    schema: Schema,
}

impl NdjsonParser {
    /// A parser of messages of the given schema.
    pub fn new(schema: Schema) -> Self {
        let mut trade = Node::default();
        for (path, slot) in slots(&schema) {
            trade.add(path, 1 << slot);
        }
        let mut each = schema.each().map(|path| {
            let mut node = Node::default();
            node.add(if path == "." { "" } else { path }, 1);
            node
        });
        if let Some(only) = schema.only() {
            // The type is that of the whole message.
            each.as_mut().unwrap_or(&mut trade).add(&only.path, 1 << ONLY);
        }
        Self {
            meaning: Meaning::new(&schema, Spelling::Json),
            trade,
            each,
            schema,
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Reads one line (without its line feed) of any bytes, appends its trades to `out` and returns their number. New symbols are
    /// added to the table. A line of white space alone is not a message: 0 trades.
    ///
    /// # Errors
    /// [`MessageError`]; `out` is then as it was. In an array of trades, elements without symbol and price are skipped, unless
    /// all of them are ([`MessageError::NotATrade`]); any other fault refuses the whole message.
    pub fn parse_line(
        &mut self,
        line: &[u8],
        symbols: &mut SymbolTable,
        out: &mut Vec<Trade>,
    ) -> Result<usize, MessageError> {
        let text = line_text(line)?;
        if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return Ok(0);
        }
        let Some(each) = &self.each else {
            let fields = fields(&self.trade, text)?;
            if !fields.is_selected(self.schema.only()) {
                return Err(MessageError::NotATrade);
            }
            out.push(fields.trade(&self.meaning, symbols)?);
            return Ok(1);
        };
        let fields = fields(each, text)?;
        let selected = Some(fields).filter(|fields| fields.is_selected(self.schema.only()));
        let array = selected
            .and_then(|fields| fields.first())
            .ok_or(MessageError::NotATrade)?;
        if !array.starts_with('[') {
            return Err(MessageError::NotAnArray {
                path: Excerpt::new(self.schema.each().unwrap_or_default().as_bytes()),
                got: Excerpt::new(array.as_bytes()),
            });
        }
        let before = out.len();
        let result = self.elements(array, symbols, out);
        if result.is_err() {
            out.truncate(before);
        }
        result
    }

    fn elements(
        &self,
        array: &str,
        symbols: &mut SymbolTable,
        out: &mut Vec<Trade>,
    ) -> Result<usize, MessageError> {
        let before = out.len();
        let mut error = None;
        let mut others = false;
        let elements = Elements {
            parser: self,
            symbols,
            out,
            others: &mut others,
            error: &mut error,
        };
        let mut deserializer = serde_json::Deserializer::from_str(array);
        if let Err(json) = serde::Deserializer::deserialize_seq(&mut deserializer, elements) {
            return Err(error.unwrap_or_else(|| not_json(&json, array)));
        }
        match out.len() - before {
            0 if others => Err(MessageError::NotATrade),
            count => Ok(count),
        }
    }
}

/// Reads the fields of `text` at the places of `node`.
fn fields<'a>(node: &Node, text: &'a str) -> Result<Fields<'a>, MessageError> {
    let mut fields = Fields::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Within {
        node,
        fields: &mut fields,
    }
    .deserialize(&mut deserializer)
    .and_then(|()| deserializer.end())
    .map_err(|error| not_json(&error, text))?;
    Ok(fields)
}

fn not_json(error: &serde_json::Error, text: &str) -> MessageError {
    // The column of the last byte that was read: 0 before the first.
    let at = error.column().saturating_sub(1).min(text.len());
    MessageError::NotJson {
        column: at + 1,
        got: Excerpt::new(&text.as_bytes()[at..]),
    }
}

/// Makes a trade of each element of an array.
struct Elements<'p, 'o> {
    parser: &'p NdjsonParser,
    symbols: &'o mut SymbolTable,
    out: &'o mut Vec<Trade>,
    /// Whether an element was not a trade.
    others: &'o mut bool,
    /// The error that ended it, other than one of the JSON.
    error: &'o mut Option<MessageError>,
}

impl<'de> Visitor<'de> for Elements<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of trades")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let node = &self.parser.trade;
        let mut fields = Fields::default();
        while elements
            .next_element_seed(Within {
                node,
                fields: &mut fields,
            })?
            .is_some()
        {
            match fields.trade(&self.parser.meaning, self.symbols) {
                Ok(trade) => self.out.push(trade),
                Err(MessageError::NotATrade) => *self.others = true,
                Err(error) => {
                    *self.error = Some(error);
                    return Err(A::Error::custom("an element is malformed"));
                }
            }
            fields = Fields::default();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
