//! Scenes of My Virtual Rig.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_lighting::SacnUniverse;
use rustle_shows::fixture::{FixtureId, Profile, Rig, RigUniverse, Rotation};
use rustle_shows::import::{Scene, mvr};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::FileOptions;

const DEVICE: &str = include_str!("fixtures/small-device.xml");

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, FileOptions::default()).expect("a file");
        archive.write_all(bytes).expect("its bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

fn fixture(name: &str, matrix: &str, spec: &str, address: &str) -> String {
    format!(
        r#"<Fixture name="{name}" uuid="8BF13DD7-CBF3-415B-99E4-625FE4D2DAF6"><Matrix>{matrix}</Matrix><GDTFSpec>{spec}</GDTFSpec>
        <GDTFMode>Cells</GDTFMode><Addresses><Address break="0">{address}</Address></Addresses><FixtureID>{name}</FixtureID></Fixture>"#
    )
}

fn scene(layers: &str) -> Result<Scene, String> {
    let text = format!(
        r#"<?xml version="1.0"?><GeneralSceneDescription verMajor="1" verMinor="5"><UserData/><Scene><Layers>{layers}</Layers></Scene></GeneralSceneDescription>"#
    );
    let device = archive(&[("description.xml", DEVICE.as_bytes())]);
    let files: [(&str, &[u8]); 2] = [
        ("GeneralSceneDescription.xml", text.as_bytes()),
        ("Nobody@Small.gdtf", &device),
    ];
    mvr(&archive(&files)).map_err(|error| error.to_string())
}

fn layer(children: &str) -> String {
    format!(r#"<Layer name="Truss" uuid="1"><ChildList>{children}</ChildList></Layer>"#)
}

const HANGING: &str = "{1,0,0}{0,1,0}{0,0,1}{-1500,2000,4000}";

#[test]
fn fixtures_have_their_places_in_metres_and_their_addresses() {
    let children = [
        fixture("7", HANGING, "Nobody@Small.gdtf", "513"),
        // Standing: turned around x by half a turn.
        fixture("b", "{1,0,0}{0,-1,0}{0,0,-1}{0,0,0}", "Nobody@Small", "3.100"),
        fixture("c", HANGING, "Unknown.gdtf", "0"),
    ];
    let scene = scene(&layer(&children.concat())).expect("a scene");
    let [first, second, third] = &scene.fixtures[..] else {
        panic!("expected three fixtures");
    };
    assert_eq!((&first.id, first.address), (&FixtureId::Number(7), Some((2, 1))));
    assert_eq!((first.position, first.rotation), ([-1.5, 2.0, 4.0], [0.0; 3]));
    assert_eq!(
        (first.profile.as_str(), first.mode.as_str()),
        ("Nobody Small Wash", "Cells")
    );
    assert_eq!(
        (second.address, second.rotation),
        (Some((3, 100)), [180.0, 0.0, 0.0])
    );
    assert_eq!((third.address, third.profile.as_str()), (None, "Unknown"));
    assert_eq!((scene.profiles.len(), scene.notes.len()), (1, 2));
    assert!(scene.notes[1].starts_with("Unknown.gdtf: fixture file: expected Unknown.gdtf, got "));
}

#[test]
fn a_group_moves_and_turns_its_fixtures() {
    // A quarter of a turn around z: its x is the venue's y.
    let group = format!(
        r#"<GroupObject name="g" uuid="2"><Matrix>{{0,1,0}}{{-1,0,0}}{{0,0,1}}{{1000,0,0}}</Matrix><ChildList>{}</ChildList></GroupObject>"#,
        fixture("1", "{1,0,0}{0,1,0}{0,0,1}{2000,500,0}", "Nobody@Small", "1")
    );
    let scene = scene(&layer(&group)).expect("a scene");
    let fixture = &scene.fixtures[0];
    assert_eq!(
        (fixture.position, fixture.rotation),
        ([0.5, 2.0, 0.0], [0.0, 0.0, 90.0])
    );
}

/// The angles turn the axes to where the matrix has them, for random matrices and for those where x is upright.
#[test]
fn rotations_are_those_of_the_matrix() {
    let mut random = ChaCha8Rng::seed_from_u64(19);
    for round in 0..100 {
        let quarter = |random: &mut ChaCha8Rng| f64::from(random.gen_range(-2..=2)) * 90.0;
        let degrees: [f64; 3] = std::array::from_fn(|_| match round % 2 {
            0 => random.gen_range(-180.0..180.0),
            _ => quarter(&mut random),
        });
        let wanted = Rotation::new(degrees);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| wanted.apply(axis));
        let rows = axes
            .map(|[x, y, z]| format!("{{{x:.12},{y:.12},{z:.12}}}"))
            .concat();
        let children = fixture("1", &format!("{rows}{{0,0,0}}"), "Nobody@Small", "1");
        let found = Rotation::new(scene(&layer(&children)).expect("a scene").fixtures[0].rotation);
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            for (found, wanted) in found.apply(axis).into_iter().zip(wanted.apply(axis)) {
                assert!((found - wanted).abs() < 1e-6, "{degrees:?}");
            }
        }
    }
}

