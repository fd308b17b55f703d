//! What is known of each fixture.

use super::{Grid, SURE, UNSURE};
use crate::assign::Codes;
use crate::candidates::Sharp;
use crate::contrast::Contrast;
use crate::frames::Frame;
use crate::joint::{Known, Spot};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Pixels around a lamp's middle that are its own, each way.
const LAMP: usize = 9;

/// Places closer than this many pixels are one lamp.
const ONE_LAMP: f64 = 4.5;

/// The highest absolute number of a result: pixels, for places.
pub(crate) const MOST_PIXELS: f64 = 1e6;

/// Why a fixture was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No light in any frame.
    Dark,
    /// Something was in front of it while it was lit.
    Hidden,
    /// Where it may be, the picture is white.
    Saturated,
    /// Its light may also be another fixture's.
    Ambiguous,
    /// Its light is hardly above the noise.
    LowContrast,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Dark,
        Self::Hidden,
        Self::Saturated,
        Self::Ambiguous,
        Self::LowContrast,
    ];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Hidden => "hidden",
            Self::Saturated => "saturated",
            Self::Ambiguous => "ambiguous",
            Self::LowContrast => "lowContrast",
        }
    }
}

/// Where a fixture is in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Pixels from the middle of the top left one, to the right and down.
    pub at: [f64; 2],
    /// The standard deviation of both, in pixels.
    pub sigma: f64,
    /// The light in its middle, in parts of white.
    pub brightness: f32,
    /// The number of pixels with half of that light or more.
    pub pixels: u32,
    /// The place of a weaker picture of it, on a floor or in a window.
    pub mirror: Option<[f64; 2]>,
}

/// A fixture in a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The id.
    pub id: u32,
    /// How likely the place is the fixture's, 0 to 1; 0 of one that was not found.
    pub confidence: f32,
    /// The place, or why there is none.
    pub place: Result<Place, Reason>,
}

impl Found {
    pub(crate) fn at(id: u32, spot: &Spot, confidence: f32) -> Self {
        Self {
            id,
            confidence: confidence.clamp(0.0, 0.999),
            place: Ok(Place {
                at: spot.at,
                sigma: spot.sigma,
                brightness: spot.light,
                pixels: spot.pixels,
                mirror: None,
            }),
        }
    }

    /// Whether it has a place that is hardly ever another fixture's.
    pub fn is_sure(&self) -> bool {
        self.place.is_ok() && self.confidence >= SURE
    }

    pub(crate) fn add_mirror(&mut self, at: [f64; 2]) {
        if let Ok(place) = &mut self.place {
            place.mirror.get_or_insert(at);
        }
    }

    /// The fixture in a picture of a size in pixels.
    fn json(&self, size: [u32; 2]) -> Value {
        let rounded = |value: f64, digits: f64| (value * digits).round() / digits;
        match &self.place {
            Err(reason) => json!({"id": self.id, "found": false, "confidence": 0.0, "reason": reason.name()}),
            Ok(place) => {
                let mut json = json!({
                    "id": self.id, "found": true, "x": rounded(place.at[0], 1e4), "y": rounded(place.at[1], 1e4),
                    "sigma": rounded(place.sigma, 1e4), "confidence": rounded(self.confidence.into(), 1e3),
                    "sure": self.is_sure(),
                    "brightness": rounded(place.brightness.into(), 1e4), "pixels": place.pixels,
                });
                // From -1 to 1 to the right and up, as stages and shaders count.
                let [x, y] =
                    [0, 1].map(|axis| 2.0 * (place.at[axis] + 0.5) / f64::from(size[axis].max(1)) - 1.0);
                json["normalized"] = json!([rounded(x, 1e6), rounded(-y, 1e6)]);
                if let Some(mirror) = place.mirror {
                    json["mirror"] = json!(mirror.map(|at| rounded(at, 1e2)));
                }
                json
            }
        }
    }
}

