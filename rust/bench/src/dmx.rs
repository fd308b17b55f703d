//! Senders of sACN beside the floor in C, `peers/dmx_floor.c`: processor time, and what a receiver hears.
//!
//! Each sender is a process of its own and sends to the loopback, where this process checks every packet. Both senders' times include
//! the system's way to the receiver's socket.

use rustle_engines::{Delivery, DmxConfiguration, DmxEngine, DmxProtocol, NoBell, Overflow, Runtime};
use rustle_lighting::sacn::{Packet, parse};
use rustle_lighting::{Cid, Name, SLOTS};
use std::error::Error;
use std::fmt::Write;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const SECONDS: u32 = 10;
const PERIOD_NS: u64 = 1_000_000_000 / 44;

/// The time since the first call of this function, in ns.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures times")]
fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program that does nothing else meanwhile"
)]
fn sleep_ns(ns: u64) {
    std::thread::sleep(Duration::from_nanos(ns));
}

/// Sends universes that change in every frame, for a time, and prints the datagrams, the processor time in ns, and the thread's.
pub(crate) fn sender(words: &[String]) -> Result<String, Box<dyn Error>> {
    let [universes, seconds, port] = words else {
        return Err("expected UNIVERSES SECONDS PORT".into());
    };
    let universes: Vec<u32> = (1..=universes.parse()?).collect();
    let cid = Cid::new([0xF2; 16]).map_err(|error| error.to_string())?;
    let name = Name::new("rustle").map_err(|error| error.to_string())?;
    let configuration = DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        destinations: vec![format!("127.0.0.1:{port}")],
        ..DmxConfiguration::new(DmxProtocol::Sacn, cid, name)
    };
    let engine = DmxEngine::on(Runtime::shared().clone(), configuration)?;
    let delivery = Delivery::pull(Overflow::DropOldest, 1, NoBell).ok_or("expected a capacity")?;
    let session = engine.start(delivery)?;
    let mut slots = vec![0; SLOTS * universes.len()];
    let start_ns = now_ns();
    for frame in 0..44 * seconds.parse::<u32>()? {
        for (universe, slots) in slots.chunks_exact_mut(SLOTS).enumerate() {
            slots.fill((frame as usize + universe) as u8);
        }
        session.set_levels(&universes, &slots)?;
        let next_ns = start_ns + u64::from(frame + 1) * PERIOD_NS;
        sleep_ns(next_ns.saturating_sub(now_ns()));
    }
    let (mut all, mut own) = (0, 0);
    for task in std::fs::read_dir("/proc/self/task")? {
        let folder = task?.path();
        let times = std::fs::read_to_string(folder.join("schedstat"))?;
        let time: u64 = times.split(' ').next().unwrap_or("0").parse()?;
        all += time;
        if std::fs::read_to_string(folder.join("comm"))?.trim() == "rustle-dmx" {
            own += time;
        }
    }
    let counts = session.counts();
    Ok(format!("{} {all} {own} {}\n", counts.datagrams, counts.skipped))
}

/// What a receiver heard of a sender.
struct Heard {
    /// The output of its process.
    words: Vec<u64>,
    packets: u64,
    faults: u64,
    gaps: u64,
    /// The longest time in ns of 99 % of the intervals of a universe, less the period.
    jitter_ns: u64,
    /// The lowest and the highest rate of a universe in Hz.
    rates: [f64; 2],
}

/// A universe, as heard.
#[derive(Clone, Default)]
struct Row {
    sequence: Option<u8>,
    first_ns: u64,
    last_ns: u64,
    packets: u64,
}

