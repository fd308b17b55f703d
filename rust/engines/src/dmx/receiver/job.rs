//! The job that the sessions of a receiver share.

use super::hearing::Hearing;
use super::records::Changes;
use crate::dmx::station::Audience;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use std::sync::{Arc, Mutex};

/// The successive polls that only read, at most: 8,192 packets, or four times as many of those that are put in order.
const MOST_UNJUDGED: u32 = 7;

/// Reads packets, and reports to the sessions what changed.
pub(super) struct ReceiverJob {
    pub(super) hearing: Arc<Mutex<Hearing>>,
    pub(super) audience: Arc<Audience<Changes>>,
    pub(super) changes: Changes,
    pub(super) is_over: bool,
    /// The successive polls that only read.
    pub(super) unjudged: u32,
}

impl Job for ReceiverJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if let Some(step) = self.audience.idle_step() {
            self.is_over = matches!(step, Step::End);
            return step;
        }
        let mut hearing = locked(&self.hearing, Lock::Hearing);
        if let Err(error) = hearing.watch(context) {
            return Step::Fail(format!("a socket is not watched: {error}"));
        }
        let (now, time_ns) = (context.now(), context.wall_ms().saturating_mul(1_000_000));
        let has_more = hearing.read(now);
        // After a stall, what waits in the sockets is heard before anybody is taken for lost.
        self.unjudged = if has_more { self.unjudged + 1 } else { 0 };
        if (1..=MOST_UNJUDGED).contains(&self.unjudged) {
            return Step::At(now);
        }
        self.unjudged = 0;
        hearing.take_changes(now, time_ns, &mut self.changes);
        hearing.answer(now);
        self.audience.report(&self.changes);
        self.audience.greet(|| hearing.present(time_ns));
        match hearing.next_ns() {
            _ if has_more => Step::At(now),
            Some(next) => Step::At(next),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        // Before anybody hears of the end.
        locked_surely(&self.hearing).close();
        if !self.is_over {
            self.audience.end(release);
        }
    }
}

/// Also of a job that was never started.
impl Drop for ReceiverJob {
    fn drop(&mut self) {
        locked_surely(&self.hearing).close();
    }
}
