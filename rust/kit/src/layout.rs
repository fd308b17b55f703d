//! Where the fields of a record are, by the rules of C on a system with pointers of 64 bits.

use crate::fail::fail;
use crate::model::{Interface, Record, Type};

/// A size in bytes and an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) alignment: usize,
}

/// A record's size and the offsets of its fields.
pub(crate) struct Layout {
    pub(crate) size: Size,
    pub(crate) offsets: Vec<usize>,
}

/// The layout of a record.
pub(crate) fn of_record(interface: &Interface, record: &Record) -> Layout {
    let mut size = Size {
        bytes: 0,
        alignment: 1,
    };
    let mut offsets = Vec::new();
    for field in &record.fields {
        let part = of_type(interface, &field.kind);
        size.bytes = size.bytes.next_multiple_of(part.alignment);
        offsets.push(size.bytes);
        size.bytes += part.bytes;
        size.alignment = size.alignment.max(part.alignment);
    }
    size.bytes = size.bytes.next_multiple_of(size.alignment);
    Layout { size, offsets }
}

/// The size of a type.
pub(crate) fn of_type(interface: &Interface, kind: &Type) -> Size {
    let even = |bytes| Size {
        bytes,
        alignment: bytes,
    };
    match kind {
        Type::Number(name) => even(match name.as_str() {
            "u8" | "c_char" => 1,
            "u16" => 2,
            "u32" | "i32" | "f32" => 4,
            _ => 8,
        }),
        Type::Choice(_) | Type::Flag => even(4),
        Type::Lent(_) | Type::Pointer(..) | Type::Function(..) | Type::Void => even(8),
        Type::Array(element, length) => {
            let element = of_type(interface, element);
            Size {
                bytes: element.bytes * crate::parse::values::value_of(interface, length) as usize,
                alignment: element.alignment,
            }
        }
        Type::Named(name) => match interface.record(name) {
            Some(record) => of_record(interface, record).size,
            None => match interface.alias(name) {
                Some(kind) => of_type(interface, kind),
                None => fail(format!(
                    "{name}: expected a record or a type of this interface, got none"
                )),
            },
        },
    }
}
