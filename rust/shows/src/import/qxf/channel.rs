//! A channel of a fixture definition: what it controls, and which one is the fine part of another.

use super::super::draft::DraftChannel;
use super::super::words::{levels, open_at_first};
use super::super::{ImportError, wrong, xml};
use super::capability::capabilities;
use crate::fixture::{Attribute, Capability, Function};
use roxmltree::Node;

/// A channel's definition.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    name: String,
    attribute: Attribute,
    is_fine: bool,
    default: Option<u32>,
    capabilities: Vec<Capability>,
}

impl Definition {
    pub(super) fn read(node: Node<'_, '_>, name: &str, notes: &mut Vec<String>) -> Result<Self, ImportError> {
        let path = format!("Channel \"{name}\"");
        let default = match node.attribute("Default") {
            None => None,
            Some(text) => {
                let value: u8 = text
                    .trim()
                    .parse()
                    .map_err(|_| wrong(&format!("{path}@Default"), "0 to 255", text))?;
                Some(u32::from(value))
            }
        };
        let preset = node.attribute("Preset").unwrap_or_default();
        let (preset, is_fine) = match preset.strip_suffix("Fine") {
            Some(coarse) => (coarse, true),
            None => (preset, false),
        };
        let group = xml::child(node, "Group");
        // Some files have the byte of channels of their own wrong; their names say it too.
        let has_byte = group.and_then(|group| group.attribute("Byte")) == Some("1");
        let is_fine = is_fine || (has_byte && says_fine(name));
        let (attribute, mut capabilities) = if preset.is_empty() {
            let capabilities = capabilities(node, &path)?;
            (
                from_group(node, xml::text(group), name, &capabilities),
                capabilities,
            )
        } else {
            match from_preset(preset) {
                Some(attribute) => (attribute.clone(), from_preset_range(preset)),
                None => {
                    let words = [
                        "IntensityHue",
                        "IntensitySaturation",
                        "IntensityLightness",
                        "IntensityValue",
                    ];
                    if !words.contains(&preset) {
                        notes.push(format!("{path}: the preset {preset} is kept by its name only"));
                    }
                    (Attribute::Other(name.to_owned()), Vec::new())
                }
            }
        };
        if preset == "ColorMacro" || preset == "ColorWheel" || preset == "GoboWheel" {
            capabilities = super::capability::capabilities(node, &path)?;
        }
        levels(&attribute, &mut capabilities);
        if attribute == Attribute::Shutter {
            open_at_first(&mut capabilities);
        }
        Ok(Self {
            name: name.to_owned(),
            attribute,
            is_fine,
            default,
            capabilities,
        })
    }

    pub(super) fn draft(&self, offset: u16, element: Option<u16>) -> DraftChannel {
        DraftChannel {
            attribute: self.attribute.clone(),
            element,
            offsets: vec![offset],
            resolution: 1,
            default: self.default,
            capabilities: self.capabilities.clone(),
        }
    }
}

fn from_preset(preset: &str) -> Option<Attribute> {
    Some(match preset {
        "IntensityMasterDimmer" | "IntensityDimmer" => Attribute::Dimmer,
        "IntensityRed" => Attribute::Red,
        "IntensityGreen" => Attribute::Green,
        "IntensityBlue" => Attribute::Blue,
        "IntensityCyan" => Attribute::Cyan,
        "IntensityMagenta" => Attribute::Magenta,
        "IntensityYellow" => Attribute::Yellow,
        "IntensityAmber" => Attribute::Amber,
        "IntensityWhite" => Attribute::White,
        "IntensityUV" => Attribute::Ultraviolet,
        "IntensityLime" => Attribute::Other("Lime".to_owned()),
        "IntensityIndigo" => Attribute::Other("Indigo".to_owned()),
        "PositionPan" | "PositionXAxis" => Attribute::Pan,
        "PositionTilt" | "PositionYAxis" => Attribute::Tilt,
        "ColorMacro" | "ColorWheel" => Attribute::ColorWheel,
        "ColorCTOMixer" | "ColorCTCMixer" | "ColorCTBMixer" => Attribute::ColorTemperature,
        "GoboWheel" => Attribute::Gobo,
        "GoboIndex" => Attribute::GoboRotation,
        "ShutterStrobeSlowFast" | "ShutterStrobeFastSlow" => Attribute::Shutter,
        "ShutterIris" | "ShutterIrisMaxToMin" | "ShutterIrisMinToMax" => Attribute::Iris,
        "BeamFocus" | "BeamFocusNearFar" | "BeamFocusFarNear" => Attribute::Focus,
        "BeamZoom" | "BeamZoomSmallBig" | "BeamZoomBigSmall" => Attribute::Zoom,
        "PrismRotationSlowFast" | "PrismRotationFastSlow" => Attribute::PrismRotation,
        "NoFunction" => Attribute::Unused,
        speed if speed.starts_with("Speed") => Attribute::Speed,
        _ => return None,
    })
}

