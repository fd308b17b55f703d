//! Pictures of venues: where lamps and beams are, and how their light adds up.

mod rooms;

use rooms::{Room, fixture, lit};
use rustle_shows::venue::{Canvas, Picture, PictureSettings, Plan, SizeError, View};
use rustle_shows::{Head, Look, Stage};

const BACKGROUND: [u8; 3] = [13, 13, 20];

/// Pixels of a drawn picture.
struct Drawn {
    width: usize,
    rgba: Vec<u8>,
}

impl Drawn {
    fn new(picture: &Picture) -> Self {
        Self {
            width: usize::from(picture.width),
            rgba: Canvas::new().draw(picture).to_vec(),
        }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let first = (y * self.width + x) * 4;
        [self.rgba[first], self.rgba[first + 1], self.rgba[first + 2]]
    }

    fn height(&self) -> usize {
        self.rgba.len() / 4 / self.width
    }

    fn pixels(&self) -> impl Iterator<Item = (usize, usize, [u8; 3])> {
        let (width, height) = (self.width, self.height());
        (0..width * height).map(move |index| {
            (
                index % width,
                index / width,
                self.at(index % width, index / width),
            )
        })
    }

    /// The middle of the pixels where a channel has its maximum.
    fn brightest(&self, channel: usize) -> [f64; 2] {
        let most = self.pixels().map(|(.., pixel)| pixel[channel]).max();
        let best = self.pixels().filter(|(.., pixel)| Some(pixel[channel]) == most);
        let (mut sum, mut count) = ([0.0; 2], 0.0);
        for (x, y, _) in best {
            sum = [sum[0] + x as f64 + 0.5, sum[1] + y as f64 + 0.5];
            count += 1.0;
        }
        sum.map(|sum| sum / count)
    }

    /// How much more than the background a channel has within a rectangle.
    fn light(&self, channel: usize, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> u32 {
        let inside = self
            .pixels()
            .filter(|(x, y, _)| columns.contains(x) && rows.contains(y));
        inside
            .map(|(.., pixel)| u32::from(pixel[channel].saturating_sub(BACKGROUND[channel])))
            .sum()
    }
}

fn near(got: [f64; 2], expected: [f64; 2]) {
    let is_near = got
        .iter()
        .zip(expected)
        .all(|(got, expected)| (got - expected).abs() <= 0.75);
    assert!(is_near, "{got:?} for {expected:?}");
}

/// A room of 10 m, 10 m and 5 m; from above in a square of 200 pixels, 12 pixels of margin are around it, and a metre has 17.6.
fn room(fixtures: &[String]) -> Room {
    Room::new(
        fixtures,
        r#"{"outline":[[0,0],[10,0],[10,10],[0,10]],"height":5}"#,
    )
}

fn bare(width: u16, height: u16, view: View) -> PictureSettings {
    PictureSettings {
        has_grid: false,
        has_legend: false,
        ..PictureSettings::new(width, height, view)
    }
}

#[test]
fn nothing_is_a_background() {
    let picture = Picture {
        width: 7,
        height: 3,
        background: BACKGROUND,
        ..Picture::default()
    };
    let drawn = Drawn::new(&picture);
    assert_eq!(drawn.rgba, [13, 13, 20, 255].repeat(21));
}

#[test]
fn a_lamp_is_where_its_fixture_is() {
    let room = room(&[fixture(1, "rgb-par", [2.5, 7.5, 3.0], "")]);
    let top = room.drawn(bare(200, 200, View::Top), &lit(&room.stage, [1.0, 0.0, 0.0]));
    // A quarter from the left, and three quarters from the front, which is below: 12 + 2.5 * 17.6.
    near(Drawn::new(&top).brightest(0), [56.0, 56.0]);
    // In a wide picture the room keeps its proportions: 176 pixels in the middle of 400.
    let wide = room.drawn(bare(400, 200, View::Top), &lit(&room.stage, [1.0, 0.0, 0.0]));
    near(Drawn::new(&wide).brightest(0), [156.0, 56.0]);
}

#[test]
fn the_front_is_larger_than_the_back_and_higher_is_above() {
    let room = room(&[
        fixture(1, "rgb-par", [2.0, 0.0, 1.0], ""),
        fixture(2, "rgb-par", [8.0, 0.0, 1.0], ""),
        fixture(3, "rgb-par", [2.0, 10.0, 1.0], ""),
        fixture(4, "rgb-par", [8.0, 10.0, 1.0], ""),
        fixture(5, "rgb-par", [2.0, 0.0, 4.0], ""),
    ]);
    let picture = room.drawn(bare(400, 300, View::Front), &lit(&room.stage, [1.0; 3]));
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index: usize| picture.lamps[index]);
    assert!(b.at[0] - a.at[0] > d.at[0] - c.at[0]);
    assert!(a.radius > c.radius);
    assert!(e.at[1] < a.at[1] && e.at[0] == a.at[0]);
    // The middle is the middle.
    assert!((a.at[0] + b.at[0] - 400.0).abs() < 1e-3 && (c.at[0] + d.at[0] - 400.0).abs() < 1e-3);
    // At the front, a metre is as long upwards as to the right.
    let [across, upwards] = [(b.at[0] - a.at[0]) / 6.0, (a.at[1] - e.at[1]) / 3.0];
    assert!(
        (across - upwards).abs() < 1e-3,
        "{across} and {upwards} pixels a metre"
    );
}

