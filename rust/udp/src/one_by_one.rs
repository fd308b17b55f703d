//! A call per datagram.

use crate::{Arrived, Datagram, Slots};
use std::io;
use std::net::UdpSocket;

pub(crate) fn send(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    for (sent, datagram) in batch.iter().enumerate() {
        match socket.send_to(datagram.bytes, datagram.to) {
            Ok(_) => {}
            Err(error) if sent == 0 => return Err(error),
            Err(_) => return Ok(sent),
        }
    }
    Ok(batch.len())
}

#[cfg(not(target_os = "linux"))]
pub(crate) use send as send_segmented;

pub(crate) fn receive(socket: &UdpSocket, slots: &mut Slots) -> io::Result<()> {
    let receive = |slot: &mut [u8]| {
        let (length, from) = socket.recv_from(slot)?;
        Ok(Arrived {
            length,
            from: Some(from),
            at_ns: None,
        })
    };
    slots.fill(receive).map(drop)
}
