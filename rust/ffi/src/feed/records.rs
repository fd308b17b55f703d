//! What the consumers of a feed are handed. A decimal number is an integer, `…_units`, and how many of its digits stand after
//! the point, `…_scale`: 65000.10 is 6500010 and 2. It has at most 18 digits, at most 18 of them after the point.

use crate::lent::{choices, Choice, Flag};
use crate::records::records;
use rustle_engines::{
    FeedAlert, FeedCounts, FeedTrade, Notice, NoticeKind, Notices, Wanted, NOTICE_TEXT_BYTES,
};
use rustle_market::{Candle, Statistics};

/// The sequence number of a trade whose source has none.
pub const RUSTLE_NO_SEQUENCE: u64 = u64::MAX;
/// The most bytes that a symbol's name has.
pub const RUSTLE_SYMBOL_CAPACITY: usize = 32;
/// The most bytes that a notice's text has.
pub const RUSTLE_NOTICE_CAPACITY: usize = 104;

choices! {
    /// What happened to a source.
    pub enum RustleNotice = RUSTLE_NOTICE_ {
        /// A connection is being made.
        Connecting = 0,
        /// A connection stands.
        Connected = 1,
        /// The connection was refused or lost; `count` milliseconds pass before the next attempt.
        Disconnected = 2,
        /// A message could not be understood; `count` is its number, from 0.
        Malformed = 3,
        /// A message was longer than the bound; `count` messages were read so far.
        Oversized = 4,
        /// The source is over: by itself, or for the reason in the text.
        Closed = 5,
        /// A source that its host fills has room again, after it refused some bytes.
        Room = 6,
        /// The consumers may want other symbols than before: `rustle_feed_wanted`.
        Wanted = 8,
        /// Nothing is known of a connection yet: only from `rustle_feed_connection`.
        None = 7,
    }

    /// Which notices a consumer gets.
    pub enum RustleNotices = RUSTLE_NOTICES_ for Notices {
        /// All notices but those of room and of what is wanted.
        All = 0,
        /// Those from connecting to disconnected, and of the end: first the newest that there is, if any.
        Connection = 1,
        /// Those of room.
        Room = 2,
        /// Those of what is wanted.
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
        /// When: nanoseconds since 1970-01-01T00:00:00Z; where the source has none, when it came in.
        pub time_ns: i64 = |record| record.trade.time_ns,
        /// The source's own number, counted for each symbol; `RUSTLE_NO_SEQUENCE` when it has none.
        pub sequence: u64 = |record| record.trade.sequence,
        /// How many of the symbol's numbers the source skipped just before this one.
        pub sequence_gap: u64,
        /// The symbol's number in this feed; `rustle_feed_symbol` has its name.
        pub symbol: u32 = |record| record.trade.symbol,
        /// Records that this consumer lost just before this one (with a policy of the latest: of its own symbol).
        pub gap: u32,
        /// Digits of the price after the point.
        pub price_scale: u8 = |record| record.trade.price.scale(),
        /// Digits of the size after the point.
        pub size_scale: u8 = |record| record.trade.size.scale(),
        /// 1 when a trade of its symbol with a higher number came before, else 0.
        pub is_out_of_order: u8,
        reserved: [u8; 5],
    }

    /// A candle: the trades of one symbol in one interval.
    pub struct RustleCandle in lanes of Candle {
        /// Where the interval starts: nanoseconds since 1970-01-01T00:00:00Z.
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
        /// How many trades it has, at least 1.
        pub count: u64,
        /// The symbol's number in this feed.
        pub symbol: u32,
        /// Records that this consumer lost just before this one.
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
        /// 1 when the volume has at most 18 digits, so that `volume_units` is the very sum; else 0.
        pub is_volume_exact: u8 = |candle| candle.volume.to_decimal().is_some().into(),
        reserved: [u8; 2],
    }

    /// The prices of one symbol's last while.
    pub struct RustlePriceStatistics in lanes of Statistics {
        /// Where the window ends: nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// How many trades are in the window, at least 1.
        pub count: u64,
        /// The mean price, each trade counting the same.
        pub mean: f64,
        /// The sample variance of the prices; 0 for one trade.
        pub variance: f64,
        /// The lowest price.
        pub min_units: i64 = |prices| prices.min.units(),
        /// The highest price.
        pub max_units: i64 = |prices| prices.max.units(),
        /// The oldest price in the window.
        pub first_units: i64 = |prices| prices.first.units(),
        /// The newest.
        pub last_units: i64 = |prices| prices.last.units(),
        /// The symbol's number in this feed.
        pub symbol: u32,
        /// Records that this consumer lost just before this one.
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
        /// The price that reached the level.
        pub price_units: i64 = |alert| alert.trade.price.units(),
        /// The size of its trade; 0 when the source has none.
        pub size_units: i64 = |alert| alert.trade.size.units(),
        /// When: nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64 = |alert| alert.trade.time_ns,
        /// The trade's number, as in `RustleTrade`.
        pub sequence: u64 = |alert| alert.trade.sequence,
        /// Which of the consumer's thresholds, from 0.
        pub threshold: u32,
        /// The symbol's number in this feed.
        pub symbol: u32 = |alert| alert.trade.symbol,
        /// Records that this consumer lost just before this one.
        pub gap: u32,
        /// Digits of the price after the point.
        pub price_scale: u8 = |alert| alert.trade.price.scale(),
        /// Digits of the size after the point.
        pub size_scale: u8 = |alert| alert.trade.size.scale(),
        reserved: [u8; 2],
    }

    /// Something that happened to a source.
    pub struct RustleFeedNotice in lanes of Notice {
        /// When: nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// A number that says more, by the kind; else 0.
        pub count: u64,
        /// What happened.
        pub kind: Choice<RustleNotice> = |notice| RustleNotice::from(notice.kind).into(),
        /// Notices that this consumer lost just before this one.
        pub gap: u32,
        /// The bytes of `text` in use.
        pub text_length: u32 = |notice| notice.text.as_str().len() as u32,
        /// How many attempts in a row have failed, for notices of connections; else 0.
        pub failures: u32,
        /// The reason or the place, for people to read: UTF-8, not NUL-terminated.
        pub text: [u8; RUSTLE_NOTICE_CAPACITY] = |notice| notice.text.padded(),
    }
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

impl From<NoticeKind> for RustleNotice {
    fn from(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::Connecting => Self::Connecting,
            NoticeKind::Connected => Self::Connected,
            NoticeKind::Disconnected => Self::Disconnected,
            NoticeKind::Malformed => Self::Malformed,
            NoticeKind::Oversized => Self::Oversized,
            NoticeKind::Closed => Self::Closed,
            NoticeKind::Room => Self::Room,
            NoticeKind::Wanted => Self::Wanted,
        }
    }
}

