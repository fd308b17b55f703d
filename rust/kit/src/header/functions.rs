//! The functions of the header: those of calls, and the typed ones over the verbs.

use super::{comment, declared, headed, insert, prototype};
use crate::fail::fail;
use crate::model::{Call, Doc, Does, Function, Interface, On, Parameter, Passing, Type, Verb, number_name};
use std::fmt::Write;

/// The typed function of a verb.
pub(super) fn verb(interface: &Interface, verb: &Verb, out: &mut String) {
    let object = &verb.object;
    let error = "RustleError *error".to_owned();
    let handle = format!("RustleHandle {object}");
    match &verb.does {
        Does::New { configuration, .. } => {
            let mut doc = verb.doc.clone();
            let about = format!(
                "`{object}` receives the handle, to be freed with `rustle_{object}_free`. See `rustle_new`."
            );
            insert(&mut doc, &about);
            let parameters = vec![
                format!("const {configuration} *configuration"),
                format!("RustleHandle *{object}"),
                error,
            ];
            let call = format!(
                "rustle_new({}, configuration, sizeof *configuration, {object}, error)",
                number_name("new", &verb.name)
            );
            inline(&doc, &verb.name, parameters, &call, out);
        }
        Does::Start { request, record, .. } => {
            let number = number_name("start", &verb.name);
            let mut doc = verb.doc.clone();
            insert(
                &mut doc,
                "`session` receives the handle, to be freed with `rustle_session_free`. See `rustle_start`.",
            );
            let parameters = vec![
                handle,
                format!("const {request} *request"),
                "RustleSink sink".to_owned(),
                "RustleHandle *session".to_owned(),
                error.clone(),
            ];
            let event = record
                .as_ref()
                .map_or("0".to_owned(), |record| format!("sizeof({record})"));
            let call = format!(
                "rustle_start({object}, {number}, request, sizeof *request, {event}, sink, session, error)"
            );
            inline(&doc, &verb.name, parameters, &call, out);
            if let Some(record) = record {
                let doc = vec![format!(
                    "Moves waiting records of a session that `{}` started into `buffer`. See `rustle_drain`.",
                    verb.name
                )];
                let parameters = vec![
                    "RustleHandle session".to_owned(),
                    format!("{record} *buffer"),
                    "size_t capacity".to_owned(),
                    "size_t *count".to_owned(),
                    "RustleLaneStatistics *statistics".to_owned(),
                    error,
                ];
                let call = format!(
                    "rustle_drain(session, {number}, buffer, sizeof *buffer, capacity, count, statistics, sizeof *statistics, error)"
                );
                inline(
                    &doc,
                    &verb.name.replace("_start", "_drain"),
                    parameters,
                    &call,
                    out,
                );
            }
        }
        Does::Describe {
            description,
            is_session,
            ..
        } => {
            let handle = if *is_session {
                "RustleHandle session".to_owned()
            } else {
                handle
            };
            let on = if *is_session { "session" } else { object };
            let parameters = vec![handle, format!("{description} *description"), error];
            let call = format!(
                "rustle_describe({on}, {}, description, sizeof *description, error)",
                number_name("describe", &verb.name)
            );
            inline(&verb.doc, &verb.name, parameters, &call, out);
        }
        Does::Reset => simple(interface, verb, "rustle_reset", out),
        Does::Cancel => simple(interface, verb, "rustle_cancel", out),
        Does::ShutDown => simple(interface, verb, "rustle_shut_down", out),
    }
}

/// A hand-written function. One that ends in `_sized` takes the size of the record that it passes to the caller's function in its
/// first parameter; the typed function over it passes that size.
pub(super) fn written_out(function: &Function, out: &mut String) {
    let sized = function
        .name
        .strip_suffix("_sized")
        .zip(function.parameters.first());
    let Some((name, (_, Type::Function(handed, _)))) = sized else {
        comment(&function.doc, out);
        let _ = writeln!(out, "{};", prototype(function));
        return;
    };
    comment(
        &vec![format!(
            "`{name}` with the size of its record, which that function passes."
        )],
        out,
    );
    let _ = writeln!(out, "{};", prototype(function));
    let (mut typed, mut passed) = (Vec::new(), Vec::new());
    for (name, kind) in &function.parameters {
        let record = handed.iter().find_map(|(record, kind)| match kind {
            Type::Pointer(pointee, _) if *name == format!("{record}_size") => Some(declared(pointee, "")),
            _ => None,
        });
        match record {
            Some(record) => passed.push(format!("sizeof({record})")),
            None => {
                typed.push(declared(kind, name));
                passed.push(name.clone());
            }
        }
    }
    let call = format!("{}({})", function.name, passed.join(", "));
    inline(&function.doc, name, typed, &call, out);
}

