//! The numbers of the verbs, and the tables that they index.

use crate::model::{Does, Interface, number_name};
use std::fmt::Write;

/// Writes the numbers, then the tables.
pub(super) fn write(interface: &Interface, out: &mut String) {
    numbers(interface, out);
    tables(interface, out);
}

fn numbers(interface: &Interface, out: &mut String) {
    for verb in interface.verbs() {
        let (word, text, number) = match &verb.does {
            Does::New { number, .. } => ("new", "Makes an object", number),
            Does::Start { number, .. } => ("start", "Starts a session", number),
            Does::Describe { number, .. } => ("describe", "Describes an object or a session", number),
            _ => continue,
        };
        let name = number_name(word, &verb.name);
        let _ = writeln!(out, "/// {text}: the number of `{}`.", verb.name);
        let _ = writeln!(out, "pub const {name}: u32 = {number:#010x};");
    }
    out.push('\n');
}

fn tables(interface: &Interface, out: &mut String) {
    let mut arms = [String::new(), String::new(), String::new(), String::new()];
    let mut names = String::new();
    for kind in interface.kinds().filter(|kind| !kind.is_face) {
        let rust = &kind.rust;
        let object = format!("<crate::{rust} as Object>");
        let _ = writeln!(
            out,
            "impl Tabled for crate::{rust} {{\n    fn table() -> &'static SlotTable<Self> {{\n        \
             static OBJECTS: SlotTable<crate::{rust}> = SlotTable::new({object}::KIND);\n        &OBJECTS\n    }}\n}}\n"
        );
        let _ = writeln!(names, "        {object}::KIND => {object}::NAME,");
        let _ = writeln!(
            arms[0],
            "        {object}::KIND => const {{ &Verbs::of::<crate::{rust}>() }},"
        );
    }
    for verb in interface.verbs() {
        let rust = &verb.rust;
        let _ = match &verb.does {
            Does::New { configuration, .. } => {
                let name = number_name("new", &verb.name);
                writeln!(
                    arms[1],
                    "        {name} => const {{ &Constructor::of::<crate::{rust}, {configuration}>() }},"
                )
            }
            Does::Start { request, .. } => {
                let name = number_name("start", &verb.name);
                writeln!(
                    arms[2],
                    "        {name} => const {{ &Starter::of::<crate::{rust}, {request}>() }},"
                )
            }
            Does::Describe {
                description,
                is_session,
                ..
            } => {
                let name = number_name("describe", &verb.name);
                let of = if *is_session { "of_session" } else { "of" };
                writeln!(
                    arms[3],
                    "        {name} => const {{ &Description::{of}::<crate::{rust}, {description}>() }},"
                )
            }
            _ => Ok(()),
        };
    }
    let _ = writeln!(
        out,
        "/// The name of a kind of object, \"none\" if there is none. It leads to no verbs: a program links those that it calls.\n\
         pub(crate) fn kind_name(kind: u32) -> &'static str {{\n    match kind {{\n{names}        _ => \"none\",\n    }}\n}}\n"
    );
    let heads = [
        ("The verbs of a kind of object.", "verbs(kind", "Verbs"),
        (
            "The way to make an object, by its number.",
            "constructor(what",
            "Constructor",
        ),
        ("The stream behind a number.", "starter(what", "Starter"),
        ("The record behind a number.", "description(what", "Description"),
    ];
    for ((about, head, result), arms) in heads.iter().zip(arms) {
        let argument = head.split_once('(').map_or("", |(_, argument)| argument);
        let _ = writeln!(
            out,
            "/// {about}\npub(crate) fn {head}: u32) -> Option<&'static {result}> {{\n    \
             Some(match {argument} {{\n{arms}        _ => return None,\n    }})\n}}\n"
        );
    }
}
