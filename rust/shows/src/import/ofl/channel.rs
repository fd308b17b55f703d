//! The channels of a fixture: available ones, those of templates for each pixel, their fine parts, and those that switch.

use super::super::ImportError;
use super::super::json::Node;
use super::capability::meaning;
use super::early;
use super::matrix::Matrix;
use crate::fixture::{Attribute, Capability, Function, MAX_BYTES};
use std::collections::HashMap;

/// What stands for the name of a pixel in templates.
pub(super) const PIXEL_KEY: &str = "$pixelKey";
/// The most channels, those of all pixels counted.
const MAX_CHANNELS: usize = 100_000;

/// The most degrees between two ranges of pan or tilt that continue each other.
const MOST_GAP: f32 = 1.0;
/// The fewest degrees of a range of pan or tilt.
const LEAST_RANGE: f32 = 5.0;

/// What a channel of a template is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A pixel, by its place in the grid.
    Pixel(u16),
    /// A group, by its place in the file.
    Group(u16),
}

/// A channel's definition.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) attribute: Attribute,
    pub(super) capabilities: Vec<Capability>,
    /// The range of pan or tilt in degrees.
    pub(super) range: Option<f32>,
    pub(super) default: Option<u32>,
    pub(super) resolution: usize,
    fine: Vec<String>,
    /// Names, and the channels that they are by default.
    switches: Vec<(String, String)>,
}

/// A slot of a mode: the channel of a definition, what for, and which byte of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// The key of the definition.
    pub(super) channel: &'a str,
    pub(super) target: Option<Target>,
    /// 0 for the coarse slot.
    pub(super) fine: usize,
}

/// All channels of a file by their names in modes.
pub(super) struct Channels<'a> {
    definitions: HashMap<&'a str, Definition>,
    entries: HashMap<String, Entry<'a>>,
    /// Names that stand for others.
    switches: HashMap<String, String>,
}

impl<'a> Channels<'a> {
    /// Reads the channels of a file, whose heads turn by these degrees where a channel does not say it.
    pub(super) fn read(file: &Node<'a>, matrix: &Matrix, degrees: [f32; 2]) -> Result<Self, ImportError> {
        let wheels = file.get("wheels");
        let mut channels = Self {
            definitions: HashMap::new(),
            entries: HashMap::new(),
            switches: HashMap::new(),
        };
        if let Some(templates) = file.get("templateChannels") {
            for (key, node) in templates.entries()? {
                let definition = Definition::read(&node, key, wheels.as_ref(), degrees)?;
                for (name, target) in matrix.targets() {
                    channels.add(key, &definition, Some((name, *target)), &node)?;
                }
                channels.definitions.insert(key, definition);
            }
        }
        if let Some(available) = file.get("availableChannels") {
            for (key, node) in available.entries()? {
                let definition = Definition::read(&node, key, wheels.as_ref(), degrees)?;
                channels.add(key, &definition, None, &node)?;
                channels.definitions.insert(key, definition);
            }
        }
        Ok(channels)
    }

    fn add(
        &mut self,
        key: &'a str,
        definition: &Definition,
        pixel: Option<(&str, Target)>,
        node: &Node<'_>,
    ) -> Result<(), ImportError> {
        let resolved = |name: &str| match pixel {
            Some((pixel, _)) => name.replace(PIXEL_KEY, pixel),
            None => name.to_owned(),
        };
        let names = std::iter::once(key).chain(definition.fine.iter().map(String::as_str));
        for (fine, name) in names.enumerate() {
            let name = resolved(name);
            // A channel in place of a template's one is for the same pixel.
            let before = self.entries.get(&name).and_then(|entry| entry.target);
            let target = pixel.map(|(_, target)| target).or(before);
            let entry = Entry {
                channel: key,
                target,
                fine,
            };
            self.entries.insert(name, entry);
        }
        for (alias, name) in &definition.switches {
            self.switches.insert(resolved(alias), resolved(name));
        }
        if self.entries.len() + self.switches.len() > MAX_CHANNELS {
            return Err(node.wrong(&format!("at most {MAX_CHANNELS} channels of all pixels")));
        }
        Ok(())
    }

