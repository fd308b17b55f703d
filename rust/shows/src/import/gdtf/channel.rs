//! A channel of a device and its functions.

use super::super::draft::DraftChannel;
use super::super::{ImportError, wrong, xml};
use super::value::value;
use crate::fixture::{Attribute, Capability, Function, MAX_BYTES};
use roxmltree::Node;
use std::collections::HashMap;

/// A channel, before it is placed at its geometries.
pub(super) struct Read<'a> {
    pub(super) draft: DraftChannel,
    pub(super) geometry: &'a str,
    /// None where the references say it.
    pub(super) dmx_break: Option<u32>,
    /// The ranges in degrees.
    pub(super) pan: Option<f32>,
    pub(super) tilt: Option<f32>,
}

/// The colours of the slots of wheels; none for a slot without one.
pub(super) struct Wheels(HashMap<String, Vec<Option<[f32; 3]>>>);

impl Wheels {
    pub(super) fn read(device: Node<'_, '_>) -> Self {
        let wheels = xml::child(device, "Wheels")
            .into_iter()
            .flat_map(|list| list.children());
        let named = wheels.filter_map(|wheel| {
            let slots = xml::children(wheel, "Slot").map(|slot| cie(slot.attribute("Color")?));
            Some((wheel.attribute("Name")?.to_owned(), slots.collect()))
        });
        Self(named.collect())
    }

    /// The colour of a slot, counted from 1.
    fn color(&self, wheel: &str, slot: usize) -> Option<[f32; 3]> {
        self.0.get(wheel)?.get(slot.checked_sub(1)?).copied().flatten()
    }
}

/// A colour `x,y,Y` of CIE 1931 as red, green and blue of sRGB's primaries, the largest of them 1.
fn cie(text: &str) -> Option<[f32; 3]> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect::<Option<_>>()?;
    let [x, y, luminance] = numbers[..] else {
        return None;
    };
    if !(y > 0.0 && luminance > 0.0) {
        return None;
    }
    let (a, b, c) = (x / y, 1.0, (1.0 - x - y) / y);
    // IEC 61966-2-1.
    let linear = [
        3.2406 * a - 1.5372 * b - 0.4986 * c,
        -0.9689 * a + 1.8758 * b + 0.0415 * c,
        0.0557 * a - 0.2040 * b + 1.0570 * c,
    ];
    let top = linear.into_iter().fold(0.0, f64::max);
    (top > 0.0 && top.is_finite()).then(|| linear.map(|part| (part / top).max(0.0) as f32))
}

/// Reads a channel; none for a virtual one, which has no slots.
pub(super) fn channel<'a>(
    node: Node<'a, '_>,
    path: &str,
    wheels: &Wheels,
) -> Result<Option<Read<'a>>, ImportError> {
    let text = node.attribute("Offset").unwrap_or_default().trim();
    if text.is_empty() || text == "None" {
        return Ok(None);
    }
    let slots = text
        .split(',')
        .map(|slot| slot.trim().parse::<u16>().ok()?.checked_sub(1));
    let offsets: Option<Vec<u16>> = slots.collect();
    let offsets = offsets.filter(|offsets| (1..=MAX_BYTES).contains(&offsets.len()));
    let offsets =
        offsets.ok_or_else(|| wrong(&format!("{path}/DMXChannel@Offset"), "1 to 4 slots from 1", text))?;
    let geometry = xml::attribute(node, &format!("{path}/DMXChannel"), "Geometry")?;
    let dmx_break =
        match node.attribute("DMXBreak") {
            None => Some(1),
            Some("Overwrite") => None,
            Some(number) => {
                let number = number.trim().parse().ok();
                Some(number.ok_or_else(|| {
                    wrong(&format!("{path}/DMXChannel@DMXBreak"), "a number", "another text")
                })?)
            }
        };
    let bytes = offsets.len();
    let functions = Functions::read(node, bytes, path)?;
    let attribute = functions
        .list
        .first()
        .map_or(Attribute::Unused, |first| attribute(first.attribute));
    let (mut pan, mut tilt) = (None, None);
    let mut capabilities = Vec::new();
    for (place, function) in functions.list.iter().enumerate() {
        let last = functions.last(place);
        match self::attribute(function.attribute) {
            Attribute::Pan => pan = pan.or(function.range()),
            Attribute::Tilt => tilt = tilt.or(function.range()),
            _ => {}
        }
        function.capabilities(&attribute, last, bytes, wheels, &mut capabilities);
    }
    // A function over all values that is the usual one needs no range.
    if let [only] = &capabilities[..]
        && only.first == 0
        && only.last == functions.highest
        && matches!(
            only.function,
            Function::Other | Function::Level { from: 0.0, to: 1.0 }
        )
    {
        capabilities.clear();
    }
    let default = node.attribute("Default").and_then(|text| value(text, bytes));
    let default =
        default.or_else(|| functions.initial(node.attribute("InitialFunction").unwrap_or_default()));
    Ok(Some(Read {
        draft: DraftChannel {
            attribute,
            element: None,
            offsets,
            resolution: bytes,
            default,
            capabilities,
        },
        geometry,
        dmx_break,
        pan,
        tilt,
    }))
}

