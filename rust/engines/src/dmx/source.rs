//! The pure sender of either protocol, and how changes reach it.

use super::configuration::{DmxConfiguration, DmxProtocol};
use super::following::Subscription;
use super::mailbox::Change;
use rustle_lighting::sender::{
    ArtNetSender, ArtNetSenderSettings, Destinations, Packet, SacnOutput, SacnSender, SacnSenderSettings,
    SenderCounters, SenderError, Target,
};
use rustle_lighting::{PortAddress, SacnUniverse, artnet};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The state of a session's packets.
#[derive(Debug)]
pub(super) enum Source {
    /// With the settings of universes that are added.
    Sacn(SacnSender, SacnOutput),
    /// With the destinations of Port-Addresses that are added, and the nodes that list some.
    ArtNet(ArtNetSender, Destinations, Vec<Subscription>),
}

impl Source {
    /// A source whose first frame is at `start_ns`.
    pub(super) fn new(
        configuration: &DmxConfiguration,
        mut destinations: Vec<SocketAddrV4>,
        broadcast: Option<Ipv4Addr>,
        start_ns: u64,
    ) -> Self {
        let DmxConfiguration {
            rate, sync_gap_ns, ..
        } = *configuration;
        if configuration.protocol == DmxProtocol::ArtNet {
            let broadcast = broadcast.map(|address| SocketAddrV4::new(address, artnet::PORT));
            // It may be named as well.
            destinations.extend(broadcast.filter(|address| !destinations.contains(address)));
            let settings = ArtNetSenderSettings {
                rate,
                // Of those that follow nodes it is the broadcast address (Art-Net 4, "ArtSync").
                sync: match configuration.sends_art_sync {
                    true => destinations.clone(),
                    false => Vec::new(),
                },
                sync_gap_ns,
            };
            return Self::ArtNet(
                ArtNetSender::new(settings, start_ns),
                match configuration.follows_nodes() {
                    true => Destinations::Subscribers,
                    false => Destinations::Fixed(destinations),
                },
                Vec::new(),
            );
        }
        let settings = SacnSenderSettings {
            cid: configuration.cid,
            name: configuration.name,
            rate,
            sync_gap_ns,
        };
        let output = SacnOutput {
            priority: configuration.priority,
            sync_address: configuration.sync_address,
            forces_sync: configuration.forces_sync,
            is_preview: configuration.is_preview,
            target: match destinations.is_empty() {
                true => Target::Multicast,
                false => Target::Unicast(destinations),
            },
        };
        Self::Sacn(SacnSender::new(settings, start_ns), output)
    }

    /// Changes a universe, which the mailbox has checked.
    ///
    /// # Errors
    /// [`SenderError`]: the mailbox and the sender differ.
    pub(super) fn apply(&mut self, change: &Change) -> Result<(), SenderError> {
        let number = u32::from(change.universe);
        let unknown = |_| SenderError::UnknownUniverse { got: change.universe };
        match self {
            Self::Sacn(sender, output) => {
                let universe = SacnUniverse::new(number).map_err(unknown)?;
                if change.is_removed {
                    if let Some(levels) = change.last_levels() {
                        sender.set_levels(universe, levels)?;
                    }
                    sender.remove(universe)?;
                }
                if change.is_added {
                    sender.add(universe, output.clone())?;
                }
                if let Some(priority) = change.priority {
                    sender.set_priority(universe, priority)?;
                }
                if let Some(priorities) = &change.priorities {
                    sender.set_priorities(universe, priorities.get())?;
                }
                match change.levels.get() {
                    Some(levels) => sender.set_levels(universe, levels),
                    None => Ok(()),
                }
            }
            Self::ArtNet(sender, destinations, nodes) => {
                let address = PortAddress::new(number).map_err(unknown)?;
                if change.is_removed {
                    if let Some(levels) = change.last_levels() {
                        sender.set_levels(address, levels)?;
                    }
                    sender.remove(address)?;
                }
                if change.is_added {
                    sender.add(address, 0, destinations.clone())?;
                    sender.subscribe(address, subscribers(nodes, address))?;
                }
                match change.levels.get() {
                    Some(levels) => sender.set_levels(address, levels),
                    None => Ok(()),
                }
            }
        }
    }

    /// Sends each Port-Address to the nodes that list it, from the next frame on. Only of Art-Net that follows nodes.
    pub(super) fn follow(&mut self, subscriptions: Vec<Subscription>) {
        if let Self::ArtNet(sender, _, nodes) = self {
            *nodes = subscriptions;
            for address in sender.addresses().to_vec() {
                // One that is ending goes where it went.
                let _ = sender.subscribe(address, subscribers(nodes, address));
            }
        }
    }

    /// The Port-Addresses that no node lists, where the data follow the nodes.
    pub(super) fn unheard(&self) -> usize {
        match self {
            Self::Sacn(..) => 0,
            Self::ArtNet(sender, ..) => sender.unheard(),
        }
    }

    /// Ends all universes: levels that wait follow, and terminated packets.
    pub(super) fn stop(&mut self) {
        match self {
            Self::Sacn(sender, _) => sender.stop(),
            Self::ArtNet(sender, ..) => sender.stop(),
        }
    }

    /// Whether all is sent, after a stop.
    pub(super) fn is_finished(&self) -> bool {
        match self {
            Self::Sacn(sender, _) => sender.is_finished(),
            Self::ArtNet(sender, ..) => sender.is_finished(),
        }
    }

    pub(super) fn advance(&mut self, now_ns: u64) {
        match self {
            Self::Sacn(sender, _) => sender.advance(now_ns),
            Self::ArtNet(sender, ..) => sender.advance(now_ns),
        }
    }

    pub(super) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Sacn(sender, _) => sender.next_ns(),
            Self::ArtNet(sender, ..) => sender.next_ns(),
        }
    }

    /// The packets of the last `advance`, in the order in which they are to be sent.
    pub(super) fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        let (sacn, artnet) = match self {
            Self::Sacn(sender, _) => (Some(sender), None),
            Self::ArtNet(sender, ..) => (None, Some(sender)),
        };
        let sacn = sacn.into_iter().flat_map(SacnSender::packets);
        sacn.chain(artnet.into_iter().flat_map(ArtNetSender::packets))
    }

    pub(super) fn counters(&self) -> SenderCounters {
        match self {
            Self::Sacn(sender, _) => sender.counters(),
            Self::ArtNet(sender, ..) => sender.counters(),
        }
    }

    /// The universes, including those that are ending.
    pub(super) fn universes(&self) -> usize {
        match self {
            Self::Sacn(sender, _) => sender.universes().len(),
            Self::ArtNet(sender, ..) => sender.addresses().len(),
        }
    }
}

/// The nodes that list a Port-Address.
fn subscribers(nodes: &[Subscription], address: PortAddress) -> impl Iterator<Item = Ipv4Addr> + '_ {
    let first = nodes.partition_point(|(listed, _)| *listed < address);
    let listing = nodes[first..]
        .iter()
        .take_while(move |(listed, _)| *listed == address);
    listing.map(|(_, node)| *node)
}
