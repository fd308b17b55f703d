//! UDP of this machine.

use super::port::Port;
use super::{Arrival, Datagram, MOST_DATAGRAMS, Slots, Transport};
use crate::clock::Clock;
use crate::io::Urgency;
use crate::job::PollContext;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a UDP socket is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpOptions {
    /// The address of this machine, `0.0.0.0` for all; port 0 for any free one.
    pub address: SocketAddr,
    /// Whether other sockets may have the same port. Of those, one datagram to an address of this machine reaches only the newest
    /// with the most specific address; one to a group reaches all.
    pub shares_port: bool,
    /// Whether it may send to a broadcast address.
    pub broadcasts: bool,
    /// The address of the interface that datagrams to groups leave by; `None`: the system's choice.
    pub multicast_interface: Option<Ipv4Addr>,
    /// Whether datagrams to groups also reach sockets of this machine.
    pub multicast_loops: bool,
    /// The interface from which alone it receives, by name; `None`: all. Systems that cannot restrict it receive from all.
    pub device: Option<String>,
    /// How many networks datagrams to groups cross, 0 to 255.
    pub multicast_ttl: u32,
    /// The bytes of datagrams that may wait, with what the system needs beside them; `None`: the system's choice. The system's
    /// limit holds unless the process may exceed it; [`Udp::receive_buffer`] returns what it gave.
    pub receive_buffer: Option<usize>,
}

impl UdpOptions {
    /// A socket at `address` that has its port alone, for groups on one network, and the rest as the system chooses.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            shares_port: false,
            broadcasts: false,
            multicast_interface: None,
            multicast_loops: true,
            device: None,
            multicast_ttl: 1,
            receive_buffer: None,
        }
    }
}

/// A UDP socket.
pub struct Udp {
    port: Port<UdpSocket>,
    clock: Arc<dyn Clock>,
    dropped: AtomicU64,
}

impl Udp {
    /// Opens a socket, with the clock of arrivals.
    ///
    /// # Errors
    /// The system's: `AddrInUse` when the port is taken, `AddrNotAvailable` when this machine lacks the address.
    pub fn open(options: &UdpOptions, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let socket = Socket::new(
            Domain::for_address(options.address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        socket.set_nonblocking(true)?;
        if options.shares_port {
            socket.set_reuse_address(true)?;
            // Elsewhere than on Linux the sockets of a group need this one.
            #[cfg(not(target_os = "linux"))]
            socket.set_reuse_port(true)?;
        }
        if options.broadcasts {
            socket.set_broadcast(true)?;
        }
        if options.address.is_ipv4() {
            socket.set_multicast_ttl_v4(options.multicast_ttl)?;
            socket.set_multicast_loop_v4(options.multicast_loops)?;
            if let Some(interface) = &options.multicast_interface {
                socket.set_multicast_if_v4(interface)?;
            }
        }
        #[cfg(target_os = "linux")]
        if let Some(device) = &options.device {
            // Linux before 5.7 permits it to root alone.
            let _ = socket.bind_device(Some(device.as_bytes()));
        }
        socket.bind(&SockAddr::from(options.address))?;
        let socket = UdpSocket::from(socket);
        if let Some(bytes) = options.receive_buffer {
            make_room(&socket, bytes)?;
        }
        #[cfg(target_os = "linux")]
        {
            rustle_udp::count_drops(&socket)?;
            rustle_udp::stamp(&socket)?;
            // Elsewhere a socket receives no groups but its own.
            rustle_udp::set_multicast_all(&socket, false)?;
        }
        Ok(Self {
            port: Port::new(socket, Urgency::Collected),
            clock,
            dropped: AtomicU64::new(0),
        })
    }

    /// Its address, with the port that the system chose where 0 was given.
    ///
    /// # Errors
    /// `NotConnected`.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.port.with(UdpSocket::local_addr)
    }

    /// Its descriptor, for a thread that waits for it instead of a job; closed with it.
    ///
    /// # Errors
    /// `NotConnected`.
    pub(crate) fn descriptor(&self) -> io::Result<RawFd> {
        self.port.with(|socket| Ok(socket.as_raw_fd()))
    }

    /// The bytes of datagrams that may wait, with what the system needs beside them.
    ///
    /// # Errors
    /// `NotConnected`.
    pub fn receive_buffer(&self) -> io::Result<usize> {
        self.port
            .with(|socket| socket2::SockRef::from(socket).recv_buffer_size())
    }

    /// Joins a group on the interface of this address. The socket receives no group but those that it joined.
    ///
    /// # Errors
    /// The system's: `AddrInUse` for a group that it has joined, "No such device" when no interface has the address or when it has no
    /// groups, and that of [`has_no_group_left`](rustle_udp::has_no_group_left).
    pub fn join(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.port
            .with(|socket| socket.join_multicast_v4(&group, &interface))
    }

    /// Leaves a group that it joined.
    ///
    /// # Errors
    /// `AddrNotAvailable` for a group that it has not joined there.
    pub fn leave(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.port
            .with(|socket| socket.leave_multicast_v4(&group, &interface))
    }

    fn count_drops(&self, total: Option<u32>) {
        if let Some(total) = total {
            let count = |before: u64| {
                let more = total.wrapping_sub(before as u32);
                // Of two threads that receive, the later may have an older total: it changes nothing.
                (more < 1 << 31).then(|| before + u64::from(more))
            };
            let _ = (self.dropped).fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        }
    }
}

/// Asks for a receive buffer, beyond the system's limit where the process may.
fn make_room(socket: &UdpSocket, bytes: usize) -> io::Result<()> {
    let options = socket2::SockRef::from(socket);
    options.set_recv_buffer_size(bytes)?;
    if options.recv_buffer_size()? < bytes {
        match rustle_udp::force_receive_buffer(socket, bytes) {
            Err(error) if !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::Unsupported) => {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Transport for Udp {
    fn try_send(&self, bytes: &[u8], to: Option<SocketAddr>) -> io::Result<usize> {
        self.port.send(bytes.len(), |socket| match to {
            Some(to) => socket.send_to(bytes, to),
            None => socket.send(bytes),
        })
    }

    fn try_send_batch(&self, batch: &[Datagram<'_>]) -> io::Result<usize> {
        self.port.send(batch.len().min(MOST_DATAGRAMS), |socket| {
            rustle_udp::send(socket, batch)
        })
    }

    fn try_receive(&self, bytes: &mut [u8]) -> io::Result<Arrival> {
        let (length, from) = self.port.receive(|socket| socket.recv_from(bytes))?;
        Ok(Arrival {
            length,
            from: Some(from),
            at: self.clock.now(),
        })
    }

    fn try_receive_batch(&self, slots: &mut Slots) -> io::Result<usize> {
        let count = self.port.receive(|socket| slots.receive(socket))?;
        self.count_drops(slots.dropped());
        Ok(count)
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn watch(&self, context: &PollContext<'_>) -> io::Result<()> {
        self.port.watch(context, false)
    }

    fn close(&self) {
        self.port.close();
    }
}

#[cfg(test)]
mod tests;
