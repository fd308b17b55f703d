//! The sockets of a member.

use super::error::LinkError;
use crate::clock::Clock;
use crate::system_reason::reason;
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

    /// Whether there is a device of this name, also one that is down.
    fn has_device(&self, name: &str) -> bool;

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

/// Whether an interface is one of those that are named by name or address; without names each is.
pub(super) fn is_selected(interface: &Interface, named: &[String]) -> bool {
    named.is_empty() || named.iter().any(|name| is_it(interface, name))
}

fn is_it(interface: &Interface, name: &str) -> bool {
    interface.name == name || name.parse() == Ok(interface.address)
}

/// Checks that there is an interface of each name, which may be down, or address.
///
/// # Errors
/// [`LinkError::Interface`].
pub(super) fn check_named(
    network: &dyn Network,
    all: &[Interface],
    named: &[String],
) -> Result<(), LinkError> {
    let is_up = |name: &String| all.iter().any(|interface| is_it(interface, name));
    let is_there = |name: &String| is_up(name) || network.has_device(name);
    let Some(got) = named.iter().find(|name| !is_there(name)) else {
        return Ok(());
    };
    let choices = all
        .iter()
        .map(|interface| format!("{} ({})", interface.name, interface.address));
    Err(LinkError::Interface {
        got: got.clone(),
        choices: choices.collect::<Vec<_>>().join(", "),
    })
}

/// The system's error about an interface or about all of them.
pub(super) fn refusal(what: &str, error: &io::Error) -> LinkError {
    LinkError::Network {
        what: what.to_owned(),
        reason: reason(error),
    }
}

impl UdpNetwork {
    /// A socket that hears the group on an interface.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn group(&self, interface: &Interface) -> io::Result<Udp> {
        let group = self.udp(&UdpOptions {
            shares_port: true,
            ..UdpOptions::new((Ipv4Addr::UNSPECIFIED, self.port).into())
        })?;
        group.join(GROUP, interface.address)?;
        Ok(group)
    }

    fn udp(&self, options: &UdpOptions) -> io::Result<Udp> {
        Udp::open(options, self.clock.clone())
    }
}

impl Network for UdpNetwork {
    fn interfaces(&mut self) -> io::Result<Vec<Interface>> {
        rustle_system::interfaces()
    }

    fn has_device(&self, name: &str) -> bool {
        rustle_system::has_device(name)
    }

    fn port(&self) -> u16 {
        self.port
    }

    fn open(&mut self, interface: &Interface) -> io::Result<Sockets> {
        let group = self.group(interface)?;
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
