//! From the texts of a message's fields to a trade.

mod error;

pub use error::MessageError;

use crate::time::parse_time;
use crate::{
    Decimal, Excerpt, MAX_TIMES, MessageType, NO_SEQUENCE, NO_TIME, Quote, Schema, SideField, SymbolTable,
    TimeUnit, Trade,
};
use std::borrow::Cow;

/// Slots of [`Fields`].
pub(crate) const SYMBOL: usize = 0;
pub(crate) const PRICE: usize = 1;
pub(crate) const SIZE: usize = 2;
pub(crate) const SEQUENCE: usize = 3;
const SIDE: usize = 4;
pub(crate) const BID: usize = 5;
const BID_SIZE: usize = 6;
pub(crate) const ASK: usize = 7;
const ASK_SIZE: usize = 8;
pub(crate) const TIMES: usize = 9;
pub(crate) const ONLY: usize = TIMES + MAX_TIMES;
pub(crate) const SLOTS: usize = ONLY + 1;
/// A bit for each slot.
pub(crate) type SlotBits = u16;

/// The paths of a trade's fields and their slots.
pub(crate) fn slots(schema: &Schema) -> impl Iterator<Item = (&str, usize)> {
    [
        (Some(schema.symbol()), SYMBOL),
        (schema.price(), PRICE),
        (schema.size(), SIZE),
        (schema.sequence(), SEQUENCE),
        (schema.side().map(|side| side.path.as_str()), SIDE),
        (schema.bid(), BID),
        (schema.bid_size(), BID_SIZE),
        (schema.ask(), ASK),
        (schema.ask_size(), ASK_SIZE),
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

/// What the texts of fields mean.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    spelling: Spelling,
    /// The units of the times, by slot.
    units: [TimeUnit; MAX_TIMES],
    side: Option<SideField>,
    /// The field that a message with a symbol alone lacks.
    required: &'static str,
}

impl Meaning {
    pub(crate) fn new(schema: &Schema, spelling: Spelling) -> Self {
        let mut units = [TimeUnit::Milliseconds; MAX_TIMES];
        for (unit, time) in units.iter_mut().zip(schema.times()) {
            *unit = time.unit;
        }
        Self {
            spelling,
            units,
            side: schema.side().cloned(),
            required: if schema.price().is_some() { "price" } else { "bid" },
        }
    }
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
        let mut rest = slots;
        while rest != 0 {
            if let Some(value) = self.0.get_mut(rest.trailing_zeros() as usize) {
                *value = Some(text);
            }
            rest &= rest - 1;
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
        let value = bare(text);
        only.values.iter().any(|wanted| **wanted == *value)
    }

    /// The trade of the fields. The symbol comes last: a malformed message adds none to the table.
    pub(crate) fn trade(&self, meaning: &Meaning, symbols: &mut SymbolTable) -> Result<Trade, MessageError> {
        let spelling = meaning.spelling;
        let symbol = self.text(SYMBOL, spelling)?;
        let (price, quote) = (self.price(PRICE, spelling)?, self.quote(spelling)?);
        let (symbol, price) = match (symbol, price, quote) {
            (Some(symbol), Some(price), _) => (symbol, price),
            (Some(symbol), None, Some(quote)) => {
                let middle = quote.mid();
                let digits = "a bid and an ask whose middle has at most 18 digits";
                (
                    symbol,
                    middle.ok_or_else(|| value_error("bid", digits, self.0[BID].unwrap_or_default()))?,
                )
            }
            (None, None, None) => return Err(MessageError::NotATrade),
            (None, _, _) => return Err(MessageError::Missing { field: "symbol" }),
            (_, None, None) => {
                let field = match (self.text(BID, spelling)?, self.text(ASK, spelling)?) {
                    (Some(_), None) => "ask",
                    (None, Some(_)) => "bid",
                    _ => meaning.required,
                };
                return Err(MessageError::Missing { field });
            }
        };
        let size = self.size(SIZE, spelling)?;
        let side = match (&meaning.side, self.0[SIDE]) {
            (Some(field), Some(text)) if !text.is_empty() && text != "null" => {
                let side = field.side(&bare(text));
                Some(side.ok_or_else(|| value_error("side", "the value of a buyer or a seller", text))?)
            }
            _ => None,
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
        for (slot, unit) in (TIMES..ONLY).zip(&meaning.units) {
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
            side,
            price,
            size,
            time_ns,
            sequence,
            quote,
        })
    }

    /// The best bid and ask, if the message has both.
    fn quote(&self, spelling: Spelling) -> Result<Option<Quote>, MessageError> {
        if self.0[BID].is_none() || self.0[ASK].is_none() {
            return Ok(None);
        }
        let (Some(bid), Some(ask)) = (self.price(BID, spelling)?, self.price(ASK, spelling)?) else {
            return Ok(None);
        };
        let sizes = (self.size(BID_SIZE, spelling)?, self.size(ASK_SIZE, spelling)?);
        Ok(Some(Quote::new(bid, ask, sizes.0, sizes.1)))
    }

    fn price(&self, slot: usize, spelling: Spelling) -> Result<Option<Decimal>, MessageError> {
        let Some(text) = self.text(slot, spelling)? else {
            return Ok(None);
        };
        let price = Decimal::parse(text.as_bytes());
        Ok(Some(price.map_err(|_| {
            value_error(name(slot), "a number of at most 18 digits", &text)
        })?))
    }

    /// The size in a slot; 0 when it is absent.
    fn size(&self, slot: usize, spelling: Spelling) -> Result<Decimal, MessageError> {
        let Some(text) = self.text(slot, spelling)? else {
            return Ok(Decimal::ZERO);
        };
        let size = Decimal::parse(text.as_bytes()).ok();
        size.filter(|size| *size >= Decimal::ZERO)
            .ok_or_else(|| value_error(name(slot), "a number of at most 18 digits, 0 or above", &text))
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
    let names = [
        "symbol", "price", "size", "seq", "side", "bid", "bid_size", "ask", "ask_size",
    ];
    names.get(slot).unwrap_or(&"time")
}

/// The text of a value without quotation marks and escapes.
fn bare(text: &str) -> Cow<'_, str> {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match inner {
        Some(inner) if inner.contains('\\') => {
            serde_json::from_str(text).map_or(Cow::Borrowed(inner), Cow::Owned)
        }
        _ => Cow::Borrowed(inner.unwrap_or(text)),
    }
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
