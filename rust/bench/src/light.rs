//! Lighting: the speed of reading packets, merging sources, building and taking frames of 1,000 universes, and encoding looks. No
//! socket.

use crate::nodes;
use crate::stopwatch::now;
use rustle_lighting::artnet::{self, DmxBuffer};
use rustle_lighting::receiver::{SacnReceiver, Share, SyncRule, UniverseSettings, merge};
use rustle_lighting::sacn::{self, DataBuffer};
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, SacnSenderSettings};
use rustle_lighting::{Cid, Name, PortAddress, SLOTS, SacnUniverse};
use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::slots::SlotMap;
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;
use std::net::Ipv4Addr;

/// The repetitions of a short job in a visit.
const REPEATS: u32 = 1_000;
/// The sources of a universe.
const SOURCES: u8 = 16;
/// The universes of a frame.
const UNIVERSES: u32 = 1_000;
const PERIOD_NS: u64 = 1_000_000_000 / 44;

/// A table: the fastest of `visits` visits of each job.
pub(crate) fn tables(visits: usize) -> Result<String, Box<dyn Error>> {
    let mut text = format!(
        "### Lighting, 512 slots, one thread, the fastest of {visits} visits\n\n\
         | job | ns each | goal |\n|---|---|---|\n"
    );
    let slots: [u8; SLOTS] = std::array::from_fn(|slot| slot as u8);
    let mut data = buffer(1, SacnUniverse::FIRST, sacn::LEVELS)?;
    data.set_slots(&slots);
    let ns = fastest(visits, || sacn::parse(black_box(data.bytes())).is_ok());
    row(&mut text, "read sACN data", ns, "100")?;
    let mut dmx = DmxBuffer::new(PortAddress::FIRST, 0);
    dmx.set_slots(&slots);
    let ns = fastest(visits, || artnet::parse(black_box(dmx.bytes())).is_ok());
    row(&mut text, "read ArtDmx", ns, "100")?;
    let (levels, keys) = sources();
    let mut merged = [0; SLOTS];
    let ns = fastest(visits, || {
        let sources = levels.iter().zip(&keys);
        merge(
            black_box(sources.map(|(levels, keys)| Share { levels, keys })),
            &mut merged,
        );
        black_box(&merged)[0] > 0
    });
    row(&mut text, "merge 16 sources, priorities per slot", ns, "2000")?;
    let ns = one_of_sources(visits)?;
    row(
        &mut text,
        "packet of one of 16 such sources, changed: read, merge, report",
        ns,
        "",
    )?;
    let (send, receive) = frames(visits)?;
    row(
        &mut text,
        "frame of 1,000 universes, all changed: build, per packet",
        send,
        "",
    )?;
    row(
        &mut text,
        "the same: read, merge, report, per packet",
        receive,
        "",
    )?;
    // 10 bars of 16 pixels in each of 1,000 universes, and as many moving heads as fit.
    let ns = looks(visits, "bar-16", 10)?;
    row(&mut text, "a frame of 160,000 pixels to slots", ns, "")?;
    let ns = looks(visits, "moving-head", 50)?;
    row(&mut text, "a frame of 50,000 moving heads to slots", ns, "")?;
    let (ns, bytes) = nodes::objects(visits, 200)?;
    let name = format!("BlueZ's objects of 200 nodes, {} kB: read", bytes / 1_000);
    row(&mut text, &name, ns, "20000000")?;
    Ok(text)
}

/// Levels and keys of sources whose priorities differ from slot to slot.
fn sources() -> (Vec<[u8; SLOTS]>, Vec<[u8; SLOTS]>) {
    let values = |factor: usize, most: usize| {
        let of_source = |source| std::array::from_fn(|slot| ((slot * factor + source * 37) % most) as u8);
        (0..usize::from(SOURCES)).map(of_source).collect()
    };
    (values(7, 256), values(3, 202))
}

fn buffer(source: u8, universe: SacnUniverse, start_code: u8) -> Result<DataBuffer, Box<dyn Error>> {
    let cid = Cid::from_random([source; 16]);
    Ok(DataBuffer::new(cid, &Name::new("bench")?, universe, start_code))
}

