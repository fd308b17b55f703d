//! Which sources of sACN count: previews, bounds, other start codes; counters and lists.

use crate::support::{HOST, Listener, SECOND, Talker, appeared, cid, lost, universe};
use rustle_lighting::SacnUniverse;
use rustle_lighting::receiver::{LossReason, ReceiverEvent, UniverseSettings};
use rustle_lighting::sacn::{Malformed, Options};

const ONE: SacnUniverse = SacnUniverse::FIRST;

#[test]
fn previews_neither_win_nor_count() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut live, mut preview) = (Talker::new(1), Talker::new(2).priority(200));
    preview.options = Options::PREVIEW;
    listener.hear(live.levels(&[1]));
    listener.hear(preview.levels(&[255]));
    assert_eq!((listener.slots(), listener.sources()), ([1], 1));
    // A live source that turns to previews leaves the merge; the last levels hold.
    live.options = Options::PREVIEW;
    listener.hear(live.levels(&[99]));
    assert_eq!(listener.slots(), [1]);
    assert_eq!(
        listener.events(),
        [appeared(1), ReceiverEvent::UniverseLost { universe: ONE }]
    );
    let counters = listener
        .receiver
        .universe_counters(listener.now, ONE)
        .expect("listening");
    assert_eq!(counters.previews, 2);
}

#[test]
fn source_that_turns_to_previews_leaves_the_levels_to_the_others() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut high, mut low) = (Talker::new(1).priority(150), Talker::new(2));
    listener.hear(low.levels(&[3]));
    listener.hear(high.levels(&[9]));
    high.options = Options::PREVIEW;
    listener.hear(high.levels(&[9]));
    assert_eq!(listener.slots(), [3]);
    high.options = Options::NONE;
    listener.hear(high.levels(&[8]));
    assert_eq!(listener.slots(), [8]);
}

#[test]
fn previews_are_shown_to_who_asks() {
    let settings = UniverseSettings {
        includes_previews: true,
        ..UniverseSettings::default()
    };
    let (mut listener, mut preview) = (Listener::new(settings), Talker::new(2));
    preview.options = Options::PREVIEW;
    listener.hear(preview.levels(&[9]));
    assert_eq!(listener.slots(), [9]);
    assert!(listener.receiver.sources(ONE).all(|source| source.is_preview));
}

#[test]
fn sources_beyond_the_limit_are_chosen_by_priority_and_cid_in_any_order_of_arrival() {
    let settings = UniverseSettings {
        sources: 3,
        ..UniverseSettings::default()
    };
    // By rank: 4 and 5 (150), then 1 (100, the lowest CID of three).
    let orders = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 4, 1, 5, 2], [2, 3, 5, 1, 4]];
    for order in orders {
        let mut listener = Listener::new(settings.clone());
        let mut talkers: Vec<_> = order
            .iter()
            .map(|number| Talker::new(*number).priority(if *number > 3 { 150 } else { 100 }))
            .collect();
        for _ in 0..2 {
            for talker in &mut talkers {
                let slots = talker.cid.bytes()[..1].to_vec();
                listener.hear(talker.levels(&slots));
            }
        }
        let mut kept: Vec<_> = listener.receiver.sources(ONE).map(|source| source.cid).collect();
        kept.sort();
        assert_eq!(kept, [1, 4, 5].map(cid), "{order:?}");
        assert_eq!(listener.slots(), [5]);
        let exceeded = ReceiverEvent::SourcesExceeded { universe: ONE };
        let reports = listener
            .events()
            .into_iter()
            .filter(|event| *event == exceeded)
            .count();
        assert_eq!(reports, 1, "once, until a place is free");
    }
}

#[test]
fn lost_sources_free_their_place() {
    let settings = UniverseSettings {
        sources: 1,
        ..UniverseSettings::default()
    };
    let (mut listener, mut first, mut second) = (Listener::new(settings), Talker::new(1), Talker::new(2));
    listener.hear(first.levels(&[1]));
    listener.hear(second.levels(&[2]));
    assert_eq!(listener.slots(), [1]);
    listener.hear(first.terminate());
    listener.hear(second.levels(&[2]));
    assert_eq!((listener.slots(), listener.sources()), ([2], 1));
    let counters = listener
        .receiver
        .universe_counters(listener.now, ONE)
        .expect("listening");
    assert_eq!(counters.excess, 1);
}

