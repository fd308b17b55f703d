//! Pan, tilt, shutter and gobo of a fixture.

use super::value::{Output, Place, Scale};
use crate::fixture::{Attribute, Capability, Channel, Function, Mode};
use crate::look::Head;

/// A channel whose values have functions.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    place: Place,
    ranges: Vec<Capability>,
}

impl Steps {
    pub(super) fn new(channel: &Channel, place: Place) -> Self {
        Self {
            place,
            ranges: channel.capabilities.clone(),
        }
    }

    pub(super) fn ranges(&self) -> &[Capability] {
        &self.ranges
    }

    pub(super) fn write(&self, raw: u32, slots: &mut [u8]) {
        self.place.write(raw, slots);
    }

    pub(super) fn copy(&self, from: &[u8], slots: &mut [u8]) {
        self.place.copy(from, slots);
    }

    /// The value in the slots, with its range.
    pub(super) fn read(&self, slots: &[u8]) -> Option<(u32, &Capability)> {
        let raw = self.place.read(slots);
        let mut ranges = self.ranges.iter();
        let found = ranges.find(|range| (range.first..=range.last).contains(&raw));
        found.map(|range| (raw, range))
    }

    /// The middle of the first range with a function.
    fn middle(&self, function: Function) -> Option<u32> {
        let found = self.ranges.iter().find(|range| range.function == function);
        found.map(middle)
    }
}

/// The middle value of a range.
pub(super) fn middle(range: &Capability) -> u32 {
    range.first + (range.last - range.first) / 2
}

/// A shutter with its range of flashes, and the value that closes it.
#[derive(Clone, Debug)]
struct Shutter {
    steps: Steps,
    flashes: Option<Output>,
    closed: Option<u32>,
}

/// The channels of a head.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadSlots {
    pan: Vec<Output>,
    tilt: Vec<Output>,
    shutters: Vec<Shutter>,
    gobo: Option<Steps>,
}

impl HeadSlots {
    /// Adds a channel of a mode if it belongs to a head. Slots of shutters get the value that opens them.
    pub(super) fn add(&mut self, mode: &Mode, channel: &Channel, place: Place, defaults: &mut [u8]) {
        let turning = |range: f32| Output::new(place, Scale::of(channel, -range / 2.0, range / 2.0));
        match channel.attribute {
            Attribute::Pan => self.pan.push(turning(mode.pan)),
            Attribute::Tilt => self.tilt.push(turning(mode.tilt)),
            Attribute::Shutter => {
                let steps = Steps::new(channel, place);
                let now = steps.read(defaults).map(|(_, range)| range.function);
                if let Some(open) = steps.middle(Function::Open)
                    && now != Some(Function::Open)
                {
                    steps.write(open, defaults);
                }
                let ranges = channel.capabilities.iter();
                let flashes = ranges.filter_map(|range| match range.function {
                    Function::Strobe { from, to } => Some(Output::new(place, Scale::new(range, from, to))),
                    _ => None,
                });
                self.shutters.push(Shutter {
                    flashes: flashes.into_iter().next(),
                    closed: steps.middle(Function::Closed),
                    steps,
                });
            }
            Attribute::Gobo if self.gobo.is_none() => self.gobo = Some(Steps::new(channel, place)),
            _ => {}
        }
    }

    /// Whether a shutter can be closed.
    pub(super) fn closes(&self) -> bool {
        self.shutters.iter().any(|shutter| shutter.closed.is_some())
    }

    /// Closes the shutters.
    pub(super) fn close(&self, slots: &mut [u8]) {
        for Shutter { steps, closed, .. } in &self.shutters {
            if let Some(closed) = closed {
                steps.write(*closed, slots);
            }
        }
    }

    pub(super) fn encode(&self, head: &Head, slots: &mut [u8]) {
        for pan in &self.pan {
            pan.write(head.pan, slots);
        }
        for tilt in &self.tilt {
            tilt.write(head.tilt, slots);
        }
        // The defaults have the shutters open.
        if head.strobe > 0.0 {
            for flashes in self.shutters.iter().filter_map(|shutter| shutter.flashes) {
                flashes.write(head.strobe, slots);
            }
        }
        if let Some(gobo) = &self.gobo
            && let Some(raw) = gobo.middle(Function::Gobo(head.gobo))
        {
            gobo.write(raw, slots);
        }
    }

    /// Reads the head, and whether a shutter is closed.
    pub(super) fn decode(&self, slots: &[u8], head: &mut Head) -> bool {
        *head = Head::default();
        let first = |outputs: &[Output]| outputs.first().map_or(0.0, |output| output.read(slots));
        head.pan = first(&self.pan);
        head.tilt = first(&self.tilt);
        if let Some((_, range)) = self.gobo.as_ref().and_then(|gobo| gobo.read(slots))
            && let Function::Gobo(place) = range.function
        {
            head.gobo = place;
        }
        let mut is_closed = false;
        for (raw, range) in self
            .shutters
            .iter()
            .filter_map(|shutter| shutter.steps.read(slots))
        {
            match range.function {
                Function::Closed => is_closed = true,
                Function::Strobe { from, to } => head.strobe = Scale::new(range, from, to).value(raw),
                _ => {}
            }
        }
        is_closed
    }
}
