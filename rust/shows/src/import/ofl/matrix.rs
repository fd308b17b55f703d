//! The pixels of a fixture and their groups.

use super::super::ImportError;
use super::super::json::Node;
use super::channel::Target;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The most pixels.
const MAX_PIXELS: usize = 4_096;

/// The pixels of a fixture.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    size: [u16; 3],
    /// Place in the grid, x first, and name, in the order of the places.
    pixels: Vec<(u16, String)>,
    /// The groups in the file's order.
    groups: Vec<String>,
    targets: HashMap<String, Target>,
}

impl Matrix {
    pub(super) fn read(node: &Node<'_>, order: Vec<String>) -> Result<Self, ImportError> {
        node.known(&["pixelCount", "pixelKeys", "pixelGroups"])?;
        let mut matrix = Self::default();
        match (node.get("pixelCount"), node.get("pixelKeys")) {
            (Some(count), None) => matrix.count(&count)?,
            (None, Some(keys)) => matrix.keys(&keys)?,
            _ => return Err(node.wrong("pixelCount or pixelKeys")),
        }
        for (place, name) in &matrix.pixels {
            if matrix
                .targets
                .insert(name.clone(), Target::Pixel(*place))
                .is_some()
            {
                return Err(node.wrong("pixels of different names"));
            }
        }
        let Some(groups) = node.get("pixelGroups") else {
            return Ok(matrix);
        };
        for (_, group) in groups.entries()? {
            if group.value.is_object() {
                group.known(&["x", "y", "z", "name"])?;
            } else if group.value.as_str() != Some("all") {
                for member in group.items()? {
                    if !matches!(matrix.targets.get(member.text()?), Some(Target::Pixel(_))) {
                        return Err(member.wrong("a pixel"));
                    }
                }
            }
        }
        for (place, name) in (0..).zip(order) {
            if matrix
                .targets
                .insert(name.clone(), Target::Group(place))
                .is_some()
            {
                return Err(groups.wrong("groups with other names than pixels"));
            }
            matrix.groups.push(name);
        }
        Ok(matrix)
    }

    /// Pixels by their number: their names are their places along the axes that have more than one.
    fn count(&mut self, node: &Node<'_>) -> Result<(), ImportError> {
        let mut sizes = Vec::new();
        for item in node.items()? {
            sizes.push(item.integer(MAX_PIXELS as u32)?.max(1) as u16);
        }
        self.size = sizes.try_into().map_err(|_| node.wrong("three numbers"))?;
        self.check(node)?;
        let axes: Vec<usize> = (0..3).filter(|axis| self.size[*axis] > 1).collect();
        let [width, height, depth] = self.size;
        let mut place = 0;
        for z in 1..=depth {
            for y in 1..=height {
                for x in 1..=width {
                    let along: Vec<String> = axes.iter().map(|axis| [x, y, z][*axis].to_string()).collect();
                    let name = match along.len() {
                        0 => "1".to_owned(),
                        1 => along.concat(),
                        _ => format!("({})", along.join(", ")),
                    };
                    self.pixels.push((place, name));
                    place += 1;
                }
            }
        }
        Ok(())
    }

    /// Pixels by their names in layers of rows.
    fn keys(&mut self, node: &Node<'_>) -> Result<(), ImportError> {
        let mut cells = Vec::new();
        let mut size = [0_usize; 3];
        for (z, layer) in node.items()?.enumerate() {
            for (y, row) in layer.items()?.enumerate() {
                for (x, cell) in row.items()?.enumerate() {
                    size = [size[0].max(x + 1), size[1].max(y + 1), size[2].max(z + 1)];
                    if !cell.value.is_null() {
                        cells.push(([x, y, z], cell.text()?.to_owned()));
                    }
                }
            }
        }
        self.size = size.map(|count| u16::try_from(count).unwrap_or(u16::MAX));
        self.check(node)?;
        for ([x, y, z], name) in cells {
            let place = (z * size[1] + y) * size[0] + x;
            self.pixels.push((place as u16, name));
        }
        Ok(())
    }

    fn check(&self, node: &Node<'_>) -> Result<(), ImportError> {
        let count = self
            .size
            .iter()
            .map(|count| usize::from(*count))
            .product::<usize>();
        if (1..=MAX_PIXELS).contains(&count) {
            return Ok(());
        }
        Err(node.wrong("1 to 4096 pixels"))
    }

    /// The pixels along each axis.
    pub(super) fn pixels(&self) -> [u16; 3] {
        self.size.map(|count| count.max(1))
    }

    /// The names of pixels and groups.
    pub(super) fn targets(&self) -> &HashMap<String, Target> {
        &self.targets
    }

    /// The names that a block repeats its channels for.
    pub(super) fn repeat(&self, node: &Node<'_>) -> Result<Vec<String>, ImportError> {
        let Some(order) = node.value.as_str() else {
            let names = node.items()?.map(|item| {
                let name = item.text()?;
                if self.targets.contains_key(name) {
                    Ok(name.to_owned())
                } else {
                    Err(item.wrong("a pixel or group"))
                }
            });
            return names.collect();
        };
        let axes: Vec<usize> = match order {
            "eachPixelGroup" => return Ok(self.groups.clone()),
            "eachPixelABC" => {
                let mut names: Vec<String> = self.pixels.iter().map(|(_, name)| name.clone()).collect();
                names.sort_by_key(|name| natural(name));
                return Ok(names);
            }
            "eachPixelXYZ" => vec![0, 1, 2],
            "eachPixelXZY" => vec![0, 2, 1],
            "eachPixelYXZ" => vec![1, 0, 2],
            "eachPixelYZX" => vec![1, 2, 0],
            "eachPixelZXY" => vec![2, 0, 1],
            "eachPixelZYX" => vec![2, 1, 0],
            _ => return Err(node.wrong("an order of pixels")),
        };
        let [width, height, _] = self.size;
        let mut pixels: Vec<&(u16, String)> = self.pixels.iter().collect();
        // The first axis runs fastest: it is the last to compare.
        pixels.sort_by_key(|(place, _)| {
            let at = [place % width, place / width % height, place / width / height];
            [at[axes[2]], at[axes[1]], at[axes[0]]]
        });
        Ok(pixels.into_iter().map(|(_, name)| name.clone()).collect())
    }
}

/// A key to sort names by, with the numbers in them as numbers.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = Vec::new();
    let mut digits = false;
    for character in name.chars() {
        let digit = character.to_digit(10).map(u64::from);
        match (parts.last_mut(), digit) {
            (Some((number, text)), Some(digit)) if digits && text.is_empty() => {
                *number = number.saturating_mul(10).saturating_add(digit);
            }
            (_, Some(digit)) => parts.push((digit, String::new())),
            (Some((_, text)), None) if !digits => text.extend(character.to_lowercase()),
            // Letters come after numbers.
            (_, None) => parts.push((u64::MAX, character.to_lowercase().collect())),
        }
        digits = digit.is_some();
    }
    parts
}

/// The names of the groups in the file's order, which the tree of values does not keep.
pub(super) fn group_order(bytes: &[u8]) -> Vec<String> {
    let within = |text: &str, key: &str| -> Option<String> {
        let object: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
        Some(object.get(key)?.get().to_owned())
    };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let groups = within(text, "matrix").and_then(|matrix| within(&matrix, "pixelGroups"));
    let keys = groups.and_then(|groups| serde_json::from_str(&groups).ok());
    keys.map_or(Vec::new(), |Keys(keys)| keys)
}

/// The keys of an object in their order.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Keys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
