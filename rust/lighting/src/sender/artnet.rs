//! The sender of ArtDmx and ArtSync (Art-Net 4, "ArtDmx", "ArtSync").

use super::error::checked;
use super::refresh::Refresh;
use super::{Datagram, FrameRate, Pacer, Packet, Recipients, SenderCounters, SenderError};
use crate::PortAddress;
use crate::artnet::{DmxBuffer, PORT, SYNC_PACKET};
use crate::by_universe::ByUniverse;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

/// How often, and whether frames are synchronized.
#[derive(Clone, Debug)]
pub struct ArtNetSenderSettings {
    /// Frames a second. A Port-Address is sent at most as often as DMX512 takes its slots.
    pub rate: FrameRate,
    /// Where an ArtSync goes after each frame: the interface's directed broadcast address, or nodes. None: no ArtSync. With
    /// ArtSync, all Port-Addresses are sent in each frame in which one of them is.
    pub sync: Vec<SocketAddrV4>,
    /// The time from a frame's data to its ArtSync, in ns. From a period on, one ArtSync follows several frames.
    pub sync_gap_ns: u64,
}

/// Where the data of a Port-Address go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// To these addresses.
    Fixed(Vec<SocketAddrV4>),
    /// To the nodes that list the Port-Address: [`ArtNetSender::subscribe`]. To an address that nobody listed nothing is sent.
    Subscribers,
}

impl Destinations {
    /// Whether they follow nodes, and the addresses at first.
    fn parts(self) -> (bool, Vec<SocketAddrV4>) {
        match self {
            Self::Fixed(to) => (false, to),
            Self::Subscribers => (true, Vec::new()),
        }
    }
}

#[derive(Debug)]
struct Output {
    address: PortAddress,
    packet: DmxBuffer,
    refresh: Refresh,
    /// The last number that was sent, 1..=255; 0 before the first.
    sequence: u8,
    is_lit: bool,
    /// Whether it is removed with its next packet.
    is_ending: bool,
    follows_nodes: bool,
    to: Vec<SocketAddrV4>,
}

impl Output {
    /// Whether levels wait to be sent.
    fn is_waiting(&self) -> bool {
        self.is_lit && !self.to.is_empty() && self.refresh.is_changed()
    }
}

/// Sends any number of Port-Addresses.
///
/// Used as [`SacnSender`](super::SacnSender). Art-Net has no packet for the end: a Port-Address that is removed is not sent
/// again, once the levels that were written before have left.
#[derive(Debug)]
pub struct ArtNetSender {
    settings: ArtNetSenderSettings,
    pacer: Pacer,
    outputs: ByUniverse<PortAddress, Output>,
    /// The last numbers of removed ones: receivers take a number for old that is not far behind.
    sequences: BTreeMap<PortAddress, u8>,
    due: Vec<PortAddress>,
    /// When the ArtSync of a frame is due, and whether it is one of the datagrams.
    sync_ns: Option<u64>,
    is_sync_due: bool,
    was_active: bool,
    counters: SenderCounters,
}

impl ArtNetSender {
    /// A sender of no Port-Address, whose first frame is at a time in ns.
    pub fn new(settings: ArtNetSenderSettings, start_ns: u64) -> Self {
        Self {
            pacer: Pacer::new(start_ns, settings.rate),
            settings,
            outputs: ByUniverse::new(),
            sequences: BTreeMap::new(),
            due: Vec::new(),
            sync_ns: None,
            is_sync_due: false,
            was_active: false,
            counters: SenderCounters::default(),
        }
    }

    /// Adds a Port-Address with the physical input that its packets name. One that is ending continues its sequence.
    ///
    /// # Errors
    /// [`SenderError::UniverseExists`].
    pub fn add(
        &mut self,
        address: PortAddress,
        physical: u8,
        destinations: Destinations,
    ) -> Result<(), SenderError> {
        if self.outputs.get(address).is_some_and(|output| output.is_ending) {
            self.discard(address);
        }
        let (follows_nodes, to) = destinations.parts();
        let output = Output {
            address,
            packet: DmxBuffer::new(address, physical),
            refresh: Refresh::default(),
            // The place is made here: removing allocates nothing.
            sequence: *self.sequences.entry(address).or_default(),
            is_lit: false,
            is_ending: false,
            follows_nodes,
            to,
        };
        if !self.outputs.insert(address, output) {
            return Err(SenderError::UniverseExists { got: address.get() });
        }
        self.due
            .reserve(self.outputs.len().saturating_sub(self.due.len()));
        Ok(())
    }

