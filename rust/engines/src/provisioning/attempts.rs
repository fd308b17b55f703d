//! Attempts, one after the other.

use super::records::NodeUpdate;
use super::source::Source;
use crate::engine::Sessions;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use rustle_provisioning::{Machine, Past, State};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// An attempt that waits, with the node that it is for.
pub(super) struct Planned {
    pub(super) machine: Machine,
    pub(super) node: String,
}

/// The attempts of a session and their radio.
pub(super) struct Attempts {
    source: Source,
    waiting: VecDeque<Planned>,
    current: Option<Planned>,
    count: u32,
    is_watched: bool,
    past: Past,
}

impl Attempts {
    pub(super) fn new(source: Source, planned: Vec<Planned>) -> Self {
        Self {
            source,
            count: planned.len() as u32,
            waiting: planned.into(),
            current: None,
            is_watched: false,
            past: Past::default(),
        }
    }

    /// Does all that is due, and gives each change to `report`. Returns when there is more; `None`: it has ended.
    fn run(&mut self, context: &PollContext<'_>, mut report: impl FnMut(NodeUpdate)) -> Option<Step> {
        let now = Duration::from_nanos(context.now());
        if !self.is_watched {
            self.is_watched = true;
            self.source.watch(context);
        }
        loop {
            if self.current.is_none() {
                let mut next = self.waiting.pop_front()?;
                next.machine.follow(std::mem::take(&mut self.past));
                next.machine.start(now);
                self.current = Some(next);
            }
            let place = self.count - self.waiting.len() as u32 - 1;
            let Some(Planned { machine, node }) = &mut self.current else {
                return None;
            };
            while let Some(update) = machine.next_update() {
                report(NodeUpdate::new(&update, (place, self.count), node));
            }
            if machine.is_over() {
                self.past = machine.take_past();
                self.current = None;
            } else if let Some(request) = machine.next_request() {
                self.source.radio().ask(request, now);
            } else if let Some(event) = self.source.radio().next_event(now) {
                machine.handle(event, now);
            } else if machine.deadline().is_some_and(|deadline| deadline <= now) {
                machine.tick(now);
            } else {
                let next = [machine.deadline(), self.source.radio().due()]
                    .into_iter()
                    .flatten()
                    .min();
                return Some(next.map_or(Step::Wait, |next| {
                    Step::At(u64::try_from(next.as_nanos()).unwrap_or(u64::MAX))
                }));
            }
        }
    }

    /// Ends the attempt under way; those that wait do not begin.
    fn cancel(&mut self, now: Duration) {
        self.waiting.clear();
        if let Some(current) = &mut self.current {
            current.machine.cancel(now);
        }
    }
}

/// A session of attempts.
pub(super) struct AttemptsJob {
    attempts: Attempts,
    outlet: Outlet<NodeUpdate>,
    sequence: u64,
    is_over: bool,
    /// Where a cancelled session disconnects.
    closings: Arc<Sessions>,
}

impl AttemptsJob {
    pub(super) fn new(attempts: Attempts, outlet: Outlet<NodeUpdate>, closings: Arc<Sessions>) -> Self {
        Self {
            attempts,
            outlet,
            sequence: 0,
            is_over: false,
            closings,
        }
    }
}

impl Job for AttemptsJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let mut updates = Vec::new();
        let step = self.attempts.run(context, |update| updates.push(update));
        for update in &mut updates {
            update.sequence = self.sequence;
            self.sequence += 1;
        }
        self.is_over = step.is_none();
        self.outlet.deliver(&updates, context);
        step.unwrap_or(Step::End)
    }

    fn release(self: Box<Self>, release: Release) {
        if self.is_over || self.attempts.current.is_none() || self.attempts.source.is_demo() {
            return self.outlet.release(release);
        }
        // The listener gets the end when the link is down.
        let closings = self.closings.clone();
        let mut closing = Some(ClosingJob {
            attempts: self.attempts,
            outlet: Some((self.outlet, release)),
            is_cancelled: false,
            _closings: self.closings,
        });
        let started = closings.start(|| match closing.take() {
            Some(closing) => Box::new(closing),
            None => Box::new(Ended),
        });
        if let Err(error) = started {
            tracing::error!(%error, "an attempt was cancelled and could not disconnect");
            drop(closing);
        }
    }
}

/// The way out of a cancelled session.
struct ClosingJob {
    attempts: Attempts,
    outlet: Option<(Outlet<NodeUpdate>, Release)>,
    is_cancelled: bool,
    /// Keeps it running when the engine is gone.
    _closings: Arc<Sessions>,
}

impl Job for ClosingJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if !self.is_cancelled {
            self.is_cancelled = true;
            // Its session is another one.
            self.attempts.is_watched = false;
            self.attempts.cancel(Duration::from_nanos(context.now()));
        }
        // Nothing is delivered after a cancellation: what the caller cannot see is logged.
        let noted = |update: NodeUpdate| {
            if matches!(update.state, State::Error | State::Success) && !update.is_disconnected {
                let id = &update.id;
                let node = String::from_utf8_lossy(&id.bytes[..id.length as usize]);
                tracing::warn!(%node, "the disconnection was not confirmed in its time");
            }
        };
        self.attempts.run(context, noted).unwrap_or(Step::End)
    }

    fn release(self: Box<Self>, _: Release) {
        drop(self);
    }
}

impl Drop for ClosingJob {
    fn drop(&mut self) {
        if let Some((outlet, release)) = self.outlet.take() {
            outlet.release(release);
        }
    }
}

/// In place of a job that is gone.
struct Ended;

impl Job for Ended {
    fn poll(&mut self, _: &PollContext<'_>) -> Step {
        Step::End
    }

    fn release(self: Box<Self>, _: Release) {}
}
