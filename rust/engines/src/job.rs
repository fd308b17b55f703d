//! The jobs that engines run on the runtime.

use crate::clock::{Clock, Nanoseconds};
use crate::io::Io;
use crate::schedule::Skipped;
use crate::session::Session;
use std::cell::Cell;

/// The next step of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Poll again at this time, or at once when it has passed.
    At(Nanoseconds),
    /// Poll again when [`Session::wake`] is called.
    Wait,
    /// Release: the job has come to its natural end.
    End,
    /// Release: the job cannot continue, for this reason. The engine is intact and starts further sessions.
    Fail(String),
}

/// The reason of a job's release, the last event of its listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Release {
    /// The job reached its natural end.
    Ended,
    /// The session was cancelled, its engine was shut down, or the runtime was dropped.
    Cancelled,
    /// The job cannot continue, for the given reason.
    Failed(String),
    /// The job panicked, with this message.
    Panicked(String),
}

/// The context of a poll.
pub struct PollContext<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) session: &'a Session,
    pub(crate) held_up: &'a HeldUp,
    pub(crate) io: &'a Io,
}

/// The jobs of a turn that were so far behind that they continue from the present, for a common report: a delay of one mostly
/// concerns all.
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

    /// Returns their number and the largest lag, and resets both.
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

    /// Records that the job was so far behind that it continues from the present.
    pub(crate) fn was_held_up(&self, skipped: Skipped) {
        self.held_up.add(skipped.lag);
    }

    /// Whether the session was cancelled meanwhile: a job with a batch to deliver checks between its elements.
    pub fn is_cancelled(&self) -> bool {
        self.session.is_cancelled()
    }
}

/// One session's work: a state machine that is polled at the times it asks for, always by one thread at a time.
///
/// The runtime calls [`poll`](Job::poll) and [`release`](Job::release) with no lock held; both may start, cancel and free
/// other sessions, and cancel their own.
pub trait Job: Send {
    /// Does due work and returns the next step. A panic in here releases the job with its message.
    fn poll(&mut self, context: &PollContext<'_>) -> Step;

    /// Ends the job. Called exactly once for every job that was started; nothing is called after it.
    fn release(self: Box<Self>, release: Release);
}
