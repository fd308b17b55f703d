//! The doc comments and other attributes of an item.

use crate::model::Doc;
use syn::{Attribute, Lit, Meta, NestedMeta};

/// The lines of a doc comment.
pub(crate) fn doc(attributes: &[Attribute]) -> Doc {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Ok(Meta::NameValue(pair)) = attribute.parse_meta()
            && let (true, Lit::Str(text)) = (pair.path.is_ident("doc"), &pair.lit)
        {
            let text = text.value();
            lines.push(text.strip_prefix(' ').unwrap_or(&text).to_owned());
        }
    }
    lines
}

/// The name that a function has in C by its `#[doc(alias = "…")]`.
pub(super) fn alias(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let Ok(Meta::List(list)) = attribute.parse_meta() else {
            return None;
        };
        if !list.path.is_ident("doc") {
            return None;
        }
        list.nested.iter().find_map(|nested| match nested {
            NestedMeta::Meta(Meta::NameValue(pair)) if pair.path.is_ident("alias") => match &pair.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
    })
}

/// Whether there is one of this name.
pub(super) fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path.is_ident(name))
}
