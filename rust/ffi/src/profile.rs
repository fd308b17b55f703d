//! Profiles of fixtures, from the files of other programs.

use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice, Lent};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_shows::fixture::Profile;
use rustle_shows::import::{self, ImportError, Imported, MAX_FILE_BYTES};

choices! {
    /// A kind of text of a profile.
    pub enum RustleProfileText = RUSTLE_PROFILE_ {
        /// Its name, at index 0.
        Name = 0,
        /// The name of a mode.
        Mode = 1,
        /// A note: what was assumed or left out, in one sentence.
        Note = 2,
        /// The profile as JSON of version 1, at index 0, for the `profiles` of a rig.
        Json = 3,
    }
}

records! {
    /// The file of a fixture.
    pub struct RustleProfileConfiguration lending memory {
        /// The bytes, at most 8 MiB, read during the call only: JSON of the Open Fixture Library, a definition of QLC+ (.qxf), a GDTF
        /// archive, or JSON of ours; none: the built-in dimmer.
        pub file: Lent<u8>,
        /// The number of bytes. Example: 0.
        pub file_count: usize,
    }

    /// What is in a profile.
    pub struct RustleProfileDescription {
        /// The number of modes.
        pub modes: u32,
        /// The number of notes.
        pub notes: u32,
    }
}

/// A profile with its notes.
pub(crate) struct ProfileObject(Imported);

impl Object for ProfileObject {
    const NAME: &'static str = "profile";
    const KIND: u32 = 21;
    type Error = ImportError;
}

impl New<RustleProfileConfiguration> for ProfileObject {
    /// Reads the file of a fixture, of any of the formats.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (more than 8 MiB), `RUSTLE_MALFORMED_FILE` (of none of the formats, or no profile).
    fn new(c: &RustleProfileConfiguration) -> Outcome<ImportError, Self> {
        let file = c.file.slice(c.file_count, MAX_FILE_BYTES, "configuration.file")?;
        let built_in = || {
            let dimmer = Profile::built_in().into_iter().next();
            dimmer.map(|profile| Imported {
                profile,
                notes: Vec::new(),
            })
        };
        Ok(Self(match built_in().filter(|_| file.is_empty()) {
            Some(dimmer) => dimmer,
            None => import::any(file)?,
        }))
    }
}

impl Describe<RustleProfileDescription> for ProfileObject {
    /// Writes what is in a profile to `description`.
    #[doc(alias = "rustle_profile_describe")]
    fn describe(&self) -> Result<RustleProfileDescription, CallFault> {
        Ok(RustleProfileDescription {
            modes: self.0.profile.modes.len() as u32,
            notes: self.0.notes.len() as u32,
        })
    }
}

impl ProfileObject {
    /// Writes a text of a profile to `text` if there is room for all of it; `index` counts from 0. `length` receives the number of
    /// bytes, UTF-8, not NUL-terminated; 0 past the last.
    ///
    /// Example: `text_capacity` 64.
    #[doc(alias = "rustle_profile_text")]
    pub(crate) fn text(
        &self,
        kind: Choice<RustleProfileText>,
        index: u32,
        text: &mut [u8],
    ) -> Result<usize, CallFault> {
        let Imported { profile, notes } = &self.0;
        let place = index as usize;
        let found = match kind.get("kind")? {
            RustleProfileText::Name => (index == 0).then(|| profile.name.clone()),
            RustleProfileText::Mode => profile.modes.get(place).map(|mode| mode.name.clone()),
            RustleProfileText::Note => notes.get(place).cloned(),
            RustleProfileText::Json => (index == 0).then(|| profile.write()),
        };
        let words = found.unwrap_or_default();
        if let Some(room) = text.get_mut(..words.len()) {
            room.copy_from_slice(words.as_bytes());
        }
        Ok(words.len())
    }
}

statuses!(ImportError {
    RUSTLE_INVALID_LENGTH: TooLarge,
    RUSTLE_MALFORMED_FILE: Syntax Value,
});
