//! Pictures as PNG, SVG, JSON and text.

mod rooms;

use rooms::{Room, fixture, lit};
use rustle_shows::show::Demo;
use rustle_shows::venue::{
    Beam, Canvas, Lamp, Picture, PictureSettings, Screen, ScreenColors, View, png, svg,
};
use rustle_shows::{Look, Stage};

/// A room with heads at the back, pars, and a bar at the front, each in another colour.
fn stage() -> (Room, Look) {
    let mut fixtures = Vec::new();
    for column in 0..4_u16 {
        let x = 1.5 + 3.0 * f64::from(column);
        fixtures.push(fixture(1 + column, "moving-head", [x, 7.0, 5.0], ""));
        fixtures.push(fixture(11 + column, "rgb-par", [x, 4.0, 5.0], ""));
        fixtures.push(fixture(
            21 + column,
            "bar-8",
            [x, 0.5, 0.2],
            r#","name":"Front bar""#,
        ));
    }
    let room = Room::new(&fixtures, r#"{"outline":[[0,0],[12,0],[12,8],[0,8]],"height":6}"#);
    let mut look = lit(&room.stage, [0.0; 3]);
    for (index, element) in room.stage.elements().iter().enumerate() {
        let [across, _, _] = element.place;
        match element.fixture % 3 {
            0 => look.blue[index] = 1.0,
            1 => look.red[index] = across * 0.5,
            _ => (look.green[index], look.red[index]) = (1.0 - across, across),
        }
    }
    for (index, head) in (0_u8..).zip(look.heads.iter_mut().step_by(3)) {
        head.tilt = -30.0;
        head.pan = f32::from(index) * 20.0 - 30.0;
    }
    (room, look)
}

/// FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn pictures_are_the_same_bytes_everywhere() {
    let (room, look) = stage();
    let mut canvas = Canvas::new();
    let mut hash_of = |width, height, view| {
        let settings = PictureSettings {
            has_labels: true,
            ..PictureSettings::new(width, height, view)
        };
        hash(canvas.draw(&room.drawn(settings, &look)))
    };
    let hashes = [
        hash_of(480, 270, View::Front),
        hash_of(480, 270, View::Top),
        hash_of(180, 320, View::Front),
        hash_of(31, 17, View::Top),
    ];
    // A change of the drawing changes these in the open.
    assert_eq!(hashes, GOLDEN, "{hashes:#x?}");
}

const GOLDEN: [u64; 4] = [
    0x62ac_79c6_555a_f26d,
    0x84fb_630f_055f_3275,
    0xd91e_1042_095a_0002,
    0x1026_5c2c_8c60_238c,
];

#[test]
fn a_png_holds_the_pixels() {
    let (room, look) = stage();
    let picture = room.drawn(PictureSettings::new(160, 90, View::Top), &look);
    let mut canvas = Canvas::new();
    let rgba = canvas.draw(&picture);
    let file = png(160, 90, rgba).expect("a PNG");
    let mut reader = ::png::Decoder::new(&file[..]).read_info().expect("a header");
    let mut rgb = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut rgb).expect("pixels");
    assert_eq!(
        (info.width, info.height, info.color_type),
        (160, 90, ::png::ColorType::Rgb)
    );
    let expected: Vec<u8> = rgba.chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    assert!(rgb == expected);
    assert!(reader.info().srgb.is_some());
}

/// A drawing of 65,536 beams had 56 MB.
#[test]
fn more_beams_than_are_drawn_one_by_one_are_an_image() {
    let beams = |count: u16, light: f32| {
        let beam = |index| Beam {
            fixture: 0,
            from: [f32::from(index % 256), 10.0],
            to: [f32::from(index % 256), 80.0],
            radii: [1.0, 4.0],
            pool: [4.0, 2.0],
            light: [light, 0.0, 0.0],
        };
        let picture = Picture {
            width: 256,
            height: 90,
            beams: (0..count).map(beam).collect(),
            ..Picture::default()
        };
        svg(&picture)
    };
    let [few, many, dark] = [beams(4_096, 0.5), beams(65_535, 0.5), beams(65_535, 0.0)];
    let count = |text: &str, what: &str| text.matches(what).count();
    assert_eq!((count(&few, "<polygon"), count(&few, "<image")), (3 * 4_096, 0));
    assert_eq!((count(&many, "<polygon"), count(&many, "<image")), (0, 1));
    assert_eq!((count(&dark, "<polygon"), count(&dark, "<image")), (0, 0));
    assert!(
        few.len() < 4_000_000 && many.len() < 100_000,
        "{} {}",
        few.len(),
        many.len()
    );
}

