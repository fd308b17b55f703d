//! The geometries of a device: which ones a mode has, and how often.

use super::super::{ImportError, wrong, xml};
use roxmltree::Node;
use std::collections::HashMap;

/// The most geometries of a mode, those of references counted each time.
const MAX_PARTS: usize = 20_000;
/// The deepest tree.
const MAX_DEPTH: usize = 64;

/// The geometries of a device.
pub(super) struct Geometries<'a, 'd> {
    top: HashMap<&'a str, Node<'a, 'd>>,
    beam: f32,
}

/// Where a channel of a mode is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// What the reference adds to the channel's slots.
    pub(super) offset: u16,
    pub(super) dmx_break: u32,
    pub(super) element: Option<u16>,
}

/// The geometries of a mode, by name: for each place of one, the reference that it is in.
pub(super) struct Tree {
    parts: HashMap<String, Vec<Option<usize>>>,
    references: Vec<Reference>,
}

/// A reference: its first slots, counted from 0, by break, in the file's order.
struct Reference {
    breaks: Vec<(u32, u16)>,
    across: Option<f32>,
}

impl<'a, 'd: 'a> Geometries<'a, 'd> {
    pub(super) fn read(device: Node<'a, 'd>) -> Result<Self, ImportError> {
        let list =
            xml::child(device, "Geometries").ok_or_else(|| wrong("Geometries", "geometries", "nothing"))?;
        let elements = list.children().filter(Node::is_element);
        let named = elements.filter_map(|node| Some((node.attribute("Name")?, node)));
        let beams = list.descendants().filter(|node| node.tag_name().name() == "Beam");
        let angles = beams.filter_map(|node| xml::number(Some(node), "BeamAngle"));
        Ok(Self {
            beam: angles.fold(0.0, f32::max).clamp(0.0, 360.0),
            top: named.collect(),
        })
    }

    /// The widest beam in degrees, 0 without one.
    pub(super) fn beam(&self) -> f32 {
        self.beam
    }

    /// The tree of a mode, from the geometry of its name.
    pub(super) fn tree(&self, name: &str, path: &str) -> Result<Tree, ImportError> {
        let root = self
            .top
            .get(name)
            .ok_or_else(|| wrong(&format!("{path}@Geometry"), "a geometry", name))?;
        let mut tree = Tree {
            parts: HashMap::new(),
            references: Vec::new(),
        };
        let mut count = 0;
        // Nodes to visit, the reference that they are in, and their depth.
        let mut open = vec![(*root, None, 0)];
        while let Some((node, reference, depth)) = open.pop() {
            count += 1;
            if count > MAX_PARTS || depth > MAX_DEPTH {
                return Err(wrong(
                    path,
                    "geometries that end",
                    "more than 20000, or 64 within each other",
                ));
            }
            let name = node.attribute("Name").unwrap_or_default();
            tree.parts.entry(name.to_owned()).or_default().push(reference);
            if node.tag_name().name() == "GeometryReference" {
                let wanted = node.attribute("Geometry").unwrap_or_default();
                let target = self.top.get(wanted);
                let target = target
                    .ok_or_else(|| wrong(&format!("GeometryReference \"{name}\""), "a geometry", wanted))?;
                tree.references.push(Reference::read(node));
                open.push((*target, Some(tree.references.len() - 1), depth + 1));
                continue;
            }
            // The last one is visited first: in reverse, so that references stay in the file's order.
            let children = node.children().filter(Node::is_element).rev();
            open.extend(children.map(|child| (child, reference, depth + 1)));
        }
        Ok(tree)
    }
}

impl Reference {
    fn read(node: Node<'_, '_>) -> Self {
        let breaks = xml::children(node, "Break").filter_map(|one| {
            let dmx_break = one.attribute("DMXBreak").unwrap_or("1").trim().parse().ok()?;
            let offset: u16 = one.attribute("DMXOffset").unwrap_or("1").trim().parse().ok()?;
            Some((dmx_break, offset.checked_sub(1)?))
        });
        Self {
            breaks: breaks.collect(),
            across: node.attribute("Position").and_then(across),
        }
    }
}

/// The x of a position in metres: the last number of the first row of `{a,b,c,x}{…}{…}{…}`.
fn across(matrix: &str) -> Option<f32> {
    let row = matrix.split('}').next()?.trim().strip_prefix('{')?;
    let x: f32 = row.rsplit(',').next()?.trim().parse().ok()?;
    x.is_finite().then_some(x)
}

impl Tree {
    /// The places of a channel of a geometry: once, or once for each reference to it. Without a break it is that of the reference.
    pub(super) fn instances(&self, geometry: &str, dmx_break: Option<u32>) -> Vec<Instance> {
        let places = self.parts.get(geometry).into_iter().flatten();
        let instances = places.map(|place| {
            let reference = place.and_then(|place| self.references.get(place));
            let found = reference.and_then(|reference| match dmx_break {
                Some(wanted) => reference.breaks.iter().find(|(own, _)| *own == wanted),
                // The last one is for channels without a break of their own.
                None => reference.breaks.last(),
            });
            let (own, offset) = found.copied().unwrap_or((dmx_break.unwrap_or(1), 0));
            Instance {
                offset,
                dmx_break: own,
                element: place
                    .filter(|_| self.references.len() > 1)
                    .and_then(|place| u16::try_from(place).ok()),
            }
        });
        instances.collect()
    }

    /// The elements: the references, if there are several.
    pub(super) fn elements(&self) -> usize {
        self.references.len().max(1)
    }

    /// The distance of the first two elements across the device in metres, if it is known.
    pub(super) fn pitch(&self) -> Option<f32> {
        let [first, second, ..] = &self.references[..] else {
            return None;
        };
        let distance = (second.across? - first.across?).abs();
        (distance > 0.0).then_some(distance)
    }
}
