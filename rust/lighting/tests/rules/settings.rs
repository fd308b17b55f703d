//! Settings that change while packets come and go.

use crate::sent::{START, Sent, run, with_universes};
use crate::support::{HOST, Listener, MS, Node, SECOND, Talker, cid, name, port, universe};
use rustle_lighting::receiver::{
    LossReason, MergeMode, OnLoss, PortSettings, ReceiverEvent, UniverseSettings,
};
use rustle_lighting::sacn::{DiscoveryBuffer, PORT};
use rustle_lighting::sender::{
    ArtNetSender, ArtNetSenderSettings, Destinations, FrameRate, SacnOutput, SenderError, Target,
};
use rustle_lighting::{SLOTS, SacnUniverse};
use std::net::{Ipv4Addr, SocketAddrV4};

const ONE: SacnUniverse = SacnUniverse::FIRST;

#[test]
fn pages_of_universe_discovery_are_returned() {
    let mut listener = Listener::new(UniverseSettings::default());
    let page = DiscoveryBuffer::new(cid(1), &name(), 0, 0, &[universe(3), universe(9)]);
    let got = listener.receiver.receive(listener.now, HOST, page.bytes());
    let listed = got.expect("well-formed").expect("a page").universes();
    assert!(listed.eq([universe(3), universe(9)]));
    let levels = Talker::new(1).levels(&[1]);
    let got = listener.receiver.receive(listener.now, HOST, &levels);
    assert!(got.expect("well-formed").is_none());
    assert_eq!(listener.receiver.counters().discovery_pages, 1);
}

#[test]
fn lower_limit_of_sources_displaces_those_of_the_lowest_rank() {
    let mut listener = Listener::new(UniverseSettings::default());
    for number in 1..=3 {
        listener.hear(
            Talker::new(number)
                .priority(100 + number)
                .synchronized(7)
                .levels(&[number]),
        );
    }
    listener.events();
    let settings = UniverseSettings {
        sources: 1,
        ..UniverseSettings::default()
    };
    assert!(listener.receiver.configure(listener.now, ONE, settings.clone()));
    assert!(!listener.receiver.configure(listener.now, universe(99), settings));
    let displaced = |number| ReceiverEvent::SourceLost {
        universe: ONE,
        source: cid(number),
        reason: LossReason::Displaced,
    };
    assert_eq!(listener.events(), [displaced(1), displaced(2)]);
    assert_eq!((listener.slots(), listener.sources()), ([3], 1));
    // The address is named as long as one of them is there.
    assert_eq!(listener.receiver.sync_addresses(), [universe(7)]);
    assert!(listener.receiver.forget(listener.now, ONE, cid(3)));
    assert!(listener.receiver.sync_addresses().is_empty());
}

#[test]
fn further_sources_are_reported_again_after_the_limit_changed() {
    let settings = |sources| UniverseSettings {
        sources,
        ..UniverseSettings::default()
    };
    let mut listener = Listener::new(settings(1));
    let exceeded = ReceiverEvent::SourcesExceeded { universe: ONE };
    for number in 1..=2 {
        listener.hear(Talker::new(number).levels(&[1]));
    }
    assert!(listener.events().contains(&exceeded));
    assert!(listener.receiver.configure(listener.now, ONE, settings(2)));
    listener.hear(Talker::new(2).levels(&[1]));
    assert!(!listener.events().contains(&exceeded));
    listener.hear(Talker::new(3).levels(&[1]));
    assert!(listener.events().contains(&exceeded));
}

#[test]
fn same_settings_do_not_begin_a_fade_anew() {
    let settings = UniverseSettings {
        on_loss: OnLoss::Fade {
            scene: Box::new([200; SLOTS]),
            over_ns: SECOND,
        },
        ..UniverseSettings::default()
    };
    let (mut listener, mut talker) = (Listener::new(settings.clone()), Talker::new(1));
    listener.hear(talker.levels(&[0]));
    listener.hear(talker.terminate());
    listener.pass(500 * MS);
    assert!(listener.receiver.configure(listener.now, ONE, settings));
    listener.pass(500 * MS);
    assert_eq!(listener.slots(), [200]);
}

