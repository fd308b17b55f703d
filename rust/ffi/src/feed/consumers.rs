//! The consumers of a feed: sessions with a lane each, whose records are drained.

use super::records::{
    RustleCandle, RustleFeedNotice, RustleNotices, RustlePriceAlert, RustlePriceStatistics, RustleTrade,
};
use super::{decimal, names, write_text, Feed};
use crate::fault::Outcome;
use crate::lane::{BellSink, Lane, LaneRecord};
use crate::lent::{choices, Choice, Flag, Lent, RustleString};
use crate::object::Describe;
use crate::records::records;
use crate::session::{Face, Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::ticker::{check_lengths, lent_names};
use rustle_engines::{
    FeedError, FeedLink, FeedSession, LaneStatistics, Omissions, Overflow, Policy, Subscription, Threshold,
};
use rustle_market::{Direction, Interval, MAX_SYMBOLS};

choices! {
    /// The buffering policy of a consumer: the treatment of records that it does not drain in time.
    pub enum RustlePolicy = RUSTLE_POLICY_ {
        /// Buffers all records up to a capacity, then drops and counts the oldest. As `RUSTLE_LANE_DROP_OLDEST`.
        DropOldest = 1,
        /// Buffers all records up to a capacity, then drops and counts the newest. As `RUSTLE_LANE_DROP_NEWEST`.
        DropNewest = 2,
        /// Keeps the newest record of each symbol. As `RUSTLE_LANE_CONFLATE`.
        Conflate = 3,
        /// Delivers the newest record of each symbol at even intervals.
        Sampled = 4,
        /// Drops nothing: the source waits for room.
        Lossless = 5,
    }

    /// The side of its level on which an alert fires.
    pub enum RustleDirection = RUSTLE_DIRECTION_ for Direction {
        /// The alert fires at or above its level.
        Above = 0,
        /// The alert fires at or below its level.
        Below = 1,
    }
}

records! {
    /// The symbols that a consumer subscribes to.
    pub struct RustleFeedSubscription lending memory {
        /// Distinct names, with the limits of a feed's symbols; the feed need not know them yet. Not read when `all` is not 0.
        pub symbols: Lent<RustleString>,
        /// The number of names, at most 100,000. Without any, the consumer receives nothing until `rustle_feed_subscribe`.
        pub symbol_count: usize,
        /// Not 0: all present and future symbols. Example: 1.
        pub all: Flag,
        reserved: u32,
    }

    /// The buffering policy of a consumer: the treatment of records that it does not drain in time.
    pub struct RustleFeedPolicy {
        /// The policy. Example: 1.
        pub kind: Choice<RustlePolicy>,
        /// 0.
        pub reserved: u32,
        /// The lane's size, 1 to 1,048,576. Not read for `RUSTLE_POLICY_CONFLATE` and `RUSTLE_POLICY_SAMPLED`. Example: 64.
        pub capacity: usize,
        /// The time between two deliveries in ns, 1 ms to 1 h. Read for `RUSTLE_POLICY_SAMPLED` only.
        pub interval_ns: u64,
    }

    /// The threshold of an alert.
    pub struct RustleFeedThreshold lending memory {
        /// The symbol; the feed need not know it yet. Example: "BTC".
        pub symbol: RustleString,
        /// The level in units of 10^-`level_scale`.
        pub level_units: i64,
        /// How far back the price has to go before the alert fires again, 0 or above, in units of 10^-`hysteresis_scale`.
        pub hysteresis_units: i64,
        /// The side on which it fires.
        pub direction: Choice<RustleDirection>,
        /// Digits of the level after the point, 0 to 18.
        pub level_scale: u8,
        /// Digits of the hysteresis after the point, 0 to 18.
        pub hysteresis_scale: u8,
        reserved: [u8; 2],
    }

    /// A consumer of the trades themselves.
    pub struct RustleTradeRequest lending memory {
        /// The symbols of the trades.
        pub subscription: RustleFeedSubscription,
        /// The buffering policy.
        pub policy: RustleFeedPolicy,
    }

    /// A consumer of candles.
    pub struct RustleCandleRequest lending memory {
        /// The symbols of the candles.
        pub subscription: RustleFeedSubscription,
        /// The buffering policy.
        pub policy: RustleFeedPolicy,
        /// The length of a candle in ns, 1 or more. Example: 1000000000.
        pub interval_ns: i64,
        /// How long a candle waits for out-of-order trades, in ns, 0 to 64 intervals; see docs/market.md.
        pub lateness_ns: i64,
    }

    /// A consumer of statistics.
    pub struct RustlePriceStatisticsRequest lending memory {
        /// The symbols of the statistics.
        pub subscription: RustleFeedSubscription,
        /// The buffering policy.
        pub policy: RustleFeedPolicy,
        /// The length of the window in ns, 1 or more. Example: 1000000000.
        pub window_ns: i64,
    }

    /// A consumer of alerts.
    pub struct RustlePriceAlertRequest lending memory {
        /// The thresholds.
        pub thresholds: Lent<RustleFeedThreshold>,
        /// The number of thresholds, at most 100,000.
        pub threshold_count: usize,
        /// The buffering policy.
        pub policy: RustleFeedPolicy,
    }

    /// A consumer of notices. When it does not drain them in time, the oldest are dropped.
    pub struct RustleNoticeRequest {
        /// The lane's size, 1 to 1,048,576. Example: 16.
        pub capacity: usize,
        /// The kinds of notices.
        pub notices: Choice<RustleNotices>,
        reserved: u32,
    }

    /// Counts of the trades that a consumer's records do not include.
    pub struct RustleFeedOmissions for Omissions {
        /// Trades that candles or statistics exclude because they arrived too late.
        pub late: u64,
        /// Trades that left the windows of statistics early, because a symbol's window holds at most 1,048,576 trades. From the
        /// first of them on, statistics cover fewer trades than the window's time spans.
        pub evicted: u64,
    }
}

impl Stream<RustleTradeRequest> for Feed {
    type Record = RustleTrade;

    /// Starts a consumer of the trades themselves.
    ///
    /// Fails with `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`.
    #[doc(alias = "rustle_feed_start_trades")]
    fn start(&self, request: &RustleTradeRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        let (wanted, policy) = (request.subscription.read()?, request.policy.read()?);
        let session = self.0.trades(&wanted, policy, BellSink(sink))?;
        Ok(started::<RustleTrade, _>(session))
    }
}

impl Stream<RustleCandleRequest> for Feed {
    type Record = RustleCandle;

    /// Starts a consumer of candles. Candles that are open when the source ends are delivered then.
    ///
    /// Fails with `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`.
    #[doc(alias = "rustle_feed_start_candles")]
    fn start(&self, request: &RustleCandleRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        let (wanted, policy) = (request.subscription.read()?, request.policy.read()?);
        let length = interval(request.interval_ns, "request.interval_ns")?;
        let (lateness, bell) = (request.lateness_ns, BellSink(sink));
        let session = self.0.candles(&wanted, length, lateness, policy, bell)?;
        Ok(started::<RustleCandle, _>(session))
    }
}

impl Stream<RustlePriceStatisticsRequest> for Feed {
    type Record = RustlePriceStatistics;

    /// Starts a consumer of statistics: each symbol's over the window that ends at each of its trades.
    ///
    /// Fails with `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`.
    #[doc(alias = "rustle_feed_start_statistics")]
    fn start(&self, request: &RustlePriceStatisticsRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        let (wanted, policy) = (request.subscription.read()?, request.policy.read()?);
        let window = interval(request.window_ns, "request.window_ns")?;
        let session = self.0.statistics(&wanted, window, policy, BellSink(sink))?;
        Ok(started::<RustlePriceStatistics, _>(session))
    }
}

impl Stream<RustlePriceAlertRequest> for Feed {
    type Record = RustlePriceAlert;

    /// Starts a consumer of alerts.
    ///
    /// Fails with `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`.
    #[doc(alias = "rustle_feed_start_alerts")]
    fn start(&self, request: &RustlePriceAlertRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        let (count, name) = (request.threshold_count, "request.thresholds");
        let thresholds = request.thresholds.slice(count, MAX_SYMBOLS, name)?;
        check_lengths(thresholds.iter().map(|threshold| &threshold.symbol)).map_err(FeedError::from)?;
        let thresholds = (request.thresholds).read(count, MAX_SYMBOLS, name, RustleFeedThreshold::read)?;
        let policy = request.policy.read()?;
        let session = self.0.alerts(&thresholds, policy, BellSink(sink))?;
        Ok(started::<RustlePriceAlert, _>(session))
    }
}

impl Stream<RustleNoticeRequest> for Feed {
    type Record = RustleFeedNotice;

    /// Starts a consumer of notices about the source.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    #[doc(alias = "rustle_feed_start_notices")]
    fn start(&self, request: &RustleNoticeRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        CallFault::check_reserved(request.reserved, "request.reserved")?;
        let notices = request.notices.get("request.notices")?.into();
        let session = self.0.notices(notices, request.capacity, BellSink(sink))?;
        Ok(started::<RustleFeedNotice, _>(session))
    }
}

fn started<Record, Native>(session: FeedSession<Native>) -> Started
where
    Record: LaneRecord<Native> + 'static,
    Native: Copy + Send + 'static,
{
    let face = FeedConsumer(FeedLink::clone(&session));
    Started::of::<Record, _>(session).with_face(face)
}

impl<Native: Copy + Send> Lane for FeedSession<Native> {
    type Native = Native;

    fn cancel(&self) {
        FeedLink::cancel(self);
    }

    fn drain(&self, most: usize, take: impl FnMut(Native, u32)) -> Option<(usize, LaneStatistics)> {
        Some(self.drain(most, take))
    }
}

/// A session of a feed, whatever it delivers.
pub(crate) struct FeedConsumer(FeedLink);

impl Face for FeedConsumer {
    const NAME: &'static str = "feed";
}

impl FeedConsumer {
    /// Subscribes a consumer to the symbols at `add` and unsubscribes it from those at `remove`, from the source's next trade on.
    /// Waiting records stay in its lane; the candles and statistics of a removed symbol are discarded. A consumer of all symbols
    /// is from then on subscribed to all known ones except those removed.
    ///
    /// Fails with `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (a session of notices), `RUSTLE_DUPLICATE_SYMBOL` to
    /// `RUSTLE_TOO_MANY_SYMBOLS`, `RUSTLE_WRONG_STATE` (the session has ended), `RUSTLE_FORKED`; nothing is changed then.
    ///
    /// Example: `rustle_feed_start_trades`, `add_count` 2, `remove_count` 2.
    #[doc(alias = "rustle_feed_subscribe")]
    pub(crate) fn subscribe(&self, add: &[RustleString], remove: &[RustleString]) -> Outcome<FeedError> {
        Ok(self.0.subscribe(&names(add, "add")?, &names(remove, "remove")?)?)
    }

    /// Writes the name of the symbol with this number in the session's records to `name`, for which `RUSTLE_SYMBOL_CAPACITY`
    /// bytes are enough. `length` receives the number of bytes: UTF-8, not NUL-terminated. A number keeps its name for the
    /// lifetime of the feed. Works after the session's end, until its handle is freed.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (the name does not fit), `RUSTLE_INVALID_VALUE` (no such number); nothing is written
    /// then.
    ///
    /// Example: `rustle_feed_start_trades`, `name_capacity` 32.
    #[doc(alias = "rustle_feed_symbol")]
    pub(crate) fn symbol(&self, number: u32, name: &mut [u8]) -> Result<usize, CallFault> {
        let unknown = CallFault::number("number", "a symbol's number", number);
        write_text(&self.0.symbol(number).ok_or(unknown)?, name, "name")
    }
}

impl Describe<RustleFeedOmissions> for FeedConsumer {
    /// Writes the counts of the trades that a session's candles or statistics do not include to `description`, also after the
    /// session's end; 0 for other sessions of a feed.
    ///
    /// Example: `rustle_feed_start_candles`.
    #[doc(alias = "rustle_feed_omissions")]
    fn describe(&self) -> Result<RustleFeedOmissions, CallFault> {
        Ok(self.0.omissions().into())
    }
}

impl RustleFeedSubscription {
    fn read(&self) -> Outcome<FeedError, Subscription> {
        CallFault::check_reserved(self.reserved, "request.subscription.reserved")?;
        if self.all.is_set() {
            return Ok(Subscription::All);
        }
        let (count, name) = (self.symbol_count, "request.subscription.symbols");
        let names = lent_names::<FeedError>(&self.symbols, count, name)?;
        let names = names.into_iter().map(str::to_owned);
        Ok(Subscription::Symbols(names.collect()))
    }
}

impl RustleFeedPolicy {
    /// The policy that the record describes. Errors: there is no such kind.
    pub(super) fn read(&self) -> Result<Policy, CallFault> {
        CallFault::check_reserved(self.reserved, "request.policy.reserved")?;
        let (capacity, interval) = (self.capacity, self.interval_ns);
        let all = |overflow| Policy::Buffered { overflow, capacity };
        Ok(match self.kind.get("request.policy.kind")? {
            RustlePolicy::DropOldest => all(Overflow::DropOldest),
            RustlePolicy::DropNewest => all(Overflow::DropNewest),
            RustlePolicy::Conflate => Policy::Conflated,
            RustlePolicy::Sampled => Policy::Sampled { interval },
            RustlePolicy::Lossless => Policy::Lossless { capacity },
        })
    }
}

impl RustleFeedThreshold {
    fn read(&self) -> Result<Threshold, CallFault> {
        CallFault::check_reserved(self.reserved, "request.thresholds.reserved")?;
        let hysteresis = "request.thresholds.hysteresis";
        Ok(Threshold {
            symbol: self.symbol.text("request.thresholds.symbol")?.to_owned(),
            direction: self.direction.get("request.thresholds.direction")?.into(),
            level: decimal(self.level_units, self.level_scale, "request.thresholds.level")?,
            hysteresis: decimal(self.hysteresis_units, self.hysteresis_scale, hysteresis)?,
        })
    }
}

/// A length of time.
fn interval(ns: i64, name: &'static str) -> Result<Interval, CallFault> {
    Interval::from_ns(ns).ok_or_else(|| CallFault::number(name, "1 ns or more", ns))
}
