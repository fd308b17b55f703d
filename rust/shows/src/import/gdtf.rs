//! General Device Type Format, DIN SPEC 15800: an archive with `description.xml`.

mod channel;
mod geometry;
mod value;

use super::draft::{self, DraftMode};
use super::{ImportError, Imported, archive, wrong, xml};
use channel::{Wheels, channel};
use geometry::Geometries;
use roxmltree::Node;

/// Reads a device type. A mode that needs several addresses is left out.
///
/// # Errors
/// [`ImportError`] for bytes that are no such archive, or of a device that cannot be a profile.
pub fn gdtf(bytes: &[u8]) -> Result<Imported, ImportError> {
    let description = archive::file(bytes, "description.xml")?;
    let document = xml::parse(xml::document(&description)?)?;
    let root = document.root_element();
    let device = xml::child(root, "FixtureType").filter(|_| root.tag_name().name() == "GDTF");
    let device = device.ok_or_else(|| wrong("root", "GDTF with a FixtureType", root.tag_name().name()))?;
    let maker = device.attribute("Manufacturer").unwrap_or_default().trim();
    let model = xml::attribute(device, "FixtureType", "Name")?.trim();
    let geometries = Geometries::read(device)?;
    let wheels = Wheels::read(device);
    let mut notes = Vec::new();
    let mut drafts = Vec::new();
    let modes = xml::child(device, "DMXModes").ok_or_else(|| wrong("DMXModes", "modes", "nothing"))?;
    for node in xml::children(modes, "DMXMode") {
        drafts.extend(mode(node, &geometries, &wheels, &mut notes)?);
    }
    let name = format!("{maker} {model}");
    let profile = draft::profile(name.trim().to_owned(), drafts, &mut notes)?;
    Ok(Imported { profile, notes })
}

fn mode(
    node: Node<'_, '_>,
    geometries: &Geometries<'_, '_>,
    wheels: &Wheels,
    notes: &mut Vec<String>,
) -> Result<Option<DraftMode>, ImportError> {
    let name = xml::attribute(node, "DMXMode", "Name")?;
    let path = format!("DMXMode \"{name}\"");
    let tree = geometries.tree(node.attribute("Geometry").unwrap_or_default(), &path)?;
    let list = xml::child(node, "DMXChannels").ok_or_else(|| wrong(&path, "DMXChannels", "nothing"))?;
    let mut channels = Vec::new();
    let mut breaks: Vec<u32> = Vec::new();
    let (mut pan, mut tilt) = (None, None);
    let mut footprint = 0_usize;
    for definition in xml::children(list, "DMXChannel") {
        let Some(read) = channel(definition, &path, wheels)? else {
            continue;
        };
        pan = pan.or(read.pan);
        tilt = tilt.or(read.tilt);
        for instance in tree.instances(read.geometry, read.dmx_break) {
            if !breaks.contains(&instance.dmx_break) {
                breaks.push(instance.dmx_break);
            }
            let mut draft = read.draft.clone();
            draft.element = instance.element;
            for offset in &mut draft.offsets {
                *offset = offset.saturating_add(instance.offset);
                footprint = footprint.max(usize::from(*offset) + 1);
            }
            channels.push(draft);
            if channels.len() > rustle_lighting::SLOTS {
                return Err(wrong(&path, "at most 512 channels", "more"));
            }
        }
    }
    if breaks.len() > 1 {
        notes.push(format!("{path}: left out, it needs {} addresses", breaks.len()));
        return Ok(None);
    }
    let pixels = u16::try_from(tree.elements()).unwrap_or(u16::MAX).max(1);
    let draft = DraftMode {
        name: name.to_owned(),
        footprint,
        channels,
        pixels: [pixels, 1, 1],
        pitch: [tree.pitch(), None, None],
        pan,
        tilt,
        beam: geometries.beam(),
    };
    Ok(Some(draft.find_pixels(notes)))
}
