//! Section 6.7 of ANSI E1.31-2018: sequence, loss, termination, and what follows the loss of all sources.

use crate::support::{Listener, MS, SECOND, Talker, appeared, lost, universe};
use rustle_lighting::receiver::{LossReason, OnLoss, ReceiverEvent, UniverseSettings};
use rustle_lighting::{SLOTS, SacnUniverse};

const ONE: SacnUniverse = SacnUniverse::FIRST;

#[test]
fn packets_out_of_order_are_dropped_and_a_restarted_source_is_heard_at_once() {
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
        assert_eq!(counters.out_of_order, u64::from(!is_taken));
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
                .map(|counters| counters.out_of_order),
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
}

#[test]
fn terminated_source_that_is_alone_leaves_at_once() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    listener.hear(talker.levels(&[7]));
    listener.hear(talker.terminate());
    let universe_lost = ReceiverEvent::UniverseLost { universe: ONE };
    assert_eq!(
        listener.events(),
        [appeared(1), lost(1, LossReason::Terminated), universe_lost]
    );
    assert_eq!((listener.sources(), listener.history.clone()), (0, vec![7]));
}

#[test]
fn terminated_source_leaves_when_the_other_has_sent_again_and_its_levels_are_ignored() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    let mut other = Talker::new(2).priority(50);
    listener.hear(talker.levels(&[7]));
    listener.hear(other.levels(&[5]));
    listener.hear(talker.terminate());
    assert_eq!(listener.slots(), [7]);
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
