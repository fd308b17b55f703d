//! Trades from another process, over a connection that is restored whenever it is lost.

mod address;
mod dial;
mod talk;

pub use address::{FeedAddress, FeedAddressError};

use dial::{Dialer, Dialing};
use talk::{Talk, Tidings};

use super::error::FeedError;
use super::hub::{Demand, FeedCore};
use super::intake::{Reader, TradeIntake};
use super::notice::NoticeKind;
use super::server::check_token;
use crate::clock::{Clock, Nanoseconds};
use crate::job::{Job, PollContext, Release, Step};
use crate::transport::Stream;
use rustle_market::{
    Backoff, BackoffSettings, DEFAULT_LINE_BYTES, Format, Schema, Trade, write_subscription, write_token,
};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// The range of the time limits of connecting and of silence.
pub const PATIENCE: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(86_400);

/// A source at the other end of a socket.
#[derive(Clone, PartialEq)]
pub struct LiveConfiguration {
    /// Its address.
    pub address: FeedAddress,
    /// The mapping of its messages, one per line, to trades.
    pub schema: Schema,
    /// The time limit of connecting, within [`PATIENCE`].
    pub connecting: Duration,
    /// The time of silence after which the connection counts as lost, within [`PATIENCE`]; `None`: no limit. Any bytes count as a
    /// heartbeat.
    pub silence: Option<Duration>,
    /// The wait between attempts.
    pub backoff: BackoffSettings,
    /// Whether the sequence numbers of its trades restart with each connection; they are delivered as if they continued. Where
    /// they do not restart, trades that were sent while there was no connection are reported as a sequence gap.
    pub restarts_numbers: bool,
    /// Whether the subscription is sent to it, after each connection and each change: a line `{"subscribe":["BTC","ETH"]}` or
    /// `{"subscribe":"all"}`, which replaces the one before.
    pub subscribes: bool,
    /// The token that the peer requires, within [`TOKEN_BYTES`](super::TOKEN_BYTES): the first line of each connection.
    pub token: Option<String>,
}

/// Without the token, which is a secret.
impl fmt::Debug for LiveConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveConfiguration")
            .field("address", &self.address)
            .field("schema", &self.schema)
            .field("connecting", &self.connecting)
            .field("silence", &self.silence)
            .field("backoff", &self.backoff)
            .field("restarts_numbers", &self.restarts_numbers)
            .field("subscribes", &self.subscribes)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .finish()
    }
}

impl LiveConfiguration {
    /// The default: 5 s to connect, 30 s of silence, sequence numbers that continue, and subscriptions.
    pub fn new(address: FeedAddress) -> Self {
        Self {
            address,
            schema: Schema::default(),
            connecting: Duration::from_secs(5),
            silence: Some(Duration::from_secs(30)),
            backoff: BackoffSettings::default(),
            restarts_numbers: false,
            subscribes: true,
            token: None,
        }
    }
}

/// The job that connects, reads, and reconnects, until it is cancelled or no attempt is left.
pub(super) struct Live {
    configuration: LiveConfiguration,
    backoff: Backoff,
    hub: Arc<FeedCore>,
    gate: TradeIntake,
    reader: Reader,
    trades: Vec<Trade>,
    /// The number of trades so far.
    delivered: u64,
    /// The subscription that was sent over the present connection.
    reported: Demand,
    dialer: Dialer,
    phase: Phase,
}

enum Phase {
    Idle,
    /// Connecting since this time.
    Dialing(Nanoseconds),
    Connected(Box<Talk>),
    /// Waiting for the next attempt.
    BackingOff(Nanoseconds),
}

impl Live {
    /// # Errors
    /// [`FeedError::PatienceOutOfRange`], [`FeedError::Backoff`], [`FeedError::TokenLength`].
    pub(super) fn new(
        configuration: &LiveConfiguration,
        clock: Arc<dyn Clock>,
        hub: Arc<FeedCore>,
        gate: TradeIntake,
        seed: u64,
    ) -> Result<Self, FeedError> {
        let limits = [
            ("connect timeout", Some(configuration.connecting)),
            ("silence limit", configuration.silence),
        ];
        for (name, got) in limits {
            if let Some(got) = got.filter(|got| !PATIENCE.contains(got)) {
                return Err(FeedError::PatienceOutOfRange { name, got });
            }
        }
        configuration.token.as_deref().map_or(Ok(()), check_token)?;
        Ok(Self {
            backoff: Backoff::new(configuration.backoff, seed)?,
            reader: Reader::new(
                hub.clone(),
                Format::Ndjson,
                configuration.schema.clone(),
                DEFAULT_LINE_BYTES,
            ),
            dialer: Dialer::new(configuration.address.clone(), configuration.connecting, clock),
            configuration: configuration.clone(),
            hub,
            gate,
            trades: Vec::new(),
            delivered: 0,
            reported: Demand::default(),
            phase: Phase::Idle,
        })
    }

