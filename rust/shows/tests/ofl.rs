//! Fixtures of the Open Fixture Library.

use rustle_shows::fixture::{Attribute, Channel, Function, Mode};
use rustle_shows::import::{Imported, ofl};

const SMALL: &str = include_str!("fixtures/small-bar.json");

fn imported() -> Imported {
    ofl(SMALL.as_bytes()).expect("a fixture")
}

fn mode(name: &str) -> Mode {
    imported().profile.mode(Some(name)).expect("the mode").clone()
}

fn channel(attribute: Attribute) -> Channel {
    let mode = mode("Spot");
    let mut channels = mode.channels.iter();
    channels
        .find(|channel| channel.attribute == attribute)
        .expect("the channel")
        .clone()
}

fn functions(attribute: Attribute) -> Vec<(u32, u32, Function)> {
    let channel = channel(attribute);
    let ranges = channel.capabilities.iter();
    ranges
        .map(|range| (range.first, range.last, range.function))
        .collect()
}

fn slots(mode: &Mode) -> Vec<(String, Option<u16>, Vec<u16>)> {
    let channels = mode.channels.iter();
    channels
        .map(|channel| {
            (
                channel.attribute.name().to_owned(),
                channel.element,
                channel.slots.offsets().to_vec(),
            )
        })
        .collect()
}

fn refusal(change: impl Fn(&str) -> String) -> String {
    ofl(change(SMALL).as_bytes()).expect_err("no fixture").to_string()
}

#[test]
fn a_mode_has_its_channels_in_order_with_their_fine_slots() {
    let spot = mode("Spot");
    let names: Vec<_> = spot
        .channels
        .iter()
        .map(|channel| channel.attribute.name().to_owned())
        .collect();
    let expected = [
        "pan",
        "tilt",
        "unused",
        "dimmer",
        "shutter",
        "color wheel",
        "gobo",
        "program",
        "zoom",
        "color wheel",
        "Top blade",
    ];
    assert_eq!(names, expected);
    assert_eq!(spot.channels[0].slots.offsets(), [0, 2, 13]);
    assert_eq!(spot.channels[1].slots.offsets(), [1, 3]);
    assert_eq!((spot.footprint(), spot.elements(), spot.beam), (14, 1, 32.0));
}

#[test]
fn defaults_and_ranges_are_in_the_resolution_of_the_mode() {
    let pan = channel(Attribute::Pan);
    // 8 bits of 24.
    assert_eq!((pan.default, pan.capabilities[0].last), (64 << 16, 0x00ff_ffff));
    assert_eq!(
        pan.capabilities[0].function,
        Function::Level {
            from: -180.0,
            to: 180.0
        }
    );
    let tilt = channel(Attribute::Tilt);
    assert_eq!(tilt.default, 0x7fff);
    assert_eq!(
        tilt.capabilities[0].function,
        Function::Level {
            from: 90.0,
            to: -90.0
        }
    );
    let spot = mode("Spot");
    assert_eq!((spot.pan, spot.tilt), (360.0, 180.0));
}

#[test]
fn capabilities_have_their_functions() {
    let level = Function::Level { from: 0.01, to: 1.0 };
    let dimmer = functions(Attribute::Dimmer);
    assert_eq!(dimmer[..2], [(0, 9, Function::Closed), (10, 199, level)]);
    // Slow is a hundredth of the usual range, 1 to 20 flashes a second.
    assert!(matches!(dimmer[2].2, Function::Strobe { from, to } if (from - 1.19).abs() < 1e-6 && to == 20.0));
    assert_eq!(dimmer[3], (250, 255, Function::Other));
    assert_eq!(
        functions(Attribute::Shutter),
        [
            (0, 9, Function::Open),
            (10, 99, Function::Strobe { from: 0.5, to: 10.0 }),
            (100, 255, Function::Other)
        ]
    );
    assert_eq!(
        functions(Attribute::ColorWheel),
        [
            (0, 9, Function::Color([1.0; 3])),
            (10, 19, Function::Color([1.0, 0.0, 0.0])),
            (20, 29, Function::Other),
            (30, 255, Function::Other)
        ]
    );
    assert_eq!(
        functions(Attribute::Gobo),
        [
            (0, 9, Function::Gobo(0)),
            (10, 19, Function::Gobo(1)),
            (20, 29, Function::Gobo(2)),
            (30, 255, Function::Other)
        ]
    );
    assert_eq!(channel(Attribute::ColorWheel).capabilities[1].name, "red");
}

