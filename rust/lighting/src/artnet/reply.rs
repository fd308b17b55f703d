//! ArtPollReply (Art-Net 4, "ArtPollReply").

use super::{IDENTIFIER, Malformed, OP_POLL_REPLY};
use crate::bytes::{array, be16, put16};
use crate::{Name, PortAddress};
use std::net::Ipv4Addr;

/// The bytes of an ArtPollReply that is sent.
pub const REPLY_BYTES: usize = 239;
/// The fewest bytes of one that is received: fields after them are 0.
const LEAST_BYTES: usize = 198;
/// The ports of a reply.
const PORTS: usize = 4;

/// What a device is (Art-Net 4, "Style codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// A node: Art-Net to DMX or back.
    Node,
    /// A controller.
    Controller,
    /// A media server.
    MediaServer,
    /// Another code: 5 is a configuration tool, 6 a visualiser.
    Other(u8),
}

impl Style {
    fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Node,
            1 => Self::Controller,
            2 => Self::MediaServer,
            code => Self::Other(code),
        }
    }

    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Self::Node => 0,
            Self::Controller => 1,
            Self::MediaServer => 2,
            Self::Other(code) => code,
        }
    }
}

/// A port of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Port {
    /// Bit 7: outputs data from the network; bit 6: puts data onto the network; lower bits 0: DMX512.
    pub kind: u8,
    /// Bit 7: data received on its input; bit 3: input disabled.
    pub good_input: u8,
    /// Bit 7: outputs data; bit 3: merges; bit 1: LTP; bit 0: sACN.
    pub good_output: u8,
    /// The low nibble of the input's Port-Address.
    pub input: u8,
    /// The low nibble of the output's Port-Address.
    pub output: u8,
    /// Bit 7: RDM off; bit 6: continuous.
    pub good_output_b: u8,
}

impl Port {
    /// `kind`: outputs data from the network.
    pub const OUTPUTS: u8 = 0x80;
    /// `kind`: puts data onto the network.
    pub const INPUTS: u8 = 0x40;
}

/// A node's answer. Fields that a datagram does not have are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollReply {
    /// The address of the interface that answers.
    pub ip: Ipv4Addr,
    /// Firmware version.
    pub firmware: u16,
    /// Net of the ports, 0..=127.
    pub net: u8,
    /// Sub-Net of the ports, 0..=15.
    pub sub_net: u8,
    /// OEM code; 0x00FF: unknown.
    pub oem: u16,
    /// Indicators and others; bits 7 and 6 both set: indicators normal.
    pub status1: u8,
    /// ESTA manufacturer code.
    pub esta: u16,
    /// Short name.
    pub short_name: Name<18>,
    /// Long name.
    pub long_name: Name<64>,
    /// `#xxxx [n] text`: a status, a counter of replies, a text.
    pub report: Name<64>,
    /// The number of ports, as it came; [`ports`](Self::ports) are those that it means.
    pub port_count: u16,
    /// The ports.
    pub all_ports: [Port; PORTS],
    /// sACN priority of inputs that are converted.
    pub acn_priority: u8,
    /// What the device is.
    pub style: Style,
    /// MAC address; zeros: unknown.
    pub mac: [u8; 6],
    /// The address of the device's first part.
    pub bind_ip: Ipv4Addr,
    /// The part of the device, from 1; 0 and 1: the first.
    pub bind_index: u8,
    /// Bit 3: 15-bit Port-Addresses; 4: can switch to sACN; 2: DHCP possible; 1: DHCP used.
    pub status2: u8,
    /// Bits 7 and 6: what happens without data: hold, zero, full, a scene.
    pub status3: u8,
    /// The highest rate of a port in Hz; 0: unknown.
    pub refresh_rate: u16,
}

impl Default for PollReply {
    fn default() -> Self {
        Self {
            ip: Ipv4Addr::UNSPECIFIED,
            firmware: 0,
            net: 0,
            sub_net: 0,
            oem: 0x00FF,
            status1: 0xC0,
            esta: 0,
            short_name: Name::from_field([0; 18]),
            long_name: Name::from_field([0; 64]),
            report: Name::from_field([0; 64]),
            port_count: 0,
            all_ports: [Port::default(); PORTS],
            acn_priority: 0,
            style: Style::Node,
            mac: [0; 6],
            bind_ip: Ipv4Addr::UNSPECIFIED,
            bind_index: 1,
            status2: 0x08,
            status3: 0,
            refresh_rate: 0,
        }
    }
}

