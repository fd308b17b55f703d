//! Values.

/// A value of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `y`
    Byte(u8),
    /// `b`
    Bool(bool),
    /// `n`
    I16(i16),
    /// `q`
    U16(u16),
    /// `i`
    I32(i32),
    /// `u`, and `h`, the place of a descriptor
    U32(u32),
    /// `x`
    I64(i64),
    /// `t`
    U64(u64),
    /// `d`
    F64(f64),
    /// `s`
    Text(String),
    /// `o`
    Path(String),
    /// `g`
    Signature(String),
    /// `ay`
    Bytes(Vec<u8>),
    /// Another array.
    Array(Vec<Value>),
    /// `a{…}`
    Map(Vec<(Value, Value)>),
    /// `(…)`
    Struct(Vec<Value>),
    /// `v`
    Variant(Box<Value>),
}

impl Value {
    /// The text of `s` or `o`.
    pub fn text(&self) -> Option<&str> {
        match self.plain() {
            Self::Text(text) | Self::Path(text) => Some(text),
            _ => None,
        }
    }

    /// The truth of `b`.
    pub fn truth(&self) -> Option<bool> {
        match self.plain() {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The bytes of `ay`.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self.plain() {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The elements of an array that is not of bytes.
    pub fn elements(&self) -> &[Self] {
        match self.plain() {
            Self::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The entries of `a{…}`.
    pub fn entries(&self) -> &[(Self, Self)] {
        match self.plain() {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value in variants.
    pub fn plain(&self) -> &Self {
        let mut value = self;
        while let Self::Variant(inner) = value {
            value = inner;
        }
        value
    }
}
