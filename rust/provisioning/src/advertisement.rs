//! What nodes send without a connection.

/// A node that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advertisement {
    /// What the radio calls it: with BlueZ its address.
    pub id: String,
    /// Its name; empty: none.
    pub name: String,
    /// Its signal in dBm; `None`: it was seen earlier, and is not in range.
    pub rssi: Option<i16>,
    /// Its flag, major and minor version: the manufacturer data of company 0xFFFF.
    pub state: Option<[u8; 3]>,
}

impl Advertisement {
    /// Whether it is the node of this name or identifier.
    pub fn is(&self, wanted: &str) -> bool {
        self.name == wanted || self.id.eq_ignore_ascii_case(wanted)
    }
}
