//! External trades: the host delivers them, from a protocol that it implements.

use super::FeedEngine;
use super::error::FeedError;
use super::hub::{FeedCore, Outcome};
use super::intake::{Reader, TradeIntake};
use super::notice::NoticeKind;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use crate::panic_text::panic_message;
use crate::session::Session;
use rustle_market::{Format, Schema, SymbolTable, Trade};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

/// The bytes that are read between two checks for room; the trades of as many may wait.
const PIECE: usize = 16 * 1_024;

/// The range of the message limit, in bytes.
pub const MESSAGE_LIMITS: RangeInclusive<usize> = 1..=16 * 1_024 * 1_024;

/// An external source: the host delivers its bytes by [`FeedEngine::push`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalConfiguration {
    /// The format of the bytes.
    pub format: Format,
    /// The mapping of messages, one per line, to trades.
    pub schema: Schema,
    /// The most bytes of a message, within [`MESSAGE_LIMITS`]; a longer one is counted and skipped.
    pub message_limit: usize,
    /// Whether the sequence numbers of its trades restart with each connection that the host reports; they are delivered as if
    /// they continued.
    pub restarts_numbers: bool,
}

/// A report of the host on its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostNews {
    /// The host is connecting, after this many consecutive failed attempts.
    Connecting {
        /// Consecutive failed attempts.
        failures: u32,
    },
    /// The host is connected. An incomplete line is dropped.
    Connected,
    /// The connection was refused or lost.
    Disconnected {
        /// The wait before the next attempt, in ms.
        retry_ms: u64,
        /// Consecutive failed attempts.
        failures: u32,
    },
    /// There will be no more connections, for the given reason if it is not empty: the feed ends once all pushed trades are
    /// delivered.
    Closed,
    /// The source has begun to number anew: its trades are delivered as if their numbers continued.
    Renumbered,
}

/// The state that the host's calls and the source's job share.
pub(super) struct External {
    hub: Arc<FeedCore>,
    restarts_numbers: bool,
    state: Mutex<State>,
}

struct State {
    gate: TradeIntake,
    reader: Reader,
    /// The trades that were read; those before `given` were delivered.
    trades: Vec<Trade>,
    given: usize,
    /// Whether numbers restart behind the trades that wait.
    restarts: bool,
    /// Whether bytes were refused since room was last reported.
    is_refused: bool,
    is_running: bool,
    /// The end that the host reported.
    outcome: Option<Outcome>,
    /// The session to wake when trades wait.
    session: Option<Session>,
}

impl External {
    /// # Errors
    /// [`FeedError::MessageLimit`].
    pub(super) fn new(configuration: &ExternalConfiguration, hub: Arc<FeedCore>) -> Result<Self, FeedError> {
        let limit = configuration.message_limit;
        if !MESSAGE_LIMITS.contains(&limit) {
            return Err(FeedError::MessageLimit { got: limit });
        }
        let schema = configuration.schema.clone();
        Ok(Self {
            restarts_numbers: configuration.restarts_numbers,
            state: Mutex::new(State {
                gate: TradeIntake::new(hub.clone(), SymbolTable::new()),
                reader: Reader::new(hub.clone(), configuration.format, schema, limit),
                trades: Vec::new(),
                given: 0,
                restarts: false,
                is_refused: false,
                is_running: false,
                outcome: None,
                session: None,
            }),
            hub,
        })
    }

    /// The job runs as this session.
    pub(super) fn runs_as(&self, session: Session) {
        // Earlier bytes have woken nothing; later ones find this waker.
        locked_surely(&self.state).session.insert(session).wake();
    }

