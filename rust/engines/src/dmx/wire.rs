//! Where a sender's datagrams go.

use super::counters::Counters;
use super::network::Sockets;
use super::source::Source;
use crate::transport::{Datagram, MOST_DATAGRAMS};
use rustle_lighting::sender;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};

/// Takes the datagrams of a step.
pub(super) trait Wire: Send {
    /// Sends them, in order at each destination, and counts what comes of it.
    fn send(&mut self, source: &Source, counters: &Counters);
}

/// The wire of the interface that needs no network.
pub(super) struct NoWire;

impl Wire for NoWire {
    fn send(&mut self, source: &Source, counters: &Counters) {
        for datagram in source.datagrams() {
            counters.sent(1, datagram.bytes.len());
        }
    }
}

impl Wire for Sockets {
    fn send(&mut self, source: &Source, counters: &Counters) {
        for (index, (to, socket)) in self.unicast.iter().enumerate() {
            let datagrams = source.datagrams().filter(|datagram| datagram.to == *to);
            send_all(socket, datagrams, index, counters);
        }
        // Last: synchronization that is multicast follows all data.
        if let Some(socket) = &self.group {
            let is_group = |to: SocketAddrV4| self.unicast.iter().all(|(unicast, _)| *unicast != to);
            let datagrams = source.datagrams().filter(|datagram| is_group(datagram.to));
            send_all(socket, datagrams, self.unicast.len(), counters);
        }
    }
}

/// Sends datagrams in batches. A refusal is counted and the datagram is tried again, since a connected socket reports the fate of an
/// earlier one; the second refusal drops it.
fn send_all<'a>(
    socket: &UdpSocket,
    mut datagrams: impl Iterator<Item = sender::Datagram<'a>>,
    destination: usize,
    counters: &Counters,
) {
    let to = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let mut batch = [Datagram { bytes: &[], to }; MOST_DATAGRAMS];
    loop {
        let mut filled = 0;
        for (place, datagram) in batch.iter_mut().zip(datagrams.by_ref()) {
            *place = Datagram {
                bytes: datagram.bytes,
                to: datagram.to.into(),
            };
            filled += 1;
        }
        let mut rest = &batch[..filled];
        let mut was_refused = false;
        while let [first, others @ ..] = rest {
            let sent = match rustle_udp::send(socket, rest) {
                // The interface is slower than the burst: a thread of its own may wait for it.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    socket.send_to(first.bytes, first.to).map(|_| 1)
                }
                sent => sent,
            };
            match sent {
                Ok(sent) => {
                    counters.sent(
                        sent,
                        rest[..sent].iter().map(|datagram| datagram.bytes.len()).sum(),
                    );
                    (rest, was_refused) = (&rest[sent..], false);
                }
                Err(_) => {
                    counters.refused(destination);
                    rest = if was_refused { others } else { rest };
                    was_refused = !was_refused;
                }
            }
        }
        if filled < MOST_DATAGRAMS {
            return;
        }
    }
}
