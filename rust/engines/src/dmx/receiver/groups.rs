//! The sockets of sACN, which share the groups.

use super::network::{Ear, Network};
use crate::clock::Nanoseconds;
use crate::io::is_lost;
use crate::job::PollContext;
use crate::transport::Slots;
use rustle_lighting::SacnUniverse;
use std::io;

/// The groups that a socket joins at most: as many as Linux permits, unless it is set otherwise (`igmp_max_memberships`). More sockets
/// also have more room for packets that wait.
const MOST_GROUPS: usize = 20;

/// The time after which a group that was refused is tried again, in ns.
const RETRY_NS: Nanoseconds = 10_000_000_000;

/// A socket.
pub(in crate::dmx) struct Socket {
    pub(in crate::dmx) ear: Box<dyn Ear>,
    groups: usize,
    is_watched: bool,
    /// The drops that were counted.
    dropped: u64,
}

impl Socket {
    pub(in crate::dmx) fn new(ear: Box<dyn Ear>) -> Self {
        Self {
            ear,
            groups: 0,
            is_watched: false,
            dropped: 0,
        }
    }

    /// Lets arrivals wake the polled job, if they do not yet.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::dmx) fn watch(&mut self, context: &PollContext<'_>) -> io::Result<()> {
        if !self.is_watched {
            self.ear.transport().watch(context)?;
            self.is_watched = true;
        }
        Ok(())
    }

    /// Receives a batch; returns how many datagrams. A socket that is watched no longer is watched anew with the next
    /// [`watch`](Self::watch).
    ///
    /// # Errors
    /// `WouldBlock`; the system's.
    pub(in crate::dmx) fn receive(&mut self, slots: &mut Slots) -> io::Result<usize> {
        let received = self.ear.transport().try_receive_batch(slots);
        self.is_watched &= !received.as_ref().is_err_and(is_lost);
        received
    }

    /// The datagrams that were dropped since the last call.
    pub(super) fn take_dropped(&mut self) -> u64 {
        let total = self.ear.transport().dropped();
        total - std::mem::replace(&mut self.dropped, total)
    }
}

/// What the system refused.
pub(super) enum Refusal {
    /// A socket.
    Socket(io::Error),
    /// To join a group.
    Group(SacnUniverse, io::Error),
}

/// Sockets that have joined the groups of universes.
pub(super) struct Groups {
    pub(super) sockets: Vec<Socket>,
    /// Synchronization addresses beside the universes, and their sockets.
    synchronized: Vec<(SacnUniverse, usize)>,
    /// The list of addresses that is followed.
    generation: u64,
    /// Synchronization addresses whose groups the system refused, which was reported, and when they are tried again.
    refused: Vec<SacnUniverse>,
    retry_ns: Nanoseconds,
}

impl Groups {
    /// Joins the groups of universes, in as many sockets as that takes; one at least.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) fn join_all(universes: &[SacnUniverse], network: &mut dyn Network) -> Result<Self, Refusal> {
        let mut groups = Self {
            sockets: vec![Socket::new(network.sacn().map_err(Refusal::Socket)?)],
            synchronized: Vec::new(),
            generation: 0,
            refused: Vec::new(),
            retry_ns: 0,
        };
        for universe in universes {
            groups.join(*universe, network)?;
        }
        Ok(groups)
    }

    /// Joins a group; returns its socket.
    fn join(&mut self, universe: SacnUniverse, network: &mut dyn Network) -> Result<usize, Refusal> {
        let refused = |error| Refusal::Group(universe, error);
        let free = |(_, socket): &(usize, &mut Socket)| socket.groups < MOST_GROUPS;
        for (index, socket) in self.sockets.iter_mut().enumerate().filter(free) {
            match socket.ear.join(universe.group()) {
                Err(error) if rustle_udp::has_no_group_left(&error) && socket.groups > 0 => {
                    socket.groups = MOST_GROUPS;
                }
                result => {
                    result.map_err(refused)?;
                    socket.groups += 1;
                    return Ok(index);
                }
            }
        }
        let mut socket = Socket::new(network.sacn().map_err(Refusal::Socket)?);
        socket.ear.join(universe.group()).map_err(refused)?;
        socket.groups = 1;
        self.sockets.push(socket);
        Ok(self.sockets.len() - 1)
    }

    /// When groups that were refused are tried again; `None`: none was.
    pub(super) fn next_ns(&self) -> Option<Nanoseconds> {
        (!self.refused.is_empty()).then_some(self.retry_ns)
    }

    /// Joins the groups of the synchronization addresses that are not among the universes, and leaves those that are not needed any
    /// more. Calls `refused` with each that the system refuses; it is tried again.
    pub(super) fn follow(
        &mut self,
        now: Nanoseconds,
        generation: u64,
        addresses: &[SacnUniverse],
        universes: &[SacnUniverse],
        network: &mut dyn Network,
        mut refused: impl FnMut(SacnUniverse, &io::Error),
    ) {
        let is_retry = self.next_ns().is_some_and(|retry| retry <= now);
        if generation == self.generation && !is_retry {
            return;
        }
        self.generation = generation;
        self.retry_ns = now.saturating_add(RETRY_NS);
        let known = std::mem::take(&mut self.refused);
        let Self {
            sockets,
            synchronized,
            ..
        } = self;
        synchronized.retain(|(address, socket)| {
            let is_needed = addresses.binary_search(address).is_ok();
            // What cannot be left is joined already when it is needed again.
            if !is_needed && sockets[*socket].ear.leave(address.group()).is_ok() {
                sockets[*socket].groups = sockets[*socket].groups.saturating_sub(1);
                return false;
            }
            true
        });
        for address in addresses {
            let is_joined = universes.binary_search(address).is_ok()
                || self.synchronized.iter().any(|(joined, _)| joined == address);
            if !is_joined {
                match self.join(*address, network) {
                    Ok(socket) => self.synchronized.push((*address, socket)),
                    Err(Refusal::Socket(error) | Refusal::Group(_, error)) => {
                        self.refused.push(*address);
                        if !known.contains(address) {
                            refused(*address, &error);
                        }
                    }
                }
            }
        }
    }
}