impl PollReply {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        if bytes.len() < LEAST_BYTES {
            return Err(Malformed::ReplyLength);
        }
        let byte = |offset: usize| bytes.get(offset).copied().unwrap_or(0);
        let word = |offset| be16(bytes, offset).unwrap_or(0);
        let ip = |offset| Ipv4Addr::from(array::<4>(bytes, offset).unwrap_or_default());
        Ok(Self {
            ip: ip(10),
            firmware: word(16),
            net: byte(18) & 0x7F,
            sub_net: byte(19) & 0x0F,
            oem: word(20),
            status1: byte(23),
            esta: word(24).swap_bytes(),
            short_name: Name::from_field(array(bytes, 26).unwrap_or([0; 18])),
            long_name: Name::from_field(array(bytes, 44).unwrap_or([0; 64])),
            report: Name::from_field(array(bytes, 108).unwrap_or([0; 64])),
            port_count: word(172),
            all_ports: std::array::from_fn(|index| Port {
                kind: byte(174 + index),
                good_input: byte(178 + index),
                good_output: byte(182 + index),
                input: byte(186 + index) & 0x0F,
                output: byte(190 + index) & 0x0F,
                good_output_b: byte(213 + index),
            }),
            acn_priority: byte(194),
            style: Style::from_code(byte(200)),
            mac: array(bytes, 201).unwrap_or_default(),
            bind_ip: ip(207),
            bind_index: byte(211),
            status2: byte(212),
            status3: byte(217),
            refresh_rate: word(226),
        })
    }

    /// The bytes to send.
    pub fn bytes(&self) -> [u8; REPLY_BYTES] {
        let mut bytes = [0; REPLY_BYTES];
        bytes[..8].copy_from_slice(&IDENTIFIER);
        bytes[8..10].copy_from_slice(&OP_POLL_REPLY.to_le_bytes());
        bytes[10..14].copy_from_slice(&self.ip.octets());
        bytes[14..16].copy_from_slice(&super::PORT.to_le_bytes());
        put16(&mut bytes, 16, self.firmware);
        bytes[18] = self.net;
        bytes[19] = self.sub_net;
        put16(&mut bytes, 20, self.oem);
        bytes[23] = self.status1;
        put16(&mut bytes, 24, self.esta.swap_bytes());
        bytes[26..44].copy_from_slice(self.short_name.field());
        bytes[44..108].copy_from_slice(self.long_name.field());
        bytes[108..172].copy_from_slice(self.report.field());
        put16(&mut bytes, 172, self.port_count);
        for (index, port) in self.all_ports.iter().enumerate() {
            bytes[174 + index] = port.kind;
            bytes[178 + index] = port.good_input;
            bytes[182 + index] = port.good_output;
            bytes[186 + index] = port.input;
            bytes[190 + index] = port.output;
            bytes[213 + index] = port.good_output_b;
        }
        bytes[194] = self.acn_priority;
        bytes[200] = self.style.code();
        bytes[201..207].copy_from_slice(&self.mac);
        bytes[207..211].copy_from_slice(&self.bind_ip.octets());
        bytes[211] = self.bind_index;
        bytes[212] = self.status2;
        bytes[217] = self.status3;
        put16(&mut bytes, 226, self.refresh_rate);
        bytes
    }

    /// The ports that the reply counts, at most four.
    pub fn ports(&self) -> &[Port] {
        &self.all_ports[..usize::from(self.port_count).min(PORTS)]
    }

    /// The Port-Addresses that it lists: those of its outputs and of its inputs, which subscribe to ArtDmx (Art-Net 4, "ArtDmx",
    /// unicast subscription).
    pub fn subscriptions(&self) -> impl Iterator<Item = PortAddress> + '_ {
        self.ports().iter().flat_map(|port| {
            let listed = |bit: u8, nibble: u8| (port.kind & bit != 0).then_some(nibble);
            [
                listed(Port::OUTPUTS, port.output),
                listed(Port::INPUTS, port.input),
            ]
            .into_iter()
            .flatten()
            .filter_map(|nibble| {
                PortAddress::from_parts(u32::from(self.net), u32::from(self.sub_net), u32::from(nibble)).ok()
            })
        })
    }
}
