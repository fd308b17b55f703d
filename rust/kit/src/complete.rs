//! Completes the declarations: names and numbers of verbs, and the parts of docs that follow from parameters.

use crate::fail::fail;
use crate::model::{Does, Interface, Kind, Module, On, Parameter, Passing, Type, Verb};
use crate::{numbers, promises};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers the verbs and completes what their implementations leave open.
pub(crate) fn interface(interface: &mut Interface) {
    let kinds: Vec<Kind> = interface.kinds().cloned().collect();
    let names = interface.records().map(|record| record.name.clone());
    let statuses: BTreeMap<String, BTreeSet<String>> = names
        .map(|name| (name.clone(), promises::of_record(interface, &name)))
        .collect();
    let find = |rust: &str| {
        let own = rust.rsplit("::").next();
        let found = kinds.iter().find(|kind| kind.rust.rsplit("::").next() == own);
        found.unwrap_or_else(|| fail(format!("{rust}: expected an implementation of Object or Face")))
    };
    for module in &mut interface.modules {
        for call in &mut module.calls {
            if let On::Object { rust, .. } = &call.on {
                let kind = find(rust);
                let rust = kind.rust.clone();
                call.on = if kind.is_face {
                    let name = "session".to_owned();
                    On::Session { rust, name }
                } else {
                    let name = kind.name.clone();
                    On::Object { rust, name }
                };
            }
            let read = call
                .parameters
                .iter()
                .filter_map(|parameter| match &parameter.passing {
                    Passing::In(Type::Named(record)) | Passing::Slice(Type::Named(record)) => {
                        Some(&statuses[record])
                    }
                    _ => None,
                });
            let mut read: BTreeSet<String> = read.flatten().cloned().collect();
            let is_number = |parameter: &Parameter| matches!(&parameter.passing, Passing::Value(Type::Number(number)) if number == "f64");
            if read.is_empty() && call.parameters.iter().any(is_number) {
                read.insert("`RUSTLE_INVALID_VALUE` (a number out of its range)".to_owned());
            }
            if let Some(example) = module.doc.iter().find(|line| line.starts_with("Example: `"))
                && !call.doc.iter().any(|line| line.starts_with("Example: `"))
            {
                call.doc.extend([String::new(), example.clone()]);
            }
            promises::spell_out(&mut call.doc, &read, true);
        }
        for verb in &mut module.verbs {
            let kind = find(&verb.rust);
            verb.rust.clone_from(&kind.rust);
            verb.object.clone_from(&kind.name);
            if !verb.name.starts_with("rustle_") {
                verb.name = format!("rustle_{}_{}", kind.name, verb.name);
            }
            match &verb.does {
                Does::New {
                    configuration: read, ..
                }
                | Does::Start { request: read, .. } => {
                    promises::spell_out(&mut verb.doc, &statuses[read], false);
                }
                does => promises::spell_out(
                    &mut verb.doc,
                    &BTreeSet::new(),
                    matches!(does, Does::Describe { .. }),
                ),
            }
            match &mut verb.does {
                Does::New { number, .. } | Does::Start { number, .. } => {
                    *number = numbers::of_name(&verb.name)
                }
                Does::Describe {
                    number, is_session, ..
                } => {
                    *is_session = kind.is_face;
                    *number = numbers::of_name(&verb.name);
                }
                _ => {}
            }
        }
        let functions = module
            .functions
            .iter()
            .map(|function| (&function.name, &function.doc));
        let calls = module.calls.iter().map(|call| (&call.name, &call.doc));
        let verbs = module.verbs.iter().map(|verb| (&verb.name, &verb.doc));
        functions
            .chain(calls)
            .chain(verbs)
            .for_each(|(name, doc)| promises::refuse_unread(name, doc));
        let ends = ends_of_sessions(module);
        module.verbs.extend(ends);
    }
    numbers::check(interface);
}

/// The two verbs of an engine with streams that its declaration does not contain.
fn ends_of_sessions(module: &Module) -> Vec<Verb> {
    let mut ends: Vec<Verb> = Vec::new();
    for stream in module
        .verbs
        .iter()
        .filter(|verb| matches!(verb.does, Does::Start { .. }))
    {
        let is_ended =
            |verb: &Verb| verb.object == stream.object && matches!(verb.does, Does::Cancel | Does::ShutDown);
        if module.verbs.iter().chain(&ends).any(is_ended) {
            continue;
        }
        let object = &stream.object;
        let end = |verb: &str, then: &str, does: Does| Verb {
            name: format!("rustle_{object}_{verb}"),
            doc: vec![format!(
                "Cancels every session of the {object}{then}. See `rustle_{verb}`."
            )],
            does,
            ..stream.clone()
        };
        ends.push(end("cancel", "", Does::Cancel));
        ends.push(end("shut_down", " and refuses later starts", Does::ShutDown));
    }
    ends
}
