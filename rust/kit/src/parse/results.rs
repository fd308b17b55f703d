//! The results of a call: their types by the function's signature, their names by its doc.

use crate::fail::fail;
use crate::model::{Doc, Parameter, Passing};
use crate::types;
use syn::Signature;

/// The results, each as memory that C passes after the parameters.
pub(super) fn of_call(doc: &Doc, parameters: &[Parameter], signature: &Signature) -> Vec<Parameter> {
    let kinds = types::results(&signature.output);
    if kinds.is_empty() {
        return Vec::new();
    }
    let names = named(doc, parameters);
    if names.len() != kinds.len() {
        let found = names.iter().map(|(name, _)| name).collect::<Vec<_>>();
        fail(format!(
            "expected a doc that names each result ({}), as in \"to `x`\" or \"`x` receives\", got {found:?}",
            kinds.len()
        ));
    }
    let results = names.into_iter().zip(kinds);
    let results = results.map(|((name, is_optional), kind)| Parameter {
        name,
        passing: Passing::Out(kind, is_optional),
    });
    results.collect()
}

/// The names that a doc says are written to, besides parameters, and whether each may be NULL.
fn named(doc: &Doc, parameters: &[Parameter]) -> Vec<(String, bool)> {
    let text = doc.join(" ");
    let parts: Vec<&str> = text.split('`').collect();
    let mut found: Vec<(String, bool)> = Vec::new();
    for place in (1..parts.len().saturating_sub(1)).step_by(2) {
        let (before, name, after) = (parts[place - 1], parts[place], parts[place + 1]);
        let receives = after.strip_prefix(", which may be NULL,");
        let is_written = before.ends_with(" to ") || receives.unwrap_or(after).starts_with(" receives");
        let is_known = parameters.iter().any(|parameter| parameter.name == name)
            || found.iter().any(|(known, _)| known == name);
        let is_name = name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '_');
        if is_written && is_name && !is_known && !name.starts_with("rustle_") {
            found.push((name.to_owned(), receives.is_some()));
        }
    }
    found
}
