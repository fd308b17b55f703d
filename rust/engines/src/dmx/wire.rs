//! Where a sender's datagrams go.

use super::counters::Tally;
use super::network::{Sockets, Unicast};
use super::source::Source;
use crate::clock::Nanoseconds;
use crate::transport::{Datagram, MOST_DATAGRAMS};
use rustle_lighting::sender::{self, Packet, Recipients};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};

/// Takes the datagrams of a step.
pub(super) trait Wire: Send {
    /// Sends them at a time of the runtime's clock, in order at each destination, and counts what comes of it.
    fn send(&mut self, source: &Source, tally: &Tally, now: Nanoseconds);
}

/// The wire of the interface that needs no network.
pub(super) struct NoWire;

impl Wire for NoWire {
    fn send(&mut self, source: &Source, tally: &Tally, _: Nanoseconds) {
        for datagram in source.packets().flat_map(Packet::datagrams) {
            tally.counters.sent(1, datagram.bytes.len());
        }
    }
}

impl Wire for Sockets {
    fn send(&mut self, source: &Source, tally: &Tally, _: Nanoseconds) {
        let mut is_stuck = false;
        for (index, unicast) in self.unicast.iter().enumerate() {
            let datagrams = || {
                source
                    .packets()
                    .filter_map(|packet| at(index, unicast.to, packet))
            };
            if !send_all(unicast, datagrams(), index, tally, &mut is_stuck) {
                // Nor would anybody there have heard the others.
                datagrams().for_each(|datagram| tally.lost(datagram.universe));
            }
        }
        // Last: synchronization that is multicast follows all data.
        if let Some(socket) = &self.group {
            let first = self.unicast.len();
            let others = source
                .packets()
                .flat_map(|packet| after(first, packet).datagrams());
            send_all(socket, others, first, tally, &mut is_stuck);
        }
    }
}

