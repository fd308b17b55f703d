//! Messages of discovery.

use super::{MESSAGE_BYTES, Malformed, NodeId, Packet, SessionId};
use crate::beats::{Beats, GhostTime, Tempo, Time, Timeline};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The format's name and version.
const HEADER: [u8; 8] = *b"_asdp_v\x01";
/// The time for which a message holds, in seconds.
const TIME_TO_LIVE: u8 = 5;
/// The fixed part: header, type, time to live, group and node.
const FIXED_BYTES: usize = 20;
/// Times and beats beyond it are refused, so that sums of some of them have 64 bits.
pub(super) const LARGEST: i64 = 1 << 62;

/// What a message with a state is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// To all, several times a second, and answered.
    Alive,
    /// The answer.
    Response,
}

/// A message of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A node is there.
    Present {
        /// What the message is for.
        kind: Kind,
        /// The node.
        node: NodeId,
        /// The seconds for which that holds.
        time_to_live: u8,
        /// What the node knows.
        state: PeerState,
    },
    /// A node leaves.
    Leaving {
        /// The node.
        node: NodeId,
    },
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerState {
    /// Its session's timeline.
    pub timeline: Timeline<GhostTime>,
    /// Its session.
    pub session: SessionId,
    /// Its session's start or stop, if it was sent.
    pub start_stop: Option<StartStop>,
    /// The address of its responder on the network by which the message was sent.
    pub responder: Option<SocketAddrV4>,
}

/// A start or a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartStop {
    /// Whether it is a start.
    pub is_playing: bool,
    /// The session's beat at that time.
    pub beats: Beats,
    /// When; the later one of two counts.
    pub time: GhostTime,
}

/// Reads a message.
///
/// # Errors
/// [`Malformed`]. A message of another group is [`Malformed::Group`].
pub fn parse(bytes: &[u8]) -> Result<Message, Malformed> {
    if bytes.len() >= MESSAGE_BYTES {
        return Err(Malformed::Length);
    }
    let (fixed, entries) = bytes
        .split_first_chunk::<FIXED_BYTES>()
        .ok_or(Malformed::Header)?;
    if !fixed.starts_with(&HEADER) {
        return Err(Malformed::Header);
    }
    let mut node = [0; 8];
    node.copy_from_slice(&fixed[12..]);
    let node = NodeId::from_field(node);
    let kind = match fixed[8] {
        1 => Kind::Alive,
        2 => Kind::Response,
        3 if fixed[10..12] == [0; 2] => return Ok(Message::Leaving { node }),
        3 => return Err(Malformed::Group),
        _ => return Err(Malformed::Type),
    };
    if fixed[10..12] != [0; 2] {
        return Err(Malformed::Group);
    }
    Ok(Message::Present {
        kind,
        node,
        time_to_live: fixed[9],
        state: state(entries)?,
    })
}

fn state(entries: &[u8]) -> Result<PeerState, Malformed> {
    let (mut timeline, mut session, mut start_stop, mut responder) = (None, None, None, None);
    for entry in Entries(entries) {
        let (key, value) = entry?;
        // The first of a doubled key counts.
        match &key {
            b"tmln" if timeline.is_none() => timeline = Some(read_timeline(sized(value)?)?),
            b"sess" if session.is_none() => session = Some(NodeId::from_field(*sized(value)?)),
            b"stst" if start_stop.is_none() => start_stop = Some(read_start_stop(sized(value)?)?),
            b"mep4" if responder.is_none() => responder = Some(read_address(sized(value)?)),
            _ => {}
        }
    }
    Ok(PeerState {
        timeline: timeline.ok_or(Malformed::Missing)?,
        session: SessionId::founded_by(session.ok_or(Malformed::Missing)?),
        start_stop,
        responder,
    })
}

