//! Profiles from other libraries' files: bytes in, a profile and notes out. No file is opened.
//!
//! What a file says and a [`Profile`] has no place for is left out. What it does not say and a profile needs is assumed, and said
//! in a note. What cannot be a profile is refused, with the place of the fault.

mod archive;
mod draft;
mod gdtf;
mod json;
mod mvr;
mod ofl;
mod own;
mod qxf;
mod words;
mod xml;

pub use gdtf::gdtf;
pub(crate) use json::Node;
pub use mvr::{Scene, SceneFixture, is_scene, mvr};
pub use ofl::ofl;
pub(crate) use own::profile;
#[cfg(test)]
pub(crate) use own::{CHANNEL_KEYS, MODE_KEYS, PROFILE_KEYS, RANGE_KEYS};
pub use qxf::qxf;

use crate::fixture::{Function, Profile, RigFault};
use serde_json::Value;
use std::fmt;

/// The largest file in bytes. The largest of 1,358 of QLC+ has 0.2 MB.
pub const MAX_FILE_BYTES: usize = 8 << 20;

/// A profile that was imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The profile.
    pub profile: Profile,
    /// What was assumed or left out, for people.
    pub notes: Vec<String>,
}

/// Why a file is no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// It has more than [`MAX_FILE_BYTES`].
    TooLarge {
        /// Its bytes.
        got: usize,
    },
    /// It is not of the format, by this reason.
    Syntax(String),
    /// A value that cannot be used.
    Value(RigFault),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { got } => {
                write!(
                    f,
                    "fixture file: expected at most {MAX_FILE_BYTES} bytes, got {got}"
                )
            }
            Self::Syntax(reason) => write!(f, "fixture file: {reason}"),
            Self::Value(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

/// Reads a profile of any of the formats, by the bytes: archives of GDTF, XML of QLC+, JSON of our own, or JSON of the Open Fixture Library.
///
/// # Errors
/// [`ImportError`] for bytes that are of none of them, or of a fixture that cannot be a profile.
pub fn any(bytes: &[u8]) -> Result<Imported, ImportError> {
    check_size(bytes)?;
    // The signature of ZIP's entries.
    if bytes.starts_with(b"PK") {
        return gdtf(bytes);
    }
    let text = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    if text.starts_with(b"<") {
        return qxf(bytes);
    }
    // Ours has a version, theirs has not.
    let versioned = serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value.get("v").is_some());
    if versioned {
        return Profile::read(bytes).map(|profile| Imported {
            profile,
            notes: Vec::new(),
        });
    }
    ofl(bytes)
}

/// The longest text that an error quotes, in characters.
const MAX_QUOTED: usize = 60;

/// The error of a value at a place of a file.
fn wrong(path: &str, expected: &str, got: &str) -> ImportError {
    ImportError::Value(RigFault {
        path: path.to_owned(),
        expected: expected.to_owned(),
        got: got.escape_debug().take(MAX_QUOTED).collect(),
    })
}

fn check_size(bytes: &[u8]) -> Result<(), ImportError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ImportError::TooLarge { got: bytes.len() });
    }
    Ok(())
}

/// The function of a colour `#rrggbb`. Black is no colour of light: it says that a channel does nothing.
fn hex_color(text: &str) -> Function {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    value.filter(|value| *value > 0).map_or(Function::Other, |value| {
        let [_, parts @ ..] = value.to_be_bytes();
        Function::Color(parts.map(|part| f32::from(part) / 255.0))
    })
}
