//! Shows: scenes, cues and faders, and the file of them.

mod demo;
mod read;
mod write;

pub use demo::Demo;

use crate::Fault;
use crate::fixture::{Profile, Rig, RigError};
use crate::layer::Selection;
use crate::scene::{Cue, Scene};
use serde_json::Value;
use std::collections::HashSet;

/// The longest show in bytes of JSON.
pub const MAX_SHOW_BYTES: usize = 64 << 20;
/// The most scenes of a show.
pub const MAX_SCENES: usize = 1_024;
/// The most layers of a scene.
pub const MAX_LAYERS: usize = 64;
/// The most cues of a show.
pub const MAX_CUES: usize = 4_096;

/// Where the rig of a show is.
#[derive(Clone, Debug, PartialEq)]
pub enum RigSource {
    /// In a file of its own, relative to that of the show.
    File(String),
    /// In the show: the object of a rig's file.
    Inline(Value),
}

impl RigSource {
    /// Reads the rig of a show that has it inside, as [`Rig::read`]; none if it is in a file.
    pub fn rig(&self, profiles: &[Profile]) -> Option<Result<(Rig, Vec<Fault>), RigError>> {
        match self {
            Self::File(_) => None,
            Self::Inline(value) => Some(Rig::read(value.to_string().as_bytes(), profiles)),
        }
    }
}

/// Scenes, the list of cues, and what people have in their hands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Show {
    /// The name for people, empty if it has none.
    pub name: String,
    /// The rig, if the show says it.
    pub rig: Option<RigSource>,
    /// The names of the faders.
    pub faders: Vec<String>,
    /// The scenes.
    pub scenes: Vec<Scene>,
    /// The list of cues; each names a scene of the show by its place.
    pub cues: Vec<Cue>,
    /// Whether the first cue comes after the last one.
    pub repeats: bool,
}

impl Show {
    /// Reads a show, by `docs/show.schema.json`. What is wrong within a layer, a scene or a cue is a fault, and leaves that part
    /// out; all faults are returned, in the file's order.
    ///
    /// # Errors
    /// [`Fault`] for a text that is not JSON, not an object, of another version, without scenes, or too large.
    pub fn read(json: &[u8]) -> Result<(Self, Vec<Fault>), Fault> {
        read::show(json)
    }

    /// Reads a scene for this show: an object as in the list of its scenes. Its modulators name the show's faders.
    ///
    /// # Errors
    /// The first [`Fault`] of a text that is not JSON, not an object or too large, or of what is wrong within the scene.
    pub fn read_scene(&self, json: &[u8]) -> Result<Scene, Fault> {
        read::one_scene(json, &self.faders)
    }

    /// The show as JSON, which [`read`](Self::read) makes the same show of.
    pub fn to_json(&self) -> String {
        let mut text = format!("{:#}", write::show(self));
        text.push('\n');
        text
    }

    /// Selected ids and groups that a rig does not have: they are no error, since a show may be made for many rigs.
    pub fn missing(&self, rig: &Rig) -> Vec<Fault> {
        let all: HashSet<_> = rig.fixtures.iter().map(|fixture| &fixture.id).collect();
        let all_groups: HashSet<_> = rig.fixtures.iter().map(|fixture| &fixture.group).collect();
        let mut faults = Vec::new();
        for (scene, Scene { layers, .. }) in self.scenes.iter().enumerate() {
            for (layer, each) in layers.iter().enumerate() {
                let Selection::Of { ids, groups } = &each.fixtures else {
                    continue;
                };
                let mut missing = |kind: &str, expected: &str, got: String| {
                    faults.push(Fault {
                        path: format!("scenes[{scene}].layers[{layer}].fixtures.{kind}"),
                        expected: format!("{expected} of the rig"),
                        got,
                    });
                };
                for id in ids {
                    if !all.contains(id) {
                        missing("ids", "an id", id.to_string());
                    }
                }
                for group in groups {
                    if !all_groups.contains(group) {
                        missing("groups", "a group", format!("\"{}\"", group.escape_debug()));
                    }
                }
            }
        }
        faults
    }
}
