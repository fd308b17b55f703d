//! The interfaces and sockets of a sender.

use super::configuration::{DmxConfiguration, DmxProtocol};
use super::error::DmxError;
use crate::system_reason::reason;
use rustle_lighting::sacn;
use rustle_system::{Interface, interfaces};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::cell::Cell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;

/// The interface that needs no network: nothing is sent, all is counted.
pub const DEMO_INTERFACE: &str = "demo";

/// The longest time that a datagram waits for room in the socket.
const PATIENCE: Duration = Duration::from_millis(100);

/// The IPv4 addresses of this machine's interfaces.
///
/// # Errors
/// [`DmxError::Network`].
pub fn dmx_interfaces() -> Result<Vec<Interface>, DmxError> {
    interfaces().map_err(|error| refusal("network interfaces", &error))
}

/// The socket of one destination.
pub(super) struct Unicast {
    pub(super) to: SocketAddrV4,
    pub(super) socket: UdpSocket,
    /// Whether the way to the destination has refused to divide what is sent at once.
    pub(super) is_undivided: Cell<bool>,
}

/// The sockets of a sender: a connected one per destination, which reports a destination where nobody listens, and one for multicast
/// and broadcast. All have ports of their own: a node beside the sender keeps its.
pub(super) struct Sockets {
    pub(super) unicast: Vec<Unicast>,
    pub(super) group: Option<UdpSocket>,
    /// The interface's directed broadcast address, if data or synchronization go there.
    pub(super) broadcast: Option<Ipv4Addr>,
}

impl Sockets {
    /// Opens them; `has_multicast` says whether anything is multicast without a destination of its own.
    ///
    /// # Errors
    /// [`DmxError::Interface`], [`DmxError::Network`].
    pub(super) fn open(
        configuration: &DmxConfiguration,
        destinations: &[SocketAddrV4],
        has_multicast: bool,
    ) -> Result<Self, DmxError> {
        let named = &configuration.interface;
        let needs_interface = !named.is_empty()
            || configuration.broadcasts
            || configuration.follows_nodes()
            || configuration.sync_address.is_some()
            || destinations.is_empty();
        let interface = match find(named) {
            Ok(interface) => Some(interface),
            // Routes lead to the destinations, and universe discovery has no way: nobody asked for one.
            Err(_) if !needs_interface => None,
            Err(error) => return Err(error),
        };
        let unicast = destinations.iter().map(|to| connected(*to));
        let unicast = unicast.collect::<Result<_, DmxError>>()?;
        let group = match &interface {
            Some(interface) if has_multicast || configuration.broadcasts || configuration.follows_nodes() => {
                Some(group(interface, configuration)?)
            }
            _ => None,
        };
        let synchronizes_nodes = configuration.follows_nodes() && configuration.sends_art_sync;
        Ok(Self {
            unicast,
            group,
            broadcast: match &interface {
                Some(interface) if configuration.broadcasts || synchronizes_nodes => {
                    Some(broadcast(interface)?)
                }
                _ => None,
            },
        })
    }
}

/// The interface of a name or an address, or that of the default route.
pub(super) fn find(wanted: &str) -> Result<Interface, DmxError> {
    let all = dmx_interfaces()?;
    let address = match wanted {
        "" => default_address(),
        _ => wanted.parse().ok(),
    };
    let found = all
        .iter()
        .find(|interface| address == Some(interface.address) || interface.name == wanted);
    found.cloned().ok_or_else(|| {
        let choices = all
            .iter()
            .map(|interface| format!("{} ({})", interface.name, interface.address));
        DmxError::Interface {
            got: wanted.to_owned(),
            choices: choices.collect::<Vec<_>>().join(", "),
        }
    })
}

/// The directed broadcast address of an interface.
///
/// # Errors
/// [`DmxError::Network`]: the network of its address has no other.
pub(super) fn broadcast(interface: &Interface) -> Result<Ipv4Addr, DmxError> {
    if interface.broadcast == interface.address {
        return Err(DmxError::Network {
            what: format!("interface {}", interface.name),
            reason: format!("the network of {} has no broadcast address", interface.address),
        });
    }
    Ok(interface.broadcast)
}

/// The address that multicast would be sent from. Nothing is sent.
fn default_address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((sacn::DISCOVERY_GROUP, sacn::PORT)).ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn connected(to: SocketAddrV4) -> Result<Unicast, DmxError> {
    let open = || {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        // An address of a broadcast was asked for by name.
        socket.set_broadcast(true)?;
        // Elsewhere a connected socket takes no address, which each datagram has.
        if cfg!(target_os = "linux") {
            socket.connect(&SockAddr::from(to))?;
        }
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Unicast {
            to,
            socket: socket.into(),
            is_undivided: Cell::new(false),
        })
    };
    open().map_err(|error| refusal(&to.to_string(), &error))
}

fn group(interface: &Interface, configuration: &DmxConfiguration) -> Result<UdpSocket, DmxError> {
    let open = || {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.bind(&SockAddr::from(SocketAddrV4::new(interface.address, 0)))?;
        socket.set_multicast_if_v4(&interface.address)?;
        socket.set_multicast_ttl_v4(configuration.time_to_live)?;
        socket.set_broadcast(configuration.protocol == DmxProtocol::ArtNet)?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(socket.into())
    };
    open().map_err(|error| refusal(&format!("interface {}", interface.name), &error))
}

fn refusal(what: &str, error: &io::Error) -> DmxError {
    let reason = match error.kind() {
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            "no route leads there".to_owned()
        }
        io::ErrorKind::AddrNotAvailable => "the interface has lost its address".to_owned(),
        _ => reason(error),
    };
    DmxError::Network {
        what: what.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data went to the sender's own address.
    #[test]
    fn interface_of_a_single_address_has_no_broadcast() {
        let address = Ipv4Addr::new(10, 0, 0, 1);
        let interface = |broadcast| Interface {
            address,
            broadcast,
            ..find("127.0.0.1").expect("a loopback")
        };
        let refusal = broadcast(&interface(address)).expect_err("a refusal").to_string();
        assert!(refusal.contains("10.0.0.1 has no broadcast address"), "{refusal}");
        let wide = Ipv4Addr::new(10, 0, 0, 255);
        assert_eq!(broadcast(&interface(wide)).ok(), Some(wide));
    }
}
