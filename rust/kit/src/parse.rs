//! Reads the declarations: `rust/ffi/src`, module by module in the order of `lib.rs`.
//!
//! The interface consists of constants and types whose names begin with `RUSTLE_` or `Rustle`, of hand-written `extern "C"`
//! functions, of functions with `#[doc(alias = "rustle_…")]`, for which `exports.rs` has such functions, and of the verbs that
//! methods of a few traits declare.

pub(crate) mod attributes;
mod constants;
mod items;
mod results;
pub(crate) mod values;

use crate::fail::{at, fail};
use crate::model::{Interface, Module};
use items::Reader;
use std::collections::BTreeMap;
use std::path::Path;
use syn::Item;

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
            values::constants(file, &mut interface.values);
        }
    }
    for (name, files) in sources {
        let mut module = Module {
            name,
            ..Module::default()
        };
        for (path, file) in &files {
            if module.doc.is_empty() {
                module.doc = attributes::doc(&file.attrs);
            }
            let mut reader = Reader {
                path,
                module: &mut module,
                interface: &interface,
            };
            for item in &file.items {
                at(path, || reader.item(item));
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

/// The files of a module and of the modules in it, at any depth, with their paths in the crate.
fn all_files(folder: &Path, path: &str) -> Vec<(String, syn::File)> {
    let place = folder.join(path.replace("::", "/"));
    let mut files = vec![(path.to_owned(), file(&place.with_extension("rs")))];
    let mut names: Vec<_> = std::fs::read_dir(&place)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    let inner = names.iter().map(|name| format!("{path}::{name}"));
    files.extend(inner.flat_map(|path| all_files(folder, &path)));
    files
}

fn file(path: &Path) -> syn::File {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| fail(format!("{}: {error}", path.display())));
    syn::parse_file(&text).unwrap_or_else(|error| fail(format!("{}: {error}", path.display())))
}