#[test]
fn a_glow_is_symmetrical_and_falls_from_its_middle() {
    let room = room(&[fixture(1, "rgb-par", [5.0, 5.0, 3.0], "")]);
    let mut picture = room.drawn(bare(200, 200, View::Top), &lit(&room.stage, [0.0, 1.0, 0.0]));
    picture.lines.clear();
    let drawn = Drawn::new(&picture);
    for (x, y, pixel) in drawn.pixels() {
        assert_eq!(pixel, drawn.at(199 - x, y));
        assert_eq!(pixel, drawn.at(x, 199 - y));
        assert_eq!(pixel, drawn.at(y, x));
    }
    let row: Vec<u8> = (100..200).map(|x| drawn.at(x, 100)[1]).collect();
    assert!(row.is_sorted_by(|a, b| a >= b), "{row:?}");
    assert_eq!((row[0], row[99]), (255, 13));
    // Beside the disc, the glow is seen, and it ends before the edge.
    let picture_radius = picture.lamps[0].radius as usize;
    assert!((60..200).contains(&row[picture_radius + 2]), "{row:?}");
}

#[test]
fn a_tenth_of_the_light_is_seen() {
    let room = room(&[fixture(1, "rgb-par", [5.0, 5.0, 3.0], "")]);
    let settings = bare(200, 200, View::Top);
    let at = |level| Drawn::new(&room.drawn(settings, &lit(&room.stage, [level, 0.0, 0.0]))).at(100, 100)[0];
    // By sRGB 89 and 188, and a little for the lamp that is seen when it is dark, and the background.
    assert!((89..=99).contains(&at(0.1)), "{}", at(0.1));
    assert!((188..=192).contains(&at(0.5)), "{}", at(0.5));
    assert!((18..=40).contains(&at(0.0)), "{}", at(0.0));
    assert_eq!(at(1.0), 255);
}

#[test]
fn lights_add_up_and_are_clamped() {
    let here = |id| fixture(id, "rgb-par", [5.0, 5.0, 3.0], "");
    let room = room(&[here(1), here(2)]);
    let mut look = Look::dark(2, 2);
    look.red[0] = 1.0;
    look.blue[1] = 1.0;
    let settings = bare(200, 200, View::Top);
    let [red, green, blue] = Drawn::new(&room.drawn(settings, &look)).at(100, 100);
    assert!(red == 255 && blue == 255 && green < 60, "{red} {green} {blue}");
    // Two quarters are a half, whose code is 188; bodies and background add about 0.03.
    let quarters = Drawn::new(&room.drawn(settings, &lit(&room.stage, [0.25, 0.0, 0.0])));
    assert!((188..=195).contains(&quarters.at(100, 100)[0]));
    let full = Drawn::new(&room.drawn(settings, &lit(&room.stage, [1.0; 3])));
    assert_eq!(full.at(100, 100), [255; 3]);
}

#[test]
fn the_order_of_lights_does_not_matter() {
    let fixtures: Vec<String> = (0..9_u16)
        .map(|id| fixture(id, "moving-head", [4.0 + 0.2 * f64::from(id), 5.0, 3.0], ""))
        .collect();
    let room = room(&fixtures);
    let mut look = lit(&room.stage, [0.4, 0.7, 0.2]);
    for (tilt, head) in (0_u8..).zip(&mut look.heads) {
        head.tilt = f32::from(tilt) * 5.0;
    }
    let mut picture = room.drawn(bare(200, 200, View::Front), &look);
    let drawn = Drawn::new(&picture);
    picture.lamps.reverse();
    picture.beams.reverse();
    assert!(drawn.rgba == Drawn::new(&picture).rgba);
}

