//! Looks to slots, and back.
//!
//! The intensity of a colour is the largest of its parts. A fixture with a dimmer has it there, and its colour at full; one without
//! has it in the colour. White light is what red, green and blue have in common, and leaves them. Filters take away from white; a
//! wheel turns to the colour that is nearest. Amber and ultraviolet are used only where a look has them. What a dimmer or the white
//! light lost by rounding goes to the colours, so that a colour together is within half a step of the one that was wanted. In the dark
//! the slots of a colour stay as they are.

mod cell;
mod head;
mod pixels;
mod unit;
mod value;

use crate::fixture::{Rig, RigUniverse};
use crate::look::Look;
use crate::stage::Stage;
use pixels::Run;
use rustle_lighting::SLOTS;
use unit::Unit;

/// The slots of each universe, in the order of [`SlotMap::universes`].
pub type Frame = [[u8; SLOTS]];

/// Which slots of which universes a rig's looks become.
///
/// Slots of one rig's fixtures that overlap have the value of the fixture that comes later in the rig; slots past the end of a
/// universe have none.
#[derive(Clone, Debug)]
pub struct SlotMap {
    universes: Vec<RigUniverse>,
    /// The defaults of all slots, in which no fixture has light except by a colour without a dimmer.
    defaults: Vec<[u8; SLOTS]>,
    /// In the rig's order.
    parts: Vec<Part>,
    elements: usize,
    fixtures: usize,
}

/// Successive fixtures that are encoded together.
#[derive(Clone, Debug)]
enum Part {
    /// Pixels of 8 bits a colour and nothing else.
    Pixels(Run),
    /// Any other fixture.
    Unit(Box<Unit>),
}

impl SlotMap {
    /// Compiles a rig.
    pub fn new(rig: &Rig) -> Self {
        let stage = Stage::new(rig);
        let mut universes: Vec<_> = rig.fixtures.iter().map(|fixture| fixture.universe).collect();
        universes.sort_unstable();
        universes.dedup();
        let mut defaults = vec![[0; SLOTS]; universes.len()];
        let mut parts: Vec<Part> = Vec::new();
        for (index, fixture) in rig.fixtures.iter().enumerate() {
            let universe = universes.binary_search(&fixture.universe).unwrap_or_default();
            let elements = stage.elements_of(index);
            let Some(run) = Run::of(fixture, universe, elements.start) else {
                let unit = Unit::new(fixture, index, elements, universe, defaults.as_flattened_mut());
                parts.push(Part::Unit(Box::new(unit)));
                continue;
            };
            let joined = match parts.last_mut() {
                Some(Part::Pixels(last)) => last.join(&run),
                _ => false,
            };
            if !joined {
                parts.push(Part::Pixels(run));
            }
        }
        Self {
            universes,
            defaults,
            parts,
            elements: stage.elements().len(),
            fixtures: stage.fixtures(),
        }
    }

    /// The universes with fixtures, in ascending order.
    pub fn universes(&self) -> &[RigUniverse] {
        &self.universes
    }

    /// A frame for [`encode`](Self::encode), with every slot at its default.
    pub fn frame(&self) -> Vec<[u8; SLOTS]> {
        self.defaults.clone()
    }

    /// A look for [`decode`](Self::decode).
    pub fn look(&self) -> Look {
        Look::dark(self.elements, self.fixtures)
    }

    /// Writes all slots of a frame, as the first one is: see [`encode_after`](Self::encode_after).
    ///
    /// # Panics
    /// If the look or the frame is of another rig.
    pub fn encode(&self, look: &Look, frame: &mut Frame) {
        self.encode_after(&self.defaults, look, frame);
    }

    /// Writes all slots of a frame that follows another one: a lamp whose dimmer is at 0 keeps its colour, so that no wheel and no filter
    /// turns in the dark. It allocates nothing. Values outside of 0 to 1 are clamped, and what is not a number is 0.
    ///
    /// # Panics
    /// If the look or a frame is of another rig.
    pub fn encode_after(&self, before: &Frame, look: &Look, frame: &mut Frame) {
        self.check(look, frame);
        assert_eq!(before.len(), frame.len(), "universes of the frame before");
        let before = before.as_flattened();
        frame.copy_from_slice(&self.defaults);
        let slots = frame.as_flattened_mut();
        for part in &self.parts {
            match part {
                Part::Pixels(run) => run.encode(look, slots),
                Part::Unit(unit) => unit.encode(look, before, slots),
            }
        }
    }

    /// Reads the colours and heads that the fixtures show with these slots. It allocates nothing.
    ///
    /// # Panics
    /// If the look or the frame is of another rig.
    pub fn decode(&self, frame: &Frame, look: &mut Look) {
        self.check(look, frame);
        let slots = frame.as_flattened();
        for part in &self.parts {
            match part {
                Part::Pixels(run) => run.decode(slots, look),
                Part::Unit(unit) => unit.decode(slots, look),
            }
        }
    }

    fn check(&self, look: &Look, frame: &Frame) {
        let planes = [&look.red, &look.green, &look.blue, &look.amber, &look.ultraviolet];
        for plane in planes {
            assert_eq!(plane.len(), self.elements, "elements of the look");
        }
        assert_eq!(look.heads.len(), self.fixtures, "fixtures of the look");
        assert_eq!(frame.len(), self.universes.len(), "universes of the frame");
    }
}
