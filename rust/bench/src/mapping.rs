//! Fixtures found in simulated recordings: our decoder beside a plain one, over scenes, sizes, counts, holds and seeds.

use crate::stopwatch::now;
use rustle_mapping::decode::{Found, Mapping, Place, Reason};
use rustle_mapping::frames::Frame;
use rustle_mapping::judge::{Verdict, judge};
use rustle_mapping::schedule::{Schedule, State, bits};
use rustle_mapping::simulate::{Camera, Difficulty, Scene};
use std::error::Error;
use std::fmt::Write;

/// Seeds of a row.
const SEEDS: u64 = 8;

/// What is measured.
struct Row {
    difficulty: Difficulty,
    size: (u32, u32),
    count: usize,
    schedule: fn(usize, usize) -> Result<Schedule, rustle_mapping::schedule::ScheduleError>,
    name: &'static str,
    hold: usize,
    /// What the simulator has beyond its scene.
    change: fn(&mut Scene),
}

/// The tables, over seeds from `seed` on.
pub(crate) fn tables(seed: u64) -> Result<String, Box<dyn Error>> {
    let row = |difficulty, count, name, hold| Row {
        difficulty,
        size: (640, 480),
        count,
        schedule: match name {
            "check bits" => Schedule::checked,
            "one by one" => Schedule::sequential,
            _ => Schedule::standard,
        },
        name,
        hold,
        change: |_| {},
    };
    let mut rows = Vec::new();
    for name in ["standard", "check bits"] {
        rows.extend(Difficulty::ALL.map(|difficulty| row(difficulty, 1_000, name, 2)));
    }
    for (count, hold) in [(50, 2), (300, 2), (300, 3), (1_000, 4)] {
        rows.push(row(Difficulty::Hard, count, "standard", hold));
    }
    rows.push(Row {
        size: (1_280, 720),
        ..row(Difficulty::Hard, 1_000, "standard", 2)
    });
    rows.push(Row {
        size: (320, 240),
        ..row(Difficulty::Hard, 200, "standard", 2)
    });
    rows.push(Row {
        change: |scene| (scene.auto_exposure, scene.delay) = (0.3, 3.4),
        name: "standard, late, exposure not locked",
        ..row(Difficulty::Hard, 500, "standard", 2)
    });
    rows.push(Row {
        change: |scene| scene.drops = 0.02,
        name: "standard, frames dropped",
        ..row(Difficulty::Hard, 500, "standard", 3)
    });
    rows.extend(Difficulty::ALL.map(|difficulty| Row {
        size: (320, 240),
        ..row(difficulty, 24, "one by one", 2)
    }));
    let mut text = format!(
        "\n### Fixtures found, seeds {seed} to {}\n\n\
         | schedule | scene | picture | fixtures | hold | frames | found, % | wrong | of dead ones | median px | p95 px | ms a frame \
         | plain: found, % | wrong | median px |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        seed + SEEDS - 1
    );
    for row in rows {
        writeln!(text, "{}", measured(&row, seed)?)?;
    }
    Ok(text)
}

fn measured(row: &Row, seed: u64) -> Result<String, Box<dyn Error>> {
    let schedule = (row.schedule)(row.count, row.hold)?;
    let (mut ours, mut plain, mut fastest) = (Sum::default(), Sum::default(), f64::INFINITY);
    for seed in seed..seed + SEEDS {
        let mut scene = Scene::new(row.difficulty, seed, row.size.0, row.size.1, row.count);
        (row.change)(&mut scene);
        let mut camera = Camera::new(scene);
        let truth = camera.truth();
        let frames = camera.record(&schedule);
        let start = now();
        let mapping = rustle_mapping::decode(&frames, &schedule);
        let time = start.elapsed().as_secs_f64() * 1e3 / frames.len() as f64;
        fastest = fastest.min(time);
        let verdict = judge(&truth, &mapping);
        ours.add(verdict);
        if !schedule.is_sequential() {
            plain.add(judge(&truth, &plainly(&frames, &schedule)));
        }
    }
    let mut text = format!(
        "| {} | {} | {} x {} | {} | {} | {} | {:.2} | {} | {} | {:.3} | {:.3} | {fastest:.2}",
        row.name,
        row.difficulty.name(),
        row.size.0,
        row.size.1,
        row.count,
        row.hold,
        schedule.frames(),
        ours.recall(),
        ours.wrong,
        ours.ghosts,
        ours.median(),
        ours.p95(),
    );
    if schedule.is_sequential() {
        text += " | | | |";
    } else {
        write!(
            text,
            " | {:.2} | {} | {:.3} |",
            plain.recall(),
            plain.wrong,
            plain.median()
        )?;
    }
    Ok(text)
}