#[test]
fn what_follows_the_loss_changes_before_and_after_it() {
    let fade = OnLoss::Fade {
        scene: Box::new([200; SLOTS]),
        over_ns: SECOND,
    };
    for is_lost in [false, true] {
        let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
        let mut node = Node::new(PortSettings::default());
        let settings = UniverseSettings {
            on_loss: fade.clone(),
            ..UniverseSettings::default()
        };
        let of_port = PortSettings {
            on_loss: fade.clone(),
            ..PortSettings::default()
        };
        listener.hear(talker.levels(&[0]));
        node.dmx(1, 0, 0, &[0]);
        if is_lost {
            listener.hear(talker.terminate());
            node.pass(11 * SECOND);
        }
        assert!(listener.receiver.configure(listener.now, ONE, settings));
        assert!(node.receiver.configure(node.now, port(0), of_port.clone()));
        assert!(!node.receiver.configure(node.now, port(99), of_port));
        if !is_lost {
            listener.hear(talker.terminate());
            node.pass(10 * SECOND);
        }
        listener.pass(500 * MS);
        node.pass(500 * MS);
        for level in [listener.slots::<1>()[0], node.slots::<1>(0)[0]] {
            assert!((90..=110).contains(&level), "lost: {is_lost}, {level}");
        }
    }
}

#[test]
fn merge_of_a_port_changes_at_once() {
    let mut node = Node::new(PortSettings::default());
    node.dmx(1, 0, 0, &[9]);
    node.dmx(2, 0, 0, &[3]);
    assert_eq!(node.slots(0), [9]);
    let settings = PortSettings {
        merge: MergeMode::Ltp,
        ..PortSettings::default()
    };
    assert!(node.receiver.configure(node.now, port(0), settings));
    node.hear(1, b"");
    assert_eq!(node.slots(0), [3]);
}

#[test]
fn data_follow_their_destinations_with_the_next_frame() {
    let host = |number| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, number), PORT);
    let mut sender = with_universes(&[1], &SacnOutput::default());
    sender.set_levels(ONE, &[1]).expect("added");
    sender.set_priorities(ONE, Some(&[100])).expect("added");
    let mut now = START;
    run(&mut sender, &mut now, START + SECOND);
    sender
        .set_target(ONE, Target::Unicast(vec![host(1)]))
        .expect("added");
    let sent = run(&mut sender, &mut now, START + SECOND + 23 * MS);
    let data: Vec<_> = sent
        .iter()
        .filter(|sent| sent.data().is_some())
        .map(|sent| sent.to)
        .collect();
    assert_eq!(data, [host(1), host(1)], "per-address priorities and levels");
    let start_codes = sent.iter().filter_map(Sent::data).map(|data| data.2);
    assert!(start_codes.eq([0xDD, 0]));
    assert_eq!(
        sender.set_target(universe(2), Target::Multicast),
        Err(SenderError::UnknownUniverse { got: 2 })
    );

    let settings = ArtNetSenderSettings {
        rate: FrameRate::FULL,
        sync: Vec::new(),
        sync_gap_ns: 0,
    };
    let mut sender = ArtNetSender::new(settings, START);
    sender.add(port(0), 0, Destinations::Subscribers).expect("new");
    sender.set_levels(port(0), &[1]).expect("added");
    sender.advance(START);
    assert_eq!(sender.datagrams().count(), 0);
    sender
        .set_destinations(port(0), Destinations::Fixed(vec![host(2)]))
        .expect("added");
    sender.advance(START + 23 * MS);
    assert!(sender.datagrams().map(|datagram| datagram.to).eq([host(2)]));
    sender
        .set_destinations(port(0), Destinations::Fixed(vec![host(3)]))
        .expect("added");
    sender.advance(START + 46 * MS);
    assert!(sender.datagrams().map(|datagram| datagram.to).eq([host(3)]));
    sender
        .set_destinations(port(0), Destinations::Subscribers)
        .expect("added");
    sender.advance(START + 2 * SECOND);
    assert_eq!(sender.datagrams().count(), 0);
    assert_eq!(
        sender.set_destinations(port(1), Destinations::Subscribers),
        Err(SenderError::UnknownUniverse { got: 1 })
    );
}