    pub(super) fn definition(&self, key: &str) -> Option<&Definition> {
        self.definitions.get(key)
    }

    /// The channel of a name in a mode; one that switches is what it is by default.
    pub(super) fn entry(&self, name: &str) -> Option<Entry<'_>> {
        let entry = self.entries.get(name);
        entry
            .or_else(|| self.entries.get(self.switches.get(name)?))
            .copied()
    }
}

/// Attributes that name a channel before others of its capabilities.
fn rank(attribute: &Attribute) -> usize {
    let first = [
        Attribute::Dimmer,
        Attribute::Pan,
        Attribute::Tilt,
        Attribute::Shutter,
        Attribute::ColorWheel,
        Attribute::Gobo,
    ];
    match attribute {
        Attribute::Other(_) => usize::MAX,
        Attribute::GoboRotation | Attribute::PrismRotation | Attribute::Speed => first.len() + 2,
        Attribute::Program | Attribute::Maintenance => first.len() + 3,
        other => first
            .iter()
            .position(|one| one == other)
            .unwrap_or(first.len() + 1),
    }
}

impl Definition {
    fn read(
        node: &Node<'_>,
        key: &str,
        wheels: Option<&Node<'_>>,
        degrees: [f32; 2],
    ) -> Result<Self, ImportError> {
        let is_early = node.get("type").is_some();
        let own: &[&str] = if is_early {
            &["type", "color", "invert", "crossfade"]
        } else {
            &["dmxValueResolution", "capability"]
        };
        let all = [
            "name",
            "fineChannelAliases",
            "defaultValue",
            "highlightValue",
            "constant",
            "precedence",
            "capabilities",
        ];
        node.known(&[&all[..], own].concat())?;
        let mut fine = Vec::new();
        if let Some(aliases) = node.get("fineChannelAliases") {
            for alias in aliases.items()? {
                fine.push(alias.text()?.to_owned());
            }
            if fine.len() >= MAX_BYTES {
                return Err(aliases.wrong("at most three fine channels"));
            }
        }
        let resolution = match node.get("dmxValueResolution") {
            None => fine.len() + 1,
            Some(text) => match text.text()? {
                "8bit" => 1,
                "16bit" => 2,
                "24bit" => 3,
                _ => return Err(text.wrong("8bit, 16bit or 24bit")),
            },
        };
        let highest = u32::MAX >> (32 - 8 * resolution);
        let default = node
            .get("defaultValue")
            .map(|value| default_value(&value, highest))
            .transpose()?;
        let name = match node.get("name") {
            Some(name) => name.text()?,
            None => key,
        };
        let mut definition = Self {
            attribute: Attribute::Unused,
            capabilities: Vec::new(),
            range: None,
            default,
            resolution,
            fine,
            switches: Vec::new(),
        };
        if is_early {
            early::read(&mut definition, node, name, highest, degrees)?;
        } else {
            definition.read_capabilities(node, key, name, wheels, degrees)?;
        }
        if matches!(definition.attribute, Attribute::Pan | Attribute::Tilt) {
            definition.center_degrees();
        }
        definition.simplify(highest);
        Ok(definition)
    }

    /// Adds the channels that a range switches to by default.
    pub(super) fn switch(&mut self, capability: &Node<'_>, first: u32, last: u32) -> Result<(), ImportError> {
        if let Some(switches) = capability.get("switchChannels")
            && (first..=last).contains(&self.default.unwrap_or_default())
        {
            for (alias, channel) in switches.entries()? {
                self.switches.push((alias.to_owned(), channel.text()?.to_owned()));
            }
        }
        Ok(())
    }

