//! The ranges of a channel of a fixture definition.

use super::super::words::{gobo, shutter};
use super::super::{ImportError, hex_color, wrong, xml};
use crate::fixture::{Capability, Function, USUAL_STROBE};
use roxmltree::Node;

/// The highest strobe in flashes a second that is believed.
const MAX_STROBE: f32 = 100.0;

/// The ranges of a channel.
pub(super) fn capabilities(channel: Node<'_, '_>, path: &str) -> Result<Vec<Capability>, ImportError> {
    let group = xml::text(xml::child(channel, "Group"));
    let mut gobos = 0;
    let mut capabilities = Vec::new();
    for node in xml::children(channel, "Capability") {
        let end = |name: &str| {
            let text = xml::attribute(node, path, name)?;
            let value: u8 = text
                .trim()
                .parse()
                .map_err(|_| wrong(&format!("{path}/Capability@{name}"), "0 to 255", text))?;
            Ok(u32::from(value))
        };
        let (first, last) = (end("Min")?, end("Max")?);
        if last < first {
            return Err(wrong(
                &format!("{path}/Capability"),
                "Min up to Max",
                &format!("{first} to {last}"),
            ));
        }
        let name = xml::text(Some(node)).to_owned();
        let function = function(node, group, &name, &mut gobos);
        capabilities.push(Capability {
            first,
            last,
            function,
            name,
        });
    }
    Ok(capabilities)
}

/// What a range does; `gobos` counts those before it.
fn function(node: Node<'_, '_>, group: &str, name: &str, gobos: &mut u8) -> Function {
    let preset = node.attribute("Preset").unwrap_or_default();
    let resource = |name: &str| node.attribute(name).unwrap_or_default();
    let flashes = |name| xml::number(Some(node), name).filter(|flashes| (0.0..=MAX_STROBE).contains(flashes));
    let (slow, fast) = USUAL_STROBE;
    match preset {
        "ShutterOpen" => Function::Open,
        "ShutterClose" => Function::Closed,
        "StrobeSlowToFast" => Function::Strobe { from: slow, to: fast },
        "StrobeFastToSlow" => Function::Strobe { from: fast, to: slow },
        "StrobeFrequency" => {
            flashes("Res1").map_or(Function::Other, |at| Function::Strobe { from: at, to: at })
        }
        "StrobeFreqRange" => match (flashes("Res1"), flashes("Res2")) {
            (Some(from), Some(to)) => Function::Strobe { from, to },
            _ => Function::Other,
        },
        "ColorMacro" => hex_color(resource("Res1")),
        "GoboMacro" => gobo(resource("Res1"), name, gobos),
        "" if !resource("Color").is_empty() && resource("Color2").is_empty() => hex_color(resource("Color")),
        "" if group == "Gobo" && !resource("Res").is_empty() => gobo(resource("Res"), name, gobos),
        "" if group == "Shutter" => shutter(name),
        _ => Function::Other,
    }
}