    fn dial(&mut self, begun: Nanoseconds, context: &PollContext<'_>) -> Option<Step> {
        match self.dialer.poll(begun, context) {
            Dialing::Until(time) => Some(Step::At(time)),
            Dialing::Over(Ok(stream)) => {
                self.hub.count(|counts| counts.connections += 1);
                self.report(NoticeKind::Connected, 0, &self.configuration.address.to_string());
                self.phase = Phase::Connected(Box::new(self.greet(stream, context.now())));
                None
            }
            Dialing::Over(Err(error)) => {
                let reason = format!("{}: {error}", self.configuration.address);
                let wait = self.backoff.failed();
                self.rest(wait, reason, context)
            }
        }
    }

    /// Begins a connection: the token is its first line.
    fn greet(&mut self, stream: Stream, now: Nanoseconds) -> Talk {
        // A line that the end of the previous connection cut off is not one.
        self.reader.reset();
        if self.configuration.restarts_numbers {
            self.gate.restart();
        }
        self.reported = Demand::default();
        let mut talk = Talk::new(stream, now, self.configuration.silence);
        if let Some(token) = &self.configuration.token {
            write_token(token, talk.line());
        }
        talk
    }

    fn talk(&mut self, mut talk: Box<Talk>, context: &PollContext<'_>) -> Option<Step> {
        self.subscribe(&mut talk);
        self.trades.clear();
        let before = self.delivered;
        let (reader, gate, trades) = (&mut self.reader, &mut self.gate, &mut self.trades);
        let tidings = talk.transfer(context.now(), |piece| reader.read(piece, gate, trades));
        self.gate.pass(&self.trades, self.hub.wall_ns());
        self.delivered += self.trades.len() as u64;
        talk.has_carried |= self.delivered > before;
        match tidings {
            Tidings::None(step) => {
                self.phase = Phase::Connected(talk);
                Some(step)
            }
            Tidings::Lost(reason) => {
                let held = context.now().saturating_sub(talk.begun);
                let wait = self.backoff.disconnected(held, talk.has_carried);
                drop(talk);
                self.rest(wait, reason, context)
            }
        }
    }

    /// Reports the end of a connection or attempt, and waits for the next one, unless none is left. Time may end before.
    fn rest(&mut self, wait: Option<Nanoseconds>, reason: String, context: &PollContext<'_>) -> Option<Step> {
        self.hub.count(|counts| counts.disconnections += 1);
        let Some(wait_ns) = wait else {
            let failures = self.backoff.failures();
            return Some(Step::Fail(format!(
                "no attempt to connect is left after {failures}: {reason}"
            )));
        };
        self.report(NoticeKind::Disconnected, wait_ns.div_ceil(1_000_000), &reason);
        tracing::info!(reason, wait_ms = wait_ns / 1_000_000, "the feed was disconnected");
        let Some(until) = context.now().checked_add(wait_ns) else {
            return Some(Step::Wait);
        };
        self.phase = Phase::BackingOff(until);
        Some(Step::At(until))
    }

    /// Sends the subscription to the peer when it has changed.
    fn subscribe(&mut self, talk: &mut Talk) {
        let Some(demand) = self.hub.demand(self.reported.version) else {
            return;
        };
        let is_new = self.reported.version == 0
            || demand.all != self.reported.all
            || demand.names != self.reported.names;
        self.reported = demand;
        if !(self.configuration.subscribes && is_new) {
            return;
        }
        // Sorted, so that equal subscriptions are equal bytes.
        let names: BTreeSet<&str> = self.reported.names.iter().map(AsRef::as_ref).collect();
        write_subscription((!self.reported.all).then_some(names), talk.line());
    }

    fn report(&self, kind: NoticeKind, count: u64, text: &str) {
        self.hub.report(kind, count, self.backoff.failures(), text);
    }
}

impl Job for Live {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        loop {
            let step = match std::mem::replace(&mut self.phase, Phase::Idle) {
                Phase::Idle => {
                    self.report(NoticeKind::Connecting, 0, &self.configuration.address.to_string());
                    self.phase = Phase::Dialing(context.now());
                    None
                }
                Phase::Dialing(begun) => {
                    self.phase = Phase::Dialing(begun);
                    self.dial(begun, context)
                }
                Phase::Connected(talk) => self.talk(talk, context),
                Phase::BackingOff(until) if context.now() < until => {
                    self.phase = Phase::BackingOff(until);
                    Some(Step::At(until))
                }
                Phase::BackingOff(_) => None,
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.hub.end(release);
    }
}
