//! Messages.

use super::read::Reader;
use super::{Malformed, Value};

/// The longest message that is read. 200 nodes with all their objects have about one megabyte; the specification's limit is 128.
pub const MOST_BYTES: usize = 16 << 20;

/// The bytes before the header's fields, with their length.
const FIXED: usize = 16;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a method.
    Call,
    /// Its answer.
    Return,
    /// Its failure.
    Error,
    /// A signal.
    Signal,
    /// One that is to be ignored.
    Other,
}

/// A message that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its kind.
    pub kind: Kind,
    /// The number of the call that it answers; 0: none.
    pub reply_to: u32,
    /// The object.
    pub path: String,
    /// The interface.
    pub interface: String,
    /// The method or the signal.
    pub member: String,
    /// The error's name.
    pub error: String,
    /// The sender's own name.
    pub sender: String,
    /// The values.
    pub body: Vec<Value>,
}

/// The length of the message that begins with these bytes; `None`: too few of them.
///
/// # Errors
/// No message begins so, or one that is longer than [`MOST_BYTES`].
pub fn length(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let Some(start) = bytes.get(..FIXED) else {
        return Ok(None);
    };
    let is_little = match start[0] {
        b'l' => true,
        b'B' => false,
        _ => {
            return Err(Malformed {
                expected: "an order of bytes",
                at: 0,
            });
        }
    };
    if start[3] != 1 {
        return Err(Malformed {
            expected: "version 1",
            at: 3,
        });
    }
    let mut reader = Reader::new(bytes, 4, is_little);
    let body = reader.u32()? as usize;
    let _serial = reader.u32()?;
    let fields = reader.u32()? as usize;
    let length = FIXED
        .saturating_add(fields)
        .checked_next_multiple_of(8)
        .unwrap_or(usize::MAX);
    let length = length.saturating_add(body);
    if length > MOST_BYTES {
        return Err(Malformed {
            expected: "at most 16 MiB",
            at: 4,
        });
    }
    Ok(Some(length))
}

impl Message {
    /// Reads a message, all of whose bytes these are.
    ///
    /// # Errors
    /// They are not.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        if length(bytes)? != Some(bytes.len()) {
            return Err(Malformed {
                expected: "a whole message",
                at: bytes.len(),
            });
        }
        let is_little = bytes[0] == b'l';
        let mut message = Self {
            kind: match bytes[1] {
                1 => Kind::Call,
                2 => Kind::Return,
                3 => Kind::Error,
                4 => Kind::Signal,
                _ => Kind::Other,
            },
            reply_to: 0,
            path: String::new(),
            interface: String::new(),
            member: String::new(),
            error: String::new(),
            sender: String::new(),
            body: Vec::new(),
        };
        let mut reader = Reader::new(bytes, FIXED - 4, is_little);
        let fields = FIXED + reader.u32()? as usize;
        let mut signature = String::new();
        let mut reader = Reader::new(&bytes[..fields], FIXED, is_little);
        while !reader.is_at_end() {
            reader.align(8)?;
            let code = reader.byte()?;
            let value = reader.value(&mut &b"v"[..], 0)?;
            match (code, value.plain()) {
                (1, Value::Path(path)) => message.path.clone_from(path),
                (2, Value::Text(text)) => message.interface.clone_from(text),
                (3, Value::Text(text)) => message.member.clone_from(text),
                (4, Value::Text(text)) => message.error.clone_from(text),
                (5, Value::U32(number)) => message.reply_to = *number,
                (7, Value::Text(text)) => message.sender.clone_from(text),
                (8, Value::Signature(text)) => signature.clone_from(text),
                (1..=5 | 7 | 8, _) => return Err(reader.malformed("a header field of its type")),
                _ => {}
            }
        }
        let mut reader = Reader::new(bytes, reader.at(), is_little);
        reader.align(8)?;
        message.body = reader.values(&signature)?;
        if !reader.is_at_end() {
            return Err(reader.malformed("the end of the body"));
        }
        Ok(message)
    }
}