/// The entries of a message: key and value.
pub(super) struct Entries<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Entries<'a> {
    type Item = Result<([u8; 4], &'a [u8]), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.0);
        let entry = rest.split_first_chunk::<4>().and_then(|(key, rest)| {
            let (size, rest) = rest.split_first_chunk::<4>()?;
            let size = usize::try_from(u32::from_be_bytes(*size)).ok()?;
            let (value, rest) = rest.split_at_checked(size)?;
            self.0 = rest;
            Some((*key, value))
        });
        Some(entry.ok_or(Malformed::Entry))
    }
}

/// The value of a known key.
pub(super) fn sized<const N: usize>(value: &[u8]) -> Result<&[u8; N], Malformed> {
    value.try_into().map_err(|_| Malformed::Size)
}

/// A number of 64 bits.
pub(super) fn read_number(bytes: &[u8; 8]) -> Result<i64, Malformed> {
    let number = i64::from_be_bytes(*bytes);
    (-LARGEST..=LARGEST)
        .contains(&number)
        .then_some(number)
        .ok_or(Malformed::Range)
}

fn number_at(bytes: &[u8], offset: usize) -> Result<i64, Malformed> {
    let number = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    read_number(number.ok_or(Malformed::Size)?)
}

fn read_timeline(value: &[u8; 24]) -> Result<Timeline<GhostTime>, Malformed> {
    let micros = i64::from_be_bytes(*value.first_chunk().ok_or(Malformed::Size)?);
    Ok(Timeline {
        tempo: Tempo::from_micros_per_beat(micros).map_err(|_| Malformed::Tempo)?,
        beat_origin: Beats::from_micro(number_at(value, 8)?),
        time_origin: GhostTime::from_micros(number_at(value, 16)?),
    })
}

fn read_start_stop(value: &[u8; 17]) -> Result<StartStop, Malformed> {
    Ok(StartStop {
        is_playing: value[0] != 0,
        beats: Beats::from_micro(number_at(value, 1)?),
        time: GhostTime::from_micros(number_at(value, 9)?),
    })
}

fn read_address(value: &[u8; 6]) -> SocketAddrV4 {
    let [a, b, c, d, high, low] = *value;
    SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), u16::from_be_bytes([high, low]))
}

impl Message {
    /// An alive message or a response that holds for 5 s.
    pub fn present(kind: Kind, node: NodeId, state: PeerState) -> Self {
        Self::Present {
            kind,
            node,
            time_to_live: TIME_TO_LIVE,
            state,
        }
    }

    /// The message as it is sent.
    pub fn packet(&self) -> Packet {
        let (kind, time_to_live, node) = match self {
            Self::Present {
                kind: Kind::Alive,
                node,
                time_to_live,
                ..
            } => (1, *time_to_live, node),
            Self::Present {
                node, time_to_live, ..
            } => (2, *time_to_live, node),
            Self::Leaving { node } => (3, 0, node),
        };
        let mut packet = Packet::EMPTY;
        packet.push(&HEADER);
        packet.push(&[kind, time_to_live, 0, 0]);
        packet.push(node.bytes());
        if let Self::Present { state, .. } = self {
            push_state(&mut packet, state);
        }
        packet
    }
}

fn push_state(packet: &mut Packet, state: &PeerState) {
    let mut value = [0; 24];
    value[..8].copy_from_slice(&state.timeline.tempo.micros_per_beat().to_be_bytes());
    value[8..16].copy_from_slice(&state.timeline.beat_origin.micro().to_be_bytes());
    value[16..].copy_from_slice(&state.timeline.time_origin.micros().to_be_bytes());
    packet.push_entry(b"tmln", &value);
    packet.push_entry(b"sess", state.session.bytes());
    if let Some(start_stop) = &state.start_stop {
        let mut value = [u8::from(start_stop.is_playing); 17];
        value[1..9].copy_from_slice(&start_stop.beats.micro().to_be_bytes());
        value[9..].copy_from_slice(&start_stop.time.micros().to_be_bytes());
        packet.push_entry(b"stst", &value);
    }
    if let Some(responder) = &state.responder {
        let ([a, b, c, d], [high, low]) = (responder.ip().octets(), responder.port().to_be_bytes());
        packet.push_entry(b"mep4", &[a, b, c, d, high, low]);
    }
}
