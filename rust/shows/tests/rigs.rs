//! Rigs: reading them, and the check of their patch.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::fixture::{
    Attribute, Curve, FixtureId, MAX_RIG_BYTES, PatchFault, Profile, Rig, RigError, patch_faults,
};

fn read(json: &str) -> (Rig, Vec<String>) {
    let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
    (rig, faults.iter().map(ToString::to_string).collect())
}

fn patch(fixtures: &str) -> Vec<String> {
    let (rig, faults) = read(&format!(r#"{{"v":1,"fixtures":[{fixtures}]}}"#));
    assert_eq!(faults, [] as [&str; 0]);
    patch_faults(&rig, 1_000)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn refusal(json: &str) -> String {
    Rig::read(json.as_bytes(), &Profile::built_in())
        .expect_err("no rig")
        .to_string()
}

#[test]
fn built_in_modes_have_channels_without_holes_and_are_named_by_their_footprint() {
    let profiles = Profile::built_in();
    let names: Vec<_> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let expected = [
        "dimmer",
        "rgb-par",
        "rgbw-par",
        "rgbawuv-par",
        "moving-head",
        "bar-8",
        "bar-16",
        "strobe",
        "wash",
    ];
    assert_eq!(names, expected);
    for profile in &profiles {
        for mode in &profile.modes {
            let mut next = 0;
            for slot in mode.channels.iter().flat_map(|channel| channel.slots.offsets()) {
                assert_eq!(*slot, next, "{} {}", profile.name, mode.name);
                next += 1;
            }
            assert_eq!(mode.footprint(), next);
            if let Ok(slots) = mode.name.parse::<u16>() {
                assert_eq!(mode.footprint(), slots, "{}", profile.name);
            }
        }
    }
    let bar = profiles
        .iter()
        .find(|profile| profile.name == "bar-16")
        .expect("it is there");
    let last = &bar.modes[0].channels[47];
    assert_eq!(
        (&last.attribute, last.element, last.slots.offsets()),
        (&Attribute::Blue, Some(15), &[47][..])
    );
    let head = profiles
        .iter()
        .find(|profile| profile.name == "moving-head")
        .expect("it is there");
    assert_eq!(head.modes[0].channels[1].slots.offsets(), [2, 3]);
    assert_eq!((head.modes[0].pan, head.modes[0].tilt), (540.0, 270.0));
}

#[test]
fn every_value_of_a_rig_is_read() {
    let (rig, faults) = read(
        r#"{"v":1,"fixtures":[
          {"id":7,"name":"left","profile":"rgb-par","mode":"4","protocol":"sacn","universe":3,"address":509,
           "position":[-1.5,2,3e0],"rotation":[0,90,-45.5],"group":"front","curve":"square"},
          {"id":"b","profile":"dimmer","protocol":"artnet","universe":"1.2.3","address":1}],
          "venue":{"outline":[[0,0],[10,0],[10,8.5]],"height":6}}"#,
    );
    assert_eq!(faults, [] as [&str; 0]);
    let [left, other] = &rig.fixtures[..] else {
        panic!("expected two fixtures")
    };
    assert_eq!((&left.id, left.name.as_str()), (&FixtureId::Number(7), "left"));
    assert_eq!(
        (left.profile.as_str(), left.mode.footprint(), left.address),
        ("rgb-par", 4, 509)
    );
    assert_eq!(
        (left.position, left.rotation),
        ([-1.5, 2.0, 3.0], [0.0, 90.0, -45.5])
    );
    assert_eq!(
        (left.group.as_str(), left.universe.to_string()),
        ("front", "sACN 3".to_owned())
    );
    assert_eq!((left.curve, other.curve), (Curve::Square, Curve::Linear));
    assert_eq!(
        (&other.id, other.mode.footprint()),
        (&FixtureId::Name("b".to_owned()), 1)
    );
    assert_eq!(
        (other.universe.to_string(), other.position),
        ("Art-Net 1.2.3 (291)".to_owned(), [0.0; 3])
    );
    assert_eq!(
        (rig.outline.len(), rig.outline[2], rig.height),
        (3, [10.0, 8.5], 6.0)
    );
}

#[test]
fn all_faults_are_found_at_once_with_their_paths() {
    let (rig, faults) = read(
        r#"{"v":1,"more":true,"fixtures":[
          {"id":1.5,"name":"","profile":"laser","protocol":"dmx","universe":1,"address":0,"adress":1},
          {"id":2,"profile":"rgb-par","mode":"9","protocol":"sacn","universe":0,"address":513,
           "position":[1,2],"rotation":[0,0,"up"],"curve":"cubic"},
          {"id":3,"profile":"dimmer","protocol":"artnet","universe":"1.16.0","address":1,"position":[0,0,100000.5]},
          "four",
          {"id":5,"profile":"dimmer","protocol":"sacn","universe":1,"address":5}],
          "venue":{"outline":[[0]],"height":-1}}"#,
    );
    let all = "dimmer, rgb-par, rgbw-par, rgbawuv-par, moving-head, bar-8, bar-16, strobe, wash";
    assert_eq!(
        faults,
        [
            "rig: expected v, profiles, fixtures, venue, got the key \"more\"",
            "fixtures[0]: expected id, name, profile, mode, protocol, universe, address, position, rotation, group, curve, order, got the key \"adress\"",
            "fixtures[0].id: expected an integer or a text of 1 to 64 bytes, got 1.5",
            "fixtures[0].name: expected a text of 1 to 64 bytes, got \"\"",
            &format!("fixtures[0].profile: expected {all}, got \"laser\""),
            "fixtures[0].protocol: expected \"sacn\" or \"artnet\", got \"dmx\"",
            "fixtures[0].address: expected 1 to 512, got 0",
            "fixtures[1].mode: expected a mode of rgb-par: 3, 4, got \"9\"",
            "fixtures[1].universe: expected 1 to 63999, got 0",
            "fixtures[1].address: expected 1 to 512, got 513",
            "fixtures[1].position: expected three numbers of -100000 to 100000 metres, got [1,2]",
            "fixtures[1].rotation: expected three numbers of -100000 to 100000 degrees, got an array of 3",
            "fixtures[1].curve: expected \"linear\", \"square\" or \"s\", got \"cubic\"",
            "fixtures[2].universe: expected 0 to 32767, or net.sub-net.universe, got \"1.16.0\"",
            "fixtures[2].position: expected three numbers of -100000 to 100000 metres, got [0,0,100000.5]",
            "fixtures[3]: expected an object, got \"four\"",
            "venue.outline: expected corners [x, y] of -100000 to 100000 metres, got an array of 1",
            "venue.height: expected 0 to 100000 metres, got -1",
        ]
    );
    assert_eq!(rig.fixtures.len(), 1, "only the last one is whole");
}

