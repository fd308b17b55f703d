//! A receiver of ours, of the floor's packets.

use super::{Way, processor_time, sleep_ns};
use rustle_engines::{
    Delivery, DmxProtocol, DmxReceiver, DmxReceiverConfiguration, DmxUniverseCounts, NoBell, Overflow,
    Runtime,
};
use rustle_lighting::{Name, SacnUniverse, sacn};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A port that nothing else uses: a node beside the benchmark keeps its packets.
const UNICAST_PORT: u16 = 35_568;

/// How often the waiting levels are drained, in ns.
const DRAIN_NS: u64 = 5_000_000;

fn port(way: Way) -> u16 {
    match way {
        Way::Multicast => sacn::PORT,
        _ => UNICAST_PORT,
    }
}

/// Receives until the standard input ends, and drains the latest levels of each universe. Prints a line at the start, and at the end
/// the processor time in ns, the packets, and the levels that were drained.
pub(crate) fn receiver(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [universes, way] = words else {
        return Err("expected UNIVERSES WAY".into());
    };
    let numbers: u16 = universes.parse()?;
    let universes: Result<Vec<_>, _> = (1..=u32::from(numbers)).map(SacnUniverse::new).collect();
    let configuration = DmxReceiverConfiguration {
        interface: "127.0.0.1".to_owned(),
        sacn: universes?,
        sacn_port: port(Way::read(way)?),
        ..DmxReceiverConfiguration::new(Name::new("rustle")?, Name::new("rustle")?)
    };
    let receiver = DmxReceiver::on(Runtime::shared().clone(), configuration)?;
    let delivery = Delivery::pull(Overflow::Conflate, numbers.into(), NoBell).ok_or("expected a capacity")?;
    let session = receiver.start_levels(delivery)?;
    writeln!(io::stdout(), "ready")?;
    let input = std::thread::spawn(|| io::stdin().read_to_end(&mut Vec::new()));
    let mut sum = 0_u64;
    while !input.is_finished() {
        let take = |levels: rustle_engines::DmxLevels, _| sum += u64::from(levels.levels[0]);
        session.drain(numbers.into(), take).ok_or("expected a lane")?;
        sleep_ns(DRAIN_NS);
    }
    let [time, _] = processor_time("")?;
    let packets = |number: u16| match receiver.universe_counts(DmxProtocol::Sacn, number) {
        Some(DmxUniverseCounts::Sacn(counts)) => counts.packets,
        _ => 0,
    };
    let packets: u64 = (1..=numbers).map(packets).sum();
    let levels = receiver.counts().levels;
    // The sum is printed so that the levels are read.
    writeln!(io::stdout(), "{time} {packets} {levels} {sum}")?;
    Ok(())
}

/// A row of the table: the floor's packets, and what a receiver has of them.
pub(super) fn row(
    floor: &Path,
    program: &Path,
    universes: usize,
    seconds: u32,
    way: Way,
) -> Result<String, Box<dyn Error>> {
    let mut child = Command::new(program)
        .args(["dmx-receiver", &universes.to_string(), way.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = BufReader::new(child.stdout.take().ok_or("expected a pipe")?);
    output.read_line(&mut String::new())?;
    let sender = Command::new(floor)
        .args([
            universes.to_string(),
            seconds.to_string(),
            way.name().to_owned(),
            port(way).to_string(),
        ])
        .output()?;
    let sent = String::from_utf8(sender.stdout)?;
    let sent: u64 = sent.split(' ').next().unwrap_or_default().parse()?;
    // What waits in the sockets.
    sleep_ns(200_000_000);
    drop(child.stdin.take());
    let mut line = String::new();
    output.read_line(&mut line)?;
    child.wait()?;
    let words: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
    let [time, packets, levels, _] = words?[..] else {
        return Err("expected counts of a receiver".into());
    };
    Ok(format!(
        "| {universes} | {} | {:.2} | {:.1} % | {sent} | {packets} | {} | {levels} |\n",
        way.name(),
        time as f64 / packets.max(1) as f64 / 1e3,
        time as f64 / f64::from(seconds) / 1e7,
        sent - packets.min(sent),
    ))
}
