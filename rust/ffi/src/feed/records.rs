//! The records of a feed's consumers. A decimal number is an integer, `…_units`, and the number of its digits after the point,
//! `…_scale`: 65000.10 is 6500010 and 2. It has at most 18 digits, at most 18 of them after the point.

use crate::lent::{choices, same, Choice, Flag};
use crate::records::records;
use rustle_engines::{
    FeedAlert, FeedCounts, FeedTrade, Notice, NoticeKind, Notices, Wanted, NOTICE_TEXT_BYTES,
};
use rustle_market::{Candle, Decimal, Quote, Statistics};

/// The sequence number of a trade whose source has none.
pub const RUSTLE_NO_SEQUENCE: u64 = u64::MAX;
/// The maximum length of a symbol's name in bytes.
pub const RUSTLE_SYMBOL_CAPACITY: usize = 32;
/// The maximum length of a notice's text in bytes.
pub const RUSTLE_NOTICE_CAPACITY: usize = 104;

choices! {
    /// The kind of a notice about a source.
    pub enum RustleNotice = RUSTLE_NOTICE_ {
        /// A connection is being made.
        Connecting = 0,
        /// The connection is established.
        Connected = 1,
        /// The connection was refused or lost; `count` is the wait before the next attempt in milliseconds.
        Disconnected = 2,
        /// A message was malformed; `count` is its index, from 0.
        Malformed = 3,
        /// A message was longer than the limit; `count` messages were read so far.
        Oversized = 4,
        /// The source ended; the text is the reason of a failure, or empty.
        Closed = 5,
        /// An external feed has room again, after it refused bytes.
        Room = 6,
        /// The subscribed symbols may have changed: `rustle_feed_wanted`.
        Wanted = 8,
        /// No notice yet; from `rustle_feed_connection` only.
        None = 7,
        /// The source has begun to number anew, for the reason in the text.
        Renumbered = 9,
    }

    /// The notices that a consumer receives.
    pub enum RustleNotices = RUSTLE_NOTICES_ for Notices {
        /// All notices except those of room and of subscriptions.
        All = 0,
        /// The notices of the connection and of the end, beginning with the newest one so far, if any.
        Connection = 1,
        /// The notices of room.
        Room = 2,
        /// The notices of subscriptions.
        Wanted = 3,
    }
}

const _: () = assert!(RUSTLE_NOTICE_CAPACITY == NOTICE_TEXT_BYTES);
const _: () = assert!(RUSTLE_SYMBOL_CAPACITY == rustle_market::MAX_SYMBOL_BYTES);
const _: () = assert!(RUSTLE_NO_SEQUENCE == rustle_market::NO_SEQUENCE);

