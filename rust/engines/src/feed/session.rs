//! A consumer of a feed, as its owner has it.

use super::consumer::Subscription;
use super::derive::Omissions;
use super::error::FeedError;
use super::hub::FeedCore;
use super::lane::FeedLane;
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

/// The link of a consumer to its feed, whatever it is handed. Clones stand for the same one.
#[derive(Clone)]
pub struct FeedLink {
    pub(super) session: Session,
    pub(super) number: u64,
    pub(super) hub: Arc<FeedCore>,
    /// What was left out, once the hub knows the consumer no more.
    pub(super) omissions: Arc<OnceLock<Omissions>>,
}

impl<T> Deref for FeedSession<T> {
    type Target = FeedLink;

    fn deref(&self) -> &FeedLink {
        &self.link
    }
}

impl FeedLink {
    /// Asks for the session's end; see [`Session::cancel`].
    pub fn cancel(&self) {
        self.session.cancel();
    }

    /// Whether the bell was told of the end.
    pub fn is_released(&self) -> bool {
        self.session.is_released()
    }

    /// Wants the symbols of `add` too, and those of `remove` no more. What a candle or a statistic has of a symbol that is
    /// removed is forgotten; what waits in the lane stays there.
    ///
    /// # Errors
    /// [`FeedError::Symbols`]; [`FeedError::Ended`]; [`FeedError::NoSymbols`] for a session of notices. Nothing is changed then.
    pub fn subscribe(&self, add: &[String], remove: &[String]) -> Result<(), FeedError> {
        check_names(add)?;
        self.hub.subscribe(self.number, add, remove)
    }

    /// Wants what `subscription` says and nothing else, in place of what was wanted before.
    ///
    /// # Errors
    /// As [`subscribe`](Self::subscribe).
    pub fn set_subscription(&self, subscription: &Subscription) -> Result<(), FeedError> {
        if let Subscription::Symbols(names) = subscription {
            check_names(names)?;
        }
        self.hub.set_subscription(self.number, subscription)
    }

    /// The name of a symbol by the number that records carry; `None` for one that is not known yet.
    pub fn symbol(&self, number: u32) -> Option<Arc<str>> {
        self.hub.name(number)
    }

    /// What was left out of candles or statistics, also after the end.
    pub fn omissions(&self) -> Omissions {
        let present = self.hub.omissions(self.number);
        present.unwrap_or_else(|| self.omissions.get().copied().unwrap_or_default())
    }
}

impl<T: Copy> FeedSession<T> {
    /// Hands out at most `most` waiting records, the longest waiting first, each with the number lost just before it. `take` is
    /// called with the lane locked, for which the source may wait with the feed locked: it must not call the feed. Returns
    /// how many there were, and what went through the lane up to and including them. Works until the session is dropped, also
    /// after its end.
    pub fn drain(&self, most: usize, take: impl FnMut(T, u32)) -> (usize, LaneStatistics) {
        self.lane.drain(most, take)
    }

    /// What went through the lane so far.
    pub fn lane_statistics(&self) -> LaneStatistics {
        self.lane.statistics()
    }
}

/// None, or well-formed and distinct.
pub(super) fn check_names(names: &[String]) -> Result<(), SymbolError> {
    if names.is_empty() {
        return Ok(());
    }
    SymbolList::new(names.iter().map(String::as_str)).map(drop)
}
