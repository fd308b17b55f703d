//! Why a datagram is not a packet of Art-Net.

use std::fmt;

/// Why a datagram was dropped; the variants are in the order of the checks, and the first that fails is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Malformed {
    /// It does not begin with `Art-Net` and a NUL.
    Identifier,
    /// It ends before the opcode.
    Opcode,
    /// It ends before the protocol version, or the version is below 14.
    Version,
    /// An ArtPollReply of less than 198 bytes.
    ReplyLength,
    /// The Port-Address is above 32767.
    Address,
    /// The length of ArtDmx is not 1 to 512, or more than the datagram has.
    DmxLength,
}

impl Malformed {
    /// Every reason, in the order of the checks.
    pub const ALL: [Self; 6] = [
        Self::Identifier,
        Self::Opcode,
        Self::Version,
        Self::ReplyLength,
        Self::Address,
        Self::DmxLength,
    ];

    /// The position in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in counters: `reply length`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Opcode => "opcode",
            Self::Version => "version",
            Self::ReplyLength => "reply length",
            Self::Address => "Port-Address",
            Self::DmxLength => "DMX length",
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Art-Net packet: malformed {}", self.name())
    }
}

impl std::error::Error for Malformed {}
