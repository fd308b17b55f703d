//! The constants and types of an implementation.

use super::values::value;
use std::collections::BTreeMap;
use syn::{Expr, ImplItem, ItemImpl, Lit};

fn constant_of<'a>(block: &'a ItemImpl, name: &str) -> Option<&'a Expr> {
    block.items.iter().find_map(|item| match item {
        ImplItem::Const(constant) if constant.ident == name => Some(&constant.expr),
        _ => None,
    })
}

/// A text.
pub(super) fn text(block: &ItemImpl, name: &str) -> Option<String> {
    match constant_of(block, name)? {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// A number.
pub(super) fn number(block: &ItemImpl, name: &str) -> Option<u32> {
    u32::try_from(value(constant_of(block, name)?, &BTreeMap::new())).ok()
}

/// The name of an associated type.
pub(super) fn associated(block: &ItemImpl, name: &str) -> Option<String> {
    block.items.iter().find_map(|item| match item {
        ImplItem::Type(alias) if alias.ident == name => match &alias.ty {
            syn::Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
            _ => None,
        },
        _ => None,
    })
}
