//! The feed: one source of trades and its consumers, each with its own policy.

pub(crate) mod consumers;
mod records;
pub(crate) mod server;
mod sources;

pub use consumers::*;
pub use records::*;
pub use server::*;
pub use sources::*;

use crate::fault::{statuses, Outcome};
use crate::lane::LaneRecord;
use crate::lent::{Choice, RustleString};
use crate::object::{Describe, New, Object};
use crate::runtime;
use crate::status::CallFault;
use crate::ticker::check_lengths;
use crate::RustleHandle;
use rustle_engines::{FeedEngine, FeedError, HostNews, SourceConfiguration};
use rustle_market::{Backoff, BackoffSettings, Decimal, SymbolError, MAX_SYMBOLS};

/// A feed.
pub(crate) struct Feed(FeedEngine);

impl Object for Feed {
    const NAME: &'static str = "feed";
    const KIND: u32 = 14;
    type Error = FeedError;

    /// Cancels every session of a feed; the source goes on. See `rustle_cancel`.
    fn cancel(&self) -> Outcome<FeedError> {
        self.0.cancel();
        Ok(())
    }

    /// Cancels every session of a feed and its source, and refuses later starts. See `rustle_shut_down`.
    fn shut_down(&self) -> Outcome<FeedError> {
        self.0.shut_down();
        Ok(())
    }
}

impl New<RustleSimulatedFeed> for Feed {
    /// Makes a feed of simulated prices. Nothing runs before `rustle_feed_run`.
    ///
    /// Fails with `RUSTLE_NO_SYMBOLS` to `RUSTLE_RATE_OUT_OF_RANGE`.
    #[doc(alias = "rustle_feed_new_simulated")]
    fn new(configuration: &RustleSimulatedFeed) -> Outcome<FeedError, Self> {
        let source = SourceConfiguration::Simulated(configuration.read()?);
        Self::of(source, configuration.runtime)
    }
}

impl New<RustleReplayFeed> for Feed {
    /// Makes a feed that plays a file, which is opened by this call. Nothing runs before `rustle_feed_run`.
    ///
    /// Fails with `RUSTLE_MALFORMED_SCHEMA`, `RUSTLE_UNKNOWN_FORMAT`, `RUSTLE_UNREADABLE_FILE`.
    #[doc(alias = "rustle_feed_new_replay")]
    fn new(configuration: &RustleReplayFeed) -> Outcome<FeedError, Self> {
        let source = SourceConfiguration::Replay(configuration.read()?);
        Self::of(source, configuration.runtime)
    }
}

impl New<RustleLiveFeed> for Feed {
    /// Makes a feed from another process. It connects when it runs, and again whenever the connection is refused or lost; an
    /// address at which nobody listens is not an error.
    ///
    /// Fails with `RUSTLE_INVALID_VALUE` (a time out of its range), `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_MALFORMED_SCHEMA`.
    #[doc(alias = "rustle_feed_new_live")]
    fn new(configuration: &RustleLiveFeed) -> Outcome<FeedError, Self> {
        let source = SourceConfiguration::Live(configuration.read()?);
        Self::of(source, configuration.runtime)
    }
}

impl New<RustleExternalFeed> for Feed {
    /// Makes a feed that the host fills, by `rustle_feed_push`. Nothing runs before `rustle_feed_run`.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (also a message limit), `RUSTLE_MALFORMED_SCHEMA`.
    #[doc(alias = "rustle_feed_new_external")]
    fn new(configuration: &RustleExternalFeed) -> Outcome<FeedError, Self> {
        let source = SourceConfiguration::External(configuration.read()?);
        Self::of(source, configuration.runtime)
    }
}

impl Describe<RustleFeedCounts> for Feed {
    /// Writes the source's counts so far to `description`.
    #[doc(alias = "rustle_feed_counts")]
    fn describe(&self) -> Result<RustleFeedCounts, CallFault> {
        Ok(self.0.counts().into())
    }
}

