//! Looks to slots, and back.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::Look;
use rustle_shows::fixture::{Attribute, Curve, Profile, Rig};
use rustle_shows::slots::SlotMap;
use rustle_testkit::{CountingAllocator, allocations_in};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn rig(fixtures: &str) -> Rig {
    let json = format!(r#"{{"v":1,"fixtures":[{fixtures}]}}"#);
    let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    rig
}

fn fixture(profile: &str, universe: u16, address: u16, rest: &str) -> String {
    format!(
        r#"{{"id":"{profile} {universe} {address}","profile":"{profile}","protocol":"sacn","universe":{universe},"address":{address}{rest}}}"#
    )
}

fn one(profile: &str, rest: &str) -> SlotMap {
    SlotMap::new(&rig(&fixture(profile, 1, 1, rest)))
}

/// A fixture of a profile with these channels.
fn of_channels(channels: &str) -> SlotMap {
    let profile = format!(r#"{{"v":1,"name":"p","modes":[{{"name":"m","channels":[{channels}]}}]}}"#);
    let json = format!(
        r#"{{"v":1,"profiles":[{profile}],"fixtures":[{}]}}"#,
        fixture("p", 1, 1, "")
    );
    let (rig, faults) = Rig::read(json.as_bytes(), &[]).expect("a rig");
    assert_eq!(faults, []);
    SlotMap::new(&rig)
}

/// The first slots for one colour.
fn slots<const N: usize>(map: &SlotMap, color: [f32; 3], change: impl Fn(&mut Look)) -> [u8; N] {
    let mut look = map.look();
    look.red.fill(color[0]);
    look.green.fill(color[1]);
    look.blue.fill(color[2]);
    change(&mut look);
    let mut frame = map.frame();
    map.encode(&look, &mut frame);
    std::array::from_fn(|slot| frame[0][slot])
}

#[test]
fn colours_without_a_dimmer_are_their_levels() {
    let map = one("rgb-par", "");
    assert_eq!(slots(&map, [1.0, 0.5, 0.0], |_| {}), [255, 128, 0, 0]);
    assert_eq!(slots(&map, [2.0, -1.0, f32::NAN], |_| {}), [255, 0, 0, 0]);
}

#[test]
fn the_dimmer_has_the_intensity_and_the_colour_is_full() {
    let map = one("rgb-par", r#","mode":"4""#);
    assert_eq!(slots(&map, [0.2, 0.1, 0.0], |_| {}), [51, 255, 128, 0, 0]);
    assert_eq!(slots(&map, [0.0, 0.0, 0.0], |_| {}), [0, 0, 0, 0, 0]);
}

#[test]
fn white_light_leaves_the_colours() {
    let map = one("rgbw-par", "");
    assert_eq!(slots(&map, [1.0, 0.4, 0.6], |_| {}), [153, 0, 51, 102]);
    let map = one("rgbw-par", r#","mode":"5""#);
    assert_eq!(slots(&map, [0.4, 0.2, 0.2], |_| {}), [102, 127, 0, 0, 128]);
}

#[test]
fn amber_and_ultraviolet_are_used_where_a_look_has_them() {
    let map = one("rgbawuv-par", "");
    assert_eq!(slots(&map, [1.0, 0.6, 0.0], |_| {}), [255, 153, 0, 0, 0, 0]);
    let special = |look: &mut Look| {
        look.amber.fill(0.4);
        look.ultraviolet.fill(0.2);
    };
    assert_eq!(slots(&map, [1.0, 0.6, 0.0], special), [255, 153, 0, 102, 0, 51]);
}

#[test]
fn wide_values_have_all_slots_in_one_frame() {
    let map = one("dimmer", r#","mode":"16 bit""#);
    assert_eq!(slots(&map, [0.5, 0.0, 0.0], |_| {}), [0x80, 0x00]);
    assert_eq!(slots(&map, [0.25, 0.0, 0.0], |_| {}), [0x40, 0x00]);
    assert_eq!(slots(&map, [1.0, 0.0, 0.0], |_| {}), [0xff, 0xff]);
}

#[test]
fn a_head_turns_flashes_and_chooses_from_its_wheels() {
    let map = one("moving-head", "");
    // Pan and tilt of 16 bits in the middle, speed, dimmer, shutter open, colour and gobo open, white.
    assert_eq!(
        slots(&map, [1.0; 3], |_| {}),
        [0x80, 0, 0x80, 0, 0, 255, 0, 15, 15, 255]
    );
    let turned = |look: &mut Look| {
        look.heads[0].pan = 135.0;
        look.heads[0].tilt = -135.0;
        look.heads[0].strobe = 20.0;
        look.heads[0].gobo = 2;
    };
    // Three quarters of pan, the lowest tilt, the fastest flashes, green at half, the third gobo; white makes up
    // for the dimmer's rounding.
    assert_eq!(
        slots(&map, [0.0, 0.5, 0.1], turned),
        [0xbf, 0xff, 0, 0, 0, 128, 255, 143, 79, 254]
    );
    let beyond = |look: &mut Look| {
        look.heads[0].pan = 1000.0;
        look.heads[0].tilt = f32::NAN;
        look.heads[0].strobe = 100.0;
        look.heads[0].gobo = 200;
    };
    assert_eq!(
        slots(&map, [0.0; 3], beyond),
        [0xff, 0xff, 0, 0, 0, 0, 255, 0, 0, 0]
    );
}

#[test]
fn a_curve_applies_to_the_intensity_and_keeps_the_hue() {
    let map = one("rgb-par", r#","mode":"4","curve":"square""#);
    assert_eq!(slots(&map, [0.5, 0.25, 0.0], |_| {}), [64, 255, 127, 0]);
    let map = one("rgb-par", r#","curve":"square""#);
    assert_eq!(slots(&map, [0.5, 0.25, 0.0], |_| {}), [64, 32, 0]);
    let map = one("rgb-par", r#","curve":"s""#);
    assert_eq!(slots(&map, [0.25, 0.25, 0.0], |_| {}), [40, 40, 0]);
}

#[test]
fn curves_can_be_undone() {
    for curve in [Curve::Linear, Curve::Square, Curve::S] {
        for step in 0_u16..=1_000 {
            let intensity = f32::from(step) / 1_000.0;
            let error = curve.intensity(curve.level(intensity)) - intensity;
            // The slope of the S is 0 at both ends.
            assert!(error.abs() < 1e-3, "{curve:?} at {intensity}: {error}");
        }
        assert_eq!((curve.level(0.0), curve.level(1.0)), (0.0, 1.0));
    }
}

/// The light of each fixture, added up from its slots by hand, is the colour that was wanted.
#[test]
fn a_colour_together_is_within_a_step_of_the_one_that_was_wanted() {
    let mut random = ChaCha8Rng::seed_from_u64(19);
    let cases = [
        ("rgb-par", "3"),
        ("rgb-par", "4"),
        ("rgbw-par", "4"),
        ("rgbw-par", "5"),
        ("rgbawuv-par", "6"),
        ("wash", "6"),
        ("wash", "10"),
    ];
    for (profile, mode) in cases {
        let rig = rig(&fixture(profile, 1, 1, &format!(r#","mode":"{mode}""#)));
        let map = SlotMap::new(&rig);
        let (mut look, mut frame, mut read) = (map.look(), map.frame(), map.look());
        let slot = |attribute: Attribute| {
            let mut channels = rig.fixtures[0].mode.channels.iter();
            let channel = channels.find(|channel| channel.attribute == attribute);
            channel.map(|channel| usize::from(channel.slots.offsets()[0]))
        };
        let dimmer = slot(Attribute::Dimmer);
        let white = slot(Attribute::White);
        let colors = [Attribute::Red, Attribute::Green, Attribute::Blue].map(slot);
        for _ in 0..20_000 {
            let top: f32 = random.r#gen();
            let wanted: [f32; 3] = std::array::from_fn(|_| top * random.r#gen::<f32>());
            [look.red[0], look.green[0], look.blue[0]] = wanted;
            map.encode(&look, &mut frame);
            let light = |slot: Option<usize>| slot.map(|slot| f64::from(frame[0][slot]) / 255.0);
            let intensity = light(dimmer).unwrap_or(1.0);
            map.decode(&frame, &mut read);
            let decoded = [read.red[0], read.green[0], read.blue[0]];
            for (index, wanted) in wanted.into_iter().enumerate() {
                let color = light(colors[index]).expect("a colour") + light(white).unwrap_or(0.0);
                let error = color * intensity - f64::from(wanted);
                assert!(
                    error.abs() <= 1.0 / 255.0,
                    "{profile} {mode}: {error} of {wanted}"
                );
                let other = f64::from(decoded[index]) - color * intensity;
                assert!(other.abs() < 1e-6, "{profile} {mode}: decoded {decoded:?}");
            }
        }
    }
}

/// All built-in profiles, with a universe for each of several curves.
fn large_rig(curves: &[&str]) -> Rig {
    let mut fixtures = Vec::new();
    for (universe, curve) in (1..).zip(curves) {
        let mut address = 1;
        for profile in Profile::built_in() {
            for mode in &profile.modes {
                let rest = format!(r#","mode":"{}","curve":"{curve}""#, mode.name);
                fixtures.push(fixture(&profile.name, universe, address, &rest));
                address += mode.footprint() + 1;
            }
        }
    }
    rig(&fixtures.join(","))
}

#[test]
fn a_lamp_in_the_dark_keeps_its_colour() {
    let wheel = r#"{"attribute":"color wheel","slots":[2],"ranges":[{"values":[0,99],"color":[1,1,1]},
        {"values":[100,255],"color":[0,0,1]}]}"#;
    let channels = |attributes: &[&str]| {
        let slots = attributes.iter().zip(2..);
        let channels =
            slots.map(|(attribute, slot)| format!(r#"{{"attribute":"{attribute}","slots":[{slot}]}}"#));
        channels.collect::<Vec<_>>().join(",")
    };
    let filters = channels(&["cyan", "magenta", "yellow"]);
    let lights = channels(&["red", "green", "blue", "white"]);
    for channels in [wheel.to_owned(), filters, lights] {
        let map = of_channels(&format!(r#"{{"attribute":"dimmer","slots":[1]}},{channels}"#));
        let (mut look, mut frame) = (map.look(), map.frame());
        look.blue.fill(0.5);
        map.encode(&look, &mut frame);
        let lit = frame.clone();
        assert!(
            lit[0][0] > 0 && lit[0][1..5] != map.frame()[0][1..5],
            "{channels}"
        );
        look.blue.fill(0.0);
        let mut dark = map.frame();
        map.encode_after(&lit, &look, &mut dark);
        assert_eq!((dark[0][0], &dark[0][1..5]), (0, &lit[0][1..5]), "{channels}");
        // Light of another colour has that.
        look.red.fill(1.0);
        map.encode_after(&dark, &look, &mut frame);
        let mut first = map.frame();
        map.encode(&look, &mut first);
        assert_eq!(frame, first);
    }
}

#[test]
fn slots_that_are_decoded_encode_to_themselves() {
    let mut random = ChaCha8Rng::seed_from_u64(20);
    let map = SlotMap::new(&large_rig(&["linear"]));
    let (mut look, mut frame, mut again) = (map.look(), map.frame(), map.frame());
    let mut read = map.look();
    for _ in 0..200 {
        for plane in [&mut look.red, &mut look.green, &mut look.blue] {
            plane.iter_mut().for_each(|level| *level = random.r#gen());
        }
        for head in &mut look.heads {
            head.pan = random.gen_range(-270.0..270.0);
            head.tilt = random.gen_range(-135.0..135.0);
            head.strobe = if random.r#gen() {
                random.gen_range(1.0..20.0)
            } else {
                0.0
            };
            head.gobo = random.gen_range(0..8);
        }
        map.encode(&look, &mut frame);
        map.decode(&frame, &mut read);
        map.encode(&read, &mut again);
        for (universe, (first, second)) in frame.iter().zip(&again).enumerate() {
            for (slot, (first, second)) in first.iter().zip(second).enumerate() {
                let far = first.abs_diff(*second);
                assert!(
                    far <= 2,
                    "universe {universe}, slot {slot}: {first} became {second}"
                );
            }
        }
    }
}

#[test]
fn pixels_are_the_same_alone_and_among_others() {
    let bars = [
        fixture("bar-16", 1, 1, ""),
        fixture("bar-16", 1, 49, ""),
        // Not next to it, and past the end.
        fixture("bar-16", 1, 98, ""),
        fixture("bar-8", 1, 500, ""),
        fixture("bar-16", 2, 1, ""),
    ];
    let all = SlotMap::new(&rig(&bars.join(",")));
    let mut look = all.look();
    let mut random = ChaCha8Rng::seed_from_u64(21);
    for plane in [&mut look.red, &mut look.green, &mut look.blue] {
        plane.iter_mut().for_each(|level| *level = random.r#gen());
    }
    let mut frame = all.frame();
    all.encode(&look, &mut frame);
    for (universe, start, first, count) in [(0, 0, 0, 32), (0, 97, 32, 16), (0, 499, 48, 4), (1, 0, 56, 16)] {
        for pixel in 0..count {
            for (color, plane) in [&look.red, &look.green, &look.blue].into_iter().enumerate() {
                let expected = (f64::from(plane[first + pixel]) * 255.0).round() as u8;
                assert_eq!(frame[universe][start + 3 * pixel + color], expected);
            }
        }
    }
    let mut read = all.look();
    all.decode(&frame, &mut read);
    for (index, (wanted, got)) in look.red.iter().zip(&read.red).enumerate() {
        let is_past = (53..56).contains(&index);
        assert!(
            is_past || (wanted - got).abs() <= 0.5 / 255.0 + 1e-6,
            "element {index}"
        );
        assert!(!is_past || *got == 0.0, "element {index} has no slots");
    }
}

#[test]
fn a_wrong_patch_shows() {
    let bars = |address: u16| SlotMap::new(&rig(&fixture("bar-8", 1, address, "")));
    let (sent, patched) = (bars(1), bars(2));
    let mut look = sent.look();
    look.red.fill(1.0);
    let mut frame = sent.frame();
    sent.encode(&look, &mut frame);
    let mut shown = patched.look();
    patched.decode(&frame, &mut shown);
    assert_eq!(shown.red, [0.0; 8]);
    assert_eq!(shown.blue, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn the_widest_range_of_levels_is_used() {
    let map = of_channels(
        r#"{"attribute":"dimmer","slots":[1],
        "ranges":[{"values":[0,0],"level":[0,1]},{"values":[10,60],"level":[0,1]},{"values":[255,255],"level":[0,1]}]}"#,
    );
    assert_eq!(slots(&map, [0.0; 3], |_| {}), [10]);
    assert_eq!(slots(&map, [0.5; 3], |_| {}), [35]);
    assert_eq!(slots(&map, [1.0; 3], |_| {}), [60]);
}

#[test]
fn frames_are_encoded_and_decoded_without_allocation() {
    let map = SlotMap::new(&large_rig(&["linear", "square", "s"]));
    let (mut look, mut frame) = (map.look(), map.frame());
    let (count, ()) = allocations_in(|| {
        map.encode(&look, &mut frame);
        map.decode(&frame, &mut look);
    });
    assert_eq!(count, 0);
}

#[test]
fn universes_are_sorted_and_hold_only_their_fixtures() {
    let map = SlotMap::new(&rig(&[
        fixture("rgb-par", 9, 1, ""),
        fixture("rgb-par", 2, 511, ""),
    ]
    .join(",")));
    let names: Vec<_> = map.universes().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["sACN 2", "sACN 9"]);
    let mut look = map.look();
    look.red.copy_from_slice(&[1.0, 0.2]);
    look.green.fill(0.4);
    look.blue.fill(0.6);
    let mut frame = map.frame();
    map.encode(&look, &mut frame);
    assert_eq!((frame[0][509], frame[0][510], frame[0][511]), (0, 51, 102));
    assert_eq!(frame[1][..4], [255, 102, 153, 0]);
}

/// A scanner of a lamp behind a wheel, which only its shutter makes dark.
#[test]
fn shutter_is_closed_in_the_dark_where_nothing_else_takes_the_light_away() {
    let shutter = r#"{"attribute":"shutter","slots":[1],"ranges":[{"values":[0,9],"shutter":"closed"},
        {"values":[10,19],"shutter":"open"},{"values":[20,255],"strobe":[1,20]}]}"#;
    let wheel = r#"{"attribute":"color wheel","slots":[2],"ranges":[{"values":[0,9],"color":[1,1,1]},
        {"values":[10,19],"color":[0,0,1]}]}"#;
    let scanner = of_channels(&format!("{shutter},{wheel}"));
    assert_eq!(slots(&scanner, [0.0, 0.0, 0.1], |_| {}), [14, 14]);
    assert_eq!(slots(&scanner, [0.0; 3], |_| {}), [4, 0]);
    assert_eq!(
        slots(&scanner, [0.0; 3], |look| look.heads[0].strobe = 20.0),
        [4, 0]
    );
    let shown = |slots: [u8; 2]| {
        let (mut frame, mut look) = (scanner.frame(), scanner.look());
        frame[0][..2].copy_from_slice(&slots);
        scanner.decode(&frame, &mut look);
        [look.red[0], look.green[0], look.blue[0]]
    };
    assert_eq!(
        [[14, 14], [14, 4], [4, 14]].map(shown),
        [[0.0, 0.0, 1.0], [1.0; 3], [0.0; 3]]
    );
    // With a dimmer, or with light of its own, the shutter stays open.
    for other in ["dimmer", "red"] {
        let channel = format!(r#"{{"attribute":"{other}","slots":[2]}}"#);
        assert_eq!(
            slots(&of_channels(&format!("{shutter},{channel}")), [0.0; 3], |_| {}),
            [14, 0]
        );
    }
}

#[test]
fn colours_of_pixels_are_in_the_order_of_the_rig() {
    let rest = |order: &str| format!(r#","order":"{order}""#);
    let color = [1.0, 0.6, 0.2];
    for (order, expected) in [
        ("rgb", [255, 153, 51]),
        ("rbg", [255, 51, 153]),
        ("grb", [153, 255, 51]),
        ("gbr", [153, 51, 255]),
        ("brg", [51, 255, 153]),
        ("bgr", [51, 153, 255]),
    ] {
        for profile in ["rgb-par", "bar-8"] {
            let map = one(profile, &rest(order));
            assert_eq!(slots(&map, color, |_| {}), expected, "{profile} {order}");
            let (mut frame, mut look) = (map.frame(), map.look());
            frame[0][..3].copy_from_slice(&expected);
            map.decode(&frame, &mut look);
            assert_eq!([look.red[0], look.green[0], look.blue[0]], color);
        }
    }
    let map = one("wash", &rest("bgr"));
    assert_eq!(
        slots(&map, [1.0, 0.5, 0.0], |_| {}),
        [255, 0, 0, 128, 255, 0],
        "only the colours"
    );
}
