//! Fixture definitions of QLC+, `.qxf`: XML of channels, which the modes put in order.

mod capability;
mod channel;

use super::draft::{self, DraftChannel, DraftMode};
use super::{ImportError, Imported, wrong, xml};
use crate::fixture::Attribute;
use channel::{Definition, Pairing};
use roxmltree::Node;
use std::collections::HashMap;

/// Reads a fixture definition of QLC+ 4 or 5.
///
/// # Errors
/// [`ImportError`] for bytes that are no such definition, or of a fixture that cannot be a profile.
pub fn qxf(bytes: &[u8]) -> Result<Imported, ImportError> {
    let text = xml::document(bytes)?;
    let document = xml::parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "FixtureDefinition" {
        return Err(wrong("root", "FixtureDefinition", root.tag_name().name()));
    }
    let mut notes = Vec::new();
    let mut definitions = HashMap::new();
    for node in xml::children(root, "Channel") {
        let name = xml::attribute(node, "Channel", "Name")?;
        let definition = Definition::read(node, name, &mut notes)?;
        if definitions.insert(name, definition).is_some() {
            return Err(wrong(
                &format!("Channel \"{name}\""),
                "channels of different names",
                "a second one",
            ));
        }
    }
    let physical = xml::child(root, "Physical");
    let modes = xml::children(root, "Mode")
        .map(|node| mode(node, physical, &definitions, &mut notes))
        .collect::<Result<_, _>>()?;
    let maker = xml::text(xml::child(root, "Manufacturer"));
    let model = xml::text(xml::child(root, "Model"));
    for (tag, value) in [("Manufacturer", maker), ("Model", model)] {
        if value.is_empty() {
            return Err(wrong(tag, "a name", "nothing"));
        }
    }
    let profile = draft::profile(format!("{maker} {model}"), modes, &mut notes)?;
    Ok(Imported { profile, notes })
}

fn mode(
    node: Node<'_, '_>,
    physical: Option<Node<'_, '_>>,
    definitions: &HashMap<&str, Definition>,
    notes: &mut Vec<String>,
) -> Result<DraftMode, ImportError> {
    let name = xml::attribute(node, "Mode", "Name")?;
    let path = format!("Mode \"{name}\"");
    let mut slots: Vec<&Definition> = Vec::new();
    for channel in xml::children(node, "Channel") {
        let number = xml::attribute(channel, &path, "Number")?;
        if number.trim().parse() != Ok(slots.len()) {
            return Err(wrong(
                &format!("{path}/Channel@Number"),
                &slots.len().to_string(),
                number,
            ));
        }
        // Names with spaces at their ends are names of their own.
        let wanted = channel.text().unwrap_or_default();
        let definition = definitions.get(wanted).or_else(|| definitions.get(wanted.trim()));
        slots.push(definition.ok_or_else(|| wrong(&format!("{path}/Channel"), "a channel's name", wanted))?);
    }
    let physical = xml::child(node, "Physical").or(physical);
    let within = |tag| physical.and_then(|physical| xml::child(physical, tag));
    let (heads, elements) = heads(node, slots.len());
    let pixels = layout(within("Layout"), heads);
    let mut channels: Vec<DraftChannel> = Vec::new();
    let mut pairing = Pairing::default();
    for (offset, definition) in (0_u16..).zip(&slots) {
        let element = elements.get(usize::from(offset)).copied().flatten();
        match pairing.coarse(definition, element) {
            Some(coarse) => channels[coarse].offsets.push(offset),
            None => {
                pairing.add(definition, element);
                channels.push(definition.draft(offset, element));
            }
        }
    }
    for (definition, channel) in pairing.fine_ones_alone(&mut channels) {
        notes.push(format!(
            "{path}: \"{definition}\" is fine, and nothing here is coarse"
        ));
        channel.attribute = Attribute::Other(definition.to_owned());
    }
    let size = |name, count: u16| {
        let length = xml::number(within("Dimensions"), name).filter(|length| *length > 0.0)?;
        Some(length / 1000.0 / f32::from(count))
    };
    let focus = within("Focus");
    let draft = DraftMode {
        name: name.to_owned(),
        footprint: slots.len(),
        channels,
        pixels,
        // A layout of one row is as high as the fixture is deep, or not: only its width is known.
        pitch: [size("Width", pixels[0]), size("Height", pixels[1]), None],
        pan: xml::number(focus, "PanMax"),
        tilt: xml::number(focus, "TiltMax"),
        beam: xml::number(within("Lens"), "DegreesMax")
            .unwrap_or(0.0)
            .clamp(0.0, 360.0),
    };
    Ok(draft.find_pixels(notes))
}

/// The number of heads, and the head of each channel that belongs to one of them only.
fn heads(node: Node<'_, '_>, channels: usize) -> (u16, Vec<Option<u16>>) {
    let mut owners: Vec<Option<u16>> = vec![None; channels];
    let mut is_shared = vec![false; channels];
    let mut count = 0_u16;
    for head in xml::children(node, "Head").take(channels) {
        for channel in xml::children(head, "Channel") {
            let Some(place) = xml::text(Some(channel))
                .parse::<usize>()
                .ok()
                .filter(|place| *place < channels)
            else {
                continue;
            };
            is_shared[place] |= owners[place].is_some_and(|owner| owner != count);
            owners[place] = Some(count);
        }
        count += 1;
    }
    if count < 2 {
        return (1, Vec::new());
    }
    let owners = owners.into_iter().zip(is_shared);
    (
        count,
        owners
            .map(|(owner, is_shared)| owner.filter(|_| !is_shared))
            .collect(),
    )
}

/// The layout of the heads in columns and rows, or else in a line.
fn layout(node: Option<Node<'_, '_>>, heads: u16) -> [u16; 3] {
    let side = |name| node?.attribute(name)?.parse::<u16>().ok();
    match (side("Width"), side("Height")) {
        (Some(width), Some(height)) if u32::from(width) * u32::from(height) == u32::from(heads) => {
            [width, height, 1]
        }
        _ => [heads, 1, 1],
    }
}
