//! The order in which datagrams of several sockets arrived.
//!
//! A synchronization packet comes by another socket than most of the data that it shows, and sockets are read one after the other:
//! without the times of arrival it would show a part of its frame, or of the next one.

use crate::dmx::DmxProtocol;
use crate::transport::Slots;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;

/// The bytes that are kept for the next time.
const KEPT_BYTES: usize = 1 << 20;

/// Whether a datagram, if it is a packet, shows what others brought: the vectors of sACN's synchronization (ANSI E1.31-2018, 5.5 and
/// 6.3.1), and the opcode of ArtSync (Art-Net 4, "ArtSync").
pub(super) fn synchronizes(protocol: DmxProtocol, bytes: &[u8]) -> bool {
    match protocol {
        DmxProtocol::Sacn => {
            bytes.get(18..22) == Some(&[0, 0, 0, 8]) && bytes.get(40..44) == Some(&[0, 0, 0, 1])
        }
        DmxProtocol::ArtNet => bytes.get(8..10) == Some(&[0x00, 0x52]),
    }
}

/// A datagram among those of other sockets.
struct Waiting {
    /// When it arrived, whether it synchronizes, and its number. Where the time is not known, data come first.
    place: (Option<u64>, bool, usize),
    protocol: DmxProtocol,
    from: Ipv4Addr,
    bytes: Range<usize>,
}

/// Datagrams of several sockets, in the order in which they arrived.
#[derive(Default)]
pub(super) struct Gathered {
    bytes: Vec<u8>,
    waiting: Vec<Waiting>,
}

impl Gathered {
    /// Takes the datagrams of a socket. Returns whether one of them synchronizes.
    pub(super) fn take(&mut self, protocol: DmxProtocol, slots: &Slots) -> bool {
        let mut has_late = false;
        for datagram in slots.datagrams() {
            let Some(SocketAddr::V4(from)) = datagram.from else {
                continue;
            };
            let start = self.bytes.len();
            self.bytes.extend_from_slice(datagram.bytes);
            let is_late = synchronizes(protocol, datagram.bytes);
            has_late |= is_late;
            self.waiting.push(Waiting {
                place: (datagram.at_ns, is_late, self.waiting.len()),
                protocol,
                from: *from.ip(),
                bytes: start..self.bytes.len(),
            });
        }
        has_late
    }

    /// Calls `each` with the protocol, the sender and the bytes of each datagram, and forgets them. Those of one socket that arrived at
    /// one time stay in its order.
    pub(super) fn hand_on(&mut self, mut each: impl FnMut(DmxProtocol, Ipv4Addr, &[u8])) {
        self.waiting.sort_unstable_by_key(|datagram| datagram.place);
        for datagram in self.waiting.drain(..) {
            each(datagram.protocol, datagram.from, &self.bytes[datagram.bytes]);
        }
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
    }
}
