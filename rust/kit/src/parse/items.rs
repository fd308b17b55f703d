//! Reads the items of a file.

use super::attributes::{alias, doc, has};
use super::constants::{associated, number, text};
use super::results;
use crate::fail::{at, fail};
use crate::macros::all;
use crate::model::{
    Alias, Call, Choices, Constant, Doc, Does, Field, Function, Interface, Kind, Module, On, Parameter,
    Record, Verb,
};
use crate::types::{kind, passing};
use syn::{FnArg, Item, Pat, ReturnType, Signature};

/// The reader of one file of a module.
pub(super) struct Reader<'a> {
    pub(super) path: &'a str,
    pub(super) module: &'a mut Module,
    pub(super) interface: &'a Interface,
}

impl Reader<'_> {
    /// Reads one item.
    pub(super) fn item(&mut self, item: &Item) {
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
            // `crate::complete` makes a verb's default name from its object's.
            let usual = || is_verb.then(|| method_name.clone());
            let Some(name) = alias(&method.attrs).or_else(usual) else {
                continue;
            };
            let path = format!("{rust}::{}", method.sig.ident);
            if doc.is_empty() {
                fail(format!(
                    "{path}: expected a doc comment, which the header has too"
                ));
            }
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
        let typed = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Receiver(_) => None,
            FnArg::Typed(typed) => {
                let name = pattern(&typed.pat);
                let passing = at(&name, || passing(&typed.ty));
                Some(Parameter { name, passing })
            }
        });
        let mut parameters: Vec<Parameter> = at(&name, || typed.collect());
        let results = at(&name, || results::of_call(&doc, &parameters, signature));
        parameters.extend(results);
        self.module.calls.push(Call {
            name,
            doc,
            path,
            on,
            parameters,
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

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
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
