//! One client: the job that writes to it and reads its subscriptions.

use super::super::consumers::Consumers;
use super::super::derive::FeedTrade;
use super::super::error::FeedError;
use super::super::hub::FeedCore;
use super::super::{FeedSession, Policy, Subscription};
use super::figures::Figures;
use super::text::{Composed, Text};
use super::{Ending, HEARTBEAT};
use crate::clock::{Clock, Nanoseconds, SystemClock};
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Doorbell;
use crate::session::Session;
use crate::transport::{Stream, Transport};
use rustle_market::{LineSplitter, MAX_SYMBOL_BYTES, MAX_SYMBOLS, parse_subscription};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The longest time that a client may read nothing, and that it may stay after the end; then it is disconnected.
const PATIENCE: Duration = Duration::from_secs(10);

/// The least such time by the system's clock: a manual clock passes the other one in no time, and the client is a process of its
/// own.
const LEAST_PATIENCE: Nanoseconds = 1_000_000_000;

/// The most writes and reads of a poll: others at the same place have their turn then.
const MOST_AT_ONCE: usize = 16;

/// The longest subscription: all symbols, each with its quotation marks and a comma, and escapes.
const SUBSCRIPTION_LIMIT: usize = MAX_SYMBOLS * (2 * MAX_SYMBOL_BYTES + 3) + 64;

/// A client that was accepted.
pub(super) struct Client {
    pub(super) stream: Stream,
    /// What it sent behind its token.
    pub(super) read_ahead: Vec<u8>,
    pub(super) figures: Arc<Figures>,
    pub(super) ending: Arc<Ending>,
    /// Woken when the client has left.
    pub(super) server: Session,
}

impl Client {
    /// Starts the client's session.
    ///
    /// # Errors
    /// Those of a consumer's start.
    pub(super) fn start(self, policy: Policy, consumers: &Consumers) -> Result<Session, FeedError> {
        let link = Arc::new(Link::default());
        let trades = consumers.trades(&Subscription::All, policy, Ring(link.clone()))?;
        let (trades, hub) = (Arc::new(trades), consumers.hub.clone());
        let session = consumers.servers.start(|| {
            let written = Arc::new(AtomicU64::new(0));
            let number = (self.figures).enter(hub.wall_ns(), written.clone(), trades.clone());
            Box::new(Serving {
                client: self,
                number,
                trades: trades.clone(),
                hub,
                link: link.clone(),
                lines: LineSplitter::with_limit(SUBSCRIPTION_LIMIT),
                text: Text::default(),
                written,
                state: State::default(),
            })
        });
        // A lossless consumer that is not drained would hold up its source.
        let session = session.inspect_err(|_| trades.cancel())?;
        // What rang before has woken nobody.
        link.session.get_or_init(|| session.clone()).wake();
        Ok(session)
    }
}

/// The bell of a client's trades.
#[derive(Default)]
struct Link {
    session: OnceLock<Session>,
    is_over: AtomicBool,
}

impl Link {
    fn wake(&self) {
        if let Some(session) = self.session.get() {
            session.wake();
        }
    }
}

struct Ring(Arc<Link>);

impl Doorbell for Ring {
    fn on_ready(&mut self) {
        self.0.wake();
    }

    fn on_release(self: Box<Self>, _: Release) {
        self.0.is_over.store(true, Ordering::Release);
        self.0.wake();
    }
}

struct Serving {
    client: Client,
    number: u64,
    trades: Arc<FeedSession<FeedTrade>>,
    hub: Arc<FeedCore>,
    link: Arc<Link>,
    lines: LineSplitter,
    text: Text,
    written: Arc<AtomicU64>,
    state: State,
}

#[derive(Default)]
struct State {
    is_watched: bool,
    /// Whether the client sends nothing more.
    is_read_closed: bool,
    /// The time of the last write, or of the beginning.
    last_write: Option<Nanoseconds>,
    /// The time since which the client has read nothing of what waits, and a clock that started then.
    held_up_since: Option<(Nanoseconds, SystemClock)>,
    /// The time since which everything is written, and the end of it.
    over_since: Option<Nanoseconds>,
}

/// Why a client leaves.
enum Leaving {
    /// It has closed the connection, and everything is written.
    Done,
    /// The connection is lost, or the client too slow.
    Lost(String),
}

impl Serving {
    /// Reads subscriptions, also after the end of the feed: closing a connection with unread bytes resets it, and data still in
    /// flight to the client is lost. Returns whether there may be more.
    fn read(&mut self) -> bool {
        let (mut piece, mut wanted, mut has_more) = ([0; 4_096], None, true);
        for _ in 0..MOST_AT_ONCE {
            if self.state.is_read_closed {
                has_more = false;
                break;
            }
            match self.client.stream.try_receive(&mut piece).map(|got| got.length) {
                Ok(length) if length > 0 => (self.lines).push(&piece[..length], |line| {
                    wanted = subscription(line).or(wanted.take())
                }),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    has_more = false;
                    break;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // What waits is written, and nothing more.
                _ => self.state.is_read_closed = true,
            }
        }
        self.apply_subscription(wanted);
        if self.state.is_read_closed {
            self.trades.cancel();
        }
        has_more
    }

