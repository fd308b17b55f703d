//! Reads the declarations: `rust/ffi/src`, module by module in the order of `lib.rs`.
//!
//! The interface consists of constants and types whose names begin with `RUSTLE_` or `Rustle`, of hand-written `extern "C"`
//! functions, of functions with `#[doc(alias = "rustle_…")]`, for which `exports.rs` has such functions, and of the verbs that
//! methods of a few traits declare.

use crate::layout::fail;
use crate::macros::all;
use crate::model::{
    Alias, Call, Choices, Constant, Doc, Does, Field, Function, Interface, Kind, Module, On, Parameter,
    Passing, Record, Type, Verb,
};
use crate::numbers;
use crate::promises;
use crate::types::{kind, passing};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Attribute, Expr, FnArg, Item, Lit, Meta, NestedMeta, Pat, ReturnType, Signature};

/// Reads the crate whose sources are in `folder`.
pub(crate) fn interface(folder: &Path) -> Interface {
    let mut interface = Interface {
        modules: Vec::new(),
        values: BTreeMap::new(),
        places: BTreeMap::new(),
    };
    let mut sources = Vec::new();
    for item in file(&folder.join("lib.rs")).items {
        if let Item::Mod(module) = item {
            let name = module.ident.to_string();
            if module.content.is_none() && name != "exports" {
                sources.push((name.clone(), all_files(folder, &name)));
            }
        }
    }
    for (_, files) in &sources {
        for (_, file) in files {
            constants(file, &mut interface.values);
        }
    }
    for (name, files) in sources {
        let mut module = Module {
            name,
            ..Module::default()
        };
        for (path, file) in &files {
            if module.doc.is_empty() {
                module.doc = doc(&file.attrs);
            }
            let mut reader = Reader {
                path,
                module: &mut module,
                interface: &interface,
            };
            for item in &file.items {
                reader.item(item);
            }
        }
        let named = (module.records.iter().map(|record| &record.name))
            .chain(module.choices.iter().map(|choices| &choices.name))
            .chain(module.aliases.iter().map(|alias| &alias.name));
        for name in named {
            interface.places.insert(name.clone(), module.name.clone());
        }
        interface.modules.push(module);
    }
    interface
}

/// The files of a module and of its submodules, with their paths in the crate.
fn all_files(folder: &Path, name: &str) -> Vec<(String, syn::File)> {
    let mut files = vec![(name.to_owned(), file(&folder.join(format!("{name}.rs"))))];
    let below = folder.join(name);
    let mut names: Vec<_> = std::fs::read_dir(&below)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    for inner in names {
        files.push((
            format!("{name}::{inner}"),
            file(&below.join(format!("{inner}.rs"))),
        ));
    }
    files
}

fn file(path: &Path) -> syn::File {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| fail(format!("{}: {error}", path.display())));
    syn::parse_file(&text).unwrap_or_else(|error| fail(format!("{}: {error}", path.display())))
}

fn constants(file: &syn::File, values: &mut BTreeMap<String, i128>) {
    for item in &file.items {
        if let Item::Const(constant) = item {
            let name = constant.ident.to_string();
            if name.starts_with("RUSTLE_") {
                values.insert(name, value(&constant.expr, values));
            }
        }
    }
}

/// The value of an expression of literals, constants and a few operators.
fn value(expression: &Expr, values: &BTreeMap<String, i128>) -> i128 {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().unwrap_or_else(|error| fail(error)),
            _ => fail("expected a whole number as a constant, got another literal"),
        },
        Expr::Paren(inner) => value(&inner.expr, values),
        Expr::Cast(cast) => value(&cast.expr, values),
        Expr::Unary(unary) => -value(&unary.expr, values),
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
fn alias(attributes: &[Attribute]) -> Option<String> {
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

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path.is_ident(name))
}

struct Reader<'a> {
    path: &'a str,
    module: &'a mut Module,
    interface: &'a Interface,
}

