//! Fixtures of the Open Fixture Library, JSON by versions 4 to 12 of its schema. The format may change: a key that is not known is
//! refused with its place.

mod capability;
mod channel;
mod early;
mod entity;
mod matrix;

use super::draft::{self, DraftChannel, DraftMode};
use super::json::Node;
use super::{ImportError, Imported, check_size, wrong};
use crate::fixture::{Attribute, USUAL_PAN, USUAL_TILT};
use channel::{Channels, Entry, Target};
use matrix::Matrix;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Reads a fixture of the Open Fixture Library.
///
/// # Errors
/// [`ImportError`] for bytes that are no such fixture, or of one that cannot be a profile.
pub fn ofl(bytes: &[u8]) -> Result<Imported, ImportError> {
    check_size(bytes)?;
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| ImportError::Syntax(format!("expected JSON, got {error}")))?;
    let file = Node::root(&value);
    if let Some(other) = file.get("redirectTo") {
        return Err(other.wrong("a fixture"));
    }
    file.known(&[
        "$schema",
        "name",
        "shortName",
        "categories",
        "meta",
        "comment",
        // Of earlier versions; now it is among the links.
        "manualURL",
        "links",
        "helpWanted",
        "rdm",
        "physical",
        "matrix",
        "wheels",
        "availableChannels",
        "templateChannels",
        "modes",
        "fixtureKey",
        "manufacturerKey",
        "oflURL",
    ])?;
    let name = file.need("name", "a name")?.text()?.to_owned();
    let matrix = match file.get("matrix") {
        Some(node) => Matrix::read(&node, matrix::group_order(bytes))?,
        None => Matrix::default(),
    };
    let physical = file.get("physical");
    let channels = Channels::read(&file, &matrix, degrees(physical.as_ref())?)?;
    let mut notes = Vec::new();
    let mut modes = Vec::new();
    for node in file.need("modes", "an array")?.items()? {
        modes.push(mode(&node, physical.as_ref(), &channels, &matrix, &mut notes)?);
    }
    let profile = draft::profile(name, modes, &mut notes)?;
    Ok(Imported { profile, notes })
}

/// A channel of a mode, before its slots are together.
#[derive(Default)]
struct Slots {
    /// The coarse slot, then the fine ones, as far as the mode has them.
    offsets: BTreeMap<usize, u16>,
}

fn mode(
    node: &Node<'_>,
    physical: Option<&Node<'_>>,
    channels: &Channels<'_>,
    matrix: &Matrix,
    notes: &mut Vec<String>,
) -> Result<DraftMode, ImportError> {
    node.known(&["name", "shortName", "rdmPersonalityIndex", "physical", "channels"])?;
    let name = node.need("name", "a name")?.text()?.to_owned();
    let entries = entries(&node.need("channels", "an array")?, channels, matrix)?;
    let mut order: Vec<(&str, Option<Target>)> = Vec::new();
    let mut found: HashMap<(&str, Option<Target>), Slots> = HashMap::new();
    for (offset, entry) in (0_u16..).zip(&entries) {
        let Some(entry) = entry else {
            continue;
        };
        let key = (entry.channel, entry.target);
        let slots = found.entry(key).or_insert_with(|| {
            order.push(key);
            Slots::default()
        });
        if slots.offsets.insert(entry.fine, offset).is_some() {
            return Err(wrong(
                &format!("{}.channels[{offset}]", node.path),
                "each channel once",
                entry.channel,
            ));
        }
    }
    let layout = Layout::of(&order, matrix);
    let (mut pan, mut tilt) = (None, None);
    let mut drafts = Vec::new();
    for key in order {
        let Some(definition) = channels.definition(key.0) else {
            continue;
        };
        let slots = found.remove(&key).unwrap_or_default();
        // A fine slot counts only with those that are coarser.
        let together = slots
            .offsets
            .iter()
            .enumerate()
            .take_while(|(place, (fine, _))| place == *fine);
        let offsets: Vec<u16> = together.map(|(_, (_, offset))| *offset).collect();
        if offsets.len() < slots.offsets.len() {
            notes.push(format!("mode \"{name}\": \"{}\" lacks a coarser slot", key.0));
        }
        if offsets.is_empty() {
            continue;
        }
        match definition.attribute {
            Attribute::Pan => pan = pan.or(definition.range),
            Attribute::Tilt => tilt = tilt.or(definition.range),
            _ => {}
        }
        drafts.push(DraftChannel {
            attribute: definition.attribute.clone(),
            element: key.1.and_then(|target| layout.element(target)),
            offsets,
            resolution: definition.resolution,
            default: definition.default,
            capabilities: definition.capabilities.clone(),
        });
    }
    // What a mode says of the fixture's body is in place of what the file says.
    let own = node.get("physical");
    let (pitch, beam) = sizes([own.as_ref(), physical], layout.pixels)?;
    let draft = DraftMode {
        name,
        footprint: entries.len(),
        channels: drafts,
        pixels: layout.pixels,
        pitch,
        pan,
        tilt,
        beam,
    };
    Ok(draft.find_pixels(notes))
}

/// The entries of a mode's list, one for each slot.
fn entries<'a>(
    list: &Node<'a>,
    channels: &'a Channels<'a>,
    matrix: &Matrix,
) -> Result<Vec<Option<Entry<'a>>>, ImportError> {
    let mut entries = Vec::new();
    for item in list.items()? {
        match item.value {
            Value::Null => entries.push(None),
            Value::String(key) => {
                let entry = channels.entry(key);
                entries.push(Some(entry.ok_or_else(|| item.wrong("a channel of the fixture"))?));
            }
            _ => inserted(&item, channels, matrix, &mut entries)?,
        }
        if entries.len() > rustle_lighting::SLOTS {
            return Err(wrong(&list.path, "at most 512 slots", "more"));
        }
    }
    Ok(entries)
}

