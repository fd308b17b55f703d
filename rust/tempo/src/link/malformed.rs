//! Why a datagram is not a message.

use std::fmt;

/// Why a datagram was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Malformed {
    /// It has 512 bytes or more.
    Length,
    /// The header is neither that of discovery nor that of measurement, of version 1.
    Header,
    /// The type is none of the header's.
    Type,
    /// The group id is not 0.
    Group,
    /// An entry is longer than the rest of the message.
    Entry,
    /// An entry of a known key has another size.
    Size,
    /// An entry that the type needs is missing.
    Missing,
    /// The tempo is not positive.
    Tempo,
    /// A time or a number of beats is beyond 2^62.
    Range,
    /// The payload of a ping has more than 32 bytes.
    Payload,
}

impl Malformed {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::Length,
        Self::Header,
        Self::Type,
        Self::Group,
        Self::Entry,
        Self::Size,
        Self::Missing,
        Self::Tempo,
        Self::Range,
        Self::Payload,
    ];

    /// The position in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in counters: `header`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Header => "header",
            Self::Type => "type",
            Self::Group => "group",
            Self::Entry => "entry",
            Self::Size => "size of an entry",
            Self::Missing => "missing entry",
            Self::Tempo => "tempo",
            Self::Range => "range",
            Self::Payload => "payload",
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session message: malformed {}", self.name())
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_numbered_in_their_order() {
        let indices: Vec<_> = Malformed::ALL.iter().map(|reason| reason.index()).collect();
        assert_eq!(indices, (0..Malformed::ALL.len()).collect::<Vec<_>>());
    }
}
