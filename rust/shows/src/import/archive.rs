//! ZIP archives that others packed.

use super::{ImportError, check_size};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The most files of an archive.
const MAX_FILES: usize = 10_000;
/// The longest unpacked file in bytes: a few kilobytes can unpack to gigabytes.
const MAX_UNPACKED: u64 = 16 << 20;

/// A file in an archive.
pub(super) fn file(bytes: &[u8], name: &str) -> Result<Vec<u8>, ImportError> {
    check_size(bytes)?;
    let syntax = |reason: String| ImportError::Syntax(reason);
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| syntax(format!("expected a ZIP archive, got {error}")))?;
    if archive.len() > MAX_FILES {
        return Err(syntax(format!(
            "expected at most {MAX_FILES} files, got {}",
            archive.len()
        )));
    }
    if let Some(outside) = archive.file_names().find(|name| is_outside(name)) {
        let quoted: String = outside.escape_debug().take(60).collect();
        return Err(syntax(format!("expected files within the archive, got {quoted}")));
    }
    let file = archive
        .by_name(name)
        .map_err(|error| syntax(format!("expected {name}, got {error}")))?;
    let mut content = Vec::new();
    file.take(MAX_UNPACKED + 1)
        .read_to_end(&mut content)
        .map_err(|error| syntax(format!("expected the bytes of {name}, got {error}")))?;
    if content.len() as u64 > MAX_UNPACKED {
        return Err(syntax(format!(
            "expected at most {MAX_UNPACKED} bytes of {name}, got more"
        )));
    }
    Ok(content)
}

/// Whether a name leads out of the directory that an archive is unpacked to.
fn is_outside(name: &str) -> bool {
    name.starts_with(['/', '\\']) || name.contains(':') || name.split(['/', '\\']).any(|part| part == "..")
}