/// Adds the channels of an insert block.
fn inserted<'a>(
    block: &Node<'a>,
    channels: &'a Channels<'a>,
    matrix: &Matrix,
    entries: &mut Vec<Option<Entry<'a>>>,
) -> Result<(), ImportError> {
    block.known(&["insert", "repeatFor", "channelOrder", "templateChannels"])?;
    let insert = block.need("insert", "\"matrixChannels\"")?;
    if insert.text()? != "matrixChannels" {
        return Err(insert.wrong("\"matrixChannels\""));
    }
    let names = matrix.repeat(&block.need("repeatFor", "pixels")?)?;
    let mut templates = Vec::new();
    for item in block.need("templateChannels", "an array")?.items()? {
        templates.push(match item.value {
            Value::Null => None,
            _ => Some((item.text()?, item)),
        });
    }
    let order = block.need("channelOrder", "perPixel or perChannel")?;
    let count = names.len().saturating_mul(templates.len());
    if count > rustle_lighting::SLOTS {
        return Err(block.wrong("at most 512 slots"));
    }
    let mut add = |name: &str, template: &Option<(&str, Node<'a>)>| {
        let Some((key, item)) = template else {
            entries.push(None);
            return Ok(());
        };
        let entry = channels.entry(&key.replace(channel::PIXEL_KEY, name));
        entries.push(Some(
            entry.ok_or_else(|| item.wrong("a template channel of the fixture"))?,
        ));
        Ok(())
    };
    match order.text()? {
        "perPixel" => {
            for name in &names {
                templates.iter().try_for_each(|template| add(name, template))?;
            }
        }
        "perChannel" => {
            for template in &templates {
                names.iter().try_for_each(|name| add(name, template))?;
            }
        }
        _ => return Err(order.wrong("perPixel or perChannel")),
    }
    Ok(())
}

/// The elements of a mode: the pixels, or the groups of a mode that has channels of groups only.
struct Layout {
    pixels: [u16; 3],
    groups: Option<Vec<Target>>,
}

impl Layout {
    fn of(used: &[(&str, Option<Target>)], matrix: &Matrix) -> Self {
        let mut groups: Vec<Target> = Vec::new();
        for target in used.iter().filter_map(|(_, target)| *target) {
            match target {
                Target::Pixel(_) => {
                    return Self {
                        pixels: matrix.pixels(),
                        groups: None,
                    };
                }
                Target::Group(_) if !groups.contains(&target) => groups.push(target),
                Target::Group(_) => {}
            }
        }
        Self {
            pixels: [u16::try_from(groups.len()).unwrap_or(u16::MAX).max(1), 1, 1],
            groups: Some(groups),
        }
    }

    /// The element of a target; none for a group beside pixels.
    fn element(&self, target: Target) -> Option<u16> {
        match (&self.groups, target) {
            (None, Target::Pixel(place)) => Some(place),
            (Some(groups), group) if groups.len() > 1 => {
                let place = groups.iter().position(|one| *one == group)?;
                u16::try_from(place).ok()
            }
            _ => None,
        }
    }
}

/// The distance of pixels along each axis in metres, and the widest beam in degrees, as the first of the bodies says that has it.
fn sizes(bodies: [Option<&Node<'_>>; 2], pixels: [u16; 3]) -> Result<([Option<f32>; 3], f32), ImportError> {
    let bodies: Vec<&Node<'_>> = bodies.into_iter().flatten().collect();
    for body in &bodies {
        body.known(&[
            "dimensions",
            "weight",
            "power",
            "powerConnectors",
            "DMXconnector",
            "bulb",
            "lens",
            "focus",
            "matrixPixels",
        ])?;
    }
    let find = |key: &str, within: &str| bodies.iter().find_map(|body| body.get(key)?.get(within));
    let lengths = |node: Option<Node<'_>>| node.map(|node| node.numbers::<3>()).transpose();
    let (size, gap) = (
        lengths(find("matrixPixels", "dimensions"))?,
        lengths(find("matrixPixels", "spacing"))?,
    );
    let whole = lengths(bodies.iter().find_map(|body| body.get("dimensions")))?;
    let pitch = std::array::from_fn(|axis| {
        let millimetres = match (size, gap, whole) {
            (None, None, Some(whole)) => whole[axis] / f64::from(pixels[axis]),
            (None, None, None) => return None,
            (size, gap, _) => size.map_or(0.0, |size| size[axis]) + gap.map_or(0.0, |gap| gap[axis]),
        };
        (millimetres > 0.0).then_some((millimetres / 1000.0) as f32)
    });
    let beam = match find("lens", "degreesMinMax") {
        Some(node) => node.numbers::<2>()?[1].clamp(0.0, 360.0),
        None => 0.0,
    };
    Ok((pitch, beam as f32))
}

/// The degrees of pan and tilt, which earlier versions have beside the channels; the usual ones where nothing says them.
fn degrees(body: Option<&Node<'_>>) -> Result<[f32; 2], ImportError> {
    let focus = body.and_then(|body| body.get("focus"));
    if let Some(focus) = &focus {
        focus.known(&["type", "panMax", "tiltMax"])?;
    }
    let range = |key: &str, usual: f32| match focus.as_ref().and_then(|focus| focus.get(key)) {
        Some(most) if most.value.as_str() != Some("infinite") => {
            Ok(most.number()?.clamp(0.0, 3_600.0) as f32)
        }
        _ => Ok(usual),
    };
    Ok([range("panMax", USUAL_PAN)?, range("tiltMax", USUAL_TILT)?])
}
