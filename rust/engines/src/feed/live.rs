//! Trades from another process, over a connection that is restored whenever it is lost.

mod address;

pub use address::{FeedAddress, FeedAddressError};

pub(super) use address::Connection;

use address::Attempt;

use super::error::FeedError;
use super::hub::{Demand, FeedCore};
use super::intake::{Reader, TradeIntake};
use super::notice::NoticeKind;
use super::server::check_token;
use crate::clock::Clock;
use crate::own_thread::{OwnThread, POLL_INTERVAL};
use rustle_market::{
    Backoff, BackoffSettings, DEFAULT_LINE_BYTES, Format, Schema, Trade, write_subscription, write_token,
};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The range of the time limits of connecting and of silence.
pub const PATIENCE: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(86_400);

/// The bytes of one read.
const PIECE: usize = 256 * 1_024;

/// The time limit of writing a subscription.
const WRITING: Duration = Duration::from_secs(5);

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

/// The client, which runs on a thread of its own.
pub(super) struct Live {
    configuration: LiveConfiguration,
    backoff: Backoff,
    clock: Arc<dyn Clock>,
    hub: Arc<FeedCore>,
    gate: TradeIntake,
    reader: Reader,
    piece: Vec<u8>,
    trades: Vec<Trade>,
    /// The number of trades so far.
    delivered: u64,
    /// The version of the subscription that was sent over the present connection.
    reported: Demand,
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
            configuration: configuration.clone(),
            clock,
            hub,
            gate,
            piece: vec![0; PIECE],
            trades: Vec::new(),
            delivered: 0,
            reported: Demand::default(),
        })
    }

    /// Connects, reads, and reconnects, until it is asked to leave.
    ///
    /// # Errors
    /// The reason of the last failure, when no attempt is left.
    pub(super) fn run(mut self, is_leaving: &AtomicBool) -> Result<(), String> {
        let mut pending: Option<Attempt> = None;
        while !is_leaving.load(Ordering::Acquire) {
            let address = self.configuration.address.to_string();
            self.report(NoticeKind::Connecting, 0, &address);
            let patience = self.configuration.connecting;
            let (wait, reason) = match Connection::open(&self.configuration.address, patience, &mut pending) {
                Ok(connection) => {
                    self.hub.count(|counts| counts.connections += 1);
                    self.report(NoticeKind::Connected, 0, &address);
                    let begun = self.clock.now();
                    let before = self.delivered;
                    let reason = self.read(connection, is_leaving);
                    let carried_data = self.delivered > before;
                    let held = self.clock.now() - begun;
                    (self.backoff.disconnected(held, carried_data), reason)
                }
                Err(error) => (self.backoff.failed(), format!("{address}: {error}")),
            };
            if is_leaving.load(Ordering::Acquire) {
                return Ok(());
            }
            self.hub.count(|counts| counts.disconnections += 1);
            let Some(wait_ns) = wait else {
                let failures = self.backoff.failures();
                return Err(format!(
                    "no attempt to connect is left after {failures}: {reason}"
                ));
            };
            self.report(NoticeKind::Disconnected, wait_ns.div_ceil(1_000_000), &reason);
            tracing::info!(reason, wait_ms = wait_ns / 1_000_000, "the feed was disconnected");
            OwnThread::rest(Duration::from_nanos(wait_ns), is_leaving);
        }
        Ok(())
    }

    /// Reads until the connection is lost, and returns the reason.
    fn read(&mut self, mut connection: Connection, is_leaving: &AtomicBool) -> String {
        // A line that the end of the previous connection cut off is not one.
        self.reader.reset();
        if self.configuration.restarts_numbers {
            self.gate.restart();
        }
        self.reported = Demand::default();
        if let Err(error) = connection.set_patience(POLL_INTERVAL, WRITING) {
            return format!("the connection cannot be set up: {error}");
        }
        if let Some(token) = &self.configuration.token {
            let mut line = Vec::new();
            write_token(token, &mut line);
            if let Err(error) = connection.write_all(&line) {
                return format!("the connection was lost: {error}");
            }
        }
        let mut heard = self.clock.now();
        while !is_leaving.load(Ordering::Acquire) {
            if let Err(reason) = self.subscribe(&mut connection) {
                return reason;
            }
            match connection.read(&mut self.piece) {
                Ok(0) => return "the peer has closed the connection".to_owned(),
                Ok(length) => {
                    self.take(length);
                    heard = self.clock.now();
                }
                Err(error) if is_a_wait(error.kind()) => {
                    let silent = Duration::from_nanos(self.clock.now().saturating_sub(heard));
                    let silence = self.configuration.silence.unwrap_or(Duration::MAX);
                    if silent >= silence {
                        return format!("expected to hear something within {silence:?}, got nothing");
                    }
                }
                Err(error) => return format!("the connection was lost: {error}"),
            }
        }
        String::new()
    }

    fn take(&mut self, length: usize) {
        self.trades.clear();
        let piece = &self.piece[..length];
        self.reader.read(piece, &mut self.gate, &mut self.trades);
        self.gate.pass(&self.trades, self.hub.wall_ns());
        self.delivered += self.trades.len() as u64;
    }

    /// Sends the subscription to the peer when it has changed.
    fn subscribe(&mut self, connection: &mut Connection) -> Result<(), String> {
        let Some(demand) = self.hub.demand(self.reported.version) else {
            return Ok(());
        };
        let is_new = self.reported.version == 0
            || demand.all != self.reported.all
            || demand.names != self.reported.names;
        self.reported = demand;
        if !(self.configuration.subscribes && is_new) {
            return Ok(());
        }
        // Sorted, so that equal subscriptions are equal bytes.
        let names: BTreeSet<&str> = self.reported.names.iter().map(AsRef::as_ref).collect();
        let mut line = Vec::new();
        write_subscription((!self.reported.all).then_some(names), &mut line);
        connection
            .write_all(&line)
            .map_err(|error| format!("the connection was lost: {error}"))
    }

    fn report(&self, kind: NoticeKind, count: u64, text: &str) {
        self.hub.report(kind, count, self.backoff.failures(), text);
    }
}

/// Whether a read or write timed out.
pub(super) fn is_a_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
