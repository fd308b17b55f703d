//! Modes as files describe them, before what they leave open is filled in.

use super::{ImportError, wrong};
use crate::fixture::{Attribute, ByteSlots, Capability, Channel, Function, MAX_BYTES, Mode, Profile};
use crate::fixture::{USUAL_PAN, USUAL_TILT};
use rustle_lighting::SLOTS;
use std::collections::HashSet;

/// The longest name of a profile or mode in bytes.
const MAX_NAME: usize = 64;
/// The most pixels or cells of a mode.
const MAX_ELEMENTS: usize = 4_096;
/// The distance between pixels in metres where a file does not say it.
const USUAL_PITCH: f32 = 0.1;

/// A channel of a file.
#[derive(Clone, Debug)]
pub(super) struct DraftChannel {
    pub(super) attribute: Attribute,
    pub(super) element: Option<u16>,
    /// The coarse slot first.
    pub(super) offsets: Vec<u16>,
    /// The bytes of the values below, 1 to 4.
    pub(super) resolution: usize,
    pub(super) default: Option<u32>,
    pub(super) capabilities: Vec<Capability>,
}

/// A mode of a file.
#[derive(Clone, Debug)]
pub(super) struct DraftMode {
    pub(super) name: String,
    pub(super) channels: Vec<DraftChannel>,
    pub(super) footprint: usize,
    pub(super) pixels: [u16; 3],
    pub(super) pitch: [Option<f32>; 3],
    /// The ranges in degrees as far as the file says them.
    pub(super) pan: Option<f32>,
    pub(super) tilt: Option<f32>,
    pub(super) beam: f32,
}

/// A profile of modes.
pub(super) fn profile(
    name: String,
    drafts: Vec<DraftMode>,
    notes: &mut Vec<String>,
) -> Result<Profile, ImportError> {
    check_name("profile", &name)?;
    let mut names = HashSet::new();
    let mut modes = Vec::new();
    for draft in drafts {
        let path = format!("mode \"{}\"", draft.name);
        check_name(&path, &draft.name)?;
        if !names.insert(draft.name.clone()) {
            return Err(wrong(
                &path,
                "modes of different names",
                "a second one of this name",
            ));
        }
        modes.push(draft.mode(&path, notes)?);
    }
    if modes.is_empty() {
        return Err(wrong("modes", "one or more", "none"));
    }
    Ok(Profile { name, modes })
}

fn check_name(path: &str, name: &str) -> Result<(), ImportError> {
    if (1..=MAX_NAME).contains(&name.len()) {
        return Ok(());
    }
    Err(wrong(
        path,
        "a name of 1 to 64 bytes",
        &format!("{} bytes", name.len()),
    ))
}

/// A value of some bytes in others: the first or the last of those that it stands for.
fn scaled(value: u32, from: usize, to: usize, is_last: bool) -> u32 {
    let bits = 8 * from.abs_diff(to) as u32;
    match (to > from, is_last) {
        (false, _) => value.checked_shr(bits).unwrap_or_default(),
        (true, false) => value.checked_shl(bits).unwrap_or_default(),
        (true, true) => {
            value.checked_shl(bits).unwrap_or_default()
                | (1_u32.checked_shl(bits).unwrap_or_default().wrapping_sub(1))
        }
    }
}

impl DraftChannel {
    fn channel(self, path: &str) -> Result<Channel, ImportError> {
        let bytes = self.offsets.len();
        let slots = ByteSlots::new(&self.offsets)
            .ok_or_else(|| wrong(path, "a channel of 1 to 4 slots", &format!("{bytes} slots")))?;
        let resolution = self.resolution.clamp(1, MAX_BYTES);
        let scale = |value, is_last| scaled(value, resolution, bytes, is_last).min(slots.highest_value());
        let mut capabilities = self.capabilities;
        for range in &mut capabilities {
            range.first = scale(range.first, false);
            range.last = scale(range.last, true).max(range.first);
        }
        capabilities.sort_by_key(|range| range.first);
        let default = match self.default {
            Some(value) => scale(value, value == u32::MAX >> (32 - 8 * resolution)),
            None => usual_default(&self.attribute, &slots, &capabilities),
        };
        Ok(Channel {
            attribute: self.attribute,
            element: self.element,
            slots,
            default,
            capabilities,
        })
    }
}