    fn read_capabilities(
        &mut self,
        node: &Node<'_>,
        key: &str,
        name: &str,
        wheels: Option<&Node<'_>>,
        degrees: [f32; 2],
    ) -> Result<(), ImportError> {
        let highest = u32::MAX >> (32 - 8 * self.resolution);
        let all = match (node.get("capability"), node.get("capabilities")) {
            (Some(one), None) => vec![one],
            (None, Some(several)) => several.items()?.collect(),
            _ => return Err(node.wrong("either capability or capabilities")),
        };
        let mut attributes: Vec<Attribute> = Vec::new();
        let mut meanings = Vec::new();
        for capability in &all {
            let (first, last) = match capability.get("dmxRange") {
                None if all.len() == 1 => (0, highest),
                None => return Err(capability.wrong("a dmxRange")),
                Some(range) => ends(&range, highest)?,
            };
            // A template's wheel is named without the pixel, or its own name is the wheel's.
            let meaning = meaning(capability, key, wheels, degrees)?;
            attributes.extend(meaning.attribute.clone());
            self.switch(capability, first, last)?;
            let comment = capability
                .get("comment")
                .map(|comment| comment.text())
                .transpose()?;
            meanings.push((meaning, first, last, comment.unwrap_or_default().to_owned()));
        }
        attributes.sort_by_key(rank);
        if let Some(attribute) = attributes.into_iter().next() {
            self.attribute = match attribute {
                Attribute::Other(own) if own == key => Attribute::Other(name.to_owned()),
                other => other,
            };
        }
        for (meaning, first, last, name) in meanings {
            let is_own = meaning.attribute.as_ref() == Some(&self.attribute);
            let function = match meaning.function {
                Function::Level { .. } if !is_own => Function::Other,
                function => function,
            };
            self.capabilities.push(Capability {
                first,
                last,
                function,
                name,
            });
        }
        Ok(())
    }

    /// Puts ranges that continue each other together, and counts their degrees from the middle of all.
    fn center_degrees(&mut self) {
        let mut together: Vec<Capability> = Vec::new();
        for range in std::mem::take(&mut self.capabilities) {
            if let (Some(last), Function::Level { from, to }) = (together.last_mut(), range.function)
                && let Function::Level { from: start, to: end } = last.function
                && last.last.checked_add(1) == Some(range.first)
                && (end - from).abs() <= MOST_GAP
                && (end > start) == (to > from)
            {
                last.last = range.last;
                last.function = Function::Level { from: start, to };
            } else {
                together.push(range);
            }
        }
        let levels = together.iter().filter_map(|range| match range.function {
            Function::Level { from, to } => Some([from, to]),
            _ => None,
        });
        let (low, high) = levels.flatten().fold((f32::MAX, f32::MIN), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        // Less is no range: some files have a placeholder.
        let is_range = high - low >= LEAST_RANGE;
        self.range = is_range.then_some(high - low);
        for range in &mut together {
            if let Function::Level { from, to } = &mut range.function {
                let middle = (low + high) / 2.0;
                (*from, *to) = (*from - middle, *to - middle);
                if !is_range {
                    range.function = Function::Other;
                }
            }
        }
        self.capabilities = together;
    }

    /// Leaves out what a channel without ranges means anyway.
    fn simplify(&mut self, highest: u32) {
        let full = Function::Level { from: 0.0, to: 1.0 };
        if let [only] = &self.capabilities[..]
            && (only.first, only.last) == (0, highest)
            && (only.function == full || only.function == Function::Other)
        {
            self.capabilities.clear();
        }
    }
}

/// A value, or a part of the highest one.
fn default_value(node: &Node<'_>, highest: u32) -> Result<u32, ImportError> {
    let Some(text) = node.value.as_str() else {
        return node.integer(highest);
    };
    let percent = text
        .strip_suffix('%')
        .and_then(|number| number.parse::<f64>().ok());
    let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
    let percent = percent.ok_or_else(|| node.wrong("0% to 100%"))?;
    Ok((percent / 100.0 * f64::from(highest)) as u32)
}

/// The first and the last value of a range.
pub(super) fn ends(range: &Node<'_>, highest: u32) -> Result<(u32, u32), ImportError> {
    let ends: Vec<u32> = range
        .items()?
        .map(|end| end.integer(highest))
        .collect::<Result<_, _>>()?;
    match ends[..] {
        [first, last] if first <= last => Ok((first, last)),
        _ => Err(range.wrong("the first and the last value")),
    }
}
