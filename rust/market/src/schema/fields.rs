//! The fields of a schema that have more than a path, and their texts.

use super::{MAX_PARTS, SchemaError};
use crate::{Excerpt, Side};

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

/// The field of the taker's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideField {
    /// Its path.
    pub path: String,
    /// The values of a buyer and a seller: texts, or numbers, `true` and `false` as they are written. ASCII letters in either case.
    pub values: [String; 2],
}

impl SideField {
    /// The field at `path` with the values `buy` and `sell`.
    pub(super) fn usual(path: &str) -> Self {
        Self {
            path: path.into(),
            values: ["buy".into(), "sell".into()],
        }
    }

    /// The side of a value.
    pub(crate) fn side(&self, value: &str) -> Option<Side> {
        let [buy, sell] = &self.values;
        if value.eq_ignore_ascii_case(buy) {
            Some(Side::Buy)
        } else {
            value.eq_ignore_ascii_case(sell).then_some(Side::Sell)
        }
    }
}

pub(super) fn excerpt(text: &str) -> Excerpt {
    Excerpt::new(text.as_bytes())
}

pub(super) fn time_field(value: &str) -> Result<TimeField, SchemaError> {
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

pub(super) fn message_type(value: &str) -> Result<MessageType, SchemaError> {
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

pub(super) fn path(text: &str) -> Result<String, SchemaError> {
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

pub(super) fn side_field(value: &str) -> Result<SideField, SchemaError> {
    let Some((name, values)) = value.split_once(':') else {
        return Ok(SideField::usual(&path(value)?));
    };
    match values.split_once('|') {
        Some((buy, sell))
            if !buy.is_empty()
                && !sell.is_empty()
                && !sell.contains('|')
                && !buy.eq_ignore_ascii_case(sell) =>
        {
            Ok(SideField {
                path: path(name)?,
                values: [buy.into(), sell.into()],
            })
        }
        _ => Err(SchemaError::NoSides { got: excerpt(value) }),
    }
}
