//! The link between a source and its consumers.

use super::consumer::{Consumer, Filter, Subscription};
use super::derive::{FeedTrade, Omissions};
use super::error::FeedError;
use super::notice::{FeedCounts, Notice, NoticeKind, NoticeText};
use crate::clock::Clock;
use crate::job::Release;
use crate::lock::{Lock, locked, locked_surely};
use crate::panic_text::into_panic_message;
use crate::session::Session;
use rustle_market::SymbolTable;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// [`Wanted`] as a source gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// Whether a consumer subscribes to all.
    pub(super) all: bool,
    /// The symbols that are subscribed to by name.
    pub(super) names: HashSet<Arc<str>>,
    /// Incremented whenever the rest may have changed.
    pub(super) version: u64,
}

/// The combined subscriptions of a feed's consumers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether a consumer subscribes to all.
    pub all: bool,
    /// The symbols that are subscribed to by name, in the order of the names' bytes.
    pub names: Vec<Arc<str>>,
    /// Higher than before whenever the rest may have changed.
    pub version: u64,
}

/// The end of a feed; an error has its reason.
pub(super) type Outcome = Result<(), String>;

/// The consumers of one source. Its lock is held for copies, and never during callbacks.
pub(super) struct FeedCore {
    clock: Arc<dyn Clock>,
    /// Set when the source panics.
    poison: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    names: Vec<Arc<str>>,
    consumers: Vec<Consumer>,
    demand_version: u64,
    outcome: Option<Outcome>,
    counts: FeedCounts,
    /// The last notice of a connection.
    connection: Option<Notice>,
    /// The source, once it runs.
    source: Option<Session>,
    /// Other sessions that await the end: servers.
    awaiting: Vec<Session>,
}

impl FeedCore {
    /// No consumers yet. Notices have the time of `clock`; `poison` is set when the source panics.
    pub(super) fn new(clock: Arc<dyn Clock>, poison: Arc<AtomicBool>) -> Self {
        Self {
            clock,
            poison,
            state: Mutex::new(State {
                names: Vec::new(),
                consumers: Vec::new(),
                demand_version: 0,
                outcome: None,
                counts: FeedCounts::default(),
                connection: None,
                source: None,
                awaiting: Vec::new(),
            }),
        }
    }

    /// The source runs as this session, which is woken from now on when the combined subscriptions change.
    pub(super) fn runs_as(&self, session: Session) {
        // What changed since its first poll has woken nobody.
        locked_surely(&self.state).source.insert(session).wake();
    }

    /// Wakes a session at the end, too.
    pub(super) fn awaits_end(&self, session: Session) {
        let state = &mut *locked_surely(&self.state);
        state.awaiting.retain(|session| !session.is_released());
        state.awaiting.push(session.clone());
        if state.outcome.is_some() {
            session.wake();
        }
    }

    /// Delivers trades to their subscribers, in order. Symbol numbers are those of `symbols`, which only grows from one call to
    /// the next.
    pub(super) fn dispatch(&self, trades: &[FeedTrade], symbols: &SymbolTable) {
        let mut woken = Vec::new();
        {
            let state = &mut *self.state();
            state.publish(symbols);
            state.counts.trades += trades.len() as u64;
            for consumer in &mut state.consumers {
                let is_ready = consumer.intake.take(trades, &consumer.filter, &state.names);
                if is_ready && consumer.is_woken {
                    woken.push(consumer.session.clone());
                }
            }
        }
        wake(woken);
    }

    /// Ends the feed: the records of the end are delivered, and every session ends, later ones too. A panic during the delivery
    /// becomes the reason of the end. Only the first end counts.
    pub(super) fn finish(&self, mut outcome: Outcome) {
        let mut woken = Vec::new();
        {
            let state = &mut *locked_surely(&self.state);
            if state.outcome.is_some() {
                return;
            }
            let handed_out = catch_unwind(AssertUnwindSafe(|| {
                for consumer in &mut state.consumers {
                    consumer.intake.finish(&state.names);
                }
            }));
            if let Err(payload) = handed_out {
                let message = into_panic_message(payload);
                outcome = Err(format!("the end of the feed panicked: {message}"));
                self.poison.store(true, Ordering::Release);
            }
            let reason = outcome.as_ref().err().map_or("", String::as_str);
            let closed = self.notice(NoticeKind::Closed, 0, 0, reason);
            state.connection = Some(closed);
            state.outcome = Some(outcome);
            woken.extend(state.consumers.iter().map(|consumer| consumer.session.clone()));
            woken.append(&mut state.awaiting);
            let noted = catch_unwind(AssertUnwindSafe(|| {
                for consumer in &mut state.consumers {
                    consumer.intake.note(&closed);
                }
            }));
            if noted.map_err(into_panic_message).is_err() {
                self.poison.store(true, Ordering::Release);
            }
        }
        wake(woken);
    }

