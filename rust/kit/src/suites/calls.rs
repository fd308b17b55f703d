//! The entries of verbs and calls.

use super::examples::example;
use super::records::{constant, element_text, what};
use crate::fail::fail;
use crate::layout;
use crate::model::{Call, Doc, Does, Interface, On, Parameter, Passing, Type, Verb, number_name};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A live object as the parameter that a call is on.
pub(super) fn handle(object: &str, maker: &Option<String>) -> String {
    parameter(&made(object, maker))
}

/// An object that a function of the examples makes.
fn made(object: &str, maker: &Option<String>) -> String {
    let maker = maker
        .as_ref()
        .map_or("None".to_owned(), |maker| format!("Some({maker:?})"));
    format!("What::Handle(Maker {{ kind: {object:?}, function: {maker} }})")
}

fn parameter(what: &str) -> String {
    sized(what, 0)
}

/// A parameter, and the record size that is passed with it; 0 for none.
fn sized(what: &str, size: usize) -> String {
    format!("Parameter {{ what: {what}, size: {size} }}")
}

/// A pointer to a record that is read.
fn lent(interface: &Interface, record: &str) -> String {
    let size = layout::of_type(interface, &Type::Named(record.to_owned())).bytes;
    sized(&format!("What::In(&{})", constant(record)), size)
}

/// The statuses that a doc names, including those within `X` to `Y`.
fn statuses(interface: &Interface, doc: &Doc) -> Vec<String> {
    let text = doc.join(" ");
    let known: BTreeMap<&str, i128> = interface
        .constants()
        .filter(|constant| constant.is_status)
        .map(|constant| (constant.name.as_str(), constant.value))
        .collect();
    let mut found = Vec::new();
    let parts: Vec<&str> = text.split('`').collect();
    for (place, part) in parts.iter().enumerate() {
        let Some(first) = known.get(part) else { continue };
        let last = (parts.get(place + 1).map(|between| between.trim()) == Some("to"))
            .then(|| parts.get(place + 2).and_then(|name| known.get(name)))
            .flatten()
            .unwrap_or(first);
        found.extend(
            known
                .iter()
                .filter(|(_, value)| (first..=last).contains(value))
                .map(|(name, _)| (*name).to_owned()),
        );
    }
    found.sort();
    found.dedup();
    found.retain(|name| name != "RUSTLE_OK");
    found
}

/// Writes an entry.
pub(super) fn entry(
    name: &str,
    makes: &str,
    parameters: &[String],
    statuses: &[String],
    is_realtime: bool,
    run: &str,
    out: &mut String,
) {
    let statuses: Vec<String> = statuses
        .iter()
        .map(|status| format!("status::{status}"))
        .collect();
    let _ = writeln!(
        out,
        "    Call {{\n        name: {name:?},\n        makes: {makes:?},\n        parameters: &[{}],\n        \
         statuses: &[{}],\n        is_realtime: {is_realtime},\n        \
         // SAFETY: the arguments are of the function's types, and `Arguments` meets the header's conditions.\n        \
         run: |a, error| unsafe {{ {run} }},\n    }},",
        parameters.join(", "),
        statuses.join(", ")
    );
}

/// The statuses of every verb that takes a record.
const SIZED: [&str; 3] = [
    "RUSTLE_INVALID_VALUE",
    "RUSTLE_NULL_POINTER",
    "RUSTLE_RECORD_SIZE",
];

