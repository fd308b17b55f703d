//! The sockets of a member.

use crate::clock::Clock;
use crate::transport::{Transport, Udp, UdpOptions};
use rustle_system::Interface;
use rustle_tempo::link::{GROUP, PORT};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::RawFd;
use std::sync::Arc;

/// The sockets of one interface's address.
pub(super) struct Sockets {
    /// Hears the group.
    pub(super) group: Box<dyn Transport>,
    /// Sends, and hears the answers.
    pub(super) sender: Box<dyn Transport>,
    /// Answers pings.
    pub(super) responder: Box<dyn Transport>,
    pub(super) responder_address: SocketAddrV4,
    /// For a thread that waits for them.
    pub(super) descriptors: Vec<RawFd>,
}

/// The interfaces of a machine.
pub(super) trait Network: Send {
    /// The addresses of the interfaces that are up.
    ///
    /// # Errors
    /// The system's.
    fn interfaces(&mut self) -> io::Result<Vec<Interface>>;

    /// The port of discovery.
    fn port(&self) -> u16 {
        PORT
    }

    /// Opens the sockets of an address.
    ///
    /// # Errors
    /// The system's.
    fn open(&mut self, interface: &Interface) -> io::Result<Sockets>;
}

/// This machine.
pub(super) struct UdpNetwork {
    pub(super) clock: Arc<dyn Clock>,
    /// [`PORT`], except in tests, which would meet other programs there.
    pub(super) port: u16,
}

impl UdpNetwork {
    fn udp(&self, options: &UdpOptions) -> io::Result<Udp> {
        Udp::open(options, self.clock.clone())
    }
}

impl Network for UdpNetwork {
    fn interfaces(&mut self) -> io::Result<Vec<Interface>> {
        rustle_system::interfaces()
    }

    fn port(&self) -> u16 {
        self.port
    }

    fn open(&mut self, interface: &Interface) -> io::Result<Sockets> {
        let group = self.udp(&UdpOptions {
            shares_port: true,
            ..UdpOptions::new((Ipv4Addr::UNSPECIFIED, self.port).into())
        })?;
        group.join(GROUP, interface.address)?;
        let own = UdpOptions::new((interface.address, 0).into());
        let sender = self.udp(&UdpOptions {
            multicast_interface: Some(interface.address),
            // Two programs of one machine hear each other by the loopback, once.
            multicast_loops: interface.is_loopback,
            ..own.clone()
        })?;
        let responder = self.udp(&own)?;
        let SocketAddr::V4(responder_address) = responder.local_address()? else {
            return Err(ErrorKind::AddrNotAvailable.into());
        };
        let descriptors = [&group, &sender, &responder].map(Udp::descriptor);
        Ok(Sockets {
            descriptors: descriptors.into_iter().collect::<io::Result<_>>()?,
            group: Box::new(group),
            sender: Box::new(sender),
            responder: Box::new(responder),
            responder_address,
        })
    }
}
