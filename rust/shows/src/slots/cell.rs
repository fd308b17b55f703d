//! The colour of an element.

use super::head::{Steps, middle};
use super::value::{Output, Place, Scale};
use crate::fixture::{Attribute, Capability, Channel, Curve, Function};
use crate::look::Look;

/// The colours of an element, 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Colors {
    rgb: [f32; 3],
    amber: f32,
    ultraviolet: f32,
}

impl Colors {
    pub(super) fn of(look: &Look, element: usize) -> Self {
        let level = |plane: &[f32]| {
            let level = plane[element];
            // Not so for NaN.
            if level > 0.0 { level.min(1.0) } else { 0.0 }
        };
        Self {
            rgb: [level(&look.red), level(&look.green), level(&look.blue)],
            amber: level(&look.amber),
            ultraviolet: level(&look.ultraviolet),
        }
    }

    pub(super) fn put(&self, look: &mut Look, element: usize) {
        let [red, green, blue] = self.rgb;
        look.red[element] = red;
        look.green[element] = green;
        look.blue[element] = blue;
        look.amber[element] = self.amber;
        look.ultraviolet[element] = self.ultraviolet;
    }

    fn times(&self, factor: f32) -> Self {
        let times = |level: f32| (level * factor).min(1.0);
        Self {
            rgb: self.rgb.map(times),
            amber: times(self.amber),
            ultraviolet: times(self.ultraviolet),
        }
    }
}

/// A light or a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Light {
    /// Red, green or blue, by its place among them.
    Color(usize),
    /// The filter of one of them.
    Filter(usize),
    White,
    /// White light beside the first one.
    OtherWhite,
    Amber,
    Ultraviolet,
}

fn light(attribute: &Attribute) -> Option<Light> {
    Some(match attribute {
        Attribute::Red => Light::Color(0),
        Attribute::Green => Light::Color(1),
        Attribute::Blue => Light::Color(2),
        Attribute::Cyan => Light::Filter(0),
        Attribute::Magenta => Light::Filter(1),
        Attribute::Yellow => Light::Filter(2),
        Attribute::White | Attribute::ColdWhite | Attribute::WarmWhite => Light::White,
        Attribute::Amber => Light::Amber,
        Attribute::Ultraviolet => Light::Ultraviolet,
        _ => return None,
    })
}

/// Whether an attribute is a light, a filter or a wheel of them.
pub(super) fn is_color(attribute: &Attribute) -> bool {
    *attribute == Attribute::ColorWheel || light(attribute).is_some()
}

/// Whether an attribute is the level of a light.
pub(super) fn is_level(attribute: &Attribute) -> bool {
    light(attribute).is_some_and(|light| !matches!(light, Light::Filter(_)))
}

/// The channels of an element's light.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    element: usize,
    dimmers: Vec<Output>,
    lights: Vec<(Light, Output)>,
    wheel: Option<Steps>,
    has_colors: bool,
    has_filters: bool,
    /// Whether there is white light without a channel of its own, behind filters, a dimmer or a shutter.
    has_lamp: bool,
}

impl Cell {
    /// The cell of an element of the look; `is_dimmed` if a dimmer or a shutter of the fixture takes its light away.
    pub(super) fn new<'a>(
        element: usize,
        is_dimmed: bool,
        channels: impl Iterator<Item = (&'a Channel, Place)>,
    ) -> Self {
        let mut cell = Self {
            element,
            dimmers: Vec::new(),
            lights: Vec::new(),
            wheel: None,
            has_colors: false,
            has_filters: false,
            has_lamp: false,
        };
        // The first one of these is white, the others add to it only where there are no colours.
        let mut whites: Vec<(u8, Output)> = Vec::new();
        for (channel, place) in channels {
            let output = Output::new(place, Scale::of(channel, 0.0, 1.0));
            match (light(&channel.attribute), &channel.attribute) {
                (Some(Light::White), attribute) => {
                    let rank = [Attribute::White, Attribute::ColdWhite]
                        .iter()
                        .position(|one| one == attribute);
                    whites.push((rank.map_or(u8::MAX, |rank| rank as u8), output));
                }
                (Some(light), _) => cell.lights.push((light, output)),
                (None, Attribute::Dimmer) => cell.dimmers.push(output),
                (None, Attribute::ColorWheel) if cell.wheel.is_none() => {
                    cell.wheel = Some(Steps::new(channel, place));
                }
                _ => {}
            }
        }
        whites.sort_by_key(|(rank, _)| *rank);
        let lights = [Light::White]
            .into_iter()
            .chain(std::iter::repeat(Light::OtherWhite));
        cell.lights
            .extend(lights.zip(whites.into_iter().map(|(_, output)| output)));
        let has = |wanted: fn(Light) -> bool| cell.lights.iter().any(|(light, _)| wanted(*light));
        cell.has_colors = has(|light| matches!(light, Light::Color(_)));
        cell.has_filters = has(|light| matches!(light, Light::Filter(_)));
        let has_light = has(|light| !matches!(light, Light::Filter(_)));
        let is_dimmed = is_dimmed || !cell.dimmers.is_empty();
        cell.has_lamp = !has_light && (cell.has_filters || is_dimmed);
        cell
    }

    pub(super) fn element(&self) -> usize {
        self.element
    }

    fn first(&self, wanted: Light) -> Option<&Output> {
        self.lights
            .iter()
            .find(|(light, _)| *light == wanted)
            .map(|(_, output)| output)
    }

