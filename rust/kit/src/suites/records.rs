//! The records that calls read, and the types of fields and elements.

use super::examples::{example, example_of};
use crate::fail::fail;
use crate::layout;
use crate::model::{Interface, Record, Type};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Adds a record and those within it, and within its lists.
pub(super) fn used_by(interface: &Interface, name: &str, used: &mut BTreeSet<String>) {
    let Some(record) = interface
        .record(name)
        .filter(|record| record.name != "RustleString")
    else {
        return;
    };
    used.insert(record.name.clone());
    for field in &record.fields {
        if let Type::Named(name) = crate::swift::inner(&field.kind) {
            used_by(interface, name, used);
        }
    }
}

/// The name of a record's constant.
pub(super) fn constant(name: &str) -> String {
    let mut out = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

/// Writes a record.
pub(super) fn record_text(interface: &Interface, record: &Record, out: &mut String) {
    let layout = layout::of_record(interface, record);
    let mut fields = String::new();
    let mut skip = None;
    for (place, (field, offset)) in record.fields.iter().zip(&layout.offsets).enumerate() {
        if skip == Some(place) {
            continue;
        }
        let example = example(&field.doc);
        let value = example.values.get("").map_or("0", String::as_str);
        let what = match &field.kind {
            _ if field.name == "reserved" => "What::Reserved".to_owned(),
            Type::Lent(element) => {
                skip = Some(place + 1);
                let count = layout.offsets[place + 1];
                let said = example_of(&record.fields[place + 1]);
                let length = said.as_deref().unwrap_or("2");
                format!(
                    "What::List(&{}, {count}, {length})",
                    element_text(interface, element)
                )
            }
            Type::Array(..) => "What::Reserved".to_owned(),
            // A handle of an object other than the runtime: the field's name is the kind. One of a session, or of none, is 0.
            Type::Named(name) if name == "RustleHandle" && field.name != "runtime" => {
                match interface.verbs().any(|verb| verb.object == field.name) {
                    true => format!("What::Handle(Maker {{ kind: {:?}, function: None }})", field.name),
                    false => "What::Number(Number::U64, 0.0)".to_owned(),
                }
            }
            kind => what(interface, kind, value),
        };
        let _ = writeln!(fields, "        Field {{ offset: {offset}, what: {what} }},");
    }
    let _ = writeln!(
        out,
        "/// `{0}`.\npub(crate) static {1}: Record = Record {{\n    size: {2},\n    fields: &[\n{fields}    ],\n}};\n",
        record.name,
        constant(&record.name),
        layout.size.bytes
    );
}

/// An element of a list, with the number of elements of the example.
pub(super) fn element_text(interface: &Interface, element: &Type) -> String {
    let size = layout::of_type(interface, element).bytes;
    format!(
        "Element {{ size: {size}, what: {} }}",
        what(interface, element, "0")
    )
}

/// A type as `What`, with an example's value.
pub(super) fn what(interface: &Interface, kind: &Type, value: &str) -> String {
    match kind {
        Type::Number(number) => {
            let number = match number.as_str() {
                "u8" => "U8",
                "u16" => "U16",
                "u32" => "U32",
                "i32" => "I32",
                "u64" => "U64",
                "i64" => "I64",
                "usize" => "Size",
                "f32" => "F32",
                _ => "F64",
            };
            let value = if value.contains('.') {
                value.to_owned()
            } else {
                format!("{value}.0")
            };
            format!("What::Number(Number::{number}, {value})")
        }
        Type::Choice(name) => {
            let choices = interface.choices().find(|choices| choices.name == *name);
            let numbers: Vec<String> = choices
                .iter()
                .flat_map(|choices| &choices.cases)
                .map(|case| case.number.to_string())
                .collect();
            let first = if value == "0" {
                numbers.first().cloned().unwrap_or_default()
            } else {
                value.to_owned()
            };
            format!("What::Choice(&[{}], {first})", numbers.join(", "))
        }
        Type::Flag => format!("What::Flag({})", value == "1"),
        Type::Named(name) if name == "RustleString" => {
            let text = value.trim_matches('"');
            let text = if text == "0" { "" } else { text };
            format!("What::Text({text:?})")
        }
        Type::Named(name) if name == "RustleHandle" => "What::Runtime".to_owned(),
        Type::Named(name) => match interface.record(name) {
            Some(_) => format!("What::Record(&{})", constant(name)),
            None => match interface.alias(name) {
                Some(kind) => what(interface, kind, value),
                None => fail(format!("{name}: expected a record")),
            },
        },
        _ => "What::Reserved".to_owned(),
    }
}
