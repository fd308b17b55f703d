//! What a capability of a channel does.

use super::super::ImportError;
use super::super::json::Node;
use super::entity;
use crate::fixture::{Attribute, Function, USUAL_STROBE};

/// The keys of capabilities of any type that have one value.
const KEYS: [&str; 17] = [
    "dmxRange",
    "type",
    "comment",
    "helpWanted",
    "menuClick",
    "switchChannels",
    "shutterEffect",
    "soundControlled",
    "randomTiming",
    "color",
    "wheel",
    "isShaking",
    "effectName",
    "effectPreset",
    "blade",
    "fogType",
    "hold",
];
/// Those that may also have a value at the start and one at the end.
const ENTITIES: [&str; 20] = [
    "speed",
    "duration",
    "brightness",
    "colors",
    "colorTemperature",
    "angle",
    "slotNumber",
    "shakeSpeed",
    "shakeAngle",
    "parameter",
    "soundSensitivity",
    "horizontalAngle",
    "verticalAngle",
    "distance",
    "openPercent",
    "frostIntensity",
    "insertion",
    "fogOutput",
    // Of earlier versions.
    "index",
    "effectIntensity",
];

/// What a capability does.
pub(super) struct Meaning {
    /// What it controls; nothing for one without a function.
    pub(super) attribute: Option<Attribute>,
    /// Levels of pan and tilt are degrees as the file has them, not yet from the middle.
    pub(super) function: Function,
}

/// The first and the last value of an entity: both ends, or one for both.
fn ends<'a>(node: &Node<'a>, key: &str) -> Option<(Node<'a>, Node<'a>)> {
    let one = node.get(key).map(|one| (one.clone(), one));
    one.or_else(|| Some((node.get(&format!("{key}Start"))?, node.get(&format!("{key}End"))?)))
}

/// Reads a capability; the wheels are those of the file, and a channel's own name stands for its wheel. Parts of an angle of pan or
/// tilt are those of the given degrees.
pub(super) fn meaning(
    node: &Node<'_>,
    name: &str,
    wheels: Option<&Node<'_>>,
    [pan, tilt]: [f32; 2],
) -> Result<Meaning, ImportError> {
    for (key, value) in node.entries()? {
        let entity = key
            .strip_suffix("Start")
            .or(key.strip_suffix("End"))
            .unwrap_or(key);
        if !KEYS.contains(&key) && !ENTITIES.contains(&entity) && !["fogTime", "time"].contains(&entity) {
            return Err(value.wrong("a key of capabilities that is known"));
        }
    }
    let kind = node.need("type", "a type of capability")?;
    let other = || Some(Attribute::Other(name.to_owned()));
    let mut function = Function::Other;
    let attribute = match kind.text()? {
        "NoFunction" => None,
        "ShutterStrobe" => {
            function = shutter(node)?;
            Some(Attribute::Shutter)
        }
        "Intensity" => {
            function = level(node)?;
            Some(Attribute::Dimmer)
        }
        "ColorIntensity" => {
            function = level(node)?;
            Some(color_of(&node.need("color", "a colour")?)?)
        }
        "ColorPreset" => {
            let (colors, _) = match ends(node, "colors") {
                Some(ends) => ends,
                None => return Ok(plain(Some(Attribute::ColorWheel))),
            };
            function = color(&colors)?;
            Some(Attribute::ColorWheel)
        }
        "ColorTemperature" => Some(Attribute::ColorTemperature),
        kind @ ("Pan" | "Tilt") => {
            let (attribute, usual) = match kind {
                "Pan" => (Attribute::Pan, pan),
                _ => (Attribute::Tilt, tilt),
            };
            let (from, to) = ends(node, "angle").ok_or_else(|| node.wrong("an angle"))?;
            let (from, to) = (entity::degrees(&from, usual)?, entity::degrees(&to, usual)?);
            if from != to {
                function = Function::Level { from, to };
            }
            Some(attribute)
        }
        "PanTiltSpeed" => Some(Attribute::Speed),
        kind @ ("WheelSlot" | "WheelShake" | "WheelSlotRotation" | "WheelRotation") => {
            let wheel = Wheel::find(node, name, wheels)?;
            if kind == "WheelSlot" {
                function = wheel.slot(node)?;
            }
            Some(match wheel.kind {
                Attribute::Gobo if kind.ends_with("Rotation") => Attribute::GoboRotation,
                kind => kind,
            })
        }
        // Of earlier versions, whose wheels have no list of slots.
        "ColorWheelIndex" => {
            function = match ends(node, "colors") {
                Some((colors, _)) => color(&colors)?,
                None if index(node)? == Some(0) => Function::Color([1.0; 3]),
                None => Function::Other,
            };
            Some(Attribute::ColorWheel)
        }
        "ColorWheelRotation" => Some(Attribute::ColorWheel),
        "GoboIndex" => {
            let is_shaking = ["shakeSpeed", "shakeAngle"].map(|key| ends(node, key).is_some());
            if let (Some(place), [false, false]) = (index(node)?, is_shaking) {
                function = Function::Gobo(place);
            }
            Some(Attribute::Gobo)
        }
        "GoboShake" => Some(Attribute::Gobo),
        "GoboStencilRotation" | "GoboWheelRotation" => Some(Attribute::GoboRotation),
        "Effect" | "EffectIntensity" | "EffectSpeed" | "EffectDuration" | "EffectParameter"
        | "SoundSensitivity" => Some(Attribute::Program),
        "BeamAngle" | "Zoom" => Some(Attribute::Zoom),
        "Focus" => Some(Attribute::Focus),
        "Iris" | "IrisEffect" => Some(Attribute::Iris),
        "Frost" | "FrostEffect" => Some(Attribute::Frost),
        "Prism" => Some(Attribute::Prism),
        "PrismRotation" => Some(Attribute::PrismRotation),
        "Fog" | "FogOutput" | "FogType" => Some(Attribute::Fog),
        "Maintenance" => Some(Attribute::Maintenance),
        "StrobeSpeed"
        | "StrobeDuration"
        | "PanContinuous"
        | "TiltContinuous"
        | "BeamPosition"
        | "BladeInsertion"
        | "BladeRotation"
        | "BladeSystemRotation"
        | "Rotation"
        | "Speed"
        | "Time"
        | "Generic" => other(),
        _ => return Err(kind.wrong("a type of capability that is known")),
    };
    Ok(Meaning { attribute, function })
}