    /// As [`finish`](Self::finish), when the source was released.
    pub(super) fn end(&self, release: Release) {
        if let Release::Panicked(_) = release {
            self.poison.store(true, Ordering::Release);
        }
        self.finish(match release {
            Release::Ended | Release::Cancelled => Ok(()),
            Release::Failed(reason) => Err(reason),
            Release::Panicked(message) => Err(format!("the source panicked: {message}")),
        });
    }

    /// The end of the feed; `None` while it runs.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.state().outcome.clone()
    }

    /// Adds a consumer. One whose session was released meanwhile is dropped.
    pub(super) fn add(&self, mut consumer: Consumer) {
        let changed = self.notice(NoticeKind::Wanted, 0, 0, "");
        let mut woken = Vec::new();
        {
            let state = &mut *locked_surely(&self.state);
            // The session's job leaves after it was marked as released, under this lock: it either finds the consumer, or is
            // seen here.
            if consumer.session.is_released() {
                return;
            }
            consumer.filter.learn(&state.names);
            let is_reported = (state.connection.as_ref()).is_some_and(|notice| consumer.intake.begin(notice));
            if state.outcome.is_some() || is_reported {
                woken.push(consumer.session.clone());
            }
            let has_symbols = consumer.intake.has_symbols();
            state.consumers.push(consumer);
            if has_symbols {
                state.demand_changed(&changed, &mut woken);
            }
        }
        wake(woken);
    }

    pub(super) fn remove(&self, number: u64) {
        let changed = self.notice(NoticeKind::Wanted, 0, 0, "");
        let mut woken = Vec::new();
        let gone = {
            let state = &mut *locked_surely(&self.state);
            let at = state
                .consumers
                .iter()
                .position(|consumer| consumer.number == number);
            let gone = at.map(|at| state.consumers.swap_remove(at));
            if let Some(gone) = &gone {
                // It is removed once.
                let _ = gone.omissions.set(gone.intake.omissions());
                if gone.intake.has_symbols() {
                    state.demand_changed(&changed, &mut woken);
                }
            }
            gone
        };
        drop(gone);
        wake(woken);
    }

    /// Changes a consumer's subscription.
    ///
    /// # Errors
    /// [`FeedError::Ended`], [`FeedError::NoSymbols`].
    pub(super) fn subscribe(&self, number: u64, add: &[String], remove: &[String]) -> Result<(), FeedError> {
        self.change(number, |consumer, names| {
            let gone = consumer.filter.remove(remove, names);
            consumer.intake.forget(&gone);
            consumer.filter.add(add, names);
        })
    }

    /// Replaces a consumer's subscription.
    ///
    /// # Errors
    /// As [`subscribe`](Self::subscribe).
    pub(super) fn set_subscription(&self, number: u64, subscription: &Subscription) -> Result<(), FeedError> {
        let mut filter = Filter::new(subscription);
        self.change(number, |consumer, names| {
            filter.learn(names);
            let symbols = 0..names.len() as u32;
            let gone: Vec<u32> = symbols
                .filter(|symbol| consumer.filter.wants(*symbol) && !filter.wants(*symbol))
                .collect();
            consumer.intake.forget(&gone);
            consumer.filter = filter;
        })
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut Consumer, &[Arc<str>])) -> Result<(), FeedError> {
        let changed = self.notice(NoticeKind::Wanted, 0, 0, "");
        let mut woken = Vec::new();
        {
            let state = &mut *self.state();
            change(State::subscriber(&mut state.consumers, number)?, &state.names);
            state.demand_changed(&changed, &mut woken);
        }
        wake(woken);
        Ok(())
    }

    /// A consumer's omissions; `None` when it has ended, and [`Consumer::omissions`] has them.
    pub(super) fn omissions(&self, number: u64) -> Option<Omissions> {
        let state = self.state();
        let consumer = state.consumers.iter().find(|consumer| consumer.number == number);
        consumer.map(|consumer| consumer.intake.omissions())
    }

    /// The combined subscriptions, if their version is not `known`.
    pub(super) fn demand(&self, known: u64) -> Option<Demand> {
        let state = self.state();
        (state.demand_version != known).then(|| state.demand())
    }

    /// The combined subscriptions.
    pub(super) fn wanted(&self) -> Wanted {
        let demand = self.state().demand();
        let mut names: Vec<Arc<str>> = demand.names.into_iter().collect();
        names.sort_unstable();
        Wanted {
            all: demand.all,
            names,
            version: demand.version,
        }
    }

    /// The number of trades that every lossless consumer has room for.
    pub(super) fn room(&self) -> usize {
        let state = self.state();
        let rooms = state.consumers.iter().map(|consumer| consumer.intake.room());
        rooms.min().unwrap_or(usize::MAX)
    }

    /// The name of a symbol, which stays the same.
    pub(super) fn name(&self, symbol: u32) -> Option<Arc<str>> {
        self.state().names.get(symbol as usize).cloned()
    }

    /// Counts events of a source.
    pub(super) fn count(&self, change: impl FnOnce(&mut FeedCounts)) {
        change(&mut self.state().counts);
    }

    /// Sends a notice of the source to its listeners; the numbers are those of a [`Notice`].
    pub(super) fn report(&self, kind: NoticeKind, count: u64, failures: u32, text: &str) {
        let notice = self.notice(kind, count, failures, text);
        let mut woken = Vec::new();
        {
            let state = &mut *self.state();
            // Nothing follows the end.
            if state.outcome.is_some() {
                return;
            }
            if kind.is_of_connection() {
                state.connection = Some(notice);
            }
            for consumer in &mut state.consumers {
                if consumer.intake.note(&notice) {
                    woken.push(consumer.session.clone());
                }
            }
        }
        wake(woken);
    }

    /// The last notice of a connection.
    pub(super) fn connection(&self) -> Option<Notice> {
        self.state().connection
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub(super) fn wall_ns(&self) -> i64 {
        self.clock.wall_ms().saturating_mul(1_000_000)
    }

    fn notice(&self, kind: NoticeKind, count: u64, failures: u32, text: &str) -> Notice {
        Notice {
            kind,
            count,
            failures,
            time_ns: self.wall_ns(),
            text: NoticeText::new(text),
        }
    }

    /// The source's counts so far.
    pub(super) fn counts(&self) -> FeedCounts {
        self.state().counts
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state, Lock::FeedCore)
    }
}

