//! Reads values, by their signatures.

use super::{Malformed, Value};

/// How deep arrays, structs and variants may stand in each other: the specification's 32 arrays and 32 structs.
const MOST_DEPTH: usize = 64;

/// A place in a message's bytes.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    is_little: bool,
}

/// Reads a number in the message's order of bytes.
macro_rules! number {
    ($name:ident $type:ty, $size:literal) => {
        pub(super) fn $name(&mut self) -> Result<$type, Malformed> {
            self.align($size)?;
            let bytes: [u8; $size] = self.array()?;
            Ok(if self.is_little {
                <$type>::from_le_bytes(bytes)
            } else {
                <$type>::from_be_bytes(bytes)
            })
        }
    };
}

impl<'a> Reader<'a> {
    /// Reads `bytes` from `at` on; alignment counts from the first byte.
    pub(super) fn new(bytes: &'a [u8], at: usize, is_little: bool) -> Self {
        Self { bytes, at, is_little }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn malformed(&self, expected: &'static str) -> Malformed {
        Malformed {
            expected,
            at: self.at,
        }
    }

    /// Goes on to a multiple of `size`, over zeros.
    pub(super) fn align(&mut self, size: usize) -> Result<(), Malformed> {
        let end = self.at.next_multiple_of(size);
        let padding = self.bytes.get(self.at..end).ok_or(self.malformed("padding"))?;
        if padding.iter().any(|byte| *byte != 0) {
            return Err(self.malformed("padding of zeros"));
        }
        self.at = end;
        Ok(())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(self.malformed("further bytes"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    number!(byte u8, 1);
    number!(u16 u16, 2);
    number!(u32 u32, 4);
    number!(u64 u64, 8);

    /// A text of this length, and its NUL.
    fn text(&mut self, length: usize) -> Result<&'a str, Malformed> {
        let start = self.malformed("a text of UTF-8 without NUL");
        let bytes = self.take(length)?;
        if self.byte()? != 0 || bytes.contains(&0) {
            return Err(start);
        }
        std::str::from_utf8(bytes).map_err(|_| start)
    }

    fn long_text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.u32()?;
        self.text(length as usize)
    }

    pub(super) fn signature(&mut self) -> Result<&'a str, Malformed> {
        let length = self.byte()?;
        self.text(length.into())
    }

    /// The values of a signature.
    pub(super) fn values(&mut self, signature: &str) -> Result<Vec<Value>, Malformed> {
        let (mut rest, mut values) = (signature.as_bytes(), Vec::new());
        while !rest.is_empty() {
            values.push(self.value(&mut rest, 0)?);
        }
        Ok(values)
    }

    /// The value of the first complete type of a signature, which is taken from it.
    pub(super) fn value(&mut self, signature: &mut &[u8], depth: usize) -> Result<Value, Malformed> {
        let (kind, rest) = signature.split_first().ok_or(self.malformed("a type"))?;
        *signature = rest;
        if depth > MOST_DEPTH {
            return Err(self.malformed("less depth"));
        }
        Ok(match kind {
            b'y' => Value::Byte(self.byte()?),
            b'b' => match self.u32()? {
                0 => Value::Bool(false),
                1 => Value::Bool(true),
                _ => return Err(self.malformed("0 or 1 as a boolean")),
            },
            b'n' => Value::I16(self.u16()? as i16),
            b'q' => Value::U16(self.u16()?),
            b'i' => Value::I32(self.u32()? as i32),
            b'u' | b'h' => Value::U32(self.u32()?),
            b'x' => Value::I64(self.u64()? as i64),
            b't' => Value::U64(self.u64()?),
            b'd' => Value::F64(f64::from_bits(self.u64()?)),
            b's' => Value::Text(self.long_text()?.to_owned()),
            b'o' => Value::Path(self.long_text()?.to_owned()),
            b'g' => Value::Signature(self.signature()?.to_owned()),
            b'v' => Value::Variant(Box::new(self.variant(depth)?)),
            b'(' => Value::Struct(self.members(signature, depth)?),
            b'a' => self.elements(signature, depth)?,
            _ => return Err(self.malformed("a known type")),
        })
    }

    fn variant(&mut self, depth: usize) -> Result<Value, Malformed> {
        let mut signature = self.signature()?.as_bytes();
        let value = self.value(&mut signature, depth + 1)?;
        let is_one = signature.is_empty();
        is_one
            .then_some(value)
            .ok_or(self.malformed("one type in a variant"))
    }

    fn members(&mut self, signature: &mut &[u8], depth: usize) -> Result<Vec<Value>, Malformed> {
        self.align(8)?;
        let mut members = Vec::new();
        while signature.first() != Some(&b')') {
            members.push(self.value(signature, depth + 1)?);
        }
        *signature = &signature[1..];
        if members.is_empty() {
            return Err(self.malformed("a struct with members"));
        }
        Ok(members)
    }

    fn elements(&mut self, signature: &mut &[u8], depth: usize) -> Result<Value, Malformed> {
        let length = self.u32()? as usize;
        let of = *signature.first().ok_or(self.malformed("a type of elements"))?;
        if of == b'y' {
            *signature = &signature[1..];
            return Ok(Value::Bytes(self.take(length)?.to_vec()));
        }
        self.align(match of {
            b'x' | b't' | b'd' | b'(' | b'{' => 8,
            b'n' | b'q' => 2,
            b'g' | b'v' => 1,
            _ => 4,
        })?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(self.malformed("an array within the message"))?;
        let whole = *signature;
        *signature = skipped(whole, depth + 1).ok_or(self.malformed("a complete type of elements"))?;
        let (mut elements, mut entries) = (Vec::new(), Vec::new());
        while self.at < end {
            let mut element = whole;
            if of == b'{' {
                element = &whole[1..];
                self.align(8)?;
                let key = self.value(&mut element, depth + 1)?;
                entries.push((key, self.value(&mut element, depth + 1)?));
            } else {
                elements.push(self.value(&mut element, depth + 1)?);
            }
        }
        if self.at != end {
            return Err(self.malformed("whole elements of an array"));
        }
        Ok(if of == b'{' {
            Value::Map(entries)
        } else {
            Value::Array(elements)
        })
    }
}

/// The signature after its first complete type; `None`: it is malformed.
fn skipped(signature: &[u8], depth: usize) -> Option<&[u8]> {
    let (kind, rest) = signature.split_first()?;
    if depth > MOST_DEPTH {
        return None;
    }
    match kind {
        b'a' => skipped(rest, depth + 1),
        b'(' => {
            let mut rest = skipped(rest, depth + 1)?;
            while rest.first()? != &b')' {
                rest = skipped(rest, depth + 1)?;
            }
            Some(&rest[1..])
        }
        b'{' => {
            if !rest.first()?.is_ascii_lowercase() || matches!(rest.first()?, b'a' | b'v') {
                return None;
            }
            let rest = skipped(skipped(rest, depth + 1)?, depth + 1)?;
            (rest.first()? == &b'}').then(|| &rest[1..])
        }
        b'y' | b'b' | b'n' | b'q' | b'i' | b'u' | b'h' | b'x' | b't' | b'd' | b's' | b'o' | b'g' | b'v' => {
            Some(rest)
        }
        _ => None,
    }
}
