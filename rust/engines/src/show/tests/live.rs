//! A show on the system's clock, over the sockets of the loopback.

use super::*;
use crate::dmx::DmxReport;
use rustle_lighting::{SLOTS, artnet};
use std::net::{Ipv4Addr, UdpSocket};

const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));
/// Frames of 100 ms: a show that is rendered a quarter of that late misses none.
const MILLIHERTZ: u32 = 10_000;
/// The datagrams of a universe that are compared.
const COUNT: usize = 20;
/// The datagram of the first universe after which the inputs come.
const INPUTS_AFTER: usize = 8;
/// Runs until one is held up nowhere: on a busy machine a thread may wait for longer than it has.
const ATTEMPTS: usize = 6;

/// Two universes of sACN and one of Art-Net, all of which change from frame to frame.
const RIG: &str = r#"{"v":1,"fixtures":[
    {"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":3},
    {"id":2,"profile":"rgb-par","protocol":"sacn","universe":8,"address":510},
    {"id":3,"profile":"rgb-par","protocol":"artnet","universe":3,"address":5}]}"#;
const SHOW: &str = r#"{"v":1,"faders":["key"],"scenes":[
    {"name":"turn","layers":[{"effect":"rainbow","rate":{"beats":3},"opacity":0.5,"modulators":[
        {"target":"opacity","source":"oscillator","shape":"sine","rate":{"beats":5},"amount":0.5},
        {"target":"opacity","source":"level","amount":-0.2,"attack":0.5},
        {"target":"opacity","source":"fader","fader":"key","amount":-0.2}]}]}]}"#;

/// Gives the show another tempo, sound and a hand at a fader.
fn give_inputs(session: &ShowSession) {
    session.set_tempo(93.0).expect("a tempo");
    for input in [Input::Level(0.8), Input::Fader { fader: 0, level: 0.6 }] {
        session.input(input).expect("an input");
    }
}

/// The time of the frame that was rendered last.
fn shown(session: &ShowSession) -> u64 {
    session.with_frame(|_, time, _| time)
}

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

/// The datagrams of the show that is rendered in virtual time, without a network, and the time of the last frame before the inputs.
fn rendered(has_inputs: bool) -> (Datagrams, u64) {
    let runtime = Arc::new(Runtime::manual(0));
    let captures = [Scratch::new(), Scratch::new()];
    let paths = captures.each_ref().map(|capture| Some(capture.path()));
    let (_senders, session, _engines, _engine) = play(&runtime, DEMO_INTERFACE, "10.0.0.7", paths);
    let read = || {
        let mut datagrams = Datagrams::default();
        for (_, bytes) in captures.iter().flat_map(Scratch::datagrams) {
            file(&mut datagrams, &bytes);
        }
        datagrams
    };
    // The captures are there with their senders.
    runtime.advance(Duration::from_millis(100));
    while read()[0].len() < INPUTS_AFTER {
        runtime.advance(Duration::from_millis(1));
    }
    // After the time of the frame, as when its datagram has arrived.
    runtime.advance(Duration::from_millis(1));
    let before = shown(&session);
    if has_inputs {
        give_inputs(&session);
    }
    runtime.advance(Duration::from_secs(4));
    let datagrams = read();
    let counts = datagrams.each_ref().map(Vec::len);
    assert!(is_enough(&datagrams), "{counts:?}");
    (datagrams, before)
}

/// The datagrams of the show that is sent live, whose inputs come after the frame of a time. The error says what was held up for
/// longer than it has.
fn sent(before: u64) -> Result<Datagrams, String> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    socket.set_read_timeout(PATIENCE).expect("an option");
    let to = socket.local_addr().expect("bound").to_string();
    let (senders, session, _engines, _engine) = play(Runtime::shared(), "127.0.0.1", &to, [None, None]);
    let (mut datagrams, mut bytes) = (Datagrams::default(), [0; 1_500]);
    let mut around_inputs = None;
    while !is_enough(&datagrams) {
        let count = socket.recv(&mut bytes).expect("a datagram");
        file(&mut datagrams, &bytes[..count]);
        if around_inputs.is_none() && datagrams[0].len() == INPUTS_AFTER {
            let earlier = shown(&session);
            give_inputs(&session);
            around_inputs = Some([earlier, shown(&session)]);
        }
    }
    let last = shown(&session);
    let mut skipped = None;
    while skipped.is_none() {
        // A report of before says nothing of the frames since then; datagrams go on.
        socket.recv(&mut bytes).expect("a datagram");
        let later = reports(&session)
            .into_iter()
            .find(|report| report.time_ns >= last);
        skipped = later.map(|report| report.skipped);
    }
    let counts: Vec<_> = senders.iter().map(DmxSession::counts).collect();
    session.cancel();
    for sender in &senders {
        sender.cancel();
    }
    // A quarter of a frame before the next one is sent it is rendered.
    let has_time = |count: &DmxReport| count.skipped == 0 && count.longest_lateness_ns < 75_000_000;
    let is_near = |time: u64| time.abs_diff(before) < 1_000_000;
    match around_inputs {
        Some(times) if !times.into_iter().all(is_near) => Err(format!("inputs at {times:?}, not {before}")),
        _ if skipped != Some(0) => Err(format!("frames were skipped: {skipped:?}")),
        _ if !counts.iter().all(has_time) => Err(format!("late senders: {counts:?}")),
        _ => Ok(datagrams),
    }
}

#[test]
fn datagrams_of_a_show_that_is_rendered_are_those_of_the_one_that_is_sent_live() {
    let (rendered, before) = rendered(true);
    for datagrams in &rendered {
        let slots = datagrams[..COUNT]
            .iter()
            .map(|bytes| &bytes[bytes.len() - SLOTS..]);
        let mut seen: Vec<&[u8]> = slots.collect();
        seen.dedup();
        assert!(seen.len() * 2 > COUNT, "every universe changes");
    }
    let (without, _) = self::rendered(false);
    for (with, without) in rendered.iter().zip(&without) {
        let other = (0..COUNT).find(|place| with[*place] != without[*place]);
        assert!(
            other.is_some_and(|place| place >= INPUTS_AFTER),
            "inputs act: {other:?}"
        );
    }
    let mut held_up = Vec::new();
    while held_up.len() < ATTEMPTS {
        match sent(before) {
            Ok(sent) => {
                let pairs = sent.iter().zip(&rendered);
                let others =
                    pairs.map(|(sent, rendered)| (0..COUNT).find(|place| sent[*place] != rendered[*place]));
                let others: Vec<_> = others.collect();
                assert_eq!(others, [None; 3], "the first other datagram of each universe");
                return;
            }
            Err(reason) => held_up.push(reason),
        }
    }
    panic!("no run in its time: {held_up:?}");
}
