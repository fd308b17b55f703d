//! Generates the C interface from the declarations in `rust/ffi/src`: the header, the exported functions, and the Swift records,
//! layouts and statuses; and the tables of engines that the tests iterate over.
//!
//! Usage: rustle-kit ROOT [--check]
//!
//! ROOT is the repository. Writes each file whose text has changed; with `--check` writes none, and the exit status is 1 when a
//! text has changed.

mod complete;
mod exports;
mod fail;
mod header;
mod layout;
mod macros;
mod model;
mod numbers;
mod parse;
mod promises;
mod rows;
mod suites;
mod swift;
mod types;

use crate::fail::fail;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// A generated file: the path below ROOT, and its text.
fn files(root: &Path) -> Vec<(&'static str, String)> {
    let mut interface = parse::interface(&root.join("rust/ffi/src"));
    complete::interface(&mut interface);
    vec![
        ("rust/ffi/include/rustle.h", header::text(&interface)),
        ("rust/ffi/src/exports.rs", rust_file(exports::text(&interface))),
        (
            "rust/ffi/tests/calls/interface/table.rs",
            rust_file(suites::text(&interface)),
        ),
        (
            "rust/ffi/tests/engines/table.rs",
            rust_file(rows::rust(&interface, root)),
        ),
        (
            "Tests/ConformanceTests/ConformingEngines.swift",
            swift_file(root, rows::swift(root)),
        ),
        (
            "Sources/RustleCore/Generated/Engines.swift",
            swift_file(root, swift::engines::text(&interface)),
        ),
        (
            "Sources/RustleCore/Generated/Layout.swift",
            swift_file(root, swift::layout(&interface)),
        ),
        (
            "Sources/RustleCore/Generated/Status.swift",
            swift_file(root, swift::status(&interface)),
        ),
        (
            "Sources/RustleCore/Generated/Calls.swift",
            swift_file(root, swift::calls::text(&interface)),
        ),
        (
            "Sources/RustleCore/Generated/Owners.swift",
            swift_file(root, swift::owners::text(&interface)),
        ),
        (
            "Sources/RustleCore/Generated/Records.swift",
            swift_file(root, swift::records::text(&interface)),
        ),
    ]
}

/// The text formatted by rustfmt.
fn rust_file(text: String) -> String {
    formatted(
        Command::new("rustfmt").args([
            "--edition",
            "2021",
            "--config",
            "max_width=110,use_field_init_shorthand=true",
        ]),
        text,
    )
}

/// The text formatted by swift format.
fn swift_file(root: &Path, text: String) -> String {
    let configuration = root.join(".swift-format");
    formatted(
        Command::new("swift")
            .args(["format", "--configuration"])
            .arg(configuration)
            .arg("-"),
        text,
    )
}

/// The output of a formatter for an input.
fn formatted(command: &mut Command, text: String) -> String {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| fail(format!("{command:?}: {error}")));
    if let Some(mut input) = child.stdin.take() {
        // One that ends early reports its error below.
        let _ = input.write_all(text.as_bytes());
    }
    match child.wait_with_output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => fail(format!(
            "{command:?} refused what was generated: {}\n{text}",
            output.status
        )),
        Err(error) => fail(format!("{command:?}: {error}")),
    }
}

fn main() -> Result<ExitCode, String> {
    // A message of `fail::fail` concerns the author of a declaration; its place in the generator does not.
    std::panic::set_hook(Box::new(|panic| {
        let text = panic
            .payload()
            .downcast_ref::<String>()
            .map_or("a fault of rustle-kit", String::as_str);
        let _ = writeln!(std::io::stderr(), "error: {text}");
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: rustle-kit ROOT [--check]";
    let (root, is_check) = match &arguments[..] {
        [flag] if flag == "-h" || flag == "--help" => {
            let _ = writeln!(std::io::stdout(), "{usage}");
            return Ok(ExitCode::SUCCESS);
        }
        [root] => (root, false),
        [root, flag] if flag == "--check" => (root, true),
        _ => return Err(format!("{usage}; got {arguments:?}")),
    };
    let mut stale = Vec::new();
    for (name, text) in files(Path::new(root)) {
        let path = Path::new(root).join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if is_check {
            stale.push(name);
            continue;
        }
        let folder = path.parent().unwrap_or(Path::new(root));
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(format!(
        "not what the declarations say, run scripts/format: {}",
        stale.join(", ")
    ))
}