/// The datagram of a packet for the destination of a number. A packet that names destinations names them all, in the sockets' order, and
/// then what has no socket of its own: the broadcast address, or the nodes that listen. Nothing is looked for.
fn at(index: usize, to: SocketAddrV4, packet: Packet<'_>) -> Option<sender::Datagram<'_>> {
    match packet.to {
        Recipients::Addresses(addresses) if addresses.get(index) == Some(&to) => Some(sender::Datagram {
            to,
            universe: packet.universe,
            bytes: packet.bytes,
        }),
        _ => None,
    }
}

/// A packet for the destinations from a number on, or for its group.
fn after(first: usize, packet: Packet<'_>) -> Packet<'_> {
    let to = match packet.to {
        Recipients::Addresses(addresses) => Recipients::Addresses(addresses.get(first..).unwrap_or_default()),
        group => group,
    };
    Packet { to, ..packet }
}

/// What sends datagrams: a socket.
trait DatagramSocket {
    /// Sends the first ones without waiting; returns how many.
    fn send(&self, datagrams: &[Datagram<'_>]) -> io::Result<usize>;

    /// Sends one, and waits for room for a bounded time.
    fn send_patiently(&self, datagram: &Datagram<'_>) -> io::Result<usize>;
}

impl DatagramSocket for UdpSocket {
    fn send(&self, datagrams: &[Datagram<'_>]) -> io::Result<usize> {
        rustle_udp::send(self, datagrams)
    }

    fn send_patiently(&self, datagram: &Datagram<'_>) -> io::Result<usize> {
        self.send_to(datagram.bytes, datagram.to).map(|_| 1)
    }
}

impl DatagramSocket for Unicast {
    /// At once where the way there divides it again: a fifth of the processor time.
    fn send(&self, datagrams: &[Datagram<'_>]) -> io::Result<usize> {
        if !self.is_undivided.get() {
            match rustle_udp::send_segmented(&self.socket, datagrams) {
                Err(error) if is_of_division(&error) => self.is_undivided.set(true),
                sent => return sent,
            }
        }
        rustle_udp::send(&self.socket, datagrams)
    }

    fn send_patiently(&self, datagram: &Datagram<'_>) -> io::Result<usize> {
        self.socket.send_patiently(datagram)
    }
}

/// Whether an error may come from the division of a datagram: a fate of the destination or a lack of room does not.
fn is_of_division(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::ConnectionRefused
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}

/// Sends datagrams in batches. A refusal is counted and the datagram is tried again, since a connected socket reports the fate of an
/// earlier one; the second refusal drops it. An interface that is slower than the burst is waited for, until a wait of this step was
/// in vain: then what does not fit is dropped and counted, so that neither the other destinations nor a stop wait for it. Returns
/// `false` where the destination answered that no program listens there.
fn send_all<'a>(
    socket: &impl DatagramSocket,
    mut datagrams: impl Iterator<Item = sender::Datagram<'a>>,
    destination: usize,
    tally: &Tally,
    is_stuck: &mut bool,
) -> bool {
    let counters = &tally.counters;
    let to = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let mut batch = [Datagram { bytes: &[], to }; MOST_DATAGRAMS];
    let mut universes = [None; MOST_DATAGRAMS];
    let mut has_listener = true;
    loop {
        let mut filled = 0;
        for (place, datagram) in batch.iter_mut().zip(datagrams.by_ref()) {
            *place = Datagram {
                bytes: datagram.bytes,
                to: datagram.to.into(),
            };
            universes[filled] = datagram.universe;
            filled += 1;
        }
        let mut rest = &batch[..filled];
        let mut was_refused = false;
        while let [first, others @ ..] = rest {
            let mut sent = socket.send(rest);
            if !*is_stuck && is_full(&sent) {
                sent = socket.send_patiently(first);
                *is_stuck = is_full(&sent);
            }
            match sent {
                Ok(sent) => {
                    let bytes = rest[..sent].iter().map(|datagram| datagram.bytes.len());
                    counters.sent(sent, bytes.sum());
                    (rest, was_refused) = (&rest[sent..], false);
                }
                sent if is_full(&sent) => {
                    counters.refused(destination, rest.len());
                    let dropped = &universes[filled - rest.len()..filled];
                    dropped.iter().for_each(|universe| tally.lost(*universe));
                    rest = &[];
                }
                Err(_) if was_refused => {
                    tally.lost(universes[filled - rest.len()]);
                    (rest, was_refused) = (others, false);
                }
                Err(error) => {
                    counters.refused(destination, 1);
                    has_listener &= error.kind() != ErrorKind::ConnectionRefused;
                    was_refused = true;
                }
            }
        }
        if filled < MOST_DATAGRAMS {
            return has_listener;
        }
    }
}

/// Whether there was no room.
fn is_full(sent: &io::Result<usize>) -> bool {
    let is_kind = |error: &io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
    sent.as_ref().is_err_and(is_kind)
}

#[cfg(test)]
mod tests {
    use super::super::counters::{Counters, DmxReport, UniverseCounters};
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::sync::Arc;

    /// Takes some datagrams, and then has no room, or refuses.
    struct Scripted {
        room: Cell<usize>,
        refusals: RefCell<Vec<usize>>,
        kind: ErrorKind,
        waits: Cell<usize>,
    }

    impl Scripted {
        fn new(room: usize, refusals: &[usize]) -> Self {
            Self {
                room: Cell::new(room),
                refusals: RefCell::new(refusals.to_vec()),
                kind: ErrorKind::ConnectionRefused,
                waits: Cell::new(0),
            }
        }
    }

    impl DatagramSocket for Scripted {
        fn send(&self, datagrams: &[Datagram<'_>]) -> io::Result<usize> {
            let first = usize::from(datagrams[0].bytes[0]);
            let mut refusals = self.refusals.borrow_mut();
            if let Some(place) = refusals.iter().position(|refused| *refused == first) {
                refusals.remove(place);
                return Err(self.kind.into());
            }
            match self.room.get().min(datagrams.len()) {
                0 => Err(ErrorKind::WouldBlock.into()),
                // One by one, so that each may be refused.
                _ => {
                    self.room.set(self.room.get() - 1);
                    Ok(1)
                }
            }
        }

        fn send_patiently(&self, _: &Datagram<'_>) -> io::Result<usize> {
            self.waits.set(self.waits.get() + 1);
            Err(ErrorKind::TimedOut.into())
        }
    }

    /// Sends a number of datagrams, each of a universe of its own; returns how many were sent and refused.
    fn send(socket: &Scripted, count: u8, is_stuck: &mut bool) -> (u64, u64) {
        let (report, ..) = send_universes(socket, count, is_stuck);
        (report.datagrams, report.refusals)
    }

    /// Returns also the refusals of each universe, and whether somebody listens.
    fn send_universes(socket: &Scripted, count: u8, is_stuck: &mut bool) -> (DmxReport, Vec<u64>, bool) {
        let mut tally = Tally::new(Arc::new(Counters::new(1)));
        let universes: Vec<_> = (0..count).map(|_| Arc::<UniverseCounters>::default()).collect();
        for (number, counters) in (0..).zip(&universes) {
            tally.open(number, counters);
        }
        let bytes: Vec<_> = (0..count).map(|number| [number]).collect();
        let to = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9);
        let datagrams = bytes.iter().map(|bytes| sender::Datagram {
            to,
            universe: Some(bytes[0].into()),
            bytes,
        });
        let has_listener = send_all(socket, datagrams, 0, &tally, is_stuck);
        let lost = universes.iter().map(|counters| counters.look().refusals);
        (tally.counters.look(), lost.collect(), has_listener)
    }

    #[test]
    fn universe_that_is_refused_counts_beside_those_that_are_sent() {
        let mut is_stuck = false;
        let blocked = Scripted {
            kind: ErrorKind::PermissionDenied,
            ..Scripted::new(100, &[1, 3, 3])
        };
        // 1 was sent the second time.
        let (report, lost, has_listener) = send_universes(&blocked, 5, &mut is_stuck);
        assert_eq!(
            (report.datagrams, lost, has_listener),
            (4, vec![0, 0, 0, 1, 0], true)
        );
        // What has no room is lost from there on.
        let (_, lost, has_listener) = send_universes(&Scripted::new(2, &[]), 4, &mut is_stuck);
        assert_eq!((lost, has_listener), (vec![0, 0, 1, 1], true));
        // The answer to an earlier one is that of all, which the caller counts.
        let (_, lost, has_listener) = send_universes(&Scripted::new(100, &[2]), 4, &mut false);
        assert_eq!((lost, has_listener), (vec![0; 4], false));
    }

    /// Each datagram waited twice 100 ms: a step of 1,000 universes took minutes, and so did a stop.
    #[test]
    fn full_interface_is_waited_for_once_in_a_step() {
        let (first, second) = (Scripted::new(3, &[]), Scripted::new(0, &[]));
        let mut is_stuck = false;
        assert_eq!(send(&first, 200, &mut is_stuck), (3, 197));
        assert_eq!(send(&second, 50, &mut is_stuck), (0, 50));
        assert_eq!((first.waits.get(), second.waits.get(), is_stuck), (1, 0, true));
    }

    #[test]
    fn datagram_that_is_refused_twice_counts_once() {
        let mut is_stuck = false;
        // 4 is refused for an earlier one's sake; 6 for its own.
        let socket = Scripted::new(100, &[4, 6, 6]);
        assert_eq!(send(&socket, 10, &mut is_stuck), (9, 2));
        assert!(!is_stuck);
    }
}
