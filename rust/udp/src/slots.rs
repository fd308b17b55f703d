//! The place for received datagrams.

use crate::{MOST, system};
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// A received datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// Its bytes, at most as many as a slot has.
    pub bytes: &'a [u8],
    /// Its sender; `None` when the system reports none.
    pub from: Option<SocketAddr>,
    /// Whether it had more bytes, which were cut off.
    pub is_cut: bool,
    /// When it arrived, in ns on a clock that the sockets share; `None`: it is not known ([`stamp`](crate::stamp)).
    pub at_ns: Option<u64>,
}

/// What is known of a datagram beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Its length.
    pub length: usize,
    /// Its sender, if it is known.
    pub from: Option<SocketAddr>,
    /// When it arrived, if that is known, in ns.
    pub at_ns: Option<u64>,
}

/// The place for received datagrams, allocated once.
#[derive(Debug)]
pub struct Slots {
    /// Each slot has a byte more than its size, which only a datagram that is too long fills.
    pub(crate) bytes: Box<[u8]>,
    pub(crate) stride: usize,
    /// Of each datagram of the last call.
    pub(crate) entries: Vec<Arrived>,
    pub(crate) dropped: Option<u32>,
}

impl Slots {
    /// Slots for `count` datagrams, 1 to [`MOST`], of at most `size` bytes, 1 or more.
    pub fn new(count: usize, size: usize) -> Self {
        let (count, stride) = (count.clamp(1, MOST), size.max(1) + 1);
        Self {
            bytes: vec![0; count * stride].into_boxed_slice(),
            stride,
            entries: Vec::with_capacity(count),
            dropped: None,
        }
    }

    /// Receives as many datagrams as wait, at most one per slot, in place of those before. Returns how many, at least 1.
    ///
    /// # Errors
    /// `WouldBlock`: none waits. There are no datagrams after an error.
    pub fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        self.entries.clear();
        self.dropped = None;
        system::receive(socket, self)?;
        Ok(self.entries.len())
    }

    /// Receives datagrams one by one from `receive`, which fills a slot and describes what is in it, until it fails or all slots are
    /// full. Returns as [`receive`](Self::receive).
    ///
    /// # Errors
    /// The first call's.
    pub fn fill(&mut self, mut receive: impl FnMut(&mut [u8]) -> io::Result<Arrived>) -> io::Result<usize> {
        self.entries.clear();
        self.dropped = None;
        for slot in self.bytes.chunks_exact_mut(self.stride) {
            match receive(slot) {
                Ok(entry) => self.entries.push(entry),
                Err(error) if self.entries.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(self.entries.len())
    }

    /// The datagrams of the last call.
    pub fn datagrams(&self) -> impl Iterator<Item = Received<'_>> {
        let slots = self.bytes.chunks_exact(self.stride);
        slots.zip(&self.entries).map(|(slot, arrived)| Received {
            bytes: &slot[..arrived.length.min(slot.len() - 1)],
            from: arrived.from,
            is_cut: arrived.length >= slot.len(),
            at_ns: arrived.at_ns,
        })
    }

    /// The datagrams that the socket had dropped for want of room before the last one here, modulo 2^32; `None`: none so far, or
    /// it does not count them ([`count_drops`](crate::count_drops)).
    pub fn dropped(&self) -> Option<u32> {
        self.dropped
    }
}
