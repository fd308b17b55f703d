//! Whether the frames are those of the states that they are taken for. A loss turns or swaps bits of all lamps at once, and no place alone
//! shows that: the codes of all do, as far as not every code is an id's.

use super::UNSURE;
use crate::assign::Codes;
use crate::candidates::Candidate;
use crate::contrast::{Contrast, complete};
use crate::schedule::Schedule;

/// How many more places have the codes of ids if a contrast is right than if it is turned over, or the other way about: one may do so by
/// chance.
const MORE_FIT: usize = 2;
/// The part of the places whose codes are those of ids where all states are right, between all and half: a bit that is taken for another
/// one leaves half.
const FIT: (usize, usize) = (4, 3);
/// Of the light of the place in the middle of all light, what each has that is looked at: half of it, as lamps of one kind differ by less.
const BRIGHT: f32 = 0.5;
/// The places below which chance makes the codes without one contrast those of ids: of eight, with a quarter that are, one in 65,536.
const MANY: usize = 8;
/// Of the places in what lights all, those that have the other sign, between none and half: half of them where that is another state.
const APART: f32 = 0.25;

/// What the places of a recording say of its states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trust {
    /// They are as they seem; places have this confidence at most.
    Most(f32),
    /// This contrast is that of the other state.
    Turned(usize),
    /// This contrast is not what it seems.
    Without(usize),
    /// They are not what they seem, and nobody knows which they are.
    None,
}

impl Trust {
    /// The codes of places are those of ids but where something is amiss. All lamps are lit and dark together in what lights all; a
    /// recording without that, as it begins too late, may be any part of a schedule whose codes are nearly all those of ids. One that lacks
    /// a bit may lack any.
    pub(super) fn new(
        candidates: &[Candidate],
        contrasts: &[Contrast],
        codes: &Codes,
        schedule: &Schedule,
    ) -> Self {
        if schedule.count() < 2 {
            return Self::Most(1.0);
        }
        let is_same = |contrast: &Contrast| contrast.signs.iter().all(|sign| *sign == contrast.signs[0]);
        let clear = candidates.iter().filter(|candidate| !candidate.is_covered);
        let places = bright(clear, schedule.count());
        let all = contrasts.iter().position(is_same);
        if let Some(all) = all {
            let sign = f32::from(contrasts[all].signs[0]);
            let apart = places.iter().filter(|place| place.values[all] * sign < 0.0);
            let apart = apart.count() as f32 / places.len().max(1) as f32;
            if apart > 1.0 - APART && contrasts[all].is_first {
                return Self::Turned(all);
            } else if apart > APART {
                return match codes.are_few(contrasts.len() - 1) {
                    true => Self::Without(all),
                    false => Self::None,
                };
            }
        }
        let fitting = codes.fitting(&places, None);
        let do_fit = |fitting: usize| FIT.0 * fitting >= FIT.1 * places.len();
        let is_redundant = codes.are_few(contrasts.len());
        let mut most = 1.0;
        if let Some(end) = contrasts.iter().position(|contrast| contrast.is_end) {
            let turned = codes.fitting(&places, Some(end));
            if turned >= fitting + MORE_FIT {
                return Self::Turned(end);
            }
            if fitting < turned + MORE_FIT {
                most = UNSURE;
            }
        }
        if !do_fit(fitting) {
            let least = |index: &usize| codes.fitting_without(&places, *index);
            let other = (0..contrasts.len().min(128)).max_by_key(least);
            // Of few places, the codes without one contrast or another are those of ids by chance.
            let is_many = places.len() >= MANY && codes.are_few(contrasts.len() - 1);
            let other = other.filter(|index| is_many && do_fit(least(index)));
            return other.map_or(Self::None, Self::Without);
        }
        if all.is_none() && schedule.lights_all() && !is_redundant {
            return Self::None;
        }
        if contrasts.len() < complete(schedule) && !is_redundant {
            most = UNSURE;
        }
        Self::Most(most)
    }
}

/// The brightest of some places, no more than there are fixtures, without the dim ones of them: with many dead lamps most are no lamps.
fn bright<'a>(places: impl Iterator<Item = &'a Candidate>, count: usize) -> Vec<&'a Candidate> {
    let mut bright: Vec<&Candidate> = places.collect();
    bright.sort_by(|one, other| other.light.total_cmp(&one.light));
    bright.truncate(count);
    let half = 0.5 * bright.iter().map(|place| place.light).sum::<f32>();
    let mut above = 0.0;
    let middle = bright.iter().find(|place| {
        above += place.light;
        above >= half
    });
    let least = BRIGHT * middle.map_or(0.0, |middle| middle.light);
    bright.retain(|candidate| candidate.light >= least);
    bright
}
