//! Profiles in a format of our own, JSON of version 1: every mode spelled out, so that nothing has to be assumed.

use super::draft::{self, DraftChannel, DraftMode};
use super::json::Node;
use super::{ImportError, check_size, wrong};
use crate::fixture::{Attribute, Capability, Channel, Function, Mode, Profile};
use rustle_lighting::SLOTS;
use serde_json::{Map, Value, json};

pub(crate) const PROFILE_KEYS: [&str; 3] = ["v", "name", "modes"];
pub(crate) const MODE_KEYS: [&str; 7] = ["name", "pixels", "pitch", "pan", "tilt", "beam", "channels"];
pub(crate) const CHANNEL_KEYS: [&str; 5] = ["attribute", "slots", "element", "default", "ranges"];
pub(crate) const RANGE_KEYS: [&str; 7] = ["values", "name", "level", "shutter", "strobe", "color", "gobo"];

/// The highest absolute number: metres, degrees, flashes a second.
const MAX_NUMBER: f64 = 100_000.0;

impl Profile {
    /// Reads a profile that [`write`](Self::write) wrote: `{"v":1,"name","modes":[{"name","pixels?","pitch?","pan?","tilt?","beam?",
    /// "channels":[{"attribute","slots":[coarse,fine…],"element?","default?","ranges?":[{"values":[first,last],"name?",
    /// "level":[from,to] | "shutter":"open" | "shutter":"closed" | "strobe":[from,to] | "color":[r,g,b] | "gobo":n}]}]}]}`, with slots
    /// and elements from 1.
    ///
    /// # Errors
    /// [`ImportError`] for bytes that are no such profile.
    pub fn read(json: &[u8]) -> Result<Self, ImportError> {
        check_size(json)?;
        let value: Value = serde_json::from_slice(json)
            .map_err(|error| ImportError::Syntax(format!("expected JSON, got {error}")))?;
        profile(&Node::root(&value))
    }

    /// The profile as JSON of version 1, with a line for each channel.
    pub fn write(&self) -> String {
        let mut text = format!(
            "{{\"v\":1,\"name\":{},\"modes\":[",
            Value::from(self.name.as_str())
        );
        for (index, mode) in self.modes.iter().enumerate() {
            text += if index == 0 { "\n" } else { ",\n" };
            text += &mode_text(mode);
        }
        text + "\n]}\n"
    }
}

/// The profile at a node.
pub(crate) fn profile(file: &Node<'_>) -> Result<Profile, ImportError> {
    file.known(&PROFILE_KEYS)?;
    let version = file.need("v", "1")?;
    if version.value.as_u64() != Some(1) {
        return Err(version.wrong("1"));
    }
    let name = file.need("name", "a name")?.text()?.to_owned();
    let mut modes = Vec::new();
    for node in file.need("modes", "an array")?.items()? {
        modes.push(mode(&node)?);
    }
    draft::profile(name, modes, &mut Vec::new())
}

/// A number of a key within the limits; `usual` without the key.
fn number(node: &Node<'_>, key: &str, usual: f32) -> Result<f32, ImportError> {
    node.get(key)
        .map_or(Ok(usual), |node| limited(node.number()?, &node))
}

fn limited(number: f64, node: &Node<'_>) -> Result<f32, ImportError> {
    if number.abs() <= MAX_NUMBER {
        return Ok(number as f32);
    }
    Err(node.wrong(&format!("at most {MAX_NUMBER}")))
}

fn numbers<const N: usize>(node: &Node<'_>) -> Result<[f32; N], ImportError> {
    let numbers = node.numbers::<N>()?;
    if let Some(large) = numbers.iter().find(|number| number.abs() > MAX_NUMBER) {
        limited(*large, node)?;
    }
    Ok(numbers.map(|number| number as f32))
}

fn mode(node: &Node<'_>) -> Result<DraftMode, ImportError> {
    node.known(&MODE_KEYS)?;
    let mut pixels = [1; 3];
    if let Some(counts) = node.get("pixels") {
        let all: Vec<u16> = counts
            .items()?
            .map(|count| Ok(count.integer(u32::from(u16::MAX))? as u16))
            .collect::<Result<_, ImportError>>()?;
        pixels = all.try_into().map_err(|_| counts.wrong("three numbers"))?;
    }
    let pitch = node
        .get("pitch")
        .map_or(Ok([0.0; 3]), |pitch| numbers::<3>(&pitch))?;
    let mut channels = Vec::new();
    for item in node.need("channels", "an array")?.items()? {
        channels.push(channel(&item)?);
    }
    let offsets = channels.iter().flat_map(|channel| &channel.offsets);
    Ok(DraftMode {
        name: node.need("name", "a name")?.text()?.to_owned(),
        footprint: offsets.max().map_or(0, |last| usize::from(*last) + 1),
        channels,
        pixels,
        pitch: pitch.map(Some),
        pan: Some(number(node, "pan", 0.0)?),
        tilt: Some(number(node, "tilt", 0.0)?),
        beam: number(node, "beam", 0.0)?,
    })
}

