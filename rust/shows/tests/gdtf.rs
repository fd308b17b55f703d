//! Devices in the General Device Type Format.

use rustle_shows::fixture::{Attribute, Channel, Function, Mode};
use rustle_shows::import::{Imported, any, gdtf};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::FileOptions;

const SMALL: &str = include_str!("fixtures/small-device.xml");

/// An archive with these files, compressed.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, FileOptions::default()).expect("a file");
        archive.write_all(bytes).expect("its bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

fn imported() -> Imported {
    gdtf(&archive(&[
        ("thumbnail.png", b"no picture"),
        ("description.xml", SMALL.as_bytes()),
    ]))
    .expect("a device")
}

fn cells() -> Mode {
    imported().profile.mode(Some("Cells")).expect("the mode").clone()
}

fn channel(attribute: Attribute) -> Channel {
    let mode = cells();
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

fn refusal(change: impl Fn(&str) -> String) -> String {
    let bytes = archive(&[("description.xml", change(SMALL).as_bytes())]);
    gdtf(&bytes).expect_err("no device").to_string()
}

#[test]
fn channels_are_repeated_for_each_reference_to_their_geometry() {
    let imported = imported();
    assert_eq!(imported.profile.name, "Nobody Small Wash");
    let names: Vec<_> = imported
        .profile
        .modes
        .iter()
        .map(|mode| mode.name.as_str())
        .collect();
    assert_eq!(names, ["Cells", "One slot"]);
    assert_eq!(
        imported.notes,
        ["DMXMode \"Two addresses\": left out, it needs 2 addresses"]
    );
    let mode = cells();
    assert_eq!(
        (mode.footprint(), mode.pixels, mode.pitch),
        (18, [3, 1, 1], [0.2, 0.0, 0.0])
    );
    let slots: Vec<_> = mode
        .channels
        .iter()
        .map(|channel| {
            (
                channel.attribute.name().to_owned(),
                channel.element,
                channel.slots.offsets().to_vec(),
            )
        })
        .collect();
    let one = |name: &str, element, slots: &[u16]| (name.to_owned(), element, slots.to_vec());
    assert_eq!(
        slots[..7],
        [
            one("pan", None, &[0, 2]),
            one("tilt", None, &[1, 3]),
            one("dimmer", None, &[4]),
            one("shutter", None, &[5]),
            one("color wheel", None, &[6]),
            one("gobo", None, &[7]),
            one("color temperature", None, &[8]),
        ]
    );
    for (place, slot) in slots[7..].iter().enumerate() {
        let color = ["red", "green", "blue"][place % 3];
        assert_eq!(*slot, one(color, Some(place as u16 / 3), &[9 + place as u16]));
    }
    assert_eq!((mode.pan, mode.tilt, mode.beam), (540.0, 220.0, 18.5));
}

#[test]
fn functions_end_before_the_next_one() {
    let strobe = Function::Strobe { from: 0.5, to: 14.0 };
    assert_eq!(
        functions(Attribute::Shutter),
        [
            (0, 31, Function::Closed),
            (32, 63, Function::Open),
            (64, 255, strobe)
        ]
    );
    assert_eq!(channel(Attribute::Shutter).default, 40);
    assert_eq!(functions(Attribute::Dimmer), []);
    assert_eq!(
        functions(Attribute::Tilt),
        [(
            0,
            0xffff,
            Function::Level {
                from: 110.0,
                to: -110.0
            }
        )]
    );
    assert_eq!(
        (channel(Attribute::Pan).default, channel(Attribute::Tilt).default),
        (32768, 0x8000)
    );
    assert_eq!(
        functions(Attribute::Gobo),
        [
            (0, 9, Function::Gobo(0)),
            (10, 19, Function::Gobo(1)),
            (20, 255, Function::Gobo(2))
        ]
    );
    let colors = functions(Attribute::ColorWheel);
    let near = |place: usize, wanted: [f32; 3]| {
        matches!(colors[place].2, Function::Color(color)
            if color.iter().zip(wanted).all(|(part, wanted)| (part - wanted).abs() < 0.01))
    };
    // The white point and the red of sRGB.
    assert!(near(0, [1.0, 1.0, 1.0]) && near(1, [1.0, 0.0, 0.0]), "{colors:?}");
    assert_eq!(colors[2], (20, 255, Function::Other));
}

#[test]
fn faults_are_refused_with_their_place() {
    assert_eq!(
        refusal(|text| text.replace("Offset=\"1,3\"", "Offset=\"0,3\"")),
        "DMXMode \"Cells\"/DMXChannel@Offset: expected 1 to 4 slots from 1, got 0,3"
    );
    assert_eq!(
        refusal(|text| text.replace("DMXFrom=\"64/1\"", "DMXFrom=\"300/1\"")),
        "DMXMode \"Cells\"/ChannelFunction@DMXFrom: expected v/n, got 300/1"
    );
    assert_eq!(
        refusal(|text| text.replace(
            "Name=\"One slot\" Geometry=\"Base\"",
            "Name=\"One slot\" Geometry=\"Bass\""
        )),
        "DMXMode \"One slot\"@Geometry: expected a geometry, got Bass"
    );
    assert_eq!(
        refusal(|text| text.replace("DMXOffset=\"13\"", "DMXOffset=\"12\"")),
        "mode \"Cells\": expected each slot in one channel, got slot 12 twice"
    );
    assert!(refusal(|_| "<GDTF/>".to_owned()).starts_with("root: expected GDTF with a FixtureType"));
}

#[test]
fn hostile_archives_end_soon() {
    let outside = archive(&[
        ("../description.xml", b"x"),
        ("description.xml", SMALL.as_bytes()),
    ]);
    assert_eq!(
        gdtf(&outside).expect_err("no device").to_string(),
        "fixture file: expected files within the archive, got ../description.xml"
    );
    let bomb = archive(&[("description.xml", &vec![b' '; 20 << 20])]);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(
        gdtf(&bomb).expect_err("no device").to_string(),
        "fixture file: expected at most 16777216 bytes of description.xml, got more"
    );
    let none = archive(&[("other.xml", b"x")]);
    assert!(
        gdtf(&none)
            .expect_err("no device")
            .to_string()
            .starts_with("fixture file: expected description.xml, got")
    );
    assert!(any(b"PK\x03\x04").is_err());
    let itself = refusal(|text| {
        text.replace(
            "<Beam Name=\"Lens\"",
            "<GeometryReference Name=\"Again\" Geometry=\"Cell\"/><Beam Name=\"Lens\"",
        )
    });
    assert!(itself.contains("expected geometries that end"), "{itself}");
    let whole = archive(&[("description.xml", SMALL.as_bytes())]);
    for end in 0..whole.len() {
        assert!(gdtf(&whole[..end]).is_err());
    }
    let mut changed = whole.clone();
    for place in 0..changed.len() {
        let kept = changed[place];
        changed[place] = kept ^ 0x55;
        let _ = gdtf(&changed);
        changed[place] = kept;
    }
}
