//! Where a session's records go: to a listener one by one, or into a lane that a consumer drains.

use crate::job::{PollContext, Release};
use crate::lane::{Doorbell, Lane, Record};
use std::sync::Arc;

/// Hears every record of a session, and its end.
///
/// Both functions are called on a thread of the engine with no lock held, one at a time, in order. They should return soon:
/// other sessions wait meanwhile.
pub trait RecordListener<T>: Send {
    /// A new record.
    fn on_record(&mut self, record: &T);

    /// The session is over. Called exactly once, as the last call, for every session that was started.
    fn on_release(self: Box<Self>, release: Release);
}

/// Where the records of a session go.
pub(crate) enum Outlet<T> {
    Push(Box<dyn RecordListener<T>>),
    Pull {
        lane: Arc<Lane<T>>,
        bell: Box<dyn Doorbell>,
    },
}

impl<T: Record> Outlet<T> {
    /// Hands the records on, in order; those of a session that is cancelled meanwhile are of no use to anybody.
    pub(crate) fn deliver(&mut self, records: &[T], context: &PollContext<'_>) {
        match self {
            Self::Push(listener) => {
                for record in records {
                    if context.is_cancelled() {
                        return;
                    }
                    listener.on_record(record);
                }
            }
            Self::Pull { lane, bell } => {
                if lane.push_all(records) {
                    bell.on_ready();
                }
            }
        }
    }

    pub(crate) fn release(self, release: Release) {
        match self {
            Self::Push(listener) => listener.on_release(release),
            Self::Pull { bell, .. } => bell.on_release(release),
        }
    }
}
