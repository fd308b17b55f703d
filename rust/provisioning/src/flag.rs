//! The provisioned flag.

use std::fmt;

/// What a node says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// It was never provisioned, or was reset.
    Unprovisioned,
    /// It works with what it was given.
    Provisioned,
    /// It takes values.
    Provisioning,
    /// It connects to the network.
    Connecting,
    /// It is connected to the network.
    Connected,
    /// It refused the values, or found no network.
    Error,
    /// A number of a later firmware.
    Other(u8),
}

impl Flag {
    /// The flag of a number.
    pub const fn of(number: u8) -> Self {
        match number {
            0 => Self::Unprovisioned,
            1 => Self::Provisioned,
            2 => Self::Provisioning,
            3 => Self::Connecting,
            4 => Self::Connected,
            0xFF => Self::Error,
            other => Self::Other(other),
        }
    }

    /// The flag of a characteristic's value, whose first byte counts; `None` without one.
    pub fn read(value: &[u8]) -> Option<Self> {
        value.first().map(|number| Self::of(*number))
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        match self {
            Self::Unprovisioned => 0,
            Self::Provisioned => 1,
            Self::Provisioning => 2,
            Self::Connecting => 3,
            Self::Connected => 4,
            Self::Error => 0xFF,
            Self::Other(number) => number,
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprovisioned => f.write_str("unprovisioned"),
            Self::Provisioned => f.write_str("provisioned"),
            Self::Provisioning => f.write_str("provisioning"),
            Self::Connecting => f.write_str("connecting to the network"),
            Self::Connected => f.write_str("connected to the network"),
            Self::Error => f.write_str("error"),
            Self::Other(number) => write!(f, "unknown ({number})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_flag_and_gives_it_back() {
        for number in 0..=255 {
            assert_eq!(Flag::of(number).number(), number);
        }
        assert_eq!(Flag::read(&[]), None);
        assert_eq!(Flag::read(&[0xFF, 1]), Some(Flag::Error));
    }
}
