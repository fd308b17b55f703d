//! A fixture that is more than pixels: its head, the dimmer of all of it, and its cells.

use super::cell::{Cell, Colors, is_color, is_level};
use super::head::HeadSlots;
use super::value::{Output, Place, Scale};
use crate::fixture::{Attribute, Channel, Curve, Fixture};
use crate::look::Look;
use std::ops::Range;

/// A compiled fixture.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    fixture: usize,
    elements: Range<usize>,
    curve: Curve,
    head: HeadSlots,
    /// The dimmers of the whole fixture.
    masters: Vec<Output>,
    /// Whether the intensity is in those; otherwise they are open.
    masters_dim: bool,
    /// Whether the shutters are closed when it is dark: nothing else takes the light away.
    is_shut: bool,
    cells: Vec<Cell>,
}

impl Unit {
    /// Compiles the fixture with an index in the rig, and writes the defaults of its slots.
    pub(super) fn new(
        fixture: &Fixture,
        index: usize,
        elements: Range<usize>,
        universe: usize,
        defaults: &mut [u8],
    ) -> Self {
        let mode = &fixture.mode;
        let place = |channel: &Channel| Place::new(&channel.slots, universe, fixture.address);
        let mut head = HeadSlots::default();
        let mut masters = Vec::new();
        let (mut common, mut own) = (Vec::new(), Vec::new());
        for channel in mode.channels.iter() {
            let at = place(channel);
            at.write(channel.default, defaults);
            head.add(mode, channel, at, defaults);
            // A fixture of one element has nothing that is not its own.
            let element = channel.element.or((elements.len() == 1).then_some(0));
            match element {
                None if channel.attribute == Attribute::Dimmer => {
                    masters.push(Output::new(at, Scale::of(channel, 0.0, 1.0)));
                }
                None => common.push((channel, at)),
                Some(element) => own.push((element, channel, at)),
            }
        }
        own.sort_by_key(|(element, _, _)| *element);
        let own_dim = own
            .iter()
            .any(|(_, channel, _)| channel.attribute == Attribute::Dimmer);
        let own_color = own.iter().any(|(_, channel, _)| is_color(&channel.attribute));
        let masters_dim = !own_dim && !masters.is_empty();
        let has_level =
            |channel: &Channel| channel.attribute == Attribute::Dimmer || is_level(&channel.attribute);
        let is_shut = head.closes() && !mode.channels.iter().any(has_level);
        let is_dimmed = masters_dim || is_shut;
        let mut cells = Vec::new();
        if own_color && common.iter().any(|(channel, _)| is_color(&channel.attribute)) {
            // Light that all elements share beside their own shows the first one's colour.
            cells.push(Cell::new(elements.start, is_dimmed, common.iter().copied()));
        }
        let mut rest = &own[..];
        for (place, element) in elements.clone().enumerate() {
            let count = rest
                .iter()
                .take_while(|(own, _, _)| usize::from(*own) <= place)
                .count();
            let (here, others) = rest.split_at(count);
            rest = others;
            let shared = common.iter().copied().filter(|_| !own_color);
            let channels = here.iter().map(|(_, channel, at)| (*channel, *at));
            cells.push(Cell::new(element, is_dimmed, channels.chain(shared)));
        }
        if own_dim {
            for master in &masters {
                master.write(1.0, defaults);
            }
        }
        Self {
            fixture: index,
            elements,
            curve: fixture.curve,
            head,
            masters_dim,
            is_shut,
            masters,
            cells,
        }
    }

    pub(super) fn encode(&self, look: &Look, before: &[u8], slots: &mut [u8]) {
        self.head.encode(&look.heads[self.fixture], slots);
        let tops = self
            .cells
            .iter()
            .map(|cell| cell.top(&Colors::of(look, cell.element())));
        let top = tops.fold(0.0, f32::max);
        if self.is_shut && top == 0.0 {
            self.head.close(slots);
        }
        let mut intensity = None;
        if self.masters_dim {
            let level = self.curve.level(top);
            for master in &self.masters {
                master.write(level, slots);
            }
            let level = self.masters.first().map(|master| master.rounded(level));
            intensity = level.map(|level| self.curve.intensity(level));
        }
        for cell in &self.cells {
            let colors = Colors::of(look, cell.element());
            cell.encode(&colors, intensity, self.curve, before, slots);
        }
    }

    pub(super) fn decode(&self, slots: &[u8], look: &mut Look) {
        let is_closed = self.head.decode(slots, &mut look.heads[self.fixture]);
        let master = self.masters.first().map(|master| master.read(slots));
        let mut from = 0;
        // A cell before the elements' own ones is not read.
        if self.cells.len() > self.elements.len() {
            from = self.cells.len() - self.elements.len();
        }
        for cell in &self.cells[from..] {
            let colors = if is_closed {
                Colors::default()
            } else {
                cell.decode(master, self.curve, slots)
            };
            colors.put(look, cell.element());
        }
    }
}
