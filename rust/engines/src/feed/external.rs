//! Trades that the host hands over, from a protocol that it speaks itself.

use super::FeedEngine;
use super::error::FeedError;
use super::hub::{FeedCore, Outcome};
use super::intake::{Reader, TradeIntake};
use super::notice::NoticeKind;
use super::source::REST;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use crate::panic_text::panic_message;
use crate::session::Session;
use rustle_market::{Format, Schema, SymbolTable, Trade};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

/// How much is read before there is another look for room; the trades of so much may wait.
const PIECE: usize = 16 * 1_024;

/// The bytes that a message may have at most, as the host chooses.
pub const MESSAGE_LIMITS: RangeInclusive<usize> = 1..=16 * 1_024 * 1_024;

/// A source whose bytes the host brings, by [`FeedEngine::push`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalConfiguration {
    /// What the bytes are.
    pub format: Format,
    /// How messages, one a line, make trades.
    pub schema: Schema,
    /// The most bytes of a message, within [`MESSAGE_LIMITS`]; a longer one is counted and skipped.
    pub message_limit: usize,
    /// Whether the numbers of its trades begin anew with each connection that the host tells of; they are handed over as if they
    /// went on.
    pub restarts_numbers: bool,
}

/// What the host says of the connection that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostNews {
    /// It is being made; so many attempts in a row have failed.
    Connecting {
        /// Attempts that failed.
        failures: u32,
    },
    /// It stands. A line that has begun is dropped.
    Connected,
    /// It was refused or lost.
    Disconnected {
        /// How long passes before the next attempt, in ms.
        retry_ms: u64,
        /// Attempts in a row that failed.
        failures: u32,
    },
    /// There will be no more, for the reason given if it is not empty: the feed comes to its end once what was pushed has been
    /// handed over.
    Closed,
}

/// What the host's calls and the source's job share.
pub(super) struct External {
    hub: Arc<FeedCore>,
    restarts_numbers: bool,
    state: Mutex<State>,
}

struct State {
    gate: TradeIntake,
    reader: Reader,
    /// Read, of which those before `given` were handed over.
    trades: Vec<Trade>,
    given: usize,
    /// Whether bytes were refused since room was told of.
    is_refused: bool,
    is_running: bool,
    /// How the host ended it.
    outcome: Option<Outcome>,
    /// To be woken when something waits.
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
        // What came before has woken nobody; what comes from now on finds whom to wake.
        locked_surely(&self.state).session.insert(session).wake();
    }

    /// Lets the host work on what it pushed. A panic ends the feed: what was handed over then is not known.
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
                if self.restarts_numbers {
                    state.gate.restart();
                }
                self.hub.count(|counts| counts.connections += 1);
                self.hub.report(NoticeKind::Connected, 0, 0, text);
            }
            HostNews::Disconnected { retry_ms, failures } => {
                self.hub.count(|counts| counts.disconnections += 1);
                self.hub
                    .report(NoticeKind::Disconnected, retry_ms, failures, text);
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
    /// Hands over what there is room for.
    fn give(&mut self, hub: &FeedCore) {
        let end = self.trades.len().min(self.given.saturating_add(hub.room()));
        self.gate.pass(&self.trades[self.given..end], hub.wall_ns());
        self.given = end;
        if !self.waits() {
            self.trades.clear();
            self.given = 0;
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

/// Hands over what the host's call found no room for.
pub(super) struct PushedJob(pub(super) Arc<External>);

impl Job for PushedJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let hub = &self.0.hub;
        if hub.outcome().is_some() {
            return Step::End;
        }
        let (step, has_room) = {
            let state = &mut *locked(&self.0.state, Lock::External);
            state.is_running = true;
            state.give(hub);
            match (&state.outcome, state.waits()) {
                (_, true) => (Step::At(context.now().saturating_add(REST)), false),
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
    /// Takes in the next bytes of a [`ExternalConfiguration`] source, and returns how many it took: fewer when a consumer that is
    /// waited for has no room ([`Policy::Lossless`](super::Policy::Lossless)), none before [`run`](Self::run). There is room
    /// again when [`Notices::Room`](super::Notices::Room) says so; the rest is to be pushed then. What waits inside is bounded:
    /// the trades of 16 KiB, and a message. Calls come one after the other, or their bytes mix.
    ///
    /// # Errors
    /// [`FeedError::NotExternal`]; [`FeedError::Ended`] when the feed was closed or is over.
    pub fn push(&self, bytes: &[u8]) -> Result<usize, FeedError> {
        self.external.as_ref().ok_or(FeedError::NotExternal)?.push(bytes)
    }

    /// Tells the consumers of a [`ExternalConfiguration`] source of the connection that the host has. `text` is the place, or the
    /// reason.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn report(&self, news: HostNews, text: &str) -> Result<(), FeedError> {
        let external = self.external.as_ref().ok_or(FeedError::NotExternal)?;
        external.report(news, text)
    }
}
