//! The mapping of a message's fields to a trade.

mod error;
mod fields;

pub use error::SchemaError;
pub use fields::{MessageType, SideField, TimeField, TimeUnit};

use fields::{excerpt, message_type, path, side_field, time_field};
use std::fmt;
use std::str::FromStr;

/// The most fields of the time.
pub const MAX_TIMES: usize = 4;
/// The longest schema, in bytes.
const MAX_TEXT: usize = 1_024;
/// The most parts of a path.
const MAX_PARTS: usize = 8;

/// The paths of the fields of a trade and a quote in a message.
///
/// The text form `symbol=s,price=p,size=q,time=T:ms,seq=u,each=data` has names of the trade's fields, each with its path in the
/// message. Required are `symbol`, and `price` or both `bid` and `ask`. A path leads through objects by names and through arrays
/// by positions from 0, separated by dots: `data.c.0`. `each` is the path of an array, each element of which is a trade: the
/// other paths start in an element; `each=.` means the message itself. `time` takes a unit behind a colon (`s`, `ms`, `us`, `ns`,
/// `iso8601`; `ms` by default) and may stand up to [`MAX_TIMES`] times: the first that the message has counts. `side` takes the
/// values of a buyer and a seller behind a colon, `side=m:false|true`; `buy|sell` by default. `bid`, `bid_size`, `ask` and
/// `ask_size` are those of a quote. `only=type:trade|fill` selects the messages with one of these values at a path from the
/// message, also where there is `each`; others are no trades, whatever they lack.
///
/// In CSV a path is the name of a column, dots included, and there is no `each`.
///
/// ```
/// use rustle_market::Schema;
/// let schema: Schema = "symbol=s,price=p,time=T:us".parse()?;
/// assert_eq!(schema.price(), Some("p"));
/// assert_eq!(schema.to_string(), "symbol=s,price=p,time=T:us");
/// # Ok::<(), rustle_market::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    symbol: String,
    paths: [Option<String>; PATHS.len()],
    side: Option<SideField>,
    times: Vec<TimeField>,
    only: Option<MessageType>,
}

/// The optional fields that are a path alone, in the order of [`Schema::paths`].
const PATHS: [&str; 8] = [
    "price", "size", "seq", "bid", "bid_size", "ask", "ask_size", "each",
];

impl Schema {
    /// Reads the text form, with its parts in any order.
    ///
    /// # Errors
    /// The first fault found, in the order of the text; then a missing field.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        if text.len() > MAX_TEXT {
            return Err(SchemaError::TooLong { bytes: text.len() });
        }
        let (mut symbol, mut paths) = (None, [const { None }; PATHS.len()]);
        let (mut times, mut only, mut side) = (Vec::new(), None, None);
        for part in text.split(',') {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SchemaError::NoAssignment { got: excerpt(part) });
            };
            let is_again = match key {
                "time" if times.len() == MAX_TIMES => return Err(SchemaError::TooManyTimes),
                "time" => {
                    times.push(time_field(value)?);
                    None
                }
                "only" => only.replace(message_type(value)?).map(|_| "only"),
                "side" => side.replace(side_field(value)?).map(|_| "side"),
                "symbol" => symbol.replace(path(value)?).map(|_| "symbol"),
                _ => {
                    let at = PATHS.iter().position(|name| *name == key);
                    let at = at.ok_or(SchemaError::UnknownField { got: excerpt(key) })?;
                    let is_message = key == "each" && value == ".";
                    let path = if is_message { value.into() } else { path(value)? };
                    paths[at].replace(path).map(|_: String| PATHS[at])
                }
            };
            if let Some(field) = is_again {
                return Err(SchemaError::Twice { field });
            }
        }
        let schema = Self {
            symbol: symbol.ok_or(SchemaError::Missing { field: "symbol" })?,
            paths,
            side,
            times,
            only,
        };
        match (schema.price(), schema.bid(), schema.ask()) {
            (Some(_), _, _) | (None, Some(_), Some(_)) => Ok(schema),
            (None, None, None) => Err(SchemaError::Missing { field: "price" }),
            (None, None, _) => Err(SchemaError::Missing { field: "bid" }),
            (None, _, None) => Err(SchemaError::Missing { field: "ask" }),
        }
    }

    /// The path of the symbol.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The path of the price; `None`: that of the quote's middle.
    pub fn price(&self) -> Option<&str> {
        self.paths[0].as_deref()
    }

    /// The path of the size, if there is one.
    pub fn size(&self) -> Option<&str> {
        self.paths[1].as_deref()
    }

    /// The field of the taker's side, if there is one.
    pub fn side(&self) -> Option<&SideField> {
        self.side.as_ref()
    }

    /// The fields of the time, at most [`MAX_TIMES`], the preferred first.
    pub fn times(&self) -> &[TimeField] {
        &self.times
    }

    /// The path of the sequence number, if there is one.
    pub fn sequence(&self) -> Option<&str> {
        self.paths[2].as_deref()
    }

    /// The path of the quote's bid, if there is one.
    pub fn bid(&self) -> Option<&str> {
        self.paths[3].as_deref()
    }

    /// The path of the size at the bid, if there is one.
    pub fn bid_size(&self) -> Option<&str> {
        self.paths[4].as_deref()
    }

    /// The path of the quote's ask, if there is one.
    pub fn ask(&self) -> Option<&str> {
        self.paths[5].as_deref()
    }

    /// The path of the size at the ask, if there is one.
    pub fn ask_size(&self) -> Option<&str> {
        self.paths[6].as_deref()
    }

    /// The path of the array of trades, if there is one; `.` is the message itself.
    pub fn each(&self) -> Option<&str> {
        self.paths[7].as_deref()
    }

    /// The messages that are trades; `None`: all that have a symbol and a price.
    pub fn only(&self) -> Option<&MessageType> {
        self.only.as_ref()
    }
}

impl Default for Schema {
    /// The fields of `rustle ticker --json`: `symbol=symbol,price=price,size=size,side=side,time=t_ms:ms,time=t_ns:ns,seq=seq,`
    /// `bid=bid,bid_size=bid_size,ask=ask,ask_size=ask_size`.
    fn default() -> Self {
        let time = |path: &str, unit| TimeField {
            path: path.into(),
            unit,
        };
        Self {
            symbol: "symbol".into(),
            paths: PATHS.map(|name| (name != "each").then(|| name.into())),
            side: Some(SideField::usual("side")),
            times: vec![
                time("t_ms", TimeUnit::Milliseconds),
                time("t_ns", TimeUnit::Nanoseconds),
            ],
            only: None,
        }
    }
}

impl FromStr for Schema {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for Schema {
    /// The text form: symbol, price, size, side, times, sequence, bid, ask, each, only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "symbol={}", self.symbol)?;
        let mut fields = PATHS.iter().zip(&self.paths);
        for (name, path) in fields.by_ref().take(2) {
            path.iter().try_for_each(|path| write!(f, ",{name}={path}"))?;
        }
        if let Some(side) = &self.side {
            write!(f, ",side={}", side.path)?;
            if *side != SideField::usual(&side.path) {
                write!(f, ":{}", side.values.join("|"))?;
            }
        }
        for time in &self.times {
            write!(f, ",time={}:{}", time.path, time.unit.name())?;
        }
        for (name, path) in fields {
            path.iter().try_for_each(|path| write!(f, ",{name}={path}"))?;
        }
        if let Some(only) = &self.only {
            write!(f, ",only={}:{}", only.path, only.values.join("|"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
