//! The interfaces and sockets of a sender.

use super::configuration::DmxConfiguration;
use super::error::DmxError;
use crate::system_reason::reason;
use rustle_lighting::sacn;
use rustle_system::{Interface, interfaces};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
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

/// The sockets of a sender: a connected one per destination, which reports a destination where nobody listens, and one for multicast
/// and broadcast. All have ports of their own: a node beside the sender keeps its.
pub(super) struct Sockets {
    pub(super) unicast: Vec<(SocketAddrV4, UdpSocket)>,
    pub(super) group: Option<UdpSocket>,
    /// The interface's directed broadcast address, if the configuration asks for it.
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
        let needs_interface = !named.is_empty() || configuration.broadcasts || destinations.is_empty();
        let interface = match find(named) {
            Ok(interface) => Some(interface),
            // Routes lead to the destinations, and synchronization and discovery have no way: nobody asked for one.
            Err(_) if !needs_interface => None,
            Err(error) => return Err(error),
        };
        let unicast = destinations.iter().map(|to| Ok((*to, connected(*to)?)));
        let unicast = unicast.collect::<Result<_, DmxError>>()?;
        let group = match &interface {
            Some(interface) if has_multicast || configuration.broadcasts => {
                Some(group(interface, configuration)?)
            }
            _ => None,
        };
        Ok(Self {
            unicast,
            group,
            broadcast: interface
                .filter(|_| configuration.broadcasts)
                .map(|interface| interface.broadcast),
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

/// The address that multicast would be sent from. Nothing is sent.
fn default_address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((sacn::DISCOVERY_GROUP, sacn::PORT)).ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn connected(to: SocketAddrV4) -> Result<UdpSocket, DmxError> {
    let open = || {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        // An address of a broadcast was asked for by name.
        socket.set_broadcast(true)?;
        // Elsewhere a connected socket takes no address, which each datagram has.
        if cfg!(target_os = "linux") {
            socket.connect(&SockAddr::from(to))?;
        }
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(socket.into())
    };
    open().map_err(|error| refusal(&to.to_string(), &error))
}

fn group(interface: &Interface, configuration: &DmxConfiguration) -> Result<UdpSocket, DmxError> {
    let open = || {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.bind(&SockAddr::from(SocketAddrV4::new(interface.address, 0)))?;
        socket.set_multicast_if_v4(&interface.address)?;
        socket.set_multicast_ttl_v4(configuration.time_to_live)?;
        socket.set_broadcast(configuration.broadcasts)?;
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