fn plain(attribute: Option<Attribute>) -> Meaning {
    Meaning {
        attribute,
        function: Function::Other,
    }
}

/// The place of a wheel, 0 for what is open; none between two.
fn index(node: &Node<'_>) -> Result<Option<u8>, ImportError> {
    let (from, to) = ends(node, "index").ok_or_else(|| node.wrong("an index"))?;
    let (first, last) = (from.number()?, to.number()?);
    let is_place = first == last && first.fract() == 0.0 && (0.0..=255.0).contains(&first);
    Ok(is_place.then_some(first as u8))
}

pub(super) fn color_of(node: &Node<'_>) -> Result<Attribute, ImportError> {
    Ok(match node.text()? {
        "Red" => Attribute::Red,
        "Green" => Attribute::Green,
        "Blue" => Attribute::Blue,
        "Cyan" => Attribute::Cyan,
        "Magenta" => Attribute::Magenta,
        "Yellow" => Attribute::Yellow,
        "Amber" => Attribute::Amber,
        "White" => Attribute::White,
        "Warm White" => Attribute::WarmWhite,
        "Cold White" => Attribute::ColdWhite,
        "UV" => Attribute::Ultraviolet,
        other @ ("Lime" | "Indigo") => Attribute::Other(other.to_owned()),
        _ => return Err(node.wrong("a colour that is known")),
    })
}

/// A brightness over the range; from dark to bright where nothing says it.
fn level(node: &Node<'_>) -> Result<Function, ImportError> {
    let Some((from, to)) = ends(node, "brightness") else {
        return Ok(Function::Level { from: 0.0, to: 1.0 });
    };
    Ok(match (entity::part(&from)?, entity::part(&to)?) {
        // A single brightness is no range to dim in.
        (Some(from), Some(to)) if from != to => Function::Level { from, to },
        _ => Function::Other,
    })
}

fn shutter(node: &Node<'_>) -> Result<Function, ImportError> {
    let is = |key: &str| {
        node.get(key)
            .is_some_and(|value| value.value.as_bool() == Some(true))
    };
    let effect = node.need("shutterEffect", "an effect")?;
    let speed = ends(node, "speed");
    Ok(match effect.text()? {
        "Open" => Function::Open,
        "Closed" => Function::Closed,
        "Strobe" if !is("soundControlled") && !is("randomTiming") => {
            let (from, to) = match speed {
                Some((from, to)) => (entity::flashes(&from)?, entity::flashes(&to)?),
                None => (Some(USUAL_STROBE.0), Some(USUAL_STROBE.1)),
            };
            match (from, to) {
                (Some(from), Some(to)) => Function::Strobe { from, to },
                _ => Function::Other,
            }
        }
        // Of earlier versions, without `randomTiming`.
        "StrobeRandom" | "PulseRandom" | "RampUpRandom" | "RampDownRandom" | "RampUpDownRandom" => {
            Function::Other
        }
        "Strobe" | "Pulse" | "RampUp" | "RampDown" | "RampUpDown" | "Lightning" | "Spikes" | "Burst" => {
            Function::Other
        }
        _ => return Err(effect.wrong("an effect that is known")),
    })
}

