//! The refusals of the generator and their texts: each case changes one file of a copy of the declarations.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (path, to) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy(&path, &to)?;
        } else {
            std::fs::copy(&path, &to)?;
        }
    }
    Ok(())
}

/// The generator's output for a copy of the declarations that `change` has changed.
fn refusal(name: &str, change: impl FnOnce(&Path)) -> String {
    let root = Folder(std::env::temp_dir().join(format!("rustle-kit-{}-{name}", std::process::id())));
    let sources = root.0.join("rust/ffi/src");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi/src"),
        &sources,
    )
    .expect("a copy");
    change(&sources);
    let output = Command::new(env!("CARGO_BIN_EXE_rustle-kit"))
        .arg(&root.0)
        .arg("--check")
        .output()
        .expect("the generator");
    assert!(!output.status.success(), "expected a refusal of {name}");
    String::from_utf8(output.stderr).expect("a text")
}

#[track_caller]
fn is_refused(name: &str, file: &str, old: &str, new: &str, expected: &str) {
    let got = refusal(name, |sources| {
        let path = sources.join(file);
        let text = std::fs::read_to_string(&path).expect("a declaration");
        assert!(text.contains(old), "{file} has no {old:?}");
        std::fs::write(&path, text.replacen(old, new, 1)).expect("written");
    });
    assert!(got.contains(expected), "expected {expected:?}, got {got:?}");
}

#[test]
fn file_in_a_folder_of_a_folder_is_read() {
    let got = refusal("deep", |sources| {
        let folder = sources.join("feed/records");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("deep.rs"), "pub const RUSTLE_DEEP").expect("written");
    });
    assert!(got.contains("feed/records/deep.rs: "), "{got:?}");
}

#[test]
fn kind_of_another_object_is_refused_with_one_that_is_free() {
    let (old, new) = ("const KIND: u32 = 15;", "const KIND: u32 = 7;");
    is_refused(
        "twice",
        "echo.rs",
        old,
        new,
        "KIND 7 is that of echo; the next that is free: 15",
    );
    is_refused(
        "large",
        "echo.rs",
        old,
        "const KIND: u32 = 30;",
        "expected a KIND from 1 to 29, got 30",
    );
}

#[test]
fn two_verbs_with_one_number_are_refused() {
    // The same name stands for two names with equal hashes.
    is_refused(
        "hash",
        "feed/consumers.rs",
        "rustle_feed_start_trades",
        "rustle_feed_start_candles",
        "rustle_feed_start_candles: has the number of rustle_feed_start_candles; give it another name",
    );
}

#[test]
fn field_of_an_unknown_type_is_refused_by_its_name() {
    let (old, new) = ("pub number: u64,", "pub number: std::time::Duration,");
    is_refused("type", "echo.rs", old, new, "Duration");
}

#[test]
fn result_without_a_name_in_the_doc_is_refused() {
    is_refused(
        "result",
        "meter.rs",
        "`count` receives the number of bands",
        "and their number",
        "meter: rustle_meter_bands: expected a doc that names each result (1), as in",
    );
}

#[test]
fn type_that_c_has_not_is_refused_with_its_place() {
    let (old, new) = ("pub number: u64,", "pub number: (u32, u32),");
    let expected = "echo: RustleEchoConfiguration: number: expected a number, a Flag, a Choice, a record";
    is_refused("tuple", "echo.rs", old, new, expected);
    let (old, new) = ("say(&self, number: u64)", "say(&self, number: Lent<u8>)");
    let expected = "rustle_echo_say: number: expected a number, a Flag, a Choice or a record";
    is_refused("lent", "echo.rs", old, new, expected);
}

#[test]
fn keyword_that_nothing_reads_is_refused() {
    let end = "Fails with `RUSTLE_FORKED`.";
    let refused = |name: &str, new: &str, expected: &str| {
        is_refused(
            name,
            "echo.rs",
            end,
            new,
            &format!("rustle_echo_say: expected {expected}"),
        );
    };
    let at_end = "once, at a line's end";
    let realtime = "Realtime-safe. Fails with `RUSTLE_FORKED`.";
    refused("realtime", realtime, &format!("\"Realtime-safe.\" {at_end}"));
    let exclusive = "One call at a time. Not twice.";
    refused(
        "exclusive",
        exclusive,
        &format!("\"One call at a time.\" {at_end}"),
    );
    let start = "at the start of a paragraph";
    refused(
        "fails",
        "Or not. Fails with `RUSTLE_FORKED`.",
        &format!("\"Fails with\" {start}"),
    );
    let example = "Fails with `RUSTLE_FORKED`. Example: `number` 7.";
    refused("example", example, &format!("\"Example:\" {start}"));
}

#[test]
fn verb_without_a_doc_is_refused() {
    is_refused(
        "undocumented",
        "echo.rs",
        "/// Makes an echo.",
        "",
        "expected a doc comment, which the header has too",
    );
}

#[test]
fn operator_that_is_no_minus_is_refused_in_a_constant() {
    let (old, new) = (
        "pub const RUSTLE_FORMANT_COUNT: usize = 5;",
        "pub const RUSTLE_FORMANT_COUNT: usize = !5;",
    );
    is_refused(
        "operator",
        "voice.rs",
        old,
        new,
        "expected a constant of literals and constants",
    );
}

#[test]
fn status_with_the_number_of_another_is_refused() {
    let (old, new) = (
        "RUSTLE_EXHAUSTED: RustleStatus = 9;",
        "RUSTLE_EXHAUSTED: RustleStatus = 8;",
    );
    is_refused(
        "status",
        "status.rs",
        old,
        new,
        "RUSTLE_EXHAUSTED: 8 is the number of RUSTLE_SHUT_DOWN",
    );
}
