//! What engines send and receive through: sockets of this machine, or a network that a test scripts.

mod port;
mod scripted;
mod stream;
mod udp;

pub(crate) use port::Port;
pub use rustle_udp::{Arrived, Datagram, MOST as MOST_DATAGRAMS, Received, Slots};
pub use scripted::{Conditions, NetworkCounts, Scripted, ScriptedNetwork};
pub use stream::Stream;
pub use udp::{Udp, UdpOptions};

use crate::clock::Nanoseconds;
use crate::job::PollContext;
use std::io;
use std::net::SocketAddr;

/// What arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number of bytes; of a stream 0 at its end.
    pub length: usize,
    /// The sender of a datagram.
    pub from: Option<SocketAddr>,
    /// The time, on the runtime's clock: of a socket, when it was read.
    pub at: Nanoseconds,
}

/// A way to send and receive datagrams, or the bytes of a stream. No call waits: a job that gets
/// [`WouldBlock`](io::ErrorKind::WouldBlock) returns [`Step::Wait`](crate::Step::Wait) or [`Step::At`](crate::Step::At) its
/// deadline, and is polled when something has arrived or when there is room again.
///
/// Any thread may call it at any time. After [`close`](Self::close) every call returns
/// [`NotConnected`](io::ErrorKind::NotConnected).
pub trait Transport: Send + Sync {
    /// Sends a datagram to `to`, or to the connected peer where it is `None`; of a stream, as many bytes as there is room for.
    /// Returns their number.
    ///
    /// # Errors
    /// `WouldBlock`; those of the system, which may concern this destination alone, or an earlier datagram to it.
    fn try_send(&self, bytes: &[u8], to: Option<SocketAddr>) -> io::Result<usize>;

    /// Sends datagrams, at most [`MOST_DATAGRAMS`]. Returns how many were sent, from the first on, 1 or more; the next one met an
    /// error, which the call that begins with it reports. An empty batch sends 0.
    ///
    /// # Errors
    /// As [`try_send`](Self::try_send), of the first datagram.
    fn try_send_batch(&self, batch: &[Datagram<'_>]) -> io::Result<usize> {
        for (sent, datagram) in batch.iter().take(MOST_DATAGRAMS).enumerate() {
            match self.try_send(datagram.bytes, Some(datagram.to)) {
                Ok(_) => {}
                Err(error) if sent == 0 => return Err(error),
                Err(_) => return Ok(sent),
            }
        }
        Ok(batch.len().min(MOST_DATAGRAMS))
    }

    /// Receives a datagram, of which bytes beyond `bytes` are lost; of a stream, as many bytes as wait.
    ///
    /// # Errors
    /// `WouldBlock`; those of the system.
    fn try_receive(&self, bytes: &mut [u8]) -> io::Result<Arrival>;

    /// Receives as many datagrams as wait, at most one per slot. Returns how many, 1 or more.
    ///
    /// # Errors
    /// As [`try_receive`](Self::try_receive).
    fn try_receive_batch(&self, slots: &mut Slots) -> io::Result<usize> {
        slots.fill(|slot| {
            let arrival = self.try_receive(slot)?;
            Ok(Arrived {
                length: arrival.length,
                from: arrival.from,
                at_ns: Some(arrival.at),
            })
        })
    }

    /// The datagrams that arrived and were dropped because nobody took them in time, so far.
    fn dropped(&self) -> u64 {
        0
    }

    /// Wakes the polled job from now on, instead of one before it: when something arrives, when there is room after
    /// `WouldBlock`, and when another thread closes the transport. Called in a poll, mostly in the first one.
    ///
    /// # Errors
    /// The system has no thread, no descriptor or no memory; `NotConnected`.
    fn watch(&self, context: &PollContext<'_>) -> io::Result<()>;

    /// Closes it, and wakes its job. Idempotent. The port is free when it returns.
    fn close(&self);
}
