//! Channels by versions up to 4 of the schema: each has one type, and its ranges have names.

use super::super::json::Node;
use super::super::words::{gobo, levels, open_at_first, shutter};
use super::super::{ImportError, hex_color};
use super::capability::color_of;
use super::channel::{Definition, ends};
use crate::fixture::{Attribute, Capability, Function, USUAL_STROBE};

/// Reads what a channel of such a type does into a definition with its default and its fine parts.
pub(super) fn read(
    definition: &mut Definition,
    node: &Node<'_>,
    name: &str,
    highest: u32,
    [pan, tilt]: [f32; 2],
) -> Result<(), ImportError> {
    let kind = node.need("type", "a type of channel")?;
    let has_rotation = name.to_lowercase().contains("rotation");
    definition.attribute = match kind.text()? {
        "Intensity" => Attribute::Dimmer,
        "Single Color" => color_of(&node.need("color", "a colour")?)?,
        "Multi-Color" => Attribute::ColorWheel,
        "Pan" => Attribute::Pan,
        "Tilt" => Attribute::Tilt,
        "Focus" => Attribute::Focus,
        "Zoom" => Attribute::Zoom,
        "Iris" => Attribute::Iris,
        "Gobo" if has_rotation => Attribute::GoboRotation,
        "Gobo" => Attribute::Gobo,
        "Prism" if has_rotation => Attribute::PrismRotation,
        "Prism" => Attribute::Prism,
        "Shutter" | "Strobe" => Attribute::Shutter,
        "Speed" => Attribute::Other(name.to_owned()),
        "Color Temperature" => Attribute::ColorTemperature,
        "Effect" => Attribute::Program,
        "Fog" => Attribute::Fog,
        "Maintenance" => Attribute::Maintenance,
        "Nothing" => Attribute::Unused,
        _ => return Err(kind.wrong("a type of channel that is known")),
    };
    let mut gobos = 0;
    if let Some(all) = node.get("capabilities") {
        for range in all.items()? {
            let capability = capability(definition, &range, highest, &mut gobos)?;
            definition.capabilities.push(capability);
        }
    }
    let whole = |function| Capability {
        first: 0,
        last: highest,
        function,
        name: String::new(),
    };
    let ranges = &mut definition.capabilities;
    match definition.attribute {
        Attribute::Shutter => {
            if ranges.is_empty() {
                let (from, to) = USUAL_STROBE;
                ranges.push(whole(Function::Strobe { from, to }));
            }
            open_at_first(ranges);
        }
        Attribute::Pan | Attribute::Tilt => {
            let is_pan = definition.attribute == Attribute::Pan;
            let to = if is_pan { pan } else { tilt };
            let level = Function::Level { from: 0.0, to };
            // The others are for what a head does besides.
            match ranges.iter_mut().max_by_key(|range| range.last - range.first) {
                Some(widest) => widest.function = level,
                None => ranges.push(whole(level)),
            }
        }
        _ => levels(&definition.attribute, ranges),
    }
    if node
        .get("invert")
        .is_some_and(|invert| invert.value.as_bool() == Some(true))
    {
        if ranges.is_empty() {
            ranges.push(whole(Function::Level { from: 0.0, to: 1.0 }));
        }
        for range in ranges {
            if let Function::Level { from, to } = range.function {
                range.function = Function::Level { from: to, to: from };
            }
        }
    }
    Ok(())
}

/// A range of a channel; `gobos` counts those before it.
fn capability(
    definition: &mut Definition,
    node: &Node<'_>,
    highest: u32,
    gobos: &mut u8,
) -> Result<Capability, ImportError> {
    node.known(&[
        "range",
        "name",
        "menuClick",
        "color",
        "color2",
        "image",
        "switchChannels",
    ])?;
    let (first, last) = ends(&node.need("range", "a range")?, highest)?;
    let name = node.need("name", "a name")?.text()?.to_owned();
    definition.switch(node, first, last)?;
    let words = name.to_lowercase();
    let color = node.get("color").filter(|_| node.get("color2").is_none());
    let function = match definition.attribute {
        Attribute::Shutter => shutter(&name),
        Attribute::Gobo if words.contains("shak") => Function::Other,
        Attribute::Gobo if words.contains("gobo") || words.contains("open") => gobo("", &name, gobos),
        _ => match color {
            Some(color) => hex_color(color.text()?),
            None => Function::Other,
        },
    };
    Ok(Capability {
        first,
        last,
        function,
        name,
    })
}
