//! My Virtual Rig: an archive with the places of fixtures, and their devices.

use super::{ImportError, archive, gdtf, wrong, xml};
use crate::fixture::{FixtureId, Profile, RigUniverse};
use roxmltree::Node;
use rustle_lighting::SLOTS;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a scene is in an archive.
const DESCRIPTION: &str = "GeneralSceneDescription.xml";
/// The most devices of a scene.
const MAX_DEVICES: usize = 500;
/// The deepest tree of layers and groups.
const MAX_DEPTH: usize = 64;
/// The millimetres of a metre.
const MILLIMETRES: f64 = 1000.0;

/// A fixture of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneFixture {
    /// The name for people.
    pub name: String,
    /// The id for people, a number if it is one; empty if the file has none.
    pub id: FixtureId,
    /// The name of its profile: that of its device, or of the device's file where the archive lacks it.
    pub profile: String,
    /// The name of its mode.
    pub mode: String,
    /// The universe from 1 and the slot from 1; none if it has no address.
    pub address: Option<(u32, u16)>,
    /// The position in metres.
    pub position: [f64; 3],
    /// The rotation in degrees around x, then y, then z.
    pub rotation: [f64; 3],
    /// The name of its layer.
    pub layer: String,
}

/// A scene: fixtures, and the profiles of their devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The fixtures, in the file's order.
    pub fixtures: Vec<SceneFixture>,
    /// The profiles of the devices in the archive.
    pub profiles: Vec<Profile>,
    /// What was left out, for people.
    pub notes: Vec<String>,
}

/// Whether the bytes are an archive with a scene, which may be malformed.
pub fn is_scene(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK") && archive::file(bytes, DESCRIPTION).is_ok()
}

/// Reads a scene.
///
/// # Errors
/// [`ImportError`] for bytes that are no such archive. A device that cannot be a profile is a note.
pub fn mvr(bytes: &[u8]) -> Result<Scene, ImportError> {
    let description = archive::file(bytes, DESCRIPTION)?;
    let document = xml::parse(xml::document(&description)?)?;
    let root = document.root_element();
    let scene = xml::child(root, "Scene").filter(|_| root.tag_name().name() == "GeneralSceneDescription");
    let scene = scene.ok_or_else(|| {
        wrong(
            "root",
            "GeneralSceneDescription with a Scene",
            root.tag_name().name(),
        )
    })?;
    let mut read = Scene::default();
    let mut names: HashMap<String, String> = HashMap::new();
    let layers = xml::child(scene, "Layers")
        .into_iter()
        .flat_map(|layers| xml::children(layers, "Layer"));
    for layer in layers {
        let name = layer.attribute("name").unwrap_or_default();
        let mut open = vec![(layer, Place::NONE, 0)];
        while let Some((node, place, depth)) = open.pop() {
            if depth > MAX_DEPTH {
                return Err(wrong("Layer", "at most 64 groups within each other", "more"));
            }
            let place = place.within(node)?;
            if node.tag_name().name() == "Fixture" {
                read.fixtures.push(fixture(node, &place, name)?);
            }
            let children = xml::children(node, "ChildList").flat_map(|list| list.children());
            // The last one is visited first.
            let children: Vec<_> = children.filter(Node::is_element).collect();
            open.extend(children.into_iter().rev().map(|child| (child, place, depth + 1)));
        }
    }
    for fixture in &mut read.fixtures {
        let file = fixture.profile.clone();
        if !names.contains_key(&file) {
            if names.len() >= MAX_DEVICES {
                return Err(wrong("GDTFSpec", "at most 500 devices", "more"));
            }
            let name = match archive::file(bytes, &file).and_then(|bytes| gdtf(&bytes)) {
                Ok(imported) => {
                    let name = imported.profile.name.clone();
                    read.notes
                        .extend(imported.notes.into_iter().map(|note| format!("{name}: {note}")));
                    if read.profiles.iter().all(|profile| profile.name != name) {
                        read.profiles.push(imported.profile);
                    }
                    name
                }
                Err(error) => {
                    read.notes.push(format!("{file}: {error}"));
                    file.trim_end_matches(".gdtf").to_owned()
                }
            };
            names.insert(file.clone(), name);
        }
        if let Some(name) = names.get(&file) {
            fixture.profile.clone_from(name);
        }
    }
    Ok(read)
}

fn fixture(node: Node<'_, '_>, place: &Place, layer: &str) -> Result<SceneFixture, ImportError> {
    let text = |name| xml::text(xml::child(node, name));
    let name = node.attribute("name").unwrap_or_default();
    let path = format!("Fixture \"{name}\"");
    let id = text("FixtureID");
    let spec = text("GDTFSpec");
    if spec.is_empty() {
        return Err(wrong(&format!("{path}/GDTFSpec"), "a device", "nothing"));
    }
    let address = xml::child(node, "Addresses").and_then(|list| xml::child(list, "Address"));
    Ok(SceneFixture {
        name: name.to_owned(),
        id: id
            .parse()
            .map_or_else(|_| FixtureId::Name(id.to_owned()), FixtureId::Number),
        // A name without its ending is allowed.
        profile: if spec.ends_with(".gdtf") {
            spec.to_owned()
        } else {
            format!("{spec}.gdtf")
        },
        mode: text("GDTFMode").to_owned(),
        address: address
            .map(|node| self::address(xml::text(Some(node)), &path))
            .transpose()?
            .flatten(),
        position: place.origin.map(|along| along / MILLIMETRES),
        rotation: place.degrees(),
        layer: layer.to_owned(),
    })
}