/// The ranges of a preset that is a strobe over all values: at 0 it is open.
fn from_preset_range(preset: &str) -> Vec<Capability> {
    let (slow, fast) = crate::fixture::USUAL_STROBE;
    let (from, to) = match preset {
        "ShutterStrobeSlowFast" => (slow, fast),
        "ShutterStrobeFastSlow" => (fast, slow),
        _ => return Vec::new(),
    };
    let range = |first, last, function, name: &str| Capability {
        first,
        last,
        function,
        name: name.to_owned(),
    };
    vec![
        range(0, 0, Function::Open, "open"),
        range(1, 255, Function::Strobe { from, to }, "strobe"),
    ]
}

fn from_group(node: Node<'_, '_>, group: &str, name: &str, capabilities: &[Capability]) -> Attribute {
    let words = name.to_lowercase();
    let is = |word: &str| words.contains(word);
    let has = |wanted: fn(Function) -> bool| capabilities.iter().any(|range| wanted(range.function));
    let other = || Attribute::Other(name.to_owned());
    match group {
        "Intensity" => match xml::text(xml::child(node, "Colour")) {
            "Red" => Attribute::Red,
            "Green" => Attribute::Green,
            "Blue" => Attribute::Blue,
            "Cyan" => Attribute::Cyan,
            "Magenta" => Attribute::Magenta,
            "Yellow" => Attribute::Yellow,
            "Amber" => Attribute::Amber,
            "White" => Attribute::White,
            "UV" => Attribute::Ultraviolet,
            "" | "Generic" => Attribute::Dimmer,
            _ => other(),
        },
        "Colour" if has(|function| matches!(function, Function::Color(_))) => Attribute::ColorWheel,
        "Colour" if is("cto") || is("ctb") || is("ctc") || is("temperature") => Attribute::ColorTemperature,
        "Gobo" if has(|function| matches!(function, Function::Gobo(place) if place > 0)) => Attribute::Gobo,
        "Gobo" if is("rot") || is("index") => Attribute::GoboRotation,
        "Pan" => Attribute::Pan,
        "Tilt" => Attribute::Tilt,
        "Prism" if is("rot") => Attribute::PrismRotation,
        "Prism" => Attribute::Prism,
        "Beam" | "Shutter" if is("iris") => Attribute::Iris,
        // Flashes above a dimmer.
        "Shutter" if has(|function| matches!(function, Function::Level { .. })) => Attribute::Dimmer,
        "Shutter" => Attribute::Shutter,
        "Beam" if is("zoom") => Attribute::Zoom,
        "Beam" if is("focus") => Attribute::Focus,
        "Beam" if is("frost") => Attribute::Frost,
        "Speed" => Attribute::Speed,
        "Effect" if is("fog") || is("haze") => Attribute::Fog,
        "Effect" => Attribute::Program,
        "Maintenance" => Attribute::Maintenance,
        "Nothing" => Attribute::Unused,
        _ => other(),
    }
}

/// The words for the fine part of a value in names.
const FINE: [&str; 5] = ["fine", "lsb", "least significant", "16bit", "16 bit"];
/// Those for the coarse one.
const COARSE: [&str; 3] = ["coarse", "msb", "most significant"];

/// A channel's name without those words.
fn stem(name: &str) -> String {
    let mut stem = name.to_lowercase();
    for word in FINE.iter().chain(&COARSE) {
        stem = stem.replace(word, "");
    }
    stem.retain(char::is_alphanumeric);
    stem
}

/// The channels of a mode so far, to find the coarse one of a fine one.
#[derive(Default)]
pub(super) struct Pairing<'a> {
    /// Each with its head, and whether it has its fine channel.
    channels: Vec<(&'a Definition, Option<u16>, bool)>,
}

impl<'a> Pairing<'a> {
    pub(super) fn add(&mut self, definition: &'a Definition, element: Option<u16>) {
        self.channels.push((definition, element, false));
    }

    /// The place of the coarse channel before a fine one: of the same attribute and head, and of the same name otherwise, or else
    /// the last one without a fine part.
    pub(super) fn coarse(&mut self, fine: &Definition, element: Option<u16>) -> Option<usize> {
        if !fine.is_fine {
            return None;
        }
        let stem = stem(&fine.name);
        let is_named = matches!(fine.attribute, Attribute::Other(_));
        let mut found = None;
        for (place, (coarse, head, is_paired)) in self.channels.iter().enumerate() {
            let is_same = self::stem(&coarse.name) == stem;
            let is_alike = if is_named {
                is_same
            } else {
                coarse.attribute == fine.attribute
            };
            if coarse.is_fine || *is_paired || *head != element || !is_alike {
                continue;
            }
            found = Some(place);
            if is_same {
                break;
            }
        }
        self.channels[found?].2 = true;
        found
    }

    /// The fine channels that were added as their own: names and drafts.
    pub(super) fn fine_ones_alone<'c>(
        &self,
        channels: &'c mut [DraftChannel],
    ) -> impl Iterator<Item = (&'a str, &'c mut DraftChannel)> {
        let all = self.channels.iter().zip(channels);
        // Where only the preset is fine and the name is not, the preset is wrong.
        let alone = all.filter(|((definition, _, _), _)| definition.is_fine && says_fine(&definition.name));
        alone.map(|((definition, _, _), channel)| (definition.name.as_str(), channel))
    }
}

fn says_fine(name: &str) -> bool {
    let name = name.to_lowercase();
    FINE.iter().any(|word| name.contains(word))
}
