//! Pictures of venues: the speed of drawing, beside a plain version that does the same with floats.

use crate::stopwatch::now;
use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::venue::{Canvas, Lamp, Picture, PictureSettings, Plan, View, png};
use rustle_shows::{Look, Stage};
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;

const WIDTH: u16 = 960;
const HEIGHT: u16 = 540;
/// The fixtures of a row.
const ROW: usize = 40;

/// A table: the fastest of `visits` visits of each job.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let mut text = format!(
        "\n### Pictures of {WIDTH} x {HEIGHT}, one thread, the fastest of {visits} visits\n\n\
         | picture | ms | plain version, ms | goal, ms |\n|---|---|---|---|\n"
    );
    let mut row = |name: &str, fastest: f64, plain: Option<f64>, goal: &str| {
        let plain = plain.map_or(String::new(), |plain| format!("{plain:.2}"));
        writeln!(text, "| {name} | {fastest:.2} | {plain} | {goal} |")
    };
    let pars = pictured(&rig(1_000, "rgb-par")?)?;
    let mut canvas = Canvas::new();
    let fastest = |job: &mut dyn FnMut()| fastest(visits, job);
    let ours = fastest(&mut || {
        black_box(canvas.draw(black_box(&pars)));
    });
    let mut plain = Plain::default();
    let theirs = fastest(&mut || {
        black_box(plain.draw(black_box(&pars)));
    });
    row("1,000 fixtures", ours, Some(theirs), "5")?;
    let heads = pictured(&rig(100, "moving-head")?)?;
    let ours = fastest(&mut || {
        black_box(canvas.draw(black_box(&heads)));
    });
    row("100 moving heads with their beams", ours, None, "")?;
    let wall = pictured(&wall()?)?;
    let ours = fastest(&mut || {
        black_box(canvas.draw(black_box(&wall)));
    });
    row("a wall of 170,000 pixels", ours, None, "")?;
    let rgba = canvas.draw(&pars).to_vec();
    let mut length = 0;
    let ours = fastest(&mut || {
        length = png(WIDTH.into(), HEIGHT.into(), &rgba).map_or(0, |file| file.len());
    });
    row(
        &format!("PNG of 1,000 fixtures, {} kB", length / 1_000),
        ours,
        None,
        "",
    )?;
    Ok(text)
}

fn fastest(visits: usize, job: &mut dyn FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let start = now();
        job();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e3
}

fn rig(count: usize, profile: &str) -> Result<Rig, Box<dyn Error>> {
    let fixtures = (0..count).map(|id| {
        let [x, y] = [id % ROW, id / ROW].map(|index| index as f64 * 0.5);
        format!(
            r#"{{"id":{id},"profile":"{profile}","protocol":"sacn","universe":1,"address":1,"position":[{x},{y},6]}}"#
        )
    });
    let fixtures: Vec<String> = fixtures.collect();
    let json = format!(
        r#"{{"v":1,"fixtures":[{}],"venue":{{"outline":[[-1,-1],[21,-1],[21,13],[-1,13]],"height":8}}}}"#,
        fixtures.join(",")
    );
    let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in())?;
    match faults.first() {
        Some(fault) => Err(fault.to_string().into()),
        None => Ok(rig),
    }
}

/// One fixture of 500 x 340 pixels.
fn wall() -> Result<Rig, Box<dyn Error>> {
    let mut rig = rig(1, "rgb-par")?;
    for fixture in &mut rig.fixtures {
        fixture.mode.pixels = [500, 340, 1];
        fixture.mode.pitch = [0.04, 0.04, 0.0];
        fixture.position = [10.0, 6.0, 6.0];
    }
    Ok(rig)
}

/// The rig from above, lit.
fn pictured(rig: &Rig) -> Result<Picture, Box<dyn Error>> {
    let stage = Stage::new(rig);
    let mut look = Look::dark(stage.elements().len(), stage.fixtures());
    for (index, element) in stage.elements().iter().enumerate() {
        (look.red[index], look.blue[index]) = (element.place[0], element.place[1]);
    }
    for (index, head) in look.heads.iter_mut().enumerate() {
        (head.tilt, head.pan) = ((index % 9) as f32 * 8.0 - 32.0, index as f32 * 17.0);
    }
    let plan = Plan::new(rig, &stage, PictureSettings::new(WIDTH, HEIGHT, View::Top))?;
    let mut picture = plan.picture();
    plan.light(&look, &mut picture);
    Ok(picture)
}

/// The plain version: each glow is computed at each of its pixels, and each pixel is encoded by a power.
#[derive(Default)]
struct Plain {
    light: Vec<[f32; 3]>,
    rgba: Vec<u8>,
}

impl Plain {
    fn draw(&mut self, picture: &Picture) -> &[u8] {
        let [width, height] = [picture.width, picture.height].map(usize::from);
        self.light.clear();
        let background = picture.background.map(|code| (f32::from(code) / 255.0).powf(2.2));
        self.light.resize(width * height, background);
        for lamp in &picture.lamps {
            let [left, top] = lamp.at.map(|at| (at - lamp.glow).max(0.0) as usize);
            let [right, bottom] = lamp.at.map(|at| (at + lamp.glow).max(0.0) as usize + 1);
            for y in top..bottom.min(height) {
                for x in left..right.min(width) {
                    let share = share(lamp, x as f32 + 0.5 - lamp.at[0], y as f32 + 0.5 - lamp.at[1]);
                    for (sum, light) in self.light[y * width + x].iter_mut().zip(lamp.light) {
                        *sum += share * light;
                    }
                }
            }
        }
        self.rgba.clear();
        for light in &self.light {
            let codes = light.map(|level| (level.min(1.0).powf(1.0 / 2.2) * 255.0 + 0.5) as u8);
            self.rgba.extend([codes[0], codes[1], codes[2], u8::MAX]);
        }
        &self.rgba
    }
}

fn share(lamp: &Lamp, x: f32, y: f32) -> f32 {
    let distance = (x * x + y * y).sqrt();
    let disc = (lamp.radius + 0.5 - distance).clamp(0.0, 1.0);
    let inside = (1.0 - distance / lamp.glow).max(0.0);
    disc.max(0.3 * inside * inside)
}
