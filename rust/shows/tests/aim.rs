//! Pan and tilt from a target.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::Head;
use rustle_shows::fixture::{Fixture, Profile, Rig, aim};

fn head(position: [f64; 3], rotation: [f64; 3]) -> Fixture {
    let json = format!(
        r#"{{"v":1,"fixtures":[{{"id":1,"profile":"moving-head","protocol":"sacn","universe":1,"address":1,
            "position":{position:?},"rotation":{rotation:?}}}]}}"#
    );
    let (mut rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    rig.fixtures.remove(0)
}

fn at(pan: f32, tilt: f32) -> Head {
    Head {
        pan,
        tilt,
        ..Head::default()
    }
}

fn angles(fixture: &Fixture, target: [f64; 3], from: Head) -> (f32, f32, bool) {
    let aim = aim(fixture, target, from);
    let rounded = |degrees: f32| (degrees * 1000.0).round() / 1000.0;
    (rounded(aim.head.pan), rounded(aim.head.tilt), aim.clamped)
}

#[test]
fn a_hanging_head_looks_down_and_tilts_to_the_back() {
    let fixture = head([0.0, 0.0, 4.0], [0.0; 3]);
    assert_eq!(
        angles(&fixture, [0.0, 0.0, 0.0], at(0.0, 10.0)),
        (0.0, 0.0, false)
    );
    assert_eq!(
        angles(&fixture, [0.0, 4.0, 0.0], at(0.0, 0.0)),
        (0.0, 45.0, false)
    );
    assert_eq!(
        angles(&fixture, [0.0, -4.0, 0.0], at(0.0, 0.0)),
        (0.0, -45.0, false)
    );
    // Counter-clockwise from above, the back turns to the left.
    assert_eq!(
        angles(&fixture, [-4.0, 0.0, 0.0], at(90.0, 40.0)),
        (90.0, 45.0, false)
    );
    assert_eq!(
        angles(&fixture, [-4.0, 0.0, 4.0], at(90.0, 40.0)),
        (90.0, 90.0, false)
    );
}

#[test]
fn a_standing_head_looks_up() {
    let fixture = head([0.0; 3], [180.0, 0.0, 0.0]);
    assert_eq!(
        angles(&fixture, [0.0, 0.0, 3.0], at(12.0, 5.0)),
        (12.0, 0.0, false)
    );
    assert_eq!(
        angles(&fixture, [0.0, -3.0, 3.0], at(0.0, 5.0)),
        (0.0, 45.0, false)
    );
}

#[test]
fn a_head_takes_the_shorter_way_also_past_a_whole_turn() {
    let fixture = head([0.0, 0.0, 4.0], [0.0; 3]);
    // From pan 200 to the left: 90 + 0 is 110 away, 270 is 70 away with the tilt on the other side.
    assert_eq!(
        angles(&fixture, [-4.0, 0.0, 0.0], at(200.0, -45.0)),
        (270.0, -45.0, false)
    );
    assert_eq!(
        angles(&fixture, [0.0, 4.0, 0.0], at(-200.0, -40.0)),
        (-180.0, -45.0, false)
    );
    assert_eq!(
        angles(&fixture, [0.0, 4.0, 0.0], at(-80.0, 45.0)),
        (0.0, 45.0, false)
    );
}

#[test]
fn a_range_that_ends_before_the_target_is_reported() {
    let mut fixture = head([0.0; 3], [0.0; 3]);
    let up = aim(&fixture, [0.0, 0.0, 1.0], at(30.0, 20.0));
    assert_eq!((up.head.pan, up.head.tilt.abs(), up.clamped), (30.0, 135.0, true));
    assert!((up.miss - 45.0).abs() < 1e-4, "{}", up.miss);
    fixture.mode.pan = 0.0;
    let beside = aim(&fixture, [-1.0, 0.0, -1.0], Head::default());
    assert_eq!((beside.head.pan, beside.clamped), (0.0, true));
    let none = aim(&fixture, [0.0; 3], at(3.0, 4.0));
    assert_eq!((none.head, none.clamped, none.miss), (at(3.0, 4.0), false, 0.0));
    let unknown = aim(&fixture, [f64::NAN, 0.0, 0.0], at(3.0, 4.0));
    assert_eq!((unknown.head, unknown.clamped), (at(3.0, 4.0), false));
}

/// The beam of the angles, turned by hand from the definition, passes the target; where it does not, the range ends, and no angles
/// of the range come nearer.
#[test]
fn the_beam_passes_random_targets() {
    let mut random = ChaCha8Rng::seed_from_u64(19);
    let mut reached = 0;
    for _ in 0..2_000 {
        let mut vector =
            |limit: f64| -> [f64; 3] { std::array::from_fn(|_| random.gen_range(-limit..limit)) };
        let (position, target) = (vector(10.0), vector(10.0));
        let fixture = head(position, vector(180.0));
        let from = at(random.gen_range(-270.0..270.0), random.gen_range(-135.0..135.0));
        let aim = aim(&fixture, target, from);
        assert!(aim.head.pan.abs() <= 270.0 && aim.head.tilt.abs() <= 135.0);
        let beam = turned(fixture.rotation, aim.head);
        let away: [f64; 3] = std::array::from_fn(|axis| target[axis] - position[axis]);
        let along: f64 = (0..3).map(|axis| away[axis] * beam[axis]).sum();
        let length: f64 = away.iter().map(|part| part * part).sum::<f64>().sqrt();
        let miss = (along / length).clamp(-1.0, 1.0).acos().to_degrees();
        assert!((miss - f64::from(aim.miss)).abs() < 0.01, "{miss} for {aim:?}");
        let by_library = fixture.beam(aim.head);
        assert!((0..3).all(|axis| (by_library[axis] - beam[axis]).abs() < 1e-9));
        if aim.clamped {
            let (pan, tilt) = (random.gen_range(-270.0..270.0), random.gen_range(-135.0..135.0));
            let other = turned(fixture.rotation, at(pan, tilt));
            let others: f64 = (0..3).map(|axis| away[axis] * other[axis]).sum();
            assert!(
                others <= along + 1e-3 * length,
                "pan {pan} and tilt {tilt} come nearer than {aim:?}"
            );
        } else {
            assert!(miss < 0.01);
            reached += 1;
        }
    }
    assert!(reached > 1_500, "{reached} of 2000");
}

/// The beam from its definition: straight down, turned around x by the tilt and around z by the pan, then around the venue's axes.
fn turned(rotation: [f64; 3], head: Head) -> [f64; 3] {
    let around = |axis: usize, degrees: f64, vector: [f64; 3]| {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let (one, two) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut turned = vector;
        turned[one] = vector[one] * cosine - vector[two] * sine;
        turned[two] = vector[one] * sine + vector[two] * cosine;
        turned
    };
    let mut beam = [0.0, 0.0, -1.0];
    beam = around(0, f64::from(head.tilt), beam);
    beam = around(2, f64::from(head.pan), beam);
    for (axis, degrees) in rotation.into_iter().enumerate() {
        beam = around(axis, degrees, beam);
    }
    beam
}
