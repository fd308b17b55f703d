//! Beats over changes of the tempo, and the differences of looks.

use rustle_shows::fixture::Rig;
use rustle_shows::layer::Layer;
use rustle_shows::scene::Scene;
use rustle_shows::{Look, Moment, ReadyScene, Renderer};

/// Beats as the integral of tempos that begin at times in seconds.
pub(crate) struct Tempos {
    /// Time, beats at that time, and beats a second from there.
    changes: Vec<[f64; 3]>,
}

impl Tempos {
    pub(crate) fn new(bpm: f64) -> Self {
        Self {
            changes: vec![[0.0, 0.0, bpm / 60.0]],
        }
    }

    /// Another tempo from a time on, later than those before.
    pub(crate) fn change(&mut self, seconds: f64, bpm: f64) {
        let beats = self.beats(seconds);
        self.changes.push([seconds, beats, bpm / 60.0]);
    }

    pub(crate) fn beats(&self, seconds: f64) -> f64 {
        let after = self.changes.partition_point(|[start, ..]| *start <= seconds);
        let [start, beats, rate] = self.changes[after.max(1) - 1];
        beats + (seconds - start) * rate
    }

    pub(crate) fn moment(&self, seconds: f64) -> Moment {
        Moment::new(self.beats(seconds), seconds).expect("a moment")
    }
}

/// The planes of a look.
pub(crate) fn planes(look: &Look) -> [&[f32]; 5] {
    [&look.red, &look.green, &look.blue, &look.amber, &look.ultraviolet]
}

/// The greatest difference of any light, of any angle in degrees, and whether a gobo differs.
pub(crate) fn difference(left: &Look, right: &Look) -> (f32, f32, bool) {
    let light = planes(left)
        .into_iter()
        .zip(planes(right))
        .flat_map(|(left, right)| left.iter().zip(right))
        .fold(0.0_f32, |most, (left, right)| most.max((left - right).abs()));
    let heads = || left.heads.iter().zip(&right.heads);
    let angle = heads().fold(0.0_f32, |most, (left, right)| {
        most.max((left.pan - right.pan).abs())
            .max((left.tilt - right.tilt).abs())
    });
    (light, angle, heads().any(|(left, right)| left.gobo != right.gobo))
}

/// The bits of a look, hashed (FNV-1a, 64 bits).
pub(crate) fn hash_look(look: &Look, mut hash: u64) -> u64 {
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    };
    for plane in planes(look) {
        for value in plane {
            take(&value.to_bits().to_le_bytes());
        }
    }
    for head in &look.heads {
        take(&head.pan.to_bits().to_le_bytes());
        take(&head.tilt.to_bits().to_le_bytes());
        take(&[head.gobo]);
    }
    hash
}

/// The beginning of a hash.
pub(crate) const FNV: u64 = 0xCBF2_9CE4_8422_2325;

/// A scene on a rig, with its look.
pub(crate) struct Play {
    pub(crate) renderer: Renderer,
    scene: ReadyScene,
    look: Look,
}

impl Play {
    pub(crate) fn new(rig: &Rig, layers: Vec<Layer>) -> Self {
        let renderer = Renderer::new(rig);
        Self {
            scene: renderer.ready(&Scene::new("test", layers)),
            look: Look::dark(renderer.stage().elements().len(), rig.fixtures.len()),
            renderer,
        }
    }

    pub(crate) fn at(&mut self, moment: Moment) -> &Look {
        self.scene.render(&self.renderer, moment, 1.0, &mut self.look);
        &self.look
    }
}
