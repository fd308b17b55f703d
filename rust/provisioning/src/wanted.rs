//! What a node is to hold.

use crate::characteristic::Characteristic;
use crate::secret::Secret;
use crate::text::Text;
use std::fmt;
use std::ops::RangeInclusive;

/// The bytes of a name.
const NAME: RangeInclusive<usize> = 1..=32;
/// The bytes of a network's name.
const SSID: RangeInclusive<usize> = 1..=32;
/// The most bytes of a password; an empty one is an open network.
const PASSWORD: usize = 64;
/// The universes: Port-Addresses of Art-Net.
const UNIVERSES: RangeInclusive<u32> = 0..=32_767;
/// The slots of a universe.
const SLOTS: RangeInclusive<u32> = 1..=512;

/// The values for a node.
#[derive(Clone)]
pub struct Wanted {
    /// Its name, 1 to 32 bytes of UTF-8.
    pub name: String,
    /// Its network, 1 to 32 bytes.
    pub ssid: String,
    /// The network's password, at most 64 bytes; empty: an open network.
    pub password: Secret,
    /// Its universe, 0 to 32767.
    pub universe: u32,
    /// Its DMX start address, 1 to 512.
    pub start: u32,
    /// The slots that it takes from the start address on, when its profile is known.
    pub footprint: Option<u32>,
}

/// A value that no node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The name's length in bytes is not 1 to 32.
    NameLength {
        /// The given length.
        got: usize,
    },
    /// The network's name has not 1 to 32 bytes.
    SsidLength {
        /// The given length.
        got: usize,
    },
    /// A text has a NUL byte, which nodes end a text with.
    Nul {
        /// The value.
        field: Characteristic,
    },
    /// The password has more than 64 bytes.
    PasswordLength {
        /// The given length.
        got: usize,
    },
    /// The universe is not 0 to 32767.
    Universe {
        /// The given number.
        got: u32,
    },
    /// The start address is not 1 to 512.
    Start {
        /// The given number.
        got: u32,
    },
    /// The fixture does not end within the universe.
    End {
        /// Its start address.
        start: u32,
        /// Its slots.
        footprint: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameLength { got } => write!(f, "name: expected 1 to 32 bytes, got {got}"),
            Self::SsidLength { got } => write!(f, "ssid: expected 1 to 32 bytes, got {got}"),
            Self::Nul { field } => write!(f, "{field}: expected no NUL byte, got one"),
            Self::PasswordLength { got } => write!(f, "password: expected at most 64 bytes, got {got}"),
            Self::Universe { got } => write!(f, "universe: expected 0 to 32767, got {got}"),
            Self::Start { got } => write!(f, "start: expected 1 to 512, got {got}"),
            Self::End { start, footprint } => {
                write!(
                    f,
                    "start: expected {footprint} slots up to 512, got {start} as the first"
                )
            }
        }
    }
}

