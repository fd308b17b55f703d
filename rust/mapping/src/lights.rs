//! The fixtures of a rig as lamps: each cell of each fixture has an id, in the rig's order.

use rustle_lighting::SLOTS;
use rustle_shows::fixture::{Attribute, Fixture, FixtureId, Rig, RigUniverse};
use rustle_shows::slots::SlotMap;
use rustle_shows::{Look, Stage};
use serde_json::json;

/// A rig whose cells are lit one by one.
#[derive(Clone, Debug)]
pub struct Lights {
    rig: Rig,
    map: SlotMap,
    /// The fixture of each cell, and the cell's place in it.
    cells: Vec<(usize, usize)>,
    /// The slots of each universe that a lit fixture needs.
    is_light: Vec<[bool; SLOTS]>,
}

impl Lights {
    /// The cells of a rig.
    pub fn new(rig: Rig) -> Self {
        let stage = Stage::new(&rig);
        let cells = (0..rig.fixtures.len()).flat_map(|fixture| {
            let elements = stage.elements_of(fixture).len();
            (0..elements).map(move |cell| (fixture, cell))
        });
        let map = SlotMap::new(&rig);
        Self {
            cells: cells.collect(),
            is_light: light_slots(&rig, map.universes()),
            map,
            rig,
        }
    }

    /// The number of cells: their ids are 0 to one less.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// The rig.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// The fixture of a cell, and the cell's place in it, from 0.
    pub fn cell(&self, id: u32) -> Option<(&Fixture, usize)> {
        let (fixture, cell) = *self.cells.get(id as usize)?;
        Some((&self.rig.fixtures[fixture], cell))
    }

    /// The universes with fixtures, in ascending order.
    pub fn universes(&self) -> &[RigUniverse] {
        self.map.universes()
    }

    /// The slots of each universe with some cells lit: their colours and dimmers at full, shutters open, all else at its default.
    pub fn levels(&self, lights: impl Fn(u32) -> bool) -> Vec<[u8; SLOTS]> {
        self.levels_over(&[], lights)
    }

    /// As [`Lights::levels`], where all that is not a cell's light stays as it was in those universes that have slots in `base`, by the
    /// place of the universe: pan and tilt, wheels, and what the rig does not know.
    pub fn levels_over(
        &self,
        base: &[Option<[u8; SLOTS]>],
        lights: impl Fn(u32) -> bool,
    ) -> Vec<[u8; SLOTS]> {
        let mut look = self.map.look();
        let lit: Vec<u32> = (0..self.cells.len() as u32).filter(|id| lights(*id)).collect();
        for id in &lit {
            for plane in [&mut look.red, &mut look.green, &mut look.blue] {
                plane[*id as usize] = 1.0;
            }
        }
        let mut frame = self.map.frame();
        self.map.encode(&look, &mut frame);
        // White light leaves red, green and blue to the white slots; a camera sees all of them best.
        for id in lit {
            let (fixture, cell) = self.cells[id as usize];
            let fixture = &self.rig.fixtures[fixture];
            let Ok(universe) = self.map.universes().binary_search(&fixture.universe) else {
                continue;
            };
            for channel in fixture.mode.channels.iter().filter(|channel| {
                adds_light(&channel.attribute)
                    && channel.element.is_none_or(|element| usize::from(element) == cell)
            }) {
                for offset in channel.slots.offsets() {
                    let slot = usize::from(fixture.address) - 1 + usize::from(*offset);
                    if let Some(level) = frame[universe].get_mut(slot) {
                        *level = u8::MAX;
                    }
                }
            }
        }
        for (slots, (base, is_light)) in frame.iter_mut().zip(base.iter().zip(&self.is_light)) {
            let Some(base) = base else { continue };
            for (slot, (base, is_light)) in slots.iter_mut().zip(base.iter().zip(is_light)) {
                if !is_light {
                    *slot = *base;
                }
            }
        }
        frame
    }

    /// The fixture and its cell of each id as JSON of version 1.
    pub fn to_json(&self) -> String {
        let cells = self.cells.iter().enumerate().map(|(id, (fixture, cell))| {
            let fixture = match &self.rig.fixtures[*fixture].id {
                FixtureId::Number(number) => json!(number),
                FixtureId::Name(name) => json!(name),
            };
            json!({"id": id, "fixture": fixture, "cell": cell})
        });
        json!({"v": 1, "cells": cells.collect::<Vec<_>>()}).to_string()
    }

