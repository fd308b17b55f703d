//! Calls of every function of the interface, made from its description in `table.rs`: with valid arguments, or with those of a
//! source of choices.

mod arguments;
mod choices;
mod making;
mod table;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../verbs/mod.rs"]
mod verbs;
mod world;
pub(crate) mod wrong;

pub(crate) use arguments::Arguments;
pub(crate) use choices::{Choose, Chooser, Exact};
pub(crate) use table::CALLS;
pub(crate) use world::World;

use rustle::status::{RustleError, RustleStatus};

/// A function with a status.
pub(crate) struct Call {
    /// Its name in the header.
    pub(crate) name: &'static str,
    /// The kind of object that it makes; empty for none.
    pub(crate) makes: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// The statuses that it may fail with.
    pub(crate) statuses: &'static [RustleStatus],
    /// Whether the header says that it is realtime-safe.
    pub(crate) is_realtime: bool,
    /// Calls it.
    pub(crate) run: fn(&Arguments, *mut RustleError) -> RustleStatus,
}

/// A parameter.
pub(crate) struct Parameter {
    pub(crate) what: What,
    /// The record size that is passed with it; 0 for none.
    pub(crate) size: usize,
}

/// Which function makes the object that a call is on: the first that makes the kind, unless one is named.
pub(crate) struct Maker {
    pub(crate) kind: &'static str,
    pub(crate) function: Option<&'static str>,
}

/// The type of a parameter, a field or an element. Numbers have the value of a valid example.
pub(crate) enum What {
    /// A live object.
    Handle(Maker),
    /// The place of a new object's handle.
    NewHandle,
    /// A runtime, in a field.
    Runtime,
    Number(Number, f64),
    Choice(&'static [u32], u32),
    Flag(bool),
    Text(&'static str),
    /// A record within another.
    Record(&'static Record),
    /// A record that is read.
    In(&'static Record),
    /// This many bytes for a result; `true`: it may be NULL.
    Out(usize, bool),
    /// Elements that are read, and their number in the example.
    Slice(&'static Element, usize),
    /// Elements of this many bytes that are written, and the example's capacity.
    SliceMut(usize, usize),
    /// In a field: elements that are read, with their number at another offset, and their number in the example.
    List(&'static Element, usize, usize),
    /// The sink of a session.
    Sink,
    /// Zeros.
    Reserved,
}

/// A record: its size and its fields.
pub(crate) struct Record {
    pub(crate) size: usize,
    pub(crate) fields: &'static [Field],
}

/// A field of a record.
pub(crate) struct Field {
    pub(crate) offset: usize,
    pub(crate) what: What,
}

/// The element of a list.
pub(crate) struct Element {
    pub(crate) size: usize,
    pub(crate) what: What,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    U8,
    U32,
    U64,
    I32,
    I64,
    Size,
    F32,
    F64,
}

impl Number {
    /// The bytes of `value` in the machine's order, at the beginning, and their number.
    pub(crate) fn bytes(self, value: f64) -> ([u8; 8], usize) {
        let mut out = [0; 8];
        let mut put = |bytes: &[u8]| {
            out[..bytes.len()].copy_from_slice(bytes);
            bytes.len()
        };
        let count = match self {
            Self::U8 => put(&[value as u8]),
            Self::U32 => put(&(value as u32).to_ne_bytes()),
            Self::U64 | Self::Size => put(&(value as u64).to_ne_bytes()),
            Self::I32 => put(&(value as i32).to_ne_bytes()),
            Self::I64 => put(&(value as i64).to_ne_bytes()),
            Self::F32 => put(&(value as f32).to_ne_bytes()),
            Self::F64 => put(&value.to_ne_bytes()),
        };
        (out, count)
    }
}
