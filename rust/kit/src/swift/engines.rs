//! Writes `Engines.swift`: the engines whose sessions use a lane, and the ways to make
//! and to start those with a hand-written owner.

use super::records::{Property, properties};
use super::{camel, head, native};
use crate::model::{Does, Interface, Type, number_name};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The request that has a lane, and nothing else.
const LANE: &str = "RustleLaneRequest";

/// `Engines.swift`: the engines that a request for a lane starts, or one with a lane in it. For another request the engine's
/// `NativeNAME` is written by hand, with a private `start` that takes lanes, the request and a `NAMEReader`.
pub(crate) fn text(interface: &Interface) -> String {
    let mut out =
        head("The engines whose sessions travel in a lane, and the ways to make and to start the others.");
    let mut others_made = BTreeSet::new();
    for verb in interface.verbs() {
        let Does::Start {
            request,
            record: Some(record),
            ..
        } = &verb.does
        else {
            continue;
        };
        let made = interface.verbs().find_map(|made| match &made.does {
            Does::New { configuration, .. } if made.object == verb.object => {
                Some((&made.name, configuration))
            }
            _ => None,
        });
        let (lanes, others): (Vec<Property<'_>>, Vec<Property<'_>>) = interface
            .record(request)
            .map_or_else(Vec::new, properties)
            .into_iter()
            .partition(|property| property.field.kind == Type::Named(LANE.to_owned()));
        let (name, element) = (camel(&format!("native_{}", verb.object)), native(record));
        let name = name.replacen("native", "Native", 1);
        let Some((new, configuration)) = made.filter(|_| request == LANE || lanes.len() == 1) else {
            others_made.insert(&verb.object);
            let reader = name.replacen("Native", "", 1) + "Reader";
            let _ = write!(
                out,
                "extension {name} {{\n  /// Starts a consumer.\n  package borrowing func start<Value: Sendable>(\n    \
                 _ request: {}, reader: {reader}<{element}, Value>\n  ) throws(NativeError) -> EngineStream<Value> {{\n    \
                 try start(NativeLanes({}), request, reader)\n  }}\n}}\n\n",
                native(request),
                lanes_of(&verb.object, &verb.name),
            );
            continue;
        };
        let _ = writeln!(
            out,
            "/// A native {}.\npackage typealias {name} = NativeEngine<{element}>\n\nextension NativeEngine<{element}> {{\n  \
             /// - Parameter runtime: a manual one for tests; nil for the one that all engines share.\n  \
             package init(_ configuration: {}, runtime: NativeRuntime? = nil) throws(NativeError) {{\n    \
             var configuration = configuration\n    configuration.runtime = runtime?.raw ?? 0\n    \
             try self.init(\n      {}, NativeLanes({}),\n      configuration, runtime)\n  }}",
            verb.object,
            native(configuration),
            number_name("new", new),
            lanes_of(&verb.object, &verb.name),
        );
        let made = if request == LANE {
            None
        } else {
            Some(native(request))
        };
        starts(made.as_deref(), &element, &others, &mut out);
        out.push_str("}\n\n");
    }
    for verb in interface
        .verbs()
        .filter(|verb| others_made.contains(&verb.object))
    {
        if let Does::New { configuration, .. } = &verb.does {
            let _ = write!(
                out,
                "extension {} {{\n  /// See `{}`.\n  func made(on runtime: NativeRuntime?) throws(NativeError) -> NativeHandle {{\n    \
                 var configuration = self\n    configuration.runtime = runtime?.raw ?? 0\n    \
                 return try NativeHandle({}, configuration)\n  }}\n}}\n\n",
                native(configuration),
                verb.name,
                number_name("new", &verb.name),
            );
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The arguments of `NativeLanes`: the number of a start, and the names of its engine and, where there are several, its lane.
fn lanes_of(object: &str, start: &str) -> String {
    let number = number_name("start", start);
    let engine = format!("RUSTLE_START_{}_", object.to_uppercase());
    let lane = number
        .strip_prefix(&engine)
        .map_or_else(String::new, |lane| format!(", \"{}\"", lane.to_lowercase()));
    format!("{number}, of: \"{object}\"{lane}")
}

/// The starts with the parts of a request besides its lane; `None`: the request has only a lane, and needs no variant with calls.
fn starts(request: Option<&str>, element: &str, others: &[Property<'_>], out: &mut String) {
    let (mut parameters, mut arguments) = (String::new(), String::new());
    if request.is_some() {
        for Property { name, kind, .. } in others {
            let _ = write!(parameters, "{name}: {kind}, ");
            let _ = write!(arguments, "{name}: {name}, ");
        }
    }
    let made = request.map_or_else(
        || "$0".to_owned(),
        |request| format!("{request}({arguments}lane: $0)"),
    );
    let _ = write!(
        out,
        "
  /// Starts a session.
  ///
  /// - Parameters:
  ///   - buffering: how the values travel.
  ///   - reader: makes the consumer's values. Called on native threads for the per-value lane, and in the consumer's task for a
  ///     batched lane; it must not block.
  ///   - sequenceNumber: returns a value's sequence number in the session.
  package borrowing func start<Value: Sendable>(
    {parameters}buffering: StreamBuffering, reader: ElementReader<{element}, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> EngineStream<Value> {{
    try lanes.start(on: handle.raw, in: buffering, reader: reader, sequenceNumber: sequenceNumber) {{ {made} }}
  }}
"
    );
    if request.is_none() {
        return;
    }
    let _ = write!(
        out,
        "
  /// Starts a session that calls for every value, with nothing in between.
  ///
  /// - Parameters:
  ///   - onElement: called on native threads, one call at a time; it must not block.
  ///   - onEnd: called once, after the last value.
  package borrowing func start(
    {parameters}onElement: @escaping @Sendable ({element}) -> Void,
    onEnd: @escaping @Sendable (SessionOutcome) -> Void
  ) throws(NativeError) -> NativeSession {{
    try lanes.startCalling(on: handle.raw, onElement: onElement, onEnd: onEnd) {{ {made} }}
  }}
"
    );
}
