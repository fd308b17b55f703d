//! The parts of a call's doc that follow from its parameters: the statuses of the boundary, and the caller's promises.

use crate::fail::fail;
use crate::header::{insert, prefix};
use crate::model::{Call, Doc, Interface, On, Parameter, Passing, Type};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Stands in a doc for the conditions of a call on an `Exclusive`.
const EXCLUSIVE: &str = "One call at a time.";
/// Stands in a doc for the conditions of a realtime-safe call.
const REALTIME: &str = "Realtime-safe.";
const FAILS: &str = "Fails with ";

/// Whether a doc's list of failures has this status.
fn says(doc: &Doc, status: &str) -> bool {
    (doc.iter().skip_while(|line| !line.starts_with(FAILS)))
        .take_while(|line| !line.is_empty())
        .any(|line| line.contains(status))
}

/// Removes words from the end of a line; returns whether they were there.
fn taken(doc: &mut Doc, words: &str) -> bool {
    let Some(place) = doc.iter().position(|line| line.ends_with(words)) else {
        return false;
    };
    let rest = doc[place].trim_end_matches(words).trim_end().to_owned();
    doc.splice(place..=place, (!rest.is_empty()).then_some(rest));
    true
}

/// Adds statuses to a doc's list of failures.
fn fails_with(doc: &mut Doc, statuses: &[impl AsRef<str>]) {
    let new: Vec<&str> = statuses.iter().map(AsRef::as_ref).collect();
    if new.is_empty() {
    } else if let Some(line) = doc.iter_mut().find(|line| line.starts_with(FAILS)) {
        line.insert_str(FAILS.len(), &format!("{}, ", new.join(", ")));
    } else {
        paragraph(
            doc,
            format!("{FAILS}{}.", new.join(", ")),
            &["Thread-safe:", "Example: `"],
        );
    }
    once(doc);
}

/// Merges the entries of a status in a doc's list of failures, with all reasons.
fn once(doc: &mut Doc) {
    let Some(start) = doc.iter().position(|line| line.starts_with(FAILS)) else {
        return;
    };
    let length = doc[start..].iter().position(String::is_empty);
    let end = length.map_or(doc.len(), |length| start + length);
    let text = doc[start..end].join(" ");
    let mut rest = &text[FAILS.len()..];
    let mut statuses: Vec<(&str, Vec<&str>)> = Vec::new();
    while let Some(more) = rest.trim_start_matches(", ").strip_prefix('`') {
        let Some((name, after)) = more.split_once('`') else {
            break;
        };
        rest = after;
        let mut reasons = Vec::new();
        if let Some((reason, after)) = after.strip_prefix(" (").and_then(|after| after.split_once(')')) {
            reasons.push(reason);
            rest = after;
        }
        match statuses.iter_mut().find(|(other, _)| *other == name) {
            Some((_, all)) => all.append(&mut reasons),
            None => statuses.push((name, reasons)),
        }
        if !rest.starts_with(", `") {
            break;
        }
    }
    let statuses = statuses.iter().map(|(name, reasons)| match &reasons[..] {
        [] => format!("`{name}`"),
        reasons => format!("`{name}` ({})", reasons.join("; ")),
    });
    let line = format!("{FAILS}{}{rest}", statuses.collect::<Vec<_>>().join(", "));
    doc.splice(start..end, [line]);
}

/// Inserts a paragraph before the one that begins with one of `next`, or at the end.
fn paragraph(doc: &mut Doc, text: String, next: &[&str]) {
    let is_next = |line: &String| next.iter().any(|start| line.starts_with(start));
    match doc.iter().position(is_next) {
        Some(place) => doc.splice(place..place, [text, String::new()]),
        None => doc.splice(doc.len().., [String::new(), text]),
    };
}

/// Completes the common parts of a doc: the statuses that follow from a record's fields, and thread and realtime safety.
pub(crate) fn spell_out(doc: &mut Doc, of_record: &BTreeSet<String>, says_threads: bool) {
    let code = |status: &str| status.split(' ').next().map(str::to_owned).unwrap_or_default();
    let mut own: Vec<String> = (of_record.iter())
        .filter(|status| !says(doc, &code(status)))
        .cloned()
        .collect();
    let mut threads = "Thread-safe: yes, also inside a callback. Realtime-safe: no.";
    if taken(doc, EXCLUSIVE) {
        threads = "Thread-safe: no (a concurrent call with the same object fails). \
                   Realtime-safe: yes, while nobody frees the object.";
        own.push("`RUSTLE_WRONG_STATE` (another call is using the object)".to_owned());
    } else if taken(doc, REALTIME) {
        threads =
            "Thread-safe: yes, also inside a callback. Realtime-safe: yes, while nobody frees the object.";
    } else if !says_threads {
        threads = "";
    }
    if !threads.is_empty() && !doc.iter().any(|line| line.contains("Thread-safe:")) {
        paragraph(doc, threads.to_owned(), &["Example: `"]);
    }
    fails_with(doc, &own);
}