    /// Removes a Port-Address, after the packet of levels that were not sent yet.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`].
    pub fn remove(&mut self, address: PortAddress) -> Result<(), SenderError> {
        let output = self.output(address)?;
        output.is_ending = output.is_waiting();
        if !output.is_ending {
            self.discard(address);
        }
        Ok(())
    }

    /// Removes all Port-Addresses; [`is_finished`](Self::is_finished) says when the last packet was returned.
    pub fn stop(&mut self) {
        self.outputs
            .iter_mut()
            .for_each(|(_, output)| output.is_ending = true);
        self.sweep();
    }

    /// Whether no Port-Address is left, and no datagram.
    pub fn is_finished(&self) -> bool {
        self.outputs.len() == 0 && self.due.is_empty() && self.next_ns().is_none()
    }

    /// Removes those that are ending and have nothing left to send.
    fn sweep(&mut self) {
        let is_over = |output: &Output| output.is_ending && !output.is_waiting();
        for (address, output) in self.outputs.iter().filter(|(_, output)| is_over(output)) {
            self.sequences.insert(address, output.sequence);
        }
        self.outputs.retain(|output| !is_over(output));
    }

    fn discard(&mut self, address: PortAddress) {
        self.due.retain(|due| *due != address);
        if let Some(output) = self.outputs.remove(address) {
            self.sequences.insert(address, output.sequence);
        }
    }

    fn output(&mut self, address: PortAddress) -> Result<&mut Output, SenderError> {
        let output = self.outputs.get_mut(address).filter(|output| !output.is_ending);
        output.ok_or(SenderError::UnknownUniverse { got: address.get() })
    }

    /// The Port-Addresses, in ascending order, with those whose last packet waits.
    pub fn addresses(&self) -> &[PortAddress] {
        self.outputs.universes()
    }

    /// Writes the levels of a Port-Address for the next frame.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`], and [`SenderError::Slots`] for none or more than 512.
    pub fn set_levels(&mut self, address: PortAddress, slots: &[u8]) -> Result<(), SenderError> {
        let slots = checked(slots)?;
        let output = self.output(address)?;
        // The packet may have one slot more than it was given.
        let is_same = output.is_lit && {
            let before = output.packet.slots();
            before.len() == slots.len().next_multiple_of(2)
                && before.starts_with(slots)
                && before[slots.len()..].iter().all(|slot| *slot == 0)
        };
        if !is_same {
            output.packet.set_slots(slots);
            output.refresh.change();
            output.is_lit = true;
        }
        Ok(())
    }

    /// Changes where the data of a Port-Address go; they are sent there with the next frame. Whoever turns to subscribers calls
    /// [`subscribe`](Self::subscribe) next.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`].
    pub fn set_destinations(
        &mut self,
        address: PortAddress,
        destinations: Destinations,
    ) -> Result<(), SenderError> {
        let output = self.output(address)?;
        let (follows_nodes, to) = destinations.parts();
        if (output.follows_nodes, &output.to) != (follows_nodes, &to) {
            (output.follows_nodes, output.to) = (follows_nodes, to);
            output.refresh.change();
        }
        Ok(())
    }

    /// Writes the nodes to which the data of a Port-Address go that follows them, for example
    /// [`NodeTable::subscribers`](crate::nodes::NodeTable::subscribers). To be called when the table's generation differs. The data
    /// are sent with the next frame when a node is new.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`].
    pub fn subscribe(
        &mut self,
        address: PortAddress,
        nodes: impl Iterator<Item = Ipv4Addr>,
    ) -> Result<(), SenderError> {
        let output = self.output(address)?;
        if output.follows_nodes {
            let before = std::mem::take(&mut output.to);
            output.to.extend(nodes.map(|node| SocketAddrV4::new(node, PORT)));
            if output.to.iter().any(|node| !before.contains(node)) {
                output.refresh.change();
            }
        }
        Ok(())
    }

