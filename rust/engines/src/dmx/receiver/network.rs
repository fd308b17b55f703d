//! What a receiver hears with.

use crate::clock::Clock;
use crate::dmx::DmxError;
use crate::dmx::network::find;
use crate::system_reason::reason;
use crate::transport::{Transport, Udp, UdpOptions};
use rustle_system::Interface;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The bytes of packets that may wait in a socket, if the system permits: a burst of some thousand.
const RECEIVE_BUFFER: usize = 4 << 20;

/// A socket that may join groups.
pub(in crate::dmx) trait Ear: Send {
    /// The socket.
    fn transport(&self) -> &dyn Transport;

    /// Joins a group.
    ///
    /// # Errors
    /// The system's.
    fn join(&self, group: Ipv4Addr) -> io::Result<()>;

    /// Leaves a group.
    ///
    /// # Errors
    /// The system's.
    fn leave(&self, group: Ipv4Addr) -> io::Result<()>;
}

/// Opens sockets.
pub(in crate::dmx) trait Network: Send {
    /// A socket for groups of sACN, and for what is sent to this machine.
    ///
    /// # Errors
    /// The system's.
    fn sacn(&mut self) -> io::Result<Box<dyn Ear>>;

    /// The sockets of Art-Net, of which the first one sends: for what is sent to the interface's address, and for broadcasts.
    ///
    /// # Errors
    /// The system's.
    fn art_net(&mut self) -> io::Result<Vec<Box<dyn Ear>>>;

    /// The hardware address of the interface; zeros: unknown.
    fn mac(&self) -> [u8; 6] {
        [0; 6]
    }
}

/// A socket of this machine.
struct UdpEar {
    udp: Udp,
    interface: Ipv4Addr,
}

/// An interface of this machine.
pub(in crate::dmx) struct UdpNetwork {
    pub(in crate::dmx) interface: Interface,
    pub(in crate::dmx) sacn_port: u16,
    pub(in crate::dmx) art_net_port: u16,
    pub(in crate::dmx) clock: Arc<dyn Clock>,
}

impl UdpNetwork {
    fn open(&self, address: SocketAddr) -> io::Result<Box<dyn Ear>> {
        // What is sent to all networks reaches this socket by any interface.
        let is_limited = address.ip() == IpAddr::V4(Ipv4Addr::BROADCAST);
        let options = UdpOptions {
            device: is_limited.then(|| self.interface.name.clone()),
            shares_port: true,
            broadcasts: true,
            multicast_interface: Some(self.interface.address),
            receive_buffer: Some(RECEIVE_BUFFER),
            ..UdpOptions::new(address)
        };
        let udp = Udp::open(&options, self.clock.clone())?;
        let interface = self.interface.address;
        Ok(Box::new(UdpEar { udp, interface }))
    }
}

impl Network for UdpNetwork {
    fn sacn(&mut self) -> io::Result<Box<dyn Ear>> {
        self.open((Ipv4Addr::UNSPECIFIED, self.sacn_port).into())
    }

    fn art_net(&mut self) -> io::Result<Vec<Box<dyn Ear>>> {
        let port = self.art_net_port;
        // Bound to their addresses: a packet to this machine reaches one socket alone, and should be this one's only when it is for
        // the interface.
        let mut ears = vec![self.open((self.interface.address, port).into())?];
        for broadcast in [self.interface.broadcast, Ipv4Addr::BROADCAST] {
            if broadcast != self.interface.address {
                match self.open((broadcast, port).into()) {
                    Ok(ear) => ears.push(ear),
                    // Systems that bind no such address hear no such broadcasts.
                    Err(error) if error.kind() == ErrorKind::AddrNotAvailable => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(ears)
    }

    fn mac(&self) -> [u8; 6] {
        self.interface.mac
    }
}

impl Ear for UdpEar {
    fn transport(&self) -> &dyn Transport {
        &self.udp
    }

    fn join(&self, group: Ipv4Addr) -> io::Result<()> {
        self.udp.join(group, self.interface)
    }

    fn leave(&self, group: Ipv4Addr) -> io::Result<()> {
        self.udp.leave(group, self.interface)
    }
}

/// The interface of a name or an address, also another address of the loopback's network; empty: that of the default route.
///
/// # Errors
/// [`DmxError::Interface`].
pub(in crate::dmx) fn interface(wanted: &str) -> Result<Interface, DmxError> {
    match wanted.parse::<Ipv4Addr>() {
        Ok(address) if address.is_loopback() => Ok(Interface {
            address,
            ..find(&Ipv4Addr::LOCALHOST.to_string())?
        }),
        _ => find(wanted),
    }
}

/// `ENODEV` on Linux and Apple systems, which has no kind of its own.
const NO_DEVICE: i32 = 19;

/// The error of a port that was not opened.
pub(in crate::dmx) fn unopened(port: u16, error: &io::Error) -> DmxError {
    match error.kind() {
        ErrorKind::AddrInUse => DmxError::PortTaken { port },
        ErrorKind::PermissionDenied => DmxError::NotPermitted { port },
        _ => DmxError::Network {
            what: format!("port {port}"),
            reason: reason(error),
        },
    }
}

/// The error of a group that was not joined.
pub(in crate::dmx) fn unjoined(interface: &str, group: Ipv4Addr, error: &io::Error) -> DmxError {
    let interface = interface.to_owned();
    match error.kind() {
        ErrorKind::AddrNotAvailable => DmxError::NoMulticast { interface },
        _ if error.raw_os_error() == Some(NO_DEVICE) => DmxError::NoMulticast { interface },
        _ => DmxError::Network {
            what: format!("group {group} on {interface}"),
            reason: reason(error),
        },
    }
}
