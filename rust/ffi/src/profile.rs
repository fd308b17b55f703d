//! Profiles of fixtures and rigs, from the files of other programs.

use crate::dmx::RustleDMXProtocol;
use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice, Flag, Lent};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_lighting::{PortAddress, SacnUniverse};
use rustle_shows::fixture::{Profile, RigUniverse};
use rustle_shows::import::{self, is_scene, mvr, ImportError, Imported, MAX_FILE_BYTES};

choices! {
    /// A kind of text of a file of fixtures.
    pub enum RustleProfileText = RUSTLE_PROFILE_ {
        /// The name of the profile, at index 0.
        Name = 0,
        /// The name of a mode.
        Mode = 1,
        /// A note: what was assumed or left out, in one sentence.
        Note = 2,
        /// The profile as JSON of version 1, for the `profiles` of a rig; of a scene a rig as JSON of version 1. At index 0.
        Json = 3,
    }
}

records! {
    /// A file of fixtures.
    pub struct RustleProfileConfiguration lending memory {
        /// The bytes, at most 8 MiB, read during the call only: JSON of the Open Fixture Library, a definition of QLC+ (.qxf), a GDTF
        /// archive, JSON of ours, or a scene (MVR); none: the built-in dimmer.
        pub file: Lent<u8>,
        /// The number of bytes. Example: 0.
        pub file_count: usize,
        /// The protocol of a scene's rig.
        pub kind: Choice<RustleDMXProtocol>,
        /// The universe of the protocol that the first universe of a scene is; the others follow it.
        pub first_universe: u32,
    }

    /// What is in a file of fixtures.
    pub struct RustleProfileDescription {
        /// The number of modes; of a scene 0.
        pub modes: u32,
        /// The number of notes.
        pub notes: u32,
        /// The number of fixtures of a scene that have an address; otherwise 0.
        pub fixtures: u32,
        /// Not 0: it is a scene.
        pub is_scene: Flag,
    }
}

/// What is in a file, with its notes.
pub(crate) enum ProfileObject {
    Profile(Imported),
    Rig {
        json: String,
        fixtures: u32,
        notes: Vec<String>,
    },
}

impl Object for ProfileObject {
    const NAME: &'static str = "profile";
    const KIND: u32 = 21;
    type Error = ImportError;
}

impl New<RustleProfileConfiguration> for ProfileObject {
    /// Reads a file of fixtures, of any of the formats.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (more than 8 MiB), `RUSTLE_MALFORMED_FILE` (of none of the formats, or no profile).
    fn new(c: &RustleProfileConfiguration) -> Outcome<ImportError, Self> {
        let file = c.file.slice(c.file_count, MAX_FILE_BYTES, "configuration.file")?;
        let protocol = c.kind.get("configuration.kind")?;
        if is_scene(file) {
            return Ok(Self::rig(&mvr(file)?, protocol, c.first_universe));
        }
        let built_in = || {
            let dimmer = Profile::built_in().into_iter().next();
            dimmer.map(|profile| Imported {
                profile,
                notes: Vec::new(),
            })
        };
        Ok(Self::Profile(match built_in().filter(|_| file.is_empty()) {
            Some(dimmer) => dimmer,
            None => import::any(file)?,
        }))
    }
}

impl ProfileObject {
    fn rig(scene: &import::Scene, protocol: RustleDMXProtocol, first: u32) -> Self {
        let universe = |number: u32| {
            let number = first.checked_add(number.checked_sub(1)?)?;
            match protocol {
                RustleDMXProtocol::Sacn => SacnUniverse::new(number).ok().map(RigUniverse::Sacn),
                RustleDMXProtocol::ArtNet => PortAddress::new(number).ok().map(RigUniverse::ArtNet),
            }
        };
        let has_one = |fixture: &&import::SceneFixture| {
            fixture
                .address
                .is_some_and(|(number, _)| universe(number).is_some())
        };
        let fixtures = scene.fixtures.iter().filter(has_one).count();
        let left_out = scene.fixtures.len() - fixtures;
        let note =
            format!("{left_out} fixtures without an address, or of a universe that the protocol lacks");
        let notes = scene.notes.iter().cloned();
        Self::Rig {
            json: scene.rig(universe),
            fixtures: fixtures as u32,
            notes: notes.chain((left_out > 0).then_some(note)).collect(),
        }
    }
}

impl Describe<RustleProfileDescription> for ProfileObject {
    /// Writes what is in a file of fixtures to `description`.
    #[doc(alias = "rustle_profile_describe")]
    fn describe(&self) -> Result<RustleProfileDescription, CallFault> {
        let (modes, notes, fixtures, is_scene) = match self {
            Self::Profile(Imported { profile, notes }) => (profile.modes.len(), notes, 0, false),
            Self::Rig { fixtures, notes, .. } => (0, notes, *fixtures, true),
        };
        Ok(RustleProfileDescription {
            modes: modes as u32,
            notes: notes.len() as u32,
            fixtures,
            is_scene: is_scene.into(),
        })
    }
}

impl ProfileObject {
    /// Writes a text of a file of fixtures to `text` if there is room for all of it; `index` counts from 0. `length` receives the
    /// number of bytes, UTF-8, not NUL-terminated; 0 past the last.
    ///
    /// Example: `text_capacity` 64.
    #[doc(alias = "rustle_profile_text")]
    pub(crate) fn text(
        &self,
        kind: Choice<RustleProfileText>,
        index: u32,
        text: &mut [u8],
    ) -> Result<usize, CallFault> {
        use RustleProfileText as Kind;
        let place = index as usize;
        let found = match (kind.get("kind")?, self) {
            (Kind::Note, Self::Profile(Imported { notes, .. }) | Self::Rig { notes, .. }) => {
                notes.get(place).cloned()
            }
            (Kind::Json, Self::Rig { json, .. }) => (index == 0).then(|| json.clone()),
            (Kind::Name | Kind::Mode, Self::Rig { .. }) => None,
            (Kind::Name, Self::Profile(Imported { profile, .. })) => {
                (index == 0).then(|| profile.name.clone())
            }
            (Kind::Mode, Self::Profile(Imported { profile, .. })) => {
                profile.modes.get(place).map(|mode| mode.name.clone())
            }
            (Kind::Json, Self::Profile(Imported { profile, .. })) => (index == 0).then(|| profile.write()),
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