/// A universe and a slot from 1: an absolute number, (universe - 1) * 512 + slot, or `universe.slot`. 0 and nothing are no address.
fn address(text: &str, path: &str) -> Result<Option<(u32, u16)>, ImportError> {
    let fault = || {
        wrong(
            &format!("{path}/Address"),
            "a slot from 1, or universe.slot",
            text,
        )
    };
    if text.is_empty() || text == "0" {
        return Ok(None);
    }
    let slots = SLOTS as u32;
    let (universe, slot) = match text.split_once('.') {
        Some((universe, slot)) => (
            universe.parse().map_err(|_| fault())?,
            slot.parse().map_err(|_| fault())?,
        ),
        None => {
            let from_zero: u32 = text
                .parse::<u32>()
                .ok()
                .and_then(|number| number.checked_sub(1))
                .ok_or_else(fault)?;
            (from_zero / slots + 1, from_zero % slots + 1)
        }
    };
    if universe == 0 || !(1..=slots).contains(&slot) {
        return Err(fault());
    }
    Ok(Some((universe, slot as u16)))
}

/// Where an object is: its axes and its origin in the venue, in millimetres.
#[derive(Clone, Copy)]
struct Place {
    axes: [[f64; 3]; 3],
    origin: [f64; 3],
}

impl Place {
    const NONE: Self = Self {
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        origin: [0.0; 3],
    };

    /// A vector of the object's frame in that of the venue.
    fn apply(&self, vector: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| (0..3).map(|along| vector[along] * self.axes[along][axis]).sum())
    }

    /// The place of an object within this one, by its matrix `{x axis}{y axis}{z axis}{origin}`.
    fn within(&self, node: Node<'_, '_>) -> Result<Self, ImportError> {
        let Some(matrix) = xml::child(node, "Matrix") else {
            return Ok(*self);
        };
        let text = xml::text(Some(matrix));
        let rows = text.split('{').skip(1).map(|row| {
            let numbers: Vec<f64> = row
                .trim()
                .strip_suffix('}')?
                .split(',')
                .map(|part| part.trim().parse().ok())
                .collect::<Option<_>>()?;
            <[f64; 3]>::try_from(numbers).ok()
        });
        let rows: Option<Vec<[f64; 3]>> = rows.collect();
        let rows = rows.filter(|rows| rows.iter().flatten().all(|number| number.abs() < 1e9));
        let rows = rows.and_then(|rows| <[[f64; 3]; 4]>::try_from(rows).ok());
        let [x, y, z, origin] = rows.ok_or_else(|| wrong("Matrix", "four rows of three numbers", text))?;
        let moved = self.apply(origin);
        Ok(Self {
            axes: [x, y, z].map(|axis| self.apply(axis)),
            origin: std::array::from_fn(|axis| self.origin[axis] + moved[axis]),
        })
    }

    /// The rotation in degrees around x, then y, then z, whatever the axes' lengths.
    fn degrees(&self) -> [f64; 3] {
        let [x, y, z] = self.axes.map(|axis| {
            let length = axis.iter().map(|part| part * part).sum::<f64>().sqrt();
            axis.map(|part| if length > 0.0 { part / length } else { 0.0 })
        });
        let around_y = libm::asin((-x[2]).clamp(-1.0, 1.0));
        // Where x points up or down, the turns around x and z are the same one.
        let is_upright = x[0].abs() + x[1].abs() < 1e-9;
        let (around_x, around_z) = if is_upright {
            (libm::atan2(-z[1], y[1]), 0.0)
        } else {
            (libm::atan2(y[2], z[2]), libm::atan2(x[1], x[0]))
        };
        [around_x, around_y, around_z].map(|angle| {
            let degrees = angle.to_degrees();
            // Without the noise of the last digits.
            (degrees * 1e6).round() / 1e6 + 0.0
        })
    }
}

impl Scene {
    /// The scene as a rig's file, with its profiles. `universe` maps the scene's universes, from 1; fixtures without an address, or
    /// of a universe that it has none for, are left out.
    pub fn rig(&self, universe: impl Fn(u32) -> Option<RigUniverse>) -> String {
        let mut fixtures = Vec::new();
        for (index, fixture) in self.fixtures.iter().enumerate() {
            let Some((number, slot)) = fixture.address else {
                continue;
            };
            let Some(universe) = universe(number) else {
                continue;
            };
            let (protocol, universe) = match universe {
                RigUniverse::Sacn(universe) => ("sacn", universe.to_string()),
                RigUniverse::ArtNet(address) => ("artnet", address.to_string()),
            };
            let id = match &fixture.id {
                FixtureId::Number(number) => Value::from(*number),
                FixtureId::Name(name) if name.is_empty() => Value::from(format!("mvr {}", index + 1)),
                FixtureId::Name(name) => Value::from(name.as_str()),
            };
            let mut value = json!({
                "id": id, "profile": fixture.profile, "protocol": protocol, "universe": universe,
                "address": slot, "position": fixture.position, "rotation": fixture.rotation,
            });
            for (key, text) in [
                ("name", &fixture.name),
                ("mode", &fixture.mode),
                ("group", &fixture.layer),
            ] {
                if !text.is_empty() {
                    value[key] = text.as_str().into();
                }
            }
            fixtures.push(value.to_string());
        }
        let profiles: Vec<String> = self.profiles.iter().map(Profile::write).collect();
        format!(
            "{{\"v\":1,\"profiles\":[{}],\"fixtures\":[\n{}\n]}}\n",
            profiles.join(","),
            fixtures.join(",\n")
        )
    }
}
