//! The mapping of a message's fields to a trade.

use crate::Excerpt;
use std::fmt;
use std::str::FromStr;

/// The most fields of the time.
pub const MAX_TIMES: usize = 4;
/// The longest schema, in bytes.
const MAX_TEXT: usize = 1_024;
/// The most parts of a path.
const MAX_PARTS: usize = 8;

/// The unit of a time, or its format as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// `s`: seconds since 1970-01-01T00:00:00Z; digits after the point count.
    Seconds,
    /// `ms`: milliseconds since then.
    Milliseconds,
    /// `us`: microseconds since then.
    Microseconds,
    /// `ns`: nanoseconds since then.
    Nanoseconds,
    /// `iso8601`: a text by RFC 3339, `2026-01-31T12:00:00.25Z`.
    Iso8601,
}

impl TimeUnit {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Seconds, "s"),
        (Self::Milliseconds, "ms"),
        (Self::Microseconds, "us"),
        (Self::Nanoseconds, "ns"),
        (Self::Iso8601, "iso8601"),
    ];

    /// The unit's name in a schema.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(unit, _)| *unit == self)
            .map_or("", |(_, name)| name)
    }
}

/// A field of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeField {
    /// Its path.
    pub path: String,
    /// Its unit.
    pub unit: TimeUnit,
}

/// The messages that are trades: those with one of the values at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageType {
    /// The path from the message.
    pub path: String,
    /// The values, at least one: texts, or numbers, `true` and `false` as they are written.
    pub values: Vec<String>,
}

/// The paths of a trade's symbol, price, size, time and sequence in a message.
///
/// The text form `symbol=s,price=p,size=q,time=T:ms,seq=u,each=data` has names of the trade's fields, each with its path in the
/// message. Required are `symbol` and `price`. A path leads through objects by names and through arrays by positions from 0,
/// separated by dots: `data.c.0`. `each` is the path of an array, each element of which is a trade: the other paths start in an
/// element; `each=.` means the message itself. `time` takes a unit behind a colon (`s`, `ms`, `us`, `ns`, `iso8601`; `ms` by
/// default) and may stand up to [`MAX_TIMES`] times: the first that the message has counts. `only=type:trade|fill` selects the
/// messages with one of these values at a path from the message, also where there is `each`; others are no trades, whatever
/// they lack.
///
/// In CSV a path is the name of a column, dots included, and there is no `each`.
///
/// ```
/// use rustle_market::Schema;
/// let schema: Schema = "symbol=s,price=p,time=T:us".parse()?;
/// assert_eq!(schema.price(), "p");
/// assert_eq!(schema.to_string(), "symbol=s,price=p,time=T:us");
/// # Ok::<(), rustle_market::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    symbol: String,
    price: String,
    size: Option<String>,
    times: Vec<TimeField>,
    sequence: Option<String>,
    each: Option<String>,
    only: Option<MessageType>,
}

impl Schema {
    /// Reads the text form, with its parts in any order.
    ///
    /// # Errors
    /// The first fault found, in the order of the text; then a missing field.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        if text.len() > MAX_TEXT {
            return Err(SchemaError::TooLong { bytes: text.len() });
        }
        let (mut symbol, mut price, mut size, mut sequence, mut each) = (None, None, None, None, None);
        let (mut times, mut only) = (Vec::new(), None);
        for part in text.split(',') {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SchemaError::NoAssignment { got: excerpt(part) });
            };
            if key == "time" {
                if times.len() == MAX_TIMES {
                    return Err(SchemaError::TooManyTimes);
                }
                times.push(time_field(value)?);
                continue;
            }
            if key == "only" {
                if only.replace(message_type(value)?).is_some() {
                    return Err(SchemaError::Twice { field: "only" });
                }
                continue;
            }
            let (slot, name) = match key {
                "symbol" => (&mut symbol, "symbol"),
                "price" => (&mut price, "price"),
                "size" => (&mut size, "size"),
                "seq" => (&mut sequence, "seq"),
                "each" => (&mut each, "each"),
                _ => return Err(SchemaError::UnknownField { got: excerpt(key) }),
            };
            let path = if key == "each" && value == "." {
                value.into()
            } else {
                path(value)?
            };
            if slot.replace(path).is_some() {
                return Err(SchemaError::Twice { field: name });
            }
        }
        Ok(Self {
            symbol: symbol.ok_or(SchemaError::Missing { field: "symbol" })?,
            price: price.ok_or(SchemaError::Missing { field: "price" })?,
            size,
            times,
            sequence,
            each,
            only,
        })
    }

    /// The path of the symbol.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The path of the price.
    pub fn price(&self) -> &str {
        &self.price
    }

    /// The path of the size, if there is one.
    pub fn size(&self) -> Option<&str> {
        self.size.as_deref()
    }

    /// The fields of the time, at most [`MAX_TIMES`], the preferred first.
    pub fn times(&self) -> &[TimeField] {
        &self.times
    }

    /// The path of the sequence number, if there is one.
    pub fn sequence(&self) -> Option<&str> {
        self.sequence.as_deref()
    }

    /// The path of the array of trades, if there is one; `.` is the message itself.
    pub fn each(&self) -> Option<&str> {
        self.each.as_deref()
    }

    /// The messages that are trades; `None`: all that have a symbol and a price.
    pub fn only(&self) -> Option<&MessageType> {
        self.only.as_ref()
    }
}