fn channel(node: &Node<'_>) -> Result<DraftChannel, ImportError> {
    node.known(&CHANNEL_KEYS)?;
    // From 1 in the file.
    let from_one = |node: &Node<'_>, most: usize| {
        let number = node.integer(most as u32)?;
        number
            .checked_sub(1)
            .map(|number| number as u16)
            .ok_or_else(|| node.wrong(&format!("1 to {most}")))
    };
    let mut offsets = Vec::new();
    let slots = node.need("slots", "an array")?;
    for slot in slots.items()? {
        offsets.push(from_one(&slot, SLOTS)?);
    }
    if !(1..=crate::fixture::MAX_BYTES).contains(&offsets.len()) {
        return Err(slots.wrong("1 to 4 slots"));
    }
    let resolution = offsets.len();
    let highest = u32::MAX >> (32 - 8 * resolution);
    let mut capabilities = Vec::new();
    if let Some(ranges) = node.get("ranges") {
        for range in ranges.items()? {
            capabilities.push(capability(&range, highest)?);
        }
    }
    let element = node.get("element");
    let attribute = node.need("attribute", "a name")?;
    if let Some(known) = Attribute::misspelled(attribute.text()?) {
        return Err(attribute.wrong(&format!("\"{known}\"")));
    }
    Ok(DraftChannel {
        attribute: Attribute::named(attribute.text()?),
        element: element
            .map(|element| from_one(&element, usize::from(u16::MAX)))
            .transpose()?,
        offsets,
        resolution,
        default: Some(
            node.get("default")
                .map_or(Ok(0), |default| default.integer(highest))?,
        ),
        capabilities,
    })
}

fn capability(node: &Node<'_>, highest: u32) -> Result<Capability, ImportError> {
    node.known(&RANGE_KEYS)?;
    let values = node.need("values", "the first and the last value")?;
    let ends: Vec<u32> = values
        .items()?
        .map(|end| end.integer(highest))
        .collect::<Result<_, _>>()?;
    let [first, last] = ends[..] else {
        return Err(values.wrong("the first and the last value"));
    };
    if last < first {
        return Err(values.wrong("the first and the last value"));
    }
    let mut functions = Vec::new();
    if let Some(level) = node.get("level") {
        let [from, to] = numbers(&level)?;
        functions.push(Function::Level { from, to });
    }
    if let Some(shutter) = node.get("shutter") {
        functions.push(match shutter.text()? {
            "open" => Function::Open,
            "closed" => Function::Closed,
            _ => return Err(shutter.wrong("open or closed")),
        });
    }
    if let Some(strobe) = node.get("strobe") {
        let [from, to] = numbers(&strobe)?;
        functions.push(Function::Strobe { from, to });
    }
    if let Some(color) = node.get("color") {
        functions.push(Function::Color(numbers(&color)?));
    }
    if let Some(gobo) = node.get("gobo") {
        functions.push(Function::Gobo(gobo.integer(255)? as u8));
    }
    let function = match functions[..] {
        [] => Function::Other,
        [one] => one,
        _ => return Err(wrong(&node.path, "one function", "several")),
    };
    Ok(Capability {
        first,
        last,
        function,
        name: node.get("name").map_or(Ok(""), |name| name.text())?.to_owned(),
    })
}

/// The shortest number that is read as this one.
fn short(number: f32) -> Value {
    let number: f64 = number.to_string().parse().unwrap_or_default();
    // Whole numbers without a fraction.
    if number.fract() == 0.0 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

fn mode_text(mode: &Mode) -> String {
    let mut head = format!("{{\"name\":{}", Value::from(mode.name.as_str()));
    if mode.elements() > 1 {
        head += &format!(
            ",\"pixels\":{},\"pitch\":{}",
            json!(mode.pixels),
            json!(mode.pitch.map(short))
        );
    }
    for (key, degrees) in [("pan", mode.pan), ("tilt", mode.tilt), ("beam", mode.beam)] {
        if degrees != 0.0 {
            head += &format!(",\"{key}\":{}", short(degrees));
        }
    }
    let channels: Vec<_> = mode
        .channels
        .iter()
        .map(|channel| format!("  {}", Value::from(channel_map(channel))))
        .collect();
    format!("{head},\"channels\":[\n{}\n]}}", channels.join(",\n"))
}

fn channel_map(channel: &Channel) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("attribute".to_owned(), channel.attribute.name().into());
    let slots: Vec<u32> = channel
        .slots
        .offsets()
        .iter()
        .map(|offset| u32::from(*offset) + 1)
        .collect();
    map.insert("slots".to_owned(), slots.into());
    if let Some(element) = channel.element {
        map.insert("element".to_owned(), (u32::from(element) + 1).into());
    }
    if channel.default != 0 {
        map.insert("default".to_owned(), channel.default.into());
    }
    if !channel.capabilities.is_empty() {
        let ranges: Vec<Value> = channel.capabilities.iter().map(capability_value).collect();
        map.insert("ranges".to_owned(), ranges.into());
    }
    map
}

fn capability_value(capability: &Capability) -> Value {
    let mut value = json!({ "values": [capability.first, capability.last] });
    if !capability.name.is_empty() {
        value["name"] = capability.name.as_str().into();
    }
    let (key, function) = match capability.function {
        Function::Level { from, to } => ("level", json!([short(from), short(to)])),
        Function::Open => ("shutter", "open".into()),
        Function::Closed => ("shutter", "closed".into()),
        Function::Strobe { from, to } => ("strobe", json!([short(from), short(to)])),
        Function::Color(color) => ("color", json!(color.map(short))),
        Function::Gobo(place) => ("gobo", place.into()),
        Function::Other => return value,
    };
    value[key] = function;
    value
}
