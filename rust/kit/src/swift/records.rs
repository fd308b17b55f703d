//! Writes `Records.swift`: the enumerations and records as Swift values.

use super::{camel, case, comment, head, inner, is_flag, is_unsafe, native, swift_type, wrapped};
use crate::fail::fail;
use crate::model::{Choices, Does, Field, Interface, Passing, Record, Type};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The direction of records.
#[derive(Default)]
struct Uses {
    read: BTreeSet<String>,
    written: BTreeSet<String>,
    /// The records of streams.
    streamed: BTreeSet<String>,
    chosen: BTreeSet<String>,
}

fn uses(interface: &Interface) -> Uses {
    let mut uses = Uses::default();
    for verb in interface.verbs() {
        match &verb.does {
            Does::New { configuration, .. } => write_record(interface, configuration, &mut uses),
            Does::Start { request, record, .. } => {
                write_record(interface, request, &mut uses);
                if let Some(record) = record {
                    read_record(interface, record, &mut uses);
                    uses.streamed.insert(record.clone());
                }
            }
            Does::Describe { description, .. } => read_record(interface, description, &mut uses),
            _ => {}
        }
    }
    for parameter in interface.calls().flat_map(|call| &call.parameters) {
        match &parameter.passing {
            Passing::In(Type::Named(name)) | Passing::Slice(Type::Named(name)) => {
                write_record(interface, name, &mut uses);
            }
            Passing::Out(Type::Named(name), _) | Passing::SliceMut(Type::Named(name)) => {
                read_record(interface, name, &mut uses);
            }
            Passing::Value(Type::Choice(name)) | Passing::Out(Type::Choice(name), _) => {
                uses.chosen.insert(name.clone());
            }
            _ => {}
        }
    }
    uses
}

fn write_record(interface: &Interface, name: &str, uses: &mut Uses) {
    let Some(record) = interface
        .record(name)
        .filter(|record| record.name != "RustleString")
    else {
        return;
    };
    uses.written.insert(record.name.clone());
    for field in &record.fields {
        match inner(&field.kind) {
            Type::Named(name) => write_record(interface, name, uses),
            Type::Choice(name) => {
                uses.chosen.insert(name.clone());
            }
            _ => {}
        }
    }
}

fn read_record(interface: &Interface, name: &str, uses: &mut Uses) {
    let Some(record) = interface
        .record(name)
        .filter(|record| !is_unsafe(interface, record))
    else {
        return;
    };
    uses.read.insert(record.name.clone());
    for field in &record.fields {
        match inner(&field.kind) {
            Type::Named(name) => read_record(interface, name, uses),
            Type::Choice(name) => {
                uses.chosen.insert(name.clone());
            }
            _ => {}
        }
    }
}

/// `Records.swift`.
pub(crate) fn text(interface: &Interface) -> String {
    let uses = uses(interface);
    let mut out = head("The enumerations and records of the C interface as Swift values.");
    for choices in interface
        .choices()
        .filter(|choices| uses.chosen.contains(&choices.name))
    {
        enumeration(choices, &mut out);
    }
    for record in interface.records() {
        let (is_read, is_written) = (
            uses.read.contains(&record.name),
            uses.written.contains(&record.name),
        );
        if is_read || is_written {
            structure(interface, record, is_read, is_written, &mut out);
        }
        if uses.streamed.contains(&record.name) {
            let _ = writeln!(out, "extension {}: RecordElement {{}}\n", native(&record.name));
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn enumeration(choices: &Choices, out: &mut String) {
    comment(&choices.doc, "", out);
    let _ = writeln!(
        out,
        "package enum {}: UInt32, Sendable, CaseIterable {{",
        native(&choices.name)
    );
    for one in &choices.cases {
        comment(&one.doc, "  ", out);
        let _ = writeln!(out, "  case {} = {}", case(&one.name), one.number);
    }
    out.push_str("}\n\n");
}

/// A field of the Swift value.
pub(super) struct Property<'a> {
    pub(super) field: &'a Field,
    pub(super) name: String,
    pub(super) kind: String,
    /// The field with its number of elements.
    count: Option<&'a Field>,
}

/// The type of an array's elements, which are copied as they are in memory.
fn element_type(field: &Field, element: &Type) -> String {
    match element {
        Type::Number(number) if number == "u16" => "UInt16".to_owned(),
        Type::Number(number) if number == "u32" => "UInt32".to_owned(),
        element => swift_type(field, element),
    }
}

pub(super) fn properties<'a>(record: &'a Record) -> Vec<Property<'a>> {
    let mut out: Vec<Property<'a>> = Vec::new();
    let is_count = |field: &Field, of: &Field| match of.kind {
        Type::Lent(_) => field.name.ends_with("_count"),
        Type::Array(..) => {
            field.name == format!("{}_length", of.name) || field.name == format!("{}_count", of.name)
        }
        _ => false,
    };
    let counts: Vec<Option<&Field>> = record
        .fields
        .iter()
        .enumerate()
        .map(|(place, field)| match field.kind {
            Type::Lent(_) => record.fields.get(place + 1).filter(|next| is_count(next, field)),
            Type::Array(..) => record.fields.iter().find(|other| is_count(other, field)),
            _ => None,
        })
        .collect();
    for (field, count) in record.fields.iter().zip(&counts) {
        if field.name == "reserved" || counts.iter().flatten().any(|count| count.name == field.name) {
            continue;
        }
        let is_text = count.is_none_or(|count| !count.name.ends_with("_count"));
        let kind = match &field.kind {
            Type::Array(element, _) if !is_text => format!("[{}]", element_type(field, element)),
            kind => swift_type(field, kind),
        };
        out.push(Property {
            field,
            name: camel(&field.name),
            kind,
            count: *count,
        });
    }
    out
}

