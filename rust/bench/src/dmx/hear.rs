//! What a socket hears of a sender.

use super::{PERIOD_NS, Way, now_ns, sleep_ns};
use rustle_lighting::sacn::{self, Options};
use rustle_lighting::{SLOTS, SacnUniverse, artnet};
use std::error::Error;
use std::net::{Ipv4Addr, UdpSocket};
use std::process::{Command, Stdio};

/// What was heard of a sender.
pub(super) struct Heard {
    /// The output of its process.
    pub(super) words: Vec<u64>,
    /// The packets with levels.
    pub(super) packets: u64,
    /// Those with a wrong field, and other datagrams.
    pub(super) faults: u64,
    /// Sequence numbers that do not follow the one before.
    pub(super) gaps: u64,
    /// The least and the most terminated packets of a universe.
    pub(super) terminated: [u64; 2],
    /// The deviation from the period, in ns, that 99 % of the intervals of a universe do not exceed.
    pub(super) jitter_ns: u64,
    /// The time from the first to the last packet of a frame, in ns, that 99 % of the frames do not exceed.
    pub(super) frame_ns: u64,
    /// The lowest and the highest rate of a universe in Hz.
    pub(super) rates: [f64; 2],
}

/// A universe, as heard.
#[derive(Clone, Default)]
struct Row {
    sequence: Option<u8>,
    first_ns: u64,
    last_ns: u64,
    packets: u64,
    terminated: u64,
}

/// The fields of a packet that matter here.
struct Seen {
    /// From 0.
    place: usize,
    sequence: u8,
    /// The sequence number that should follow `before`.
    after: fn(u8) -> u8,
    is_right: bool,
    is_terminated: bool,
}

fn is_even(slots: &[u8]) -> bool {
    slots.len() == SLOTS && slots.iter().all(|slot| *slot == slots[0])
}

/// A packet of a sender, with its universes from 1 on; `None` for any other.
fn seen(way: Way, bytes: &[u8]) -> Option<Seen> {
    if way == Way::ArtNet {
        let Ok(artnet::Packet::Dmx(dmx)) = artnet::parse(bytes) else {
            return None;
        };
        return Some(Seen {
            place: usize::from(dmx.address.get()).checked_sub(1)?,
            sequence: dmx.sequence,
            after: |before| before % 255 + 1,
            is_right: is_even(dmx.slots) && dmx.physical == 0,
            is_terminated: false,
        });
    }
    let Ok(sacn::Packet::Data(data)) = sacn::parse(bytes) else {
        return None;
    };
    let is_constant = (data.priority, data.start_code, data.sync_address) == (100, 0, None);
    let is_terminated = data.options.has(Options::TERMINATED);
    Some(Seen {
        place: usize::from(data.universe.get()) - 1,
        sequence: data.sequence,
        after: |before| before.wrapping_add(1),
        is_right: is_constant && (is_even(data.slots) || is_terminated),
        is_terminated,
    })
}

/// A socket for a sender's packets, and those that hold its groups.
pub(super) fn sockets(way: Way, universes: usize) -> Result<Vec<UdpSocket>, Box<dyn Error>> {
    let address = match way {
        Way::Multicast => (Ipv4Addr::UNSPECIFIED, sacn::PORT),
        _ => (Ipv4Addr::LOCALHOST, 0),
    };
    let mut sockets = vec![UdpSocket::bind(address)?];
    // Several frames of 1,000 universes; where the system allows less, gaps show it.
    let _ = rustle_udp::force_receive_buffer(&sockets[0], 16 << 20);
    sockets[0].set_nonblocking(true)?;
    if way != Way::Multicast {
        return Ok(sockets);
    }
    for number in 1..=universes as u32 {
        let group = SacnUniverse::new(number)?.group();
        let joined = sockets[sockets.len() - 1].join_multicast_v4(&group, &Ipv4Addr::LOCALHOST);
        if joined.is_err_and(|error| rustle_udp::has_no_group_left(&error)) {
            let more = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            more.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST)?;
            sockets.push(more);
        }
    }
    Ok(sockets)
}

/// Starts a sender with the port as its last word, and listens until it has ended.
pub(super) fn hear(command: &mut Command, way: Way, universes: usize) -> Result<Heard, Box<dyn Error>> {
    let sockets = sockets(way, universes)?;
    let port = sockets[0].local_addr()?.port().to_string();
    let mut child = command.arg(port).stdout(Stdio::piped()).spawn()?;
    let mut slots = rustle_udp::Slots::new(rustle_udp::MOST, 1_500);
    let mut rows = vec![Row::default(); universes];
    let (mut intervals, mut frames, mut faults, mut gaps) = (Vec::new(), Vec::new(), 0, 0);
    let (mut is_over, mut frame_ns) = (false, [0; 2]);
    loop {
        if slots.receive(&sockets[0]).unwrap_or(0) == 0 {
            if is_over {
                break;
            }
            is_over = child.try_wait()?.is_some();
            sleep_ns(50_000);
            continue;
        }
        let now = now_ns();
        // A pause of half a period parts frames.
        if now - frame_ns[1] > PERIOD_NS / 2 {
            frames.push(frame_ns[1] - frame_ns[0]);
            frame_ns[0] = now;
        }
        frame_ns[1] = now;
        for datagram in slots.datagrams() {
            let seen = seen(way, datagram.bytes);
            let Some((seen, row)) = seen.and_then(|seen| rows.get_mut(seen.place).map(|row| (seen, row)))
            else {
                faults += 1;
                continue;
            };
            faults += u64::from(!seen.is_right);
            let before = row.sequence.replace(seen.sequence);
            gaps += u64::from(before.is_some_and(|before| seen.sequence != (seen.after)(before)));
            if seen.is_terminated {
                row.terminated += 1;
                continue;
            }
            if row.packets == 0 {
                row.first_ns = now;
            } else {
                intervals.push((now - row.last_ns).abs_diff(PERIOD_NS));
            }
            (row.last_ns, row.packets) = (now, row.packets + 1);
        }
    }
    let words = String::from_utf8(child.wait_with_output()?.stdout)?;
    let words: Result<Vec<u64>, _> = words.split_whitespace().map(str::parse).collect();
    let rate =
        |row: &Row| (row.packets.max(1) - 1) as f64 / ((row.last_ns - row.first_ns).max(1) as f64 / 1e9);
    let rates = rows.iter().map(rate);
    let terminated = rows.iter().map(|row| row.terminated);
    Ok(Heard {
        words: words?,
        packets: rows.iter().map(|row| row.packets).sum(),
        faults,
        gaps,
        terminated: [
            terminated.clone().min().unwrap_or(0),
            terminated.max().unwrap_or(0),
        ],
        jitter_ns: percentile(intervals),
        frame_ns: percentile(frames),
        rates: rates.fold([f64::MAX, 0.0], |[low, high], rate| {
            [low.min(rate), high.max(rate)]
        }),
    })
}

/// What 99 % of the values do not exceed.
fn percentile(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() * 99 / 100).copied().unwrap_or(0)
}
