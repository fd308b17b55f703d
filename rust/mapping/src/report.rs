//! Files from files: verdicts, plans, corrections and rigs.

use crate::correct::{Axes, corrected, placed};
use crate::decode::Mapping;
use crate::judge::judged;
use crate::mapper::{MappingError, lights};
use crate::plan::planned;
use crate::space::{located, seen};

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
    /// Places in space, of results and measured points.
    Located,
    /// A rig with positions, of a rig and places in space.
    PlacedInSpace,
    /// A result, of a rig and a camera that sees it from a place.
    Seen,
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
            Self::Placed | Self::PlacedUpright | Self::PlacedInSpace => {
                let axes = match self {
                    Self::Placed => Axes::Floor,
                    Self::PlacedUpright => Axes::Upright,
                    _ => Axes::Space,
                };
                placed(one, &lights(one)?, other, axes).map_err(MappingError::File)
            }
            Self::Located => located(one, other).map_err(MappingError::File),
            Self::Seen => seen(&lights(one)?, other)
                .map(|mapping| mapping.to_json())
                .map_err(MappingError::File),
        }
    }
}