records! {
    /// The symbols that the consumers of a feed want together.
    pub struct RustleFeedWanted for Wanted {
        /// Higher than before whenever what is wanted may have changed.
        pub version: u64,
        /// How many are wanted by name.
        pub count: usize = |wanted| wanted.names.len(),
        /// The bytes that their names take in the text of `rustle_feed_wanted`.
        pub length: usize = |wanted| wanted.names.iter().map(|name| name.len() + 1).sum(),
        /// 1: somebody wants all that there are; else 0.
        pub all: Flag,
        reserved: u32,
    }

    /// What a source met with so far.
    pub struct RustleFeedCounts for FeedCounts {
        /// Bytes read.
        pub bytes: u64,
        /// Lines or messages read, empty ones aside.
        pub messages: u64,
        /// Trades handed to the consumers.
        pub trades: u64,
        /// Messages that could not be understood.
        pub malformed: u64,
        /// Messages longer than the bound, which were skipped.
        pub oversized: u64,
        /// Messages that are no trades: heartbeats, acknowledgements.
        pub others: u64,
        /// How many times numbers of a symbol were skipped.
        pub gaps: u64,
        /// How many numbers were skipped, those that came later included.
        pub skipped_numbers: u64,
        /// Trades whose number had come before; they are left out.
        pub duplicates: u64,
        /// Trades that came after one of their symbol with a higher number.
        pub out_of_order: u64,
        /// Connections made, the first included.
        pub connections: u64,
        /// Connections that were lost or refused.
        pub disconnections: u64,
    }
}
