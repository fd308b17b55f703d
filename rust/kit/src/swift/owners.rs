//! Writes `Owners.swift`: a class for each kind of object that has no sessions, the owner of its handle, with its calls.

use super::calls::call_text;
use super::{camel, head, native};
use crate::model::{Call, Does, Interface, On, Verb, number_name};
use std::fmt::Write;

/// Kinds with hand-written owners: a signal's frames go to memory that is allocated once, and a runtime refuses nothing.
const BY_HAND: [&str; 3] = ["pitch", "voice", "runtime"];

/// `Owners.swift`.
pub(crate) fn text(interface: &Interface) -> String {
    let mut out = head("The objects without sessions, each with its calls.");
    for new in interface.verbs().filter(|verb| is_owned(interface, &verb.object)) {
        if let Does::New { configuration, .. } = &new.does {
            class(interface, new, configuration, &mut out);
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The object of a call, if a class of [`text`] owns it.
pub(super) fn owner<'a>(interface: &Interface, call: &'a Call) -> Option<&'a str> {
    match &call.on {
        On::Object { name, .. } if is_owned(interface, name) => Some(name),
        _ => None,
    }
}

fn is_owned(interface: &Interface, object: &str) -> bool {
    let starts = |verb: &Verb| verb.object == object && matches!(verb.does, Does::Start { .. });
    !BY_HAND.contains(&object) && !interface.verbs().any(starts)
}

/// `spectrum` of `rustle_fft_spectrum` on an `fft_plan`: without the words that both begin with.
pub(super) fn method(name: &str, object: &str) -> String {
    let words: Vec<&str> = name.trim_start_matches("rustle_").split('_').collect();
    let shared = words
        .iter()
        .zip(object.split('_'))
        .take_while(|(word, other)| *word == other);
    camel(&words[shared.count()..].join("_"))
}

fn class(interface: &Interface, new: &Verb, configuration: &str, out: &mut String) {
    let object = new.object.as_str();
    let name = native(&camel(&format!("of_{object}")).replacen("of", "Native", 1));
    let description = interface.verbs().find_map(|verb| match &verb.does {
        Does::Describe { description, .. } if verb.object == object => Some((&verb.name, description)),
        _ => None,
    });
    let _ = writeln!(
        out,
        "/// A native {}: the one owner of its handle. The header says which calls may run at the same time; another one is refused.\n\
         package final class {name}: Sendable {{\n  let handle: NativeHandle",
        object.replace('_', " "),
    );
    if let Some((_, description)) = description {
        let kind = native(description);
        let _ = writeln!(out, "  /// What it is.\n  package let description: {kind}");
    }
    let (configuration, number) = (native(configuration), number_name("new", &new.name));
    let _ = writeln!(
        out,
        "\n  /// See `{}`.\n  package init(_ configuration: {configuration}) throws(NativeError) {{",
        new.name
    );
    if let Some((describe, description)) = description {
        let (kind, what) = (native(description), number_name("describe", describe));
        let _ = writeln!(
            out,
            "    let handle = try NativeHandle({number}, configuration)\n    \
             description = {kind}(try handle.description({what}, {description}()))\n    self.handle = handle\n  }}\n"
        );
    } else {
        let _ = writeln!(
            out,
            "    handle = try NativeHandle({number}, configuration)\n  }}\n"
        );
    }
    for verb in interface.verbs().filter(|verb| verb.object == object) {
        if let Does::Reset = verb.does {
            let _ = writeln!(
                out,
                "  /// See `{}`.\n  package func {}() throws(NativeError) {{\n    \
                 defer {{ extendLifetime(self) }}\n    try handle.reset()\n  }}\n",
                verb.name,
                method(&verb.name, object),
            );
        }
    }
    for call in interface
        .calls()
        .filter(|call| owner(interface, call) == Some(object))
    {
        call_text(interface, call, out);
    }
    out.truncate(out.trim_end().len());
    out.push_str("\n}\n\n");
}
