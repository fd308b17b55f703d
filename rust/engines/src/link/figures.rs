//! What a member counts, and where it is heard.

use rustle_tempo::link::Counters;
use std::net::Ipv4Addr;

/// The messages, measurements and errors that a session member has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// The node's.
    pub node: Counters,
    /// Datagrams that were sent.
    pub sent: u64,
    /// Datagrams that the system did not send.
    pub refused: u64,
    /// Errors of sockets and of interfaces that could not be opened.
    pub socket_errors: u64,
}

/// An address by which a member sends and hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkGateway {
    /// The interface's name.
    pub interface: String,
    /// The address.
    pub address: Ipv4Addr,
}