/// A receiver of one universe with 16 sources, one of which changes.
fn one_of_sources(visits: usize) -> Result<f64, Box<dyn Error>> {
    let mut receiver = SacnReceiver::new(SyncRule::Latest);
    receiver.listen(SacnUniverse::FIRST, UniverseSettings::default());
    let (levels, keys) = sources();
    for (source, (levels, keys)) in levels.iter().zip(&keys).enumerate() {
        for (sequence, (start_code, slots)) in [(sacn::PRIORITIES, keys), (sacn::LEVELS, levels)]
            .into_iter()
            .enumerate()
        {
            let mut packet = buffer(source as u8, SacnUniverse::FIRST, start_code)?;
            packet.set_sequence(sequence as u8);
            packet.set_slots(&slots.map(|value| value.min(200)));
            receiver.receive(0, Ipv4Addr::LOCALHOST, packet.bytes())?;
        }
    }
    let mut packet = buffer(0, SacnUniverse::FIRST, sacn::LEVELS)?;
    let mut count = 1_u8;
    Ok(fastest(visits, || {
        count = count.wrapping_add(1);
        packet.set_sequence(count);
        packet.set_slots(&[count; SLOTS]);
        let is_good = receiver.receive(0, Ipv4Addr::LOCALHOST, packet.bytes()).is_ok();
        receiver.changes(0, |_, levels| {
            black_box(levels);
        });
        is_good
    }))
}

/// ns per packet of the fastest frame, to build and to take.
fn frames(visits: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let settings = SacnSenderSettings {
        cid: Cid::from_random([1; 16]),
        name: Name::new("bench")?,
        rate: FrameRate::FULL,
        sync_gap_ns: 0,
    };
    let mut sender = SacnSender::new(settings, 0);
    let mut receiver = SacnReceiver::new(SyncRule::Latest);
    for number in 1..=UNIVERSES {
        let universe = SacnUniverse::new(number)?;
        sender.add(universe, SacnOutput::default())?;
        receiver.listen(universe, UniverseSettings::default());
    }
    let universes = sender.universes().to_vec();
    let (mut send, mut receive) = (f64::INFINITY, f64::INFINITY);
    for frame in 0..visits as u64 {
        // Rounded up, so that each frame is due.
        let time = (frame + 1) * (PERIOD_NS + 1);
        let slots = [frame as u8; SLOTS];
        let start = now();
        for universe in &universes {
            sender.set_levels(*universe, &slots)?;
        }
        sender.advance(time);
        let packets = sender
            .datagrams()
            .map(|datagram| black_box(datagram).bytes.len())
            .filter(|length| *length > 0);
        let count = packets.count() as f64;
        send = send.min(start.elapsed().as_secs_f64() * 1e9 / count);
        let start = now();
        for datagram in sender.datagrams() {
            receiver.receive(time, Ipv4Addr::LOCALHOST, datagram.bytes)?;
        }
        receiver.changes(time, |_, levels| {
            black_box(levels);
        });
        receive = receive.min(start.elapsed().as_secs_f64() * 1e9 / count);
    }
    Ok((send, receive))
}

/// ns of the fastest frame of a rig with a profile's fixtures in each universe.
fn looks(visits: usize, profile: &str, fixtures: u16) -> Result<f64, Box<dyn Error>> {
    let profiles = Profile::built_in();
    let footprint = profiles
        .iter()
        .find(|one| one.name == profile)
        .map_or(0, |one| one.modes[0].footprint());
    let places = (1..=UNIVERSES)
        .flat_map(|universe| (0..fixtures).map(move |place| (universe, place * footprint + 1)));
    let fixtures: Vec<_> = places
        .map(|(universe, address)| {
            format!(
                r#"{{"id":{},"profile":"{profile}","protocol":"sacn","universe":{universe},"address":{address}}}"#,
                universe * 512 + u32::from(address)
            )
        })
        .collect();
    let json = format!(r#"{{"v":1,"fixtures":[{}]}}"#, fixtures.join(","));
    let (rig, _) = Rig::read(json.as_bytes(), &profiles)?;
    let map = SlotMap::new(&rig);
    let (mut look, mut frame) = (map.look(), map.frame());
    for (index, (red, blue)) in look.red.iter_mut().zip(&mut look.blue).enumerate() {
        *red = (index % 251) as f32 / 250.0;
        *blue = 1.0 - *red;
    }
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let start = now();
        map.encode(black_box(&look), &mut frame);
        black_box(&frame);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best * 1e9)
}

/// ns of a job in the fastest visit of many repetitions; `job` returns a result, so that the compiler does not remove it.
fn fastest(visits: usize, mut job: impl FnMut() -> bool) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let start = now();
        for _ in 0..REPEATS {
            black_box(job());
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / f64::from(REPEATS)
}

fn row(text: &mut String, name: &str, ns: f64, goal: &str) -> Result<(), Box<dyn Error>> {
    writeln!(text, "| {name} | {ns:.0} | {goal} |")?;
    Ok(())
}