#[test]
fn order_of_colours_is_one_of_a_mode_that_has_them() {
    for (profile, order) in [("dimmer", "grb"), ("bar-8", "grg"), ("bar-8", "rgbw")] {
        let (rig, faults) = read(&format!(
            r#"{{"v":1,"fixtures":[{{"id":1,"profile":"{profile}","order":"{order}","protocol":"sacn","universe":1,"address":1}}]}}"#
        ));
        let expected = "rgb, rbg, grb, gbr, brg, bgr, of a mode with red, green and blue";
        assert_eq!(
            faults,
            [format!("fixtures[0].order: expected {expected}, got \"{order}\"")]
        );
        assert_eq!(rig.fixtures, []);
    }
}

#[test]
fn a_text_that_is_no_rig_is_refused() {
    assert_eq!(refusal("[]"), "rig: expected an object, got an array of 0");
    assert_eq!(refusal(r#"{"fixtures":[]}"#), "v: expected 1, got nothing");
    assert_eq!(refusal(r#"{"v":2,"fixtures":[]}"#), "v: expected 1, got 2");
    assert_eq!(
        refusal(r#"{"v":1}"#),
        "fixtures: expected an array of at most 65536 fixtures, got nothing"
    );
    assert!(refusal(r#"{"v":1,"#).starts_with("rig: expected JSON, got EOF while parsing"));
    assert!(refusal(&"[".repeat(100_000)).starts_with("rig: expected JSON, got recursion limit"));
    let large = vec![b' '; MAX_RIG_BYTES + 1];
    let error = Rig::read(&large, &[]).expect_err("too large");
    assert_eq!(
        error,
        RigError::TooLarge {
            got: MAX_RIG_BYTES + 1
        }
    );
    let many = format!(r#"{{"v":1,"fixtures":[{}0]}}"#, "0,".repeat(65_536));
    assert_eq!(
        refusal(&many),
        "fixtures: expected an array of at most 65536 fixtures, got an array of 65537"
    );
}

#[test]
fn every_overlap_and_overflow_is_named_with_both_fixtures() {
    let par = |id: &str, universe: u32, address: u32| {
        format!(
            r#"{{"id":{id},"profile":"rgb-par","protocol":"sacn","universe":{universe},"address":{address}}}"#
        )
    };
    assert_eq!(
        patch(&[par("1", 1, 1), par("2", 1, 4), par("3", 2, 1)].join(",")),
        [] as [&str; 0]
    );
    let faults = patch(
        &[
            par("1", 1, 1),
            par("\"two\"", 1, 3),
            par("3", 1, 1),
            par("4", 1, 511),
            par("5", 2, 510),
            par("3", 3, 1),
            par("3", 4, 1),
        ]
        .join(","),
    );
    assert_eq!(
        faults,
        [
            "sACN 1: fixtures[0] (id 1, slots 1 to 3) and fixtures[2] (id 3, slots 1 to 3) share slots 1 to 3",
            "sACN 1: fixtures[0] (id 1, slots 1 to 3) and fixtures[1] (id \"two\", slots 3 to 5) share slot 3",
            "sACN 1: fixtures[2] (id 3, slots 1 to 3) and fixtures[1] (id \"two\", slots 3 to 5) share slot 3",
            "sACN 1: fixtures[3] (id 4, slots 511 to 513) reaches past slot 512",
            "fixtures[2] and fixtures[5] have the same id, 3",
            "fixtures[2] and fixtures[6] have the same id, 3",
        ]
    );
}

/// Faults named the places of the fixtures that were left over, and overlaps of fixtures of one id the id alone.
#[test]
fn fixtures_of_one_id_are_named_by_their_places_in_the_file() {
    let (rig, _) = read(
        r#"{"v":1,"fixtures":["no fixture",
          {"id":3,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1},
          {"id":3,"profile":"rgb-par","protocol":"sacn","universe":1,"address":3}]}"#,
    );
    let faults = patch_faults(&rig, 10);
    assert_eq!(
        faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "sACN 1: fixtures[1] (id 3, slots 1 to 3) and fixtures[2] (id 3, slots 3 to 5) share slot 3",
            "fixtures[1] and fixtures[2] have the same id, 3",
        ]
    );
}

#[test]
fn universes_of_two_protocols_do_not_overlap() {
    let of = |protocol: &str, id: u32| {
        format!(r#"{{"id":{id},"profile":"wash","protocol":"{protocol}","universe":1,"address":1}}"#)
    };
    assert_eq!(
        patch(&format!("{},{}", of("sacn", 1), of("artnet", 2))),
        [] as [&str; 0]
    );
}

/// The faults of random rigs are those that a comparison of every pair of slots finds.
#[test]
fn random_rigs_have_the_faults_of_a_comparison_of_every_pair() {
    let mut random = ChaCha8Rng::seed_from_u64(18);
    for _ in 0..200 {
        let count = random.gen_range(0..40);
        let fixtures: Vec<_> = (0..count)
            .map(|id| {
                let (universe, address) = (random.gen_range(1..4), random.gen_range(1..=512));
                let profile = ["dimmer", "bar-8", "bar-16", "moving-head"][random.gen_range(0..4)];
                format!(r#"{{"id":{id},"profile":"{profile}","protocol":"sacn","universe":{universe},"address":{address}}}"#)
            })
            .collect();
        let (rig, _) = read(&format!(r#"{{"v":1,"fixtures":[{}]}}"#, fixtures.join(",")));
        let range = |at: usize| {
            let fixture = &rig.fixtures[at];
            (
                fixture.universe,
                fixture.address..fixture.address + fixture.mode.footprint(),
            )
        };
        let mut expected = 0;
        for left in 0..count {
            let (universe, slots) = range(left);
            expected += usize::from(slots.end > 513);
            for right in left + 1..count {
                let (other, others) = range(right);
                expected +=
                    usize::from(universe == other && slots.clone().any(|slot| others.contains(&slot)));
            }
        }
        let faults = patch_faults(&rig, usize::MAX);
        assert_eq!(faults.len(), expected);
        let cut = patch_faults(&rig, 3);
        assert_eq!(cut, faults[..expected.min(3)]);
        assert!(faults.iter().all(|fault| match fault {
            PatchFault::Overlap { lower, upper, .. } =>
                upper.first <= lower.last && lower.first <= upper.first,
            PatchFault::PastEnd { fixture, .. } => fixture.last > 512,
            PatchFault::DuplicateId { .. } => false,
        }));
    }
}

/// A rig of which all fixtures share their slots has as many pairs as it has squares: the check ends at the limit.
#[test]
fn a_rig_with_all_fixtures_in_one_place_is_checked_up_to_the_limit() {
    let fixtures = vec![r#"{"id":1,"profile":"dimmer","protocol":"sacn","universe":1,"address":1}"#; 20_000];
    let (rig, faults) = read(&format!(r#"{{"v":1,"fixtures":[{}]}}"#, fixtures.join(",")));
    assert!(faults.is_empty());
    assert_eq!(patch_faults(&rig, 1_000).len(), 1_000);
}
