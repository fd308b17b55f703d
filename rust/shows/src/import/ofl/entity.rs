//! Values with units, and the words for some of them.

use super::super::ImportError;
use super::super::json::Node;
use crate::fixture::USUAL_STROBE;

/// The words and their parts of the whole.
const WORDS: [(&str, f64); 26] = [
    ("off", 0.0),
    ("stop", 0.0),
    ("closed", 0.0),
    ("out", 0.0),
    ("instant", 0.0),
    ("default", 0.0),
    ("dark", 0.01),
    ("slow", 0.01),
    ("slow CW", 0.01),
    ("near", 0.01),
    ("small", 0.01),
    ("low", 0.01),
    ("short", 0.01),
    ("narrow", 0.01),
    ("weak", 0.01),
    ("slow reverse", -0.01),
    ("slow CCW", -0.01),
    ("fast reverse", -1.0),
    ("fast CCW", -1.0),
    ("bright", 1.0),
    ("fast", 1.0),
    ("fast CW", 1.0),
    ("far", 1.0),
    ("wide", 1.0),
    ("high", 1.0),
    ("open", 1.0),
];

/// The units, and what one of them is in `Hz`, `deg` or parts.
const UNITS: [(&str, Unit, f64); 8] = [
    ("%", Unit::Part, 0.01),
    ("Hz", Unit::Hertz, 1.0),
    ("bpm", Unit::Hertz, 1.0 / 60.0),
    ("rpm", Unit::Hertz, 1.0 / 60.0),
    ("deg", Unit::Degrees, 1.0),
    ("°", Unit::Degrees, 1.0),
    ("ms", Unit::Other, 1.0),
    ("lm", Unit::Other, 1.0),
];

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Parts of the whole.
    Part,
    Hertz,
    Degrees,
    /// A number by itself, or of a unit that nothing here reads.
    Other,
}

/// A number with its unit.
pub(super) fn entity(node: &Node<'_>) -> Result<(f64, Unit), ImportError> {
    if let Some(number) = node.value.as_f64() {
        return Ok((number, Unit::Other));
    }
    let text = node.text()?.trim();
    if let Some((_, part)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Ok((*part, Unit::Part));
    }
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || ".-+".contains(c)))
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    match digits.parse::<f64>() {
        Ok(number) => {
            let known = UNITS.iter().find(|(name, _, _)| *name == unit.trim());
            Ok(known.map_or((number, Unit::Other), |(_, unit, factor)| {
                (number * factor, *unit)
            }))
        }
        // Words of entities that nothing here reads, such as those of colour temperatures.
        Err(_) if text.chars().next().is_some_and(char::is_alphabetic) => Ok((0.0, Unit::Other)),
        Err(_) => Err(node.wrong("a number with its unit")),
    }
}

/// A part of the whole, 0 to 1, also as a number by itself; none for another unit.
pub(super) fn part(node: &Node<'_>) -> Result<Option<f32>, ImportError> {
    let (number, unit) = entity(node)?;
    let is_part = unit == Unit::Part || (node.value.is_number() && (0.0..=1.0).contains(&number));
    Ok(is_part.then_some(number.clamp(0.0, 1.0) as f32))
}

/// Flashes a second; parts are those of the usual range.
pub(super) fn flashes(node: &Node<'_>) -> Result<Option<f32>, ImportError> {
    let (number, unit) = entity(node)?;
    let (slow, fast) = USUAL_STROBE;
    Ok(match unit {
        Unit::Hertz => Some(number.abs() as f32),
        Unit::Part => Some(slow + (fast - slow) * number.abs().min(1.0) as f32),
        _ => None,
    })
}

/// Degrees; parts are those of a range.
pub(super) fn degrees(node: &Node<'_>, range: f32) -> Result<f32, ImportError> {
    let (number, unit) = entity(node)?;
    match unit {
        Unit::Degrees => Ok(number as f32),
        Unit::Part => Ok(number as f32 * range),
        _ => Err(node.wrong("an angle")),
    }
}
