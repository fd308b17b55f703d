//! Fixture definitions of QLC+.

use rustle_shows::fixture::{Attribute, Channel, Function, Mode};
use rustle_shows::import::{ImportError, MAX_FILE_BYTES, qxf};

const SMALL: &str = include_str!("fixtures/small-spot.qxf");

fn modes() -> (Vec<Mode>, Vec<String>) {
    let imported = qxf(SMALL.as_bytes()).expect("a definition");
    assert_eq!(imported.profile.name, "Nobody Small & Bright");
    (imported.profile.modes, imported.notes)
}

fn channel<'a>(mode: &'a Mode, attribute: &Attribute) -> &'a Channel {
    let mut channels = mode.channels.iter();
    channels
        .find(|channel| channel.attribute == *attribute)
        .expect("the channel")
}

fn refusal(change: impl Fn(&str) -> String) -> String {
    qxf(change(SMALL).as_bytes())
        .expect_err("no definition")
        .to_string()
}

#[test]
fn fine_channels_belong_to_coarse_ones_wherever_they_are() {
    let (modes, _) = modes();
    let spot = &modes[0];
    assert_eq!((spot.name.as_str(), spot.footprint()), ("Spot", 10));
    assert_eq!(channel(spot, &Attribute::Pan).slots.offsets(), [0, 2]);
    assert_eq!(channel(spot, &Attribute::Tilt).slots.offsets(), [1, 3]);
    assert_eq!(channel(spot, &Attribute::Pan).default, 0x8000);
    assert_eq!((spot.pan, spot.tilt), (530.0, 270.0));
    assert_eq!(channel(spot, &Attribute::Maintenance).slots.offsets(), [9]);
}

#[test]
fn ranges_have_their_functions() {
    let (modes, notes) = modes();
    let functions = |attribute: &Attribute| -> Vec<(u32, u32, Function)> {
        let ranges = channel(&modes[0], attribute).capabilities.iter();
        ranges
            .map(|range| (range.first, range.last, range.function))
            .collect()
    };
    let level = Function::Level { from: 0.0, to: 1.0 };
    assert_eq!(
        functions(&Attribute::Dimmer),
        [
            (0, 7, Function::Other),
            (8, 200, level),
            (201, 255, Function::Other)
        ]
    );
    let flashes = Function::Strobe { from: 0.5, to: 12.0 };
    assert_eq!(
        functions(&Attribute::Shutter),
        [
            (0, 31, Function::Closed),
            (32, 63, Function::Open),
            (64, 200, flashes),
            (201, 255, Function::Other)
        ]
    );
    assert_eq!(channel(&modes[0], &Attribute::Shutter).default, 40);
    assert_eq!(
        functions(&Attribute::ColorWheel),
        [
            (0, 9, Function::Color([1.0, 1.0, 1.0])),
            (10, 19, Function::Color([1.0, 128.0 / 255.0, 0.0])),
            (20, 29, Function::Other)
        ]
    );
    assert_eq!(
        functions(&Attribute::Gobo),
        [
            (0, 9, Function::Gobo(0)),
            (10, 19, Function::Gobo(1)),
            (20, 29, Function::Gobo(2))
        ]
    );
    let old = &modes[0].channels[4];
    assert_eq!(old.slots.offsets(), [6]);
    let functions: Vec<_> = old.capabilities.iter().map(|range| range.function).collect();
    let fast = Function::Strobe { from: 20.0, to: 1.0 };
    assert_eq!(functions, [Function::Closed, Function::Open, fast]);
    assert_eq!(old.default, 14, "open");
    assert_eq!(
        notes[1],
        "mode \"Spot\": a range of tilt of 270 degrees is assumed"
    );
}

/// Words that real files have.
#[test]
fn shutters_of_before_the_presets_are_read_by_their_words() {
    let read = |first: &str, second: &str, third: &str| {
        let text = SMALL.replace(">Blackout<", &format!(">{first}<"));
        let text = text.replace(">Open<", &format!(">{second}<"));
        let text = text.replace(">Strobe fast to slow<", &format!(">{third}<"));
        let mode = qxf(text.as_bytes())
            .expect("a definition")
            .profile
            .modes
            .swap_remove(0);
        let old = &mode.channels[4];
        let functions: Vec<_> = old.capabilities.iter().map(|range| range.function).collect();
        (old.attribute.clone(), old.default, functions)
    };
    let slow = Function::Strobe { from: 1.0, to: 20.0 };
    assert_eq!(
        read("LED Off", "LED On", "Strobe Slow - Fast"),
        (
            Attribute::Shutter,
            14,
            vec![Function::Closed, Function::Open, slow]
        )
    );
    assert_eq!(
        read("Control light is off", "Turn on the light", "Strobe Slow - Fast"),
        (
            Attribute::Shutter,
            14,
            vec![Function::Closed, Function::Open, slow]
        )
    );
    let level = Function::Level { from: 0.0, to: 1.0 };
    assert_eq!(
        read("Dimmer 0-100%", "Strobe to sound", "Strobe slow-fast"),
        (Attribute::Dimmer, 0, vec![level, Function::Other, slow])
    );
}