#[test]
fn other_start_codes_are_counted_and_are_never_levels() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    listener.hear(talker.other_start_code());
    assert!(listener.shown.is_empty() && listener.sources() == 0);
    listener.hear(talker.levels(&[4]));
    listener.hear(talker.other_start_code());
    assert_eq!(listener.slots(), [4]);
    let counters = listener
        .receiver
        .universe_counters(listener.now, ONE)
        .expect("listening");
    assert_eq!((counters.start_codes, counters.packets), (2, 1));
}

#[test]
fn counters_name_what_was_dropped_and_the_rate() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    for _ in 0..=88 {
        listener.hear(talker.levels(&[1]));
        listener.pass(SECOND / 44);
    }
    let counters = listener
        .receiver
        .universe_counters(listener.now, ONE)
        .expect("listening");
    assert!(
        (counters.hertz - 44.0).abs() < 0.1 && counters.packets == 89,
        "{counters:?}"
    );
    let mut elsewhere = Talker::on(1, 900);
    listener.hear(elsewhere.levels(&[1]));
    listener.hear(b"nonsense".to_vec());
    listener.receiver.count_kernel_drops(5);
    let counters = listener.receiver.counters();
    assert_eq!((counters.other_universes, counters.kernel_drops), (1, 5));
    assert_eq!(counters.malformed[Malformed::Identifier.index()], 1);
    assert_eq!(counters.malformed.iter().sum::<u64>(), 1);
}

#[test]
fn sources_are_listed_with_what_they_said() {
    let (mut listener, mut talker) = (
        Listener::new(UniverseSettings::default()),
        Talker::new(3).priority(7),
    );
    listener.hear(talker.levels(&[1]));
    listener.hear(talker.priorities(&[1]));
    let sources: Vec<_> = listener.receiver.sources(ONE).collect();
    let [source] = sources[..] else {
        panic!("one source")
    };
    assert_eq!((source.cid, source.address, source.priority), (cid(3), HOST, 7));
    assert_eq!(
        (source.name.to_string(), source.has_priorities),
        ("source".into(), true)
    );
    assert!(listener.receiver.forget(listener.now, ONE, cid(3)));
    assert!(!listener.receiver.forget(listener.now, ONE, cid(3)));
    assert_eq!(listener.sources(), 0);
    assert!(listener.events().contains(&lost(3, LossReason::Forgotten)));
}

#[test]
fn universes_come_and_go_while_others_stay() {
    let mut listener = Listener::new(UniverseSettings::default());
    listener.hear(Talker::on(1, 2).levels(&[1]));
    assert!(listener.receiver.unlisten(universe(2)) && !listener.receiver.unlisten(universe(2)));
    listener.hear(Talker::on(2, 2).levels(&[9]));
    assert_eq!(listener.slots_of(2), [1]);
    assert_eq!(listener.receiver.levels(universe(2)), None);
    assert!(listener.receiver.listen(universe(2), UniverseSettings::default()));
    listener.hear(Talker::on(2, 2).levels(&[9]));
    assert_eq!(listener.slots_of(2), [9]);
    assert!(!listener.receiver.listen(universe(1), UniverseSettings::default()));
}

/// A process that was stopped finds the packets of the meantime in its sockets: their sources were not lost.
#[test]
fn packets_that_wait_after_a_stall_are_heard_before_sources_are_lost() {
    let mut listener = Listener::new(UniverseSettings::default());
    let mut talker = Talker::new(1);
    listener.hear(talker.levels(&[1]));
    assert_eq!(listener.events(), [appeared(1)]);
    listener.now += 3 * SECOND;
    listener.hear(talker.levels(&[2]));
    assert_eq!((listener.slots(), listener.events()), ([2], vec![]));
    listener.pass(2 * SECOND);
    assert_eq!(listener.events(), []);
    listener.pass(SECOND);
    assert_eq!(listener.events()[0], lost(1, LossReason::Timeout));
}