/// Wakes sessions, once the lock is free.
fn wake(sessions: Vec<Session>) {
    for session in sessions {
        session.wake();
    }
}

impl State {
    fn demand(&self) -> Demand {
        let mut demand = Demand {
            version: self.demand_version,
            ..Demand::default()
        };
        for consumer in &self.consumers {
            match Filter::names(&consumer.filter) {
                None => demand.all = true,
                Some(names) => demand.names.extend(names.iter().cloned()),
            }
        }
        demand
    }

    /// Notifies listeners that the combined subscriptions may have changed.
    fn demand_changed(&mut self, notice: &Notice, woken: &mut Vec<Session>) {
        self.demand_version += 1;
        if self.outcome.is_some() {
            return;
        }
        woken.extend(self.source.clone());
        for consumer in &mut self.consumers {
            if consumer.intake.note(notice) {
                woken.push(consumer.session.clone());
            }
        }
    }

    /// The consumer of this number, if it has symbols.
    fn subscriber(consumers: &mut [Consumer], number: u64) -> Result<&mut Consumer, FeedError> {
        let found = consumers.iter_mut().find(|consumer| consumer.number == number);
        match found {
            None => Err(FeedError::Ended),
            Some(consumer) if consumer.intake.has_symbols() => Ok(consumer),
            Some(_) => Err(FeedError::NoSymbols),
        }
    }

    fn publish(&mut self, symbols: &SymbolTable) {
        let known = self.names.len();
        if symbols.len() == known {
            return;
        }
        self.names
            .extend((known as u32..symbols.len() as u32).filter_map(|number| symbols.shared_name(number)));
        for consumer in &mut self.consumers {
            consumer.filter.learn(&self.names);
        }
    }
}