/// All the values of an attempt that no node takes: one or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusals(pub Vec<Refusal>);

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, refusal) in self.0.iter().enumerate() {
            write!(f, "{}{refusal}", if number == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusals {}

impl Wanted {
    /// The values that are written, in this order, and then read back except for the password.
    pub(crate) const WRITTEN: [Characteristic; 5] = [
        Characteristic::Name,
        Characteristic::Ssid,
        Characteristic::Password,
        Characteristic::Universe,
        Characteristic::Start,
    ];

    /// The values that are read back.
    pub(crate) const COMPARED: [Characteristic; 4] = [
        Characteristic::Name,
        Characteristic::Ssid,
        Characteristic::Universe,
        Characteristic::Start,
    ];

    /// Checks every value.
    ///
    /// # Errors
    /// All that no node takes.
    pub fn check(&self) -> Result<(), Refusals> {
        let mut refusals = Vec::new();
        let (name, ssid) = (self.name.len(), self.ssid.len());
        if !NAME.contains(&name) {
            refusals.push(Refusal::NameLength { got: name });
        }
        if !SSID.contains(&ssid) {
            refusals.push(Refusal::SsidLength { got: ssid });
        }
        for (field, text) in [
            (Characteristic::Name, self.name.as_bytes()),
            (Characteristic::Ssid, self.ssid.as_bytes()),
            (Characteristic::Password, self.password.bytes()),
        ] {
            if text.contains(&0) {
                refusals.push(Refusal::Nul { field });
            }
        }
        let password = self.password.bytes().len();
        if password > PASSWORD {
            refusals.push(Refusal::PasswordLength { got: password });
        }
        if !UNIVERSES.contains(&self.universe) {
            refusals.push(Refusal::Universe { got: self.universe });
        }
        if !SLOTS.contains(&self.start) {
            refusals.push(Refusal::Start { got: self.start });
        } else if let Some(footprint) = self.footprint
            && footprint > 513 - self.start
        {
            refusals.push(Refusal::End {
                start: self.start,
                footprint,
            });
        }
        if refusals.is_empty() {
            Ok(())
        } else {
            Err(Refusals(refusals))
        }
    }

    /// The bytes that are written to a characteristic: texts without a NUL, numbers of two bytes, the low one first.
    pub(crate) fn value(&self, characteristic: Characteristic) -> Secret {
        Secret::new(match characteristic {
            Characteristic::Name => self.name.clone().into_bytes(),
            Characteristic::Ssid => self.ssid.clone().into_bytes(),
            Characteristic::Password => return self.password.clone(),
            // Checked to have two bytes.
            Characteristic::Universe => (self.universe as u16).to_le_bytes().to_vec(),
            Characteristic::Start => (self.start as u16).to_le_bytes().to_vec(),
            Characteristic::Flag | Characteristic::Firmware | Characteristic::Command => Vec::new(),
        })
    }

    /// Whether a value that was read is the one that was written.
    pub(crate) fn matches(&self, characteristic: Characteristic, value: &[u8]) -> bool {
        let expected = self.value(characteristic);
        match characteristic {
            Characteristic::Name | Characteristic::Ssid => Text::read(value).bytes() == expected.bytes(),
            _ => value == expected.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Wanted {
        Wanted {
            name: "left".to_owned(),
            ssid: "stage".to_owned(),
            password: Secret::new(b"hunter22".to_vec()),
            universe: 0x1234,
            start: 500,
            footprint: Some(13),
        }
    }

    #[test]
    fn good_values_pass_also_at_the_limits() {
        assert_eq!(wanted().check(), Ok(()));
        let mut most = wanted();
        (most.name, most.ssid) = ("é".repeat(16), "x".repeat(32));
        (most.password, most.universe) = (Secret::new(vec![b'p'; 64]), 32_767);
        (most.start, most.footprint) = (512, Some(1));
        assert_eq!(most.check(), Ok(()));
        most.password = Secret::new(Vec::new());
        (most.start, most.footprint, most.universe) = (1, Some(512), 0);
        assert_eq!(most.check(), Ok(()));
    }

    #[test]
    fn all_refused_values_are_named_at_once() {
        let wanted = Wanted {
            // 17 characters of two bytes: lengths are of bytes.
            name: "é".repeat(17),
            ssid: String::new(),
            password: Secret::new(vec![b'p'; 65]),
            universe: 32_768,
            start: 513,
            footprint: Some(1),
        };
        let refusals = wanted.check().expect_err("refused");
        assert_eq!(
            refusals.to_string(),
            "name: expected 1 to 32 bytes, got 34; ssid: expected 1 to 32 bytes, got 0; \
             password: expected at most 64 bytes, got 65; universe: expected 0 to 32767, got 32768; \
             start: expected 1 to 512, got 513"
        );
        assert_eq!(
            Wanted {
                start: 501,
                ..self::wanted()
            }
            .check(),
            Err(Refusals(vec![Refusal::End {
                start: 501,
                footprint: 13
            }]))
        );
        assert_eq!(
            Wanted {
                footprint: Some(u32::MAX),
                name: "a\0b".to_owned(),
                ..self::wanted()
            }
            .check(),
            Err(Refusals(vec![
                Refusal::Nul {
                    field: Characteristic::Name
                },
                Refusal::End {
                    start: 500,
                    footprint: u32::MAX
                },
            ]))
        );
    }

    #[test]
    fn original_wrote_numbers_as_decimal_text() {
        let bytes = |characteristic| wanted().value(characteristic).bytes().to_vec();
        assert_eq!(bytes(Characteristic::Universe), [0x34, 0x12]);
        assert_eq!(bytes(Characteristic::Start), [0xF4, 0x01]);
        assert_eq!(bytes(Characteristic::Name), b"left");
        assert_eq!(bytes(Characteristic::Password), b"hunter22");
    }

    #[test]
    fn values_match_with_trailing_nuls_of_texts_alone() {
        let wanted = wanted();
        assert!(wanted.matches(Characteristic::Name, b"left\0\0"));
        assert!(!wanted.matches(Characteristic::Name, b"lef"));
        assert!(wanted.matches(Characteristic::Start, &[0xF4, 0x01]));
        assert!(!wanted.matches(Characteristic::Start, &[0xF4, 0x01, 0]));
        assert!(!wanted.matches(Characteristic::Universe, b"4660"));
    }
}
