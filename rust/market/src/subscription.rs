//! The messages of a client: the token that admits it, and the symbols that it chooses.

use crate::symbol::checked_name;
use crate::{Excerpt, MAX_SYMBOLS, MessageError};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// Appends the line that subscribes to symbols, in place of the subscription before: `{"subscribe":["BTC","ETH"]}`, or
/// `{"subscribe":"all"}` for `None`, with a line feed.
pub fn write_subscription<'a>(names: Option<impl IntoIterator<Item = &'a str>>, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"subscribe":"#);
    match names {
        None => write_text("all", out),
        Some(names) => {
            out.push(b'[');
            for (position, name) in names.into_iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_text(name, out);
            }
            out.push(b']');
        }
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the line by which a client is admitted, `{"token":"…"}`, with a line feed.
pub fn write_token(token: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"token":"#);
    write_text(token, out);
    out.extend_from_slice(b"}\n");
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}

/// Reads a line of [`write_token`]; `None` for any other.
pub fn parse_token(line: &[u8]) -> Option<String> {
    serde_json::from_str(field(line, "token").ok()??.get()).ok()
}

/// Reads a line of [`write_subscription`]: the names, or `None` for all.
///
/// The limits of a list of symbols hold while it is read: a hostile line takes no more memory than a good one.
///
/// # Errors
/// [`MessageError::NotATrade`] when it is a message of another kind, [`MessageError::NotJson`] when it is not a message, and
/// [`MessageError::Value`] when it does not list distinct symbols.
pub fn parse_subscription(line: &[u8]) -> Result<Option<Vec<String>>, MessageError> {
    let wanted = field(line, "subscribe").map_err(|error| MessageError::NotJson {
        column: error.column().max(1),
        got: Excerpt::new(line.get(error.column().saturating_sub(1)..).unwrap_or_default()),
    })?;
    let wanted = wanted.ok_or(MessageError::NotATrade)?.get();
    let names = serde_json::Deserializer::from_str(wanted).deserialize_any(Wanted);
    let are_distinct = |names: &Vec<String>| {
        let mut seen = HashSet::with_capacity(names.len());
        names.iter().all(|name| seen.insert(name.as_str()))
    };
    names
        .ok()
        .filter(|names| names.as_ref().is_none_or(are_distinct))
        .ok_or_else(|| MessageError::Value {
            field: "subscribe",
            expected: "\"all\" or a list of distinct symbols",
            got: Excerpt::new(wanted.as_bytes()),
        })
}

/// The value of a message's field as it is written, the last one of that name.
fn field<'a>(line: &'a [u8], name: &str) -> Result<Option<&'a RawValue>, serde_json::Error> {
    let message: &RawValue = serde_json::from_slice(line)?;
    if !message.get().starts_with('{') {
        // A message that is not an object has no fields.
        return Ok(None);
    }
    serde_json::Deserializer::from_str(message.get()).deserialize_map(Field(name))
}

/// Finds a field of an object.
struct Field<'n>(&'n str);

impl<'de> Visitor<'de> for Field<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_wanted) = fields.next_key_seed(Named(self.0))? {
            let value = fields.next_value()?;
            if is_wanted {
                found = Some(value);
            }
        }
        Ok(found)
    }
}

/// Whether a text is this one.
struct Named<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<bool, D::Error> {
        text.deserialize_str(self)
    }
}

impl Visitor<'_> for Named<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(text == self.0)
    }
}

/// Reads "all", or a list of symbols.
struct Wanted;

impl<'de> Visitor<'de> for Wanted {
    type Value = Option<Vec<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all\" or a list")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        (text == "all").then_some(None).ok_or_else(|| E::custom("a text"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut names = Vec::new();
        while list.next_element_seed(Next(&mut names))?.is_some() {}
        Ok(Some(names))
    }
}

/// Appends a symbol to the list.
struct Next<'n>(&'n mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<(), D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for Next<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a symbol")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        let position = self.0.len();
        if position == MAX_SYMBOLS {
            return Err(E::custom("too many"));
        }
        checked_name(position, name).map_err(E::custom)?;
        self.0.push(name.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_back() {
        for names in [None, Some(vec![]), Some(vec!["BTC", "E\"T\\H", "Ä"])] {
            let mut line = Vec::new();
            write_subscription(names.clone(), &mut line);
            assert_eq!(line.pop(), Some(b'\n'));
            let read = parse_subscription(&line).expect("well-formed");
            let read = read
                .as_ref()
                .map(|names| names.iter().map(String::as_str).collect());
            assert_eq!(read, names);
        }
    }

    #[test]
    fn tokens_are_read_back() {
        for token in ["", "plain", "\"\\ Ä\n"] {
            let mut line = Vec::new();
            write_token(token, &mut line);
            assert_eq!(line.pop(), Some(b'\n'));
            assert!(!line.contains(&b'\n'));
            assert_eq!(parse_token(&line).as_deref(), Some(token));
        }
        for line in ["", "x", "\"token\"", r#"{"token":1}"#, r#"{"subscribe":"all"}"#] {
            assert_eq!(parse_token(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn error_in_the_name_of_a_field_was_taken_for_another_message() {
        let error = parse_subscription(br#"{"\ud800":1,"subscribe":"all"}"#);
        assert!(matches!(error, Err(MessageError::NotJson { .. })), "{error:?}");
    }

    #[test]
    fn what_is_no_wish_is_reported() {
        assert_eq!(parse_subscription(br#"{"ping":1}"#), Err(MessageError::NotATrade));
        for line in ["", "x", "[", r#"{"subscribe":"#] {
            let error = parse_subscription(line.as_bytes());
            assert!(matches!(error, Err(MessageError::NotJson { .. })), "{line}");
        }
        for wanted in ["1", r#""ALL""#, "[1]", r#"["A","A"]"#, r#"["A B"]"#, "null"] {
            let error = parse_subscription(format!("{{\"subscribe\":{wanted}}}").as_bytes());
            assert!(matches!(error, Err(MessageError::Value { .. })), "{wanted}");
        }
    }
}
