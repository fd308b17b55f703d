//! Where trades come from.

use super::hub::{Demand, FeedCore};
use super::intake::TradeIntake;
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::schedule::Skipped;
use std::sync::Arc;

/// What a source wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// To be asked again at this time.
    At(Nanoseconds),
    /// To be asked again soon: there is more.
    Now,
    /// To be asked again when its session is woken.
    Wait,
    /// Nothing: it has given all.
    End,
}

/// A moment at which a source is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// On the runtime's clock.
    pub(super) now: Nanoseconds,
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub(super) wall_ns: i64,
    /// The most trades that may be given: more would be lost to a consumer that is waited for.
    pub(super) most: usize,
}

/// A source that is asked for what is due.
pub(super) trait Source: Send {
    /// Passes what is due, at most `moment.most` trades, through the gate.
    ///
    /// # Errors
    /// The reason why it cannot go on.
    fn give(&mut self, moment: Moment, gate: &mut TradeIntake) -> Result<Next, String>;

    /// What it skipped when it last gave, if it was too far behind to catch up.
    fn take_skipped(&mut self) -> Option<Skipped> {
        None
    }

    /// Learns what is wanted.
    fn hear(&mut self, demand: &Demand, gate: &mut TradeIntake);
}

/// How long a source rests while a consumer that is waited for has no room.
pub(super) const REST: Nanoseconds = 500_000;

/// Asks a source when it is due.
pub(super) struct SourceJob {
    source: Box<dyn Source>,
    gate: TradeIntake,
    hub: Arc<FeedCore>,
    /// The version of the demand that the source knows.
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
            most: self.hub.room(),
        };
        if moment.most == 0 {
            return Step::At(moment.now.saturating_add(REST));
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
