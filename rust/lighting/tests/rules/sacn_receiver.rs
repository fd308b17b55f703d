//! Section 6.7 of ANSI E1.31-2018: sequence, loss, termination, previews, bounded sources, events, counters.

use crate::support::{HOST, Listener, MS, SECOND, SacnEvent, Talker, cid, universe};
use rustle_lighting::receiver::{LossReason, OnLoss, ReceiverEvent, UniverseSettings};
use rustle_lighting::sacn::{Malformed, Options};
use rustle_lighting::{SLOTS, SacnUniverse};

const ONE: SacnUniverse = SacnUniverse::FIRST;

fn lost(number: u8, reason: LossReason) -> SacnEvent {
    ReceiverEvent::SourceLost {
        universe: ONE,
        source: cid(number),
        reason,
    }
}

fn appeared(number: u8) -> SacnEvent {
    ReceiverEvent::SourceAppeared {
        universe: ONE,
        source: cid(number),
    }
}

#[test]
fn packets_out_of_sequence_are_dropped_and_a_restarted_source_is_heard_at_once() {
    for (step, is_taken) in [
        (1, true),
        (2, true),
        (128, true),
        (0, false),
        (255, false),
        (237, false),
        (236, true),
    ] {
        let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
        talker.sequence = 9;
        listener.hear(talker.levels(&[1]));
        talker.sequence = 9_u8.wrapping_add(step);
        listener.hear(talker.levels(&[2]));
        assert_eq!(listener.slots(), [if is_taken { 2 } else { 1 }], "{step}");
        let counters = listener
            .receiver
            .universe_counters(listener.now, ONE)
            .expect("listening");
        assert_eq!(counters.late, u64::from(!is_taken));
    }
}

#[test]
fn sequence_is_per_source_and_universe() {
    let mut listener = Listener::new(UniverseSettings::default());
    for (number, on) in [(1, 1), (2, 1), (1, 2), (2, 3)] {
        let mut talker = Talker::on(number, on);
        talker.sequence = 50;
        listener.hear(talker.levels(&[number]));
    }
    for on in 1..=3 {
        assert_eq!(
            listener
                .receiver
                .universe_counters(listener.now, universe(on))
                .map(|counters| counters.late),
            Some(0)
        );
    }
    assert_eq!(
        [listener.slots_of(1), listener.slots_of(2), listener.slots_of(3)],
        [[2], [1], [2]]
    );
}

#[test]
fn source_is_lost_2_5_seconds_after_its_last_packet() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    listener.hear(talker.levels(&[1]));
    listener.pass(2_499 * MS);
    assert_eq!(listener.sources(), 1);
    listener.hear(talker.levels(&[1]));
    listener.pass(2_500 * MS - 1);
    assert_eq!((listener.sources(), listener.events()), (1, vec![appeared(1)]));
    listener.pass(1);
    assert_eq!(listener.sources(), 0);
    let universe_lost = ReceiverEvent::UniverseLost { universe: ONE };
    assert_eq!(listener.events(), [lost(1, LossReason::Timeout), universe_lost]);
    // Even when nobody called in between.
    listener.hear(talker.levels(&[3]));
    listener.now += 3 * SECOND;
    listener.hear(talker.levels(&[3]));
    assert_eq!(
        listener.events(),
        [
            appeared(1),
            lost(1, LossReason::Timeout),
            universe_lost,
            appeared(1)
        ]
    );
}

#[test]
fn terminated_source_leaves_at_once_and_its_levels_are_ignored() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    let mut other = Talker::new(2).priority(50);
    listener.hear(talker.levels(&[7]));
    listener.hear(other.levels(&[5]));
    listener.hear(talker.terminate());
    listener.hear(other.levels(&[5]));
    assert_eq!(listener.slots(), [5]);
    // The other two of the three packets bring nobody back.
    listener.hear(talker.terminate());
    listener.hear(talker.terminate());
    assert_eq!(
        listener.events(),
        [appeared(1), appeared(2), lost(1, LossReason::Terminated)]
    );
    let counters = listener
        .receiver
        .universe_counters(listener.now, ONE)
        .expect("listening");
    assert_eq!((counters.sources, counters.terminations), (1, 2));
    assert_eq!(listener.history, [7, 5]);
}

