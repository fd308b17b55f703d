//! Reads types: the passing of a safe function's argument, and a field's type.

use crate::fail::fail;
use crate::model::{Passing, Type};
use syn::{Expr, Lit, ReturnType};

/// The passing of a safe function's argument of this type.
pub(crate) fn passing(argument: &syn::Type) -> Passing {
    match argument {
        syn::Type::Reference(reference) => {
            let is_mutable = reference.mutability.is_some();
            match &*reference.elem {
                syn::Type::Slice(slice) if is_mutable => Passing::SliceMut(written(&slice.elem)),
                syn::Type::Slice(slice) => Passing::Slice(kind(&slice.elem)),
                _ if is_mutable => fail("expected a result that the function returns, got a reference to it"),
                record => Passing::In(kind(record)),
            }
        }
        value => Passing::Value(kind(value)),
    }
}

/// The types of the results of a function that returns `Result<…>` or `Outcome<…>`.
pub(crate) fn results(output: &ReturnType) -> Vec<Type> {
    let ReturnType::Type(_, output) = output else {
        return Vec::new();
    };
    match argument(output, "Result", 0).or_else(|| argument(output, "Outcome", 1)) {
        Some(syn::Type::Tuple(many)) => many.elems.iter().map(kind).collect(),
        Some(one) => vec![kind(one)],
        None => Vec::new(),
    }
}

/// The type of elements that are written. Records are written into uninitialised memory.
fn written(element: &syn::Type) -> Type {
    match (inner(element, "MaybeUninit"), kind(element)) {
        (Some(record), _) => kind(record),
        (None, Type::Named(name)) => fail(format!(
            "expected &mut [MaybeUninit<{name}>] for records that are written, got &mut [{name}]"
        )),
        (None, number) => number,
    }
}

/// The argument of `name<…>`.
fn inner<'a>(outer: &'a syn::Type, name: &str) -> Option<&'a syn::Type> {
    argument(outer, name, 0)
}

/// The argument of `name<…>` at a place.
fn argument<'a>(outer: &'a syn::Type, name: &str, place: usize) -> Option<&'a syn::Type> {
    let syn::Type::Path(path) = outer else {
        return None;
    };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.iter().nth(place)? {
        syn::GenericArgument::Type(argument) if last.ident == name => Some(argument),
        _ => None,
    }
}

/// The type of a field, or of a hand-written function's parameter.
pub(crate) fn kind(from: &syn::Type) -> Type {
    if let Some(lent) = inner(from, "Lent") {
        return Type::Lent(Box::new(kind(lent)));
    }
    if let Some(choice) = inner(from, "Choice") {
        return match kind(choice) {
            Type::Named(name) => Type::Choice(name),
            _ => fail("expected an enumeration of choices! in Choice<…>, got another type"),
        };
    }
    if let Some(function) = inner(from, "Option") {
        return kind(function);
    }
    match from {
        syn::Type::Path(path) => {
            let name = path
                .path
                .segments
                .last()
                .map(|segment| segment.ident.to_string())
                .unwrap_or_default();
            match name.as_str() {
                "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | "usize" | "f32" | "f64" | "c_char" => {
                    Type::Number(name)
                }
                "c_void" => Type::Void,
                "Flag" => Type::Flag,
                _ => Type::Named(name),
            }
        }
        syn::Type::Ptr(pointer) => Type::Pointer(Box::new(kind(&pointer.elem)), pointer.mutability.is_some()),
        syn::Type::Array(array) => Type::Array(
            Box::new(kind(&array.elem)),
            match &array.len {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Int(number) => number.base10_digits().to_owned(),
                    _ => fail("expected a whole number as a length"),
                },
                Expr::Path(path) => path
                    .path
                    .get_ident()
                    .map_or_else(|| fail("expected a constant as a length"), ToString::to_string),
                _ => fail("expected a number or a constant as a length"),
            },
        ),
        syn::Type::BareFn(function) => {
            let parameters = function.inputs.iter().enumerate().map(|(place, input)| {
                let name = match &input.name {
                    Some((name, _)) => name.to_string(),
                    None => format!("argument_{place}"),
                };
                (name, kind(&input.ty))
            });
            let result = match &function.output {
                ReturnType::Default => None,
                ReturnType::Type(_, result) => Some(Box::new(kind(result))),
            };
            Type::Function(parameters.collect(), result)
        }
        _ => fail(
            "expected a number, a Flag, a Choice, a record, a Lent, a RustleString, an array or a function, got another type",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Passing {
        passing(&syn::parse_str(text).expect("a type"))
    }

    #[test]
    fn records_that_are_written_are_uninitialised_memory() {
        let record = Type::Named("RustlePeak".to_owned());
        assert!(matches!(read("&mut [MaybeUninit<RustlePeak>]"), Passing::SliceMut(kind) if kind == record));
        assert!(matches!(read("&mut [f32]"), Passing::SliceMut(Type::Number(_))));
        let refused = std::panic::catch_unwind(|| read("&mut [RustlePeak]"));
        assert!(refused.is_err());
    }
}
