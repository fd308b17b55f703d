//! What a member is started with.

use rustle_tempo::beats::{Quantum, Tempo};

/// The configuration of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkConfiguration {
    /// The tempo before there are peers; 120 BPM.
    pub tempo: Tempo,
    /// The quantum; four beats.
    pub quantum: Quantum,
    /// Whether starts and stops are shared.
    pub follows_start_stop: bool,
    /// The interfaces, by name or address; none: all, with the loopback, by which programs of one machine hear each other.
    pub interfaces: Vec<String>,
    /// The port of the session's programs; `None`: 20808, that of other programs. Those of different ports do not meet.
    pub port: Option<u16>,
}
