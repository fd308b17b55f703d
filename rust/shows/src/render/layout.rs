//! What layers of the same fixtures, and of the same direction, have in common.

use super::{Renderer, blocks};
use crate::effect::Direction;
use crate::layer::{Layer, Selection};
use crate::number::Lanes;
use std::collections::HashMap;
use std::sync::Arc;

/// The fixtures of a selection.
#[derive(Debug)]
pub(super) struct Selected {
    /// Their places in the rig, with those among them, 0 to 1.
    pub(super) fixtures: Vec<(u32, f32)>,
    /// 1 for their elements; empty for all of the rig.
    pub(super) mask: Vec<Lanes>,
}

impl Selected {
    fn new(selection: &Selection, renderer: &Renderer) -> Self {
        let places = selection.places(&renderer.rig);
        let count = places.len().max(1) as f32;
        let fixtures = places.iter().enumerate();
        let fixtures: Vec<_> = fixtures
            .map(|(rank, place)| (*place, rank as f32 / count))
            .collect();
        let mut mask = Vec::new();
        if places.len() < renderer.rig.len() {
            let mut shown = vec![0.0; renderer.rig.len()];
            for place in places {
                shown[place as usize] = 1.0;
            }
            let elements = renderer.stage.elements().iter();
            mask = blocks(elements.map(|element| shown[element.fixture as usize]));
        }
        Self { fixtures, mask }
    }
}

/// The layouts so far.
#[derive(Default)]
pub(super) struct Layouts {
    selected: HashMap<Selection, Arc<Selected>>,
    /// By the direction; one in an order by the selection too.
    along: HashMap<(Direction, Option<Selection>), Arc<[Lanes]>>,
}

impl Layouts {
    pub(super) fn selected(&mut self, selection: &Selection, renderer: &Renderer) -> Arc<Selected> {
        if let Some(known) = self.selected.get(selection) {
            return known.clone();
        }
        let selected = Arc::new(Selected::new(selection, renderer));
        self.selected.insert(selection.clone(), selected.clone());
        selected
    }

    /// The way of each element along the direction of a layer, 0 to 1.
    pub(super) fn along(&mut self, layer: &Layer, selected: &Selected, renderer: &Renderer) -> Arc<[Lanes]> {
        let direction = layer.effect.direction;
        let is_order = matches!(direction, Direction::Order | Direction::Reverse);
        let key = (direction, is_order.then(|| layer.fixtures.clone()));
        let entry = self.along.entry(key).or_insert_with(|| {
            let mut ranks = vec![0.0; renderer.rig.len()];
            for &(fixture, rank) in &selected.fixtures {
                ranks[fixture as usize] = rank;
            }
            let rank = |fixture: u32| ranks[fixture as usize];
            let along = direction.along(&renderer.stage, renderer.extents, rank);
            blocks(along.into_iter()).into()
        });
        entry.clone()
    }
}
