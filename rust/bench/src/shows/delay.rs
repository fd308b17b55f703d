//! How long an input of a show that is played takes to its packet, on the loopback and the system's clock.

use crate::dmx::{now_ns, sleep_ns};
use rustle_engines::{
    Delivery, DmxConfiguration, DmxEngine, DmxProtocol, NoBell, Overflow, Runtime, ShowConfiguration,
    ShowEngine,
};
use rustle_lighting::{Cid, Name, sacn};
use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::player::Input;
use rustle_shows::scene::Span;
use rustle_shows::show::Show;
use std::error::Error;
use std::fmt::Write;
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

const RIG: &str =
    r#"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":1}]}"#;
/// Light, light after an onset, and light in the first half of each beat.
const SHOW: &str = r#"{"v":1,"scenes":[
    {"name":"light","layers":[{"effect":"solid"}]},
    {"name":"onset","layers":[{"effect":"solid","opacity":0,"modulators":[
        {"target":"opacity","source":"onset","amount":1,"attack":0,"release":0.05}]}]},
    {"name":"beat","layers":[{"effect":"solid","opacity":0,"modulators":[
        {"target":"opacity","source":"oscillator","shape":"square","rate":{"beats":1},"amount":1}]}]}]}"#;
/// The places of the scenes.
const LIGHT: usize = 0;
const ONSET: usize = 1;
const BEAT: usize = 2;
/// Halves of its beats do not fall on frames.
const BPM: f64 = 127.3;
/// The inputs of a kind.
const INPUTS: u32 = 400;

/// A socket for the universe's packets.
struct Ear {
    socket: UdpSocket,
    bytes: [u8; 1_500],
}

impl Ear {
    /// The level in the next packet, and when it was received.
    fn next(&mut self) -> Result<(u8, u64), Box<dyn Error>> {
        loop {
            let length = self.socket.recv(&mut self.bytes)?;
            let time_ns = now_ns();
            if let Ok(sacn::Packet::Data(data)) = sacn::parse(&self.bytes[..length])
                && let Some(&level) = data.slots.first()
            {
                return Ok((level, time_ns));
            }
        }
    }

    /// When a packet comes that is lit or is not.
    fn wait(&mut self, is_lit: bool) -> Result<u64, Box<dyn Error>> {
        loop {
            let (level, time_ns) = self.next()?;
            if (level > 0) == is_lit {
                return Ok(time_ns);
            }
        }
    }
}

/// A table of the delays of onsets, of blackouts, and of beats.
pub(super) fn table() -> Result<String, Box<dyn Error>> {
    let mut ear = Ear {
        socket: UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?,
        bytes: [0; 1_500],
    };
    ear.socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    let cid = Cid::new([0xF3; 16]).map_err(|error| error.to_string())?;
    let name = Name::new("rustle").map_err(|error| error.to_string())?;
    let senders = DmxEngine::on(
        Runtime::shared().clone(),
        DmxConfiguration {
            interface: "127.0.0.1".to_owned(),
            destinations: vec![ear.socket.local_addr()?.to_string()],
            ..DmxConfiguration::new(DmxProtocol::Sacn, cid, name)
        },
    )?;
    let events = Delivery::pull(Overflow::DropOldest, 1, NoBell).ok_or("expected a capacity")?;
    let sender = senders.start(events)?;
    let (show, faults) = Show::read(SHOW.as_bytes())?;
    let (rig, others) = Rig::read(RIG.as_bytes(), &Profile::built_in())?;
    if let Some(fault) = faults.first().or(others.first()) {
        return Err(fault.to_string().into());
    }
    let engine = ShowEngine::on(
        Runtime::shared().clone(),
        ShowConfiguration {
            bpm: BPM,
            ..ShowConfiguration::new(show, rig)
        },
    )?;
    let reports = Delivery::pull(Overflow::DropOldest, 1, NoBell).ok_or("expected a capacity")?;
    let session = engine.start(vec![sender.output().clone()], None, reports)?;
    // The first packet is sent at the show's beginning, and is lit.
    let start_ns = ear.wait(true)?;

    let mut onsets = Vec::new();
    session.input(scene(ONSET))?;
    for input in 0..INPUTS {
        ear.wait(false)?;
        // Anywhere between two frames.
        sleep_ns(60_000_000 + u64::from(input) * 7_919_000 % 22_727_000);
        let given_ns = now_ns();
        session.input(Input::Onset(1.0))?;
        onsets.push(ear.wait(true)?.saturating_sub(given_ns));
    }
    let mut blackouts = Vec::new();
    session.input(scene(LIGHT))?;
    for input in 0..INPUTS {
        session.input(Input::Blackout(false))?;
        ear.wait(true)?;
        sleep_ns(u64::from(input) * 7_919_000 % 22_727_000);
        let given_ns = now_ns();
        session.input(Input::Blackout(true))?;
        blackouts.push(ear.wait(false)?.saturating_sub(given_ns));
    }
    let mut beats = Vec::new();
    session.input(Input::Blackout(false))?;
    session.input(scene(BEAT))?;
    let half_beat_ns = 30e9 / BPM;
    ear.wait(false)?;
    for _ in 0..INPUTS / 2 {
        for is_lit in [true, false] {
            let since = ear.wait(is_lit)?.saturating_sub(start_ns) as f64;
            beats.push((since % half_beat_ns) as u64);
        }
    }
    session.cancel();
    sender.cancel();

    let mut text = format!(
        "\n### From an input to its packet at 44 Hz, {INPUTS} of each: a frame is 22.7 ms\n\n\
         | input | median, ms | p99, ms | goal | longest, ms |\n|---|---|---|---|---|\n"
    );
    for (name, mut delays) in [("onset", onsets), ("blackout", blackouts), ("beat", beats)] {
        delays.sort_unstable();
        let at = |share: f64| delays[(share * (delays.len() - 1) as f64) as usize] as f64 / 1e6;
        writeln!(
            text,
            "| {name} | {:.1} | {:.1} | 23 | {:.1} |",
            at(0.5),
            at(0.99),
            at(1.0)
        )?;
    }
    Ok(text)
}

fn scene(scene: usize) -> Input {
    Input::Scene {
        scene,
        fade: Span::NONE,
    }
}
