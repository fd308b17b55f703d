//! The effects of movement.

use super::{Effect, EffectKind, Values};
use crate::Moment;
use crate::fixture::{Fixture, aim};
use crate::look::Head;
use crate::number::{hash, mix, share_of, sine, smooth, unit};

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
        let (mut cycle, mut phase) = effect.rate.at(moment);
        if effect.direction.is_reversed() {
            (cycle, phase) = (-1 - cycle, 1.0 - phase);
        }
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
            phase,
            seed: effect.seed,
        })
    }

    /// The motion of the fixture at a place of the rig, whose place among those of the layer is `rank`, 0 to 1. A target is aimed at
    /// the shortest way from where the head was.
    pub(crate) fn motion(&self, place: u32, rank: f32, fixture: &Fixture, was: Head) -> Motion {
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
                let stop = |cycle: i64| {
                    let bits = hash(self.seed, place, cycle);
                    [
                        one + three * (2.0 * share_of(bits) - 1.0),
                        two + four * (2.0 * share_of(bits >> 24) - 1.0),
                    ]
                };
                let (from, to) = (stop(self.cycle.wrapping_sub(1)), stop(self.cycle));
                let way = smooth(unit(self.phase / five));
                Motion::Position(std::array::from_fn(|axis| mix(from[axis], to[axis], way)))
            }
            EffectKind::GoboRotate => Motion::Gobo(gobo(one, (self.phase * two.floor()) as i64, two)),
            EffectKind::GoboBeat => {
                let count = two as i64;
                let bits = hash(self.seed, place, self.cycle) >> 1;
                // Even cycles draw from the even places and odd ones from the odd, so that each has another gobo.
                let odd = self.cycle.rem_euclid(2).min(count - 1);
                let half = ((count + 1 - odd) / 2).max(1);
                Motion::Gobo(gobo(one, odd + 2 * (bits as i64 % half), two))
            }
            _ => {
                let Head { pan, tilt, .. } = aim(fixture, [one, two, three].map(f64::from), was).head;
                Motion::Position([pan, tilt])
            }
        }
    }

    /// The lowest and the highest pan that it goes to by itself; none for one that does not say it.
    pub(crate) fn pans(&self) -> Option<[f32; 2]> {
        let [middle, _, size, ..] = self.values;
        let is_about_a_middle = matches!(
            self.kind,
            EffectKind::Circle | EffectKind::Figure | EffectKind::Random
        );
        is_about_a_middle.then_some([middle - size, middle + size])
    }
}

/// A place of the wheel: within `count` of them from `first`.
fn gobo(first: f32, place: i64, count: f32) -> u8 {
    let place = place.clamp(0, count as i64 - 1);
    (first as i64 + place).clamp(0, 255) as u8
}
