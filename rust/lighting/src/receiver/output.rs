//! The merged levels of a universe, and what they become without sources.

use crate::SLOTS;

/// The shortest time between two levels of a fade, in ns: one frame of a full universe (ANSI E1.11: 44 Hz).
const FADE_STEP_NS: u64 = 1_000_000_000 / 44;

/// What a universe shows when its last source is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// The last merged levels.
    #[default]
    Hold,
    /// Level 0 in all slots.
    Zero,
    /// A scene, to which the levels go in a straight line.
    Fade {
        /// The levels at the end.
        scene: Box<[u8; SLOTS]>,
        /// The duration, in ns; 0: at once.
        over_ns: u64,
    },
}

/// The levels of a universe.
#[derive(Clone, Debug)]
pub(super) struct Output {
    levels: Box<[u8; SLOTS]>,
    /// What the levels were when the last source was lost, and when that was.
    lost: Option<(Box<[u8; SLOTS]>, u64)>,
    is_lost: bool,
    has_levels: bool,
    on_loss: OnLoss,
}

impl Output {
    pub(super) fn new(on_loss: OnLoss) -> Self {
        // Allocated here, so that a loss allocates nothing.
        let fades = matches!(on_loss, OnLoss::Fade { .. });
        Self {
            levels: Box::new([0; SLOTS]),
            lost: fades.then(|| (Box::new([0; SLOTS]), 0)),
            is_lost: false,
            has_levels: false,
            on_loss,
        }
    }

    /// Changes what follows the loss of the last source; after it, it begins anew from what is shown.
    pub(super) fn configure(&mut self, now_ns: u64, on_loss: OnLoss) {
        if self.on_loss == on_loss {
            return;
        }
        let fades = matches!(on_loss, OnLoss::Fade { .. });
        self.lost = fades.then(|| (Box::new([0; SLOTS]), 0));
        self.on_loss = on_loss;
        if std::mem::take(&mut self.is_lost) {
            self.lose(now_ns);
        }
    }

    /// The levels; `None` before the first.
    pub(super) fn levels(&self) -> Option<&[u8; SLOTS]> {
        self.has_levels.then_some(&self.levels)
    }

    /// Takes merged levels; returns whether they differ from those before.
    pub(super) fn set(&mut self, merged: &[u8; SLOTS]) -> bool {
        self.is_lost = false;
        let differs = !self.has_levels || *self.levels != *merged;
        self.has_levels = true;
        *self.levels = *merged;
        differs
    }

    /// Begins what was configured for the loss of the last source.
    pub(super) fn lose(&mut self, now_ns: u64) {
        if !self.has_levels || self.is_lost {
            return;
        }
        self.is_lost = true;
        if let Some((from, since_ns)) = &mut self.lost {
            **from = *self.levels;
            *since_ns = now_ns;
        }
    }

    /// Writes the levels without sources at a time; returns whether they differ from those before.
    pub(super) fn without_sources(&mut self, now_ns: u64) -> bool {
        if !self.is_lost {
            return false;
        }
        let mut levels = *self.levels;
        match (&self.on_loss, &self.lost) {
            (OnLoss::Zero, _) => levels = [0; SLOTS],
            (OnLoss::Fade { scene, over_ns }, Some((from, since_ns))) => {
                let gone = now_ns.saturating_sub(*since_ns).min(*over_ns);
                for (slot, level) in levels.iter_mut().enumerate() {
                    *level = between(from[slot], scene[slot], gone, *over_ns);
                }
            }
            _ => {}
        }
        let differs = levels != *self.levels;
        *self.levels = levels;
        differs
    }

    /// When the next level of a fade is due.
    pub(super) fn next_ns(&self, now_ns: u64) -> Option<u64> {
        match (&self.on_loss, &self.lost) {
            (OnLoss::Fade { over_ns, .. }, Some((_, since_ns))) if self.is_lost => {
                let end = since_ns.saturating_add(*over_ns);
                (now_ns < end).then(|| end.min(now_ns.saturating_add(FADE_STEP_NS)))
            }
            _ => None,
        }
    }
}

/// The level after `gone` of `over` ns on the way, rounded.
fn between(from: u8, to: u8, gone: u64, over: u64) -> u8 {
    if gone >= over {
        return to;
    }
    let [from, to, gone, over] = [
        u128::from(from),
        u128::from(to),
        u128::from(gone),
        u128::from(over),
    ];
    ((from * (over - gone) + to * gone + over / 2) / over) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fades_begin_and_end_at_their_levels_and_do_not_turn() {
        assert_eq!(
            [0, 1, 5, 9, 10, 11].map(|gone| between(10, 20, gone, 10)),
            [10, 11, 15, 19, 20, 20]
        );
        assert_eq!(
            [0, 500, 999, 1_000].map(|gone| between(255, 0, gone, 1_000)),
            [255, 128, 0, 0]
        );
        assert_eq!(between(3, 200, 0, 0), 200);
        assert_eq!(between(0, 255, u64::MAX - 1, u64::MAX), 255);
    }
}
