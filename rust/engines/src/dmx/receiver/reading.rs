//! How a receiver reads its sockets.

use super::hearing::{ArtNet, Hearing, Sacn};
use super::order::synchronizes;
use crate::clock::Nanoseconds;
use crate::dmx::DmxProtocol;
use crate::io::is_lost;
use rustle_lighting::artnet::Packet;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};

/// The batches of datagrams of one poll at most: a thousand packets take about a millisecond.
const MOST_BATCHES: usize = 16;

/// The batches that are put in order at most: four frames of a thousand universes.
const MOST_GATHERED: usize = 64;

impl Hearing {
    /// Takes what has arrived, up to a bound. Returns whether there may be more, also in a socket that is to be watched anew.
    pub(super) fn read(&mut self, now: Nanoseconds) -> bool {
        let sockets = self.sockets().count();
        let has_more = if self.is_synchronized {
            self.read_in_order(now, sockets)
        } else {
            self.read_by_turns(now, sockets)
        };
        std::mem::take(&mut self.is_lost) || has_more
    }

    /// Reads one socket after the other, until one of several sockets has something that synchronizes.
    fn read_by_turns(&mut self, now: Nanoseconds, sockets: usize) -> bool {
        let mut left = MOST_BATCHES;
        for step in 0..sockets {
            let index = (self.turn + step) % sockets;
            while let Some(protocol) = self.fetch(index) {
                let mut datagrams = self.slots.datagrams();
                if sockets > 1 && datagrams.any(|datagram| synchronizes(protocol, datagram.bytes)) {
                    drop(datagrams);
                    self.is_synchronized = true;
                    self.gathered.take(protocol, &self.slots);
                    return self.read_in_order(now, sockets);
                }
                for datagram in self.slots.datagrams() {
                    if let Some(SocketAddr::V4(from)) = datagram.from {
                        let (sacn, art_net) = (&mut self.sacn, &mut self.art_net);
                        hear(sacn, art_net, now, protocol, *from.ip(), datagram.bytes);
                    }
                }
                left -= 1;
                if left == 0 {
                    // The others come first the next time.
                    self.turn = (index + 1) % sockets;
                    return true;
                }
            }
        }
        false
    }

    /// Reads all sockets before it hears anything: what synchronizes is heard after all that arrived before it at any of them, and
    /// before all that arrived after it.
    fn read_in_order(&mut self, now: Nanoseconds, sockets: usize) -> bool {
        let mut left = MOST_GATHERED;
        let mut is_complete = false;
        while !is_complete && left > 0 {
            // What another datagram shows may have come to sockets that were read before its own.
            is_complete = true;
            for index in 0..sockets {
                while left > 0
                    && let Some(protocol) = self.fetch(index)
                {
                    is_complete &= !self.gathered.take(protocol, &self.slots);
                    left -= 1;
                }
            }
        }
        let (sacn, art_net) = (&mut self.sacn, &mut self.art_net);
        self.gathered
            .hand_on(|protocol, from, bytes| hear(sacn, art_net, now, protocol, from, bytes));
        left == 0
    }

    /// Takes a batch from a socket; returns its protocol if there was one.
    fn fetch(&mut self, index: usize) -> Option<DmxProtocol> {
        let of_sacn = self.sacn.as_ref().map_or(0, |sacn| sacn.groups.sockets.len());
        let (protocol, socket) = match (&mut self.sacn, &mut self.art_net) {
            (Some(sacn), _) if index < of_sacn => (DmxProtocol::Sacn, &mut sacn.groups.sockets[index]),
            (_, Some(art_net)) => (DmxProtocol::ArtNet, &mut art_net.sockets[index - of_sacn]),
            _ => return None,
        };
        match socket.receive(&mut self.slots) {
            Ok(count) => {
                self.counts.datagrams += count as u64;
                Some(protocol)
            }
            Err(error) => {
                let is_empty = error.kind() == ErrorKind::WouldBlock;
                self.counts.socket_errors += u64::from(!is_empty);
                self.is_lost |= is_lost(&error);
                None
            }
        }
    }
}

/// Hears a datagram. The receivers count what is malformed.
fn hear(
    sacn: &mut Option<Sacn>,
    art_net: &mut Option<ArtNet>,
    now: Nanoseconds,
    protocol: DmxProtocol,
    from: Ipv4Addr,
    bytes: &[u8],
) {
    match (protocol, sacn, art_net) {
        (DmxProtocol::Sacn, Some(sacn), _) => {
            let _ = sacn.receiver.receive(now, from, bytes);
        }
        (DmxProtocol::ArtNet, _, Some(art_net)) => {
            if let Ok(Some(Packet::Poll(poll))) = art_net.receiver.receive(now, from, bytes)
                && let Some(answers) = &mut art_net.answers
            {
                answers.hear(now, from, &poll);
            }
        }
        _ => {}
    }
}
