//! What is reported to sessions.

use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::lock::locked_surely;
use crate::outlet::Outlet;
use crate::session::Session;
use rustle_tempo::beats::HostTime;
use rustle_tempo::link::{Event, Snapshot};
use std::sync::{Arc, Mutex};

/// The changes that wait for a session at most; of further ones the oldest are lost, and the numbers show it.
const MOST_WAITING: usize = 1_024;

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

/// The changes on their way to one session.
#[derive(Default)]
pub(super) struct Waiting {
    events: Vec<LinkEvent>,
    sequence: u64,
}

impl Waiting {
    fn push(&mut self, mut event: LinkEvent) {
        event.sequence = self.sequence;
        self.sequence += 1;
        if self.events.len() == MOST_WAITING {
            self.events.remove(0);
        }
        self.events.push(event);
    }
}

/// The sessions of a member.
#[derive(Default)]
pub(super) struct Listeners(Vec<(Session, Arc<Mutex<Waiting>>)>);

impl Listeners {
    pub(super) fn add(&mut self, session: Session, waiting: Arc<Mutex<Waiting>>, state: LinkEvent) {
        self.0.retain(|(session, _)| !session.is_released());
        locked_surely(&waiting).push(state);
        session.wake();
        self.0.push((session, waiting));
    }

    pub(super) fn report(&mut self, events: &[LinkEvent]) {
        if events.is_empty() {
            return;
        }
        self.0.retain(|(session, _)| !session.is_released());
        for (session, waiting) in &self.0 {
            let mut waiting = locked_surely(waiting);
            events.iter().for_each(|event| waiting.push(*event));
            session.wake();
        }
    }
}

/// Hands a session what waits for it.
pub(super) struct EventsJob {
    pub(super) waiting: Arc<Mutex<Waiting>>,
    pub(super) outlet: Outlet<LinkEvent>,
    pub(super) taken: Vec<LinkEvent>,
}

impl Job for EventsJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.taken.clear();
        std::mem::swap(&mut locked_surely(&self.waiting).events, &mut self.taken);
        self.outlet.deliver(&self.taken, context);
        Step::Wait
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}
