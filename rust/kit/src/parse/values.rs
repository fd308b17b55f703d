//! The values of constants.

use crate::fail::fail;
use crate::model::Interface;
use std::collections::BTreeMap;
use syn::{Expr, Item, Lit};

/// Adds the values of a file's constants.
pub(super) fn constants(file: &syn::File, values: &mut BTreeMap<String, i128>) {
    for item in &file.items {
        if let Item::Const(constant) = item {
            let name = constant.ident.to_string();
            if name.starts_with("RUSTLE_") {
                values.insert(name, value(&constant.expr, values));
            }
        }
    }
}

/// The value of an expression of literals, constants and a few operators; `exports.rs` asserts it, since a cast is not computed here.
pub(super) fn value(expression: &Expr, values: &BTreeMap<String, i128>) -> i128 {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().unwrap_or_else(|error| fail(error)),
            _ => fail("expected a whole number as a constant, got another literal"),
        },
        Expr::Paren(inner) => value(&inner.expr, values),
        Expr::Cast(cast) => value(&cast.expr, values),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => -value(&unary.expr, values),
        Expr::Binary(binary) => {
            let (left, right) = (value(&binary.left, values), value(&binary.right, values));
            match binary.op {
                syn::BinOp::Mul(_) => left * right,
                syn::BinOp::Add(_) => left + right,
                syn::BinOp::Sub(_) => left - right,
                syn::BinOp::Shl(_) => left << right,
                syn::BinOp::BitOr(_) => left | right,
                _ => fail("expected * + - << or | in a constant, got another operator"),
            }
        }
        Expr::Path(path) => {
            let words: Vec<_> = path
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["u32", "MAX"] => i128::from(u32::MAX),
                ["u64", "MAX"] => i128::from(u64::MAX),
                [name] => *values
                    .get(name)
                    .unwrap_or_else(|| fail(format!("{name}: expected a constant of the interface"))),
                _ => fail(format!(
                    "{}: expected a constant of the interface",
                    words.join("::")
                )),
            }
        }
        _ => fail("expected a constant of literals and constants, got another expression"),
    }
}

/// The value of a length in a type.
pub(crate) fn value_of(interface: &Interface, length: &str) -> i128 {
    length
        .parse()
        .ok()
        .or_else(|| interface.values.get(length).copied())
        .unwrap_or_else(|| {
            fail(format!(
                "{length}: expected a number or a constant of the interface as a length"
            ))
        })
}