/// Files that were made of GDTF have such ranges.
#[test]
fn ranges_that_continue_each_other_are_one() {
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        let text = SMALL.replacen(from, to, 1);
        let imported = ofl(text.as_bytes()).expect("a fixture");
        imported.profile.modes[0].clone()
    };
    let pan = r#""capability": {"type": "Pan", "angleStart": "0deg", "angleEnd": "360deg"}"#;
    let halves = r#""capabilities": [{"dmxRange": [0, 99], "type": "Pan", "angleStart": "0deg", "angleEnd": "200deg"},
        {"dmxRange": [100, 255], "type": "Pan", "angleStart": "200.5deg", "angleEnd": "500deg"}]"#;
    let mode = with(pan, halves);
    let ranges = &mode.channels[0].capabilities;
    assert_eq!((mode.pan, ranges.len(), ranges[0].last), (500.0, 1, 0x00ff_ffff));
    assert_eq!(
        ranges[0].function,
        Function::Level {
            from: -250.0,
            to: 250.0
        }
    );
    let mode = with(pan, &pan.replace("360deg", "1deg"));
    assert_eq!(
        (mode.pan, mode.channels[0].capabilities.len()),
        (540.0, 0),
        "a placeholder"
    );
    let mode = with(
        r#""slotNumber": 2, "comment": "red""#,
        r#""slotNumberStart": 1.5, "slotNumberEnd": 2.5"#,
    );
    assert_eq!(
        mode.channels[5].capabilities[1].function,
        Function::Color([1.0, 0.0, 0.0])
    );
}

/// The order of pixels is that of the library's documentation: XYZ as a book is read.
#[test]
fn templates_are_repeated_for_each_pixel() {
    let mode = mode("Per pixel");
    assert_eq!((mode.pixels, mode.footprint(), mode.beam), ([3, 2, 1], 22, 10.0));
    // 80 and 20 mm in a row, 80 and 40 mm between rows.
    assert_eq!(mode.pitch, [0.1, 0.12, 0.0]);
    let reds: Vec<_> = slots(&mode)
        .into_iter()
        .filter(|(name, _, _)| name == "red")
        .collect();
    // "Red B1" is a channel of its own, of 8 bits, and the fine part of its template has none.
    let expected = [
        (0, vec![1, 2]),
        (1, vec![5, 6]),
        (2, vec![9, 10]),
        (3, vec![13]),
        (5, vec![17, 18]),
    ];
    assert_eq!(
        reds,
        expected.map(|(element, slots)| ("red".to_owned(), Some(element), slots))
    );
    let inverted = mode
        .channels
        .iter()
        .find(|channel| channel.slots.offsets() == [13])
        .expect("B1");
    assert_eq!(
        inverted.capabilities[0].function,
        Function::Level { from: 1.0, to: 0.0 }
    );
    let green = mode
        .channels
        .iter()
        .find(|channel| channel.attribute == Attribute::Green)
        .expect("All");
    assert_eq!((green.element, green.slots.offsets()), (None, &[21][..]));
    assert!(
        imported()
            .notes
            .iter()
            .any(|note| note.starts_with("mode \"Per pixel\": \"Red $pixelKey\" lacks"))
    );
}

#[test]
fn pixels_are_ordered_by_name_or_by_place() {
    let by_name = slots(&mode("Per channel"));
    // A1, A2, A10, B1, B3: places 0, 1, 2, 3 and 5 of the grid.
    let elements: Vec<_> = by_name.iter().map(|(_, element, _)| *element).collect();
    let once = [Some(0), Some(1), Some(2), Some(3), Some(5)];
    assert_eq!(elements, [once, once].concat());
    assert!(by_name[..5].iter().all(|(name, _, _)| name == "green"));
    let columns: Vec<_> = slots(&mode("Columns"))
        .into_iter()
        .map(|(_, element, _)| element)
        .collect();
    assert_eq!(columns, [Some(0), Some(3), Some(1), Some(2), Some(5)]);
}

#[test]
fn groups_are_the_elements_of_a_mode_without_pixels() {
    let groups = mode("Groups");
    assert_eq!(groups.pixels, [4, 1, 1]);
    let elements: Vec<_> = groups.channels.iter().map(|channel| channel.element).collect();
    assert_eq!(elements, [Some(0), Some(1), Some(2), Some(3)]);
    let chosen = slots(&mode("Chosen"));
    let expected = [
        ("green", Some(0)),
        ("unused", None),
        ("green", Some(1)),
        ("unused", None),
    ];
    let found: Vec<_> = chosen
        .iter()
        .map(|(name, element, _)| (name.as_str(), *element))
        .collect();
    assert_eq!(found, expected, "fine slots alone do nothing");
}