#[test]
fn a_scene_is_a_rig() {
    let children = [
        fixture("7", HANGING, "Nobody@Small", "513"),
        fixture("", HANGING, "Nobody@Small", "1.20"),
        fixture("far", HANGING, "Nobody@Small", "99.1"),
    ];
    let scene = scene(&layer(&children.concat())).expect("a scene");
    let json = scene.rig(|number| {
        SacnUniverse::new(number)
            .ok()
            .filter(|_| number < 10)
            .map(RigUniverse::Sacn)
    });
    let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    let ids: Vec<_> = rig
        .fixtures
        .iter()
        .map(|fixture| fixture.id.to_string())
        .collect();
    assert_eq!(ids, ["7", "\"mvr 2\""]);
    let first = &rig.fixtures[0];
    assert_eq!(
        (first.universe.to_string(), first.address, first.mode.footprint()),
        ("sACN 2".to_owned(), 1, 18)
    );
    assert_eq!(
        (first.position, first.group.as_str()),
        ([-1.5, 2.0, 4.0], "Truss")
    );
}

#[test]
fn faults_are_refused_with_their_place() {
    let of = |matrix: &str, spec: &str, address: &str| {
        scene(&layer(&fixture("a", matrix, spec, address))).expect_err("no scene")
    };
    assert_eq!(
        of("{1,0,0}{0,1,0}{0,0,1}", "x", "1"),
        "Matrix: expected four rows of three numbers, got {1,0,0}{0,1,0}{0,0,1}"
    );
    assert_eq!(
        of("{1,0,0}{0,1,0}{0,0,1}{0,0,nan}", "x", "1"),
        "Matrix: expected four rows of three numbers, got {1,0,0}{0,1,0}{0,0,1}{0,0,nan}"
    );
    assert_eq!(
        of(HANGING, " ", "1"),
        "Fixture \"a\"/GDTFSpec: expected a device, got nothing"
    );
    assert_eq!(
        of(HANGING, "x", "1.513"),
        "Fixture \"a\"/Address: expected a slot from 1, or universe.slot, got 1.513"
    );
    assert_eq!(
        of(HANGING, "x", "-3"),
        "Fixture \"a\"/Address: expected a slot from 1, or universe.slot, got -3"
    );
    let deep = format!(
        "{}{}",
        "<GroupObject><ChildList>".repeat(200),
        "</ChildList></GroupObject>".repeat(200)
    );
    assert_eq!(
        scene(&layer(&deep)),
        Err("Layer: expected at most 64 groups within each other, got more".to_owned())
    );
    assert!(mvr(b"PK").is_err());
}
