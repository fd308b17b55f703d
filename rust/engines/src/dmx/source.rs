//! The pure sender of either protocol, and how changes reach it.

use super::configuration::{DmxConfiguration, DmxProtocol};
use super::mailbox::Change;
use rustle_lighting::sender::{
    ArtNetSender, ArtNetSenderSettings, Datagram, Destinations, SacnOutput, SacnSender, SacnSenderSettings,
    SenderCounters, SenderError, Target,
};
use rustle_lighting::{PortAddress, SacnUniverse, artnet};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The state of a session's packets.
#[derive(Debug)]
pub(super) enum Source {
    /// With the settings of universes that are added.
    Sacn(SacnSender, SacnOutput),
    /// With the destinations of Port-Addresses that are added.
    ArtNet(ArtNetSender, Destinations),
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
            destinations.extend(broadcast.map(|address| SocketAddrV4::new(address, artnet::PORT)));
            let settings = ArtNetSenderSettings {
                rate,
                sync: match configuration.sends_art_sync {
                    true => destinations.clone(),
                    false => Vec::new(),
                },
                sync_gap_ns,
            };
            return Self::ArtNet(
                ArtNetSender::new(settings, start_ns),
                Destinations::Fixed(destinations),
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
            Self::ArtNet(sender, destinations) => {
                let address = PortAddress::new(number).map_err(unknown)?;
                if change.is_removed {
                    sender.remove(address)?;
                }
                if change.is_added {
                    sender.add(address, 0, destinations.clone())?;
                }
                match change.levels.get() {
                    Some(levels) => sender.set_levels(address, levels),
                    None => Ok(()),
                }
            }
        }
    }

    /// Ends all universes: terminated packets follow.
    ///
    /// # Errors
    /// [`SenderError`]: the sender lacks what it lists.
    pub(super) fn stop(&mut self) -> Result<(), SenderError> {
        match self {
            Self::Sacn(sender, _) => {
                sender.stop();
                Ok(())
            }
            Self::ArtNet(sender, _) => {
                while let Some(address) = sender.addresses().last().copied() {
                    sender.remove(address)?;
                }
                Ok(())
            }
        }
    }

    /// Whether all is sent, after a stop.
    pub(super) fn is_finished(&self) -> bool {
        match self {
            Self::Sacn(sender, _) => sender.is_finished(),
            Self::ArtNet(sender, _) => sender.addresses().is_empty() && sender.next_ns().is_none(),
        }
    }

    pub(super) fn advance(&mut self, now_ns: u64) {
        match self {
            Self::Sacn(sender, _) => sender.advance(now_ns),
            Self::ArtNet(sender, _) => sender.advance(now_ns),
        }
    }

    pub(super) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Sacn(sender, _) => sender.next_ns(),
            Self::ArtNet(sender, _) => sender.next_ns(),
        }
    }

    /// The datagrams of the last `advance`, in the order in which they are to be sent.
    pub(super) fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        let (sacn, artnet) = match self {
            Self::Sacn(sender, _) => (Some(sender), None),
            Self::ArtNet(sender, _) => (None, Some(sender)),
        };
        let sacn = sacn.into_iter().flat_map(SacnSender::datagrams);
        sacn.chain(artnet.into_iter().flat_map(ArtNetSender::datagrams))
    }

    pub(super) fn counters(&self) -> SenderCounters {
        match self {
            Self::Sacn(sender, _) => sender.counters(),
            Self::ArtNet(sender, _) => sender.counters(),
        }
    }

    /// The universes, including those that are ending.
    pub(super) fn universes(&self) -> usize {
        match self {
            Self::Sacn(sender, _) => sender.universes().len(),
            Self::ArtNet(sender, _) => sender.addresses().len(),
        }
    }
}
