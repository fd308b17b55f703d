//! The job that the sessions of a receiver share.

use super::hearing::Hearing;
use super::records::Changes;
use crate::dmx::station::Audience;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use std::sync::{Arc, Mutex};

/// Reads packets, and reports to the sessions what changed.
pub(super) struct ReceiverJob {
    pub(super) hearing: Arc<Mutex<Hearing>>,
    pub(super) audience: Arc<Audience<Changes>>,
    pub(super) changes: Changes,
    pub(super) is_over: bool,
}

impl Job for ReceiverJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if self.audience.is_gone() {
            self.is_over = true;
            return Step::End;
        }
        let mut hearing = locked(&self.hearing, Lock::Hearing);
        if let Err(error) = hearing.watch(context) {
            return Step::Fail(format!("a socket is not watched: {error}"));
        }
        let (now, time_ns) = (context.now(), context.wall_ms().saturating_mul(1_000_000));
        let has_more = hearing.read(now);
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
        locked_surely(&self.hearing).close();
        if !self.is_over {
            self.audience.end(release);
        }
    }
}
