//! A show on the system's clock, over the sockets of the loopback.

use super::*;
use rustle_lighting::SLOTS;
use std::net::{Ipv4Addr, UdpSocket};

const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));
/// Frames of 25 ms: their times are whole numbers whichever the first one is.
const MILLIHERTZ: u32 = 40_000;
const SECOND: u64 = 1_000_000_000;

/// The frames of a show that is rendered without a sender, up to a time, by the slots of its first universe.
fn rendered(configuration: ShowConfiguration, until: u64) -> Vec<Vec<u8>> {
    let runtime = Arc::new(Runtime::manual(0));
    let engine = ShowEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let session = engine.start(Vec::new(), ring()).expect("started");
    let mut frames = Vec::new();
    loop {
        runtime.advance(Duration::from_millis(25));
        let (slots, time) = session.with_frame(|frame, time, _| (frame[0].to_vec(), time));
        frames.push(slots);
        if time >= until {
            return frames;
        }
    }
}

#[test]
fn show_rendered_offline_equals_the_one_that_was_sent_live() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    socket.set_read_timeout(PATIENCE).expect("an option");
    let runtime = Runtime::shared();
    let rate = FrameRate::from_millihertz(MILLIHERTZ).expect("in range");
    let cid = Cid::new([9; 16]).expect("not zero");
    let senders = DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        destinations: vec![socket.local_addr().expect("bound").to_string()],
        rate,
        ..DmxConfiguration::new(DmxProtocol::Sacn, cid, Name::new("live").expect("short"))
    };
    let senders = DmxEngine::on(runtime.clone(), senders).expect("a good configuration");
    let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
    let sender = senders.start(delivery).expect("started");
    let configuration = ShowConfiguration {
        rate,
        ..ShowConfiguration::new(Demo::Pars.show(), Demo::Pars.rig())
    };
    let engine = ShowEngine::on(runtime.clone(), configuration.clone()).expect("a good configuration");
    let session = engine.start(vec![sender.output().clone()], ring());
    let session = session.expect("started");
    let [universe] = session.universes() else {
        panic!("expected one universe, got {:?}", session.universes())
    };
    let rustle_shows::fixture::RigUniverse::Sacn(universe) = *universe else {
        panic!("expected sACN, got {universe:?}")
    };
    let (mut sent, mut bytes): (Vec<Vec<u8>>, _) = (Vec::new(), [0; 1_500]);
    let last = loop {
        let count = socket.recv(&mut bytes).expect("a datagram");
        if let Ok(Packet::Data(data)) = parse(&bytes[..count])
            && data.universe == universe
            && data.start_code == 0
        {
            assert_eq!(data.slots.len(), SLOTS);
            sent.push(data.slots.to_vec());
        }
        let time = session.with_frame(|_, time, _| time);
        if time >= SECOND {
            break time;
        }
    };
    let mut expected = rendered(configuration, last);
    // Still data is repeated.
    sent.dedup();
    expected.dedup();
    assert!(expected.len() > 20, "the show moves: {}", expected.len());
    // Frames may be missed on a busy machine, but none is another.
    let mut rest = expected.iter();
    for (place, slots) in sent.iter().enumerate() {
        assert!(rest.any(|frame| frame == slots), "frame {place}");
    }
    assert!(
        sent.len() * 3 >= expected.len(),
        "{} of {}",
        sent.len(),
        expected.len()
    );
}
