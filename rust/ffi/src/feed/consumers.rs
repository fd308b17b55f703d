//! The consumers of a feed: sessions whose records wait in a lane of their own until they are drained.

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
use crate::ticker::lent_names;
use rustle_engines::{
    FeedError, FeedLink, FeedSession, LaneStatistics, Omissions, Overflow, Policy, Subscription, Threshold,
};
use rustle_market::{Direction, Interval, MAX_SYMBOLS};

choices! {
    /// What becomes of records that a consumer does not take in time.
    pub enum RustlePolicy = RUSTLE_POLICY_ {
        /// All records are kept, up to a capacity; then the oldest are dropped, and counted. As `RUSTLE_LANE_DROP_OLDEST`.
        DropOldest = 1,
        /// All records are kept, up to a capacity; then the newest are dropped, and counted. As `RUSTLE_LANE_DROP_NEWEST`.
        DropNewest = 2,
        /// The newest record of each symbol is kept. As `RUSTLE_LANE_CONFLATE`.
        Conflate = 3,
        /// The newest record of each symbol is handed over at even distances.
        Sampled = 4,
        /// The source waits for room, so that nothing is lost.
        Lossless = 5,
    }

    /// On which side of its level an alert fires.
    pub enum RustleDirection = RUSTLE_DIRECTION_ for Direction {
        /// The alert fires at or above its level.
        Above = 0,
        /// The alert fires at or below its level.
        Below = 1,
    }
}

records! {
    /// The symbols that a consumer wants.
    pub struct RustleFeedSubscription lending memory {
        /// Distinct names, as those of a feed; they need not be known yet. Not read when `all` is not 0.
        pub symbols: Lent<RustleString>,
        /// How many names, at most 100,000; none is a consumer that gets nothing until `rustle_feed_subscribe`.
        pub symbol_count: usize,
        /// Not 0: all symbols that there are and will be. Example: 1.
        pub all: Flag,
        reserved: u32,
    }

    /// What becomes of records that a consumer does not take in time.
    pub struct RustleFeedPolicy {
        /// The policy. Example: 1.
        pub kind: Choice<RustlePolicy>,
        /// 0.
        pub reserved: u32,
        /// The lane's size, 1 to 1,048,576. Not read for `RUSTLE_POLICY_CONFLATE` and `RUSTLE_POLICY_SAMPLED`. Example: 64.
        pub capacity: usize,
        /// The time between two samples in ns, 1 ms to 1 h. Read for `RUSTLE_POLICY_SAMPLED` only.
        pub interval_ns: u64,
    }

    /// A price that an alert watches for.
    pub struct RustleFeedThreshold lending memory {
        /// Whose price; it need not be known yet. Example: "BTC".
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
        /// Whose trades.
        pub subscription: RustleFeedSubscription,
        /// What becomes of those that are not drained in time.
        pub policy: RustleFeedPolicy,
    }

    /// A consumer of candles.
    pub struct RustleCandleRequest lending memory {
        /// Whose candles.
        pub subscription: RustleFeedSubscription,
        /// What becomes of those that are not drained in time.
        pub policy: RustleFeedPolicy,
        /// The length of a candle in ns, 1 or more. Example: 1000000000.
        pub interval_ns: i64,
        /// How long a candle waits for trades that come late, in ns, 0 to 64 intervals; see docs/market.md.
        pub lateness_ns: i64,
    }

    /// A consumer of statistics.
    pub struct RustlePriceStatisticsRequest lending memory {
        /// Whose statistics.
        pub subscription: RustleFeedSubscription,
        /// What becomes of those that are not drained in time.
        pub policy: RustleFeedPolicy,
        /// How far back the statistics reach in ns, 1 or more. Example: 1000000000.
        pub window_ns: i64,
    }

    /// A consumer of alerts.
    pub struct RustlePriceAlertRequest lending memory {
        /// The prices to watch for.
        pub thresholds: Lent<RustleFeedThreshold>,
        /// Their number, at most 100,000.
        pub threshold_count: usize,
        /// What becomes of alerts that are not drained in time.
        pub policy: RustleFeedPolicy,
    }

    /// A consumer of notices. Of those that it does not drain in time the oldest are dropped.
    pub struct RustleNoticeRequest {
        /// The lane's size, 1 to 1,048,576. Example: 16.
        pub capacity: usize,
        /// Which notices.
        pub notices: Choice<RustleNotices>,
        reserved: u32,
    }

    /// Trades that a consumer's records do not have in them.
    pub struct RustleFeedOmissions for Omissions {
        /// Trades that were left out of candles or statistics because they came too late.
        pub late: u64,
        /// Trades that left the windows of statistics early, because a symbol's window has at most 1,048,576 trades. The
        /// statistics after the first of them are of fewer trades than the window's length has.
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

    /// Starts a consumer of candles. Those that are open when the source comes to its end are handed out then.
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

    /// Starts a consumer of the statistics of each symbol's last while, after each of its trades.
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
        let thresholds = (request.thresholds).read(count, MAX_SYMBOLS, name, RustleFeedThreshold::read)?;
        let policy = request.policy.read()?;
        let session = self.0.alerts(&thresholds, policy, BellSink(sink))?;
        Ok(started::<RustlePriceAlert, _>(session))
    }
}

