//! The examples in docs.

use crate::model::{Doc, Field};
use std::collections::BTreeMap;

/// The example in the doc of a call, a record or a field.
pub(super) struct Example {
    /// Values by name; the value of a field or of a plain number has the name "".
    pub(super) values: BTreeMap<String, String>,
    /// The function that makes the object or the session, if it is not the first such function.
    pub(super) maker: Option<String>,
}

/// The example in a doc.
pub(super) fn example(doc: &Doc) -> Example {
    let mut out = Example {
        values: BTreeMap::new(),
        maker: None,
    };
    let text = doc.join(" ");
    let Some((_, rest)) = text.split_once("Example: ") else {
        return out;
    };
    if !rest.starts_with('`') {
        let end = rest.find([' ', ',', ';']).unwrap_or(rest.len());
        out.values
            .insert(String::new(), rest[..end].trim_end_matches('.').to_owned());
        return out;
    }
    for part in rest.split(", ") {
        let mut words = part.split('`');
        let (Some(_), Some(name)) = (words.next(), words.next()) else {
            break;
        };
        if name.starts_with("rustle_") {
            out.maker = Some(name.to_owned());
        } else {
            let value = words.next().unwrap_or("").trim();
            let end = value.find(". ").unwrap_or(value.len());
            out.values
                .insert(name.to_owned(), value[..end].trim_end_matches('.').to_owned());
        }
        if part.contains(". ") || part.ends_with('.') {
            break;
        }
    }
    out
}

/// The example in the doc of a field.
pub(crate) fn example_of(field: &Field) -> Option<String> {
    example(&field.doc).values.get("").cloned()
}
