//! The declared calls as functions of C.

use crate::fail::{at, fail};
use crate::model::{Call, Interface, On, Parameter, Passing, Record, Type};
use std::fmt::Write;

/// A name in C and its type in Rust.
type Raw = (String, String);

/// Writes one call.
pub(super) fn write(interface: &Interface, call: &Call, out: &mut String) {
    let name = interface.symbol(call);
    let mut parameters: Vec<Raw> = match &call.on {
        On::Nothing => vec![],
        On::Object { name, .. } | On::Session { name, .. } => vec![(name.clone(), "RustleHandle".to_owned())],
    };
    parameters.extend(
        call.parameters
            .iter()
            .flat_map(|parameter| raw(interface, parameter)),
    );
    parameters.push(("error".to_owned(), "*mut RustleError".to_owned()));
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    let mut body = String::new();
    for Parameter { name, passing } in &call.parameters {
        if let Some(record) = interface.record_at(passing) {
            let record = &record.name;
            let _ = writeln!(body, "check_size({name:?}, size_of::<{record}>(), {name}_size)?;");
        }
    }
    let target = match &call.on {
        On::Nothing => format!("crate::{}", call.path),
        On::Object { rust, name } => {
            let _ = writeln!(
                body,
                "let {name} = <crate::{rust} as Tabled>::table().pin({name}, {name:?})?;"
            );
            format!("{name}.{}", method(&call.path))
        }
        On::Session { rust, name } => {
            let _ = writeln!(
                body,
                "let {name} = session::find({name})?;\nlet {name} = {name}.face::<crate::{rust}>()?;"
            );
            format!("{name}.{}", method(&call.path))
        }
    };
    memory(interface, call, &mut body);
    let (mut arguments, mut results, mut written) = (Vec::new(), Vec::new(), String::new());
    for Parameter { name, passing } in &call.parameters {
        let Passing::Out(_, is_optional) = passing else {
            arguments.push(name.as_str());
            continue;
        };
        results.push(name.as_str());
        let _ = match is_optional {
            true => writeln!(
                written,
                "if let Some(place) = {name}_place {{ place.write({name}); }}"
            ),
            false => writeln!(written, "{name}_place.write({name});"),
        };
    }
    let _ = write!(body, "{target}({})", arguments.join(", "));
    let _ = match results[..] {
        [] => Ok(()),
        [one] => write!(body, ".map(|{one}| {{ {written} }})"),
        _ => write!(body, ".map(|({})| {{ {written} }})", results.join(", ")),
    };
    let _ = writeln!(
        out,
        "/// [`crate::{}`] for C.\n///\n/// # Safety\n/// As the header says.\n#[no_mangle]\n\
         pub unsafe extern \"C\" fn {name}({}) -> RustleStatus {{\n    \
         // SAFETY: the caller keeps what the header says; no memory that is written overlaps other memory of the call.\n    \
         unsafe {{ guarded(error, || {{\n{body}}}) }}\n}}\n",
        call.path,
        parameters.join(", ")
    );
}

fn rust_type(kind: &Type) -> String {
    match kind {
        Type::Number(name) | Type::Named(name) => name.clone(),
        Type::Choice(name) => format!("Choice<{name}>"),
        Type::Flag => "crate::lent::Flag".to_owned(),
        _ => fail(
            "expected a number, a Flag, a Choice or a record, or a reference to one or to a slice, as a parameter",
        ),
    }
}

fn raw(interface: &Interface, Parameter { name, passing }: &Parameter) -> Vec<Raw> {
    let rust_type = |kind| at(name, || rust_type(kind));
    let number = |suffix: &str| (format!("{name}_{suffix}"), "usize".to_owned());
    let mut out = vec![(
        name.clone(),
        match passing {
            Passing::Value(kind) => rust_type(kind),
            Passing::In(kind) | Passing::Slice(kind) => format!("*const {}", rust_type(kind)),
            Passing::Out(kind, _) | Passing::SliceMut(kind) => format!("*mut {}", rust_type(kind)),
        },
    )];
    if interface.record_at(passing).is_some() {
        out.push(number("size"));
    }
    match passing {
        Passing::Slice(_) => out.push(number("count")),
        Passing::SliceMut(_) => out.push(number("capacity")),
        _ => {}
    }
    out
}

