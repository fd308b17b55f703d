//! Where the light of a rig comes from.

use crate::fixture::Rig;
use std::ops::Range;

/// A pixel or cell of a fixture; a fixture without pixels is one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// The fixture's place in the rig, from 0.
    pub fixture: u32,
    /// The position in the venue in metres: to the right, to the back and up, as the audience sees it.
    pub position: [f32; 3],
    /// The position within the bounding box of the rig, 0 to 1 an axis; 0.5 along an axis without extent.
    pub place: [f32; 3],
}

/// The elements of a rig, fixture by fixture in the rig's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    elements: Vec<Element>,
    /// The first element of each fixture, and the number of all at the end.
    first: Vec<u32>,
}

impl Stage {
    /// The elements of a rig.
    pub fn new(rig: &Rig) -> Self {
        let mut elements = Vec::new();
        let mut first = vec![0];
        for (index, fixture) in (0_u32..).zip(&rig.fixtures) {
            let positions = fixture.element_positions();
            elements.extend(positions.into_iter().map(|position| Element {
                fixture: index,
                position,
                place: [0.5; 3],
            }));
            first.push(u32::try_from(elements.len()).unwrap_or(u32::MAX));
        }
        for axis in 0..3 {
            let along = elements.iter().map(|element| element.position[axis]);
            let (low, high) = along.fold((f32::MAX, f32::MIN), |(low, high), at| {
                (low.min(at), high.max(at))
            });
            if high > low {
                for element in &mut elements {
                    element.place[axis] = (element.position[axis] - low) / (high - low);
                }
            }
        }
        Self { elements, first }
    }

    /// The elements, in the order of a look's planes.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The number of fixtures.
    pub fn fixtures(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// The elements of a fixture; empty for a place that is not in the rig.
    pub fn elements_of(&self, fixture: usize) -> Range<usize> {
        match self.first.get(fixture..).unwrap_or_default() {
            [first, next, ..] => *first as usize..*next as usize,
            _ => 0..0,
        }
    }
}
