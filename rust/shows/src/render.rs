//! From scenes to looks.

mod layout;
mod ready;

pub use ready::ReadyScene;
pub(crate) use ready::within;

use crate::Stage;
use crate::fixture::{Fixture, Rig};
use crate::number::{LANES, Lanes};
use crate::scene::Scene;
use layout::Layouts;
use ready::ReadyLayer;

/// A rig, laid out for the rendering of scenes.
#[derive(Clone, Debug)]
pub struct Renderer {
    stage: Stage,
    /// The fixtures, as layers select and aim them.
    rig: Vec<Fixture>,
    /// Places of the elements within the rig by axis, and their fixtures, in blocks.
    axes: [Vec<Lanes>; 3],
    fixtures: Vec<[u32; LANES]>,
    /// 1 for the axes along which the rig has an extent.
    extents: [f32; 3],
}

impl Renderer {
    /// Lays out a rig.
    pub fn new(rig: &Rig) -> Self {
        let stage = Stage::new(rig);
        let elements = stage.elements();
        let axis = |axis: usize| blocks(elements.iter().map(|element| element.place[axis]));
        let has_extent = |axis: usize| elements.iter().any(|element| element.place[axis] != 0.5);
        Self {
            rig: rig.fixtures.clone(),
            axes: [axis(0), axis(1), axis(2)],
            fixtures: blocks(elements.iter().map(|element| element.fixture)),
            extents: [0, 1, 2].map(|axis| f32::from(has_extent(axis))),
            stage,
        }
    }

    /// The elements of the rig.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The fixtures of the rig.
    pub(crate) fn rig(&self) -> &[Fixture] {
        &self.rig
    }

    /// Lays out a scene, so that frames of it need no memory.
    pub fn ready(&self, scene: &Scene) -> ReadyScene {
        self.scene(scene, &mut Layouts::default())
    }

    /// Lays out scenes; what their layers have in common is in memory once.
    pub fn ready_all(&self, scenes: &[Scene]) -> Vec<ReadyScene> {
        let mut layouts = Layouts::default();
        scenes
            .iter()
            .map(|scene| self.scene(scene, &mut layouts))
            .collect()
    }

    fn scene(&self, scene: &Scene, layouts: &mut Layouts) -> ReadyScene {
        let layers = scene.layers.iter().map(|layer| {
            let selected = layouts.selected(&layer.fixtures, self);
            let along = layouts.along(layer, &selected, self);
            ReadyLayer::new(layer, along, selected)
        });
        ReadyScene::new(scene, layers.collect())
    }
}

/// Values in blocks; the last one is filled up with defaults.
fn blocks<T: Copy + Default>(values: impl Iterator<Item = T>) -> Vec<[T; LANES]> {
    let mut blocks = Vec::with_capacity(values.size_hint().0.div_ceil(LANES));
    for (index, value) in values.enumerate() {
        if index % LANES == 0 {
            blocks.push([T::default(); LANES]);
        }
        if let Some(block) = blocks.last_mut() {
            block[index % LANES] = value;
        }
    }
    blocks
}
