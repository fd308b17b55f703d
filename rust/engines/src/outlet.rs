//! The outlet of a session's records: a listener, one by one, or a lane that a consumer drains.

use crate::engine::StartError;
use crate::job::{PollContext, Release};
use crate::lane::{Doorbell, Lane, MAX_LANE_CAPACITY, Record};
use crate::ring::{LaneStatistics, Overflow};
use crate::session::Session;
use std::sync::Arc;

/// Receives every record of a session, and its end.
///
/// Both functions are called on a thread of the engine with no lock held, one at a time, in order. They should return soon:
/// other sessions wait meanwhile.
pub trait RecordListener<T>: Send {
    /// A new record.
    fn on_record(&mut self, record: &T);

    /// The session has ended. Called exactly once, as the last call, for every session that was started.
    fn on_release(self: Box<Self>, release: Release);
}

/// The delivery of a session's records.
pub enum Delivery<T> {
    /// To a listener, one by one.
    Push(Box<dyn RecordListener<T>>),
    /// In a lane that the consumer drains: its overflow policy, its capacity in records, and its bell.
    Pull(Overflow, LaneCapacity, Box<dyn Doorbell>),
}

impl<T> Delivery<T> {
    /// A lane of `capacity` records; `None` outside the range of capacities.
    pub fn pull(overflow: Overflow, capacity: usize, bell: impl Doorbell + 'static) -> Option<Self> {
        Some(Self::Pull(overflow, LaneCapacity::new(capacity)?, Box::new(bell)))
    }
}

/// The size of a lane, 1 to [`MAX_LANE_CAPACITY`] records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneCapacity(pub(crate) usize);

impl LaneCapacity {
    /// A size; `None` outside its range.
    pub fn new(records: usize) -> Option<Self> {
        (1..=MAX_LANE_CAPACITY)
            .contains(&records)
            .then_some(Self(records))
    }
}

/// A started session whose records follow its [`Delivery`]. Clones stand for the same one.
#[derive(Clone)]
pub struct LaneSession<T> {
    session: Session,
    lane: Option<Arc<Lane<T>>>,
}

impl<T: Record> LaneSession<T> {
    pub(crate) fn new(session: Session, lane: Option<Arc<Lane<T>>>) -> Self {
        Self { session, lane }
    }

    /// Requests the session's end; see [`Session::cancel`].
    pub fn cancel(&self) {
        self.session.cancel();
    }

    /// Requests a poll soon; see [`Session::wake`].
    pub(crate) fn wake(&self) {
        self.session.wake();
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Checks that the session's worker is in this process.
    ///
    /// # Errors
    /// [`StartError::Runtime`].
    pub(crate) fn check_process(&self) -> Result<(), StartError> {
        self.session.check_process().map_err(StartError::Runtime)
    }

    /// Drains at most `most` waiting records, the longest waiting first, each with the number dropped just before it. Returns how
    /// many there were, and the lane's counts up to and including them; `None` when the session pushes. Works until the session
    /// is dropped, also after its end.
    pub fn drain(&self, most: usize, take: impl FnMut(T, u32)) -> Option<(usize, LaneStatistics)> {
        self.lane.as_ref().map(|lane| lane.drain(most, take))
    }

    /// Whether the session's job was released. The listener or the bell is too, unless a thread of the session's own still works: it
    /// is released by that thread's last act.
    pub fn is_released(&self) -> bool {
        self.session.is_released()
    }

    /// The lane's counts so far; `None` when the session pushes.
    pub fn statistics(&self) -> Option<LaneStatistics> {
        self.lane.as_ref().map(|lane| lane.statistics())
    }
}

/// The destination of a session's records.
pub(crate) enum Outlet<T> {
    Push(Box<dyn RecordListener<T>>),
    Pull {
        lane: Arc<Lane<T>>,
        bell: Box<dyn Doorbell>,
    },
}

impl<T: Record> Outlet<T> {
    /// Delivers the records, in order; those of a session that is cancelled meanwhile are discarded.
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