impl Reader<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(constant) => self.constant(constant),
            Item::Type(alias) if alias.ident.to_string().starts_with("Rustle") => {
                let kind = kind(&alias.ty);
                self.module.aliases.push(Alias {
                    name: alias.ident.to_string(),
                    doc: doc(&alias.attrs),
                    kind,
                });
            }
            Item::Struct(record) if has(&record.attrs, "repr") && is_public(&record.vis) => {
                let name = record.ident.to_string();
                if name.starts_with("Rustle") {
                    self.record(name, record);
                }
            }
            Item::Macro(called) if called.mac.path.is_ident("choices") => {
                let choices = called.mac.parse_body_with(all::<Choices>);
                (self.module.choices).extend(choices.unwrap_or_else(|error| fail(error)));
            }
            Item::Macro(called) if called.mac.path.is_ident("records") => {
                let records = called.mac.parse_body_with(all::<Record>);
                (self.module.records).extend(records.unwrap_or_else(|error| fail(error)));
            }
            Item::Fn(function) if has(&function.attrs, "no_mangle") => {
                let function = written_out(doc(&function.attrs), &function.sig);
                self.module.functions.push(function);
            }
            Item::Fn(function) => {
                if let Some(name) = alias(&function.attrs) {
                    let path = format!("{}::{}", self.path, function.sig.ident);
                    self.call(name, doc(&function.attrs), path, On::Nothing, &function.sig);
                }
            }
            Item::Impl(block) => self.implementation(block),
            _ => {}
        }
    }

    fn constant(&mut self, constant: &syn::ItemConst) {
        let name = constant.ident.to_string();
        if name.starts_with("RUSTLE_") {
            let is_status =
                matches!(&*constant.ty, syn::Type::Path(path) if path.path.is_ident("RustleStatus"));
            self.module.constants.push(Constant {
                value: self.interface.values[&name],
                name,
                doc: doc(&constant.attrs),
                is_status: is_status && self.module.name == "status",
            });
        }
    }

    fn record(&mut self, name: String, record: &syn::ItemStruct) {
        let fields = record.fields.iter().map(|field| Field {
            name: field.ident.as_ref().map_or_else(
                || fail(format!("{name}: expected named fields")),
                ToString::to_string,
            ),
            doc: doc(&field.attrs),
            kind: kind(&field.ty),
        });
        self.module.records.push(Record {
            fields: fields.collect(),
            name,
            doc: doc(&record.attrs),
        });
    }

    fn implementation(&mut self, block: &syn::ItemImpl) {
        let syn::Type::Path(own) = &*block.self_ty else {
            return;
        };
        let Some(own) = own.path.get_ident().map(ToString::to_string) else {
            return;
        };
        let rust = format!("{}::{own}", self.path);
        let named = block
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last());
        let of = named.map(|segment| segment.ident.to_string());
        let argument = named.and_then(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                syn::GenericArgument::Type(syn::Type::Path(path)) => Some(path.path.get_ident()?.to_string()),
                _ => None,
            },
            _ => None,
        });
        match of.as_deref() {
            Some("Object") => self.module.kinds.push(Kind {
                rust: rust.clone(),
                name: text(block, "NAME").unwrap_or_else(|| fail(format!("{rust}: expected a NAME"))),
                number: number(block, "KIND").unwrap_or_else(|| fail(format!("{rust}: expected a KIND"))),
                is_face: false,
            }),
            Some("Face") => self.faces_name(block, &rust),
            _ => {}
        }
        for item in &block.items {
            let syn::ImplItem::Method(method) = item else {
                continue;
            };
            let method_name = method.sig.ident.to_string();
            let is_verb = of
                .as_deref()
                .is_some_and(|of| VERBS.contains(&(of, &method_name)));
            let doc = doc(&method.attrs);
            // `complete` makes a verb's default name from its object's.
            let usual = || (is_verb && !doc.is_empty()).then(|| method_name.clone());
            let Some(name) = alias(&method.attrs).or_else(usual) else {
                continue;
            };
            let path = format!("{rust}::{}", method.sig.ident);
            let argument = || {
                argument
                    .clone()
                    .unwrap_or_else(|| fail(format!("{path}: expected a record")))
            };
            let does = match of.as_deref() {
                None => {
                    let on = On::Object {
                        rust: rust.clone(),
                        name: String::new(),
                    };
                    self.call(name, doc, path, on, &method.sig);
                    continue;
                }
                Some("New") => Does::New {
                    configuration: argument(),
                    number: 0,
                },
                Some("Stream") => Does::Start {
                    request: argument(),
                    record: associated(block, "Record").filter(|record| record != "NoRecord"),
                    number: 0,
                },
                Some("Describe") => Does::Describe {
                    description: argument(),
                    is_session: false,
                    number: 0,
                },
                Some("Object") => match method.sig.ident.to_string().as_str() {
                    "reset" => Does::Reset,
                    "cancel" => Does::Cancel,
                    _ => Does::ShutDown,
                },
                Some(other) => fail(format!(
                    "{path}: expected New, Stream, Describe or Object, got {other}"
                )),
            };
            self.module.verbs.push(Verb {
                name,
                doc,
                rust: rust.clone(),
                object: String::new(),
                does,
            });
        }
    }

    /// Stores the C name of the calls of sessions, as a kind without handles of its own.
    fn faces_name(&mut self, block: &syn::ItemImpl, rust: &str) {
        self.module.kinds.push(Kind {
            rust: rust.to_owned(),
            name: text(block, "NAME").unwrap_or_else(|| fail(format!("{rust}: expected a NAME"))),
            number: 0,
            is_face: true,
        });
    }

    fn call(&mut self, name: String, doc: Doc, path: String, on: On, signature: &Signature) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Receiver(_) => None,
            FnArg::Typed(typed) => Some(Parameter {
                name: pattern(&typed.pat),
                passing: passing(&typed.ty),
            }),
        });
        self.module.calls.push(Call {
            name,
            doc,
            path,
            on,
            parameters: parameters.collect(),
        });
    }
}