#[test]
fn beams_point_where_the_head_does() {
    // The angles of a head in the middle of the room, and how much light is to its left and right, behind and before it.
    let cases = [
        ((0.0, 40.0), [false, false, true, false]),
        ((0.0, -40.0), [false, false, false, true]),
        ((180.0, 40.0), [false, false, false, true]),
        // Counter-clockwise from above, the back turns to the left.
        ((90.0, 40.0), [true, false, false, false]),
        ((-90.0, 40.0), [false, true, false, false]),
        ((90.0, -40.0), [false, true, false, false]),
    ];
    let room = room(&[fixture(1, "moving-head", [5.0, 5.0, 4.0], "")]);
    for ((pan, tilt), expected) in cases {
        let drawn = room.head(pan, tilt, bare(200, 200, View::Top));
        let sides = [
            drawn.light(0, 20..88, 90..110),
            drawn.light(0, 112..180, 90..110),
            drawn.light(0, 90..110, 20..88),
            drawn.light(0, 90..110, 112..180),
        ];
        assert_eq!(
            sides.map(|side| side > 1_000),
            expected,
            "pan {pan}, tilt {tilt}: {sides:?}"
        );
    }
}

#[test]
fn a_beam_downwards_is_a_pool_from_above() {
    let room = room(&[fixture(1, "moving-head", [5.0, 5.0, 4.0], "")]);
    let drawn = room.head(0.0, 0.0, bare(200, 200, View::Top));
    // 4 m above the floor, the spread of 7 degrees makes 0.5 m: 9 pixels and more.
    let [right, left, up, down] =
        [(108, 100), (91, 100), (100, 91), (100, 108)].map(|(x, y)| drawn.at(x, y)[0]);
    assert!(
        right > 20 && right.abs_diff(left) <= 1 && right == down && up == left,
        "{right} {left} {up} {down}"
    );
    assert_eq!(drawn.light(0, 20..80, 20..180), 0);
}