/// The places of all fixtures, by id.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The width of the picture in pixels.
    pub width: u32,
    /// The height of the picture in pixels.
    pub height: u32,
    /// Each fixture, at its id.
    pub fixtures: Vec<Found>,
}

impl Mapping {
    /// Takes places of another mapping that this one lacks, as unsure ones, and the reasons of what seemed dark.
    pub(super) fn add_unsure(&mut self, mut other: Self) {
        other.be_unsure();
        other.keep(self, 1);
        for (own, other) in self.fixtures.iter_mut().zip(other.fixtures) {
            if other.place.is_ok() || own.place == Err(Reason::Dark) {
                *own = other;
            }
        }
    }

    pub(crate) fn empty(count: usize, (width, height): (u32, u32)) -> Self {
        let dark = |id| Found {
            id,
            confidence: 0.0,
            place: Err(Reason::Dark),
        };
        Self {
            width,
            height,
            fixtures: (0..count as u32).map(dark).collect(),
        }
    }

    /// Makes no place sure.
    pub(crate) fn be_unsure(&mut self) {
        for found in &mut self.fixtures {
            found.confidence = found.confidence.min(UNSURE);
        }
    }

    /// Says of all fixtures that nobody knows which is where.
    pub(crate) fn be_ambiguous(&mut self) {
        for found in &mut self.fixtures {
            found.place = Err(Reason::Ambiguous);
        }
    }

    /// Says the same of those of some fixtures that seem dark: it is not known which has light.
    pub(crate) fn be_ambiguous_not_dark(&mut self, some: &[bool]) {
        for (found, _) in self.fixtures.iter_mut().zip(some).filter(|(_, is_one)| **is_one) {
            if found.place == Err(Reason::Dark) {
                found.place = Err(Reason::Ambiguous);
            }
        }
    }

    /// The number of fixtures that were found.
    pub fn found(&self) -> usize {
        self.fixtures.iter().filter(|found| found.place.is_ok()).count()
    }

    /// The result as JSON of version 1.
    pub fn to_json(&self) -> String {
        let text = |found: &Found| found.json([self.width, self.height]).to_string();
        // A line for each fixture, which people and line tools can read.
        format!(
            "{{\"v\":1,\"width\":{},\"height\":{},\"fixtures\":[\n{}\n]}}\n",
            self.width,
            self.height,
            self.fixtures.iter().map(text).collect::<Vec<_>>().join(",\n")
        )
    }