    /// Applies the last subscription of a read, once: each replaces the one before, and costs a pass over all symbols.
    fn apply_subscription(&self, wanted: Option<Subscription>) {
        if let Some(wanted) = wanted
            && let Err(error) = self.trades.set_subscription(&wanted)
        {
            tracing::debug!(%error, "a client's subscription came too late");
        }
    }

    /// Writes until nothing waits or there is no room. Returns whether there may be more.
    fn write(&mut self, context: &PollContext<'_>) -> Result<bool, Leaving> {
        let now = context.now();
        // Before the lane, which has all trades before the end.
        let is_over = self.link.is_over.load(Ordering::Acquire);
        let mut last_write = *self.state.last_write.get_or_insert(now);
        for _ in 0..MOST_AT_ONCE {
            if self.state.over_since.is_some() {
                return Ok(false);
            }
            while let Some(unsent) = self.text.unsent() {
                match self.client.stream.try_send(unsent, None) {
                    Ok(count) => {
                        self.text.sent(count);
                        self.written.fetch_add(count as u64, Ordering::Relaxed);
                        self.state.held_up_since = None;
                        last_write = now;
                        self.state.last_write = Some(now);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        let held_up_since = &mut self.state.held_up_since;
                        let (since, clock) = held_up_since.get_or_insert_with(|| (now, SystemClock::new()));
                        return if has_passed(now, *since, PATIENCE) && clock.now() >= LEAST_PATIENCE {
                            Err(Leaving::Lost(format!(
                                "expected the client to read within {PATIENCE:?}, got no progress"
                            )))
                        } else {
                            Ok(false)
                        };
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(Leaving::Lost(error.to_string())),
                }
            }
            match self.text.compose(&self.trades, &self.hub, is_over) {
                Composed::Trades => {}
                Composed::End => {
                    self.client.stream.finish_writing();
                    self.state.over_since = Some(now);
                }
                Composed::Nothing if has_passed(now, last_write, HEARTBEAT) => {
                    self.text.heartbeat(context.wall_ms())
                }
                Composed::Nothing => return Ok(false),
            }
        }
        Ok(true)
    }

    fn step(&mut self, context: &PollContext<'_>) -> Result<Step, Leaving> {
        if !std::mem::replace(&mut self.state.is_watched, true) {
            let watched = self.client.stream.watch(context);
            watched.map_err(|error| Leaving::Lost(error.to_string()))?;
            let read_ahead = std::mem::take(&mut self.client.read_ahead);
            let mut wanted = None;
            (self.lines).push(&read_ahead, |line| wanted = subscription(line).or(wanted.take()));
            self.apply_subscription(wanted);
        }
        let has_more = self.read();
        let has_more = self.write(context)? || has_more;
        let now = context.now();
        let State {
            is_read_closed,
            last_write,
            ref held_up_since,
            over_since,
            ..
        } = self.state;
        match (over_since, held_up_since) {
            (Some(since), _) if is_read_closed || has_passed(now, since, PATIENCE) => Err(Leaving::Done),
            _ if has_more => Ok(Step::At(now)),
            (Some(since), _) | (None, &Some((since, _))) => Ok(wait(since, PATIENCE)),
            (None, None) => Ok(wait(last_write.unwrap_or(now), HEARTBEAT)),
        }
    }
}

impl Job for Serving {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        match self.step(context) {
            Ok(step) => step,
            Err(Leaving::Done) => Step::End,
            Err(Leaving::Lost(reason)) => {
                tracing::info!(reason, "a client was disconnected");
                Step::End
            }
        }
    }

    fn release(self: Box<Self>, _: Release) {
        self.client.stream.close();
        self.trades.cancel();
        self.client.figures.leave(self.number);
        self.client.server.wake();
        // The last one of a server that has ended releases its bell.
        drop(self.client.ending);
    }
}

/// The subscription of a line, unless it has none that is valid.
fn subscription(line: &[u8]) -> Option<Subscription> {
    match parse_subscription(line) {
        Ok(names) => Some(names.map_or(Subscription::All, Subscription::Symbols)),
        Err(error) => {
            tracing::warn!(%error, "a client's message was skipped");
            None
        }
    }
}

fn has_passed(now: Nanoseconds, since: Nanoseconds, time: Duration) -> bool {
    Duration::from_nanos(now.saturating_sub(since)) >= time
}

/// Until the time after `since`; time may end before.
fn wait(since: Nanoseconds, time: Duration) -> Step {
    let until = since.checked_add(time.as_nanos() as Nanoseconds);
    until.map_or(Step::Wait, Step::At)
}