#[test]
fn sources_that_are_cut_off_together_do_not_flash() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut low, mut high) = (Talker::new(1).priority(90), Talker::new(2).priority(100));
    listener.hear(high.levels(&[0]));
    listener.pass(20 * MS);
    listener.hear(low.levels(&[255]));
    listener.pass(10 * SECOND);
    assert_eq!(listener.history, [0], "the lower source never shows");
    assert_eq!(listener.sources(), 0);
}

#[test]
fn loss_switches_once_when_every_other_source_has_sent_again_or_timed_out() {
    let mut listener = Listener::new(UniverseSettings::default());
    let mut sources: Vec<_> = [(1, 100), (2, 90), (3, 80)]
        .map(|(number, priority)| Talker::new(number).priority(priority))
        .into();
    for (index, talker) in sources.iter_mut().enumerate() {
        listener.hear(talker.levels(&[10 * (index as u8 + 1)]));
    }
    listener.pass(1_200 * MS);
    listener.hear(sources[1].levels(&[20]));
    listener.hear(sources[2].levels(&[30]));
    // Source 1 is lost at 2.5 s; source 2 sends again, source 3 never.
    listener.pass(1_400 * MS);
    listener.hear(sources[1].levels(&[20]));
    assert_eq!(listener.slots(), [10], "waits for source 3");
    listener.pass(1_099 * MS);
    assert_eq!((listener.slots(), listener.sources()), ([10], 2));
    listener.pass(MS);
    assert_eq!((listener.slots(), listener.history.clone()), ([20], vec![10, 20]));
    let reasons = [lost(1, LossReason::Timeout), lost(3, LossReason::Timeout)];
    assert!(listener.events().ends_with(&reasons), "both in one report");
}

#[test]
fn lost_source_that_returns_while_others_are_awaited_was_never_away() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut high, mut low) = (Talker::new(1).priority(150), Talker::new(2));
    listener.hear(high.levels(&[1]));
    listener.pass(2_000 * MS);
    listener.hear(low.levels(&[2]));
    listener.pass(600 * MS);
    listener.hear(high.levels(&[1]));
    listener.hear(low.levels(&[2]));
    assert_eq!((listener.history.clone(), listener.sources()), (vec![1], 2));
    assert_eq!(listener.events(), [appeared(1), appeared(2)]);
}

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
fn loss_of_all_sources_holds_zeroes_or_fades() {
    let scene = Box::new([200; SLOTS]);
    let fade = OnLoss::Fade {
        scene,
        over_ns: SECOND,
    };
    for (on_loss, expected) in [
        (OnLoss::Hold, [100, 100, 100]),
        (OnLoss::Zero, [0, 0, 0]),
        (fade, [150, 200, 200]),
    ] {
        let settings = UniverseSettings {
            on_loss,
            ..UniverseSettings::default()
        };
        let (mut listener, mut talker) = (Listener::new(settings), Talker::new(1));
        listener.hear(talker.levels(&[100]));
        listener.hear(talker.terminate());
        let shown = [500, 500, 5_000].map(|ms| {
            listener.pass(ms * MS);
            listener.slots::<1>()[0]
        });
        assert!(
            shown
                .iter()
                .zip(expected)
                .all(|(got, wanted)| got.abs_diff(wanted) <= 3),
            "{shown:?}"
        );
        assert_eq!(shown[1..], expected[1..]);
        // A source ends the fade.
        listener.hear(talker.levels(&[7]));
        assert_eq!(listener.slots(), [7]);
        listener.pass(SECOND);
        assert_eq!(listener.slots(), [7]);
    }
}

#[test]
fn fade_goes_in_steps_of_a_frame_without_turning() {
    let settings = UniverseSettings {
        on_loss: OnLoss::Fade {
            scene: Box::new([0; SLOTS]),
            over_ns: SECOND,
        },
        ..UniverseSettings::default()
    };
    let (mut listener, mut talker) = (Listener::new(settings), Talker::new(1));
    listener.hear(talker.levels(&[255]));
    listener.hear(talker.terminate());
    listener.pass(2 * SECOND);
    assert!(
        listener.history.is_sorted_by(|before, after| before > after),
        "{:?}",
        listener.history
    );
    assert!(
        (44..=46).contains(&listener.history.len()),
        "{}",
        listener.history.len()
    );
    assert_eq!(listener.receiver.next_ns(), None, "nothing is left to do");
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
