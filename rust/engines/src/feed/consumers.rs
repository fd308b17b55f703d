//! The start of consumers, which a feed and its servers share.

use super::consumer::{Consumer, ConsumerJob, Filter, Intake, Pipe, Sampling, Subscription, Wait};
use super::derive::{Derive, FeedTrade, Trades};
use super::error::FeedError;
use super::hub::FeedCore;
use super::lane::FeedLane;
use super::policy::Policy;
use super::session::{FeedLink, FeedSession, check_names};
use crate::clock::Clock;
use crate::engine::Sessions;
use crate::lane::Doorbell;
use crate::lane::Record;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The state that a feed and its servers share.
pub(super) struct Consumers {
    pub(super) sessions: Sessions,
    /// The servers and their clients.
    pub(super) servers: Sessions,
    pub(super) hub: Arc<FeedCore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) numbers: AtomicU64,
    /// Whether the source asks for room.
    pub(super) source_waits: bool,
}

impl Consumers {
    pub(super) fn trades(
        &self,
        subscription: &Subscription,
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<FeedTrade>, FeedError> {
        self.start(subscription, policy, Trades, bell)
    }

    pub(super) fn start<T: Record + 'static>(
        &self,
        subscription: &Subscription,
        policy: Policy,
        derive: impl Derive<T> + 'static,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<T>, FeedError> {
        if let Subscription::Symbols(names) = subscription {
            check_names(names)?;
            #[cfg(feature = "faults")]
            crate::faults::symbols_are_wanted(names.iter().map(String::as_str));
        }
        policy.check()?;
        let (overflow, capacity) = policy.overflow();
        let is_sampled = matches!(policy, Policy::Sampled { .. });
        let lane = Arc::new(FeedLane::new(overflow, capacity, is_sampled)?);
        let intake = Box::new(Pipe {
            derive: Box::new(derive),
            lane: lane.clone(),
            wait: match policy {
                Policy::Lossless { capacity } if self.source_waits => Wait::Always(capacity),
                Policy::Lossless { .. } => Wait::AtTheEnd,
                Policy::Buffered { .. } | Policy::Conflated | Policy::Sampled { .. } => Wait::Never,
            },
            records: Vec::new(),
        });
        self.start_with(lane, intake, Filter::new(subscription), policy, bell)
    }

    pub(super) fn start_with<T: Record + 'static>(
        &self,
        lane: Arc<FeedLane<T>>,
        intake: Box<dyn Intake>,
        filter: Filter,
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<T>, FeedError> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let sampling = match policy {
            Policy::Sampled { interval } => Some(Sampling { interval, next: None }),
            _ => None,
        };
        let omissions = Arc::new(OnceLock::new());
        let session = self.sessions.start(|| {
            Box::new(ConsumerJob {
                hub: self.hub.clone(),
                number,
                lane: lane.clone(),
                sampling,
                bell: Box::new(bell),
            })
        })?;
        self.hub.add(Consumer {
            number,
            filter,
            intake,
            session: session.clone(),
            is_woken: !matches!(policy, Policy::Sampled { .. }),
            omissions: omissions.clone(),
        });
        let hub = self.hub.clone();
        let link = FeedLink {
            session,
            number,
            hub,
            omissions,
        };
        Ok(FeedSession { link, lane })
    }
}