impl Stream<RustleNoticeRequest> for Feed {
    type Record = RustleFeedNotice;

    /// Starts a consumer of what happens to the source.
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

/// A session of a feed, whatever it hands out.
pub(crate) struct FeedConsumer(FeedLink);

impl Face for FeedConsumer {
    const NAME: &'static str = "feed";
}

impl FeedConsumer {
    /// Has a consumer get the trades of the symbols at `add` too, and those of the ones at `remove` no more, from the source's
    /// next trade on. What waits in its lane stays there; what a candle or a statistic has of a symbol that is removed is
    /// forgotten. One that wanted all wants from then on all that are known, but for those.
    ///
    /// Fails with `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (a session of notices), `RUSTLE_DUPLICATE_SYMBOL` to
    /// `RUSTLE_TOO_MANY_SYMBOLS`, `RUSTLE_WRONG_STATE` (the session is over); nothing is changed then.
    ///
    /// Example: `rustle_feed_start_trades`, `add_count` 2, `remove_count` 2.
    #[doc(alias = "rustle_feed_subscribe")]
    pub(crate) fn subscribe(&self, add: &[RustleString], remove: &[RustleString]) -> Outcome<FeedError> {
        Ok(self.0.subscribe(&names(add, "add")?, &names(remove, "remove")?)?)
    }

    /// Writes the name of a symbol, by the number that records of this session carry, to `name`, for which
    /// `RUSTLE_SYMBOL_CAPACITY` bytes are enough room. `length` receives the number of bytes: UTF-8, not NUL-terminated. A number
    /// has the same name for as long as the feed lives. Works after the session's end, until its handle is freed.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (the name does not fit), `RUSTLE_INVALID_VALUE` (no such number); nothing is written
    /// then.
    ///
    /// Example: `rustle_feed_start_trades`, `name_capacity` 32.
    #[doc(alias = "rustle_feed_symbol")]
    pub(crate) fn symbol(&self, number: u32, name: &mut [u8], length: &mut usize) -> Result<(), CallFault> {
        let unknown = CallFault::value("number", "expected a symbol's number, got one that is not in use");
        write_text(&self.0.symbol(number).ok_or(unknown)?, name, "name", length)
    }
}

impl Describe<RustleFeedOmissions> for FeedConsumer {
    /// Writes to `description` how many trades a session's candles or statistics do not have in them, also of one that is over; 0
    /// for other sessions of a feed.
    ///
    /// Example: `rustle_feed_start_candles`.
    #[doc(alias = "rustle_feed_omissions")]
    fn describe(&self) -> RustleFeedOmissions {
        self.0.omissions().into()
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
    /// What the record says.
    /// Errors: it has no such kind.
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
    Interval::from_ns(ns).ok_or(CallFault::value(name, "expected 1 ns or more, got less"))
}
