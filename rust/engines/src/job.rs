//! What an engine gives the runtime to run.

use crate::clock::{Clock, Nanoseconds};
use crate::schedule::Skipped;
use crate::session::Session;
use std::cell::Cell;

/// What a job wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To be polled again at this time, or at once when it has passed.
    At(Nanoseconds),
    /// To be polled again when [`Session::wake`] is called.
    Wait,
    /// To be released: it has come to its natural end.
    End,
    /// To be released: it cannot go on, for this reason. The engine is sound and starts further sessions.
    Fail(String),
}

/// Why a job is released. It is the last thing that its listener hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Release {
    /// The job came to its natural end.
    Ended,
    /// The session was cancelled, its engine was shut down, or the runtime was dropped.
    Cancelled,
    /// The job cannot go on, for the reason given.
    Failed(String),
    /// The job panicked, with this message.
    Panicked(String),
}

/// What a job may use while it is polled.
pub struct PollContext<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) session: &'a Session,
    pub(crate) held_up: &'a HeldUp,
}

/// The jobs of a turn that were so far behind that they go on from the present, to be told of together: what holds one up
/// mostly holds up all.
#[derive(Debug, Default)]
pub(crate) struct HeldUp {
    jobs: Cell<u64>,
    largest_lag: Cell<Nanoseconds>,
}

impl HeldUp {
    fn add(&self, lag: Nanoseconds) {
        self.jobs.set(self.jobs.get() + 1);
        self.largest_lag.set(self.largest_lag.get().max(lag));
    }

    /// How many there were, and the largest lag; forgets them.
    pub(crate) fn take(&self) -> Option<(u64, Nanoseconds)> {
        let (jobs, lag) = (self.jobs.take(), self.largest_lag.take());
        (jobs > 0).then_some((jobs, lag))
    }
}

impl PollContext<'_> {
    /// The present time.
    pub fn now(&self) -> Nanoseconds {
        self.clock.now()
    }

    /// The present wall-clock time in milliseconds since 1970-01-01T00:00:00Z.
    pub fn wall_ms(&self) -> i64 {
        self.clock.wall_ms()
    }

    /// Notes that the job was so far behind that it goes on from the present.
    pub(crate) fn was_held_up(&self, skipped: Skipped) {
        self.held_up.add(skipped.lag);
    }

    /// Whether the session was cancelled meanwhile: a job with a batch to deliver asks between its elements.
    pub fn is_cancelled(&self) -> bool {
        self.session.is_cancelled()
    }
}

/// One session's work: a state machine that is polled at the times it asks for, always by one thread at a time.
///
/// The runtime calls [`poll`](Job::poll) and [`release`](Job::release) with no lock held; both may start, cancel and free
/// other sessions, and cancel their own.
pub trait Job: Send {
    /// Does what is due and says when there is more to do. A panic in here releases the job with its message.
    fn poll(&mut self, context: &PollContext<'_>) -> Step;

    /// Ends the job. Called exactly once for every job that was started; nothing is called after it.
    fn release(self: Box<Self>, release: Release);
}
