//! Profiles in our own format, and rigs that bring them along.

use rustle_shows::fixture::{Attribute, Profile, Rig};
use rustle_shows::import::{any, ofl, qxf};

const BAR: &str = r#"{"v":1,"name":"My bar","modes":[{"name":"7","pixels":[2,1,1],"pitch":[0.25,0,0],"pan":90.5,"beam":20,
  "channels":[{"attribute":"pan","slots":[7,1],"default":32768},
    {"attribute":"red","slots":[2],"element":1},{"attribute":"red","slots":[3],"element":2},
    {"attribute":"shutter","slots":[4],"default":9,"ranges":[{"values":[0,7],"shutter":"closed"},
      {"values":[8,15],"shutter":"open","name":"light"},{"values":[16,255],"strobe":[0.5,12.5]}]},
    {"attribute":"smoke machine","slots":[6]}]}]}"#;

fn refusal(from: &str, to: &str) -> String {
    assert!(BAR.contains(from), "{from}");
    let text = BAR.replacen(from, to, 1);
    Profile::read(text.as_bytes())
        .expect_err("no profile")
        .to_string()
}

#[test]
fn profiles_that_are_written_are_read_the_same() {
    let mut profiles = Profile::built_in();
    profiles.push(
        qxf(include_bytes!("fixtures/small-spot.qxf"))
            .expect("a definition")
            .profile,
    );
    profiles.push(
        ofl(include_bytes!("fixtures/small-bar.json"))
            .expect("a fixture")
            .profile,
    );
    profiles.push(Profile::read(BAR.as_bytes()).expect("a profile"));
    for profile in profiles {
        let text = profile.write();
        assert_eq!(Profile::read(text.as_bytes()).as_ref(), Ok(&profile), "{text}");
    }
}

#[test]
fn every_value_of_a_profile_is_read() {
    let profile = Profile::read(BAR.as_bytes()).expect("a profile");
    let mode = &profile.modes[0];
    assert_eq!(
        (profile.name.as_str(), mode.footprint(), mode.pan, mode.beam),
        ("My bar", 7, 90.5, 20.0)
    );
    assert_eq!((mode.pixels, mode.pitch), ([2, 1, 1], [0.25, 0.0, 0.0]));
    let slots: Vec<_> = mode
        .channels
        .iter()
        .map(|channel| channel.slots.offsets().to_vec())
        .collect();
    assert_eq!(slots, [vec![1], vec![2], vec![3], vec![4], vec![5], vec![6, 0]]);
    assert_eq!(mode.channels[1].element, Some(1));
    assert_eq!(mode.channels[3].attribute, Attribute::Unused);
    assert_eq!(
        mode.channels[4].attribute,
        Attribute::Other("smoke machine".to_owned())
    );
}

#[test]
fn faults_are_refused_with_their_place() {
    let cases = [
        (r#""v":1"#, r#""v":2"#, "v: expected 1, got 2"),
        (
            r#""beam""#,
            r#""beem""#,
            "modes[0].beem: expected one of name, pixels, pitch, pan, tilt, beam, channels, got beem",
        ),
        (
            r#""slots":[2]"#,
            r#""slots":[0]"#,
            "modes[0].channels[1].slots[0]: expected 1 to 512, got 0",
        ),
        (
            r#""slots":[2]"#,
            r#""slots":[513]"#,
            "modes[0].channels[1].slots[0]: expected 0 to 512, got 513",
        ),
        (
            r#""slots":[2]"#,
            r#""slots":[]"#,
            "modes[0].channels[1].slots: expected 1 to 4 slots, got an array of 0",
        ),
        (
            r#""slots":[2]"#,
            r#""slots":[3]"#,
            "mode \"7\": expected each slot in one channel, got slot 3 twice",
        ),
        (
            r#""element":2"#,
            r#""element":3"#,
            "mode \"7\": expected elements up to 2, got a channel of another one",
        ),
        (
            r#""default":9"#,
            r#""default":256"#,
            "modes[0].channels[3].default: expected 0 to 255, got 256",
        ),
        (
            r#""shutter":"closed""#,
            r#""shutter":"closed","gobo":1"#,
            "modes[0].channels[3].ranges[0]: expected one function, got several",
        ),
        (
            r#"[16,255]"#,
            r#"[16,15]"#,
            "modes[0].channels[3].ranges[2].values: expected the first and the last value, got [16,15]",
        ),
        (
            r#"90.5"#,
            r#"1e99"#,
            "modes[0].pan: expected at most 100000, got 1e99",
        ),
        (
            r#"[2,1,1]"#,
            r#"[2000,2000,1]"#,
            "mode \"7\": expected 1 to 4096 pixels, got 4000000",
        ),
        (
            r#"[2,1,1]"#,
            r#"[0,1,1]"#,
            "mode \"7\": expected 1 to 4096 pixels, got 0",
        ),
        (
            "smoke machine",
            "color_wheel",
            "modes[0].channels[4].attribute: expected \"color wheel\", got \"color_wheel\"",
        ),
        (
            "smoke machine",
            "warmwhite",
            "modes[0].channels[4].attribute: expected \"warm white\", got \"warmwhite\"",
        ),
    ];
    for (from, to, expected) in cases {
        assert_eq!(refusal(from, to), expected);
    }
}

#[test]
fn the_format_is_found_by_the_bytes() {
    let spot = any(include_bytes!("fixtures/small-spot.qxf")).expect("a definition of QLC+");
    let bar = any(include_bytes!("fixtures/small-bar.json")).expect("a fixture of the library");
    let own = any(BAR.as_bytes()).expect("a profile of ours");
    let names = [spot, bar, own].map(|imported| imported.profile.name);
    assert_eq!(names, ["Nobody Small & Bright", "Small Bar", "My bar"]);
    assert_eq!(
        any(b"3").expect_err("a number").to_string(),
        "file: expected an object, got 3"
    );
}

#[test]
fn a_rig_brings_its_profiles_along() {
    let rig = |profiles: &str| {
        let json = format!(
            r#"{{"v":1,"profiles":{profiles},"fixtures":[
              {{"id":1,"profile":"My bar","protocol":"sacn","universe":1,"address":1}},
              {{"id":2,"profile":"dimmer","protocol":"sacn","universe":1,"address":100}}]}}"#
        );
        let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        (
            rig.fixtures
                .iter()
                .map(|fixture| fixture.mode.footprint())
                .collect::<Vec<_>>(),
            faults,
        )
    };
    assert_eq!(rig(&format!("[{BAR}]")), (vec![7, 1], Vec::new()));
    let own_dimmer = BAR.replace("My bar", "dimmer");
    assert_eq!(rig(&format!("[{BAR},{own_dimmer}]")).0, [7, 7]);
    let (footprints, faults) = rig(&format!("[{BAR},{BAR}]"));
    assert_eq!(footprints, [7, 1]);
    assert_eq!(
        faults,
        ["profiles[1]: expected profiles of different names, got \"My bar\""]
    );
    let (footprints, faults) = rig(&format!("[{}]", BAR.replace("\"v\":1", "\"v\":3")));
    assert_eq!(footprints, [1]);
    assert_eq!(faults[0], "profiles[0].v: expected 1, got 3");
    assert!(faults[1].starts_with("fixtures[0].profile: expected dimmer, rgb-par, "));
    assert_eq!(rig("7").1[0], "profiles: expected an array of profiles, got 7");
}
