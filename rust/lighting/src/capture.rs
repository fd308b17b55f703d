//! Captures of packets, as Wireshark and tcpdump read them (pcap 2.4 with nanoseconds, LINKTYPE_RAW: IPv4 without a link layer).

use std::net::{Ipv4Addr, SocketAddrV4};

/// The magic number of captures with nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
/// Packets begin with their IPv4 header.
const LINKTYPE_RAW: u32 = 101;
/// The bytes of a packet that are kept at most: all of them.
const SNAP_LENGTH: u32 = 65_535;
/// An IPv4 header without options (RFC 791), and a UDP header (RFC 768), in bytes.
const IPV4_HEADER: u16 = 20;
const UDP_HEADER: u16 = 8;
/// UDP's number among the protocols of IPv4.
const UDP: u8 = 17;
const NS_PER_SECOND: u64 = 1_000_000_000;

/// The beginning of a file.
pub fn file_header() -> [u8; 24] {
    let mut header = [0; 24];
    header[..4].copy_from_slice(&MAGIC.to_le_bytes());
    header[4..6].copy_from_slice(&2_u16.to_le_bytes());
    header[6..8].copy_from_slice(&4_u16.to_le_bytes());
    header[16..20].copy_from_slice(&SNAP_LENGTH.to_le_bytes());
    header[20..].copy_from_slice(&LINKTYPE_RAW.to_le_bytes());
    header
}

/// The record of a UDP datagram up to its payload, which follows: at most 65,507 bytes. `time_ns` counts from 1970, or from the start
/// of what is captured; the source is the loopback's address and the destination's port.
pub fn packet_header(time_ns: u64, to: SocketAddrV4, time_to_live: u8, payload: u16) -> [u8; 44] {
    let udp = payload.saturating_add(UDP_HEADER);
    let length = udp.saturating_add(IPV4_HEADER);
    let mut header = [0; 44];
    let (record, packet) = header.split_at_mut(16);
    let seconds = (time_ns / NS_PER_SECOND) as u32;
    let fraction = (time_ns % NS_PER_SECOND) as u32;
    for (place, value) in record
        .chunks_exact_mut(4)
        .zip([seconds, fraction, length.into(), length.into()])
    {
        place.copy_from_slice(&value.to_le_bytes());
    }
    // Version 4, five words; of the fragmentation's flags, "do not".
    (packet[0], packet[6], packet[8], packet[9]) = (0x45, 0x40, time_to_live, UDP);
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet[12..16].copy_from_slice(&Ipv4Addr::LOCALHOST.octets());
    packet[16..20].copy_from_slice(&to.ip().octets());
    let sum = checksum(&packet[..usize::from(IPV4_HEADER)]);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    // The checksum of UDP is 0: none.
    packet[20..22].copy_from_slice(&to.port().to_be_bytes());
    packet[22..24].copy_from_slice(&to.port().to_be_bytes());
    packet[24..26].copy_from_slice(&udp.to_be_bytes());
    header
}

/// The checksum of an IPv4 header (RFC 1071).
fn checksum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2);
    let sum: u32 = words
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    // Two carries are the most that twenty bytes can leave.
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_of_a_packet_is_as_the_standards_say() {
        let to = SocketAddrV4::new(Ipv4Addr::new(239, 255, 0, 1), 5568);
        let header = packet_header(3_000_000_007, to, 1, 638);
        let words = |range: std::ops::Range<usize>| -> Vec<u32> {
            let chunks = header[range].chunks_exact(4);
            chunks
                .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect()
        };
        assert_eq!(words(0..16), [3, 7, 666, 666]);
        let packet = &header[16..];
        assert_eq!(packet[..4], [0x45, 0, 0x02, 0x9a]);
        assert_eq!(packet[8..10], [1, 17]);
        assert_eq!(packet[12..20], [127, 0, 0, 1, 239, 255, 0, 1]);
        assert_eq!(packet[20..], [0x15, 0xc0, 0x15, 0xc0, 0x02, 0x86, 0, 0]);
        // A header with its checksum in it sums to zero.
        assert_eq!(checksum(&packet[..20]), 0);
    }

    /// The example of RFC 1071's users: a known header and its sum.
    #[test]
    fn checksum_of_a_known_header() {
        let header = [
            0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 0xc0, 0xa8, 0x00, 0x01,
            0xc0, 0xa8, 0x00, 0xc7,
        ];
        assert_eq!(checksum(&header), 0xb861);
    }
}
