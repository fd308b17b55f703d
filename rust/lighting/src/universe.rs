//! The numbers of DMX universes: of sACN, and the Port-Addresses of Art-Net.
//!
//! Neither is converted into the other: some programs call Port-Address 0 "universe 1", others Port-Address 1.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

/// The slots of a universe (ANSI E1.11: 512 slots of 8 bits); people number them from 1, arrays from 0.
pub const SLOTS: usize = 512;

/// A universe of sACN, or a synchronization address, which is a number of the same range: 1..=63999 (ANSI E1.31-2018, 6.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SacnUniverse(u16);

impl SacnUniverse {
    /// The first universe.
    pub const FIRST: Self = Self(1);
    /// The last universe.
    pub const LAST: Self = Self(63_999);

    /// A universe by its number.
    ///
    /// # Errors
    /// [`UniverseError::OutOfRange`] for 0 and for more than 63999.
    pub fn new(number: u32) -> Result<Self, UniverseError> {
        match u16::try_from(number) {
            Ok(number) if (Self::FIRST.0..=Self::LAST.0).contains(&number) => Ok(Self(number)),
            _ => Err(UniverseError::OutOfRange {
                expected: "1 to 63999",
                got: number,
            }),
        }
    }

    /// The number, 1..=63999.
    pub fn get(self) -> u16 {
        self.0
    }

    /// The multicast group of the universe: 239.255.(number / 256).(number % 256) (ANSI E1.31-2018, 9.3.1).
    pub fn group(self) -> Ipv4Addr {
        let [high, low] = self.0.to_be_bytes();
        Ipv4Addr::new(239, 255, high, low)
    }
}

impl fmt::Display for SacnUniverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for SacnUniverse {
    type Err = UniverseError;

    fn from_str(text: &str) -> Result<Self, UniverseError> {
        Self::new(number(text)?)
    }
}

/// A Port-Address of Art-Net: Net (7 bits), Sub-Net (4 bits) and Universe (4 bits), 0..=32767 (Art-Net 4, "Port-Address").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortAddress(u16);

impl PortAddress {
    /// The lowest Port-Address, 0.0.0.
    pub const FIRST: Self = Self(0);
    /// The highest Port-Address, 127.15.15.
    pub const LAST: Self = Self(0x7FFF);

    /// A Port-Address by its number.
    ///
    /// # Errors
    /// [`UniverseError::OutOfRange`] for more than 32767.
    pub fn new(number: u32) -> Result<Self, UniverseError> {
        match u16::try_from(number) {
            Ok(number) if number <= Self::LAST.0 => Ok(Self(number)),
            _ => Err(UniverseError::OutOfRange {
                expected: "0 to 32767",
                got: number,
            }),
        }
    }

    /// A Port-Address by its parts: Net 0..=127, Sub-Net 0..=15, Universe 0..=15.
    ///
    /// # Errors
    /// [`UniverseError::OutOfRange`] for a part above its range.
    pub fn from_parts(net: u32, sub_net: u32, universe: u32) -> Result<Self, UniverseError> {
        for (part, most, expected) in [
            (net, 127, "a Net of 0 to 127"),
            (sub_net, 15, "a Sub-Net of 0 to 15"),
            (universe, 15, "a Universe of 0 to 15"),
        ] {
            if part > most {
                return Err(UniverseError::OutOfRange { expected, got: part });
            }
        }
        Self::new(net << 8 | sub_net << 4 | universe)
    }

    /// The number, 0..=32767.
    pub fn get(self) -> u16 {
        self.0
    }

    /// Net, 0..=127: the Port-Address's upper 7 bits.
    pub fn net(self) -> u8 {
        self.0.to_be_bytes()[0]
    }

    /// Sub-Net, 0..=15.
    pub fn sub_net(self) -> u8 {
        self.low() >> 4
    }

    /// Universe, 0..=15, of the Sub-Net.
    pub fn universe(self) -> u8 {
        self.low() & 0x0F
    }

    /// Sub-Net and Universe: the lower 8 bits.
    pub(crate) fn low(self) -> u8 {
        self.0.to_be_bytes()[1]
    }
}

