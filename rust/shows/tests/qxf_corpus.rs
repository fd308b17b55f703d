//! The fixture definitions that QLC+ comes with, as Debian's `qlcplus-data` installs them.

use rustle_shows::fixture::{Attribute, Channel, Function, Mode, Profile, Rig};
use rustle_shows::import::{Imported, qxf};
use rustle_shows::slots::SlotMap;
use std::fs;
use std::path::{Path, PathBuf};

const CORPUS: &str = "/usr/share/qlcplus/fixtures";

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("scripts/bootstrap installs qlcplus-data");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = paths
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "qxf"))
        .collect();
    files.sort();
    files
}

/// The name and the number of channels of each mode, found without a parser of XML.
fn modes(text: &str) -> Vec<(String, usize)> {
    let parts = text.split("<Mode Name=\"").skip(1);
    let modes = parts.map(|part| {
        let (name, rest) = part.split_once('"').expect("a name's end");
        let (mode, _) = rest.split_once("</Mode>").expect("a mode's end");
        let name = name
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">");
        (
            name.replace("&amp;", "&"),
            mode.matches("<Channel Number=\"").count() + mode.matches("<Channel ActsOn=\"").count(),
        )
    });
    modes.collect()
}

/// The slot map of one fixture in this mode.
fn slot_map(mode: &Mode) -> SlotMap {
    let json =
        br#"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":1,"address":1}]}"#;
    let (mut rig, _) = Rig::read(json, &Profile::built_in()).expect("a rig");
    rig.fixtures[0].mode = mode.clone();
    SlotMap::new(&rig)
}

/// What fixtures with this mode show of a dark look and of a white one: dark, and white light where they have its colours. No
/// shutter flashes that can be open.
fn check_light(mode: &Mode, name: &str) {
    let map = slot_map(mode);
    let (mut look, mut frame) = (map.look(), map.frame());
    let mut shown = map.look();
    map.encode(&look, &mut frame);
    map.decode(&frame, &mut shown);
    let is_part_of = |element: u16, attribute: Attribute| {
        let mut channels = mode.channels.iter();
        channels
            .any(|channel| channel.attribute == attribute && channel.element.is_none_or(|own| own == element))
    };
    let colors = [Attribute::Red, Attribute::Green, Attribute::Blue];
    let white = (0..mode.elements() as u16)
        .find(|element| colors.iter().all(|color| is_part_of(*element, color.clone())));
    let planes = [&shown.red, &shown.green, &shown.blue];
    if white.is_some() || mode.has(&Attribute::Dimmer) {
        assert!(
            planes.into_iter().flatten().all(|level| *level < 0.01),
            "{name}: {shown:?}"
        );
    }
    for plane in [&mut look.red, &mut look.green, &mut look.blue] {
        plane.fill(1.0);
    }
    map.encode(&look, &mut frame);
    map.decode(&frame, &mut shown);
    if let Some(element) = white {
        let levels = [&shown.red, &shown.green, &shown.blue].map(|plane| plane[usize::from(element)]);
        assert!(levels.iter().all(|level| *level > 0.99), "{name}: {shown:?}");
    }
    let shutters = mode
        .channels
        .iter()
        .filter(|channel| channel.attribute == Attribute::Shutter);
    let can_open = |channel: &Channel| {
        channel
            .capabilities
            .iter()
            .any(|range| range.function == Function::Open)
    };
    assert!(
        !shutters.clone().all(can_open) || shown.heads[0].strobe == 0.0,
        "{name}: {shown:?}"
    );
}

#[test]
fn nearly_all_definitions_of_the_corpus_are_imported_and_the_rest_is_refused_with_a_reason() {
    let files = files(Path::new(CORPUS));
    assert!(files.len() >= 1_000, "{} files", files.len());
    let mut imported = 0;
    for file in &files {
        let bytes = fs::read(file).expect("a file");
        match qxf(&bytes) {
            Ok(Imported { profile, .. }) => {
                imported += 1;
                let expected = modes(std::str::from_utf8(&bytes).expect("UTF-8"));
                let found = profile
                    .modes
                    .iter()
                    .map(|mode| (mode.name.clone(), usize::from(mode.footprint())));
                assert_eq!(found.collect::<Vec<_>>(), expected, "{}", file.display());
                for mode in &profile.modes {
                    check_light(mode, &format!("{} {}", profile.name, mode.name));
                }
            }
            Err(error) => println!("refused {}: {error}", file.display()),
        }
    }
    println!("{imported} of {}", files.len());
    assert!(
        imported * 100 >= files.len() * 98,
        "{imported} of {}",
        files.len()
    );
}
