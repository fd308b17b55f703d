//! Particles that fly from a point and fade.

use super::palette::Rgb;
use super::{Effect, Values};
use crate::number::{Lanes, hash, least, most, share_of};

/// The most particles: the highest value of the parameter.
const MAX_PARTICLES: usize = 32;
/// The share of a cycle in which a particle gains its light.
const ATTACK: f32 = 0.08;

#[derive(Clone, Copy, Debug)]
struct Particle {
    place: [f32; 3],
    color: [f32; 3],
}

/// The particles at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    particles: [Particle; MAX_PARTICLES],
    count: usize,
    /// 1 over the square of a particle's radius.
    sharpness: f32,
}

/// Three numbers of 0 to 1 that a particle draws in a cycle.
fn draw(seed: u32, particle: u32, cycle: i64) -> ([f32; 3], u64) {
    let bits = hash(seed, particle, cycle);
    let more = hash(seed ^ 0x8000_0000, particle, cycle);
    ([share_of(bits), share_of(bits >> 24), share_of(more)], more >> 24)
}

impl Burst {
    pub(crate) fn new(effect: &Effect, values: &Values, axes: [f32; 3], (cycle, phase): (i64, f32)) -> Self {
        let [level, count, size, speed, gravity, ..] = *values;
        let rest = 1.0 - phase;
        let envelope = level * least(phase / ATTACK, 1.0) * rest * rest;
        // Drag: fast at first, at rest in the end.
        let way = speed * (1.0 - rest * rest);
        let (middle, _) = draw(effect.seed, u32::MAX, cycle);
        let colors = effect.palette.colors();
        let particle = |index: u32, share: f32| {
            let (ways, bits) = draw(effect.seed, index, cycle);
            let color = colors[(bits % colors.len() as u64) as usize];
            Particle {
                // Bursts begin in the middle half of the rig. An axis without extent has no place to go to.
                place: std::array::from_fn(|axis| {
                    let fall = if axis == 2 { gravity * phase * phase } else { 0.0 };
                    let away = (middle[axis] - 0.5) * 0.5 + (2.0 * ways[axis] - 1.0) * way - fall;
                    0.5 + axes[axis] * away
                }),
                color: color.map(|value| value * envelope * share),
            }
        };
        // The last particle of a count that is not whole has a share of its light.
        let particles = std::array::from_fn(|index| {
            let before = index as f32;
            particle(index as u32, least(most(count - before, 0.0), 1.0))
        });
        Self {
            particles,
            count: (count.ceil() as usize).min(MAX_PARTICLES),
            sharpness: 1.0 / (size * size),
        }
    }

    pub(crate) fn paint(&self, [x, y, z]: &[&Lanes; 3], to: &mut Rgb) {
        *to = Rgb::BLACK;
        for Particle { place, color } in &self.particles[..self.count] {
            let [px, py, pz] = *place;
            let [red, green, blue] = to.planes();
            for (index, (red, (green, blue))) in red.iter_mut().zip(green.iter_mut().zip(blue)).enumerate() {
                let (dx, dy, dz) = (x[index] - px, y[index] - py, z[index] - pz);
                let near = most(0.0, 1.0 - (dx * dx + dy * dy + dz * dz) * self.sharpness);
                let glow = near * near;
                *red += color[0] * glow;
                *green += color[1] * glow;
                *blue += color[2] * glow;
            }
        }
    }
}