/// `1.2.3`; with `{:#}` also its number, `1.2.3 (291)`.
impl fmt::Display for PortAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.net(), self.sub_net(), self.universe())?;
        if f.alternate() {
            write!(f, " ({})", self.0)?;
        }
        Ok(())
    }
}

/// Reads both forms, `1.2.3` and `291`.
impl FromStr for PortAddress {
    type Err = UniverseError;

    fn from_str(text: &str) -> Result<Self, UniverseError> {
        let mut parts = text.split('.');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(whole), None, ..) => Self::new(number(whole)?),
            (Some(net), Some(sub_net), Some(universe), None) => {
                Self::from_parts(number(net)?, number(sub_net)?, number(universe)?)
            }
            _ => Err(UniverseError::NotANumber),
        }
    }
}

/// Digits alone: no sign, no white space.
fn number(text: &str) -> Result<u32, UniverseError> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain {
        return Err(UniverseError::NotANumber);
    }
    // Only too many digits are left to fail.
    Ok(text.parse().unwrap_or(u32::MAX))
}

/// A universe that the protocol does not have. It is never replaced by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniverseError {
    /// The number, or a part of it, is outside its range.
    OutOfRange {
        /// The range.
        expected: &'static str,
        /// The number; `u32::MAX` for one that is larger.
        got: u32,
    },
    /// The text is neither a number nor, for a Port-Address, three numbers with dots between them.
    NotANumber,
}

impl fmt::Display for UniverseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { expected, got } => write!(f, "universe: expected {expected}, got {got}"),
            Self::NotANumber => {
                f.write_str("universe: expected a number, or net.sub-net.universe of Art-Net")
            }
        }
    }
}

impl std::error::Error for UniverseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sacn_has_1_to_63999_and_nothing_is_clamped() {
        for number in [1, 2, 255, 256, 63_999] {
            let universe = SacnUniverse::new(number).expect("in range");
            assert_eq!(universe.to_string().parse(), Ok(universe));
            assert_eq!(u32::from(universe.get()), number);
        }
        for number in [0, 64_000, 64_214, 65_535, 65_536, 65_537, u32::MAX] {
            let error = SacnUniverse::new(number);
            assert!(
                matches!(error, Err(UniverseError::OutOfRange { got, .. }) if got == number),
                "{number}"
            );
        }
    }

    #[test]
    fn groups_are_the_numbers_bytes() {
        let group = |number| SacnUniverse::new(number).map(SacnUniverse::group);
        assert_eq!(group(1), Ok(Ipv4Addr::new(239, 255, 0, 1)));
        assert_eq!(group(258), Ok(Ipv4Addr::new(239, 255, 1, 2)));
        assert_eq!(group(63_999), Ok(Ipv4Addr::new(239, 255, 249, 255)));
    }

    #[test]
    fn port_addresses_show_and_read_both_forms() {
        let address = PortAddress::from_parts(1, 2, 3).expect("in range");
        assert_eq!(
            (address.get(), format!("{address} {address:#}")),
            (291, "1.2.3 1.2.3 (291)".into())
        );
        for number in 0..=32_767 {
            let address = PortAddress::new(number).expect("in range");
            assert_eq!(address.to_string().parse(), Ok(address));
            assert_eq!(number.to_string().parse(), Ok(address));
            let parts = [address.net(), address.sub_net(), address.universe()].map(u32::from);
            assert_eq!(PortAddress::from_parts(parts[0], parts[1], parts[2]), Ok(address));
        }
    }

    #[test]
    fn port_addresses_out_of_range_are_refused() {
        assert!(PortAddress::new(32_768).is_err());
        for text in ["128.0.0", "0.16.0", "0.0.16", "32768", "99999999999999999999"] {
            assert!(
                matches!(text.parse::<PortAddress>(), Err(UniverseError::OutOfRange { .. })),
                "{text}"
            );
        }
        for text in ["", "1.2", "1.2.3.4", "1..3", "-1", "+1", " 1", "1.2.x"] {
            assert_eq!(
                text.parse::<PortAddress>(),
                Err(UniverseError::NotANumber),
                "{text}"
            );
        }
    }
}