/// The functions of a channel by ascending value.
struct Functions<'a, 'd> {
    list: Vec<ChannelFunction<'a, 'd>>,
    highest: u32,
}

struct ChannelFunction<'a, 'd> {
    node: Node<'a, 'd>,
    name: &'a str,
    attribute: &'a str,
    first: u32,
    default: Option<u32>,
}

impl<'a, 'd: 'a> Functions<'a, 'd> {
    fn read(channel: Node<'a, 'd>, bytes: usize, path: &str) -> Result<Self, ImportError> {
        let mut list = Vec::new();
        for logical in xml::children(channel, "LogicalChannel") {
            for node in xml::children(logical, "ChannelFunction") {
                let from = node.attribute("DMXFrom").unwrap_or("0/1");
                let first = value(from, bytes);
                list.push(ChannelFunction {
                    node,
                    name: node.attribute("Name").unwrap_or_default(),
                    attribute: node
                        .attribute("Attribute")
                        .or(logical.attribute("Attribute"))
                        .unwrap_or_default(),
                    first: first
                        .ok_or_else(|| wrong(&format!("{path}/ChannelFunction@DMXFrom"), "v/n", from))?,
                    default: node.attribute("Default").and_then(|text| value(text, bytes)),
                });
            }
        }
        list.sort_by_key(|function| function.first);
        Ok(Self {
            list,
            highest: u32::MAX >> (32 - 8 * bytes),
        })
    }

    /// The last value of a function: before the next one that begins later.
    fn last(&self, place: usize) -> u32 {
        let first = self.list[place].first;
        let next = self.list[place..].iter().find(|other| other.first > first);
        next.map_or(self.highest, |next| next.first - 1)
    }

    /// The default of the function that a channel begins with, whose name is the last part of the reference.
    fn initial(&self, reference: &str) -> Option<u32> {
        let name = reference.rsplit('.').next().unwrap_or_default();
        let named = self
            .list
            .iter()
            .find(|function| !name.is_empty() && function.name == name);
        named.or(self.list.first())?.default
    }
}

impl ChannelFunction<'_, '_> {
    fn physical(&self) -> (f32, f32) {
        let number = |name, usual| xml::number(Some(self.node), name).unwrap_or(usual);
        (number("PhysicalFrom", 0.0), number("PhysicalTo", 1.0))
    }

    fn range(&self) -> Option<f32> {
        let (from, to) = self.physical();
        Some((to - from).abs()).filter(|range| (0.0..=100_000.0).contains(range))
    }

    /// Adds the ranges of the function's sets, or its own.
    fn capabilities(
        &self,
        of: &Attribute,
        last: u32,
        bytes: usize,
        wheels: &Wheels,
        all: &mut Vec<Capability>,
    ) {
        let (from, to) = self.physical();
        let is_own = attribute(self.attribute) == *of;
        let whole = |function| Capability {
            first: self.first,
            last,
            function,
            name: self.name.to_owned(),
        };
        match of {
            Attribute::Pan | Attribute::Tilt if is_own && from != to => {
                let middle = (from + to) / 2.0;
                all.push(whole(Function::Level {
                    from: from - middle,
                    to: to - middle,
                }));
            }
            Attribute::Shutter if self.attribute.contains("Strobe") && !self.attribute.contains("Random") => {
                all.push(whole(Function::Strobe {
                    from: from.clamp(0.0, 100.0),
                    to: to.clamp(0.0, 100.0),
                }));
            }
            Attribute::Shutter | Attribute::ColorWheel | Attribute::Gobo => {
                let wheel = self.node.attribute("Wheel").unwrap_or_default();
                let mut sets: Vec<(u32, Node<'_, '_>)> = xml::children(self.node, "ChannelSet")
                    .filter_map(|set| Some((value(set.attribute("DMXFrom")?, bytes)?, set)))
                    .collect();
                sets.sort_by_key(|(first, _)| *first);
                if sets.is_empty() && *of == Attribute::Shutter && is_own {
                    // From closed to open, or one of them.
                    all.push(whole(if to >= 1.0 {
                        Function::Open
                    } else {
                        Function::Closed
                    }));
                    return;
                }
                let mut places = 0_u8;
                for (place, (first, set)) in sets.iter().enumerate() {
                    let next = sets[place..].iter().find(|(other, _)| other > first);
                    let name = set.attribute("Name").unwrap_or_default();
                    let slot = set
                        .attribute("WheelSlotIndex")
                        .and_then(|slot| slot.trim().parse::<usize>().ok());
                    let function = if is_own {
                        self.set(of, name, slot, wheel, wheels, &mut places)
                    } else {
                        Function::Other
                    };
                    all.push(Capability {
                        first: *first,
                        last: next.map_or(last, |(next, _)| next - 1).max(*first),
                        function,
                        name: name.to_owned(),
                    });
                }
            }
            _ if is_own && is_light(of) && from != to => all.push(whole(Function::Level {
                from: from.clamp(0.0, 1.0),
                to: to.clamp(0.0, 1.0),
            })),
            _ => all.push(whole(Function::Other)),
        }
    }

