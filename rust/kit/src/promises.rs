//! What the doc of a call says of itself by its parameters: the statuses of the boundary, and what the caller promises.

use crate::header::{insert, prefix};
use crate::model::{Call, Doc, Interface, On, Parameter, Passing, Type};
use std::fmt::Write;

/// The statuses that follow from how a call takes its arguments.
pub(crate) fn own_statuses(interface: &Interface, call: &Call) -> Vec<&'static str> {
    let mut out = Vec::new();
    if !matches!(call.on, On::Nothing) {
        out.push("RUSTLE_STALE_HANDLE");
    }
    if matches!(call.on, On::Session { .. }) {
        out.push("RUSTLE_INVALID_VALUE");
    }
    for Parameter { passing, .. } in &call.parameters {
        if interface.record_at(passing).is_some() {
            out.push("RUSTLE_RECORD_SIZE");
        }
        match passing {
            Passing::Value(_) => {}
            Passing::In(_, true) | Passing::Out(_, true) => out.push("RUSTLE_INVALID_VALUE"),
            Passing::In(..) | Passing::Out(..) => out.extend(["RUSTLE_NULL_POINTER", "RUSTLE_INVALID_VALUE"]),
            Passing::Slice(_) | Passing::SliceMut(_) => {
                out.extend([
                    "RUSTLE_NULL_POINTER",
                    "RUSTLE_INVALID_LENGTH",
                    "RUSTLE_INVALID_VALUE",
                ]);
            }
        }
    }
    out
}

/// The doc of a call, with what its parameters say by themselves: the statuses that the boundary gives, and what the caller
/// promises.
pub(crate) fn completed(interface: &Interface, call: &Call) -> Doc {
    let (mut inputs, mut outputs) = (Vec::new(), vec!["`error`".to_owned()]);
    let (mut may_be_null, mut slices) = (false, false);
    let mut passings = call.parameters.iter().map(|parameter| &parameter.passing);
    let has_memory = passings.any(|passing| !matches!(passing, Passing::Value(_)));
    let mut nullable = Vec::new();
    for Parameter { name, passing } in &call.parameters {
        match passing {
            Passing::Value(_) => {}
            Passing::In(_, is_optional) => {
                inputs.push(format!("`{name}`"));
                may_be_null |= !is_optional;
                if *is_optional {
                    nullable.push(format!("`{name}`"));
                }
            }
            Passing::Slice(_) => {
                inputs.push(format!("`{name}` (`{name}_count` elements)"));
                (may_be_null, slices) = (true, true);
            }
            Passing::Out(_, is_optional) => {
                outputs.push(format!("`{name}`"));
                may_be_null |= !is_optional;
                if *is_optional {
                    nullable.push(format!("`{name}`"));
                }
            }
            Passing::SliceMut(_) => {
                outputs.push(format!("`{name}` (`{name}_capacity` elements)"));
                (may_be_null, slices) = (true, true);
            }
        }
    }
    let mut own = Vec::new();
    if !matches!(call.on, On::Nothing) {
        own.push("`RUSTLE_STALE_HANDLE`");
    }
    if matches!(call.on, On::Session { .. }) {
        own.push("`RUSTLE_INVALID_VALUE` (a session of another engine)");
    }
    if may_be_null {
        own.push("`RUSTLE_NULL_POINTER`");
    }
    if interface.symbol(call) != call.name {
        own.push("`RUSTLE_RECORD_SIZE`");
    }
    if slices {
        own.push("`RUSTLE_INVALID_LENGTH`");
    }
    if has_memory {
        own.push("`RUSTLE_INVALID_VALUE` (memory that overlaps or is misaligned)");
    }
    let mut doc = call.doc.clone();
    for Parameter { name, passing } in &call.parameters {
        if let Passing::Value(Type::Choice(choice)) = passing {
            insert(
                &mut doc,
                &format!("`{name}` is one of `{}…`.", prefix(interface, choice)),
            );
        }
    }
    if let Some(line) = doc.iter_mut().find(|line| line.starts_with("Fails with ")) {
        let said = line.split_off("Fails with ".len());
        let new: Vec<&str> = own
            .into_iter()
            .filter(|status| status.contains('(') || !said.contains(status))
            .collect();
        *line = if new.is_empty() {
            format!("Fails with {said}")
        } else {
            format!("Fails with {}, {said}", new.join(", "))
        };
    } else if !own.is_empty() {
        let place = doc
            .iter()
            .position(|line| line.starts_with("Thread-safe:"))
            .unwrap_or(doc.len());
        doc.insert(place, format!("Fails with {}.", own.join(", ")));
        doc.insert(place + 1, String::new());
    }
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
