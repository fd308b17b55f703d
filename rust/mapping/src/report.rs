//! Files from files: verdicts, plans, corrections and rigs.

use crate::correct::{corrected, placed};
use crate::decode::Mapping;
use crate::judge::judged;
use crate::mapper::{MappingError, lights};
use crate::plan::planned;

/// What is made of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A verdict, of a truth and a result.
    Verdict,
    /// Places on a plan, of a result and points.
    Plan,
    /// A result, of a result and corrections.
    Corrected,
    /// A rig with positions, of a rig and places on a plan of the floor.
    Placed,
    /// A rig with positions, of a rig and places on an upright plan.
    PlacedUpright,
}

impl Report {
    /// The file, as JSON.
    ///
    /// # Errors
    /// [`MappingError`] for files that cannot be read, or that do not fit together.
    pub fn of(self, one: &[u8], other: &[u8]) -> Result<String, MappingError> {
        let result = |json| Mapping::read(json).map_err(MappingError::File);
        match self {
            Self::Verdict => judged(one, &result(other)?)
                .map(|verdict| verdict.to_json())
                .map_err(MappingError::File),
            Self::Plan => planned(&result(one)?, other).map_err(MappingError::File),
            Self::Corrected => corrected(&result(one)?, other)
                .map(|mapping| mapping.to_json())
                .map_err(MappingError::File),
            Self::Placed | Self::PlacedUpright => {
                placed(one, &lights(one)?, other, self == Self::PlacedUpright).map_err(MappingError::File)
            }
        }
    }
}
