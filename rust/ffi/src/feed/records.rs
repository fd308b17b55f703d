//! What the consumers of a feed are handed. A decimal number is an integer, `…_units`, and how many of its digits stand after
//! the point, `…_scale`: 65000.10 is 6500010 and 2. It has at most 18 digits, at most 18 of them after the point.

use crate::lane::LaneRecord;
use crate::lent::{choices, copied, Choice, Flag};
use rustle_engines::{FeedAlert, FeedCounts, FeedQuote, Notice, NoticeKind, Notices, NOTICE_TEXT_BYTES};
use rustle_market::{Candle, Statistics};

/// The sequence number of a quote whose source has none.
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
}

choices! {
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

/// A quote of a feed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleQuote {
    /// The price, in units of 10^-`price_scale`.
    pub price_units: i64,
    /// The size, in units of 10^-`size_scale`; 0 when the source has none.
    pub size_units: i64,
    /// When: nanoseconds since 1970-01-01T00:00:00Z; where the source has none, when it came in.
    pub time_ns: i64,
    /// The source's own number, counted for each symbol; `RUSTLE_NO_SEQUENCE` when it has none.
    pub sequence: u64,
    /// How many of the symbol's numbers the source skipped just before this one.
    pub skipped: u64,
    /// The symbol's number in this feed; `rustle_feed_symbol` has its name.
    pub symbol: u32,
    /// Records that this consumer lost just before this one (with a policy of the latest: of its own symbol).
    pub gap: u32,
    /// Digits of the price after the point.
    pub price_scale: u8,
    /// Digits of the size after the point.
    pub size_scale: u8,
    /// 1 when a quote of its symbol with a higher number came before, else 0.
    pub is_out_of_order: u8,
    /// 0.
    pub reserved: [u8; 5],
}

impl LaneRecord<FeedQuote> for RustleQuote {
    #[inline]
    fn new(record: &FeedQuote, gap: u32) -> Self {
        let quote = &record.quote;
        Self {
            price_units: quote.price.units(),
            size_units: quote.size.units(),
            time_ns: quote.time_ns,
            sequence: quote.sequence,
            skipped: record.skipped,
            symbol: quote.symbol,
            gap,
            price_scale: quote.price.scale(),
            size_scale: quote.size.scale(),
            is_out_of_order: u8::from(record.is_out_of_order),
            reserved: [0; 5],
        }
    }
}

/// A candle: the quotes of one symbol in one interval.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleCandle {
    /// Where the interval starts: nanoseconds since 1970-01-01T00:00:00Z.
    pub start_ns: i64,
    /// The price of the earliest quote.
    pub open_units: i64,
    /// The highest price.
    pub high_units: i64,
    /// The lowest price.
    pub low_units: i64,
    /// The price of the latest quote.
    pub close_units: i64,
    /// The sum of the sizes; 0 when `is_volume_exact` is 0.
    pub volume_units: i64,
    /// The sum of the sizes, rounded.
    pub volume: f64,
    /// How many quotes it has, at least 1.
    pub count: u64,
    /// The symbol's number in this feed.
    pub symbol: u32,
    /// Records that this consumer lost just before this one.
    pub gap: u32,
    /// Digits of the opening price after the point.
    pub open_scale: u8,
    /// Digits of the highest price after the point.
    pub high_scale: u8,
    /// Digits of the lowest price after the point.
    pub low_scale: u8,
    /// Digits of the closing price after the point.
    pub close_scale: u8,
    /// Digits of the volume after the point.
    pub volume_scale: u8,
    /// 1 when the volume has at most 18 digits, so that `volume_units` is the very sum; else 0.
    pub is_volume_exact: u8,
    /// 0.
    pub reserved: [u8; 2],
}

impl LaneRecord<Candle> for RustleCandle {
    #[inline]
    fn new(candle: &Candle, gap: u32) -> Self {
        let volume = candle.volume.to_decimal();
        Self {
            start_ns: candle.start_ns,
            open_units: candle.open.units(),
            high_units: candle.high.units(),
            low_units: candle.low.units(),
            close_units: candle.close.units(),
            volume_units: volume.map_or(0, |volume| volume.units()),
            volume: candle.volume.to_f64(),
            count: candle.count,
            symbol: candle.symbol,
            gap,
            open_scale: candle.open.scale(),
            high_scale: candle.high.scale(),
            low_scale: candle.low.scale(),
            close_scale: candle.close.scale(),
            volume_scale: volume.map_or(0, |volume| volume.scale()),
            is_volume_exact: u8::from(volume.is_some()),
            reserved: [0; 2],
        }
    }
}