    /// Reads a result.
    ///
    /// # Errors
    /// What is expected and what is there, for a text that is no result.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let file: Value =
            serde_json::from_slice(json).map_err(|error| format!("result: expected JSON, got {error}"))?;
        if file["v"] != 1 {
            return Err(format!("v: expected 1, got {}", file["v"]));
        }
        let side = |name: &str| {
            let side = file[name].as_u64().and_then(|side| u32::try_from(side).ok());
            side.ok_or_else(|| format!("{name}: expected pixels, got {}", file[name]))
        };
        let list = file["fixtures"]
            .as_array()
            .ok_or("fixtures: expected an array, got another value")?;
        if list.len() > crate::schedule::MAX_COUNT {
            return Err(format!(
                "fixtures: expected at most {}, got {}",
                crate::schedule::MAX_COUNT,
                list.len()
            ));
        }
        let mut mapping = Self::empty(list.len(), (side("width")?, side("height")?));
        let mut is_read = vec![false; list.len()];
        for (index, value) in list.iter().enumerate() {
            let wrong = |key: &str, expected: &str| {
                format!("fixtures[{index}].{key}: expected {expected}, got {}", value[key])
            };
            let id = value["id"].as_u64().filter(|id| *id < list.len() as u64);
            let id = id.ok_or_else(|| wrong("id", &format!("0 to {}", list.len() - 1)))?;
            if std::mem::replace(&mut is_read[id as usize], true) {
                return Err(wrong("id", "each once"));
            }
            let number = |key: &str| match value[key].as_f64() {
                Some(number) if number.abs() > MOST_PIXELS => {
                    Err(wrong(key, &format!("-{MOST_PIXELS} to {MOST_PIXELS}")))
                }
                number => Ok(number),
            };
            let needed = |key: &str| number(key)?.ok_or_else(|| wrong(key, "a number"));
            let other = |key: &str| Ok::<_, String>(number(key)?.unwrap_or_default());
            let place = match &value["found"] {
                Value::Bool(true) => Ok(Place {
                    at: [needed("x")?, needed("y")?],
                    sigma: other("sigma")?,
                    brightness: other("brightness")? as f32,
                    pixels: value["pixels"].as_u64().unwrap_or_default() as u32,
                    mirror: match value["mirror"].as_array().map(Vec::as_slice) {
                        Some([x, y]) => x.as_f64().zip(y.as_f64()).map(|(x, y)| [x, y]),
                        _ => None,
                    }
                    .filter(|at| at.iter().all(|at| at.abs() <= MOST_PIXELS)),
                }),
                Value::Bool(false) => {
                    let reason = Reason::ALL
                        .into_iter()
                        .find(|reason| value["reason"] == reason.name());
                    Err(reason.ok_or_else(|| {
                        wrong("reason", "dark, hidden, saturated, ambiguous or lowContrast")
                    })?)
                }
                _ => return Err(wrong("found", "true or false")),
            };
            mapping.fixtures[id as usize] = Found {
                id: id as u32,
                confidence: other("confidence")? as f32,
                place,
            };
        }
        Ok(mapping)
    }

    /// Places in a picture that was made smaller become those in its source.
    pub(crate) fn enlarge(&mut self, factor: u32, size: (u32, u32)) {
        (self.width, self.height) = size;
        let scale = f64::from(factor);
        let enlarged = |at: [f64; 2]| at.map(|at| (at + 0.5) * scale - 0.5);
        for place in self
            .fixtures
            .iter_mut()
            .filter_map(|found| found.place.as_mut().ok())
        {
            place.at = enlarged(place.at);
            place.mirror = place.mirror.map(enlarged);
            place.sigma *= scale;
            place.pixels = place.pixels.saturating_mul(factor * factor);
        }
    }

    /// Takes the places of an earlier mapping. Another fixture at one of them is ambiguous, unless both were seen beside each other.
    /// `factor`: the pixels of a side that became one.
    pub(crate) fn keep(&mut self, known: &Self, factor: u32) {
        let reduced = |at: [f64; 2]| at.map(|at| at / f64::from(factor));
        let is_near =
            |one: [f64; 2], other: [f64; 2]| (one[0] - other[0]).hypot(one[1] - other[1]) < ONE_LAMP;
        let mut taken = Vec::new();
        for kept in &known.fixtures {
            let Ok(place) = kept.place else { continue };
            let (id, at) = (kept.id, reduced(place.at));
            let found = std::mem::replace(&mut self.fixtures[id as usize], *kept);
            if !found.place.is_ok_and(|found| is_near(reduced(found.at), at)) {
                taken.push(Known { id, at });
            }
        }
        let taken = Grid::new(taken.into_iter());
        for (found, known) in self.fixtures.iter_mut().zip(&known.fixtures) {
            let is_taken = |place: Place| {
                let at = reduced(place.at);
                taken.around(at).any(|taken| is_near(taken.at, at))
            };
            if known.place.is_err() && found.place.is_ok_and(is_taken) {
                (found.place, found.confidence) = (Err(Reason::Ambiguous), 0.0);
            }
        }
    }

    /// Says of the fixtures that were not found what the pictures show of them.
    pub(crate) fn give_reasons(
        &mut self,
        sharp: &Sharp,
        contrasts: &[Contrast],
        codes: &Codes,
        doubtful: &[u32],
        frames: &[Frame],
    ) {
        let missing: Vec<u32> = self
            .fixtures
            .iter()
            .filter(|found| found.place.is_err())
            .map(|found| found.id)
            .collect();
        if missing.is_empty() {
            return;
        }
        let noise = sharp.noises.iter().sum::<f32>() / sharp.noises.len().max(1) as f32;
        let spread = noise / (sharp.noises.len().max(1) as f32).sqrt();
        let mut lights: Vec<f32> = self
            .fixtures
            .iter()
            .filter_map(|found| Some(found.place.ok()?.brightness))
            .collect();
        lights.sort_by(f32::total_cmp);
        let usual = lights.get(lights.len() / 2).copied().unwrap_or_default();
        let is_white = white(frames);
        // Lamps have much light of similar codes.
        let mut is_lamp = vec![false; sharp.width * sharp.height];
        for place in self.fixtures.iter().filter_map(|found| found.place.ok()) {
            let around = |at: f64, side: usize| {
                let at = at.max(0.0) as usize;
                at.saturating_sub(LAMP)..(at + LAMP).min(side)
            };
            for row in around(place.at[1], sharp.height) {
                for column in around(place.at[0], sharp.width) {
                    is_lamp[row * sharp.width + column] = true;
                }
            }
        }
        let least = (7.0 * spread).max(0.1 * usual);
        // What has the code of a lamp that has a place is its light: an image, or what surrounds it.
        let is_known = |values: &[f32]| {
            let id = codes.id(values.iter().copied());
            id.is_some_and(|id| self.fixtures[id as usize].place.is_ok())
        };
        let lights = Lights::new(sharp, &is_lamp, least, is_known);
        let doubtful: HashSet<u32> = doubtful.iter().copied().collect();
        for id in missing {
            let reason = if doubtful.contains(&id) {
                Reason::Ambiguous
            } else {
                match lights.seen(contrasts, id) {
                    (mean, part) if mean > (9.0 * spread).max(0.25 * usual) && part > 0.5 => {
                        if codes.is_shared(contrasts, id) {
                            Reason::Ambiguous
                        } else {
                            Reason::Hidden
                        }
                    }
                    // Light of others has some of each code.
                    (mean, part) if mean > least && part > 0.75 => Reason::LowContrast,
                    _ if is_white => Reason::Saturated,
                    _ => Reason::Dark,
                }
            };
            self.fixtures[id as usize].place = Err(reason);
        }
    }
}

