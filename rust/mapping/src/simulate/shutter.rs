//! What is lit when, and what a shutter sees of it.

use crate::schedule::Schedule;

/// What was lit from which times on.
#[derive(Clone, Debug, Default)]
pub struct Light {
    /// Times in ns in ascending order, and the levels of all lamps from then on, 0 to 255.
    changes: Vec<(u64, Vec<u8>)>,
}

impl Light {
    /// The light of a schedule whose states are held for so many frames of a length in ns, from a time on.
    pub fn of_schedule(schedule: &Schedule, start_ns: u64, interval_ns: u64) -> Self {
        let mut light = Self::default();
        for (index, state) in schedule.states().iter().enumerate() {
            let levels = (0..schedule.count() as u32).map(|id| if state.lights(id) { 255 } else { 0 });
            let time = start_ns + index as u64 * schedule.hold() as u64 * interval_ns;
            light.changes.push((time, levels.collect()));
        }
        light
    }

    /// Levels from a time on, later than those before.
    pub fn change(&mut self, time_ns: u64, levels: Vec<u8>) {
        // Exposures of earlier frames are over.
        let kept = time_ns.saturating_sub(2_000_000_000);
        let over = self.changes.partition_point(|(time, _)| *time < kept);
        self.changes.drain(..over.saturating_sub(1));
        self.changes.push((time_ns, levels));
    }

    /// The mean level of a lamp from a time on, for so long, 0 to 1.
    pub(super) fn level(&self, id: u32, start_ns: u64, exposure_ns: u64) -> f32 {
        let end = start_ns + exposure_ns.max(1);
        let first = self.changes.partition_point(|(time, _)| *time <= start_ns);
        let mut sum = 0.0;
        for (index, (from, levels)) in self.changes.iter().enumerate().skip(first.saturating_sub(1)) {
            if *from >= end {
                break;
            }
            let until = self
                .changes
                .get(index + 1)
                .map_or(end, |(next, _)| (*next).min(end));
            let level = levels.get(id as usize).copied().unwrap_or_default();
            sum += f32::from(level) * (until.saturating_sub((*from).max(start_ns))) as f32;
        }
        sum / exposure_ns.max(1) as f32 / 255.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposure_sees_the_mean_of_what_was_lit_in_it() {
        let mut light = Light::default();
        light.change(100, vec![255, 0]);
        light.change(200, vec![0, 51]);
        assert_eq!(light.level(0, 0, 50), 0.0);
        assert_eq!(light.level(0, 50, 100), 0.5);
        assert_eq!(light.level(0, 150, 100), 0.5);
        assert!((light.level(1, 150, 100) - 0.1).abs() < 1e-6);
        assert_eq!(light.level(0, 300, 10), 0.0);
        assert_eq!(light.level(2, 150, 10), 0.0);
    }
}