fn structure(interface: &Interface, record: &Record, is_read: bool, is_written: bool, out: &mut String) {
    let name = native(&record.name);
    let mut properties = properties(record);
    for property in &mut properties {
        if let (true, Type::Choice(choice)) = (is_read, &property.field.kind) {
            if is_written {
                fail(format!(
                    "{}.{}: expected a choice to go one way",
                    record.name, property.field.name
                ));
            }
            property.kind = format!("{}?", native(choice));
        }
    }
    comment(&record.doc, "", out);
    let protocols = if is_written { ", NativeRecord" } else { "" };
    let _ = writeln!(out, "package struct {name}: Sendable, Hashable{protocols} {{");
    for property in &properties {
        comment(&property.field.doc, "  ", out);
        if property.kind.ends_with('?') {
            out.push_str("  /// Nil: a number that this version does not know.\n");
        }
        let _ = writeln!(out, "  package var {}: {}", property.name, property.kind);
    }
    if is_written {
        let parameters: Vec<String> = properties
            .iter()
            .map(|property| {
                let standard = if property.name == "runtime" { " = 0" } else { "" };
                format!("{}: {}{standard}", property.name, property.kind)
            })
            .collect();
        let list = wrapped(&parameters, 4);
        let _ = writeln!(out, "\n  package init(\n{}\n  ) {{", list.trim_end_matches(','));
        for property in &properties {
            let _ = writeln!(out, "    self.{0} = {0}", property.name);
        }
        out.push_str("  }\n");
        writer(interface, record, &properties, out);
    }
    if is_read {
        reader(record, &properties, out);
    }
    out.push_str("}\n\n");
}

fn writer(interface: &Interface, record: &Record, properties: &[Property<'_>], out: &mut String) {
    let mark = if is_unsafe(interface, record) {
        "unsafe "
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "\n  /// The record for C; memory that it lends is that of `lent`.\n  func record(in lent: LentMemory) -> {0} {{\n    \
         var record = {mark}{0}()",
        record.name
    );
    for property in properties {
        let Property {
            field, name, count, ..
        } = property;
        let to = &field.name;
        let value = match &field.kind {
            Type::Number(number) => match number.as_str() {
                _ if is_flag(field) => format!("{name} ? 1 : 0"),
                "u32" => format!("UInt32(clamping: {name})"),
                "i32" => format!("Int32(clamping: {name})"),
                "usize" => format!("max(0, {name})"),
                _ => name.clone(),
            },
            Type::Flag => format!("{name} ? 1 : 0"),
            Type::Choice(_) => format!("{name}.rawValue"),
            Type::Named(kind) if kind == "RustleString" => format!("lent.string({name})"),
            Type::Named(kind) if kind == "RustleHandle" => name.clone(),
            Type::Named(_) => format!("{name}.record(in: lent)"),
            Type::Lent(element) => {
                let one = match &**element {
                    Type::Named(kind) if kind == "RustleString" => "lent.strings(".to_owned() + name + ")",
                    Type::Named(kind) => {
                        let is_unsafe = interface
                            .record(kind)
                            .is_some_and(|record| is_unsafe(interface, record));
                        let mark = if is_unsafe { "unsafe " } else { "" };
                        format!("lent.array({name}.map {{ {mark}$0.record(in: lent) }})")
                    }
                    Type::Choice(_) => format!("lent.array({name}.map(\\.rawValue))"),
                    _ => format!("lent.array({name})"),
                };
                if let Some(count) = count {
                    let _ = writeln!(out, "    {mark}record.{} = {name}.count", count.name);
                }
                one
            }
            _ => fail(format!(
                "{}.{to}: expected a field that Swift can write",
                record.name
            )),
        };
        let _ = writeln!(out, "    {mark}record.{to} = {value}");
    }
    let _ = writeln!(
        out,
        "    return {mark}record\n  }}\n\n  func withRecord<Result>(\n    \
         _ body: (UnsafeRawPointer, Int) throws(NativeError) -> Result\n  ) throws(NativeError) -> Result {{\n    \
         try unsafe withLentRecord({{ {mark}record(in: $0) }}, body)\n  }}"
    );
}

fn reader(record: &Record, properties: &[Property<'_>], out: &mut String) {
    let _ = writeln!(out, "\n  init(_ record: {}) {{", record.name);
    for Property {
        field,
        name,
        kind,
        count,
    } in properties
    {
        let from = format!("record.{}", field.name);
        let value = match &field.kind {
            Type::Number(_) if kind == "Bool" => format!("{from} != 0"),
            Type::Flag => format!("{from} != 0"),
            Type::Number(_) if kind == "Int" => format!("Int({from})"),
            Type::Number(_) if name == "gap" => format!("UInt64({from})"),
            Type::Array(element, _) => {
                let most = count.map_or("Int.max".to_owned(), |count| {
                    format!("Int(record.{})", count.name)
                });
                if kind == "String" {
                    format!("textOfTuple({from}, count: {most})")
                } else {
                    format!(
                        "arrayOfTuple({from}, of: {}.self, count: {most})",
                        element_type(field, element)
                    )
                }
            }
            Type::Named(named) if named != "RustleHandle" => format!("{}({from})", native(named)),
            Type::Choice(choice) => format!("{}(rawValue: {from})", native(choice)),
            _ => from,
        };
        let _ = writeln!(out, "    {name} = {value}");
    }
    out.push_str("  }\n");
}