    /// The light of each cell with these slots, 0 to 255.
    ///
    /// # Panics
    /// For another number of universes than the rig's.
    pub fn light(&self, frame: &[[u8; SLOTS]]) -> Vec<u8> {
        let mut look: Look = self.map.look();
        self.map.decode(frame, &mut look);
        (0..self.cells.len())
            .map(|id| {
                let planes = [&look.red, &look.green, &look.blue, &look.amber, &look.ultraviolet];
                let light = planes.iter().map(|plane| plane[id]).fold(0.0, f32::max);
                (light.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
            })
            .collect()
    }
}

fn adds_light(attribute: &Attribute) -> bool {
    use Attribute::{Amber, Blue, ColdWhite, Green, Red, Ultraviolet, WarmWhite, White};
    matches!(
        attribute,
        Red | Green | Blue | White | WarmWhite | ColdWhite | Amber | Ultraviolet
    )
}

/// The slots of each universe that some fixture's light is on.
fn light_slots(rig: &Rig, universes: &[RigUniverse]) -> Vec<[bool; SLOTS]> {
    let mut all = vec![[false; SLOTS]; universes.len()];
    for fixture in &rig.fixtures {
        let Ok(universe) = universes.binary_search(&fixture.universe) else {
            continue;
        };
        let channels = fixture.mode.channels.iter();
        for channel in channels.filter(|channel| makes_light(&channel.attribute)) {
            for offset in channel.slots.offsets() {
                let slot = usize::from(fixture.address) - 1 + usize::from(*offset);
                if let Some(is_light) = all[universe].get_mut(slot) {
                    *is_light = true;
                }
            }
        }
    }
    all
}

/// Whether a lit fixture needs the channel, and an unlit one: light, what takes it away, and the shutter.
fn makes_light(attribute: &Attribute) -> bool {
    use Attribute::{Cyan, Dimmer, Magenta, Shutter, Yellow};
    adds_light(attribute) || matches!(attribute, Dimmer | Cyan | Magenta | Yellow | Shutter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_shows::fixture::Profile;

    fn lights() -> Lights {
        let json = br#"{"v":1,"fixtures":[
            {"id":1,"profile":"rgbw-par","mode":"5","protocol":"artnet","universe":0,"address":1},
            {"id":2,"profile":"bar-8","protocol":"artnet","universe":1,"address":10},
            {"id":3,"profile":"strobe","protocol":"artnet","universe":1,"address":100}]}"#;
        let (rig, faults) = Rig::read(json, &Profile::built_in()).expect("rig");
        assert!(faults.is_empty(), "{faults:?}");
        Lights::new(rig)
    }

    #[test]
    fn each_cell_has_an_id_and_is_lit_alone() {
        let lights = lights();
        assert_eq!((lights.count(), lights.universes().len()), (10, 2));
        assert_eq!(
            lights.cell(3).map(|(fixture, cell)| (fixture.place, cell)),
            Some((1, 2))
        );
        assert!(
            lights.to_json().contains(r#"{"cell":2,"fixture":2,"id":3}"#),
            "{}",
            lights.to_json()
        );
        for id in 0..10 {
            let frame = lights.levels(|other| other == id);
            let light = lights.light(&frame);
            let expected: Vec<u8> = (0..10).map(|other| if other == id { 255 } else { 0 }).collect();
            assert_eq!(light, expected, "{id}");
        }
        assert_eq!(lights.light(&lights.levels(|_| true)), [255; 10]);
    }

    #[test]
    fn every_colour_of_a_lit_fixture_is_full() {
        let lights = lights();
        assert_eq!(lights.levels(|id| id == 0)[0][..6], [255, 255, 255, 255, 255, 0]);
        assert_eq!(
            lights.levels(|id| id == 2)[1][9..18],
            [0, 0, 0, 255, 255, 255, 0, 0, 0]
        );
    }

    #[test]
    fn what_is_no_light_of_a_fixture_stays_as_it_was() {
        let json = br#"{"v":1,"fixtures":[
            {"id":1,"profile":"moving-head","protocol":"artnet","universe":0,"address":1},
            {"id":2,"profile":"rgb-par","protocol":"artnet","universe":1,"address":10}]}"#;
        let (rig, faults) = Rig::read(json, &Profile::built_in()).expect("rig");
        assert!(faults.is_empty(), "{faults:?}");
        let channels = rig.fixtures[0].mode.channels.clone();
        let lights = Lights::new(rig);
        let base: [u8; SLOTS] = std::array::from_fn(|slot| (slot % 250) as u8 + 3);
        for lit in [false, true] {
            let plain = lights.levels(|_| lit);
            let over = lights.levels_over(&[Some(base), None], |_| lit);
            assert_eq!(over[1], plain[1]);
            let mut others = 0;
            let mut is_light = [false; SLOTS];
            for channel in channels.iter() {
                for offset in channel.slots.offsets() {
                    is_light[usize::from(*offset)] = makes_light(&channel.attribute);
                }
            }
            for (slot, is_light) in is_light.into_iter().enumerate() {
                let expected = if is_light { plain[0][slot] } else { base[slot] };
                assert_eq!(over[0][slot], expected, "slot {slot}, lit {lit}");
                others += usize::from(plain[0][slot] != base[slot] && !is_light);
            }
            assert!(others > 400 && channels.iter().any(|channel| channel.attribute == Attribute::Pan));
            assert_eq!(lights.light(&over), lights.light(&plain));
        }
    }
}
