//! The demonstration: levels without a network.

use super::configuration::DmxReceiverConfiguration;
use super::records::{Changes, DmxLevels};
use crate::dmx::DmxProtocol;
use crate::dmx::station::Audience;
use crate::job::{Job, PollContext, Release, Step};
use crate::turns::Turns;
use rustle_lighting::SLOTS;
use std::sync::Arc;

/// The most levels of one poll.
const MOST_LEVELS: u64 = 1_024;

/// Makes the levels of all universes: a ramp over the slots, which moves by one with each record.
pub(super) struct DemoJob {
    universes: Vec<(DmxProtocol, u16)>,
    turns: Turns,
    /// The turns of a session that has just started: its first value comes at once.
    beginning: Turns,
    audience: Arc<Audience<Changes>>,
    changes: Changes,
    is_over: bool,
}

impl DemoJob {
    pub(super) fn new(configuration: &DmxReceiverConfiguration, audience: Arc<Audience<Changes>>) -> Self {
        let sacn = configuration.sacn.iter();
        let sacn = sacn.map(|universe| (DmxProtocol::Sacn, universe.get()));
        let art_net = configuration.art_net.iter();
        let art_net = art_net.map(|port| (DmxProtocol::ArtNet, port.get()));
        let universes: Vec<_> = sacn.chain(art_net).collect();
        let beginning = Turns::new(universes.len(), configuration.levels_per_second, None);
        Self {
            turns: beginning.clone(),
            beginning,
            universes,
            audience,
            changes: Changes::default(),
            is_over: false,
        }
    }
}

impl Job for DemoJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if let Some(step) = self.audience.idle_step() {
            self.is_over = matches!(step, Step::End);
            return step;
        }
        let mut has_new = false;
        self.audience.greet(|| {
            has_new = true;
            Changes::default()
        });
        if has_new {
            self.turns = self.beginning.clone();
        }
        let now = context.now();
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        let time_ns = context.wall_ms().saturating_mul(1_000_000);
        self.changes.levels.clear();
        for (number, place) in self.turns.take(now, MOST_LEVELS) {
            let (protocol, universe) = self.universes[place as usize];
            let change = number / self.universes.len() as u64;
            self.changes.levels.push(DmxLevels {
                sequence: 0,
                change,
                time_ns,
                protocol,
                universe,
                sources: 1,
                place,
                levels: std::array::from_fn::<_, SLOTS, _>(|slot| (slot as u64 + change) as u8),
            });
        }
        self.audience.report(&self.changes);
        match self.turns.next(now) {
            Some(next) => Step::At(next),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        if !self.is_over {
            self.audience.end(release);
        }
    }
}
