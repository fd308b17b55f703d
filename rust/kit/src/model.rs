//! The model of the C interface that `rust/ffi/src` declares.

use std::collections::BTreeMap;

/// A type of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A number: `u8` to `u64`, `i32`, `i64`, `usize`, `f32`, `f64`, `c_char`.
    Number(String),
    /// `c_void`.
    Void,
    /// A record, or another named type, by value.
    Named(String),
    /// A number of an enumeration.
    Choice(String),
    /// A boolean: a number, true unless 0.
    Flag,
    /// Memory that a record lends.
    Lent(Box<Type>),
    /// A pointer.
    Pointer(Box<Type>, bool),
    /// An array whose length is an expression.
    Array(Box<Type>, String),
    /// A function that may be NULL: parameters with their names, and a result.
    Function(Vec<(String, Type)>, Option<Box<Type>>),
}

/// The passing of an argument.
#[derive(Clone, Debug)]
pub(crate) enum Passing {
    /// By value.
    Value(Type),
    /// A record that is read.
    In(Type),
    /// Memory for a result; `true`: NULL is allowed.
    Out(Type, bool),
    /// Elements that are read.
    Slice(Type),
    /// Elements that are written.
    SliceMut(Type),
}

/// A parameter of a declared call.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) passing: Passing,
}

/// Lines of a doc comment.
pub(crate) type Doc = Vec<String>;

/// A constant.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) value: i128,
    /// Whether it is a status.
    pub(crate) is_status: bool,
}

/// An enumeration of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) prefix: String,
    pub(crate) cases: Vec<Case>,
}

/// One of its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) number: u32,
}

/// A record.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) fields: Vec<Field>,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) kind: Type,
}

/// Another name for a type.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) kind: Type,
}

/// A function that is hand-written for C.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) parameters: Vec<(String, Type)>,
    pub(crate) result: Option<Type>,
}

/// The object of a call.
#[derive(Clone, Debug)]
pub(crate) enum On {
    /// Nothing.
    Nothing,
    /// An object.
    Object { rust: String, name: String },
    /// A session of one engine.
    Session { rust: String, name: String },
}

/// A call that is declared as a safe function.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    /// The function's path in the crate.
    pub(crate) path: String,
    pub(crate) on: On,
    pub(crate) parameters: Vec<Parameter>,
}

/// A verb, declared by an implementation of a trait.
#[derive(Clone, Debug)]
pub(crate) struct Verb {
    /// The name in C.
    pub(crate) name: String,
    pub(crate) doc: Doc,
    /// The implementing type's path, and its name in C.
    pub(crate) rust: String,
    pub(crate) object: String,
    pub(crate) does: Does,
}

/// The action.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    New {
        configuration: String,
        number: u32,
    },
    Start {
        request: String,
        record: Option<String>,
        number: u32,
    },
    Describe {
        description: String,
        is_session: bool,
        number: u32,
    },
    Reset,
    Cancel,
    ShutDown,
}

/// A kind of object.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) rust: String,
    pub(crate) name: String,
    /// The number in its handles; 0 for the calls of sessions.
    pub(crate) number: u32,
    /// Whether it is the kind of the calls of an engine's sessions.
    pub(crate) is_face: bool,
}

/// The declarations of one module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) doc: Doc,
    pub(crate) constants: Vec<Constant>,
    pub(crate) choices: Vec<Choices>,
    pub(crate) records: Vec<Record>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) functions: Vec<Function>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) calls: Vec<Call>,
    pub(crate) verbs: Vec<Verb>,
}

/// The whole interface.
#[derive(Debug)]
pub(crate) struct Interface {
    pub(crate) modules: Vec<Module>,
    /// The values of all constants by their names.
    pub(crate) values: BTreeMap<String, i128>,
    /// The Rust module of each named type.
    pub(crate) places: BTreeMap<String, String>,
}

impl Interface {
    /// All records.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.modules.iter().flat_map(|module| &module.records)
    }

    /// The record of this name.
    pub(crate) fn record(&self, name: &str) -> Option<&Record> {
        self.records().find(|record| record.name == name)
    }

    /// All enumerations.
    pub(crate) fn choices(&self) -> impl Iterator<Item = &Choices> {
        self.modules.iter().flat_map(|module| &module.choices)
    }

    /// The type of the record or records that an argument points to, which is passed with its size.
    pub(crate) fn record_at(&self, passing: &Passing) -> Option<&Record> {
        match passing {
            Passing::In(Type::Named(name))
            | Passing::Out(Type::Named(name), _)
            | Passing::Slice(Type::Named(name))
            | Passing::SliceMut(Type::Named(name)) => self.record(name),
            _ => None,
        }
    }

    /// The name of the exported function: that of a call whose arguments point to records takes their sizes, which the header's
    /// function of the call's own name passes.
    pub(crate) fn symbol(&self, call: &Call) -> String {
        let mut passings = call.parameters.iter().map(|parameter| &parameter.passing);
        let is_sized = passings.any(|passing| self.record_at(passing).is_some());
        format!("{}{}", call.name, if is_sized { "_sized" } else { "" })
    }

    /// The type behind an alias.
    pub(crate) fn alias(&self, name: &str) -> Option<&Type> {
        let mut all = self.modules.iter().flat_map(|module| &module.aliases);
        all.find(|alias| alias.name == name).map(|alias| &alias.kind)
    }

    /// All verbs.
    pub(crate) fn verbs(&self) -> impl Iterator<Item = &Verb> {
        self.modules.iter().flat_map(|module| &module.verbs)
    }

    /// All calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.modules.iter().flat_map(|module| &module.calls)
    }

    /// All kinds.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.modules.iter().flat_map(|module| &module.kinds)
    }

    /// All constants.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &Constant> {
        self.modules.iter().flat_map(|module| &module.constants)
    }
}

/// `RUSTLE_NEW_VOICE` of `rustle_voice_new`: the verb goes to the front.
pub(crate) fn number_name(verb: &str, name: &str) -> String {
    let name = name.trim_start_matches("rustle_");
    let words: Vec<&str> = name.split('_').filter(|word| *word != verb).collect();
    format!("RUSTLE_{verb}_{}", words.join("_")).to_uppercase()
}