/// The number of a kind of object.
pub(crate) fn kind_of(interface: &Interface, object: &str) -> u32 {
    let found = interface
        .kinds()
        .find(|kind| !kind.is_face && kind.name == object);
    found.map_or_else(
        || fail(format!("{object}: expected a kind of object")),
        |kind| kind.number,
    )
}

fn simple(interface: &Interface, verb: &Verb, of: &str, out: &mut String) {
    let object = &verb.object;
    let parameters = vec![format!("RustleHandle {object}"), "RustleError *error".to_owned()];
    let call = checked(of, object, kind_of(interface, object));
    inline(&verb.doc, &verb.name, parameters, &call, out);
}

/// The call of a verb on an object of one kind.
fn checked(verb: &str, object: &str, kind: u32) -> String {
    format!(
        "rustle_is_of_kind({object}, {kind}) ? {verb}({object}, error) : rustle_refuse_kind({object}, {kind}, error)"
    )
}

/// The typed function that frees an object.
pub(super) fn free(object: &str, kind: u32, out: &mut String) {
    let doc = vec![format!("Makes the handle `{object}` stale. See `rustle_free`.")];
    let parameters = vec![format!("RustleHandle {object}"), "RustleError *error".to_owned()];
    inline(
        &doc,
        &format!("rustle_{object}_free"),
        parameters,
        &checked("rustle_free", object, kind),
        out,
    );
}

fn inline(doc: &Doc, name: &str, parameters: Vec<String>, call: &str, out: &mut String) {
    comment(doc, out);
    let head = headed("static inline RustleStatus", name, parameters);
    let _ = writeln!(out, "{head} {{\n  return {call};\n}}");
}

/// The function of a call; where its arguments point to records, the exported one that takes their sizes, and the typed one that
/// passes them.
pub(super) fn call(interface: &Interface, call: &Call) -> String {
    // Each parameter, the typed function's argument for it, and whether the typed function has it too.
    let mut rows = Vec::new();
    if let On::Object { name, .. } | On::Session { name, .. } = &call.on {
        rows.push((format!("RustleHandle {name}"), name.clone(), true));
    }
    for Parameter { name, passing } in &call.parameters {
        let pointer = format!("*{name}");
        let text = match passing {
            Passing::Value(kind) => declared(kind, name),
            Passing::In(kind) | Passing::Slice(kind) => format!("const {}", declared(kind, &pointer)),
            Passing::Out(kind, _) | Passing::SliceMut(kind) => declared(kind, &pointer),
        };
        rows.push((text, name.clone(), true));
        if interface.record_at(passing).is_some() {
            rows.push((format!("size_t {name}_size"), format!("sizeof {pointer}"), false));
        }
        let length = match passing {
            Passing::Slice(_) => format!("{name}_count"),
            Passing::SliceMut(_) => format!("{name}_capacity"),
            _ => continue,
        };
        rows.push((format!("size_t {length}"), length, true));
    }
    rows.push(("RustleError *error".to_owned(), "error".to_owned(), true));
    let all = rows.iter().map(|(text, ..)| text.clone()).collect();
    let mut out = String::new();
    let doc = crate::promises::completed(interface, call);
    let symbol = interface.symbol(call);
    if symbol == call.name {
        comment(&doc, &mut out);
        let _ = writeln!(out, "{};", headed("RustleStatus", &symbol, all));
        return out;
    }
    let about = format!(
        "`{}` with the sizes of its records, which that function passes.",
        call.name
    );
    comment(&vec![about], &mut out);
    let _ = writeln!(out, "{};", headed("RustleStatus", &symbol, all));
    let typed = rows.iter().filter(|(.., is_own)| *is_own);
    let typed = typed.map(|(text, ..)| text.clone()).collect();
    let passed = rows.iter().map(|(_, passed, _)| passed.clone()).collect();
    let handed_on = headed("return", &symbol, passed).replace("\n    ", "\n      ");
    inline(
        &doc,
        &call.name,
        typed,
        handed_on.trim_start_matches("return "),
        &mut out,
    );
    out
}
