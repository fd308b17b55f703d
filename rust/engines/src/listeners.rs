//! Records on their way to the sessions that wait for them.

use crate::lock::locked_surely;
use crate::session::Session;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The records that wait for a session at most; of further ones the oldest are lost, and counted.
const MOST_WAITING: usize = 1_024;

/// The records on their way to one session.
pub(crate) struct Waiting<T> {
    records: VecDeque<T>,
    lost: u64,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            records: VecDeque::new(),
            lost: 0,
        }
    }
}

impl<T: Copy> Waiting<T> {
    fn push(&mut self, record: T) {
        if self.records.len() == MOST_WAITING {
            self.records.pop_front();
            self.lost += 1;
        }
        self.records.push_back(record);
    }

    /// Moves the records to `room`; returns the number of those that were lost before them.
    pub(crate) fn take(&mut self, room: &mut Vec<T>) -> u64 {
        room.clear();
        room.extend(self.records.drain(..));
        std::mem::take(&mut self.lost)
    }
}

/// The sessions that wait for records.
pub(crate) struct Listeners<T>(Vec<(Session, Arc<Mutex<Waiting<T>>>)>);

impl<T> Default for Listeners<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Listeners<T> {
    /// Adds a session, for a first record and those from now on.
    pub(crate) fn add(&mut self, session: Session, waiting: Arc<Mutex<Waiting<T>>>, first: Option<T>) {
        self.0.retain(|(session, _)| !session.is_released());
        if let Some(first) = first {
            locked_surely(&waiting).push(first);
            session.wake();
        }
        self.0.push((session, waiting));
    }

    /// Leaves records for every session, and wakes it.
    pub(crate) fn report(&mut self, records: &[T]) {
        if records.is_empty() {
            return;
        }
        self.0.retain(|(session, _)| !session.is_released());
        for (session, waiting) in &self.0 {
            let mut waiting = locked_surely(waiting);
            records.iter().for_each(|record| waiting.push(*record));
            session.wake();
        }
    }
}
