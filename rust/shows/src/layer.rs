//! Layers: an effect on fixtures, over what is below.

use crate::Fault;
use crate::blend::Blend;
use crate::effect::{Effect, EffectKind};
use crate::fixture::{Fixture, FixtureId};
use crate::modulator::Modulator;
use crate::names::named;
use std::collections::HashSet;

named! {
    /// What a layer controls of its fixtures.
    pub enum Attribute {
        /// How bright the light is: the highest takes precedence where a layer touches no colour.
        Intensity => "intensity",
        /// The colour of the light.
        Color => "color",
        /// Amber light.
        Amber => "amber",
        /// Ultraviolet light.
        Ultraviolet => "ultraviolet",
        /// Pan and tilt: the latest, that is the topmost layer, takes precedence.
        Position => "position",
        /// The gobo: the latest takes precedence.
        Gobo => "gobo",
    }
}

/// The fixtures of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selection {
    /// All fixtures of the rig.
    #[default]
    All,
    /// The fixtures with one of the ids or in one of the groups.
    Of {
        /// Ids.
        ids: Vec<FixtureId>,
        /// Names of groups.
        groups: Vec<String>,
    },
}

impl Selection {
    /// The fixtures of a group.
    pub fn group(name: &str) -> Self {
        Self::Of {
            ids: Vec::new(),
            groups: vec![name.to_owned()],
        }
    }

    /// The places in a rig of the fixtures that belong to it.
    pub(crate) fn places(&self, rig: &[Fixture]) -> Vec<u32> {
        let places = (0_u32..).zip(rig);
        match self {
            Self::All => places.map(|(place, _)| place).collect(),
            Self::Of { ids, groups } => {
                let ids: HashSet<_> = ids.iter().collect();
                let groups: HashSet<_> = groups.iter().collect();
                let belongs = |fixture: &Fixture| {
                    ids.contains(&fixture.id)
                        || (!fixture.group.is_empty() && groups.contains(&fixture.group))
                };
                let selected = places.filter(|(_, fixture)| belongs(fixture));
                selected.map(|(place, _)| place).collect()
            }
        }
    }
}

/// An effect on fixtures, with how it comes over the layers below.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The name for people, empty if it has none.
    pub name: String,
    /// What it shows.
    pub effect: Effect,
    /// How its light comes over that below.
    pub blend: Blend,
    /// Whether it shows.
    pub is_enabled: bool,
    /// Where it shows.
    pub fixtures: Selection,
    /// What moves its parameters.
    pub modulators: Vec<Modulator>,
    opacity: f32,
    touches: Vec<Attribute>,
}

impl Layer {
    /// A layer that covers those below on all fixtures.
    pub fn new(effect: Effect) -> Self {
        let touches = effect.kind().usual_touches().to_vec();
        Self {
            name: String::new(),
            effect,
            blend: Blend::Normal,
            is_enabled: true,
            fixtures: Selection::All,
            modulators: Vec::new(),
            opacity: 1.0,
            touches,
        }
    }

    /// The opacity, 0 to 1.
    pub fn opacity(&self) -> f32 {
        self.opacity
    }

    /// Sets the opacity.
    ///
    /// # Errors
    /// [`Fault`] for one outside of 0 to 1, NaN too.
    pub fn set_opacity(&mut self, opacity: f32) -> Result<(), Fault> {
        if !(0.0..=1.0).contains(&opacity) {
            return Err(Fault::number("opacity", 0, 1, opacity));
        }
        self.opacity = opacity;
        Ok(())
    }

    /// The attributes that it controls.
    pub fn touches(&self) -> &[Attribute] {
        &self.touches
    }

    /// Sets the attributes that it controls.
    ///
    /// # Errors
    /// [`Fault`] for none, and for one that its effect does not have.
    pub fn set_touches(&mut self, touches: &[Attribute]) -> Result<(), Fault> {
        let known = self.effect.kind().attributes();
        let unknown = touches.iter().find(|touch| !known.contains(touch));
        if touches.is_empty() || unknown.is_some() {
            let names: Vec<_> = known.iter().map(|each| each.name()).collect();
            return Err(Fault {
                path: "touches".to_owned(),
                expected: format!("one or more of {}", names.join(", ")),
                got: unknown.map_or("none", |attribute| attribute.name()).to_owned(),
            });
        }
        self.touches = touches.to_vec();
        Ok(())
    }

    /// Whether it controls an attribute.
    pub fn is_touching(&self, attribute: Attribute) -> bool {
        self.touches.contains(&attribute)
    }

    /// Whether it controls colour or intensity without the other: those are then computed apart.
    pub(crate) fn splits(&self) -> bool {
        self.is_touching(Attribute::Color) != self.is_touching(Attribute::Intensity)
    }
}

impl From<EffectKind> for Layer {
    fn from(kind: EffectKind) -> Self {
        Self::new(Effect::new(kind))
    }
}