    fn set(
        &self,
        of: &Attribute,
        name: &str,
        slot: Option<usize>,
        wheel: &str,
        wheels: &Wheels,
        places: &mut u8,
    ) -> Function {
        let words = name.to_lowercase();
        let is_open = words.contains("open");
        match of {
            Attribute::Shutter if is_open => Function::Open,
            Attribute::Shutter if words.contains("close") => Function::Closed,
            Attribute::ColorWheel => {
                let color = slot.and_then(|slot| wheels.color(wheel, slot));
                color.map_or(Function::Other, Function::Color)
            }
            Attribute::Gobo if slot.is_none_or(|slot| slot == 0) => Function::Other,
            Attribute::Gobo if is_open => Function::Gobo(0),
            Attribute::Gobo => {
                *places = places.saturating_add(1);
                Function::Gobo(*places)
            }
            _ => Function::Other,
        }
    }
}

fn is_light(attribute: &Attribute) -> bool {
    use Attribute::{
        Amber, Blue, ColdWhite, Cyan, Dimmer, Green, Magenta, Red, Ultraviolet, WarmWhite, White, Yellow,
    };
    matches!(
        attribute,
        Dimmer
            | Red
            | Green
            | Blue
            | White
            | WarmWhite
            | ColdWhite
            | Amber
            | Ultraviolet
            | Cyan
            | Magenta
            | Yellow
    )
}

/// The attribute of a name; numbers of wheels and others that there are several of do not matter.
fn attribute(name: &str) -> Attribute {
    match name {
        "Dimmer" => Attribute::Dimmer,
        "ColorAdd_R" | "ColorRGB_Red" => Attribute::Red,
        "ColorAdd_G" | "ColorRGB_Green" => Attribute::Green,
        "ColorAdd_B" | "ColorRGB_Blue" => Attribute::Blue,
        "ColorAdd_W" => Attribute::White,
        "ColorAdd_WW" => Attribute::WarmWhite,
        "ColorAdd_CW" => Attribute::ColdWhite,
        "ColorAdd_RY" | "ColorAdd_A" => Attribute::Amber,
        "ColorAdd_UV" => Attribute::Ultraviolet,
        "ColorSub_C" => Attribute::Cyan,
        "ColorSub_M" => Attribute::Magenta,
        "ColorSub_Y" => Attribute::Yellow,
        "CTO" | "CTC" | "CTB" => Attribute::ColorTemperature,
        "Pan" => Attribute::Pan,
        "Tilt" => Attribute::Tilt,
        "Zoom" => Attribute::Zoom,
        "Iris" => Attribute::Iris,
        "NoFeature" => Attribute::Unused,
        other => {
            let kind = other.trim_end_matches(|c: char| c.is_ascii_digit());
            match kind {
                "Color" => Attribute::ColorWheel,
                "Gobo" => Attribute::Gobo,
                "Prism" => Attribute::Prism,
                "Focus" => Attribute::Focus,
                "Frost" => Attribute::Frost,
                "Fog" | "Haze" => Attribute::Fog,
                "Effects" => Attribute::Program,
                "Control" | "LampControl" | "FixtureGlobalReset" => Attribute::Maintenance,
                kind if kind.starts_with("Shutter") => Attribute::Shutter,
                kind if kind.starts_with("Gobo") && kind.contains("Pos") => Attribute::GoboRotation,
                kind if kind.starts_with("Prism") && kind.contains("Pos") => Attribute::PrismRotation,
                kind if kind.starts_with("Position") && kind.contains("Speed") => Attribute::Speed,
                _ => Attribute::Other(other.to_owned()),
            }
        }
    }
}