    /// Runs a call of the host on the pushed bytes. A panic ends the feed: how much was delivered is unknown then.
    ///
    /// # Errors
    /// [`FeedError::Ended`], and those of `work`.
    fn alone<T>(&self, work: impl FnOnce(&mut State) -> Result<T, FeedError>) -> Result<T, FeedError> {
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let state = &mut *locked(&self.state, Lock::External);
            if state.outcome.is_some() || self.hub.outcome().is_some() {
                return Err(FeedError::Ended);
            }
            work(state)
        }));
        worked.unwrap_or_else(|payload| {
            self.hub
                .end(Release::Panicked(panic_message(&*payload).to_owned()));
            resume_unwind(payload)
        })
    }

    fn push(&self, bytes: &[u8]) -> Result<usize, FeedError> {
        self.alone(|state| Ok(self.push_to(state, bytes)))
    }

    fn push_to(&self, state: &mut State, bytes: &[u8]) -> usize {
        let mut taken = 0;
        if state.is_running {
            state.give(&self.hub);
            while !state.waits() && taken < bytes.len() {
                let piece = &bytes[taken..bytes.len().min(taken + PIECE)];
                state.reader.read(piece, &mut state.gate, &mut state.trades);
                taken += piece.len();
                state.give(&self.hub);
            }
            if let Some(reason) = state.reader.failure() {
                let reason = reason.to_owned();
                state.outcome.get_or_insert(Err(reason));
                state.wake_if(true);
            }
        }
        state.is_refused |= taken < bytes.len();
        state.wake_if(state.waits());
        taken
    }

    fn report(&self, news: HostNews, text: &str) -> Result<(), FeedError> {
        self.alone(|state| {
            self.report_of(state, news, text);
            Ok(())
        })
    }

    fn report_of(&self, state: &mut State, news: HostNews, text: &str) {
        match news {
            HostNews::Connecting { failures } => self.hub.report(NoticeKind::Connecting, 0, failures, text),
            HostNews::Connected => {
                state.reader.reset();
                state.restarts |= self.restarts_numbers;
                state.give(&self.hub);
                self.hub.count(|counts| counts.connections += 1);
                self.hub.report(NoticeKind::Connected, 0, 0, text);
            }
            HostNews::Disconnected { retry_ms, failures } => {
                self.hub.count(|counts| counts.disconnections += 1);
                self.hub
                    .report(NoticeKind::Disconnected, retry_ms, failures, text);
            }
            HostNews::Renumbered => {
                state.restarts = true;
                state.give(&self.hub);
                self.hub.report(NoticeKind::Renumbered, 0, 0, text);
            }
            HostNews::Closed => {
                state.reader.finish(&mut state.gate, &mut state.trades);
                state.outcome = Some(if text.is_empty() {
                    Ok(())
                } else {
                    Err(text.to_owned())
                });
                state.wake_if(true);
            }
        }
    }
}

impl State {
    /// Delivers the trades that there is room for.
    fn give(&mut self, hub: &FeedCore) {
        let end = self.trades.len().min(self.given.saturating_add(hub.room()));
        self.gate.pass(&self.trades[self.given..end], hub.wall_ns());
        self.given = end;
        if !self.waits() {
            self.trades.clear();
            self.given = 0;
            if std::mem::take(&mut self.restarts) {
                self.gate.restart();
            }
        }
    }

    fn waits(&self) -> bool {
        self.given < self.trades.len()
    }

    fn wake_if(&self, is_due: bool) {
        if is_due && let Some(session) = &self.session {
            session.wake();
        }
    }
}

/// Delivers the trades that the host's call found no room for.
pub(super) struct PushedJob(pub(super) Arc<External>);

impl Job for PushedJob {
    fn poll(&mut self, _: &PollContext<'_>) -> Step {
        let hub = &self.0.hub;
        if hub.outcome().is_some() {
            return Step::End;
        }
        let (step, has_room) = {
            let state = &mut *locked(&self.0.state, Lock::External);
            state.is_running = true;
            state.give(hub);
            while state.waits() && hub.room_or_wake() > 0 {
                state.give(hub);
            }
            match (&state.outcome, state.waits()) {
                (_, true) => (Step::Wait, false),
                (None, false) => (Step::Wait, std::mem::take(&mut state.is_refused)),
                (Some(Ok(())), false) => (Step::End, false),
                (Some(Err(reason)), false) => (Step::Fail(reason.clone()), false),
            }
        };
        if has_room {
            hub.report(NoticeKind::Room, 0, 0, "");
        }
        step
    }

    fn release(self: Box<Self>, release: Release) {
        self.0.hub.end(release);
    }
}

impl FeedEngine {
    /// Takes the next bytes of an [`ExternalConfiguration`] source, and returns how many it took: fewer when a lossless consumer
    /// has no room ([`Policy::Lossless`](super::Policy::Lossless)), none before [`run`](Self::run).
    /// [`Notices::Room`](super::Notices::Room) reports that there is room for the rest. The waiting data is bounded: the trades
    /// of 16 KiB, and one message. Concurrent calls mix their bytes.
    ///
    /// # Errors
    /// [`FeedError::NotExternal`]; [`FeedError::Ended`] when the feed was closed, was shut down or has ended; [`FeedError::Runtime`] in a fork.
    pub fn push(&self, bytes: &[u8]) -> Result<usize, FeedError> {
        self.external()?.push(bytes)
    }

    /// Reports the host's connection to the consumers of an [`ExternalConfiguration`] source. `text` is the address or the
    /// reason.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn report(&self, news: HostNews, text: &str) -> Result<(), FeedError> {
        self.external()?.report(news, text)
    }

    fn external(&self) -> Result<&External, FeedError> {
        self.source.check_process()?;
        let external = self.external.as_ref().ok_or(FeedError::NotExternal)?;
        // A source that never ran has no job whose release ends the feed.
        if self.source.is_shut_down() {
            return Err(FeedError::Ended);
        }
        Ok(external)
    }
}