/// The light in each contrast at the pixels that may show a fixture which has no place.
struct Lights {
    count: usize,
    /// `count` values for each pixel.
    values: Vec<f32>,
}

impl Lights {
    /// The pixels that are not those of lamps, nor of known light, and have so much light in the mean: no code has more of it than all of
    /// it.
    fn new(sharp: &Sharp, is_lamp: &[bool], least: f32, is_known: impl Fn(&[f32]) -> bool) -> Self {
        let count = sharp.images.len();
        let mut values = Vec::new();
        for place in (0..is_lamp.len()).step_by(4).filter(|place| !is_lamp[*place]) {
            let light: f32 = sharp.images.iter().map(|image| image[place].abs()).sum();
            if light > least * count as f32 {
                let start = values.len();
                values.extend(sharp.images.iter().map(|image| image[place]));
                if is_known(&values[start..]) {
                    values.truncate(start);
                }
            }
        }
        Self { count, values }
    }

    /// The most light with an id's code at any of the pixels, and the part of the contrasts that fit it.
    fn seen(&self, contrasts: &[Contrast], id: u32) -> (f32, f32) {
        let signs: Vec<f32> = contrasts
            .iter()
            .map(|contrast| contrast.signs[id as usize].into())
            .collect();
        let mut best: (f32, &[f32]) = (0.0, &[]);
        for values in self.values.chunks_exact(self.count.max(1)) {
            let sum = values.iter().zip(&signs).map(|(value, sign)| sign * value).sum();
            if sum > best.0 {
                best = (sum, values);
            }
        }
        let count = self.count.max(1) as f32;
        let mean = best.0 / count;
        let signed = best.1.iter().zip(&signs).map(|(value, sign)| sign * value);
        let fits = signed.filter(|value| *value > 0.5 * mean);
        (mean, fits.count() as f32 / count)
    }
}

