//! From scenes to looks.

mod ready;

pub use ready::ReadyScene;

use crate::Stage;
use crate::effect::Aim;
use crate::fixture::{FixtureId, Rig};
use crate::layer::Layer;
use crate::number::{LANES, Lanes};
use crate::scene::Scene;
use ready::ReadyLayer;

/// A fixture, as layers select and aim it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    id: FixtureId,
    group: String,
    pub(crate) aim: Aim,
}

/// A rig, laid out for the rendering of scenes.
#[derive(Clone, Debug)]
pub struct Renderer {
    stage: Stage,
    places: Vec<Place>,
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
        let places = rig.fixtures.iter().map(|fixture| Place {
            id: fixture.id.clone(),
            group: fixture.group.clone(),
            aim: Aim::new(fixture),
        });
        Self {
            places: places.collect(),
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

    /// Lays out a scene, so that frames of it need no memory.
    pub fn ready(&self, scene: &Scene) -> ReadyScene {
        let layers = scene.layers.iter().map(|layer| self.ready_layer(layer));
        ReadyScene::new(scene, layers.collect())
    }

    fn ready_layer(&self, layer: &Layer) -> ReadyLayer {
        let places = (0_u32..).zip(&self.places);
        let selected: Vec<u32> = places
            .filter(|(_, place)| layer.fixtures.contains(&place.id, &place.group))
            .map(|(index, _)| index)
            .collect();
        let count = selected.len().max(1) as f32;
        let mut ranks = vec![None; self.places.len()];
        for (place, &fixture) in selected.iter().enumerate() {
            ranks[fixture as usize] = Some(place as f32 / count);
        }
        let rank = |fixture: u32| ranks[fixture as usize].unwrap_or_default();
        let along = layer.effect.direction.along(&self.stage, self.extents, rank);
        let is_all = selected.len() == self.places.len();
        let mask = || {
            let elements = self.stage.elements().iter();
            blocks(elements.map(|element| f32::from(ranks[element.fixture as usize].is_some())))
        };
        ReadyLayer::new(
            layer,
            blocks(along.into_iter()),
            if is_all { Vec::new() } else { mask() },
            selected.iter().map(|&fixture| (fixture, rank(fixture))).collect(),
        )
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
