//! Writes `Calls.swift`: the declared calls as Swift functions.

use super::owners::{is_in_owner, method, owner};
use super::{WIDTH, camel, head, is_unsafe, native, swift_type, wrapped};
use crate::fail::fail;
use crate::model::{Call, Does, Field, Interface, On, Parameter, Passing, Type, Verb, number_name};
use std::fmt::Write;

/// `Calls.swift`.
pub(crate) fn text(interface: &Interface) -> String {
    let mut out = head("The declared calls of the C interface as Swift functions.");
    out.push_str(
        "/// Calls of the native side. A place for a result is what the function returns; the header says what each does.\n\
         package enum NativeCalls {\n",
    );
    for call in interface.calls().filter(|call| owner(interface, call).is_none()) {
        call_text(interface, call, &mut out);
    }
    for verb in interface.verbs() {
        match &verb.does {
            Does::Describe {
                description,
                is_session,
                ..
            } if *is_session || !is_in_owner(interface, verb) => {
                description_text(verb, description, &mut out);
            }
            _ => {}
        }
    }
    out.truncate(out.trim_end().len());
    out.push_str("\n}\n");
    out
}

/// The description of an engine or a session as a function. Zeros would hide a panic or a stale archive: it throws.
fn description_text(verb: &Verb, description: &str, out: &mut String) {
    let name = camel(verb.name.trim_start_matches("rustle_"));
    let _ = writeln!(
        out,
        "  /// See `{}`.\n  static func {name}(_ object: UInt64) throws(NativeError) -> {} {{\n    \
         {}(try describe(object, {}, {description}()))\n  }}\n",
        verb.name,
        native(description),
        native(description),
        number_name("describe", &verb.name),
    );
}

/// The Swift form of a call's parameters.
#[derive(Default)]
struct Swift {
    parameters: Vec<String>,
    /// Results: name, type, initial value, and the returned expression.
    results: Vec<(String, String, String, String)>,
    /// The calls that borrow the arguments, from the outermost to the innermost.
    borrows: Vec<String>,
    arguments: Vec<String>,
}

fn plain(kind: &Type) -> String {
    match kind {
        Type::Number(number) => match number.as_str() {
            "u8" => "UInt8",
            "u32" => "UInt32",
            "i32" => "Int32",
            "u64" => "UInt64",
            "i64" => "Int64",
            "f32" => "Float",
            "f64" => "Double",
            _ => "Int",
        }
        .to_owned(),
        Type::Choice(_) | Type::Flag => "UInt32".to_owned(),
        Type::Named(name) if name == "RustleHandle" => "UInt64".to_owned(),
        Type::Named(name) => name.clone(),
        _ => fail("expected a number or a record as the element of an argument"),
    }
}

fn add(interface: &Interface, parameter: &Parameter, swift: &mut Swift) {
    let (c, name) = (&parameter.name, camel(&parameter.name));
    let is_text = |kind: &Type| matches!(kind, Type::Named(name) if name == "RustleString");
    let size = match interface.record_at(&parameter.passing) {
        Some(record) => format!(", MemoryLayout<{}>.stride", record.name),
        None => String::new(),
    };
    match &parameter.passing {
        Passing::Value(kind) if is_text(kind) => {
            swift.parameters.push(format!("{name}: String"));
            swift.arguments.push(format!("lent.string({name})"));
        }
        Passing::Value(kind) => {
            let field = Field {
                name: c.clone(),
                doc: vec![],
                kind: kind.clone(),
            };
            swift
                .parameters
                .push(format!("{name}: {}", swift_type(&field, kind)));
            swift.arguments.push(match kind {
                Type::Flag => format!("{name} ? 1 : 0"),
                Type::Choice(_) => format!("{name}.rawValue"),
                Type::Number(number) if number == "u32" => format!("UInt32(clamping: {name})"),
                Type::Number(number) if number == "i32" => format!("Int32(clamping: {name})"),
                Type::Number(number) if number == "usize" => format!("max(0, {name})"),
                _ => name,
            });
        }
        Passing::In(kind) => {
            let record = native(&plain(kind));
            swift.parameters.push(format!("{name}: {record}"));
            swift
                .borrows
                .push(format!("{name}.withRecord {{ ({name}, _) throws(NativeError) in"));
            swift.arguments.push(format!(
                "{name}.assumingMemoryBound(to: {}.self){size}",
                plain(kind)
            ));
        }
        Passing::Out(kind, _) => {
            let raw = plain(kind);
            let (shown, value) = match kind {
                Type::Named(record)
                    if interface
                        .record(record)
                        .is_some_and(|record| !is_unsafe(interface, record)) =>
                {
                    (native(record), format!("{}({name})", native(record)))
                }
                Type::Number(number) if number == "u32" => ("Int".to_owned(), format!("Int({name})")),
                Type::Choice(choice) => (
                    format!("{}?", native(choice)),
                    format!("{}(rawValue: {name})", native(choice)),
                ),
                _ => (raw.clone(), name.clone()),
            };
            swift
                .results
                .push((name.clone(), shown, format!("{raw}()"), value));
            swift.arguments.push(format!("&{name}{size}"));
        }
        Passing::Slice(kind) if is_text(kind) => {
            swift.parameters.push(format!("{name}: [String]"));
            swift
                .arguments
                .push(format!("lent.strings({name}){size}, {name}.count"));
        }
        Passing::Slice(kind) => {
            swift.parameters.push(format!("{name}: Span<{}>", plain(kind)));
            swift.borrows.push(format!(
                "{name}.withUnsafeBufferPointer {{ {name} throws(NativeError) in"
            ));
            swift
                .arguments
                .push(format!("{name}.baseAddress{size}, {name}.count"));
        }
        Passing::SliceMut(kind) => {
            swift
                .parameters
                .push(format!("{name}: inout MutableSpan<{}>", plain(kind)));
            swift.borrows.push(format!(
                "{name}.withUnsafeMutableBufferPointer {{ {name} throws(NativeError) in"
            ));
            swift
                .arguments
                .push(format!("{name}.baseAddress{size}, {name}.count"));
        }
    }
}