#[test]
fn a_caption_is_in_the_upper_left() {
    let mut picture = Picture {
        width: 200,
        height: 100,
        ..Picture::default()
    };
    picture.add_caption("beat 4");
    let mut canvas = Canvas::new();
    let rgba = canvas.draw(&picture);
    let places = rgba.chunks(4).enumerate().filter(|(_, pixel)| pixel[0] > 64);
    let places: Vec<_> = places.map(|(index, _)| (index % 200, index / 200)).collect();
    assert!(places.len() > 30);
    assert!(
        places
            .iter()
            .all(|(x, y)| (10..65).contains(x) && (9..22).contains(y)),
        "{places:?}"
    );
}

#[test]
fn pixels_that_are_not_of_a_size_are_no_png() {
    for (width, height, bytes) in [
        (0, 0, 0),
        (0, 5, 0),
        (2, 2, 15),
        (2, 2, 17),
        (2, 2, 20),
        (u32::MAX, u32::MAX, 4),
    ] {
        let error = png(width, height, &vec![0; bytes]).expect_err("no PNG");
        assert!(
            error.to_string().starts_with("PNG: expected 4 bytes for each of"),
            "{error}"
        );
    }
}

#[test]
fn a_plan_has_a_title_for_each_fixture() {
    let (room, mut look) = stage();
    look.red[1] = 0.0;
    let text = svg(&room.drawn(PictureSettings::new(640, 360, View::Top), &look));
    let document = roxmltree::Document::parse(&text).expect("XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert_eq!(root.attribute("viewBox"), Some("0 0 640 360"));
    let scripts = document
        .descendants()
        .filter(|node| node.tag_name().name() == "script");
    // The namespace is SVG's.
    let name = |name: &'static str| ("http://www.w3.org/2000/svg", name);
    let titles: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name(name("title")))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(titles.len(), 12);
    assert_eq!(titles[0], "1, sACN 2.17");
    assert_eq!(titles[2], "21 Front bar, sACN 22.17");
    assert_eq!(scripts.count(), 0);
    let circles = document
        .descendants()
        .filter(|node| node.has_tag_name(name("circle")));
    // A disc for each element, and a glow for each one that is lit.
    assert_eq!(circles.count(), 40 + 39);
    let polygons = document
        .descendants()
        .filter(|node| node.has_tag_name(name("polygon")));
    // Three for each head, over each other.
    assert_eq!(polygons.count(), 4 * 3);
    // Each gradient that is used is defined.
    let ids: Vec<_> = document
        .descendants()
        .filter_map(|node| node.attribute("id"))
        .collect();
    for used in document.descendants().filter_map(|node| node.attribute("fill")) {
        if let Some(id) = used.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
            assert!(ids.contains(&id), "{id}");
        }
    }
}

/// Bytes from base64.
fn bytes(text: &str) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = text
        .trim_end_matches('=')
        .chars()
        .flat_map(|digit| {
            let value = digits.find(digit).expect("a digit");
            (0..6).rev().map(move |bit| value >> bit & 1)
        })
        .collect::<Vec<_>>();
    let byte = |bits: &[usize]| bits.iter().fold(0, |byte, bit| byte << 1 | *bit as u8);
    bits.chunks_exact(8).map(byte).collect()
}