fn method(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The arguments that point to memory, checked and borrowed. A result is written to its place when the call has
/// succeeded.
fn memory(interface: &Interface, call: &Call, body: &mut String) {
    let (mut pieces, mut written, mut lent) = (Vec::new(), Vec::new(), Vec::new());
    let (mut records, mut others) = (String::new(), String::new());
    for Parameter { name, passing } in &call.parameters {
        match passing {
            Passing::Value(Type::Named(kind)) if kind == "RustleString" => {
                lent.push(format!("{name}.data.piece({name:?}, {name}.length)"));
            }
            Passing::Value(_) => {}
            Passing::In(_) => {
                pieces.push(format!("Argument::new({name:?}, {name}, 1)"));
                let _ = writeln!(records, "let {name} = record({name}, {name:?})?;");
                if let Some(record) = interface.record_at(passing) {
                    lists(interface, record, name, &mut lent);
                }
            }
            Passing::Slice(_) => {
                pieces.push(format!("Argument::new({name:?}, {name}, {name}_count)"));
                let _ = writeln!(others, "let {name} = borrowed({name}, {name}_count, {name:?})?;");
                if let Some(record) = interface.record_at(passing) {
                    lists(interface, record, &format!("{name}[…]"), &mut lent);
                }
            }
            Passing::Out(_, is_optional) => {
                written.push(format!("Argument::new({name:?}, {name}, 1)"));
                let of = if *is_optional { "out_or_null" } else { "out" };
                let _ = writeln!(others, "let {name}_place = {of}({name}, {name:?})?;");
            }
            Passing::SliceMut(kind) => {
                written.push(format!("Argument::new({name:?}, {name}, {name}_capacity)"));
                let cast = match kind {
                    Type::Named(record) => format!("{name}.cast::<MaybeUninit<{record}>>()"),
                    _ => name.clone(),
                };
                let _ = writeln!(
                    others,
                    "let {name} = borrowed_mut({cast}, {name}_capacity, {name:?})?;"
                );
            }
        }
    }
    let is_written = !written.is_empty();
    if is_written && pieces.len() + written.len() > 1 {
        let all = [pieces, written.clone()].concat();
        let _ = writeln!(body, "check_apart([{}])?;", all.join(", "));
    }
    body.push_str(&records);
    if is_written && !lent.is_empty() {
        if let Some(list) = lent.iter().find(|list| list.contains('…')) {
            fail(format!(
                "{}: expected elements that lend nothing in a call that writes: {list}",
                call.name
            ));
        }
        let _ = writeln!(
            body,
            "check_lent([{}], [{}])?;",
            lent.join(", "),
            written.join(", ")
        );
    }
    body.push_str(&others);
}

/// The memory that a record and the records in it lend.
fn lists(interface: &Interface, record: &Record, path: &str, out: &mut Vec<String>) {
    for (place, field) in record.fields.iter().enumerate() {
        let path = format!("{path}.{}", field.name);
        match &field.kind {
            Type::Lent(element) => {
                let count = record.fields.get(place + 1).map_or("", |field| &field.name);
                let count = format!(
                    "{}.{count}",
                    path.rsplit_once('.').map_or("", |(record, _)| record)
                );
                out.push(format!("{path}.piece({path:?}, {count})"));
                if let Type::Named(name) = &**element
                    && let Some(record) = interface.record(name)
                {
                    lists(interface, record, &format!("{path}[…]"), out);
                }
            }
            Type::Named(name) => {
                if let Some(record) = interface.record(name) {
                    lists(interface, record, &path, out);
                }
            }
            _ => {}
        }
    }
}