records! {
    /// A trade of a feed.
    pub struct RustleTrade in lanes of FeedTrade {
        /// The price, in units of 10^-`price_scale`.
        pub price_units: i64 = |record| record.trade.price.units(),
        /// The size, in units of 10^-`size_scale`; 0 when the source has none.
        pub size_units: i64 = |record| record.trade.size.units(),
        /// The time in nanoseconds since 1970-01-01T00:00:00Z; the time of arrival where the source has none.
        pub time_ns: i64 = |record| record.trade.time_ns,
        /// The source's sequence number, counted for each symbol; `RUSTLE_NO_SEQUENCE` when it has none.
        pub sequence: u64 = |record| record.trade.sequence,
        /// The length of the sequence gap of the symbol just before this trade.
        pub sequence_gap: u64,
        /// The symbol's number in this feed; `rustle_feed_symbol` has its name.
        pub symbol: u32 = |record| record.trade.symbol,
        /// Records dropped for this consumer just before this one (with a policy that keeps the newest: of its own symbol).
        pub gap: u32,
        /// The best bid, in units of 10^-`bid_scale`.
        pub bid_units: i64 = |record| side(record, Quote::bid).units(),
        /// The best ask, in units of 10^-`ask_scale`.
        pub ask_units: i64 = |record| side(record, Quote::ask).units(),
        /// The size at the bid, in units of 10^-`bid_size_scale`; 0 when the source has none.
        pub bid_size_units: i64 = |record| side(record, Quote::bid_size).units(),
        /// The size at the ask, in units of 10^-`ask_size_scale`; 0 when the source has none.
        pub ask_size_units: i64 = |record| side(record, Quote::ask_size).units(),
        /// Digits of the price after the point.
        pub price_scale: u8 = |record| record.trade.price.scale(),
        /// Digits of the size after the point.
        pub size_scale: u8 = |record| record.trade.size.scale(),
        /// 1 when a trade of its symbol with a higher sequence number came before, else 0.
        pub is_out_of_order: u8,
        /// The taker's side: 1 bought, 2 sold; 0 when the source has none.
        pub side: u8 = |record| record.trade.side.map_or(0, |side| side as u8 + 1),
        /// 1 when the source has a bid and an ask, whose middle is the price where it has no other; else 0, as those.
        pub has_quote: u8 = |record| record.trade.quote.is_some().into(),
        /// Digits of the bid after the point.
        pub bid_scale: u8 = |record| side(record, Quote::bid).scale(),
        /// Digits of the ask after the point.
        pub ask_scale: u8 = |record| side(record, Quote::ask).scale(),
        /// Digits of the size at the bid after the point.
        pub bid_size_scale: u8 = |record| side(record, Quote::bid_size).scale(),
        /// Digits of the size at the ask after the point.
        pub ask_size_scale: u8 = |record| side(record, Quote::ask_size).scale(),
        reserved: [u8; 7],
    }

    /// A candle: the trades of one symbol in one interval.
    pub struct RustleCandle in lanes of Candle {
        /// The start of the interval in nanoseconds since 1970-01-01T00:00:00Z.
        pub start_ns: i64,
        /// The price of the earliest trade.
        pub open_units: i64 = |candle| candle.open.units(),
        /// The highest price.
        pub high_units: i64 = |candle| candle.high.units(),
        /// The lowest price.
        pub low_units: i64 = |candle| candle.low.units(),
        /// The price of the latest trade.
        pub close_units: i64 = |candle| candle.close.units(),
        /// The sum of the sizes; 0 when `is_volume_exact` is 0.
        pub volume_units: i64 = |candle| candle.volume.to_decimal().map_or(0, |volume| volume.units()),
        /// The sum of the sizes, rounded.
        pub volume: f64 = |candle| candle.volume.to_f64(),
        /// The mean price, weighted by size; 0 without sizes.
        pub vwap: f64 = |candle| candle.vwap().unwrap_or(0.),
        /// The number of trades, at least 1.
        pub count: u64,
        /// The symbol's number in this feed.
        pub symbol: u32,
        /// Records dropped for this consumer just before this one.
        pub gap: u32,
        /// Digits of the opening price after the point.
        pub open_scale: u8 = |candle| candle.open.scale(),
        /// Digits of the highest price after the point.
        pub high_scale: u8 = |candle| candle.high.scale(),
        /// Digits of the lowest price after the point.
        pub low_scale: u8 = |candle| candle.low.scale(),
        /// Digits of the closing price after the point.
        pub close_scale: u8 = |candle| candle.close.scale(),
        /// Digits of the volume after the point.
        pub volume_scale: u8 = |candle| candle.volume.to_decimal().map_or(0, |volume| volume.scale()),
        /// 1 when the volume has at most 18 digits, so that `volume_units` is the exact sum; else 0.
        pub is_volume_exact: u8 = |candle| candle.volume.to_decimal().is_some().into(),
        reserved: [u8; 2],
    }

    /// Statistics of one symbol's prices over a window of time.
    pub struct RustlePriceStatistics in lanes of Statistics {
        /// The end of the window in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// The number of trades in the window, at least 1.
        pub count: u64,
        /// The mean price of the trades, unweighted.
        pub mean: f64,
        /// The sample variance of the prices; 0 for one trade.
        pub variance: f64,
        /// The lowest price.
        pub min_units: i64 = |prices| prices.min.units(),
        /// The highest price.
        pub max_units: i64 = |prices| prices.max.units(),
        /// The oldest price in the window.
        pub first_units: i64 = |prices| prices.first.units(),
        /// The newest price in the window.
        pub last_units: i64 = |prices| prices.last.units(),
        /// The symbol's number in this feed.
        pub symbol: u32,
        /// Records dropped for this consumer just before this one.
        pub gap: u32,
        /// Digits of the lowest price after the point.
        pub min_scale: u8 = |prices| prices.min.scale(),
        /// Digits of the highest price after the point.
        pub max_scale: u8 = |prices| prices.max.scale(),
        /// Digits of the oldest price after the point.
        pub first_scale: u8 = |prices| prices.first.scale(),
        /// Digits of the newest price after the point.
        pub last_scale: u8 = |prices| prices.last.scale(),
        reserved: [u8; 4],
    }

    /// An alert that fired.
    pub struct RustlePriceAlert in lanes of FeedAlert {
        /// The price that reached the threshold.
        pub price_units: i64 = |alert| alert.trade.price.units(),
        /// The size of its trade; 0 when the source has none.
        pub size_units: i64 = |alert| alert.trade.size.units(),
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64 = |alert| alert.trade.time_ns,
        /// The trade's sequence number, as in `RustleTrade`.
        pub sequence: u64 = |alert| alert.trade.sequence,
        /// The index of the consumer's threshold, from 0.
        pub threshold: u32,
        /// The symbol's number in this feed.
        pub symbol: u32 = |alert| alert.trade.symbol,
        /// Records dropped for this consumer just before this one.
        pub gap: u32,
        /// Digits of the price after the point.
        pub price_scale: u8 = |alert| alert.trade.price.scale(),
        /// Digits of the size after the point.
        pub size_scale: u8 = |alert| alert.trade.size.scale(),
        reserved: [u8; 2],
    }

    /// A notice about a source.
    pub struct RustleFeedNotice in lanes of Notice {
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// A number that depends on the kind; else 0.
        pub count: u64,
        /// The kind.
        pub kind: Choice<RustleNotice> = |notice| RustleNotice::from(notice.kind).into(),
        /// Notices dropped for this consumer just before this one.
        pub gap: u32,
        /// The bytes of `text` in use.
        pub text_length: u32 = |notice| notice.text.as_str().len() as u32,
        /// The number of consecutive failed attempts, for notices of connections; else 0.
        pub failures: u32,
        /// The reason or the address, for display: UTF-8, not NUL-terminated.
        pub text: [u8; RUSTLE_NOTICE_CAPACITY] = |notice| notice.text.padded(),
    }
}