impl Describe<RustleFeedNotice> for Feed {
    /// Writes the newest notice of a feed's connection or of its end to `description`; one of the kind `RUSTLE_NOTICE_NONE` if
    /// there was none.
    #[doc(alias = "rustle_feed_connection")]
    fn describe(&self) -> Result<RustleFeedNotice, CallFault> {
        let newest = self.0.connection();
        Ok(newest.map_or(RustleFeedNotice::NONE, |notice| RustleFeedNotice::new(&notice, 0)))
    }
}

impl Feed {
    fn of(source: SourceConfiguration, runtime: RustleHandle) -> Outcome<FeedError, Self> {
        Ok(Self(FeedEngine::on(runtime::find(runtime)?, &source)?))
    }

    /// Starts the source; consumers that were started before receive its first trade. Idempotent. When the source ends, every
    /// session of the feed ends, including those that are started later.
    ///
    /// Fails with `RUSTLE_SHUT_DOWN`, `RUSTLE_FORKED`, `RUSTLE_EXHAUSTED` (the feed has ended then).
    #[doc(alias = "rustle_feed_run")]
    pub(crate) fn run(&self) -> Outcome<FeedError> {
        Ok(self.0.run()?)
    }

    /// Makes a feed of `rustle_feed_new_external` read the next bytes, which continue those before. `taken` receives the number
    /// of bytes taken: fewer when a consumer with `RUSTLE_POLICY_LOSSLESS` has no room, none before `rustle_feed_run`. Push the
    /// rest again after a notice of `RUSTLE_NOTICE_ROOM`. Do not call it concurrently for one feed: the bytes would interleave.
    ///
    /// Fails with `RUSTLE_WRONG_SOURCE` (a feed of another source), `RUSTLE_WRONG_STATE` (it was closed or has ended),
    /// `RUSTLE_FORKED`; nothing is taken then.
    ///
    /// Example: `rustle_feed_new_external`, `bytes_count` 0.
    #[doc(alias = "rustle_feed_push")]
    pub(crate) fn push(&self, bytes: &[u8]) -> Outcome<FeedError, usize> {
        Ok(self.0.push(bytes)?)
    }

    /// Reports the state of the host's connection to the consumers of a feed of `rustle_feed_new_external`. `kind` is
    /// `RUSTLE_NOTICE_CONNECTING`, `RUSTLE_NOTICE_CONNECTED` (an incomplete line is dropped), `RUSTLE_NOTICE_DISCONNECTED`,
    /// `RUSTLE_NOTICE_RENUMBERED` (trades are then delivered as if their numbers continued), or `RUSTLE_NOTICE_CLOSED`: the
    /// feed then ends once the pushed data have been delivered, and fails for the reason in `note` unless that is empty.
    /// `retry_ms` is the time before the next attempt, for disconnected only; `failures` the number of consecutive failed
    /// attempts, for connecting and disconnected; `note` the address or the reason.
    ///
    /// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (another kind),
    /// `RUSTLE_WRONG_SOURCE` (a feed of another source), `RUSTLE_WRONG_STATE` (it was closed or has ended), `RUSTLE_FORKED`.
    ///
    /// Example: `rustle_feed_new_external`.
    #[doc(alias = "rustle_feed_report")]
    pub(crate) fn report(
        &self,
        kind: Choice<RustleNotice>,
        retry_ms: u64,
        failures: u32,
        note: RustleString,
    ) -> Outcome<FeedError> {
        let note = note.text("note")?;
        let news = match kind.get("kind")? {
            RustleNotice::Connecting => HostNews::Connecting { failures },
            RustleNotice::Connected => HostNews::Connected,
            RustleNotice::Disconnected => HostNews::Disconnected { retry_ms, failures },
            RustleNotice::Closed => HostNews::Closed,
            RustleNotice::Renumbered => HostNews::Renumbered,
            other => {
                let expected = "RUSTLE_NOTICE_CONNECTING, _CONNECTED, _DISCONNECTED, _CLOSED or _RENUMBERED";
                return Err(CallFault::number("kind", expected, other as u32).into());
            }
        };
        Ok(self.0.report(news, note)?)
    }

