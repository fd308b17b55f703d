//! Defects of ChromaDMX that this crate keeps out, by name.

use crate::sent::{START, run, sender};
use crate::support::{HOST, Listener, SECOND, cid, universe};
use rustle_lighting::receiver::UniverseSettings;
use rustle_lighting::sacn::{Options, Packet, parse};
use rustle_lighting::sender::{FrameRate, SacnOutput};
use rustle_lighting::{Cid, CidError, PortAddress, SacnUniverse, UniverseError};

/// Sends 20 changed frames of a number of universes to a receiver; `number` rewrites the sequence number of the n-th packet. Returns
/// the packets that were taken and those that were out of order.
fn taken(universes: u32, number: impl Fn(usize, u8) -> u8) -> (u64, u64) {
    let mut sender = sender(FrameRate::FULL, 0);
    let mut listener = Listener::new(UniverseSettings::default());
    for number in 1..=universes {
        listener
            .receiver
            .listen(universe(number), UniverseSettings::default());
        sender.add(universe(number), SacnOutput::default()).expect("new");
    }
    let (mut now, mut count) = (START, 0);
    for frame in 0..20_u8 {
        for number in 1..=universes {
            sender.set_levels(universe(number), &[frame]).expect("added");
        }
        let until = now + FrameRate::FULL.offset_ns(1);
        for mut sent in run(&mut sender, &mut now, until) {
            if matches!(parse(&sent.bytes), Ok(Packet::Data(_))) {
                sent.bytes[111] = number(count, sent.bytes[111]);
                count += 1;
            }
            listener
                .receiver
                .receive(sent.at, HOST, &sent.bytes)
                .expect("well-formed");
        }
    }
    let counters =
        (1..=universes).filter_map(|number| listener.receiver.universe_counters(now, universe(number)));
    counters.fold((0, 0), |(taken, dropped), counters| {
        (taken + counters.packets, dropped + counters.out_of_order)
    })
}

#[test]
fn chroma_dmx_one_sequence_counter_for_all_universes() {
    for universes in [1, 19, 20, 237, 250, 255, 256, 300] {
        let frames = 20 * u64::from(universes);
        let (packets, dropped) = taken(universes, |_, own| own);
        assert!(packets >= frames && dropped == 0, "{universes}");
    }
    // What a receiver sees of one counter: steps of the number of universes, by which these numbers go back or stay. The lost frames
    // of 20: each until the distance from the last that was taken has left the window.
    for (universes, lost) in [(237, 10), (255, 19), (256, 19)] {
        let (packets, dropped) = taken(universes, |count, _| count as u8);
        assert_eq!(
            (packets + dropped, dropped),
            (20 * u64::from(universes), lost * u64::from(universes)),
            "{universes}"
        );
    }
}

#[test]
fn chroma_dmx_zero_cid() {
    assert_eq!(Cid::new([0; 16]), Err(CidError));
    assert_ne!(Cid::from_random([0; 16]).bytes(), &[0; 16]);
}

#[test]
fn chroma_dmx_universe_0_turned_into_1() {
    assert!(matches!(
        SacnUniverse::new(0),
        Err(UniverseError::OutOfRange { got: 0, .. })
    ));
    assert_eq!(
        PortAddress::new(0).map(PortAddress::get),
        Ok(0),
        "a Port-Address of its own"
    );
}

#[test]
fn chroma_dmx_no_termination() {
    let mut sender = sender(FrameRate::FULL, 0);
    sender.add(universe(1), SacnOutput::default()).expect("new");
    sender.set_levels(universe(1), &[1]).expect("added");
    let mut now = START;
    run(&mut sender, &mut now, START + SECOND);
    sender.stop();
    let sent = run(&mut sender, &mut now, START + 2 * SECOND);
    let is_end = |bytes: &[u8]| matches!(parse(bytes), Ok(Packet::Data(data)) if data.options.has(Options::TERMINATED) && data.cid == cid(1));
    assert_eq!(sent.iter().filter(|sent| is_end(&sent.bytes)).count(), 3);
}

#[test]
fn chroma_dmx_loop_in_whole_milliseconds() {
    let mut sender = sender(FrameRate::FULL, 0);
    sender.add(universe(1), SacnOutput::default()).expect("new");
    let mut now = START;
    for frame in 0..60 * 44_u64 {
        sender
            .set_levels(universe(1), &frame.to_be_bytes())
            .expect("added");
        run(&mut sender, &mut now, START + FrameRate::FULL.offset_ns(frame));
    }
    assert_eq!(now, START + FrameRate::FULL.offset_ns(60 * 44 - 1));
    // 22 ms would be 2,727 frames.
    assert_eq!(sender.counters().packets, 60 * 44);
}
