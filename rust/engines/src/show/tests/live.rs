//! A show on the system's clock, over the sockets of the loopback.

use super::*;
use rustle_lighting::{SLOTS, artnet};
use std::net::{Ipv4Addr, UdpSocket};

const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));
/// Frames of 100 ms: a show that is rendered a quarter of that late misses none.
const MILLIHERTZ: u32 = 10_000;
/// The datagrams of a universe that are compared.
const COUNT: usize = 20;
/// Runs until one has every frame: a busy machine may hold a thread up for longer than it has.
const ATTEMPTS: usize = 6;

/// Two universes of sACN and one of Art-Net, all of which change from frame to frame.
const RIG: &str = r#"{"v":1,"fixtures":[
    {"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":3},
    {"id":2,"profile":"rgb-par","protocol":"sacn","universe":8,"address":510},
    {"id":3,"profile":"rgb-par","protocol":"artnet","universe":3,"address":5}]}"#;
const SHOW: &str = r#"{"v":1,"scenes":[
    {"name":"turn","layers":[{"effect":"rainbow","rate":{"beats":3},"opacity":0.5,"modulators":[
        {"target":"opacity","source":"oscillator","shape":"sine","rate":{"beats":5},"amount":0.5}]}]}]}"#;

/// The datagrams of each universe of each protocol, in their order.
type Datagrams = [Vec<Vec<u8>>; 3];

fn file(datagrams: &mut Datagrams, bytes: &[u8]) {
    let place = match (parse(bytes), artnet::parse(bytes)) {
        // Of the universes, every ten seconds.
        (Ok(Packet::Discovery(_)), _) => return,
        (Ok(Packet::Data(data)), _) => usize::from(data.universe.get()) - 7,
        (_, Ok(artnet::Packet::Dmx(dmx))) if dmx.address.get() == 3 => 2,
        _ => panic!("expected levels, got {bytes:?}"),
    };
    datagrams[place].push(bytes.to_vec());
}

fn is_enough(datagrams: &Datagrams) -> bool {
    datagrams.iter().all(|each| each.len() >= COUNT)
}

/// Plays the show on a sender of each protocol.
fn play(
    runtime: &Arc<Runtime>,
    interface: &str,
    to: &str,
    captures: [Option<String>; 2],
) -> (Vec<DmxSession>, ShowSession, [DmxEngine; 2], ShowEngine) {
    let rate = FrameRate::from_millihertz(MILLIHERTZ).expect("in range");
    let mut sessions = Vec::new();
    let mut captures = captures.into_iter();
    let engines = [DmxProtocol::Sacn, DmxProtocol::ArtNet].map(|protocol| {
        let cid = Cid::new([9; 16]).expect("not zero");
        let configuration = DmxConfiguration {
            interface: interface.to_owned(),
            destinations: vec![to.to_owned()],
            capture: captures.next().flatten(),
            rate,
            ..DmxConfiguration::new(protocol, cid, Name::new("live").expect("short"))
        };
        let engine = DmxEngine::on(runtime.clone(), configuration).expect("a good configuration");
        let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
        sessions.push(engine.start(delivery).expect("started"));
        engine
    });
    let (show, faults) = Show::read(SHOW.as_bytes()).expect("a show");
    assert_eq!(faults, []);
    let (rig, faults) = Rig::read(RIG.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    let configuration = ShowConfiguration {
        rate,
        ..ShowConfiguration::new(show, rig)
    };
    let engine = ShowEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let outputs = sessions.iter().map(|session| session.output().clone()).collect();
    let session = engine.start(outputs, None, ring()).expect("started");
    (sessions, session, engines, engine)
}

/// The datagrams of the show that is rendered in virtual time, without a network.
fn rendered() -> Datagrams {
    let runtime = Arc::new(Runtime::manual(0));
    let captures = [Scratch::new(), Scratch::new()];
    let paths = captures.each_ref().map(|capture| Some(capture.path()));
    let _playing = play(&runtime, DEMO_INTERFACE, "10.0.0.7", paths);
    let mut datagrams = Datagrams::default();
    runtime.advance(Duration::from_secs(5));
    for (_, bytes) in captures.iter().flat_map(Scratch::datagrams) {
        file(&mut datagrams, &bytes);
    }
    let counts = datagrams.each_ref().map(Vec::len);
    assert!(is_enough(&datagrams), "{counts:?}");
    datagrams
}

/// The datagrams of the show that is sent live.
fn sent() -> Datagrams {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    socket.set_read_timeout(PATIENCE).expect("an option");
    let to = socket.local_addr().expect("bound").to_string();
    let (senders, session, _engines, _engine) = play(Runtime::shared(), "127.0.0.1", &to, [None, None]);
    let (mut datagrams, mut bytes) = (Datagrams::default(), [0; 1_500]);
    while !is_enough(&datagrams) {
        let count = socket.recv(&mut bytes).expect("a datagram");
        file(&mut datagrams, &bytes[..count]);
    }
    session.cancel();
    for sender in &senders {
        sender.cancel();
    }
    datagrams
}

#[test]
fn datagrams_of_a_show_that_is_rendered_are_those_of_the_one_that_is_sent_live() {
    let rendered = rendered();
    for datagrams in &rendered {
        let slots = datagrams[..COUNT]
            .iter()
            .map(|bytes| &bytes[bytes.len() - SLOTS..]);
        let mut seen: Vec<&[u8]> = slots.collect();
        seen.dedup();
        assert!(seen.len() * 2 > COUNT, "every universe changes");
    }
    let mut missed = Vec::new();
    while missed.len() < ATTEMPTS {
        let sent = sent();
        let pairs = sent.iter().zip(&rendered);
        let others = pairs.map(|(sent, rendered)| (0..COUNT).find(|place| sent[*place] != rendered[*place]));
        let others: Vec<_> = others.collect();
        if others.iter().all(Option::is_none) {
            return;
        }
        missed.push(others);
    }
    panic!("no run sends what is rendered; the first other datagram of each universe: {missed:?}");
}
