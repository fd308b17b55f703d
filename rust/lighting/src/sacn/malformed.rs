//! Why a datagram is not a packet of sACN.

use std::fmt;

/// Why a datagram was dropped; the variants are in the order of the checks, and the first that fails is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Malformed {
    /// The packet identifier is not `ASC-E1.17`.
    Identifier,
    /// The sizes of preamble and postamble are not 0x0010 and 0.
    Preamble,
    /// The root layer's flags are not 0x7, or its length is more than the datagram's or less than any packet's.
    RootLength,
    /// The root layer's vector is neither data nor extended.
    RootVector,
    /// The framing layer's length does not fit the root layer's.
    FramingLength,
    /// The framing layer's vector is none of the root layer's.
    FramingVector,
    /// The DMP layer's length does not fit the framing layer's.
    DmpLength,
    /// The DMP layer's vector is not 0x02.
    DmpVector,
    /// Address and data type are not 0xA1.
    AddressType,
    /// The first property address is not 0.
    FirstAddress,
    /// The address increment is not 1.
    Increment,
    /// The number of values does not fit the DMP layer's length, or is not 1 to 513.
    ValueCount,
    /// The priority, or one of the slots', is above 200.
    Priority,
    /// The universe is not 1 to 63999.
    Universe,
    /// The synchronization address is not 1 to 63999, or missing in a synchronization packet.
    SyncAddress,
    /// The universe discovery layer's length does not fit, or its vector is not 1.
    Discovery,
    /// A page is after the last one.
    Page,
    /// The universes of a page are not in ascending order, or not 1 to 63999.
    Universes,
}

impl Malformed {
    /// Every reason, in the order of the checks.
    pub const ALL: [Self; 18] = [
        Self::Identifier,
        Self::Preamble,
        Self::RootLength,
        Self::RootVector,
        Self::FramingLength,
        Self::FramingVector,
        Self::DmpLength,
        Self::DmpVector,
        Self::AddressType,
        Self::FirstAddress,
        Self::Increment,
        Self::ValueCount,
        Self::Priority,
        Self::Universe,
        Self::SyncAddress,
        Self::Discovery,
        Self::Page,
        Self::Universes,
    ];

    /// The position in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in counters: `root length`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Preamble => "preamble",
            Self::RootLength => "root length",
            Self::RootVector => "root vector",
            Self::FramingLength => "framing length",
            Self::FramingVector => "framing vector",
            Self::DmpLength => "DMP length",
            Self::DmpVector => "DMP vector",
            Self::AddressType => "address type",
            Self::FirstAddress => "first address",
            Self::Increment => "increment",
            Self::ValueCount => "value count",
            Self::Priority => "priority",
            Self::Universe => "universe",
            Self::SyncAddress => "synchronization address",
            Self::Discovery => "discovery layer",
            Self::Page => "page",
            Self::Universes => "universes",
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sACN packet: malformed {}", self.name())
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_place_and_a_name_of_its_own() {
        let mut names: Vec<_> = Malformed::ALL.iter().map(|reason| reason.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Malformed::ALL.len());
        assert!(
            Malformed::ALL
                .iter()
                .enumerate()
                .all(|(index, reason)| reason.index() == index)
        );
    }
}
