//! JSON that others wrote, each value with its place.

use super::{ImportError, wrong};
use crate::fixture::RigFault;
use crate::json::quoted;
use serde_json::{Map, Value};

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: &'a Value,
    pub(crate) path: String,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    pub(crate) fn wrong(&self, expected: &str) -> ImportError {
        let path = if self.path.is_empty() { "file" } else { &self.path };
        ImportError::Value(RigFault {
            path: path.to_owned(),
            expected: expected.to_owned(),
            got: quoted(Some(self.value)),
        })
    }

    pub(crate) fn object(&self) -> Result<&'a Map<String, Value>, ImportError> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    /// The object with no keys except these; a key that is not known is refused, so that nothing is overlooked.
    pub(crate) fn known(&self, keys: &[&str]) -> Result<(), ImportError> {
        match self.object()?.keys().find(|key| !keys.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(wrong(
                &self.place(key),
                &format!("one of {}", keys.join(", ")),
                key,
            )),
        }
    }

    fn place(&self, key: &str) -> String {
        let key: String = key.chars().take(64).collect();
        if self.path.is_empty() {
            key
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self {
            value,
            path: self.place(key),
        })
    }

    pub(crate) fn need(&self, key: &str, expected: &str) -> Result<Self, ImportError> {
        self.get(key)
            .ok_or_else(|| wrong(&self.place(key), expected, "nothing"))
    }

    pub(crate) fn text(&self) -> Result<&'a str, ImportError> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    pub(crate) fn number(&self) -> Result<f64, ImportError> {
        self.value.as_f64().ok_or_else(|| self.wrong("a number"))
    }

    /// An integer up to a limit.
    pub(crate) fn integer(&self, most: u32) -> Result<u32, ImportError> {
        let integer = self.value.as_u64().and_then(|value| u32::try_from(value).ok());
        integer
            .filter(|value| *value <= most)
            .ok_or_else(|| self.wrong(&format!("0 to {most}")))
    }

    pub(crate) fn items(&self) -> Result<impl Iterator<Item = Self> + use<'a>, ImportError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        let path = self.path.clone();
        Ok(items.iter().enumerate().map(move |(index, value)| Self {
            value,
            path: format!("{path}[{index}]"),
        }))
    }

    pub(crate) fn entries(&self) -> Result<impl Iterator<Item = (&'a str, Self)> + use<'a>, ImportError> {
        let this = self.clone();
        let entries = self.object()?.iter();
        Ok(entries.map(move |(key, value)| {
            let path = this.place(key);
            (key.as_str(), Self { value, path })
        }))
    }

    /// Exactly N numbers.
    pub(crate) fn numbers<const N: usize>(&self) -> Result<[f64; N], ImportError> {
        let numbers: Vec<f64> = self
            .items()?
            .map(|item| item.number())
            .collect::<Result<_, _>>()?;
        numbers
            .try_into()
            .map_err(|_| self.wrong(&format!("{N} numbers")))
    }
}
