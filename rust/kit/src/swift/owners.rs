//! Writes `Owners.swift`: for each kind of object that has no sessions the owner of its handle. It is a class with the object's
//! calls, or, where frames of a signal are written, a structure with memory for them, which is allocated once.

use super::calls::call_text;
use super::{camel, head, native};
use crate::model::{Call, Does, Interface, On, Parameter, Passing, Type, Verb, number_name};
use std::fmt::Write;

/// The kind with a hand-written owner: a runtime refuses nothing.
const BY_HAND: &str = "runtime";

/// `Owners.swift`.
pub(crate) fn text(interface: &Interface) -> String {
    let mut out = head("The objects without sessions, each with its calls.");
    for new in interface.verbs().filter(|verb| is_owned(interface, &verb.object)) {
        if let Does::New { configuration, .. } = &new.does {
            match frames(interface, &new.object) {
                Some((call, record)) => structure(interface, new, configuration, call, record, &mut out),
                None => class(interface, new, configuration, &mut out),
            }
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The object of a call, if a class of [`text`] owns it.
pub(super) fn owner<'a>(interface: &Interface, call: &'a Call) -> Option<&'a str> {
    match &call.on {
        On::Object { name, .. } if is_owned(interface, name) && frames(interface, name).is_none() => {
            Some(name)
        }
        _ => None,
    }
}

/// Whether a kind of object has an owner in [`text`].
pub(super) fn is_owned(interface: &Interface, object: &str) -> bool {
    let starts = |verb: &Verb| verb.object == object && matches!(verb.does, Does::Start { .. });
    BY_HAND != object && !interface.verbs().any(starts)
}

/// Whether an owner of [`text`] has the description of its object: the one that it reads when it is made, or a method.
pub(super) fn is_in_owner(interface: &Interface, verb: &Verb) -> bool {
    is_owned(interface, &verb.object) && (is_read_at_once(verb) || frames(interface, &verb.object).is_none())
}

/// Whether a description is that of an object as it was made: `rustle_OBJECT_describe`.
fn is_read_at_once(verb: &Verb) -> bool {
    method(&verb.name, &verb.object) == "describe"
}

/// The call of an object that takes samples and writes frames, and their record.
fn frames<'a>(interface: &'a Interface, object: &str) -> Option<(&'a Call, &'a str)> {
    interface.calls().find_map(|call| {
        let is_own = matches!(&call.on, On::Object { name, .. } if name == object);
        let passings: Vec<&Passing> = (call.parameters.iter())
            .map(|Parameter { passing, .. }| passing)
            .collect();
        match passings[..] {
            [
                Passing::Slice(Type::Number(_)),
                Passing::SliceMut(Type::Named(record)),
                Passing::Out(..),
                Passing::Out(..),
            ] if is_own => Some((call, record.as_str())),
            _ => None,
        }
    })
}

/// The call of an object that writes the frames of a signal's end.
fn end_frames<'a>(interface: &'a Interface, object: &str, frame: &str) -> Option<&'a Call> {
    interface.calls().find(|call| {
        let is_own = matches!(&call.on, On::Object { name, .. } if name == object);
        let mut passings = call.parameters.iter().map(|parameter| &parameter.passing);
        let is_end = matches!(
            (passings.next(), passings.next(), passings.next()),
            (Some(Passing::SliceMut(Type::Named(record))), Some(Passing::Out(..)), None) if record == frame
        );
        is_own && is_end
    })
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

/// The structure of an object that writes frames.
fn structure(
    interface: &Interface,
    new: &Verb,
    configuration: &str,
    call: &Call,
    record: &str,
    out: &mut String,
) {
    let object = new.object.as_str();
    let (frame, function) = (native(record), camel(call.name.trim_start_matches("rustle_")));
    let _ = writeln!(
        out,
        "/// A native {object}: the one owner of its handle.\npackage struct {}: ~Copyable, Sendable {{\n  let handle: NativeHandle\n  \
         private(set) var room = RecordRoom(of: {record}())",
        owner_name(object)
    );
    initializer(interface, new, configuration, out);
    let _ = writeln!(
        out,
        "  /// See `{}`; passes each frame to `found`.\n  \
         package mutating func {}(_ samples: Span<Float>, found: ({frame}) -> Void) throws(NativeError) {{\n    \
         let {object} = handle.raw\n    \
         try room.fill(from: samples, found: {{ found({frame}($0)) }}) {{ (samples, room) throws(NativeError) in\n      \
         try NativeCalls.{function}({object}, samples: samples, frames: &room)\n    }}\n  }}\n",
        call.name,
        method(&call.name, object),
    );
    if let Some(end) = end_frames(interface, object, record) {
        let _ = writeln!(
            out,
            "  /// See `{}`; passes each frame to `found`.\n  \
             package mutating func {}(found: ({frame}) -> Void) throws(NativeError) {{\n    \
             let {object} = handle.raw\n    \
             try room.fillFromEnd(found: {{ found({frame}($0)) }}) {{ room throws(NativeError) in\n      \
             try NativeCalls.{}({object}, frames: &room)\n    }}\n  }}\n",
            end.name,
            method(&end.name, object),
            camel(end.name.trim_start_matches("rustle_")),
        );
    }
    let _ = writeln!(
        out,
        "  /// See `rustle_{object}_reset`.\n  package mutating func reset() {{\n    \
         // The only refusal is a concurrent call, which the one owner does not make.\n    \
         do {{ try handle.reset() }} catch {{ assertionFailure(error.message) }}\n  }}\n}}\n"
    );
}

fn owner_name(object: &str) -> String {
    native(&camel(&format!("of_{object}")).replacen("of", "Native", 1))
}

fn class(interface: &Interface, new: &Verb, configuration: &str, out: &mut String) {
    let object = new.object.as_str();
    let _ = writeln!(
        out,
        "/// A native {}: the one owner of its handle. The header says which calls may run at the same time; another one is refused.\n\
         package final class {}: Sendable {{\n  let handle: NativeHandle",
        object.replace('_', " "),
        owner_name(object),
    );
    initializer(interface, new, configuration, out);
    for verb in interface.verbs().filter(|verb| verb.object == object) {
        let (result, value) = match &verb.does {
            Does::Reset => (String::new(), "try handle.reset()".to_owned()),
            Does::Describe { description, .. } if !is_read_at_once(verb) => {
                let kind = native(description);
                let what = number_name("describe", &verb.name);
                let value = format!("return {kind}(try describe(handle.raw, {what}, {description}()))");
                (format!(" -> {kind}"), value)
            }
            _ => continue,
        };
        let _ = writeln!(
            out,
            "  /// See `{}`.\n  package func {}() throws(NativeError){result} {{\n    \
             defer {{ extendLifetime(self) }}\n    {value}\n  }}\n",
            verb.name,
            method(&verb.name, object),
        );
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

/// The description of an object, if it has one, and its initializer.
fn initializer(interface: &Interface, new: &Verb, configuration: &str, out: &mut String) {
    let description = interface.verbs().find_map(|verb| match &verb.does {
        Does::Describe { description, .. } if verb.object == new.object && is_read_at_once(verb) => {
            Some((&verb.name, description))
        }
        _ => None,
    });
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
             description = {kind}(try describe(handle.raw, {what}, {description}()))\n    self.handle = handle\n  }}\n"
        );
    } else {
        let _ = writeln!(
            out,
            "    handle = try NativeHandle({number}, configuration)\n  }}\n"
        );
    }
}
