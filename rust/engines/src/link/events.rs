//! What is reported to sessions.

use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::listeners::Waiting;
use crate::lock::locked_surely;
use crate::outlet::Outlet;
use rustle_tempo::beats::HostTime;
use rustle_tempo::link::{Event, Snapshot};
use std::sync::{Arc, Mutex};

/// A change of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// Its number in the session: 0, 1, 2 …
    pub sequence: u64,
    /// When.
    pub host: HostTime,
    /// What changed; `None` for the state with which a session begins.
    pub change: Option<Event>,
    /// The state after it.
    pub snapshot: Snapshot,
}

impl Record for LinkEvent {}

/// Hands a session what waits for it.
pub(super) struct EventsJob {
    pub(super) waiting: Arc<Mutex<Waiting<LinkEvent>>>,
    pub(super) outlet: Outlet<LinkEvent>,
    pub(super) taken: Vec<LinkEvent>,
    pub(super) sequence: u64,
}

impl Job for EventsJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.sequence += locked_surely(&self.waiting).take(&mut self.taken);
        for event in &mut self.taken {
            event.sequence = self.sequence;
            self.sequence += 1;
        }
        self.outlet.deliver(&self.taken, context);
        Step::Wait
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}