/// Whether more than a part in a hundred of the picture is always white.
fn white(frames: &[Frame]) -> bool {
    let Some(first) = frames.first() else { return false };
    let step = (first.pixels.len() / 4_096).max(1);
    let places = (0..first.pixels.len()).step_by(step);
    let count = places.clone().count();
    let is_white = |place: &usize| frames.iter().all(|frame| frame.pixels[*place] >= 64_000);
    places.filter(is_white).count() * 100 > count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: [f64; 2]) -> Result<Place, Reason> {
        Ok(Place {
            at,
            sigma: 0.0,
            brightness: 1.0,
            pixels: 1,
            mirror: None,
        })
    }

    fn mapping(places: [Result<Place, Reason>; 5]) -> Mapping {
        let mut mapping = Mapping::empty(5, (640, 480));
        for (found, place) in mapping.fixtures.iter_mut().zip(places) {
            (found.place, found.confidence) = (place, if place.is_ok() { 0.99 } else { 0.0 });
        }
        mapping
    }

    #[test]
    fn places_of_other_states_are_unsure_and_none_where_a_fixture_is_that_is_elsewhere_there() {
        let own = [
            place([10.0, 10.0]),
            place([300.0, 40.0]),
            Err(Reason::Dark),
            Err(Reason::Hidden),
            Err(Reason::Dark),
        ];
        let mut found = mapping(own);
        // 1 is elsewhere, 2 beside 0, 3 where 1 was.
        found.add_unsure(mapping([
            own[0],
            place([200.0, 10.0]),
            place([14.0, 10.0]),
            place([301.0, 40.0]),
            Err(Reason::LowContrast),
        ]));
        let places: Vec<_> = found.fixtures.iter().map(|found| found.place).collect();
        let expected = [
            own[0],
            own[1],
            place([14.0, 10.0]),
            own[3],
            Err(Reason::LowContrast),
        ];
        assert_eq!(places, expected);
        let confidences: Vec<_> = found.fixtures.iter().map(|found| found.confidence).collect();
        assert_eq!(confidences, [0.99, 0.99, UNSURE, 0.0, 0.0]);
    }

    #[test]
    fn known_place_is_that_of_one_fixture() {
        let none = Err(Reason::Hidden);
        let known = mapping([place([10.0, 10.0]), place([300.0, 40.0]), none, none, none]);
        // The recording shows 2 where 0 is known to be, 3 beside 1, which it shows too, and 4 elsewhere.
        let found = mapping([
            place([200.0, 10.0]),
            place([301.0, 40.0]),
            place([16.0, 10.0]),
            place([304.0, 40.0]),
            place([100.0, 100.0]),
        ]);
        for (factor, expected) in [(1, place([16.0, 10.0])), (2, Err(Reason::Ambiguous))] {
            let mut kept = found.clone();
            kept.keep(&known, factor);
            let places: Vec<_> = kept.fixtures.iter().map(|found| found.place).collect();
            assert_eq!(places[..2], [known.fixtures[0].place, known.fixtures[1].place]);
            assert_eq!(places[2], expected, "{factor}");
            assert_eq!(places[3..], [found.fixtures[3].place, found.fixtures[4].place]);
        }
    }

    #[test]
    fn places_are_parts_of_the_picture_too() {
        let mut mapping = Mapping::empty(4, (640, 480));
        let expected = [
            ([-0.5, -0.5], [-1.0, 1.0]),
            ([319.5, 239.5], [0.0, 0.0]),
            ([639.5, 479.5], [1.0, -1.0]),
            ([479.5, 119.5], [0.5, 0.5]),
        ];
        for (found, (at, _)) in mapping.fixtures.iter_mut().zip(expected) {
            found.place = place(at);
        }
        let json: Value = serde_json::from_str(&mapping.to_json()).expect("JSON");
        for (index, (_, normalized)) in expected.iter().enumerate() {
            assert_eq!(json["fixtures"][index]["normalized"], json!(normalized), "{json}");
        }
    }
}
