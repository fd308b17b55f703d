//! Fixtures: profiles of what their slots control, rigs of where they are, and the check of a rig's patch.

mod aim;
mod attribute;
mod built_in;
mod channel;
mod curve;
mod patch;
mod profile;
mod read;
mod rig;
mod rotation;

pub use aim::{Aim, aim};
pub use attribute::Attribute;
pub(crate) use built_in::{USUAL_PAN, USUAL_STROBE, USUAL_TILT};
pub use channel::{ByteSlots, Capability, Channel, Function, MAX_BYTES};
pub use curve::Curve;
pub use patch::{PatchFault, Patched, patch_faults};
pub use profile::{Mode, Profile};
pub use rig::{Fixture, FixtureId, MAX_FIXTURES, MAX_RIG_BYTES, Rig, RigError, RigFault, RigUniverse};
pub use rotation::Rotation;
