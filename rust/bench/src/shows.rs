//! Shows: the time of a frame of effects, beside a version that computes pixel by pixel, in the same visits.

mod delay;
mod naive;

use crate::dmx::processor_time;
use rustle_shows::blend::Blend;
use rustle_shows::effect::{Effect, EffectKind, Palette};
use rustle_shows::fixture::Rig;
use rustle_shows::layer::Layer;
use rustle_shows::player::{Input, Player};
use rustle_shows::scene::{Scene, Span};
use rustle_shows::show::{Demo, Show};
use rustle_shows::{Look, Moment, Renderer};
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;

/// The elements of a visit: those of some hundred ms.
const ELEMENTS: usize = 8_000_000;
/// Frames a second.
const RATE: f64 = 44.0;
const COLORS: [[f32; 3]; 2] = [[1.0, 0.2, 0.0], [0.0, 0.3, 1.0]];

/// The figures of a rig of pixels in ms a frame: ours, and pixel by pixel.
struct Figures {
    pixels: usize,
    ours: f64,
    naive: f64,
}

/// Tables: the fastest of `visits` visits of each job, of a tenth of those that short jobs have.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let visits = visits.div_ceil(10);
    let mut text = format!(
        "### Frames of three layers: gradient, ring, noise in three dimensions; then bytes. One thread, the fastest of {visits} visits\n\n\
         | pixels | ms | core at 44 Hz | goal | pixel by pixel, ms | ratio |\n|---|---|---|---|---|---|\n"
    );
    let wall = Demo::Wall.rig();
    let mut small = wall.clone();
    // 63 bars of 16 pixels.
    small.fixtures.truncate(63);
    for (rig, goal) in [(&wall, "30 %"), (&small, "0.05 ms")] {
        let Figures { pixels, ours, naive } = frame(rig, visits)?;
        writeln!(
            text,
            "| {pixels} | {ours:.3} | {:.1} % | {goal} | {naive:.3} | {:.1} |",
            ours * RATE / 10.0,
            naive / ours
        )?;
    }
    text.push_str(
        "\n### Each effect of colour on 170,000 pixels, and a festival's rig\n\n| job | ms |\n|---|---|\n",
    );
    let renderer = Renderer::new(&wall);
    for &kind in EffectKind::ALL.iter().take(9) {
        let mut scene = renderer.ready(&Scene::new("bench", vec![layer(kind, Blend::Normal)?]));
        let mut look = Look::dark(renderer.stage().elements().len(), wall.fixtures.len());
        let mut count = 0;
        let ms = fastest(visits, (ELEMENTS / look.red.len()) as u32, || {
            scene.render(&renderer, moment(&mut count), 1.0, &mut look);
            look.red[0]
        })?;
        writeln!(text, "| {} | {ms:.3} |", kind.name())?;
    }
    for (name, fade) in [("a scene", 0.0), ("a crossfade", 100_000.0)] {
        let mut player = Player::new(&Demo::Festival.show(), &Demo::Festival.rig());
        let span = Span::seconds(fade)?;
        player.input(
            Moment::default(),
            Input::Scene {
                scene: 2,
                fade: Span::NONE,
            },
        )?;
        player.frame(Moment::default());
        player.input(Moment::default(), Input::Scene { scene: 5, fade: span })?;
        let mut count = 0;
        let ms = fastest(visits, 5_000, || player.frame(moment(&mut count)).red[0])?;
        writeln!(
            text,
            "| festival, 100 fixtures with 460 elements, {name} | {ms:.4} |"
        )?;
    }
    text.push_str(&delay::table()?);
    Ok(text)
}

/// The next frame's moment at 128 beats a minute.
fn moment(count: &mut u32) -> Moment {
    *count += 1;
    let seconds = f64::from(*count) / RATE;
    Moment::new(seconds * 128.0 / 60.0, seconds).unwrap_or_default()
}

fn layer(kind: EffectKind, blend: Blend) -> Result<Layer, Box<dyn Error>> {
    let mut effect = Effect::new(kind);
    effect.palette = Palette::new(&COLORS)?;
    let mut layer = Layer::new(effect);
    layer.blend = blend;
    Ok(layer)
}

/// A frame of three layers by a player and by the naive version, in turns.
fn frame(rig: &Rig, visits: usize) -> Result<Figures, Box<dyn Error>> {
    let layers = vec![
        layer(EffectKind::Gradient, Blend::Normal)?,
        layer(EffectKind::Pulse, Blend::Screen)?,
        layer(EffectKind::Noise, Blend::Additive)?,
    ];
    let show = Show {
        scenes: vec![Scene::new("bench", layers)],
        ..Show::default()
    };
    let mut player = Player::new(&show, rig);
    player.input(
        Moment::default(),
        Input::Scene {
            scene: 0,
            fade: Span::NONE,
        },
    )?;
    player.frame(Moment::default());
    let places: Vec<[f32; 3]> = player
        .renderer()
        .stage()
        .elements()
        .iter()
        .map(|each| each.place)
        .collect();
    let mut slots = vec![0; 3 * places.len()];
    let repeats = (ELEMENTS / places.len()) as u32;
    let (mut ours, mut naive) = (f64::INFINITY, f64::INFINITY);
    let mut counts = [0; 2];
    for _ in 0..visits {
        ours = ours.min(fastest(1, repeats, || {
            bytes(player.frame(moment(&mut counts[0])), &mut slots);
            slots[0]
        })?);
        naive = naive.min(fastest(1, repeats, || {
            naive::frame(&places, &COLORS, moment(&mut counts[1]).beats(), &mut slots);
            slots[0]
        })?);
    }
    Ok(Figures {
        pixels: places.len(),
        ours,
        naive,
    })
}

/// The slots of a look: three bytes an element.
fn bytes(look: &Look, slots: &mut [u8]) {
    let colors = look.red.iter().zip(&look.green).zip(&look.blue);
    for (slot, ((red, green), blue)) in slots.chunks_exact_mut(3).zip(colors) {
        for (slot, level) in slot.iter_mut().zip([red, green, blue]) {
            *slot = (level * 255.0 + 0.5) as u8;
        }
    }
}

/// ms of processor time of a job: the least of so many visits of `repeats` jobs. It counts in steps of some ms, and what other
/// programs do meanwhile does not count.
fn fastest<T>(visits: usize, repeats: u32, mut job: impl FnMut() -> T) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let [start, _] = processor_time("")?;
        for _ in 0..repeats {
            black_box(job());
        }
        let [end, _] = processor_time("")?;
        best = best.min((end - start) as f64);
    }
    Ok(best / 1e6 / f64::from(repeats))
}
