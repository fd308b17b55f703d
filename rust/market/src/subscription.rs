//! The messages of a client: the token that admits it, and the symbols that it chooses.

use crate::{Excerpt, MessageError, SymbolList};
use serde_json::Value;

/// Appends the line that subscribes to symbols, in place of the subscription before: `{"subscribe":["BTC","ETH"]}`, or
/// `{"subscribe":"all"}` for `None`, with a line feed.
pub fn write_subscription<'a>(names: Option<impl IntoIterator<Item = &'a str>>, out: &mut Vec<u8>) {
    let wanted = match names {
        None => Value::from("all"),
        Some(names) => Value::from_iter(names),
    };
    let line = Value::from_iter([("subscribe", wanted)]);
    out.extend_from_slice(line.to_string().as_bytes());
    out.push(b'\n');
}

/// Appends the line by which a client is admitted, `{"token":"…"}`, with a line feed.
pub fn write_token(token: &str, out: &mut Vec<u8>) {
    let line = Value::from_iter([("token", token)]);
    out.extend_from_slice(line.to_string().as_bytes());
    out.push(b'\n');
}

/// Reads a line of [`write_token`]; `None` for any other.
pub fn parse_token(line: &[u8]) -> Option<String> {
    match serde_json::from_slice(line).ok()? {
        Value::Object(mut message) => match message.remove("token")? {
            Value::String(token) => Some(token),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a line of [`write_subscription`]: the names, or `None` for all.
///
/// # Errors
/// [`MessageError::NotATrade`] when it is a message of another kind, [`MessageError::NotJson`] when it is not a message, and
/// [`MessageError::Value`] when it does not list distinct symbols.
pub fn parse_subscription(line: &[u8]) -> Result<Option<Vec<String>>, MessageError> {
    let message: Value = serde_json::from_slice(line).map_err(|error| MessageError::NotJson {
        column: error.column().max(1),
        got: Excerpt::new(line.get(error.column().saturating_sub(1)..).unwrap_or_default()),
    })?;
    let wanted = message.get("subscribe").ok_or(MessageError::NotATrade)?;
    let error = || MessageError::Value {
        field: "subscribe",
        expected: "\"all\" or a list of distinct symbols",
        got: Excerpt::new(wanted.to_string().as_bytes()),
    };
    match wanted {
        Value::String(all) if all == "all" => Ok(None),
        Value::Array(names) => {
            let names: Option<Vec<String>> = names
                .iter()
                .map(|name| name.as_str().map(str::to_owned))
                .collect();
            let names = names.ok_or_else(error)?;
            if !names.is_empty() {
                SymbolList::new(names.iter().map(String::as_str)).map_err(|_| error())?;
            }
            Ok(Some(names))
        }
        _ => Err(error()),
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
