//! Rigs of lighting fixtures: their files, and the check of their patch.

use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice, RustleString};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_shows::fixture::{patch_faults, PatchFault, Profile, Rig, RigError, RigFault};

/// The faults of a rig that are found at most.
pub const RUSTLE_RIG_FAULTS: usize = 10_000;

/// In place of a fixture: none.
pub const RUSTLE_RIG_NO_FIXTURE: u32 = u32::MAX;

choices! {
    /// A kind of fault of a rig.
    pub enum RustleRigFaultKind = RUSTLE_RIG_ {
        /// None: there are not that many.
        None = 0,
        /// A value of the file cannot be used; its fixture is left out.
        Value = 1,
        /// Two fixtures have slots in common.
        Overlap = 2,
        /// A fixture reaches past slot 512.
        PastEnd = 3,
        /// Two fixtures have the same id.
        DuplicateId = 4,
    }
}

records! {
    /// The file of a rig.
    pub struct RustleRigConfiguration lending memory {
        /// The file's JSON, at most 64 MiB, read during the call only; empty: a rig without fixtures.
        pub json: RustleString,
    }

    /// A rig.
    pub struct RustleRigDescription {
        /// The number of fixtures.
        pub fixtures: u32,
        /// The number of universes with fixtures.
        pub universes: u32,
        /// The number of slots that the fixtures take, those past 512 included.
        pub slots: u64,
        /// The number of faults, at most `RUSTLE_RIG_FAULTS`.
        pub faults: u32,
        reserved: u32,
    }

    /// A fault of a rig.
    pub struct RustleRigFault {
        /// The number of bytes of the text.
        pub length: usize,
        /// The kind.
        pub kind: Choice<RustleRigFaultKind>,
        /// The fixture's place in the file, from 0; `RUSTLE_RIG_NO_FIXTURE` for a value of the file.
        pub first: u32,
        /// That of the other fixture of an overlap or of an id; otherwise `RUSTLE_RIG_NO_FIXTURE`.
        pub second: u32,
        reserved: u32,
    }
}

/// A rig with its faults.
pub(crate) struct RigObject {
    rig: Rig,
    in_file: Vec<RigFault>,
    in_patch: Vec<PatchFault>,
}

impl Object for RigObject {
    const NAME: &'static str = "rig";
    const KIND: u32 = 19;
    type Error = RigError;
}

impl New<RustleRigConfiguration> for RigObject {
    /// Reads a rig's file and checks its patch. Faults within the file's fixtures and of their patch do not fail the call.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (more than 64 MiB), `RUSTLE_MALFORMED_FILE` (not JSON, not an object, of another version,
    /// without fixtures).
    fn new(c: &RustleRigConfiguration) -> Outcome<RigError, Self> {
        let json = c.json.file("configuration.json")?;
        let (rig, mut in_file) = match json {
            "" => Default::default(),
            json => Rig::read(json.as_bytes(), &Profile::built_in())?,
        };
        in_file.truncate(RUSTLE_RIG_FAULTS);
        let in_patch = patch_faults(&rig, RUSTLE_RIG_FAULTS - in_file.len());
        Ok(Self {
            rig,
            in_file,
            in_patch,
        })
    }
}

impl Describe<RustleRigDescription> for RigObject {
    /// Writes what is in a rig to `description`.
    #[doc(alias = "rustle_rig_describe")]
    fn describe(&self) -> Result<RustleRigDescription, CallFault> {
        let fixtures = &self.rig.fixtures;
        let mut universes: Vec<_> = fixtures.iter().map(|fixture| fixture.universe).collect();
        universes.sort_unstable();
        universes.dedup();
        Ok(RustleRigDescription {
            fixtures: fixtures.len() as u32,
            universes: universes.len() as u32,
            slots: fixtures
                .iter()
                .map(|fixture| u64::from(fixture.mode.footprint()))
                .sum(),
            faults: (self.in_file.len() + self.in_patch.len()) as u32,
            reserved: 0,
        })
    }
}

impl RigObject {
    /// Reports a fault, counted from 0: first those of the file, in its order, then overlaps and overflows by universe and slot, then
    /// duplicate ids; past the last, one of `RUSTLE_RIG_NONE`. `fault` receives it, and `text` its text in UTF-8 if there is room
    /// for all: nothing is written to `text` when `length` of `fault` is more than `text_capacity`.
    #[doc(alias = "rustle_rig_fault")]
    pub(crate) fn fault(&self, index: u32, text: &mut [u8]) -> Result<RustleRigFault, CallFault> {
        use RustleRigFaultKind as Kind;
        const NONE: u32 = RUSTLE_RIG_NO_FIXTURE;
        let place = index as usize;
        let in_patch = place.checked_sub(self.in_file.len());
        let (kind, first, second, words) = match in_patch {
            None => (Kind::Value, NONE, NONE, self.in_file[place].to_string()),
            Some(place) => match self.in_patch.get(place) {
                None => (Kind::None, NONE, NONE, String::new()),
                Some(fault) => {
                    let (kind, first, second) = match fault {
                        PatchFault::Overlap { lower, upper, .. } => {
                            (Kind::Overlap, lower.place, Some(upper.place))
                        }
                        PatchFault::PastEnd { fixture, .. } => (Kind::PastEnd, fixture.place, None),
                        PatchFault::DuplicateId { first, second } => {
                            (Kind::DuplicateId, first.place, Some(second.place))
                        }
                    };
                    let second = second.map_or(NONE, |place| place as u32);
                    (kind, first as u32, second, fault.to_string())
                }
            },
        };
        if let Some(room) = text.get_mut(..words.len()) {
            room.copy_from_slice(words.as_bytes());
        }
        Ok(RustleRigFault {
            length: words.len(),
            kind: kind.into(),
            first,
            second,
            reserved: 0,
        })
    }
}

statuses!(RigError {
    RUSTLE_INVALID_LENGTH: TooLarge,
    RUSTLE_MALFORMED_FILE: Json Value,
});
