//! Many UDP datagrams in one system call, and the options of Linux that neither the standard library nor `socket2` has.
//!
//! Systems other than Linux send and receive one by one, and have none of the options.
//! Calls do not wait if the socket does not block.

#[cfg(target_os = "linux")]
mod name;
#[cfg(any(test, not(target_os = "linux")))]
mod one_by_one;
mod options;
mod slots;
#[cfg(target_os = "linux")]
mod together;

#[cfg(not(target_os = "linux"))]
use one_by_one as system;
#[cfg(target_os = "linux")]
use together as system;

pub use options::{count_drops, force_receive_buffer, has_no_group_left, set_multicast_all, stamp};
pub use slots::{Arrived, Received, Slots};

use std::io;
use std::net::{SocketAddr, UdpSocket};

/// The most datagrams of one call.
pub const MOST: usize = 64;

/// A datagram to send.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its destination.
    pub to: SocketAddr,
}

/// Sends datagrams, at most [`MOST`]. Returns how many were sent, from the first on: the next one met an error, which the call
/// that begins with it reports.
///
/// # Errors
/// That of the first datagram. `WouldBlock`: the socket has no room now.
pub fn send(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    match &batch[..batch.len().min(MOST)] {
        [] => Ok(0),
        batch => system::send(socket, batch),
    }
}

/// Sends as [`send`], but successive datagrams of one length to one destination go through the system as one, which it or the
/// interface divides again: for less processor time, in one burst. Linux 4.18 can; other systems send one by one.
///
/// # Errors
/// As [`send`], and the system's where a route or an interface cannot divide: [`send`] can send there.
pub fn send_segmented(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    match &batch[..batch.len().min(MOST)] {
        [] => Ok(0),
        batch => system::send_segmented(socket, batch),
    }
}

#[cfg(test)]
mod tests;