/// The prices of one symbol's last while.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePriceStatistics {
    /// Where the window ends: nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// How many quotes are in the window, at least 1.
    pub count: u64,
    /// The mean price, each quote counting the same.
    pub mean: f64,
    /// The sample variance of the prices; 0 for one quote.
    pub variance: f64,
    /// The lowest price.
    pub min_units: i64,
    /// The highest price.
    pub max_units: i64,
    /// The oldest price in the window.
    pub first_units: i64,
    /// The newest.
    pub last_units: i64,
    /// The symbol's number in this feed.
    pub symbol: u32,
    /// Records that this consumer lost just before this one.
    pub gap: u32,
    /// Digits of the lowest price after the point.
    pub min_scale: u8,
    /// Digits of the highest price after the point.
    pub max_scale: u8,
    /// Digits of the oldest price after the point.
    pub first_scale: u8,
    /// Digits of the newest price after the point.
    pub last_scale: u8,
    /// 0.
    pub reserved: [u8; 4],
}

impl LaneRecord<Statistics> for RustlePriceStatistics {
    #[inline]
    fn new(s: &Statistics, gap: u32) -> Self {
        Self {
            time_ns: s.time_ns,
            count: s.count,
            mean: s.mean,
            variance: s.variance,
            min_units: s.min.units(),
            max_units: s.max.units(),
            first_units: s.first.units(),
            last_units: s.last.units(),
            symbol: s.symbol,
            gap,
            min_scale: s.min.scale(),
            max_scale: s.max.scale(),
            first_scale: s.first.scale(),
            last_scale: s.last.scale(),
            reserved: [0; 4],
        }
    }
}

/// An alert that fired.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePriceAlert {
    /// The price that reached the level.
    pub price_units: i64,
    /// The size of its quote; 0 when the source has none.
    pub size_units: i64,
    /// When: nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// The quote's number, as in `RustleQuote`.
    pub sequence: u64,
    /// Which of the consumer's thresholds, from 0.
    pub threshold: u32,
    /// The symbol's number in this feed.
    pub symbol: u32,
    /// Records that this consumer lost just before this one.
    pub gap: u32,
    /// Digits of the price after the point.
    pub price_scale: u8,
    /// Digits of the size after the point.
    pub size_scale: u8,
    /// 0.
    pub reserved: [u8; 2],
}

impl LaneRecord<FeedAlert> for RustlePriceAlert {
    #[inline]
    fn new(alert: &FeedAlert, gap: u32) -> Self {
        let quote = &alert.quote;
        Self {
            price_units: quote.price.units(),
            size_units: quote.size.units(),
            time_ns: quote.time_ns,
            sequence: quote.sequence,
            threshold: alert.threshold,
            symbol: quote.symbol,
            gap,
            price_scale: quote.price.scale(),
            size_scale: quote.size.scale(),
            reserved: [0; 2],
        }
    }
}

/// Something that happened to a source.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedNotice {
    /// When: nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// A number that says more, by the kind; else 0.
    pub count: u64,
    /// What happened.
    pub kind: Choice<RustleNotice>,
    /// Notices that this consumer lost just before this one.
    pub gap: u32,
    /// The bytes of `text` in use.
    pub text_length: u32,
    /// How many attempts in a row have failed, for notices of connections; else 0.
    pub failures: u32,
    /// The reason or the place, for people to read: UTF-8, not NUL-terminated.
    pub text: [u8; RUSTLE_NOTICE_CAPACITY],
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

impl LaneRecord<Notice> for RustleFeedNotice {
    fn new(notice: &Notice, gap: u32) -> Self {
        let used = notice.text.as_str().as_bytes();
        let mut text = [0; RUSTLE_NOTICE_CAPACITY];
        text[..used.len()].copy_from_slice(used);
        Self {
            time_ns: notice.time_ns,
            count: notice.count,
            kind: RustleNotice::from(notice.kind).into(),
            gap,
            text_length: used.len() as u32,
            failures: notice.failures,
            text,
        }
    }
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

/// The symbols that the consumers of a feed want together.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedWanted {
    /// Higher than before whenever what is wanted may have changed.
    pub version: u64,
    /// How many are wanted by name.
    pub count: usize,
    /// The bytes that their names take in the text of `rustle_feed_wanted`.
    pub length: usize,
    /// 1: somebody wants all that there are; else 0.
    pub all: Flag,
    /// 0.
    pub reserved: u32,
}

/// What a source met with so far.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedCounts {
    /// Bytes read.
    pub bytes: u64,
    /// Lines or messages read, empty ones aside.
    pub messages: u64,
    /// Quotes handed to the consumers.
    pub quotes: u64,
    /// Messages that could not be understood.
    pub malformed: u64,
    /// Messages longer than the bound, which were skipped.
    pub oversized: u64,
    /// Messages that are no quotes: heartbeats, acknowledgements.
    pub others: u64,
    /// How many times numbers of a symbol were skipped.
    pub gaps: u64,
    /// How many numbers were skipped, those that came later included.
    pub skipped: u64,
    /// Quotes whose number had come before; they are left out.
    pub duplicates: u64,
    /// Quotes that came after one of their symbol with a higher number.
    pub out_of_order: u64,
    /// Connections made, the first included.
    pub connections: u64,
    /// Connections that were lost or refused.
    pub disconnections: u64,
}

copied! {
    FeedCounts => RustleFeedCounts {
        bytes, messages, quotes, malformed, oversized, others, gaps, skipped, duplicates, out_of_order, connections, disconnections,
    }
}
