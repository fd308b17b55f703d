//! DMX over IP beside the floor in C, `peers/dmx_floor.c`: senders of sACN and Art-Net, and a receiver of the floor's packets.
//!
//! Sender and receiver are processes of their own, on the loopback. The time of a sender includes the system's way to the socket
//! of its receiver.

mod hear;
mod receive;
mod send;

use hear::{Heard, hear};
pub(crate) use receive::receiver;
pub(crate) use send::sender;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The period of 44 Hz, in ns.
const PERIOD_NS: u64 = 1_000_000_000 / 44;

/// The way of a sender's packets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To one address, one by one.
    Unicast,
    /// To one address, which the system or the interface divides.
    Segmented,
    /// To the groups of the universes.
    Multicast,
    /// To one address, by Art-Net.
    ArtNet,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Unicast => "unicast",
            Self::Segmented => "segmented",
            Self::Multicast => "multicast",
            Self::ArtNet => "artnet",
        }
    }

    fn read(word: &str) -> Result<Self, Box<dyn Error>> {
        let all = [Self::Unicast, Self::Segmented, Self::Multicast, Self::ArtNet];
        let way = all.into_iter().find(|way| way.name() == word);
        way.ok_or_else(|| format!("expected the way of packets, got {word}").into())
    }
}

/// Those that are compared, in turn: whether it is the floor, and its way. Ours takes the segmented way by itself where it is unicast.
const SENDERS: [(bool, Way); 6] = [
    (true, Way::Unicast),
    (false, Way::Segmented),
    (true, Way::Segmented),
    (false, Way::ArtNet),
    (true, Way::Multicast),
    (false, Way::Multicast),
];

/// The time since the first call of this function, in ns.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures times")]
pub(crate) fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program that does nothing else meanwhile"
)]
pub(crate) fn sleep_ns(ns: u64) {
    std::thread::sleep(Duration::from_nanos(ns));
}

/// The processor time of this process in ns: of all threads, and of those with a name.
pub(crate) fn processor_time(name: &str) -> Result<[u64; 2], Box<dyn Error>> {
    let mut times = [0; 2];
    for task in std::fs::read_dir("/proc/self/task")? {
        let folder = task?.path();
        let words = std::fs::read_to_string(folder.join("schedstat"))?;
        let time: u64 = words.split(' ').next().unwrap_or("0").parse()?;
        times[0] += time;
        if std::fs::read_to_string(folder.join("comm"))?.trim() == name {
            times[1] += time;
        }
    }
    Ok(times)
}

/// The words of `--seconds N` and the numbers of universes: 10 s and 1, 100 and 1,000 unless they say otherwise.
fn options(words: &[String]) -> Result<(u32, Vec<usize>), Box<dyn Error>> {
    let (seconds, sizes) = match words {
        [option, seconds, sizes @ ..] if option == "--seconds" => (seconds.parse()?, sizes),
        sizes => (10, sizes),
    };
    let sizes: Result<Vec<usize>, _> = sizes.iter().map(|size| size.parse()).collect();
    let sizes = sizes?;
    Ok((
        seconds,
        if sizes.is_empty() {
            vec![1, 100, 1_000]
        } else {
            sizes
        },
    ))
}

/// The tables: senders in turn, then receivers.
pub(crate) fn tables(floor: &Path, words: &[String]) -> Result<String, Box<dyn Error>> {
    let (seconds, sizes) = options(words)?;
    let program = std::env::current_exe()?;
    let mut tables = format!(
        "### Senders, 44 Hz, all universes changed in each frame, {seconds} s\n\n\
         | universes | way | sender | us per packet | of a core | packets | faults | gaps | terminated, each | Hz of each | jitter p99, ms | frame, ms |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for universes in &sizes {
        for (is_floor, way) in SENDERS {
            let mut command = Command::new(if is_floor { floor } else { &program });
            if !is_floor {
                command.arg("dmx-sender");
            }
            command
                .arg(universes.to_string())
                .arg(seconds.to_string())
                .arg(way.name());
            let heard = hear(&mut command, way, *universes)?;
            write_row(&mut tables, *universes, seconds, is_floor, way, &heard)?;
        }
    }
    write!(
        tables,
        "\n### Receiver, sACN of the floor at 44 Hz, {seconds} s\n\n\
         | universes | way | us per packet | of a core | sent | received | lost | levels reported |\n|---|---|---|---|---|---|---|---|\n"
    )?;
    for universes in &sizes {
        for way in [Way::Unicast, Way::Multicast] {
            tables += &receive::row(floor, &program, *universes, seconds, way)?;
        }
    }
    Ok(tables)
}

fn write_row(
    tables: &mut String,
    universes: usize,
    seconds: u32,
    is_floor: bool,
    way: Way,
    heard: &Heard,
) -> Result<(), Box<dyn Error>> {
    let [sent, cpu_ns, ..] = heard.words[..] else {
        return Err("expected counts of a sender".into());
    };
    let own = heard.words.get(2).copied().unwrap_or(cpu_ns);
    let name = if is_floor {
        "C".to_owned()
    } else {
        format!("rustle ({:.2} its thread)", own as f64 / sent as f64 / 1e3)
    };
    let (way, [few, many], [low, high]) = (way.name(), heard.terminated, heard.rates);
    writeln!(
        tables,
        "| {universes} | {way} | {name} | {:.2} | {:.1} % | {} | {} | {} | {few} to {many} | {low:.3} to {high:.3} | {:.3} | {:.2} |",
        cpu_ns as f64 / sent as f64 / 1e3,
        cpu_ns as f64 / f64::from(seconds) / 1e7,
        heard.packets,
        heard.faults,
        heard.gaps,
        heard.jitter_ns as f64 / 1e6,
        heard.frame_ns as f64 / 1e6,
    )?;
    Ok(())
}
