//! What is received, and how.

use crate::dmx::DmxError;
use crate::ticker::RATE_RANGE;
use rustle_lighting::receiver::{MergeMode, OnLoss, PortSettings, SyncRule, UniverseSettings};
use rustle_lighting::{Name, PortAddress, SacnUniverse, artnet, sacn};

/// The most universes of a receiver.
pub const DMX_RECEIVED_UNIVERSES: usize = 4_096;

/// The most sources of a universe of sACN that are merged.
pub(in crate::dmx) const MOST_SOURCES: usize = 64;

/// The configuration of a receiver.
#[derive(Clone, Debug)]
pub struct DmxReceiverConfiguration {
    /// The interface: its name or address; empty: that of the default route; or [`DEMO_INTERFACE`](crate::DEMO_INTERFACE).
    pub interface: String,
    /// The universes of sACN.
    pub sacn: Vec<SacnUniverse>,
    /// The universes of Art-Net.
    pub art_net: Vec<PortAddress>,
    /// Which data a synchronization packet shows.
    pub sync_rule: SyncRule,
    /// How universes of sACN are received.
    pub universe: UniverseSettings,
    /// How two sources of Art-Net are merged.
    pub merge: MergeMode,
    /// Whether ArtPolls are answered, as the protocol wants of those who receive.
    pub answers_polls: bool,
    /// The node's short name.
    pub short_name: Name<18>,
    /// The node's long name.
    pub long_name: Name<64>,
    /// The port of sACN: [`sacn::PORT`] for all but those who agree on another.
    pub sacn_port: u16,
    /// The port of Art-Net: [`artnet::PORT`], likewise.
    pub art_net_port: u16,
    /// The levels of each universe a second on [`DEMO_INTERFACE`](crate::DEMO_INTERFACE), within [`RATE_RANGE`].
    pub levels_per_second: f64,
    /// The number of levels after which a session of levels ends; `None`: it does not.
    pub levels_limit: Option<u64>,
}

impl DmxReceiverConfiguration {
    /// Receives nothing, by the default route; answers ArtPolls with this name.
    pub fn new(short_name: Name<18>, long_name: Name<64>) -> Self {
        Self {
            interface: String::new(),
            sacn: Vec::new(),
            art_net: Vec::new(),
            sync_rule: SyncRule::Latest,
            universe: UniverseSettings::default(),
            merge: MergeMode::Htp,
            answers_polls: true,
            short_name,
            long_name,
            sacn_port: sacn::PORT,
            art_net_port: artnet::PORT,
            levels_per_second: 44.0,
            levels_limit: None,
        }
    }

    /// Checks what needs no system, and sorts the universes.
    ///
    /// # Errors
    /// [`DmxError::UniverseCount`], [`DmxError::SourceCount`], [`DmxError::ReportRate`].
    pub(super) fn checked(mut self) -> Result<Self, DmxError> {
        self.sacn.sort_unstable();
        self.sacn.dedup();
        self.art_net.sort_unstable();
        self.art_net.dedup();
        let got = self.universes();
        if !(1..=DMX_RECEIVED_UNIVERSES).contains(&got) {
            return Err(DmxError::UniverseCount { got });
        }
        if !(1..=MOST_SOURCES).contains(&self.universe.sources) {
            let got = self.universe.sources;
            return Err(DmxError::SourceCount { got });
        }
        if !RATE_RANGE.contains(&self.levels_per_second) {
            return Err(DmxError::ReportRate {
                got: self.levels_per_second,
            });
        }
        Ok(self)
    }

    /// The number of universes.
    pub(super) fn universes(&self) -> usize {
        self.sacn.len() + self.art_net.len()
    }

    /// How Port-Addresses are received.
    pub(super) fn port(&self) -> PortSettings {
        PortSettings {
            merge: self.merge,
            on_loss: self.on_loss(),
        }
    }

    fn on_loss(&self) -> OnLoss {
        self.universe.on_loss.clone()
    }
}
