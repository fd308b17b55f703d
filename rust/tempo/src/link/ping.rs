//! Messages of measurement.

use super::discovery::{Entries, read_number, sized};
use super::{MESSAGE_BYTES, Malformed, NodeId, Packet, SessionId};
use crate::beats::{GhostTime, HostTime, Time};

/// The format's name and version.
const HEADER: [u8; 8] = *b"_link_v\x01";
const PING: u8 = 1;
const PONG: u8 = 2;

/// The most bytes of a ping's payload.
pub const MAX_PAYLOAD: usize = 32;

/// The answer to a ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pong {
    /// The responder's session.
    pub session: SessionId,
    /// The responder's time.
    pub ghost: GhostTime,
    /// The ping's time.
    pub host: HostTime,
    /// The time of the pong before the ping.
    pub previous: Option<GhostTime>,
}

/// A ping at a host time; from the second one on with the time of the previous pong.
pub fn ping(host: HostTime, previous: Option<GhostTime>) -> Packet {
    let mut packet = Packet::EMPTY;
    packet.push(&HEADER);
    packet.push(&[PING]);
    packet.push_entry(b"__ht", &host.micros().to_be_bytes());
    if let Some(previous) = previous {
        packet.push_entry(b"_pgt", &previous.micros().to_be_bytes());
    }
    packet
}

/// The answer to a ping with this payload, of at most [`MAX_PAYLOAD`] bytes; further ones are left out.
pub fn pong(session: SessionId, ghost: GhostTime, payload: &[u8]) -> Packet {
    let mut packet = Packet::EMPTY;
    packet.push(&HEADER);
    packet.push(&[PONG]);
    packet.push_entry(b"sess", session.bytes());
    packet.push_entry(b"__gt", &ghost.micros().to_be_bytes());
    packet.push(&payload[..payload.len().min(MAX_PAYLOAD)]);
    packet
}

/// Whether a datagram is of measurement rather than of discovery.
pub(super) fn is_measurement(bytes: &[u8]) -> bool {
    bytes.starts_with(&HEADER)
}

fn body(bytes: &[u8], wanted: u8) -> Result<&[u8], Malformed> {
    if bytes.len() >= MESSAGE_BYTES {
        return Err(Malformed::Length);
    }
    let rest = bytes.strip_prefix(&HEADER).ok_or(Malformed::Header)?;
    let (kind, body) = rest.split_first().ok_or(Malformed::Header)?;
    if *kind == wanted {
        Ok(body)
    } else {
        Err(Malformed::Type)
    }
}

/// Reads a ping: its payload, which the pong repeats.
///
/// # Errors
/// [`Malformed`].
pub fn parse_ping(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let payload = body(bytes, PING)?;
    if payload.len() > MAX_PAYLOAD {
        return Err(Malformed::Payload);
    }
    Ok(payload)
}

/// Reads a pong.
///
/// # Errors
/// [`Malformed`].
pub fn parse_pong(bytes: &[u8]) -> Result<Pong, Malformed> {
    let (mut session, mut ghost, mut host, mut previous) = (None, None, None, None);
    for entry in Entries(body(bytes, PONG)?) {
        let (key, value) = entry?;
        match &key {
            b"sess" if session.is_none() => session = Some(NodeId::from_field(*sized(value)?)),
            b"__gt" if ghost.is_none() => ghost = Some(read_number(sized(value)?)?),
            b"__ht" if host.is_none() => host = Some(read_number(sized(value)?)?),
            b"_pgt" if previous.is_none() => previous = Some(read_number(sized(value)?)?),
            _ => {}
        }
    }
    Ok(Pong {
        session: SessionId::founded_by(session.ok_or(Malformed::Missing)?),
        ghost: GhostTime::from_micros(ghost.ok_or(Malformed::Missing)?),
        host: HostTime::from_micros(host.ok_or(Malformed::Missing)?),
        previous: previous.map(GhostTime::from_micros),
    })
}
