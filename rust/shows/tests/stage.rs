//! Where the elements of a rig are.

use rustle_shows::Stage;
use rustle_shows::fixture::{Profile, Rig, Rotation};

fn stage(fixtures: &str) -> Stage {
    let json = format!(r#"{{"v":1,"fixtures":[{fixtures}]}}"#);
    let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    Stage::new(&rig)
}

fn fixture(id: u16, profile: &str, rest: &str) -> String {
    format!(r#"{{"id":{id},"profile":"{profile}","protocol":"sacn","universe":{id},"address":1{rest}}}"#)
}

#[test]
fn a_bar_has_its_pixels_in_a_line_about_its_position() {
    let stage = stage(&fixture(1, "bar-8", r#","position":[2,3,4]"#));
    let along: Vec<f32> = stage
        .elements()
        .iter()
        .map(|element| element.position[0])
        .collect();
    assert_eq!(
        along,
        [1.5625, 1.6875, 1.8125, 1.9375, 2.0625, 2.1875, 2.3125, 2.4375]
    );
    assert!(
        stage
            .elements()
            .iter()
            .all(|element| element.position[1..] == [3.0, 4.0])
    );
    assert_eq!(stage.elements()[0].place, [0.0, 0.5, 0.5]);
    assert_eq!(stage.elements()[7].place, [1.0, 0.5, 0.5]);
}

#[test]
fn a_bar_on_its_end_has_its_pixels_above_each_other() {
    let stage = stage(&fixture(1, "bar-8", r#","rotation":[0,-90,0]"#));
    let upwards: Vec<f32> = stage
        .elements()
        .iter()
        .map(|element| element.position[2])
        .collect();
    assert_eq!(
        upwards,
        [-0.4375, -0.3125, -0.1875, -0.0625, 0.0625, 0.1875, 0.3125, 0.4375]
    );
}

#[test]
fn elements_stand_in_the_order_of_the_rig() {
    let stage = stage(
        &[
            fixture(1, "dimmer", ""),
            fixture(2, "bar-16", ""),
            fixture(3, "rgb-par", ""),
        ]
        .join(","),
    );
    assert_eq!(stage.fixtures(), 3);
    let ranges: Vec<_> = (0..4).map(|index| stage.elements_of(index)).collect();
    assert_eq!(ranges, [0..1, 1..17, 17..18, 0..0]);
    assert_eq!(stage.elements()[17].fixture, 2);
}

#[test]
fn rotations_are_around_x_then_y_then_z_and_can_be_inverted() {
    let rotation = Rotation::new([90.0, 0.0, 90.0]);
    assert_eq!(rotation.apply([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    assert_eq!(rotation.apply([0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]);
    let rotation = Rotation::new([17.0, -40.0, 255.0]);
    let there = rotation.apply([1.0, -2.0, 3.0]);
    for (back, expected) in rotation.invert(there).into_iter().zip([1.0, -2.0, 3.0]) {
        assert!((back - expected).abs() < 1e-12, "{back} for {expected}");
    }
}