/// A plan of the wall had two circles for each of its pixels, and 25 MB.
#[test]
fn a_plan_of_170_000_pixels_is_an_image_with_the_titles_of_the_bars() {
    let rig = Demo::Wall.rig();
    let stage = Stage::new(&rig);
    let mut look = lit(&stage, [0.0; 3]);
    // Every pixel in a colour of its own, which no picture of an effect has.
    for index in 0..stage.elements().len() {
        let level = |factor: u32| (index as u32).wrapping_mul(factor) as f32 / u32::MAX as f32;
        (look.red[index], look.green[index], look.blue[index]) =
            (level(0x9e37_79b9), level(0x85eb_ca6b), level(0xc2b2_ae35));
    }
    let picture = (Room { rig, stage }).drawn(PictureSettings::new(960, 540, View::Front), &look);
    let text = svg(&picture);
    assert!(text.len() < 2_000_000, "{} bytes", text.len());
    let document = roxmltree::Document::parse(&text).expect("XML");
    let titles = document
        .descendants()
        .filter(|node| node.tag_name().name() == "title");
    let titles: Vec<_> = titles.filter_map(|node| node.text()).collect();
    assert_eq!((titles.len(), titles[10_624]), (25 * 425, "10625, sACN 1063.193"));
    let image = document
        .descendants()
        .find(|node| node.tag_name().name() == "image")
        .and_then(|node| node.attribute("href"))
        .and_then(|data| data.strip_prefix("data:image/png;base64,"))
        .expect("an image");
    let file = bytes(image);
    let mut reader = ::png::Decoder::new(&file[..]).read_info().expect("a header");
    let mut rgb = vec![0; reader.output_buffer_size()];
    reader.next_frame(&mut rgb).expect("pixels");
    // As on black, since the image is added to what is behind.
    let lamps = Picture {
        width: 960,
        height: 540,
        lamps: picture.lamps,
        ..Picture::default()
    };
    let mut canvas = Canvas::new();
    let expected = canvas.draw(&lamps).chunks(4).flat_map(|pixel| &pixel[..3]);
    assert!(rgb.iter().eq(expected));
}

