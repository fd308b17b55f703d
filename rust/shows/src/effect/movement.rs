//! The effects of movement.

use super::{Effect, EffectKind, Values};
use crate::Moment;
use crate::fixture::{Fixture, Rotation};
use crate::number::{hash, mix, share_of, sine, smooth, unit};

/// Where a fixture is and how it hangs, for targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    position: [f64; 3],
    rotation: Rotation,
}

impl Aim {
    pub(crate) fn new(fixture: &Fixture) -> Self {
        Self {
            position: fixture.position,
            rotation: Rotation::new(fixture.rotation),
        }
    }

    /// Pan and tilt in degrees that point to a target in metres: in the fixture's frame the beam in the middle of both ranges points
    /// to -z, tilt turns it to +y, and pan turns it around z. Of both ways to a target, that of the smaller pan; a target at the
    /// fixture has none.
    fn at(&self, target: [f32; 3]) -> [f32; 2] {
        let away = std::array::from_fn(|axis| f64::from(target[axis]) - self.position[axis]);
        let [x, y, z] = self.rotation.invert(away);
        let side = if y < 0.0 { -1.0 } else { 1.0 };
        let beside = (x * x + y * y).sqrt();
        let pan = libm::atan2(-x * side, y * side);
        let tilt = libm::atan2(beside * side, -z);
        [pan, tilt].map(|angle| angle.to_degrees() as f32)
    }
}

/// What an effect of movement does to a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// Pan and tilt in degrees from the middle.
    Position([f32; 2]),
    /// A place of the wheel.
    Gobo(u8),
}

/// An effect of movement at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    kind: EffectKind,
    values: Values,
    cycle: i64,
    phase: f32,
    seed: u32,
}

impl Mover {
    /// The effect at a moment; none for one of colour.
    pub(crate) fn new(effect: &Effect, values: &Values, moment: Moment) -> Option<Self> {
        let (cycle, phase) = effect.rate.at(moment);
        let is_movement = matches!(
            effect.kind,
            EffectKind::Circle
                | EffectKind::Figure
                | EffectKind::Random
                | EffectKind::Follow
                | EffectKind::GoboRotate
                | EffectKind::GoboBeat
        );
        is_movement.then_some(Self {
            kind: effect.kind,
            values: *values,
            cycle,
            phase: if effect.direction.is_reversed() {
                1.0 - phase
            } else {
                phase
            },
            seed: effect.seed,
        })
    }

    /// The motion of a fixture of the rig, whose place among those of the layer is `rank`, 0 to 1.
    pub(crate) fn motion(&self, fixture: u32, rank: f32, aim: &Aim) -> Motion {
        let [one, two, three, four, five, _] = self.values;
        let turned = self.phase + five * rank;
        match self.kind {
            EffectKind::Circle => {
                Motion::Position([one + three * sine(turned + 0.25), two + four * sine(turned)])
            }
            EffectKind::Figure => {
                Motion::Position([one + three * sine(turned), two + four * sine(2.0 * turned)])
            }
            EffectKind::Random => {
                let place = |cycle: i64| {
                    let bits = hash(self.seed, fixture, cycle);
                    [
                        one + three * (2.0 * share_of(bits) - 1.0),
                        two + four * (2.0 * share_of(bits >> 24) - 1.0),
                    ]
                };
                let (from, to) = (place(self.cycle.wrapping_sub(1)), place(self.cycle));
                let way = smooth(unit(self.phase / five));
                Motion::Position(std::array::from_fn(|axis| mix(from[axis], to[axis], way)))
            }
            EffectKind::GoboRotate => Motion::Gobo(gobo(one, (self.phase * two.floor()) as i64, two)),
            EffectKind::GoboBeat => {
                let count = two as i64;
                let bits = hash(self.seed, fixture, self.cycle) >> 1;
                // Even cycles draw from the even places and odd ones from the odd, so that each has another gobo.
                let odd = self.cycle.rem_euclid(2).min(count - 1);
                let half = ((count + 1 - odd) / 2).max(1);
                Motion::Gobo(gobo(one, odd + 2 * (bits as i64 % half), two))
            }
            _ => Motion::Position(aim.at([one, two, three])),
        }
    }
}

/// A place of the wheel: within `count` of them from `first`.
fn gobo(first: f32, place: i64, count: f32) -> u8 {
    let place = place.clamp(0, count as i64 - 1);
    (first as i64 + place).clamp(0, 255) as u8
}