/// A number of a trade's quote; 0 without one.
fn side(record: &FeedTrade, number: impl FnOnce(Quote) -> Decimal) -> Decimal {
    record.trade.quote.map_or(Decimal::ZERO, number)
}

impl RustleFeedNotice {
    pub(super) const NONE: Self = Self {
        time_ns: 0,
        count: 0,
        kind: Choice::of_number(RustleNotice::None as u32),
        gap: 0,
        text_length: 0,
        failures: 0,
        text: [0; RUSTLE_NOTICE_CAPACITY],
    };
}

same!(NoticeKind as RustleNotice: Connecting Connected Disconnected Malformed Oversized Closed Room Wanted Renumbered);

records! {
    /// The symbols that the consumers of a feed subscribe to together.
    pub struct RustleFeedWanted for Wanted {
        /// Increases whenever the subscriptions may have changed.
        pub version: u64,
        /// The number of symbols subscribed to by name.
        pub count: usize = |wanted| wanted.names.len(),
        /// The length of their names in the text of `rustle_feed_wanted`, in bytes.
        pub length: usize = |wanted| wanted.names.iter().map(|name| name.len() + 1).sum(),
        /// 1 when a consumer subscribes to all symbols; else 0.
        pub all: Flag,
        reserved: u32,
    }

    /// The counts of a source so far.
    pub struct RustleFeedCounts for FeedCounts {
        /// Bytes read.
        pub bytes: u64,
        /// Lines or messages read, empty ones aside.
        pub messages: u64,
        /// Trades delivered to the consumers.
        pub trades: u64,
        /// Malformed messages, which were skipped.
        pub malformed: u64,
        /// Messages longer than the limit, which were skipped.
        pub oversized: u64,
        /// Messages that are not trades: heartbeats, acknowledgements.
        pub others: u64,
        /// The number of sequence gaps.
        pub gaps: u64,
        /// The number of sequence numbers in gaps, including those that arrived later.
        pub sequence_numbers_in_gaps: u64,
        /// Trades whose sequence number had arrived before; they are dropped.
        pub duplicates: u64,
        /// Trades that arrived after one of their symbol with a higher sequence number.
        pub out_of_order: u64,
        /// Connections made, the first included.
        pub connections: u64,
        /// Connections lost or refused.
        pub disconnections: u64,
    }
}