/// The methods with a doc that are verbs: `rustle_OBJECT_METHOD`, unless an alias gives another name.
const VERBS: [(&str, &str); 6] = [
    ("New", "new"),
    ("Stream", "start"),
    ("Describe", "describe"),
    ("Object", "reset"),
    ("Object", "cancel"),
    ("Object", "shut_down"),
];

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

/// Numbers the verbs and completes what their implementations leave open.
pub(crate) fn complete(interface: &mut Interface) {
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
                    Passing::In(Type::Named(record), _) | Passing::Slice(Type::Named(record)) => {
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
        let ends = ends_of_sessions(module);
        module.verbs.extend(ends);
    }
    numbers::check(interface);
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn constant_of<'a>(block: &'a syn::ItemImpl, name: &str) -> Option<&'a Expr> {
    block.items.iter().find_map(|item| match item {
        syn::ImplItem::Const(constant) if constant.ident == name => Some(&constant.expr),
        _ => None,
    })
}

fn text(block: &syn::ItemImpl, name: &str) -> Option<String> {
    match constant_of(block, name)? {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn number(block: &syn::ItemImpl, name: &str) -> Option<u32> {
    u32::try_from(value(constant_of(block, name)?, &BTreeMap::new())).ok()
}

fn associated(block: &syn::ItemImpl, name: &str) -> Option<String> {
    block.items.iter().find_map(|item| match item {
        syn::ImplItem::Type(alias) if alias.ident == name => match &alias.ty {
            syn::Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
            _ => None,
        },
        _ => None,
    })
}

fn pattern(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        _ => fail("expected a plain name as a parameter, got a pattern"),
    }
}

fn written_out(doc: Doc, signature: &Signature) -> Function {
    let parameters = signature.inputs.iter().map(|input| match input {
        FnArg::Typed(typed) => (pattern(&typed.pat), kind(&typed.ty)),
        FnArg::Receiver(_) => fail("expected a function, got a method"),
    });
    Function {
        name: signature.ident.to_string(),
        doc,
        parameters: parameters.collect(),
        result: match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, result) => Some(kind(result)),
        },
    }
}
