//! The reports on a source: counts, and notices of single events.

use crate::lane::Record;
use rustle_dsp::BoundedText;

/// The counts of a source so far. A message yields trades, or is in one of the counts from `malformed` to `others`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedCounts {
    /// Bytes read.
    pub bytes: u64,
    /// Lines or messages read, except empty ones.
    pub messages: u64,
    /// Trades delivered to the consumers.
    pub trades: u64,
    /// Malformed messages.
    pub malformed: u64,
    /// Messages longer than the limit, which were skipped.
    pub oversized: u64,
    /// Messages other than trades: heartbeats, acknowledgements.
    pub others: u64,
    /// Sequence gaps of a symbol's numbers.
    pub gaps: u64,
    /// Sequence numbers in gaps, including those that arrived later.
    pub sequence_numbers_in_gaps: u64,
    /// Trades with a sequence number that came before; they are left out.
    pub duplicates: u64,
    /// Trades out of order: after one of their symbol with a higher number.
    pub out_of_order: u64,
    /// Connections made, the first included.
    pub connections: u64,
    /// Connections that were lost or refused.
    pub disconnections: u64,
}

/// The kinds of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// The source is connecting.
    Connecting,
    /// The source is connected.
    Connected,
    /// The connection was refused or lost, for the reason in the text; the next attempt follows after `count` milliseconds.
    Disconnected,
    /// A message was malformed, for the reason in the text; `count` is its number. The stream continues.
    Malformed,
    /// A message was longer than the limit, and was skipped; `count` messages were read so far.
    Oversized,
    /// The source has ended, for the reason in the text if there is one.
    Closed,
    /// An external source has room again, after it refused some bytes.
    Room,
    /// The combined subscriptions may have changed.
    Wanted,
    /// The source has begun to number anew, for the reason in the text.
    Renumbered,
}

/// The notices that a consumer gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// All except those for the host alone, of room and of subscriptions.
    All,
    /// Connections and the end, beginning with the newest notice, if any.
    Connection,
    /// Notices of room.
    Room,
    /// Notices of changed subscriptions.
    Wanted,
}

impl Notices {
    pub(super) fn has(self, kind: NoticeKind) -> bool {
        match self {
            Self::All => !matches!(kind, NoticeKind::Room | NoticeKind::Wanted),
            Self::Connection => kind.is_of_connection(),
            Self::Room => kind == NoticeKind::Room,
            Self::Wanted => kind == NoticeKind::Wanted,
        }
    }
}

impl NoticeKind {
    pub(super) fn is_of_connection(self) -> bool {
        matches!(
            self,
            Self::Connecting | Self::Connected | Self::Disconnected | Self::Closed
        )
    }
}

/// The longest text of a notice, in bytes of UTF-8.
pub const NOTICE_TEXT_BYTES: usize = 104;

/// The text of a notice.
pub type NoticeText = BoundedText<NOTICE_TEXT_BYTES>;

/// Something that happened to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The kind of the event.
    pub kind: NoticeKind,
    /// A number, of a meaning by the kind; else 0.
    pub count: u64,
    /// The number of consecutive failed attempts, for notices of connections; else 0.
    pub failures: u32,
    /// The time, in nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// The reason or the address, for people to read.
    pub text: NoticeText,
}

impl Record for Notice {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(NoticeText::new("").as_str(), "");
        assert_eq!(
            NoticeText::new("the port is closed").as_str(),
            "the port is closed"
        );
        assert_eq!(NoticeText::new("ab").padded()[..4], *b"ab\0\0");
        let text = "ä".repeat(NOTICE_TEXT_BYTES);
        assert_eq!(NoticeText::new(&text).as_str(), "ä".repeat(NOTICE_TEXT_BYTES / 2));
        let odd = format!("x{text}");
        assert_eq!(NoticeText::new(&odd).as_str().len(), NOTICE_TEXT_BYTES - 1);
    }
}
