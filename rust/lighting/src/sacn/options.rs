//! The options of a data packet.

/// The options of a data packet (ANSI E1.31-2018, 6.2.6). The lower five bits are sent as 0 and ignored when received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options(u8);

impl Options {
    /// No option.
    pub const NONE: Self = Self(0);
    /// For previews, not for output.
    pub const PREVIEW: Self = Self(0x80);
    /// The source ends the universe; the packet's levels are ignored.
    pub const TERMINATED: Self = Self(0x40);
    /// When synchronization is lost, data act at once again.
    pub const FORCE_SYNC: Self = Self(0x20);

    /// The options of a received byte.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0xE0)
    }

    /// The byte.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// These and others.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether all of these are set.
    pub fn has(self, options: Self) -> bool {
        self.0 & options.0 == options.0
    }
}