#[test]
fn heads_are_elements_and_what_they_share_is_of_all() {
    let (modes, _) = modes();
    let heads = &modes[1];
    assert_eq!((heads.pixels, heads.pitch), ([2, 1, 1], [0.3, 0.0, 0.0]));
    let elements: Vec<_> = heads.channels.iter().map(|channel| channel.element).collect();
    assert_eq!(
        elements,
        [None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(1)]
    );
    assert_eq!((heads.beam, heads.pan), (40.0, 0.0));
}

#[test]
fn colours_that_repeat_are_pixels() {
    let (modes, notes) = modes();
    let mode = &modes[2];
    assert_eq!((mode.pixels, mode.elements()), ([2, 1, 1], 2));
    let elements: Vec<_> = mode.channels.iter().map(|channel| channel.element).collect();
    assert_eq!(
        elements,
        [Some(0), Some(1), Some(0), Some(1), Some(0), Some(1), None]
    );
    assert_eq!(
        notes[0],
        "mode \"Without heads\": 2 pixels are assumed, one for each of its reds"
    );
    let strobe = channel(mode, &Attribute::Shutter);
    assert_eq!(
        (strobe.default, strobe.capabilities[0].function),
        (0, Function::Open)
    );
}

#[test]
fn faults_are_refused_with_their_place() {
    assert_eq!(
        refusal(|text| text.replace(">Pan fine<", ">Pan finer<")),
        "Mode \"Spot\"/Channel: expected a channel's name, got Pan finer"
    );
    assert_eq!(
        refusal(|text| text.replace("Number=\"3\">Tilt", "Number=\"4\">Tilt")),
        "Mode \"Spot\"/Channel@Number: expected 3, got 4"
    );
    assert_eq!(
        refusal(|text| text.replace("Max=\"7\"", "Max=\"256\"")),
        "Channel \"Dimmer\"/Capability@Max: expected 0 to 255, got 256"
    );
    assert_eq!(
        refusal(|text| text.replace("Min=\"8\"", "Min=\"201\"")),
        "Channel \"Dimmer\"/Capability: expected Min up to Max, got 201 to 200"
    );
    assert_eq!(
        refusal(|text| text.replace("Name=\"Lamp\"", "Name=\"Pan\"")),
        "Channel \"Pan\": expected channels of different names, got a second one"
    );
    assert_eq!(
        refusal(|text| text.replace("Two heads", "Spot")),
        "mode \"Spot\": expected modes of different names, got a second one of this name"
    );
    assert_eq!(
        refusal(|text| text.replace("Nobody", " ")),
        "Manufacturer: expected a name, got nothing"
    );
    assert_eq!(
        refusal(|_| "<Workspace/>".to_owned()),
        "root: expected FixtureDefinition, got Workspace"
    );
    let cut = |text: &str| text[..text.find("<Mode Name=\"Two").expect("a mode")].to_owned();
    assert_eq!(
        refusal(cut),
        "fixture file: expected the end of the root element, got the end of the file"
    );
    assert_eq!(
        refusal(
            |_| "<FixtureDefinition><Manufacturer>a</Manufacturer><Model>b</Model></FixtureDefinition>"
                .to_owned()
        ),
        "modes: expected one or more, got none"
    );
}

#[test]
fn hostile_definitions_end_soon() {
    let laughs =
        r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><FixtureDefinition>&b;</FixtureDefinition>"#;
    assert_eq!(
        refusal(|_| laughs.to_owned()),
        "fixture file: expected no declared entities, got one"
    );
    let deep = "<a>".repeat(200_000);
    assert_eq!(
        refusal(|_| deep.clone()),
        "fixture file: expected the end of the root element, got the end of the file"
    );
    let nested = format!("{deep}{}", "</a>".repeat(200_000));
    assert_eq!(
        refusal(|_| nested.clone()),
        "root: expected FixtureDefinition, got a"
    );
    let many = format!(
        "<FixtureDefinition>{}</FixtureDefinition>",
        "<a/>".repeat(600_000)
    );
    assert!(refusal(|_| many.clone()).starts_with("fixture file: expected XML, got "));
    let large = vec![b' '; MAX_FILE_BYTES + 1];
    assert_eq!(
        qxf(&large),
        Err(ImportError::TooLarge {
            got: MAX_FILE_BYTES + 1
        })
    );
    assert!(qxf(&[0xff, 0xfe, 0x00]).is_err());
}

/// Many prefixes and single changes of a definition are imported or refused; none panics.
#[test]
fn no_change_of_a_definition_panics() {
    for end in (0..SMALL.len()).step_by(7) {
        let _ = qxf(&SMALL.as_bytes()[..end]);
    }
    let mut bytes = SMALL.as_bytes().to_vec();
    for place in (0..bytes.len()).step_by(7) {
        let kept = bytes[place];
        for value in [b'"', b'9', 0xc3] {
            bytes[place] = value;
            let _ = qxf(&bytes);
        }
        bytes[place] = kept;
    }
}
