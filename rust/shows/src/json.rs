//! Values of files of JSON, and the faults of those that cannot be used.

use serde_json::{Map, Value};
use std::fmt;

/// The longest name in bytes.
const MAX_NAME: usize = 64;
/// The highest absolute coordinate in metres, and rotation in degrees.
const MAX_NUMBER: f64 = 100_000.0;
/// The longest value that a fault quotes, in characters.
const MAX_QUOTED: usize = 40;

pub(crate) type Object = Map<String, Value>;

/// A value of a file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place: `fixtures[3].address`.
    pub path: String,
    /// What is expected there.
    pub expected: String,
    /// What is there.
    pub got: String,
}

impl Fault {
    /// The fault of a number outside of a range.
    pub(crate) fn number(
        name: &str,
        low: impl fmt::Display,
        high: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self {
            path: name.to_owned(),
            expected: format!("{low} to {high}"),
            got: got.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.path, self.expected, self.got)
    }
}

impl std::error::Error for Fault {}

/// The fault of a value that is not what is expected.
pub(crate) fn fault(path: &str, expected: &str, got: Option<&Value>) -> Fault {
    Fault {
        path: path.to_owned(),
        expected: expected.to_owned(),
        got: quoted(got),
    }
}

/// A value as faults quote it.
pub(crate) fn quoted(got: Option<&Value>) -> String {
    match got {
        None => "nothing".to_owned(),
        Some(Value::Array(values)) if !are_few_numbers(values) => format!("an array of {}", values.len()),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(value) => {
            let text = value.to_string();
            let quoted: String = text.chars().take(MAX_QUOTED).collect();
            if quoted.len() < text.len() {
                quoted + "…"
            } else {
                quoted
            }
        }
    }
}

/// Whether an array is quoted: of a range or a vector, one number may be the fault.
fn are_few_numbers(values: &[Value]) -> bool {
    (1..=3).contains(&values.len()) && values.iter().all(Value::is_number)
}

/// A fault per key of an object that is not known.
pub(crate) fn known_keys(object: &Object, path: &str, known: &[&str], faults: &mut Vec<Fault>) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let key: String = key.escape_debug().take(MAX_QUOTED).collect();
        faults.push(Fault {
            path: path.to_owned(),
            expected: known.join(", "),
            got: format!("the key \"{key}\""),
        });
    }
}

/// The values of one object; what cannot be read becomes a fault.
pub(crate) struct Values<'a> {
    pub(crate) object: &'a Object,
    pub(crate) path: &'a str,
    pub(crate) faults: &'a mut Vec<Fault>,
}

impl Values<'_> {
    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// A fault of the value of a key.
    pub(crate) fn wrong(&mut self, key: &str, expected: &str) {
        let path = self.path_of(key);
        self.faults.push(fault(&path, expected, self.object.get(key)));
    }

    /// A value, read from its JSON if it is there, or else from nothing.
    pub(crate) fn value<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(Option<&Value>) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.object.get(key));
        if value.is_none() {
            self.wrong(key, expected);
        }
        value
    }

    /// A name of at most 64 bytes; empty when it may be absent and is.
    pub(crate) fn name(&mut self, key: &str, is_optional: bool) -> Option<String> {
        self.value(key, "a text of 1 to 64 bytes", |value| match value {
            None => is_optional.then(String::new),
            Some(value) => name(value),
        })
    }

    /// At most so many names; none when they are absent.
    pub(crate) fn names(&mut self, key: &str, most: usize) -> Option<Vec<String>> {
        let expected = format!("an array of at most {most} texts of 1 to 64 bytes");
        self.value(key, &expected, |value| {
            let Some(value) = value else {
                return Some(Vec::new());
            };
            let names = value.as_array().filter(|names| names.len() <= most)?;
            names.iter().map(name).collect()
        })
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &str, usual: bool) -> Option<bool> {
        self.value(key, "true or false", |value| {
            value.map_or(Some(usual), Value::as_bool)
        })
    }

    /// A number.
    pub(crate) fn number(&mut self, key: &str, usual: f32) -> Option<f32> {
        self.value(key, "a number", |value| {
            value.map_or(Some(usual), |value| Some(value.as_f64()? as f32))
        })
    }

    /// A number of 0 to 1.
    pub(crate) fn share(&mut self, key: &str, usual: f32) -> Option<f32> {
        self.value(key, "0 to 1", |value| {
            let share = value.map_or(Some(f64::from(usual)), Value::as_f64)?;
            (0.0..=1.0).contains(&share).then_some(share as f32)
        })
    }

    /// The value of a result; its fault gets the object's path.
    pub(crate) fn take<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        result
            .map_err(|fault| {
                let path = self.path_of(&fault.path);
                self.faults.push(Fault { path, ..fault });
            })
            .ok()
    }

    /// Three numbers within the range of coordinates; zeros when they are absent.
    pub(crate) fn vector(&mut self, key: &str, unit: &str) -> Option<[f64; 3]> {
        let expected = format!("three numbers of {} {unit}", coordinates());
        self.value(key, &expected, |value| value.map_or(Some([0.0; 3]), numbers))
    }
}

/// A text of 1 to 64 bytes.
pub(crate) fn name(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (1..=MAX_NAME).contains(&text.len()).then(|| text.to_owned())
}

/// The keys that a schema of `docs/` lets an object have.
#[cfg(test)]
pub(crate) fn schema_keys(object: &Value) -> std::collections::BTreeSet<&str> {
    let properties = object["properties"].as_object().expect("properties");
    assert_eq!(object["additionalProperties"], Value::Bool(false));
    properties.keys().map(String::as_str).collect()
}

/// Exactly N numbers within the range of coordinates.
pub(crate) fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let values: Option<Vec<f64>> = value.as_array()?.iter().map(number).collect();
    values?.try_into().ok()
}

/// The range of coordinates, as faults name it.
pub(crate) fn coordinates() -> String {
    format!("-{MAX_NUMBER} to {MAX_NUMBER}")
}

/// A number within the range of coordinates.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= MAX_NUMBER)
}
