//! The GATT service of a node and its characteristics.

use std::fmt;
use std::str::FromStr;

/// A UUID of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(u128);

/// The service, whose first bytes spell "ChromaDMX".
pub const SERVICE: Uuid = Uuid(0x4368_726f_6d61_444d_5800_0000_0000_0001);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:032x}", self.0);
        let (a, b, c, d, e) = (
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..],
        );
        write!(f, "{a}-{b}-{c}-{d}-{e}")
    }
}

impl FromStr for Uuid {
    type Err = ();

    /// Reads 8-4-4-4-12 digits in either case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let groups: Vec<_> = text.split('-').map(str::len).collect();
        let digits: String = text.split('-').collect();
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if groups != [8, 4, 4, 4, 12] || !is_hexadecimal {
            return Err(());
        }
        u128::from_str_radix(&digits, 16).map(Self).map_err(drop)
    }
}

/// A characteristic of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Characteristic {
    /// The node's name: read and write, UTF-8, at most 32 bytes.
    Name,
    /// The network's name (SSID): read and write, at most 32 bytes.
    Ssid,
    /// The network's password: write only, at most 64 bytes.
    Password,
    /// The universe: read and write, 16 bits, the low byte first.
    Universe,
    /// The DMX start address: read and write, 16 bits, the low byte first.
    Start,
    /// The provisioned flag: read and notify.
    Flag,
    /// The firmware: read, UTF-8, at most 16 bytes.
    Firmware,
    /// The command: write.
    Command,
}

impl Characteristic {
    /// All of them, as the service lists them.
    pub const ALL: [Self; 8] = [
        Self::Name,
        Self::Ssid,
        Self::Password,
        Self::Universe,
        Self::Start,
        Self::Flag,
        Self::Firmware,
        Self::Command,
    ];

    /// The last byte of its UUID.
    pub const fn last_byte(self) -> u8 {
        match self {
            Self::Name => 0x10,
            Self::Ssid => 0x11,
            Self::Password => 0x12,
            Self::Universe => 0x13,
            Self::Start => 0x14,
            Self::Flag => 0x15,
            Self::Firmware => 0x16,
            Self::Command => 0x20,
        }
    }

    /// The characteristic of the last byte of a UUID.
    pub fn of_last_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.last_byte() == byte)
    }

    /// Its UUID: the service's with another last byte.
    pub const fn uuid(self) -> Uuid {
        Uuid(SERVICE.0 & !0xFF | self.last_byte() as u128)
    }

    /// The characteristic of a UUID.
    pub fn of(uuid: Uuid) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.uuid() == uuid)
    }

    /// Its name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Ssid => "ssid",
            Self::Password => "password",
            Self::Universe => "universe",
            Self::Start => "start",
            Self::Flag => "flag",
            Self::Firmware => "firmware",
            Self::Command => "command",
        }
    }
}

impl fmt::Display for Characteristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_those_of_the_service() {
        assert_eq!(SERVICE.to_string(), "4368726f-6d61-444d-5800-000000000001");
        let all = Characteristic::ALL.map(|one| one.uuid().to_string()[34..].to_owned());
        assert_eq!(all, ["10", "11", "12", "13", "14", "15", "16", "20"]);
        assert_eq!(
            Characteristic::Command.uuid().to_string(),
            "4368726f-6d61-444d-5800-000000000020"
        );
    }

    #[test]
    fn uuids_are_compared_without_case_and_malformed_ones_refused() {
        let upper = "4368726F-6D61-444D-5800-000000000015".parse();
        assert_eq!(upper.map(Characteristic::of), Ok(Some(Characteristic::Flag)));
        for text in [
            "",
            "4368726f6d61444d5800000000000001",
            "4368726f-6d61-444d-5800-00000000000g",
            "4368726f-6d61-444d-5800-0000000000015",
            "+368726f-6d61-444d-5800-000000000001",
            "é368726-6d61-444d-5800-000000000001",
        ] {
            assert_eq!(text.parse::<Uuid>(), Err(()), "{text}");
        }
        assert_eq!(Characteristic::of(SERVICE), None);
    }
}