impl Default for Schema {
    /// The fields of `rustle ticker --json`: `symbol=symbol,price=price,size=size,time=t_ms:ms,time=t_ns:ns,seq=seq`.
    fn default() -> Self {
        let time = |path: &str, unit| TimeField {
            path: path.into(),
            unit,
        };
        Self {
            symbol: "symbol".into(),
            price: "price".into(),
            size: Some("size".into()),
            times: vec![
                time("t_ms", TimeUnit::Milliseconds),
                time("t_ns", TimeUnit::Nanoseconds),
            ],
            sequence: Some("seq".into()),
            each: None,
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
    /// The text form: symbol, price, size, times, sequence, each, only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "symbol={},price={}", self.symbol, self.price)?;
        if let Some(size) = &self.size {
            write!(f, ",size={size}")?;
        }
        for time in &self.times {
            write!(f, ",time={}:{}", time.path, time.unit.name())?;
        }
        if let Some(sequence) = &self.sequence {
            write!(f, ",seq={sequence}")?;
        }
        if let Some(each) = &self.each {
            write!(f, ",each={each}")?;
        }
        if let Some(only) = &self.only {
            write!(f, ",only={}:{}", only.path, only.values.join("|"))?;
        }
        Ok(())
    }
}

fn excerpt(text: &str) -> Excerpt {
    Excerpt::new(text.as_bytes())
}

fn time_field(value: &str) -> Result<TimeField, SchemaError> {
    let (name, unit) = value.rsplit_once(':').unwrap_or((value, "ms"));
    let unit = TimeUnit::ALL
        .iter()
        .find(|(_, spelled)| *spelled == unit)
        .map(|(unit, _)| *unit)
        .ok_or(SchemaError::UnknownUnit { got: excerpt(unit) })?;
    Ok(TimeField {
        path: path(name)?,
        unit,
    })
}

fn message_type(value: &str) -> Result<MessageType, SchemaError> {
    let (name, values) = value.split_once(':').unwrap_or((value, ""));
    let values: Vec<String> = values.split('|').map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err(SchemaError::NoValue { got: excerpt(value) });
    }
    Ok(MessageType {
        path: path(name)?,
        values,
    })
}

fn path(text: &str) -> Result<String, SchemaError> {
    if text.contains('=') {
        return Err(SchemaError::Unparted { got: excerpt(text) });
    }
    let is_path = text.split('.').all(|part| !part.is_empty()) && text.split('.').count() <= MAX_PARTS;
    if is_path {
        Ok(text.into())
    } else {
        Err(SchemaError::MalformedPath { got: excerpt(text) })
    }
}

