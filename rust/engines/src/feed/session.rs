//! The owner's handle of a feed's consumer.

use super::consumer::Subscription;
use super::derive::Omissions;
use super::error::FeedError;
use super::hub::FeedCore;
use super::lane::FeedLane;
use crate::engine::StartError;
use crate::ring::LaneStatistics;
use crate::session::Session;
use rustle_market::{SymbolError, SymbolList};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A consumer of a feed, and its lane.
pub struct FeedSession<T> {
    pub(super) link: FeedLink,
    pub(super) lane: Arc<FeedLane<T>>,
}

/// The link of a consumer to its feed, of any record type. Clones stand for the same one.
#[derive(Clone)]
pub struct FeedLink {
    pub(super) session: Session,
    pub(super) number: u64,
    pub(super) hub: Arc<FeedCore>,
    /// The omissions, once the hub has removed the consumer.
    pub(super) omissions: Arc<OnceLock<Omissions>>,
}

impl<T> Deref for FeedSession<T> {
    type Target = FeedLink;

    fn deref(&self) -> &FeedLink {
        &self.link
    }
}

impl FeedLink {
    /// Requests the session's end; see [`Session::cancel`].
    pub fn cancel(&self) {
        self.session.cancel();
    }

    /// Whether the bell was released.
    pub fn is_released(&self) -> bool {
        self.session.is_released()
    }

    /// Subscribes to the symbols of `add`, and unsubscribes from those of `remove`. Candles and statistics of a removed symbol
    /// are discarded; records in the lane stay there.
    ///
    /// # Errors
    /// [`FeedError::Symbols`]; [`FeedError::Ended`]; [`FeedError::NoSymbols`] for a session of notices; [`FeedError::Runtime`] in
    /// a fork. The subscription is unchanged then.
    pub fn subscribe(&self, add: &[String], remove: &[String]) -> Result<(), FeedError> {
        self.check_process()?;
        check_names(add)?;
        self.hub.subscribe(self.number, add, remove)
    }

    /// Replaces the subscription by `subscription`.
    ///
    /// # Errors
    /// As [`subscribe`](Self::subscribe).
    pub fn set_subscription(&self, subscription: &Subscription) -> Result<(), FeedError> {
        self.check_process()?;
        if let Subscription::Symbols(names) = subscription {
            check_names(names)?;
        }
        self.hub.set_subscription(self.number, subscription)
    }

    fn check_process(&self) -> Result<(), StartError> {
        self.session.check_process().map_err(StartError::Runtime)
    }

    /// The name of a symbol by the number that records carry; `None` for one that is not known yet.
    pub fn symbol(&self, number: u32) -> Option<Arc<str>> {
        self.hub.name(number)
    }

    /// The trades that were left out of candles or statistics, also after the end.
    pub fn omissions(&self) -> Omissions {
        let present = self.hub.omissions(self.number);
        present.unwrap_or_else(|| self.omissions.get().copied().unwrap_or_default())
    }
}

impl<T: Copy> FeedSession<T> {
    /// Drains at most `most` waiting records, the longest waiting first, each with the number dropped just before it. `take` is
    /// called with the lane locked, for which the source may wait with the feed locked: it must not call the feed. Returns how
    /// many there were, and the lane's counts up to and including them. Works until the session is dropped, also after its end.
    pub fn drain(&self, most: usize, take: impl FnMut(T, u32)) -> (usize, LaneStatistics) {
        let drained = self.lane.drain(most, take);
        // In a fork there is no source, but perhaps a lock that is never released.
        if drained.0 > 0 && self.hub.awaits_room() && self.session.check_process().is_ok() {
            self.hub.has_room();
        }
        drained
    }

    /// The lane's counts so far.
    pub fn lane_statistics(&self) -> LaneStatistics {
        self.lane.statistics()
    }
}

/// An empty list, or well-formed and distinct symbols.
pub(super) fn check_names(names: &[String]) -> Result<(), SymbolError> {
    if names.is_empty() {
        return Ok(());
    }
    SymbolList::new(names.iter().map(String::as_str)).map(drop)
}