    /// The Port-Addresses with levels that go to nobody, since no node lists them.
    pub fn unheard(&self) -> usize {
        let is_unheard = |output: &Output| output.is_lit && output.to.is_empty();
        self.outputs
            .iter()
            .filter(|(_, output)| is_unheard(output))
            .count()
    }

    /// When something is due next, in ns; `None`: not before the next call of another function.
    pub fn next_ns(&self) -> Option<u64> {
        let frame = self.is_active().then(|| self.pacer.next_ns());
        frame.into_iter().chain(self.sync_ns).min()
    }

    fn is_active(&self) -> bool {
        self.outputs.iter().any(|(_, output)| output.is_lit)
    }

    /// Does what is due. The datagrams of the call before are gone.
    pub fn advance(&mut self, now_ns: u64) {
        self.due.clear();
        self.sweep();
        // One that is still waiting belongs to the frame before: it comes first, and by itself.
        self.is_sync_due = self.take_sync(now_ns);
        if self.is_sync_due {
            return;
        }
        let Some((frame_ns, skipped)) = self.pacer.take(now_ns) else {
            return;
        };
        let is_active = self.is_active();
        if is_active {
            self.counters.frames += 1;
            self.counters.skipped += if self.was_active { skipped } else { 0 };
            self.frame(frame_ns);
            self.is_sync_due = self.take_sync(now_ns);
        }
        self.was_active = is_active;
    }

    fn take_sync(&mut self, now_ns: u64) -> bool {
        let is_due = self.sync_ns.take_if(|due| *due <= now_ns).is_some();
        self.counters.syncs += u64::from(is_due);
        is_due
    }

    fn frame(&mut self, frame_ns: u64) {
        let period_ns = self.settings.rate.period_ns();
        let is_free = |output: &Output| output.refresh.is_free(frame_ns, period_ns);
        let is_due = |output: &Output| {
            output.is_lit && !output.to.is_empty() && output.refresh.is_due(frame_ns, period_ns)
        };
        let is_synchronous = !self.settings.sync.is_empty();
        let is_asked = is_synchronous
            && self.outputs.iter().any(|(_, output)| is_due(output))
            && self.outputs.iter().all(|(_, output)| is_free(output));
        for (address, output) in self.outputs.iter_mut() {
            let is_wanted = if is_synchronous {
                is_asked
            } else {
                is_due(output) && is_free(output)
            };
            if is_wanted && output.is_lit && !output.to.is_empty() {
                // 1 to 255 (Art-Net 4, "ArtDmx", Sequence): 0 is no number.
                output.sequence = output.sequence % 255 + 1;
                output.packet.set_sequence(output.sequence);
                output.refresh.sent(frame_ns, output.packet.slots().len(), 0);
                self.due.push(address);
                self.counters.packets += 1;
            }
        }
        if is_synchronous && !self.due.is_empty() {
            // One that is waiting is not put off.
            let due_ns = frame_ns.saturating_add(self.settings.sync_gap_ns);
            self.sync_ns.get_or_insert(due_ns);
        }
    }

    /// The packets of the last [`advance`](Self::advance), in the order in which they are to be sent.
    pub fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        let data = self.due.iter().filter_map(|address| self.outputs.get(*address));
        let data = data.map(|output| (Some(output.address.get()), output.packet.bytes(), &output.to));
        let sync = self
            .is_sync_due
            .then_some((None, &SYNC_PACKET[..], &self.settings.sync));
        data.chain(sync).map(|(universe, bytes, to)| Packet {
            to: Recipients::Addresses(to),
            universe,
            bytes,
        })
    }

    /// The datagrams of those packets.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        self.packets().flat_map(Packet::datagrams)
    }

    /// The counters.
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }
}
