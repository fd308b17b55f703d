//! What a receiver keeps, and reports, at its bounds.

use crate::support::{Listener, MS, Node, SECOND, SacnEvent, Talker, cid, port, universe};
use rustle_lighting::SLOTS;
use rustle_lighting::receiver::{
    ArtNetReceiver, ArtNetSource, DEFAULT_SOURCES, LossReason, OnLoss, PortSettings, ReceiverEvent,
    SacnReceiver, SyncRule, UniverseSettings,
};
use std::net::Ipv4Addr;

const UNIVERSES: u32 = 1_000;

#[test]
fn loss_of_a_console_of_1000_universes_is_reported_whole() {
    let mut sacn = SacnReceiver::new(SyncRule::Latest);
    let mut art_net = ArtNetReceiver::new(SyncRule::Latest);
    for number in 1..=UNIVERSES {
        sacn.listen(universe(number), UniverseSettings::default());
        art_net.listen(port(number), PortSettings::default());
    }
    for number in 1..=UNIVERSES {
        let bytes = Talker::on(1, number).levels(&[1]);
        sacn.receive(0, Ipv4Addr::LOCALHOST, &bytes).expect("good");
        let bytes = crate::support::dmx(number, 0, 0, &[1]);
        art_net.receive(0, Ipv4Addr::LOCALHOST, &bytes).expect("good");
    }
    sacn.advance(11 * SECOND);
    art_net.advance(11 * SECOND);
    assert_eq!(sacn.counters().events_dropped, 0);
    assert_eq!(art_net.counters().events_dropped, 0);
    // It appeared, it was lost, and with it the universe.
    assert_eq!(
        std::iter::from_fn(|| sacn.pop_event()).count(),
        3 * UNIVERSES as usize
    );
    assert_eq!(
        std::iter::from_fn(|| art_net.pop_event()).count(),
        3 * UNIVERSES as usize
    );
}

#[test]
fn fade_begins_when_the_last_source_is_forgotten() {
    let on_loss = OnLoss::Fade {
        scene: Box::new([200; SLOTS]),
        over_ns: SECOND,
    };
    let mut listener = Listener::new(UniverseSettings {
        on_loss: on_loss.clone(),
        ..UniverseSettings::default()
    });
    listener.hear(Talker::new(1).levels(&[0]));
    assert!(listener.receiver.forget(listener.now, universe(1), cid(1)));
    let mut node = Node::new(PortSettings {
        on_loss,
        ..PortSettings::default()
    });
    node.dmx(1, 0, 0, &[0]);
    let source = ArtNetSource {
        address: Ipv4Addr::new(10, 0, 0, 1),
        physical: 0,
    };
    assert!(node.receiver.forget(node.now, port(0), source));
    listener.pass(500 * MS);
    node.pass(500 * MS);
    for level in [listener.slots::<1>()[0], node.slots::<1>(0)[0]] {
        assert!((90..=110).contains(&level), "{level}");
    }
}

fn exceeded() -> SacnEvent {
    ReceiverEvent::SourcesExceeded {
        universe: universe(1),
    }
}

fn of_sources(sources: usize) -> Listener {
    Listener::new(UniverseSettings {
        sources,
        ..UniverseSettings::default()
    })
}

#[test]
fn sixteen_sources_are_merged_when_nothing_else_is_configured() {
    let mut listener = Listener::new(UniverseSettings::default());
    for number in 1..=20 {
        listener.hear(Talker::new(number).levels(&[number]));
    }
    assert_eq!(
        (DEFAULT_SOURCES, listener.sources(), listener.slots()),
        (16, 16, [16])
    );
}

#[test]
fn further_sources_are_reported_again_after_one_was_lost_or_forgotten() {
    for is_forgotten in [true, false] {
        let (mut listener, mut first) = (of_sources(1), Talker::new(1));
        listener.hear(first.levels(&[1]));
        listener.hear(Talker::new(2).levels(&[1]));
        assert!(listener.events().contains(&exceeded()));
        if is_forgotten {
            listener.receiver.forget(listener.now, universe(1), cid(1));
        } else {
            listener.hear(first.terminate());
        }
        listener.hear(Talker::new(2).levels(&[1]));
        assert!(!listener.events().contains(&exceeded()), "there was a place");
        listener.hear(Talker::new(3).levels(&[1]));
        assert!(
            listener.events().contains(&exceeded()),
            "forgotten: {is_forgotten}"
        );
    }
}

#[test]
fn new_source_does_not_take_the_place_of_a_lost_one_before_the_others_have_shown_that_they_are_there() {
    let mut listener = of_sources(2);
    let (mut high, mut low) = (Talker::new(1).priority(150), Talker::new(2));
    let mut new = Talker::new(3).priority(120);
    listener.hear(high.levels(&[1]));
    listener.hear(low.levels(&[255]));
    listener.hear(high.terminate());
    listener.hear(new.levels(&[9]));
    assert_eq!(listener.slots(), [1], "the lower source has not sent again");
    listener.hear(low.levels(&[255]));
    listener.hear(new.levels(&[9]));
    assert_eq!(
        (listener.history.clone(), listener.sources()),
        (vec![1, 255, 9], 2)
    );
}

#[test]
fn previews_leave_their_place_to_others_first() {
    let mut listener = Listener::new(UniverseSettings {
        sources: 2,
        includes_previews: true,
        ..UniverseSettings::default()
    });
    let mut preview = Talker::new(1).priority(200);
    preview.options = rustle_lighting::sacn::Options::PREVIEW;
    listener.hear(preview.levels(&[9]));
    for number in [2, 3] {
        listener.hear(Talker::new(number).levels(&[number]));
    }
    let mut kept: Vec<_> = listener
        .receiver
        .sources(universe(1))
        .map(|source| source.cid)
        .collect();
    kept.sort();
    assert_eq!(kept, [cid(2), cid(3)]);
    listener.hear(preview.levels(&[9]));
    assert!(
        listener
            .receiver
            .sources(universe(1))
            .all(|source| source.cid != cid(1)),
        "nor does it take one"
    );
    assert!(listener.events().contains(&ReceiverEvent::SourceLost {
        universe: universe(1),
        source: cid(1),
        reason: LossReason::Displaced,
    }));
}

#[test]
fn displaced_source_leaves_its_synchronization_address() {
    let mut listener = of_sources(1);
    listener.hear(Talker::new(1).synchronized(7).levels(&[1]));
    assert_eq!(listener.receiver.sync_addresses(), [universe(7)]);
    listener.hear(Talker::new(2).priority(150).levels(&[2]));
    assert_eq!(listener.receiver.sync_addresses(), []);
}

#[test]
fn termination_out_of_order_ends_nothing() {
    let (mut listener, mut talker) = (of_sources(1), Talker::new(1));
    talker.sequence = 9;
    listener.hear(talker.levels(&[1]));
    talker.sequence = 4;
    listener.hear(talker.terminate());
    assert_eq!(listener.sources(), 1);
}

#[test]
fn address_of_a_source_is_that_of_its_last_packet() {
    let (mut listener, mut talker) = (of_sources(1), Talker::new(1));
    listener.hear(talker.levels(&[1]));
    let moved = Ipv4Addr::new(10, 9, 9, 9);
    let packet = talker.levels(&[1]);
    listener
        .receiver
        .receive(listener.now, moved, &packet)
        .expect("good");
    let addresses = listener
        .receiver
        .sources(universe(1))
        .map(|source| source.address);
    assert_eq!(addresses.collect::<Vec<_>>(), [moved]);
}