/// Writes the entries of a verb.
pub(super) fn verb_text(interface: &Interface, verb: &Verb, out: &mut String) {
    let object = &verb.object;
    let found = example(&verb.doc);
    let own = statuses(interface, &verb.doc);
    let with = |more: &[&str]| {
        let mut all = own.clone();
        all.extend(more.iter().map(|name| (*name).to_owned()));
        all.sort();
        all.dedup();
        all
    };
    let realtime = is_realtime(&verb.doc);
    let on = handle(object, &found.maker);
    match &verb.does {
        Does::New { configuration, .. } => {
            let all = with(&[&SIZED[..], &["RUSTLE_EXHAUSTED"]].concat());
            let run = format!(
                "rustle_new({}, a.input(0), a.size(0), a.output(1), error)",
                number_name("new", &verb.name)
            );
            let parameters = [lent(interface, configuration), parameter("What::NewHandle")];
            entry(&verb.name, object, &parameters, &all, false, &run, out);
        }
        Does::Start { request, record, .. } => {
            let number = number_name("start", &verb.name);
            let own = [
                "RUSTLE_EXHAUSTED",
                "RUSTLE_STALE_HANDLE",
                "RUSTLE_SHUT_DOWN",
                "RUSTLE_POISONED",
                "RUSTLE_FORKED",
            ];
            let all = with(&[&SIZED[..], &own].concat());
            let run = format!(
                "rustle_start(a.handle(0), {number}, a.input(1), a.size(1), a.size(2), a.sink(2), a.output(3), error)"
            );
            let event = record.as_ref().map_or(0, |record| {
                layout::of_type(interface, &Type::Named(record.clone())).bytes
            });
            let parameters = [
                on,
                lent(interface, request),
                sized("What::Sink", event),
                parameter("What::NewHandle"),
            ];
            entry(&verb.name, "session", &parameters, &all, false, &run, out);
            if record.is_some() {
                let size = event;
                let run = format!(
                    "rustle_drain(a.handle(0), {number}, a.output(1), a.size(1), a.count(1), a.output(2), a.output(3), a.size(3), error)"
                );
                let statistics =
                    layout::of_type(interface, &Type::Named("RustleLaneStatistics".to_owned())).bytes;
                let parameters = [
                    handle("session", &Some(verb.name.clone())),
                    sized(&format!("What::SliceMut({size}, 16)"), size),
                    parameter("What::Out(8, false)"),
                    sized(&format!("What::Out({statistics}, true)"), statistics),
                ];
                let all = [
                    "RUSTLE_INVALID_LENGTH",
                    "RUSTLE_INVALID_VALUE",
                    "RUSTLE_NULL_POINTER",
                    "RUSTLE_RECORD_SIZE",
                    "RUSTLE_STALE_HANDLE",
                ]
                .map(str::to_owned);
                entry(
                    &verb.name.replace("_start", "_drain"),
                    "",
                    &parameters,
                    &all,
                    false,
                    &run,
                    out,
                );
            }
        }
        Does::Describe {
            description,
            is_session,
            ..
        } => {
            let size = interface
                .record(description)
                .map_or(0, |record| layout::of_record(interface, record).size.bytes);
            let on = if *is_session {
                handle("session", &found.maker)
            } else {
                on
            };
            let run = format!(
                "rustle_describe(a.handle(0), {}, a.output(1), a.size(1), error)",
                number_name("describe", &verb.name)
            );
            let parameters = [on, sized(&format!("What::Out({size}, false)"), size)];
            let all = with(&[&SIZED[..], &["RUSTLE_STALE_HANDLE"]].concat());
            entry(&verb.name, "", &parameters, &all, realtime, &run, out);
        }
        does => {
            let function = match does {
                Does::Reset => "rustle_reset",
                Does::Cancel => "rustle_cancel",
                _ => "rustle_shut_down",
            };
            // A verb takes handles of every kind.
            let all = with(&["RUSTLE_STALE_HANDLE", "RUSTLE_UNSUPPORTED", "RUSTLE_WRONG_STATE"]);
            entry(
                &verb.name,
                "",
                &[on],
                &all,
                realtime,
                &format!(
                    "a.of_kind({function}, {}, error)",
                    crate::header::functions::kind_of(interface, object)
                ),
                out,
            );
        }
    }
}

fn is_realtime(doc: &Doc) -> bool {
    doc.join(" ").contains("Realtime-safe: yes")
}

/// Writes the entry of a declared call.
pub(super) fn declared(interface: &Interface, call: &Call, out: &mut String) {
    let found = example(&call.doc);
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
    match &call.on {
        On::Nothing => {}
        On::Object { name, .. } => parameters.push(handle(name, &found.maker)),
        On::Session { .. } => parameters.push(handle("session", &found.maker)),
    }
    if !parameters.is_empty() {
        arguments.push("a.handle(0)".to_owned());
    }
    let value = |name: &str, standard: &str| {
        found
            .values
            .get(name)
            .cloned()
            .unwrap_or_else(|| standard.to_owned())
    };
    for Parameter { name, passing } in &call.parameters {
        let place = parameters.len();
        let record = interface.record_at(passing);
        let bytes = record.map_or(0, |record| layout::of_record(interface, record).size.bytes);
        let size = record.map_or(String::new(), |_| format!(", a.size({place})"));
        let text = match passing {
            Passing::Value(kind) => {
                arguments.push(match kind {
                    Type::Number(number) => format!("a.{number}({place})"),
                    Type::Choice(_) => format!("Choice::of_number(a.u32({place}))"),
                    Type::Flag => format!("(a.u32({place}) != 0).into()"),
                    Type::Named(named) if named == "RustleString" => format!("a.text({place})"),
                    _ => format!("a.u64({place})"),
                });
                match value(name, "0") {
                    start if start.starts_with("rustle_") => made("session", &Some(start)),
                    number => what(interface, kind, &number),
                }
            }
            Passing::In(Type::Named(record)) => {
                arguments.push(format!("a.input({place}){size}"));
                format!("What::In(&{})", constant(record))
            }
            Passing::In(..) => fail(format!("{}: expected a record behind {name}", call.name)),
            Passing::Out(kind, is_optional) => {
                arguments.push(format!("a.output({place}){size}"));
                format!(
                    "What::Out({}, {is_optional})",
                    layout::of_type(interface, kind).bytes
                )
            }
            Passing::Slice(kind) => {
                arguments.push(format!("a.input({place}){size}, a.count({place})"));
                let count = value(&format!("{name}_count"), "64");
                format!("What::Slice(&{}, {count})", element_text(interface, kind))
            }
            Passing::SliceMut(kind) => {
                arguments.push(format!("a.output({place}){size}, a.count({place})"));
                let count = value(&format!("{name}_capacity"), "16");
                format!(
                    "What::SliceMut({}, {count})",
                    layout::of_type(interface, kind).bytes
                )
            }
        };
        parameters.push(sized(&text, bytes));
    }
    arguments.push("error".to_owned());
    let mut all = statuses(interface, &call.doc);
    all.extend(
        crate::promises::own_statuses(interface, call)
            .into_iter()
            .map(|(status, _)| status.to_owned()),
    );
    all.sort();
    all.dedup();
    entry(
        &call.name,
        "",
        &parameters,
        &all,
        is_realtime(&call.doc),
        &format!("{}({})", interface.symbol(call), arguments.join(", ")),
        out,
    );
}