/// The error of a text that is not a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// The text has more than 1,024 bytes.
    TooLong {
        /// The number of bytes.
        bytes: usize,
    },
    /// A part has no `=`.
    NoAssignment {
        /// The part.
        got: Excerpt,
    },
    /// The name before the `=` is not a field of a trade.
    UnknownField {
        /// The text there.
        got: Excerpt,
    },
    /// A path has an equals sign: a comma between two parts is missing.
    Unparted {
        /// The path.
        got: Excerpt,
    },
    /// A path has an empty part, or more than 8 parts.
    MalformedPath {
        /// The path.
        got: Excerpt,
    },
    /// The text behind the colon is not a unit of time.
    UnknownUnit {
        /// The text there.
        got: Excerpt,
    },
    /// The type of the selected messages has no value, or an empty one.
    NoValue {
        /// The text behind `only=`.
        got: Excerpt,
    },
    /// There are more than [`MAX_TIMES`] times.
    TooManyTimes,
    /// A field other than `time` occurs twice.
    Twice {
        /// Its name.
        field: &'static str,
    },
    /// A required field is missing.
    Missing {
        /// Its name.
        field: &'static str,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(f, "schema: expected at most {MAX_TEXT} bytes, got {bytes}"),
            Self::NoAssignment { got } => write!(f, "schema: expected FIELD=PATH, got {got}"),
            Self::UnknownField { got } => {
                write!(
                    f,
                    "schema: expected symbol, price, size, time, seq, each or only, got {got}"
                )
            }
            Self::Unparted { got } => {
                write!(f, "schema: expected a comma before each further part, got {got}")
            }
            Self::MalformedPath { got } => {
                write!(
                    f,
                    "schema: expected a path of 1 to {MAX_PARTS} names separated by dots, got {got}"
                )
            }
            Self::UnknownUnit { got } => write!(f, "schema: expected s, ms, us, ns or iso8601, got {got}"),
            Self::NoValue { got } => write!(
                f,
                "schema: expected only=PATH:VALUE, or several values separated by |, got {got}"
            ),
            Self::TooManyTimes => write!(
                f,
                "schema: expected at most {MAX_TIMES} fields time, got one more"
            ),
            Self::Twice { field } => write!(f, "schema: expected {field} once, got it again"),
            Self::Missing { field } => write!(f, "schema: expected {field}, got none"),
        }
    }
}

impl std::error::Error for SchemaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in [
            "symbol=s,price=p",
            "symbol=s,price=p,size=q,time=T:ms,seq=u",
            "symbol=data.s,price=data.c.0,time=t:iso8601,time=T:ns,each=list.0",
            "symbol=0,price=1,each=.",
            "symbol=s,price=p,each=data,only=data.e:trade|agg:Trade",
        ] {
            assert_eq!(Schema::parse(text).map(|s| s.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn order_is_free_and_milliseconds_are_understood() {
        let schema = Schema::parse("time=T,price=p,symbol=s").expect("a schema");
        assert_eq!(schema.to_string(), "symbol=s,price=p,time=T:ms");
    }

    #[test]
    fn default_is_what_its_text_says() {
        let text = "symbol=symbol,price=price,size=size,time=t_ms:ms,time=t_ns:ns,seq=seq";
        assert_eq!(Schema::default().to_string(), text);
        assert_eq!(Schema::parse(text), Ok(Schema::default()));
    }

    #[test]
    fn each_fault_is_reported_apart() {
        let fault = |text: &str| Schema::parse(text).expect_err("a fault");
        let got = |text: &str| excerpt(text);
        assert_eq!(fault(""), SchemaError::NoAssignment { got: got("") });
        assert_eq!(
            fault("symbol=s,price"),
            SchemaError::NoAssignment { got: got("price") }
        );
        assert_eq!(fault("name=s"), SchemaError::UnknownField { got: got("name") });
        assert_eq!(
            fault("symbol=a..b"),
            SchemaError::MalformedPath { got: got("a..b") }
        );
        assert_eq!(
            fault("symbol=s;price=p").to_string(),
            "schema: expected a comma before each further part, got \"s;price=p\""
        );
        assert_eq!(fault("symbol=."), SchemaError::MalformedPath { got: got(".") });
        assert_eq!(
            fault("symbol=a.b.c.d.e.f.g.h.i"),
            SchemaError::MalformedPath {
                got: got("a.b.c.d.e.f.g.h.i")
            }
        );
        assert_eq!(fault("time=T:min"), SchemaError::UnknownUnit { got: got("min") });
        for text in ["only=e", "only=e:", "only=e:a||b", "only=:"] {
            assert_eq!(fault(text), SchemaError::NoValue { got: got(&text[5..]) });
        }
        assert_eq!(fault("only=e:a,only=e:b"), SchemaError::Twice { field: "only" });
        assert_eq!(
            fault("only=a..b:c"),
            SchemaError::MalformedPath { got: got("a..b") }
        );
        assert_eq!(
            fault("time=a,time=b,time=c,time=d,time=e"),
            SchemaError::TooManyTimes
        );
        assert_eq!(fault("symbol=s,symbol=t"), SchemaError::Twice { field: "symbol" });
        assert_eq!(fault("symbol=s"), SchemaError::Missing { field: "price" });
        assert_eq!(fault("price=p"), SchemaError::Missing { field: "symbol" });
        assert_eq!(fault(&"x".repeat(1_025)), SchemaError::TooLong { bytes: 1_025 });
    }
}
