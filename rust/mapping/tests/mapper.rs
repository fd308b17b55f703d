//! Mappings of bytes: known places, and the slots that light a rig.

use rustle_lighting::{PortAddress, SLOTS};
use rustle_mapping::decode::{Mapping, Reason};
use rustle_mapping::film::{Film, FilmSettings};
use rustle_mapping::frames::Format;
use rustle_mapping::live::{Method, Phase};
use rustle_mapping::mapper::{Mapper, Settings};
use rustle_mapping::simulate::Difficulty;
use rustle_shows::fixture::RigUniverse;

const RIG: &[u8] = br#"{"v":1,"fixtures":[
    {"id":1,"profile":"rgb-par","protocol":"artnet","universe":0,"address":1},
    {"id":2,"profile":"rgb-par","protocol":"artnet","universe":1,"address":4}]}"#;

fn gray(side: u32) -> Format {
    Format::Gray {
        width: side,
        height: side,
    }
}

fn settings(side: u32) -> Settings<'static> {
    Settings {
        format: gray(side),
        rig: &[],
        count: 2,
        method: Method::Coded,
        hold: 2,
        schedule: &[],
        known: &[],
        is_live: false,
        again: true,
    }
}

fn universe(number: u32) -> RigUniverse {
    RigUniverse::ArtNet(PortAddress::new(number).expect("universe"))
}

#[test]
fn known_places_are_of_frames_of_one_size() {
    let known = br#"{"v":1,"width":160,"height":120,"fixtures":[
        {"id":0,"found":true,"x":3,"y":4,"confidence":0.9},{"id":1,"found":false,"reason":"hidden"}]}"#;
    for is_live in [false, true] {
        let mut mapper = Mapper::new(&Settings {
            known,
            is_live,
            ..settings(64)
        })
        .expect("mapper");
        for _ in 0..2 {
            let error = mapper.push(&[9; 64 * 64], 0).expect_err("size");
            assert_eq!(
                error.to_string(),
                "known: expected frames of 160 x 120, got 64 x 64"
            );
        }
        let same = String::from_utf8_lossy(known)
            .replace("160", "64")
            .replace("120", "64");
        let mut mapper = Mapper::new(&Settings {
            known: same.as_bytes(),
            is_live,
            ..settings(64)
        })
        .expect("mapper");
        mapper.push(&[9; 64 * 64], 0).expect("frame");
        let mapping = mapper.mapping();
        assert_eq!(
            (mapping.width, mapping.found()),
            (64, 1),
            "{:?}",
            mapping.fixtures
        );
    }
}

#[test]
fn known_mapping_without_places_has_the_size_of_the_frames() {
    let known = br#"{"v":1,"width":160,"height":120,"fixtures":[
        {"id":0,"found":false,"reason":"dark"},{"id":1,"found":false,"reason":"hidden"}]}"#;
    for is_live in [false, true] {
        let mut mapper = Mapper::new(&Settings {
            known,
            is_live,
            ..settings(64)
        })
        .expect("mapper");
        mapper.push(&[9; 64 * 64], 0).expect("frame");
        let mapping: &Mapping = mapper.mapping();
        assert_eq!((mapping.width, mapping.height), (64, 64));
        assert!(mapping.fixtures[1].place.is_err());
    }
}

#[test]
fn slots_before_stay_under_the_light_of_a_rig() {
    let mut mapper = Mapper::new(&Settings {
        rig: RIG,
        is_live: true,
        ..settings(64)
    })
    .expect("mapper");
    assert_eq!(mapper.levels(), [[0; SLOTS]; 2]);
    mapper.keep(universe(1), &[7; SLOTS]);
    // One that the rig lacks.
    mapper.keep(universe(9), &[8; SLOTS]);
    let mut lit = false;
    for frame in 0..9 {
        mapper.push(&[9; 64 * 64], frame).expect("frame");
        let levels = mapper.levels();
        let level = if mapper.is_lit(1) == Some(true) { 255 } else { 0 };
        lit |= level > 0;
        let expected: [u8; SLOTS] =
            std::array::from_fn(|slot| if (3..6).contains(&slot) { level } else { 7 });
        assert_eq!(levels[1], expected);
        assert!(levels[0][3..].iter().all(|level| *level == 0));
    }
    assert!(lit);
    mapper.cancel();
    assert_eq!((mapper.progress().phase, mapper.levels()[1][3]), (Phase::Done, 0));
    assert_eq!(mapper.mapping().fixtures[0].place, Err(Reason::Dark));
}

#[test]
fn light_at_the_end_of_time_is_taken() {
    let mut film = Film::new(&FilmSettings {
        difficulty: Difficulty::Club,
        seed: 1,
        width: 32,
        height: 32,
        rig: RIG,
        count: 0,
        method: Method::Coded,
        hold: 2,
        drops: None,
        auto_exposure: None,
        delay: Some(4.0),
    })
    .expect("film");
    film.light(universe(0), &[255; SLOTS], u64::MAX);
    assert!((0..9).any(|frame| film.frame(frame << 32).is_some()));
}

#[test]
fn hold_for_whose_frames_there_is_no_memory_is_refused_at_the_first() {
    // A GiB is 512 frames of 2 MiB, and a schedule of two fixtures has four states.
    for (hold, is_live) in [(129, false), (1_000, true)] {
        let mut mapper = Mapper::new(&Settings {
            hold,
            is_live,
            ..settings(1_024)
        })
        .expect("mapper");
        for _ in 0..2 {
            let error = mapper.push(&vec![9; 1_024 * 1_024], 0).expect_err("memory");
            // A live run keeps two frames before its schedule too.
            let longest = if is_live { 127 } else { 128 };
            let expected = format!("hold: expected 1 to {longest} frames of 1024 x 1024 pixels, got {hold}");
            assert_eq!(error.to_string(), expected);
        }
    }
    for (hold, method) in [(128, Method::Coded), (1_000, Method::Sequential)] {
        let mut mapper = Mapper::new(&Settings {
            hold,
            method,
            ..settings(1_024)
        })
        .expect("mapper");
        assert_eq!(mapper.push(&vec![9; 1_024 * 1_024], 0), Ok(()));
    }
    let schedule = format!(
        r#"{{"v":1,"states":["dark","all","bit 0","not 0"],"frames":[{}]}}"#,
        vec!["0"; 513].join(",")
    );
    let mut mapper = Mapper::new(&Settings {
        schedule: schedule.as_bytes(),
        ..settings(1_024)
    })
    .expect("mapper");
    let error = mapper.push(&vec![9; 1_024 * 1_024], 0).expect_err("memory");
    assert_eq!(
        error.to_string(),
        "frames: expected 1 to 512 of 1024 x 1024 pixels, got 513"
    );
}