    /// The intensity that colours need.
    pub(super) fn top(&self, colors: &Colors) -> f32 {
        let mut top = colors.rgb.into_iter().fold(0.0, f32::max);
        if self.first(Light::Amber).is_some() {
            top = top.max(colors.amber);
        }
        if self.first(Light::Ultraviolet).is_some() {
            top = top.max(colors.ultraviolet);
        }
        top
    }

    /// Writes the slots of colours; `intensity` is that of the whole fixture's dimmer, if it has the element's intensity. Where a dimmer is
    /// at 0 the colour is that of the slots `before`.
    pub(super) fn encode(
        &self,
        colors: &Colors,
        intensity: Option<f32>,
        curve: Curve,
        before: &[u8],
        slots: &mut [u8],
    ) {
        let top = self.top(colors);
        let level = curve.level(top);
        for dimmer in &self.dimmers {
            dimmer.write(level, slots);
        }
        let own = self
            .dimmers
            .first()
            .map(|dimmer| curve.intensity(dimmer.rounded(level)));
        let factor = match (own.or(intensity), curve) {
            (Some(intensity), _) if intensity > 0.0 => 1.0 / intensity,
            // Nobody sees another colour, but lamps move to it.
            (Some(_), _) => return self.hold(before, slots),
            (None, Curve::Linear) => 1.0,
            (None, _) if top > 0.0 => level / top,
            (None, _) => 0.0,
        };
        let mut shown = colors.times(factor);
        let (has_colors, has_filters) = (self.has_colors, self.has_filters);
        let highest = shown.rgb.into_iter().fold(0.0, f32::max);
        let mut white = highest;
        if has_colors {
            white = shown.rgb.into_iter().fold(1.0, f32::min);
            // What all of them are without white light, they are without what is left of it by rounding.
            let moved = self
                .first(Light::White)
                .map_or(0.0, |output| output.rounded(white));
            shown.rgb = shown.rgb.map(|level| (level - moved).max(0.0));
        } else if has_filters {
            white = 0.0;
        }
        for (light, output) in &self.lights {
            let level = match *light {
                Light::Color(color) => shown.rgb[color],
                Light::Filter(_) if has_colors => 0.0,
                Light::Filter(color) => 1.0 - shown.rgb[color],
                Light::White => white,
                Light::OtherWhite if has_colors => 0.0,
                Light::OtherWhite => white,
                Light::Amber => shown.amber,
                Light::Ultraviolet => shown.ultraviolet,
            };
            output.write(level, slots);
        }
        if let Some(wheel) = &self.wheel
            && !has_colors
            && !has_filters
            && highest > 0.0
            && let Some(range) = nearest(wheel.ranges(), shown.rgb.map(|level| level / highest))
        {
            wheel.write(middle(range), slots);
        }
    }

    /// Writes the colour that other slots have.
    fn hold(&self, before: &[u8], slots: &mut [u8]) {
        for (_, output) in &self.lights {
            output.copy(before, slots);
        }
        if let Some(wheel) = &self.wheel {
            wheel.copy(before, slots);
        }
    }

    /// The colours of the slots; `master` is the level of the whole fixture's dimmer.
    pub(super) fn decode(&self, master: Option<f32>, curve: Curve, slots: &[u8]) -> Colors {
        let own = self.dimmers.first().map(|dimmer| dimmer.read(slots));
        let has_colors = self.has_colors;
        let mut shown = Colors::default();
        let mut white: f32 = 0.0;
        let mut filters = [1.0; 3];
        for (light, output) in &self.lights {
            let level = output.read(slots);
            match *light {
                Light::Color(color) => shown.rgb[color] = level,
                Light::Filter(color) => filters[color] = 1.0 - level,
                Light::White | Light::OtherWhite if has_colors => white += level,
                Light::White | Light::OtherWhite => white = white.max(level),
                Light::Amber => shown.amber = level,
                Light::Ultraviolet => shown.ultraviolet = level,
            }
        }
        if self.has_lamp {
            white = 1.0;
        }
        // Beside colours, a wheel is one of programs that replace them.
        let wheel = self.wheel.as_ref().filter(|_| !has_colors);
        let wheel = wheel.and_then(|wheel| wheel.read(slots));
        let tint = match wheel.map(|(_, range)| range.function) {
            Some(Function::Color(color)) => color,
            _ => [1.0; 3],
        };
        for (color, level) in shown.rgb.iter_mut().enumerate() {
            *level = (*level + white).min(1.0) * filters[color] * tint[color];
        }
        let level = match (own, master) {
            (None, None) => {
                let top = self.top(&shown);
                let factor = if curve == Curve::Linear || top <= 0.0 {
                    1.0
                } else {
                    curve.intensity(top) / top
                };
                return shown.times(factor);
            }
            (own, master) => own.unwrap_or(1.0) * master.unwrap_or(1.0),
        };
        shown.times(curve.intensity(level))
    }
}

/// The colour of a wheel that is nearest to one whose largest part is 1.
fn nearest(ranges: &[Capability], wanted: [f32; 3]) -> Option<&Capability> {
    let mut best: Option<(f32, &Capability)> = None;
    for range in ranges {
        let Function::Color(color) = range.function else {
            continue;
        };
        let parts = color
            .iter()
            .zip(wanted)
            .map(|(have, want)| (have - want) * (have - want));
        let distance = parts.sum();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, range));
        }
    }
    best.map(|(_, range)| range)
}