/// Refuses a completed doc of a function in which a keyword stands where nothing reads it.
pub(crate) fn refuse_unread(name: &str, doc: &Doc) {
    for paragraph in doc.split(String::is_empty).map(|lines| lines.join(" ")) {
        if let Some(words) = [EXCLUSIVE, REALTIME]
            .iter()
            .find(|words| paragraph.contains(**words))
        {
            fail(format!("{name}: expected \"{words}\" once, at a line's end"));
        }
        if let Some(words) = [FAILS, "Example:"].iter().find(|words| {
            let rest = paragraph.strip_prefix(**words).unwrap_or(&paragraph);
            rest.contains(**words)
        }) {
            let words = words.trim_end();
            fail(format!(
                "{name}: expected \"{words}\" at the start of a paragraph"
            ));
        }
    }
}

/// The statuses that follow from the fields of a record.
pub(crate) fn of_record(interface: &Interface, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for field in interface.record(name).iter().flat_map(|record| &record.fields) {
        let more = match &field.kind {
            _ if field.name == "reserved" => of_field("INVALID_VALUE` (a field out of its range)"),
            Type::Choice(_) => of_field("INVALID_VALUE` (a field out of its range)"),
            Type::Number(number) if number == "f64" => of_field("INVALID_VALUE` (a field out of its range)"),
            Type::Named(name) if name == "RustleHandle" => {
                of_field(&format!("STALE_HANDLE` (the {}'s)", field.name))
            }
            Type::Named(inner) => of_record(interface, inner),
            Type::Lent(element) => {
                found.extend(of_field("INVALID_LENGTH`"));
                match &**element {
                    Type::Named(inner) => of_record(interface, inner),
                    _ => continue,
                }
            }
            _ => continue,
        };
        found.extend(more);
    }
    if name == "RustleString" {
        found.extend(of_field("INVALID_UTF8`"));
    }
    found
}

fn of_field(status: &str) -> BTreeSet<String> {
    BTreeSet::from([format!("`RUSTLE_{status}")])
}

/// The statuses that follow from how a call takes its arguments, in the order of the docs, each with its reason unless that is the
/// usual one.
pub(crate) fn own_statuses(interface: &Interface, call: &Call) -> Vec<(&'static str, &'static str)> {
    let memory = || {
        let passings = call.parameters.iter().map(|parameter| &parameter.passing);
        passings.filter(|passing| !matches!(passing, Passing::Value(_)))
    };
    let is_slice = |passing: &Passing| matches!(passing, Passing::Slice(_) | Passing::SliceMut(_));
    let is_required = |passing: &Passing| !matches!(passing, Passing::Out(_, true));
    let (is_bound, is_of_a_session) = (
        !matches!(call.on, On::Nothing),
        matches!(call.on, On::Session { .. }),
    );
    let possible = [
        (is_bound, "RUSTLE_STALE_HANDLE", ""),
        (
            is_of_a_session,
            "RUSTLE_INVALID_VALUE",
            "a session of another engine",
        ),
        (memory().any(is_required), "RUSTLE_NULL_POINTER", ""),
        (interface.symbol(call) != call.name, "RUSTLE_RECORD_SIZE", ""),
        (memory().any(is_slice), "RUSTLE_INVALID_LENGTH", ""),
        (
            memory().next().is_some(),
            "RUSTLE_INVALID_VALUE",
            "memory that overlaps or is misaligned",
        ),
    ];
    let possible = possible.into_iter().filter(|(is_possible, ..)| *is_possible);
    possible.map(|(_, status, reason)| (status, reason)).collect()
}

/// The doc of a call, with the parts that follow from its parameters: the statuses of the boundary, and the caller's promises.
pub(crate) fn completed(interface: &Interface, call: &Call) -> Doc {
    let (mut inputs, mut outputs) = (Vec::new(), vec!["`error`".to_owned()]);
    let mut nullable = Vec::new();
    for Parameter { name, passing } in &call.parameters {
        match passing {
            Passing::Value(_) => {}
            Passing::In(_) => inputs.push(format!("`{name}`")),
            Passing::Slice(_) => inputs.push(format!("`{name}` (`{name}_count` elements)")),
            Passing::Out(_, is_optional) => {
                outputs.push(format!("`{name}`"));
                if *is_optional {
                    nullable.push(format!("`{name}`"));
                }
            }
            Passing::SliceMut(_) => outputs.push(format!("`{name}` (`{name}_capacity` elements)")),
        }
    }
    let own = own_statuses(interface, call).into_iter();
    let mut own: Vec<String> = own
        .map(|(status, reason)| match reason {
            "" => format!("`{status}`"),
            reason => format!("`{status}` ({reason})"),
        })
        .collect();
    let mut doc = call.doc.clone();
    for Parameter { name, passing } in &call.parameters {
        if let Passing::Value(Type::Choice(choice)) = passing {
            insert(
                &mut doc,
                &format!("`{name}` is one of `{}…`.", prefix(interface, choice)),
            );
        }
    }
    own.retain(|status| status.contains('(') || !says(&doc, status));
    fails_with(&mut doc, &own);
    if !nullable.is_empty() {
        doc.push(String::new());
        doc.push(format!("May be NULL: {}.", nullable.join(", ")));
    }
    doc.push(String::new());
    let mut promise = String::new();
    if !inputs.is_empty() {
        let _ = write!(
            promise,
            "{} NULL or readable and not written during the call; ",
            are(&inputs)
        );
    }
    let _ = write!(
        promise,
        "{} NULL or memory that this call alone uses.",
        are(&outputs)
    );
    doc.push(format!("Safety: {promise}"));
    doc
}

fn are(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is"),
        _ => format!("{} are", names.join(", ")),
    }
}
