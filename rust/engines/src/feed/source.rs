//! The sources of trades.

use super::hub::{Demand, FeedCore};
use super::intake::TradeIntake;
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::schedule::Skipped;
use std::sync::Arc;

/// The next step of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Poll again at this time.
    At(Nanoseconds),
    /// Poll again soon: there is more.
    Now,
    /// Poll again when its session is woken.
    Wait,
    /// The end: everything was delivered.
    End,
}

/// The moment of a poll.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The time of the runtime's clock.
    pub(super) now: Nanoseconds,
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub(super) wall_ns: i64,
    /// The most trades that may be delivered: a lossless consumer would lose further ones.
    pub(super) most: usize,
}

/// A source that is polled for due trades.
pub(super) trait Source: Send {
    /// Passes due trades, at most `moment.most`, through the gate.
    ///
    /// # Errors
    /// The reason why it cannot continue.
    fn give(&mut self, moment: Moment, gate: &mut TradeIntake) -> Result<Next, String>;

    /// The gap before its last trades, if it was too far behind to catch up.
    fn take_skipped(&mut self) -> Option<Skipped> {
        None
    }

    /// Takes the combined subscriptions.
    fn hear(&mut self, demand: &Demand, gate: &mut TradeIntake);
}

/// The job that polls a source when it is due.
pub(super) struct SourceJob {
    source: Box<dyn Source>,
    gate: TradeIntake,
    hub: Arc<FeedCore>,
    /// The version of the subscriptions that the source has.
    demand: u64,
}

impl SourceJob {
    pub(super) fn new(source: Box<dyn Source>, gate: TradeIntake, hub: Arc<FeedCore>) -> Self {
        Self {
            source,
            gate,
            hub,
            demand: 0,
        }
    }
}

impl Job for SourceJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if let Some(demand) = self.hub.demand(self.demand) {
            self.demand = demand.version;
            self.source.hear(&demand, &mut self.gate);
        }
        let moment = Moment {
            now: context.now(),
            wall_ns: context.wall_ms().saturating_mul(1_000_000),
            most: self.hub.room_or_wake(),
        };
        if moment.most == 0 {
            return Step::Wait;
        }
        let next = self.source.give(moment, &mut self.gate);
        if let Some(skipped) = self.source.take_skipped() {
            context.was_held_up(skipped);
        }
        match next {
            Ok(Next::At(time)) => Step::At(time),
            Ok(Next::Now) => Step::At(moment.now),
            Ok(Next::Wait) => Step::Wait,
            Ok(Next::End) => Step::End,
            Err(reason) => Step::Fail(reason),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.hub.end(release);
    }
}