fn hear(command: &mut Command, universes: usize) -> Result<Heard, Box<dyn Error>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    // Several frames of 1,000 universes; where the system allows less, gaps show it.
    let _ = rustle_udp::force_receive_buffer(&socket, 16 << 20);
    socket.set_nonblocking(true)?;
    let port = socket.local_addr()?.port().to_string();
    let mut child = command.arg(port).stdout(Stdio::piped()).spawn()?;
    let mut slots = rustle_udp::Slots::new(rustle_udp::MOST, 1_500);
    let mut rows = vec![Row::default(); universes];
    let (mut intervals, mut faults, mut gaps) = (Vec::new(), 0, 0);
    let mut is_over = false;
    loop {
        if slots.receive(&socket).unwrap_or(0) == 0 {
            if is_over {
                break;
            }
            is_over = child.try_wait()?.is_some();
            sleep_ns(100_000);
            continue;
        }
        let now = now_ns();
        for datagram in slots.datagrams() {
            let Ok(Packet::Data(data)) = parse(datagram.bytes) else {
                faults += 1;
                continue;
            };
            let Some(row) = rows.get_mut(usize::from(data.universe.get()) - 1) else {
                faults += 1;
                continue;
            };
            let is_right = data.slots.len() == SLOTS
                && data.slots.iter().all(|slot| *slot == data.slots[0])
                && (data.priority, data.start_code, data.sync_address) == (100, 0, None);
            faults += u64::from(!is_right);
            if let Some(before) = row.sequence.replace(data.sequence) {
                gaps += u64::from(data.sequence != before.wrapping_add(1));
                intervals.push((now - row.last_ns).abs_diff(PERIOD_NS));
            } else {
                row.first_ns = now;
            }
            (row.last_ns, row.packets) = (now, row.packets + 1);
        }
    }
    let output = child.wait_with_output()?;
    let words = String::from_utf8(output.stdout)?;
    let words: Result<Vec<u64>, _> = words.split_whitespace().map(str::parse).collect();
    intervals.sort_unstable();
    let rate =
        |row: &Row| (row.packets.max(1) - 1) as f64 / ((row.last_ns - row.first_ns).max(1) as f64 / 1e9);
    let rates = rows.iter().map(rate);
    Ok(Heard {
        words: words?,
        packets: rows.iter().map(|row| row.packets).sum(),
        faults,
        gaps,
        jitter_ns: intervals.get(intervals.len() * 99 / 100).copied().unwrap_or(0),
        rates: rates.fold([f64::MAX, 0.0], |[low, high], rate| {
            [low.min(rate), high.max(rate)]
        }),
    })
}

/// The tables: the floor and the engine in turn.
pub(crate) fn tables(floor: &Path, mut sizes: Vec<usize>) -> Result<String, Box<dyn Error>> {
    if sizes.is_empty() {
        sizes = vec![1, 100, 1_000];
    }
    let program = std::env::current_exe()?;
    let mut tables = String::from(
        "| universes | sender | us per packet | of a core | packets | faults | gaps | Hz of each | jitter p99, ms |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for universes in sizes {
        for turn in 0..4 {
            let is_floor = turn % 2 == 0;
            let mut command = Command::new(if is_floor { floor } else { &program });
            if !is_floor {
                command.arg("dmx-sender");
            }
            let heard = hear(
                command.arg(universes.to_string()).arg(SECONDS.to_string()),
                universes,
            )?;
            let [sent, cpu_ns, ..] = heard.words[..] else {
                return Err("expected counts of a sender".into());
            };
            let own = heard.words.get(2).copied().unwrap_or(cpu_ns);
            let name = if is_floor {
                "C".to_owned()
            } else {
                format!("rustle ({:.2} its thread)", own as f64 / sent as f64 / 1e3)
            };
            writeln!(
                tables,
                "| {universes} | {name} | {:.2} | {:.1} % | {} | {} | {} | {:.3} to {:.3} | {:.2} |",
                cpu_ns as f64 / sent as f64 / 1e3,
                cpu_ns as f64 / f64::from(SECONDS) / 1e7,
                heard.packets,
                heard.faults,
                heard.gaps,
                heard.rates[0],
                heard.rates[1],
                heard.jitter_ns as f64 / 1e6,
            )?;
        }
    }
    Ok(tables)
}