#[test]
fn a_standing_head_shines_upwards() {
    let settings = bare(200, 200, View::Front);
    for (rotation, expected) in [("", [false, true]), (r#","rotation":[180,0,0]"#, [true, false])] {
        let room = room(&[fixture(1, "moving-head", [5.0, 5.0, 2.5], rotation)]);
        let drawn = room.head(0.0, 0.0, settings);
        let [x, y] = room.plan(settings).picture().lamps[0].at.map(|at| at as usize);
        let above = drawn.light(0, x - 4..x + 4, y - 25..y - 12);
        let below = drawn.light(0, x - 4..x + 4, y + 12..y + 25);
        assert_eq!(
            [above > 1_000, below > 1_000],
            expected,
            "{above} above, {below} below"
        );
    }
}

#[test]
fn beams_end_at_the_floor_and_walls() {
    let room = room(&[fixture(1, "moving-head", [5.0, 5.0, 4.0], "")]);
    let beam = |pan, tilt| {
        let mut look = lit(&room.stage, [1.0; 3]);
        look.heads[0] = Head {
            pan,
            tilt,
            ..Head::default()
        };
        room.drawn(bare(200, 200, View::Top), &look).beams[0]
    };
    // From 4 m at 45 degrees to the floor 4 m behind: 4 * 17.6 pixels up.
    let floor = beam(0.0, 45.0);
    near(floor.to.map(f64::from), [100.0, 29.6]);
    assert!(floor.pool[0] > 0.0 && floor.pool[0] == floor.pool[1]);
    // Level to the left up to the wall, whose side is at 12 pixels.
    let wall = beam(90.0, 90.0);
    near(wall.to.map(f64::from), [12.0, 100.0]);
    assert_eq!(wall.pool, [0.0; 2]);
}

#[test]
fn pixels_that_are_behind_each_other_show_their_mean() {
    // An upright bar is seen from above as one place: red and blue, half each.
    let room = room(&[fixture(1, "bar-8", [5.0, 5.0, 2.0], r#","rotation":[0,-90,0]"#)]);
    let mut look = Look::dark(8, 1);
    look.red[..4].fill(1.0);
    look.blue[4..].fill(1.0);
    let mean = Drawn::new(&room.drawn(bare(200, 200, View::Top), &look)).at(100, 100);
    assert!(
        mean[0].abs_diff(188) < 20 && mean[2].abs_diff(188) < 20 && mean[1] < 100,
        "{mean:?}"
    );
}

#[test]
fn the_outline_is_drawn_where_the_room_ends() {
    let room = room(&[]);
    let drawn = Drawn::new(&room.drawn(bare(200, 200, View::Top), &Look::default()));
    for edge in [12, 188] {
        let pixel = [edge - 1, edge].map(|x| drawn.at(x, 100)[2]).into_iter().max();
        assert!(pixel > Some(60), "{pixel:?} at {edge}");
    }
    assert_eq!((drawn.at(100, 100), drawn.at(5, 5)), (BACKGROUND, BACKGROUND));
}

#[test]
fn a_size_without_pixels_is_an_error() {
    let room = room(&[]);
    for (width, height) in [(0, 0), (0, 9), (9, 0), (8_193, 1), (1, u16::MAX)] {
        let plan = Plan::new(
            &room.rig,
            &room.stage,
            PictureSettings::new(width, height, View::Top),
        );
        let [width, height] = [width, height].map(usize::from);
        assert_eq!(plan.err(), Some(SizeError { width, height }));
    }
    let message = SizeError { width: 0, height: 9 }.to_string();
    assert_eq!(message, "picture: expected 1 to 8192 pixels a side, got 0 x 9");
}

#[test]
fn every_rig_and_size_can_be_drawn() {
    let values = [
        0.0,
        -0.0,
        5.0,
        1e-300,
        1e5,
        -1e5,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let heads = [f32::NAN, f32::INFINITY, 1e30, -720.0];
    for (index, value) in values.into_iter().enumerate() {
        let mut room = room(&[
            fixture(1, "moving-head", [5.0, 5.0, 3.0], ""),
            fixture(2, "bar-16", [1.0, 1.0, 1.0], ""),
            fixture(3, "rgb-par", [9.0, 9.0, 1.0], ""),
        ]);
        room.rig.fixtures[0].position = [value, values[(index + 3) % values.len()], value];
        room.rig.fixtures[1].rotation = [value; 3];
        room.rig.height = value;
        room.rig.outline.push([value, values[(index + 1) % values.len()]]);
        room.stage = Stage::new(&room.rig);
        let mut look = lit(&room.stage, [f32::NAN, 1e30, -1.0]);
        look.heads.pop();
        for (head, value) in look.heads.iter_mut().zip(heads) {
            *head = Head {
                pan: value,
                tilt: value,
                ..Head::default()
            };
        }
        for (width, height) in [(1, 1), (1, 300), (300, 1), (200, 170)] {
            for view in [View::Top, View::Front] {
                let settings = PictureSettings {
                    has_labels: true,
                    ..PictureSettings::new(width, height, view)
                };
                let picture = room.drawn(settings, &look);
                let lamps = picture
                    .lamps
                    .iter()
                    .flat_map(|lamp| [lamp.at[0], lamp.at[1], lamp.radius]);
                let beams = picture
                    .beams
                    .iter()
                    .flat_map(|beam| [beam.to[0], beam.to[1], beam.radii[1]]);
                assert!(lamps.chain(beams).all(f32::is_finite), "{value}: {picture:?}");
                let lights = picture.lamps.iter().flat_map(|lamp| lamp.light);
                assert!(lights.into_iter().all(|light| (0.0..=1.0).contains(&light)));
                assert_eq!(
                    Drawn::new(&picture).rgba.len(),
                    usize::from(width) * usize::from(height) * 4
                );
            }
        }
    }
}

#[test]
fn a_picture_of_any_values_can_be_drawn() {
    let room = room(&[fixture(1, "moving-head", [5.0, 5.0, 3.0], "")]);
    let sound = room.drawn(
        PictureSettings::new(200, 170, View::Front),
        &lit(&room.stage, [1.0; 3]),
    );
    for value in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e9,
        -1e9,
        0.0,
    ] {
        let mut picture = sound.clone();
        picture.lamps[0].at = [value, 50.0];
        picture.lamps[0].radius = value;
        picture.lamps[0].light = [value; 3];
        picture.beams[0].to = [value, value];
        picture.beams[0].radii = [value, 3.0];
        picture.beams[0].pool = [value, 20.0];
        picture.lines[0].to = [value, 20.0];
        picture.lines[1].width = value;
        picture.texts[0].size = value;
        picture.texts[0].at = [value, value];
        assert_eq!(Drawn::new(&picture).rgba.len(), 200 * 170 * 4);
    }
}

impl Room {
    fn head(&self, pan: f32, tilt: f32, settings: PictureSettings) -> Drawn {
        let mut look = lit(&self.stage, [1.0; 3]);
        look.heads[0] = Head {
            pan,
            tilt,
            ..Head::default()
        };
        let mut picture = self.drawn(settings, &look);
        picture.lines.clear();
        Drawn::new(&picture)
    }
}