/// A call as a function of [`text`], or of the class that owns its object.
pub(super) fn call_text(interface: &Interface, call: &Call, out: &mut String) {
    let mut swift = Swift::default();
    let owner = owner(interface, call);
    if owner.is_some() {
        swift.arguments.push("handle.raw".to_owned());
    } else if let On::Object { name, .. } | On::Session { name, .. } = &call.on {
        let name = camel(name);
        swift.parameters.push(format!("_ {name}: UInt64"));
        swift.arguments.push(name);
    }
    for parameter in &call.parameters {
        add(interface, parameter, &mut swift);
    }
    let (function, scope) = match owner {
        Some(object) => (method(&call.name, object), ""),
        None => (camel(call.name.trim_start_matches("rustle_")), "static "),
    };
    let is_bare = match &call.parameters[..] {
        [Parameter { passing, .. }, rest @ ..] => {
            rest.is_empty() || matches!(passing, Passing::Slice(_) | Passing::SliceMut(_))
        }
        [] => false,
    };
    if let (Some(first), true) = (swift.parameters.first_mut(), owner.is_some() && is_bare) {
        first.insert_str(0, "_ ");
    }
    let shown: Vec<String> = match &swift.results[..] {
        [(_, kind, ..)] => vec![kind.clone()],
        many => many
            .iter()
            .map(|(name, kind, ..)| format!("{name}: {kind}"))
            .collect(),
    };
    let result = match &shown[..] {
        [] => String::new(),
        [one] => format!(" -> {one}"),
        many => format!(" -> ({})", many.join(", ")),
    };
    let _ = writeln!(out, "  /// See `{}`.", call.name);
    // A function that names a type of the header is internal to this module.
    let is_own = swift
        .parameters
        .iter()
        .chain(&shown)
        .any(|text| text.contains("Rustle"));
    let access = if is_own { "" } else { "package " };
    let line = format!(
        "  {access}{scope}func {function}({}) throws(NativeError){result} {{",
        swift.parameters.join(", ")
    );
    if line.len() <= WIDTH {
        let _ = writeln!(out, "{line}");
    } else {
        let parameters = wrapped(&swift.parameters, 4);
        let _ = writeln!(
            out,
            "  {access}{scope}func {function}(\n{}\n  ) throws(NativeError){result} {{",
            parameters.trim_end_matches(',')
        );
    }
    if owner.is_some() {
        out.push_str("    defer { extendLifetime(self) }\n");
    }
    if let On::Nothing = call.on {
        // With a handle, this was done when the handle was made.
        out.push_str("    try NativeLibrary.prepare()\n");
    }
    if swift
        .arguments
        .iter()
        .any(|argument| argument.starts_with("lent."))
    {
        out.push_str("    let lent = LentMemory()\n    defer { extendLifetime(lent) }\n");
    }
    for (name, _, start, _) in &swift.results {
        let _ = writeln!(out, "    var {name} = {start}");
    }
    let mut indent = 4;
    for borrow in &swift.borrows {
        let _ = writeln!(out, "{}try unsafe {borrow}", " ".repeat(indent));
        indent += 2;
    }
    let arguments = wrapped(&[swift.arguments, vec!["$0".to_owned()]].concat(), indent + 4);
    let pad = " ".repeat(indent);
    let _ = writeln!(
        out,
        "{pad}try unsafe NativeError.check {{\n{pad}  unsafe {}(\n{})\n{pad}}}",
        interface.symbol(call),
        arguments.trim_end_matches(',')
    );
    for _ in &swift.borrows {
        indent -= 2;
        let _ = writeln!(out, "{}}}", " ".repeat(indent));
    }
    let values: Vec<&str> = swift.results.iter().map(|(.., value)| value.as_str()).collect();
    match values[..] {
        [] => {}
        [one] => {
            let _ = writeln!(out, "    return {one}");
        }
        _ => {
            let _ = writeln!(out, "    return ({})", values.join(", "));
        }
    }
    out.push_str("  }\n\n");
    if let Some((last, others)) = swift.parameters.split_last()
        && let Some(kind) = last.strip_prefix(SCRATCH)
        && owner.is_some()
    {
        without_scratch(&call.name, &function, others, kind, &result, out);
    }
}

/// The beginning of a parameter for scratch memory.
const SCRATCH: &str = "scratch: inout ";

/// The call with the object's own scratch memory, which it uses when it is passed none of this `kind`.
fn without_scratch(c: &str, name: &str, parameters: &[String], kind: &str, result: &str, out: &mut String) {
    let passed = parameters.iter().map(|parameter| {
        let (label, kind) = parameter.split_once(": ").unwrap_or((parameter, ""));
        let value = label.trim_start_matches("_ ");
        let mark = if kind.starts_with("inout ") { "&" } else { "" };
        match label == value {
            true => format!("{label}: {mark}{value}, "),
            false => format!("{mark}{value}, "),
        }
    });
    let _ = writeln!(
        out,
        "  /// See `{c}`; with the object's scratch memory.\n  package func {name}({}) throws(NativeError){result} {{\n    \
         var none = {kind}()\n    return try {name}({}scratch: &none)\n  }}\n",
        parameters.join(", "),
        passed.collect::<String>(),
    );
}