    /// Reports the symbols that the consumers of a feed subscribe to together: `wanted` receives their number, and `names` their
    /// names in byte order, each followed by a line feed, if there is room for all. Nothing is written to `names` when `length`
    /// of `wanted` is more than `names_capacity`: call again with that much room. When `all` is 1, the names are those that are
    /// also subscribed to by name. A notice of `RUSTLE_NOTICES_WANTED` reports a change.
    #[doc(alias = "rustle_feed_wanted")]
    pub(crate) fn wanted(&self, names: &mut [u8]) -> Result<RustleFeedWanted, CallFault> {
        let all = self.0.wanted();
        let text: String = all.names.iter().flat_map(|name| [name, "\n"]).collect();
        if let Some(place) = names.get_mut(..text.len()) {
            place.copy_from_slice(text.as_bytes());
        }
        Ok(all.into())
    }
}

/// Draws a host's wait before its next attempt to connect, after `failures` consecutive failed attempts: uniformly from 0 to
/// `base_ns` doubled for each failure except the first, at most `cap_ns`. `wait_ns` receives it. The same `seed` draws the same
/// wait.
///
/// Fails with `RUSTLE_INVALID_VALUE` (a base other than 1 ms up to `cap_ns`, a cap above 1 day, no failure).
///
/// Example: `base_ns` 1000000, `cap_ns` 8000000, `failures` 1.
#[doc(alias = "rustle_feed_backoff")]
pub(crate) fn backoff(base_ns: u64, cap_ns: u64, failures: u32, seed: u64) -> Outcome<FeedError, u64> {
    let settings = BackoffSettings {
        base_ns,
        cap_ns,
        ..BackoffSettings::default()
    };
    let before = failures.checked_sub(1);
    let before = before.ok_or_else(|| CallFault::number("failures", "1 or more", failures))?;
    let mut backoff = Backoff::after(settings, before, seed).map_err(FeedError::from)?;
    // There is always one: the attempts have no limit.
    Ok(backoff.failed().unwrap_or_default())
}

/// The texts of a list.
fn names(symbols: &[RustleString], name: &'static str) -> Outcome<FeedError, Vec<String>> {
    if symbols.len() > MAX_SYMBOLS {
        let got = symbols.len();
        return Err(FeedError::Symbols(SymbolError::TooMany { got }).into());
    }
    check_lengths(symbols).map_err(FeedError::from)?;
    let texts = RustleString::texts(symbols, name)?;
    Ok(texts.into_iter().map(str::to_owned).collect())
}

/// A number of `units` of 10^-`scale`.
fn decimal(units: i64, scale: u8, name: &'static str) -> Result<Decimal, CallFault> {
    Decimal::new(units, scale).ok_or(CallFault::decimal(name, units, scale))
}

/// Writes a text to the caller's memory; returns its length.
fn write_text(text: &str, place: &mut [u8], name: &'static str) -> Result<usize, CallFault> {
    let short = CallFault::length(name, "room for the whole text in bytes", place.len());
    place
        .get_mut(..text.len())
        .ok_or(short)?
        .copy_from_slice(text.as_bytes());
    Ok(text.len())
}

statuses!(FeedError {
    RUSTLE_RATE_OUT_OF_RANGE: RateOutOfRange,
    RUSTLE_INVALID_LENGTH: CapacityOutOfRange ModelCount MessageLimit,
    RUSTLE_INVALID_VALUE: IntervalOutOfRange Model Lateness Alert Speed PatienceOutOfRange Backoff NotLoopback TokenLength NoSymbols,
    RUSTLE_MALFORMED_SCHEMA: Schema,
    RUSTLE_UNKNOWN_FORMAT: UnknownFormat,
    RUSTLE_UNREADABLE_FILE: File,
    RUSTLE_MALFORMED_ADDRESS: AddressText,
    RUSTLE_ADDRESS_UNAVAILABLE: Address,
    RUSTLE_WRONG_SOURCE: NotExternal,
    RUSTLE_WRONG_STATE: Ended,
    RUSTLE_SHUT_DOWN: ShutDown,
    RUSTLE_POISONED: Poisoned,
    _: Symbols Runtime,
});