#[test]
fn the_names_of_pixels_by_number_are_their_places() {
    let change = |count: &str, channel: &str| {
        let text = SMALL.replace(
            r#""pixelKeys": [[["A1", "A2", "A10"], ["B1", null, "B3"]]],"#,
            &format!(r#""pixelCount": {count},"#),
        );
        let start = text.find(r#""pixelGroups""#).expect("groups");
        let end = text[start..].find("\n").expect("a line") + start;
        let text = format!("{}\"pixelGroups\": {{}}{}", &text[..start], &text[end..]);
        let start = text.find("\"modes\"").expect("modes");
        format!(
            "{}\"modes\": [{{\"name\": \"One\", \"channels\": [\"{channel}\"]}}]}}",
            &text[..start]
        )
    };
    let element = |count: &str, channel: &str| {
        let imported = ofl(change(count, channel).as_bytes()).expect("a fixture");
        imported.profile.modes[0].channels[0].element
    };
    assert_eq!(element("[1, 4, 1]", "Red 3"), Some(2));
    assert_eq!(element("[3, 2, 1]", "Red (2, 2)"), Some(4));
    assert_eq!(element("[2, 2, 2]", "Red (1, 2, 2)"), Some(6));
    assert_eq!(
        refusal(|_| change("[100, 100, 100]", "Red 1")),
        "matrix.pixelCount: expected 1 to 4096 pixels, got [100,100,100]"
    );
}

/// Files by version 4 of the schema, whose channels have the types, were refused.
#[test]
fn channels_of_early_files_are_what_their_types_and_words_say() {
    let file = include_str!("fixtures/early-head.json");
    let imported = ofl(file.as_bytes()).expect("a fixture");
    let mode = imported.profile.mode(None).expect("a mode");
    let seen: Vec<_> = mode
        .channels
        .iter()
        .map(|channel| {
            let ranges = channel.capabilities.iter();
            let functions = ranges.map(|range| (range.first, range.last, range.function));
            (channel.attribute.name().to_owned(), functions.collect::<Vec<_>>())
        })
        .collect();
    let (red, white) = (Function::Color([1.0, 0.0, 0.0]), Function::Color([1.0; 3]));
    let strobe = Function::Strobe { from: 1.0, to: 20.0 };
    let (from, to) = (1.0, 0.0);
    let [pan, tilt] = [[-250.0, 250.0], [100.0, -100.0]].map(|[from, to]| Function::Level { from, to });
    let expected = [
        ("pan", vec![(0, 65_535, pan)]),
        ("tilt", vec![(0, 9, Function::Other), (10, 255, tilt)]),
        (
            "color wheel",
            vec![(0, 9, white), (10, 19, Function::Other), (20, 255, red)],
        ),
        (
            "gobo",
            vec![
                (0, 9, Function::Gobo(0)),
                (10, 19, Function::Gobo(1)),
                (20, 29, Function::Gobo(2)),
                (30, 39, Function::Other),
                (40, 255, Function::Other),
            ],
        ),
        ("gobo rotation", vec![]),
        (
            "shutter",
            vec![
                (0, 31, Function::Closed),
                (32, 63, Function::Open),
                (64, 255, strobe),
            ],
        ),
        ("shutter", vec![(0, 0, Function::Open), (1, 255, strobe)]),
        (
            "program",
            vec![(0, 127, Function::Other), (128, 255, Function::Other)],
        ),
        ("red", vec![]),
        ("dimmer", vec![(0, 255, Function::Level { from, to })]),
        ("unused", vec![]),
        ("Program speed", vec![]),
    ];
    assert_eq!(seen, expected.map(|(name, ranges)| (name.to_owned(), ranges)));
    assert_eq!(mode.channels[0].slots.offsets(), [0, 2]);
    assert_eq!((mode.pan, mode.tilt, mode.beam), (500.0, 200.0, 12.0));
    for (from, to, fault) in [
        (r#""Strobe""#, r#""Strobo""#, "availableChannels"),
        (
            "menuClick",
            "menu",
            "expected one of range, name, menuClick, color, color2, image, switchChannels, got menu",
        ),
        (
            "tiltMax",
            "tiltRange",
            "physical.focus.tiltRange: expected one of type, panMax, tiltMax, got tiltRange",
        ),
        (
            r#""name": "home""#,
            r#""menuClick": "end""#,
            "capabilities[0].name: expected a name",
        ),
        (
            "[20, 255]",
            "[20, 256]",
            "capabilities[2].range[1]: expected 0 to 255",
        ),
    ] {
        let refused = ofl(file.replace(from, to).as_bytes())
            .expect_err("no fixture")
            .to_string();
        assert!(refused.contains(fault), "{refused}");
    }
}

/// Files by version 7 of the schema: wheels without slots, degrees with their sign, parts of the range of a head.
#[test]
fn capabilities_of_earlier_versions_have_their_functions() {
    let with = |channel: &str| {
        format!(
            r#"{{"name":"Earlier","manualURL":"https://example.org","physical":{{"focus":{{"panMax":"infinite","tiltMax":180}}}},
            "availableChannels":{{"One":{channel}}},"modes":[{{"name":"All","channels":["One"]}}]}}"#
        )
    };
    let read = |channel: &str| {
        let imported = ofl(with(channel).as_bytes()).expect("a fixture");
        let mode = imported.profile.mode(None).expect("a mode").clone();
        let functions = mode.channels[0].capabilities.iter().map(|range| range.function);
        (
            mode.channels[0].attribute.name().to_owned(),
            functions.collect::<Vec<_>>(),
        )
    };
    let ranges = |bodies: [&str; 2]| {
        let [one, other] = bodies;
        read(&format!(
            r#"{{"capabilities":[{{"dmxRange":[0,9],{one}}},{{"dmxRange":[10,255],{other}}}]}}"#
        ))
    };
    let level = |from, to| Function::Level { from, to };
    let pan = r#"{"capability":{"type":"Pan","angleStart":"-90°","angleEnd":"90°"}}"#;
    assert_eq!(read(pan), ("pan".to_owned(), vec![level(-90.0, 90.0)]));
    let tilt = r#"{"capability":{"type":"Tilt","angleStart":"0%","angleEnd":"100%"}}"#;
    assert_eq!(read(tilt), ("tilt".to_owned(), vec![level(-90.0, 90.0)]));
    let wheel = [
        r#""type":"ColorWheelIndex","index":0"#,
        r##""type":"ColorWheelIndex","index":1,"colors":["#00ff00"]"##,
    ];
    let green = Function::Color([0.0, 1.0, 0.0]);
    assert_eq!(
        ranges(wheel),
        ("color wheel".to_owned(), vec![Function::Color([1.0; 3]), green])
    );
    let turning = [
        r#""type":"ColorWheelIndex","indexStart":0,"indexEnd":7"#,
        r#""type":"ColorWheelRotation","speed":"fast CW""#,
    ];
    assert_eq!(
        ranges(turning),
        ("color wheel".to_owned(), vec![Function::Other; 2])
    );
    let gobos = [
        r#""type":"GoboIndex","index":3"#,
        r#""type":"GoboIndex","index":3,"shakeSpeed":"slow""#,
    ];
    assert_eq!(
        ranges(gobos),
        ("gobo".to_owned(), vec![Function::Gobo(3), Function::Other])
    );
    let rotations = [
        r#""type":"GoboStencilRotation","angle":"90°""#,
        r#""type":"GoboWheelRotation","speed":"slow CCW""#,
    ];
    assert_eq!(
        ranges(rotations),
        ("gobo rotation".to_owned(), vec![Function::Other; 2])
    );
    let shutters = [
        r#""type":"ShutterStrobe","shutterEffect":"Open""#,
        r#""type":"ShutterStrobe","shutterEffect":"StrobeRandom","speed":"slow""#,
    ];
    assert_eq!(
        ranges(shutters),
        ("shutter".to_owned(), vec![Function::Open, Function::Other])
    );
    let effects = [
        r#""type":"EffectIntensity","effectIntensity":"low""#,
        r#""type":"GoboShake""#,
    ];
    assert_eq!(ranges(effects).0, "gobo");
    let half = r#"{"capabilities":[{"dmxRange":[0,255],"type":"GoboIndex"}]}"#;
    let refused = ofl(with(half).as_bytes()).expect_err("no fixture").to_string();
    assert!(refused.contains("expected an index"), "{refused}");
}

#[test]
fn faults_are_refused_with_their_place() {
    let cases = [
        (
            r#""weight": 3"#,
            r#""wight": 3"#,
            "physical.wight: expected one of dimensions, weight, power, powerConnectors, DMXconnector, bulb, lens, focus, matrixPixels, got wight",
        ),
        (
            r#""brightness": "bright""#,
            r#""brightnes": "bright""#,
            "availableChannels.Dimmer.capabilities[3].brightnes: expected a key of capabilities that is known, got \"bright\"",
        ),
        (
            r#""type": "Zoom""#,
            r#""type": "Laser""#,
            "availableChannels.Zoom.capability.type: expected a type of capability that is known, got \"Laser\"",
        ),
        (
            r#"[250, 255]"#,
            r#"[250, 256]"#,
            "availableChannels.Dimmer.capabilities[3].dmxRange[1]: expected 0 to 255, got 256",
        ),
        (
            r#"[200, 249]"#,
            r#"[200, 199]"#,
            "availableChannels.Dimmer.capabilities[2].dmxRange: expected the first and the last value, got [200,199]",
        ),
        (
            r#"null, "Dimmer""#,
            r#"null, "Dimer""#,
            "modes[0].channels[5]: expected a channel of the fixture, got \"Dimer\"",
        ),
        (
            r#""Blades", "Pan finest""#,
            r#""Blades", "Dimmer""#,
            "modes[0].channels[13]: expected each channel once, got Dimmer",
        ),
        (
            r#""eachPixelXYZ""#,
            r#""eachPixelXYY""#,
            "modes[1].channels[1].repeatFor: expected an order of pixels, got \"eachPixelXYY\"",
        ),
        (
            r#""wheel": "Gobo Wheel", "slotNumber": 3}"#,
            r#""wheel": "Gobo Wheel", "slotNumber": 4}"#,
            "availableChannels.Gobo.capabilities[2].slotNumber: expected a slot of the wheel, got 4",
        ),
        (
            r#""angleStart": "0deg""#,
            r#""angleStart": "?""#,
            "availableChannels.Pan.capability.angleStart: expected a number with its unit, got \"?\"",
        ),
        (
            r#"["A1", "B1"]"#,
            r#"["A1", "B2"]"#,
            "matrix.pixelGroups.Left[1]: expected a pixel, got \"B2\"",
        ),
        (
            r#""name": "Small Bar""#,
            r#""name": 1"#,
            "name: expected a text, got 1",
        ),
        (
            r#""name": "Small Bar""#,
            r#""redirectTo": "a/b""#,
            "redirectTo: expected a fixture, got \"a/b\"",
        ),
    ];
    for (from, to, expected) in cases {
        assert!(SMALL.contains(from), "{from}");
        assert_eq!(refusal(|text| text.replacen(from, to, 1)), expected);
    }
    assert!(refusal(|text| text[..500].to_owned()).starts_with("fixture file: expected JSON, got "));
}

#[test]
fn hostile_fixtures_end_soon() {
    assert!(
        refusal(|_| "[".repeat(1_000_000)).starts_with("fixture file: expected JSON, got recursion limit")
    );
    let templates: Vec<_> = (0..200)
        .map(|index| format!(r#""{index} $pixelKey":{{"capability":{{"type":"Generic"}}}}"#))
        .collect();
    let many = format!(
        r#"{{"name":"x","matrix":{{"pixelCount":[64,64,1]}},"templateChannels":{{{}}},"modes":[]}}"#,
        templates.join(",")
    );
    assert!(refusal(|_| many.clone()).contains("at most 100000 channels of all pixels"));
    let block = r#"{"insert":"matrixChannels","repeatFor":"eachPixelXYZ","channelOrder":"perPixel","templateChannels":["0 $pixelKey"]}"#;
    let wide = format!(
        r#"{{"name":"x","matrix":{{"pixelCount":[64,64,1]}},"templateChannels":{{{}}},"modes":[{{"name":"m","channels":[{block}]}}]}}"#,
        templates[0]
    );
    assert_eq!(
        refusal(|_| wide.clone()),
        "modes[0].channels[0]: expected at most 512 slots, got an object"
    );
}

/// Many single changes of a fixture are imported or refused; none panics.
#[test]
fn no_change_of_a_fixture_panics() {
    let mut bytes = SMALL.as_bytes().to_vec();
    for place in (0..bytes.len()).step_by(11) {
        let kept = bytes[place];
        for value in [b'"', b'9', b'-'] {
            bytes[place] = value;
            let _ = ofl(&bytes);
        }
        bytes[place] = kept;
    }
}