/// The colour of a list of one, `#rrggbb`; black is none, and several are no one colour.
fn color(colors: &Node<'_>) -> Result<Function, ImportError> {
    let mut all = colors.items()?;
    let (Some(first), None) = (all.next(), all.next()) else {
        return Ok(Function::Other);
    };
    Ok(super::super::hex_color(first.text()?))
}

/// A wheel of the file.
struct Wheel<'a> {
    kind: Attribute,
    slots: Vec<Node<'a>>,
}

impl<'a> Wheel<'a> {
    fn find(node: &Node<'_>, name: &str, wheels: Option<&Node<'a>>) -> Result<Self, ImportError> {
        let wanted = match node.get("wheel") {
            None => name.to_owned(),
            // Several wheels that turn together are of one kind.
            Some(several) if several.value.is_array() => match several.items()?.next() {
                Some(first) => first.text()?.to_owned(),
                None => return Err(several.wrong("a wheel")),
            },
            Some(one) => one.text()?.to_owned(),
        };
        let wheel = wheels.and_then(|wheels| wheels.get(&wanted));
        let wheel = wheel.ok_or_else(|| node.wrong(&format!("a wheel \"{wanted}\" in wheels")))?;
        wheel.known(&["direction", "slots"])?;
        let slots: Vec<Node<'a>> = wheel.need("slots", "an array")?.items()?.collect();
        let has = |wanted: &str| {
            slots
                .iter()
                .any(|slot| slot.value.get("type").and_then(|kind| kind.as_str()) == Some(wanted))
        };
        let kind = if has("Color") {
            Attribute::ColorWheel
        } else if has("Gobo") || has("AnimationGoboStart") {
            Attribute::Gobo
        } else if has("Prism") {
            Attribute::Prism
        } else if has("Iris") {
            Attribute::Iris
        } else if has("Frost") {
            Attribute::Frost
        } else {
            Attribute::Other(wanted)
        };
        Ok(Self { kind, slots })
    }

    /// The function of the slot of a capability; one between two slots, or of several, has none.
    fn slot(&self, node: &Node<'_>) -> Result<Function, ImportError> {
        let Some((from, to)) = ends(node, "slotNumber") else {
            return Ok(Function::Other);
        };
        let (first, last) = (from.number()?, to.number()?);
        // Slots are counted from 1. A range around one, or that begins at one, is that one.
        let middle = (first + last) / 2.0;
        let number = middle.round();
        if (last - first).abs() > 1.0 || (middle - number).abs() > 0.25 || number < 1.0 {
            return Ok(Function::Other);
        }
        let Some(slot) = self.slots.get(number as usize - 1) else {
            return Err(from.wrong("a slot of the wheel"));
        };
        slot.known(&[
            "type",
            "name",
            "colors",
            "colorTemperature",
            "resource",
            "facets",
            "openPercent",
            "frostIntensity",
        ])?;
        let kind = slot.need("type", "a type of slot")?.text()?;
        Ok(match (kind, &self.kind) {
            ("Open", Attribute::ColorWheel) => Function::Color([1.0; 3]),
            ("Open", Attribute::Gobo) => Function::Gobo(0),
            ("Closed", _) => Function::Closed,
            ("Color", _) => slot
                .get("colors")
                .map_or(Ok(Function::Other), |colors| color(&colors))?,
            ("Gobo" | "AnimationGoboStart", Attribute::Gobo) => {
                let is_gobo = |slot: &&Node<'_>| {
                    let kind = slot.value.get("type").and_then(|kind| kind.as_str());
                    kind.is_some_and(|kind| kind == "Gobo" || kind == "AnimationGoboStart")
                };
                let count = self.slots[..number as usize].iter().filter(is_gobo).count();
                Function::Gobo(u8::try_from(count).unwrap_or(u8::MAX))
            }
            _ => Function::Other,
        })
    }
}