#[test]
fn a_plan_of_any_names_and_values_is_xml() {
    let mut picture = Picture {
        width: 9,
        height: 9,
        titles: vec!["<&\"'>]]>\u{0}\u{1b}\u{ffff}ä\n".to_owned()],
        ..Picture::default()
    };
    for value in [f32::NAN, f32::INFINITY, f32::MAX, -1.0] {
        picture.lamps.push(Lamp {
            fixture: 0,
            at: [value; 2],
            radius: value,
            glow: value,
            share: value,
            light: [value; 3],
        });
    }
    let text = svg(&picture);
    let document = roxmltree::Document::parse(&text).expect("XML");
    let title = document
        .descendants()
        .find(|node| node.tag_name().name() == "title");
    let title = title.and_then(|node| node.text()).map(str::to_owned);
    assert_eq!(
        title.as_deref(),
        Some("<&\"'>]]>\u{fffd}\u{fffd}\u{fffd}ä\u{fffd}")
    );
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&picture.to_json()).expect("JSON");
    assert_eq!(json["titles"][0], picture.titles[0].as_str());
    assert_eq!(json["lamps"][0], serde_json::json!([0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn json_has_what_is_seen() {
    let (room, look) = stage();
    let picture = room.drawn(PictureSettings::new(640, 360, View::Front), &look);
    let json: serde_json::Value = serde_json::from_str(&picture.to_json()).expect("JSON");
    assert_eq!(json["v"], 1);
    assert_eq!((&json["width"], &json["height"]), (&640.into(), &360.into()));
    assert_eq!(json["background"], serde_json::json!([13, 13, 20]));
    let length = |name: &str| json[name].as_array().map_or(0, Vec::len);
    assert_eq!([length("lamps"), length("beams"), length("titles")], [40, 4, 12]);
    assert_eq!(
        [length("lines"), length("texts")],
        [picture.lines.len(), picture.texts.len()]
    );
    let (lamp, seen) = (&json["lamps"][0], picture.lamps[0]);
    assert_eq!(lamp[0], 0);
    for (index, expected) in [(1, seen.at[0]), (2, seen.at[1]), (3, seen.radius), (8, 1.0)] {
        let got = lamp[index].as_f64().expect("a number");
        assert!(
            (got - f64::from(expected)).abs() < 0.006,
            "{index}: {got} for {expected}"
        );
    }
}

/// The escape character as `^[`, so that a snapshot is plain text.
fn snapshot([columns, rows]: [u16; 2], view: View, colors: ScreenColors) -> String {
    let (room, look) = stage();
    let picture = room.drawn(PictureSettings::for_terminal(columns, rows, view), &look);
    let lines = Screen::new().lines(&picture, colors);
    assert_eq!(lines.len(), usize::from(rows));
    lines
        .iter()
        .map(|line| line.replace('\x1b', "^[") + "\n")
        .collect()
}

/// Compares, and prints what was drawn.
fn same(got: &str, expected: &str) {
    assert!(got == expected, "\n{got}");
}

#[test]
fn ascii_from_the_front() {
    same(
        &snapshot([56, 18], View::Front, ScreenColors::Ascii),
        include_str!("venue/front.txt"),
    );
}

#[test]
fn ascii_from_above() {
    same(
        &snapshot([56, 18], View::Top, ScreenColors::Ascii),
        include_str!("venue/top.txt"),
    );
}

#[test]
fn indexed_colors_from_above() {
    same(
        &snapshot([30, 11], View::Top, ScreenColors::Indexed),
        include_str!("venue/top-256.txt"),
    );
}

#[test]
fn rgb_colors_from_the_front() {
    same(
        &snapshot([24, 8], View::Front, ScreenColors::Rgb),
        include_str!("venue/front-rgb.txt"),
    );
}

#[test]
fn lines_have_the_width_of_the_screen() {
    let (room, look) = stage();
    let mut screen = Screen::new();
    for (columns, lines) in [(1, 1), (80, 24), (13, 40), (200, 3)] {
        let picture = room.drawn(PictureSettings::for_terminal(columns, lines, View::Front), &look);
        for colors in [ScreenColors::Rgb, ScreenColors::Indexed, ScreenColors::Ascii] {
            let drawn = screen.lines(&picture, colors);
            assert_eq!(drawn.len(), usize::from(lines));
            for line in drawn {
                assert_eq!(shown(&line).chars().count(), usize::from(columns), "{line:?}");
                assert!(colors == ScreenColors::Ascii && line.is_ascii() || line.ends_with("\x1b[0m"));
            }
        }
    }
    assert_eq!(
        screen.lines(&Picture::default(), ScreenColors::Rgb),
        Vec::<String>::new()
    );
    assert_eq!(
        screen.lines(&Picture::default(), ScreenColors::Ascii),
        Vec::<String>::new()
    );
}

/// A line without its escape sequences.
fn shown(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown += part.split_once('m').map_or("", |(_, rest)| rest);
    }
    shown
}

#[test]
fn colors_are_the_nearest_of_256() {
    // By xterm's table: the corners of the cube, a colour of it, and greys.
    let cases = [
        ([0, 0, 0], 16),
        ([255, 0, 0], 196),
        ([0, 255, 0], 46),
        ([0, 0, 255], 21),
        ([255, 255, 255], 231),
        ([95, 135, 175], 67),
        ([128, 128, 128], 244),
        ([13, 13, 20], 233),
        ([238, 238, 238], 255),
    ];
    for (background, index) in cases {
        let picture = Picture {
            width: 1,
            height: 2,
            background,
            ..Picture::default()
        };
        let lines = Screen::new().lines(&picture, ScreenColors::Indexed);
        assert_eq!(lines, [format!("\x1b[48;5;{index}m \x1b[0m")], "{background:?}");
        let lines = Screen::new().lines(&picture, ScreenColors::Rgb);
        let [red, green, blue] = background;
        assert_eq!(lines, [format!("\x1b[48;2;{red};{green};{blue}m \x1b[0m")]);
    }
}

#[test]
fn letters_name_colors_and_levels() {
    let lamp = |light| Lamp {
        fixture: 0,
        at: [0.5, 0.5],
        radius: 1.0,
        glow: 2.0,
        share: 1.0,
        light,
    };
    let cases = [
        ([1.0, 0.0, 0.0], "R"),
        ([1.0, 0.36, 0.0], "A"),
        ([1.0, 1.0, 0.0], "Y"),
        ([0.0, 0.5, 0.0], "G"),
        ([0.0, 0.9, 1.0], "C"),
        ([0.1, 0.1, 1.0], "B"),
        ([0.2, 0.0, 0.6], "V"),
        ([1.0, 0.0, 1.0], "M"),
        ([0.7, 1.0, 0.8], "W"),
        ([0.2, 0.0, 0.0], "r"),
        ([0.01, 0.01, 0.01], "w"),
        ([0.0, 0.0, 0.0], "o"),
    ];
    for (light, letter) in cases {
        let picture = Picture {
            width: 1,
            height: 1,
            lamps: vec![lamp(light)],
            ..Picture::default()
        };
        assert_eq!(
            Screen::new().lines(&picture, ScreenColors::Ascii),
            [letter],
            "{light:?}"
        );
    }
}
