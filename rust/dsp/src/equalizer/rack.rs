//! The sections and states of the bands in use, in the order of the kernels' vectors.

use super::kernels::{Section, State};
use super::ramp::vectors;
use crate::biquad::Biquad;

/// A sum below this, -240 dB, has no effect beside any sample above -96 dB.
const NOTHING: f64 = 1e-12;

/// A sum below this is cleared, long before it becomes so small that a CPU computes with it many times slower.
const FADED: f64 = 1e-30;

/// The filters of the bands in use.
///
/// They are one or two cascades: the bands of the latest change, and behind them those that it does not have any more and that
/// still ring. A band at the end that rings no more leaves, so that the time of a block follows the bands in use and not the most
/// that there may be. Nothing allocates but [`new`](Self::new).
pub(super) struct Rack {
    sections: Vec<Section>,
    states: Vec<State>,
    /// The bands of the first cascade, and those of the second one.
    bands: [usize; 2],
    /// Room to arrange them anew.
    spare: (Vec<Section>, Vec<State>),
}

impl Rack {
    /// A rack without bands, with room for `capacity`.
    pub(super) fn new(capacity: usize) -> Self {
        // Two cascades of odd numbers of bands have one vector more than one of all.
        let vectors = vectors(capacity) + 1;
        let sections = vec![Section::new([&Biquad::IDENTITY; 4]); vectors];
        let states = vec![State::default(); vectors];
        Self {
            spare: (sections.clone(), states.clone()),
            sections,
            states,
            bands: [0, 0],
        }
    }

    /// The cascades in their order.
    pub(super) fn cascades(&mut self) -> [(&[Section], &mut [State]); 2] {
        let [first, second] = lengths(self.bands);
        let (front, back) = self.states.split_at_mut(first);
        [
            (&self.sections[..first], front),
            (&self.sections[first..first + second], &mut back[..second]),
        ]
    }

    /// The sections of the first cascade.
    pub(super) fn sections(&mut self) -> &mut [Section] {
        let [first, _] = lengths(self.bands);
        &mut self.sections[..first]
    }

    /// Makes a change of `bands` bands the first cascade. Bands in use behind them rest until they ring no more.
    pub(super) fn begin(&mut self, bands: usize) {
        let all = self.bands_in_use();
        self.arrange([bands, all.saturating_sub(bands)]);
        for band in bands..all {
            let (vector, pair) = place(band, self.bands);
            self.sections[vector].rest(pair);
        }
    }

    /// Forgets the sound.
    pub(super) fn clear(&mut self) {
        self.states.fill(State::default());
    }

    /// Clears faded values, and the effects of a sample that was not a number.
    pub(super) fn clean(&mut self) {
        for sum in self.states.iter_mut().flat_map(State::sums) {
            if !(FADED..f64::INFINITY).contains(&sum.abs()) {
                *sum = 0.0;
            }
        }
    }

    /// Removes the bands at the end that have no effect; returns whether there are others.
    pub(super) fn trim(&mut self) -> bool {
        let in_use = (0..self.bands_in_use()).rposition(|band| {
            let (vector, pair) = place(band, self.bands);
            !self.sections[vector].is_resting(pair) || self.states[vector].magnitude(pair) >= NOTHING
        });
        let all = in_use.map_or(0, |last| last + 1);
        if all < self.bands_in_use() {
            let first = self.bands[0].min(all);
            self.arrange([first, all - first]);
        }
        all > 0
    }

    /// Moves the bands, each with its state, to cascades of these numbers of bands. New bands change nothing.
    fn arrange(&mut self, bands: [usize; 2]) {
        let kept = self.bands_in_use().min(bands.iter().sum());
        let old = std::mem::replace(&mut self.bands, bands);
        std::mem::swap(&mut self.sections, &mut self.spare.0);
        std::mem::swap(&mut self.states, &mut self.spare.1);
        self.sections.fill(Section::new([&Biquad::IDENTITY; 4]));
        self.states.fill(State::default());
        for band in 0..kept {
            let ((vector, pair), (before, pair_before)) = (place(band, bands), place(band, old));
            self.sections[vector].copy_pair(pair, &self.spare.0[before], pair_before);
            self.states[vector].copy_pair(pair, &self.spare.1[before], pair_before);
        }
    }

    /// The number of bands in use.
    pub(super) fn bands_in_use(&self) -> usize {
        self.bands.iter().sum()
    }
}

/// The numbers of vectors of cascades of these numbers of bands.
fn lengths([first, second]: [usize; 2]) -> [usize; 2] {
    [vectors(first), second.div_ceil(2)]
}

/// The vector of a band and its pair of lanes in it.
fn place(band: usize, bands: [usize; 2]) -> (usize, usize) {
    let [first, second] = lengths(bands);
    match band.checked_sub(bands[0]) {
        None => (band % first, band / first),
        Some(band) => (first + band % second, band / second),
    }
}
