//! The sources of a receiver and its sockets.

use super::configuration::DmxReceiverConfiguration;
use super::groups::{Groups, Refusal, Socket};
use super::network::{Network, unjoined, unopened};
use super::order::Gathered;
use super::records::{Changes, DmxEvent, DmxEventKind, DmxEventText, DmxLevels, DmxReceiverCounts};
use crate::clock::Nanoseconds;
use crate::dmx::answers::Answers;
use crate::dmx::station::sooner;
use crate::dmx::{DmxError, DmxProtocol};
use crate::job::PollContext;
use crate::system_reason::reason;
use crate::transport::{MOST_DATAGRAMS, Slots};
use rustle_lighting::nodes::{Failsafe, OwnNodeSettings, PortStatus};
use rustle_lighting::receiver::{ArtNetReceiver, MergeMode, OnLoss, ReceiverEvent, SacnReceiver};
use rustle_lighting::{PortAddress, SLOTS, SacnUniverse, artnet::Style};
use std::io;
use std::net::Ipv4Addr;

/// The bytes of a datagram that are read: a packet has at most 1,144.
const DATAGRAM_BYTES: usize = 1_500;

/// sACN.
pub(super) struct Sacn {
    pub(super) receiver: SacnReceiver,
    pub(super) groups: Groups,
}

/// Art-Net.
pub(super) struct ArtNet {
    pub(super) receiver: ArtNetReceiver,
    pub(super) sockets: Vec<Socket>,
    pub(super) answers: Option<Answers>,
    merge: MergeMode,
}

/// What a receiver hears.
pub(super) struct Hearing {
    pub(super) sacn: Option<Sacn>,
    pub(super) art_net: Option<ArtNet>,
    network: Box<dyn Network>,
    pub(super) slots: Slots,
    pub(super) gathered: Gathered,
    /// Whether something synchronized what several sockets brought.
    pub(super) is_synchronized: bool,
    pub(super) counts: DmxReceiverCounts,
    changes: u64,
    /// The socket that is read first.
    pub(super) turn: usize,
    /// Whether a socket is watched no longer.
    pub(super) is_lost: bool,
}

impl Hearing {
    /// Opens the sockets and joins the groups.
    ///
    /// # Errors
    /// [`DmxError`].
    pub(super) fn open(
        configuration: &DmxReceiverConfiguration,
        mut network: Box<dyn Network>,
        address: Ipv4Addr,
        seed: u64,
    ) -> Result<Self, DmxError> {
        let sacn = if configuration.sacn.is_empty() {
            None
        } else {
            let mut receiver = SacnReceiver::new(configuration.sync_rule);
            for universe in &configuration.sacn {
                receiver.listen(*universe, configuration.universe.clone());
            }
            let groups = Groups::join_all(&configuration.sacn, &mut *network);
            let groups = groups.map_err(|refusal| match refusal {
                Refusal::Socket(error) => unopened(configuration.sacn_port, &error),
                Refusal::Group(universe, error) => {
                    let interface = match &*configuration.interface {
                        "" => &address.to_string(),
                        named => named,
                    };
                    unjoined(interface, universe.group(), &error)
                }
            })?;
            Some(Sacn { receiver, groups })
        };
        let art_net = if configuration.art_net.is_empty() {
            None
        } else {
            let mut receiver = ArtNetReceiver::new(configuration.sync_rule);
            for port in &configuration.art_net {
                receiver.listen(*port, configuration.port());
            }
            let node = OwnNodeSettings {
                ip: address,
                mac: network.mac(),
                short_name: configuration.short_name,
                long_name: configuration.long_name,
                failsafe: match configuration.universe.on_loss {
                    OnLoss::Hold => Failsafe::Hold,
                    OnLoss::Zero => Failsafe::Zero,
                    OnLoss::Fade { .. } => Failsafe::Scene,
                },
                style: Style::Node,
                seed,
            };
            let ports = configuration.art_net.iter().copied();
            let sockets = network.art_net();
            let sockets = sockets.map_err(|error| unopened(configuration.art_net_port, &error))?;
            let answers = || Answers::new(node, ports, configuration.art_net_port);
            Some(ArtNet {
                receiver,
                sockets: sockets.into_iter().map(Socket::new).collect(),
                answers: configuration.answers_polls.then(answers),
                merge: configuration.merge,
            })
        };
        Ok(Self {
            sacn,
            art_net,
            network,
            slots: Slots::new(MOST_DATAGRAMS, DATAGRAM_BYTES),
            gathered: Gathered::default(),
            is_synchronized: false,
            counts: DmxReceiverCounts::default(),
            changes: 0,
            turn: 0,
            is_lost: false,
        })
    }