/// A default where the file has none: heads in the middle, shutters open.
fn usual_default(attribute: &Attribute, slots: &ByteSlots, capabilities: &[Capability]) -> u32 {
    match attribute {
        Attribute::Pan | Attribute::Tilt => slots.highest_value() / 2 + 1,
        Attribute::Shutter => {
            let find =
                |is_wanted: fn(Function) -> bool| capabilities.iter().find(|range| is_wanted(range.function));
            match find(|function| function == Function::Open) {
                Some(range) => range.first + (range.last - range.first) / 2,
                // A light that only flashes flashes.
                None => find(|function| function != Function::Closed).map_or(0, |range| range.first),
            }
        }
        _ => 0,
    }
}

impl DraftMode {
    fn mode(self, path: &str, notes: &mut Vec<String>) -> Result<Mode, ImportError> {
        if !(1..=SLOTS).contains(&self.footprint) {
            return Err(wrong(path, "1 to 512 slots", &self.footprint.to_string()));
        }
        let elements: usize = self.pixels.iter().map(|count| usize::from(*count)).product();
        if !(1..=MAX_ELEMENTS).contains(&elements) {
            return Err(wrong(path, "1 to 4096 pixels", &elements.to_string()));
        }
        let mut is_taken = vec![false; self.footprint];
        let mut channels = Vec::new();
        for draft in self.channels {
            if draft
                .element
                .is_some_and(|element| usize::from(element) >= elements)
            {
                return Err(wrong(
                    path,
                    &format!("elements up to {elements}"),
                    "a channel of another one",
                ));
            }
            for offset in &draft.offsets {
                match is_taken.get_mut(usize::from(*offset)) {
                    Some(taken) if !*taken => *taken = true,
                    _ => {
                        return Err(wrong(
                            path,
                            "each slot in one channel",
                            &format!("slot {} twice", u32::from(*offset) + 1),
                        ));
                    }
                }
            }
            let channel = draft.channel(path)?;
            let flashes = |range: &Capability| {
                matches!(range.function, Function::Strobe { .. })
                    && (range.first..=range.last).contains(&channel.default)
            };
            if channel.capabilities.iter().any(flashes) {
                notes.push(format!(
                    "{path}: a shutter flashes always, nothing in the file opens it"
                ));
            }
            channels.push(channel);
        }
        for (offset, _) in (0..).zip(&is_taken).filter(|(_, taken)| !**taken) {
            channels.push(Channel {
                attribute: Attribute::Unused,
                element: None,
                slots: ByteSlots::one(offset),
                default: 0,
                capabilities: Vec::new(),
            });
        }
        channels.sort_by_key(|channel| channel.slots.offsets()[0]);
        let has = |attribute| channels.iter().any(|channel| channel.attribute == attribute);
        let mut range = |attribute: Attribute, said: Option<f32>, usual: f32| match said {
            _ if !has(attribute.clone()) => 0.0,
            Some(range) if range > 0.0 => range,
            _ => {
                notes.push(format!(
                    "{path}: a range of {} of {usual} degrees is assumed",
                    attribute.name()
                ));
                usual
            }
        };
        let (pan, tilt) = (
            range(Attribute::Pan, self.pan, USUAL_PAN),
            range(Attribute::Tilt, self.tilt, USUAL_TILT),
        );
        Ok(Mode {
            name: self.name,
            channels: channels.into(),
            pixels: self.pixels,
            pitch: std::array::from_fn(|axis| match (self.pixels[axis], self.pitch[axis]) {
                (1, _) => 0.0,
                (_, pitch) => pitch.unwrap_or(USUAL_PITCH),
            }),
            pan,
            tilt,
            beam: self.beam,
        })
    }

    /// Takes colours that a mode without pixels repeats as pixels in a line.
    pub(super) fn find_pixels(mut self, notes: &mut Vec<String>) -> Self {
        let count = |attribute: &Attribute| {
            self.channels
                .iter()
                .filter(|one| one.attribute == *attribute)
                .count()
        };
        let pixels = count(&Attribute::Red);
        if self.channels.iter().any(|channel| channel.element.is_some())
            || pixels < 2
            || count(&Attribute::Green) != pixels
            || count(&Attribute::Blue) != pixels
        {
            return self;
        }
        let Ok(width) = u16::try_from(pixels) else {
            return self;
        };
        let mut kinds: Vec<Attribute> = Vec::new();
        for channel in &self.channels {
            if !kinds.contains(&channel.attribute) && count(&channel.attribute) == pixels {
                kinds.push(channel.attribute.clone());
            }
        }
        for kind in kinds {
            let channels = self
                .channels
                .iter_mut()
                .filter(|channel| channel.attribute == kind);
            for (element, channel) in (0..).zip(channels) {
                channel.element = Some(element);
            }
        }
        self.pixels = [width, 1, 1];
        notes.push(format!(
            "mode \"{}\": {width} pixels are assumed, one for each of its reds",
            self.name
        ));
        self
    }
}
