//! What a node holds.

use crate::characteristic::Characteristic;
use crate::flag::Flag;
use crate::text::Text;

/// The readable values of a node, as far as they were read. The password is none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Its name.
    pub name: Text,
    /// Its network.
    pub ssid: Text,
    /// Its universe; `None`: not two bytes.
    pub universe: Option<u16>,
    /// Its DMX start address; `None`: not two bytes.
    pub start: Option<u16>,
    /// Its firmware.
    pub firmware: Text,
    /// Its flag; `None`: no byte.
    pub flag: Option<Flag>,
}

impl Configuration {
    /// Keeps the value of a characteristic.
    pub(crate) fn set(&mut self, characteristic: Characteristic, value: &[u8]) {
        let number = || value.try_into().ok().map(u16::from_le_bytes);
        match characteristic {
            Characteristic::Name => self.name = Text::read(value),
            Characteristic::Ssid => self.ssid = Text::read(value),
            Characteristic::Universe => self.universe = number(),
            Characteristic::Start => self.start = number(),
            Characteristic::Firmware => self.firmware = Text::read(value),
            Characteristic::Flag => self.flag = Flag::read(value),
            Characteristic::Password | Characteristic::Command => {}
        }
    }
}