    /// Lets arrivals at all sockets wake the polled job.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn watch(&mut self, context: &PollContext<'_>) -> io::Result<()> {
        self.sockets().try_for_each(|socket| socket.watch(context))
    }

    pub(super) fn sockets(&mut self) -> impl Iterator<Item = &mut Socket> {
        let sacn = self.sacn.iter_mut().flat_map(|sacn| &mut sacn.groups.sockets);
        let art_net = self.art_net.iter_mut().flat_map(|art_net| &mut art_net.sockets);
        sacn.chain(art_net)
    }

    /// Does what is due, and writes what changed since the last call.
    pub(super) fn take_changes(&mut self, now: Nanoseconds, time_ns: i64, changes: &mut Changes) {
        changes.levels.clear();
        changes.events.clear();
        let change = self.changes;
        if let Some(Sacn { receiver, groups }) = &mut self.sacn {
            receiver.changes(now, |universe, levels| {
                changes.levels.push(DmxLevels {
                    universe: universe.get(),
                    ..shown(DmxProtocol::Sacn, time_ns, change, *levels)
                });
            });
            for record in &mut changes.levels {
                if let Ok(universe) = SacnUniverse::new(record.universe.into()) {
                    record.sources = receiver.sources(universe).count() as u16;
                    let place = receiver.universes().binary_search(&universe);
                    record.place = place.unwrap_or_default() as u32;
                }
            }
            while let Some(event) = receiver.pop_event() {
                let Some(mut made) = DmxEvent::of(time_ns, &event) else {
                    continue;
                };
                if let ReceiverEvent::SourceAppeared { universe, source } = event
                    && let Some(source) = receiver.sources(universe).find(|known| known.cid == source)
                {
                    made.address = source.address;
                    made.text = DmxEventText::new(&source.name.text());
                }
                changes.events.push(made);
            }
            let generation = receiver.sync_generation();
            let addresses = receiver.sync_addresses();
            groups.follow(
                now,
                generation,
                addresses,
                receiver.universes(),
                &mut *self.network,
                |address, error| {
                    let kind = DmxEventKind::GroupRefused;
                    let mut made = DmxEvent::new(time_ns, kind, DmxProtocol::Sacn, address.get());
                    made.text = DmxEventText::new(&reason(error));
                    changes.events.push(made);
                },
            );
        }
        let first = changes.levels.len();
        if let Some(ArtNet { receiver, .. }) = &mut self.art_net {
            receiver.changes(now, |port, levels| {
                changes.levels.push(DmxLevels {
                    universe: port.get(),
                    ..shown(DmxProtocol::ArtNet, time_ns, change, *levels)
                });
            });
            let before = self
                .sacn
                .as_ref()
                .map_or(0, |sacn| sacn.receiver.universes().len());
            for record in &mut changes.levels[first..] {
                if let Ok(port) = PortAddress::new(record.universe.into()) {
                    record.sources = receiver.sources(port).count() as u16;
                    let place = receiver.addresses().binary_search(&port);
                    record.place = (before + place.unwrap_or_default()) as u32;
                }
            }
            while let Some(event) = receiver.pop_event() {
                changes.events.extend(DmxEvent::of(time_ns, &event));
            }
        }
        if !changes.levels.is_empty() {
            self.changes += 1;
            self.counts.levels += changes.levels.len() as u64;
        }
    }

    /// The levels that are shown, for a session that begins.
    pub(super) fn present(&self, time_ns: i64) -> Changes {
        let mut changes = Changes::default();
        // The last change that was reported: what changes next has the number of the next.
        let change = self.changes.saturating_sub(1);
        let mut place = 0..;
        if let Some(Sacn { receiver, .. }) = &self.sacn {
            for (universe, place) in receiver.universes().iter().zip(&mut place) {
                changes
                    .levels
                    .extend(receiver.levels(*universe).map(|levels| DmxLevels {
                        universe: universe.get(),
                        sources: receiver.sources(*universe).count() as u16,
                        place,
                        ..shown(DmxProtocol::Sacn, time_ns, change, *levels)
                    }));
            }
        }
        if let Some(ArtNet { receiver, .. }) = &self.art_net {
            for (port, place) in receiver.addresses().iter().zip(&mut place) {
                changes
                    .levels
                    .extend(receiver.levels(*port).map(|levels| DmxLevels {
                        universe: port.get(),
                        sources: receiver.sources(*port).count() as u16,
                        place,
                        ..shown(DmxProtocol::ArtNet, time_ns, change, *levels)
                    }));
            }
        }
        changes
    }

    /// Sends the replies that are due.
    pub(super) fn answer(&mut self, now: Nanoseconds) {
        let Some(ArtNet {
            receiver,
            sockets,
            answers: Some(answers),
            merge,
        }) = &mut self.art_net
        else {
            return;
        };
        let status = |port| {
            let sources = receiver.sources(port).count();
            PortStatus {
                has_data: sources > 0,
                merges: sources > 1,
                is_ltp: *merge == MergeMode::Ltp,
            }
        };
        let (sent, refused) = answers.send(now, sockets[0].ear.transport(), receiver.addresses(), status);
        self.counts.replies += sent;
        self.counts.replies_refused += refused;
    }

    /// When something is due next; `None`: not before a packet.
    pub(super) fn next_ns(&self) -> Option<Nanoseconds> {
        let sacn =
            (self.sacn.as_ref()).and_then(|sacn| sooner(sacn.receiver.next_ns(), sacn.groups.next_ns()));
        let art_net = self.art_net.as_ref();
        let levels = art_net.and_then(|art_net| art_net.receiver.next_ns());
        let answers = art_net.and_then(|art_net| art_net.answers.as_ref()?.next_ns());
        sooner(sooner(sacn, levels), answers)
    }

    /// Closes the sockets; the counts stay.
    pub(super) fn close(&mut self) {
        self.counts();
        if let Some(sacn) = &mut self.sacn {
            sacn.groups.sockets.clear();
        }
        if let Some(art_net) = &mut self.art_net {
            art_net.sockets.clear();
        }
    }

    /// The counts so far.
    pub(super) fn counts(&mut self) -> DmxReceiverCounts {
        if let Some(Sacn { receiver, groups }) = &mut self.sacn {
            let dropped = groups.sockets.iter_mut().map(Socket::take_dropped).sum();
            receiver.count_kernel_drops(dropped);
            self.counts.sacn = receiver.counters();
        }
        if let Some(ArtNet {
            receiver, sockets, ..
        }) = &mut self.art_net
        {
            let dropped = sockets.iter_mut().map(Socket::take_dropped).sum();
            receiver.count_kernel_drops(dropped);
            self.counts.art_net = receiver.counters();
        }
        self.counts
    }
}

/// A record of levels, for the rest to be written.
fn shown(protocol: DmxProtocol, time_ns: i64, change: u64, levels: [u8; SLOTS]) -> DmxLevels {
    DmxLevels {
        sequence: 0,
        change,
        time_ns,
        protocol,
        universe: 0,
        sources: 0,
        place: 0,
        levels,
    }
}
