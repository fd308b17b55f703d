//! What ranges of channels do by their words, in files that do not say it otherwise.

use crate::fixture::{Attribute, Capability, Function, USUAL_STROBE};

/// A range of a wheel of gobos by the name of its picture, or its own; `gobos` counts those before it.
pub(super) fn gobo(picture: &str, name: &str, gobos: &mut u8) -> Function {
    let is_open = [picture, name]
        .iter()
        .any(|text| text.to_lowercase().contains("open"));
    if is_open {
        return Function::Gobo(0);
    }
    *gobos = gobos.saturating_add(1);
    Function::Gobo(*gobos)
}

/// The words for what a shutter lets through.
const LAMPS: [&str; 5] = ["lamp", "led", "leds", "light", "full"];

/// A range of a shutter by its words.
pub(super) fn shutter(name: &str) -> Function {
    let words = name.to_lowercase();
    let is = |word: &str| words.contains(word);
    let has = |word: &str| {
        words
            .split(|one: char| !one.is_alphanumeric())
            .any(|one| one == word)
    };
    let is_of_lamp = LAMPS.iter().any(|lamp| has(lamp));
    let (slow, fast) = USUAL_STROBE;
    if is("open") || is("no strobe") || is("strobe off") || is("no function") {
        Function::Open
    } else if is("close") || is("blackout") || (is_of_lamp && has("off")) {
        Function::Closed
    } else if is_of_lamp && has("on") {
        Function::Open
    } else if is("dimmer") && !is("strob") {
        Function::Level { from: 0.0, to: 1.0 }
    } else if is("random") || is("sound") || is("pulse") || !is("strob") {
        Function::Other
    } else if is("fast to slow") || is("fast - slow") {
        Function::Strobe { from: fast, to: slow }
    } else {
        Function::Strobe { from: slow, to: fast }
    }
}

/// Of an intensity's or a colour's ranges the widest one is that of its level, if none says that it is.
pub(super) fn levels(attribute: &Attribute, capabilities: &mut Vec<Capability>) {
    use Attribute::{
        Amber, Blue, ColdWhite, Cyan, Dimmer, Green, Magenta, Red, Ultraviolet, WarmWhite, White, Yellow,
    };
    let lights = [
        Dimmer,
        Red,
        Green,
        Blue,
        White,
        WarmWhite,
        ColdWhite,
        Amber,
        Ultraviolet,
        Cyan,
        Magenta,
        Yellow,
    ];
    if !lights.contains(attribute) {
        return;
    }
    if capabilities.len() < 2 {
        capabilities.clear();
        return;
    }
    let is_level = |range: &Capability| matches!(range.function, Function::Level { .. });
    if capabilities.iter().any(is_level) {
        return;
    }
    let open = |range: &&mut Capability| range.function == Function::Other;
    let widest = capabilities
        .iter_mut()
        .filter(open)
        .max_by_key(|range| (range.last - range.first, u32::MAX - range.first));
    if let Some(range) = widest {
        range.function = Function::Level { from: 0.0, to: 1.0 };
    }
}

/// Flashes that begin at the first value, where nothing opens the shutter: there it is open. If they are the only ones, only at 0.
pub(super) fn open_at_first(capabilities: &mut Vec<Capability>) {
    let is_strobe = |range: &Capability| matches!(range.function, Function::Strobe { .. });
    let strobes = capabilities.iter().filter(|range| is_strobe(range)).count();
    if capabilities.iter().any(|range| range.function == Function::Open) {
        return;
    }
    let Some(first) = capabilities
        .iter_mut()
        .find(|range| range.first == 0 && is_strobe(range))
    else {
        return;
    };
    if strobes > 1 {
        first.function = Function::Open;
    } else if first.last > 0 {
        first.first = 1;
        capabilities.push(Capability {
            first: 0,
            last: 0,
            function: Function::Open,
            name: "open".to_owned(),
        });
    }
}