/// The verdicts of several seeds.
#[derive(Default)]
struct Sum {
    alive: usize,
    found: usize,
    wrong: usize,
    ghosts: usize,
    medians: Vec<f64>,
    p95s: Vec<f64>,
}

impl Sum {
    fn add(&mut self, verdict: Verdict) {
        self.alive += verdict.alive;
        self.found += verdict.found;
        self.wrong += verdict.wrong;
        self.ghosts += verdict.ghosts;
        self.medians.push(verdict.median);
        self.p95s.push(verdict.p95);
    }

    fn recall(&self) -> f64 {
        100.0 * self.found as f64 / self.alive.max(1) as f64
    }

    fn median(&self) -> f64 {
        self.medians.iter().sum::<f64>() / self.medians.len().max(1) as f64
    }

    fn p95(&self) -> f64 {
        self.p95s.iter().sum::<f64>() / self.p95s.len().max(1) as f64
    }
}

/// The plain decoder: lit where all less dark is above 18/255, bits by the sign of each pixel, none below 0.35 of that difference, and
/// the mean of the pixels within 6 of the brightest.
fn plainly(frames: &[Frame], schedule: &Schedule) -> Mapping {
    let (width, height) = frames
        .first()
        .map_or((0, 0), |frame| (frame.width as usize, frame.height as usize));
    let mean = |wanted: &State| {
        let state = schedule
            .states()
            .iter()
            .position(|state| state == wanted)
            .unwrap_or_default();
        let held: Vec<_> = frames
            .iter()
            .skip(state * schedule.hold())
            .take(schedule.hold())
            .collect();
        let sum = |pixel: usize| {
            held.iter()
                .map(|frame| f32::from(frame.pixels[pixel]))
                .sum::<f32>()
        };
        (0..width * height)
            .map(|pixel| sum(pixel) / held.len().max(1) as f32 / 65_535.0)
            .collect::<Vec<_>>()
    };
    let (dark, all) = (mean(&State::Dark), mean(&State::All));
    let light: Vec<f32> = all.iter().zip(&dark).map(|(all, dark)| all - dark).collect();
    let mut ids: Vec<Option<usize>> = light
        .iter()
        .map(|light| (*light > 18.0 / 255.0).then_some(0))
        .collect();
    for bit in 0..bits(schedule.count()) {
        let (lit, unlit) = (mean(&State::Bit(bit)), mean(&State::Not(bit)));
        for (pixel, id) in ids.iter_mut().enumerate() {
            let difference = lit[pixel] - unlit[pixel];
            *id = id
                .filter(|_| difference.abs() >= 0.35 * light[pixel])
                .map(|id| id | usize::from(difference > 0.0) << bit);
        }
    }
    let mut fixtures: Vec<Found> = (0..schedule.count() as u32)
        .map(|id| Found {
            id,
            confidence: 0.0,
            place: Err(Reason::Dark),
        })
        .collect();
    let mut pixels: Vec<Vec<usize>> = vec![Vec::new(); schedule.count()];
    for (pixel, id) in ids.iter().enumerate() {
        if let Some(list) = id.and_then(|id| pixels.get_mut(id)) {
            list.push(pixel);
        }
    }
    for (found, pixels) in fixtures.iter_mut().zip(pixels) {
        let Some(top) = pixels
            .iter()
            .copied()
            .max_by(|one, other| light[*one].total_cmp(&light[*other]))
        else {
            continue;
        };
        let place = |pixel: usize| [(pixel % width) as f64, (pixel / width) as f64];
        let (mut sum, mut at) = (0.0, [0.0; 2]);
        for pixel in pixels {
            let near = (place(pixel)[0] - place(top)[0]).hypot(place(pixel)[1] - place(top)[1]) <= 6.0;
            if near {
                sum += f64::from(light[pixel]);
                at = [0, 1].map(|axis| at[axis] + f64::from(light[pixel]) * place(pixel)[axis]);
            }
        }
        found.place = Ok(Place {
            at: at.map(|at| at / sum),
            sigma: 0.0,
            brightness: light[top],
            pixels: 0,
            mirror: None,
        });
    }
    Mapping {
        width: width as u32,
        height: height as u32,
        fixtures,
    }
}
