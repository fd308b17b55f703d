//! What a schedule lets expect of the frames.

use crate::schedule::Schedule;

/// What should change from a frame to a later one.
pub(super) struct Expected {
    /// The frames of a state.
    pub(super) hold: usize,
    /// By the number of frames between, 1 to 3 or one more than a hold where that is another number, and the place of the first.
    pub(super) changes: [Vec<f32>; 4],
    /// By the place, the part of the lamps that is lit.
    pub(super) light: Vec<f32>,
}

impl Expected {
    /// `mix`: how much of the state before is in the first frame of each.
    pub(super) fn new(schedule: &Schedule, mix: f32) -> Self {
        let (states, hold) = (schedule.states(), schedule.hold());
        let count = schedule.count() as u32;
        let sample = count.min(256);
        // Ids that are spread over all, so that each bit is set in half of them.
        let ids = || {
            (0..sample).map(|index| {
                if count <= 256 {
                    index
                } else {
                    index.wrapping_mul(2_654_435_761) % count
                }
            })
        };
        let light = |frame: usize, id: u32| {
            let (state, within) = (frame / hold, frame % hold);
            let lit = |state: usize| if states[state].lights(id) { 1.0 } else { 0.0 };
            if within == 0 && state > 0 {
                mix * lit(state - 1) + (1.0 - mix) * lit(state)
            } else {
                lit(state)
            }
        };
        let total = states.len() * hold;
        let lost = if hold < 3 { total } else { hold + 1 };
        let changes = [1, 2, 3, lost].map(|step| {
            (0..total.saturating_sub(step))
                .map(|frame| {
                    let change = |id| f32::abs(light(frame + step, id) - light(frame, id));
                    ids().map(change).sum::<f32>() / sample as f32
                })
                .collect()
        });
        let lit = |frame| ids().map(|id| light(frame, id)).sum::<f32>() / sample as f32;
        Self {
            hold,
            changes,
            light: (0..total).map(lit).collect(),
        }
    }
}
