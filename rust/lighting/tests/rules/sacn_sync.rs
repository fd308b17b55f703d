//! Section 11 of ANSI E1.31-2018: synchronization.

use crate::support::{Listener, MS, SECOND, Talker, sync, universe};
use rustle_lighting::receiver::{MAX_SYNC_ADDRESSES, ReceiverEvent, SyncRule, UniverseSettings};
use rustle_lighting::sacn::Options;

fn listener() -> Listener {
    Listener::new(UniverseSettings::default())
}

/// A listener that heard a synchronization packet, and two synchronized universes of a source.
fn synchronized() -> (Listener, Talker, Talker) {
    let (mut listener, mut one, mut two) = (
        listener(),
        Talker::on(1, 1).synchronized(7),
        Talker::on(1, 2).synchronized(7),
    );
    listener.hear(one.levels(&[1]));
    listener.hear(two.levels(&[1]));
    listener.hear(sync(1, 1, 7));
    (listener, one, two)
}

#[test]
fn data_act_at_once_until_the_first_synchronization_and_wait_for_it_afterwards() {
    let (mut listener, mut one, mut two) = synchronized();
    assert_eq!([listener.slots_of(1), listener.slots_of(2)], [[1], [1]]);
    listener.hear(one.levels(&[2]));
    listener.hear(two.levels(&[2]));
    assert_eq!([listener.slots_of(1), listener.slots_of(2)], [[1], [1]]);
    listener.hear(sync(1, 2, 7));
    assert_eq!([listener.slots_of(1), listener.slots_of(2)], [[2], [2]]);
    let heard = ReceiverEvent::SyncHeard {
        address: Some(universe(7)),
    };
    assert_eq!(
        listener.events().iter().filter(|event| **event == heard).count(),
        1
    );
}

#[test]
fn all_universes_of_an_address_change_in_the_same_report() {
    let (mut listener, mut one, mut two) = synchronized();
    for packet in [one.levels(&[2]), two.levels(&[2]), sync(1, 2, 7)] {
        listener
            .receiver
            .receive(listener.now, crate::support::HOST, &packet)
            .expect("good");
    }
    let mut changed = Vec::new();
    listener
        .receiver
        .changes(listener.now, |universe, _| changed.push(universe.get()));
    changed.sort_unstable();
    assert_eq!(changed, [1, 2]);
}

#[test]
fn latest_data_win_while_they_are_held() {
    let (mut listener, mut one, _) = synchronized();
    for level in [2, 3, 4] {
        listener.hear(one.levels(&[level]));
    }
    listener.hear(sync(1, 2, 7));
    assert_eq!(listener.history, [1, 4]);
}

#[test]
fn data_without_address_discard_what_is_held_and_act_at_once() {
    let (mut listener, mut one, _) = synchronized();
    listener.hear(one.levels(&[2]));
    one.sync = None;
    listener.hear(one.levels(&[3]));
    assert_eq!(listener.slots(), [3]);
    listener.hear(sync(1, 2, 7));
    assert_eq!(listener.history, [1, 3]);
}

#[test]
fn lost_synchronization_freezes_until_it_returns() {
    let (mut listener, mut one, _) = synchronized();
    for level in 2..=8 {
        listener.pass(400 * MS);
        listener.hear(one.levels(&[level]));
    }
    assert_eq!(listener.history, [1]);
    let lost = ReceiverEvent::SyncLost {
        address: Some(universe(7)),
    };
    assert!(listener.events().contains(&lost));
    listener.hear(sync(1, 2, 7));
    assert_eq!(listener.history, [1, 8]);
}

#[test]
fn lost_synchronization_ends_at_unsynchronised_data() {
    let (mut listener, mut one, _) = synchronized();
    for level in 2..=8 {
        listener.pass(400 * MS);
        one.sync = one.sync.filter(|_| level < 8);
        listener.hear(one.levels(&[level]));
    }
    assert_eq!(listener.history, [1, 8]);
}

#[test]
fn forced_data_act_at_once_when_synchronization_is_lost() {
    let (mut listener, mut one, _) = synchronized();
    one.options = Options::FORCE_SYNC;
    for level in 2..=7 {
        listener.pass(400 * MS);
        listener.hear(one.levels(&[level]));
        assert_eq!(listener.slots(), [1]);
    }
    listener.pass(100 * MS);
    assert_eq!(
        listener.slots(),
        [7],
        "what was held, 2.5 s after the synchronization"
    );
    listener.hear(one.levels(&[8]));
    assert_eq!(listener.slots(), [8]);
    listener.hear(sync(1, 2, 7));
    listener.hear(one.levels(&[9]));
    assert_eq!(listener.slots(), [8], "held again");
}

#[test]
fn synchronization_of_another_address_shows_nothing() {
    let (mut listener, mut one, _) = synchronized();
    listener.hear(one.levels(&[2]));
    listener.hear(sync(1, 9, 8));
    assert_eq!(listener.history, [1]);
    assert_eq!(listener.receiver.counters().syncs_ignored, 1);
}

#[test]
fn synchronization_packets_have_a_sequence_of_their_own() {
    let (mut listener, mut one, _) = synchronized();
    listener.hear(one.levels(&[2]));
    for sequence in [1, 0, 238] {
        listener.hear(sync(1, sequence, 7));
    }
    assert_eq!(
        (
            listener.history.clone(),
            listener.receiver.counters().syncs_out_of_order
        ),
        (vec![1], 3)
    );
    // Another source of the same address has its own.
    listener.hear(sync(2, 1, 7));
    assert_eq!(listener.receiver.counters().syncs, 2);
    listener.hear(sync(1, 2, 7));
    assert_eq!(listener.history, [1, 2]);
}

#[test]
fn each_source_latches_its_own_data_and_the_merge_runs_over_what_is_latched() {
    let (mut listener, mut one, _) = synchronized();
    let mut plain = Talker::new(2);
    listener.hear(plain.levels(&[5]));
    assert_eq!(listener.slots(), [5]);
    one.priority = 150;
    listener.hear(one.levels(&[3]));
    assert_eq!(listener.slots(), [5], "its priority waits with its levels");
    listener.hear(plain.levels(&[6]));
    assert_eq!(listener.slots(), [6]);
    listener.hear(sync(1, 2, 7));
    assert_eq!(listener.slots(), [3]);
}

#[test]
fn groups_of_addresses_are_joined_as_long_as_data_name_them() {
    let (mut listener, mut one, mut two) = synchronized();
    let generation = listener.receiver.sync_generation();
    assert_eq!(listener.receiver.sync_addresses(), [universe(7)]);
    one.sync = Some(universe(9));
    listener.hear(one.levels(&[1]));
    assert_eq!(listener.receiver.sync_addresses(), [universe(7), universe(9)]);
    listener.hear(two.terminate());
    assert_eq!(listener.receiver.sync_addresses(), [universe(9)]);
    listener.pass(3 * SECOND);
    assert!(listener.receiver.sync_addresses().is_empty());
    assert_eq!(listener.receiver.sync_generation(), generation + 3);
}

#[test]
fn synchronization_addresses_are_bounded_and_further_ones_act_at_once() {
    let (mut listener, mut talker) = (listener(), Talker::new(1));
    let settings = UniverseSettings::default();
    let mut talkers = Vec::new();
    for number in 0..MAX_SYNC_ADDRESSES as u32 {
        listener.receiver.listen(universe(100 + number), settings.clone());
        let mut talker = Talker::on(1, 100 + number).synchronized(1_000 + number);
        listener.hear(talker.levels(&[1]));
        talkers.push(talker);
    }
    talker.sync = Some(universe(999));
    listener.hear(talker.levels(&[5]));
    listener.hear(sync(1, 1, 999));
    listener.hear(talker.levels(&[6]));
    assert_eq!(
        (
            listener.history.clone(),
            listener.receiver.counters().sync_addresses_exceeded
        ),
        (vec![5, 6], 2)
    );
    assert_eq!(listener.receiver.sync_addresses().len(), MAX_SYNC_ADDRESSES);
    // A place that is free again is taken.
    listener.hear(talkers[0].terminate());
    listener.hear(talker.levels(&[7]));
    listener.hear(sync(1, 2, 999));
    listener.hear(talker.levels(&[8]));
    assert_eq!(listener.slots(), [7]);
}

#[test]
fn per_address_priorities_do_not_wait() {
    let (mut listener, mut one, _) = synchronized();
    listener.hear(Talker::new(2).levels(&[200]));
    listener.hear(one.priorities(&[150]));
    assert_eq!(listener.slots(), [1]);
}

#[test]
fn whole_frames_wait_for_synchronization_from_the_first_packet_and_for_2_5_seconds() {
    let mut listener = Listener::with_rule(UniverseSettings::default(), SyncRule::Whole);
    let mut one = Talker::on(1, 1).synchronized(7);
    for level in 1..=5 {
        listener.hear(one.levels(&[level]));
        listener.pass(500 * MS - 1);
        assert!(listener.shown.is_empty());
        listener.pass(1);
    }
    assert_eq!(
        listener.slots(),
        [5],
        "synchronization that never comes is not waited for"
    );
    listener.hear(one.levels(&[6]));
    assert_eq!(listener.slots(), [6]);
    assert!(
        listener
            .events()
            .iter()
            .all(|event| !matches!(event, ReceiverEvent::SyncLost { .. }))
    );
}

#[test]
fn whole_frames_are_those_of_the_source_that_synchronizes_and_others_do_not_wait_for_them() {
    let mut listener = Listener::with_rule(UniverseSettings::default(), SyncRule::Whole);
    let (mut one, mut two) = (Talker::on(1, 1).synchronized(7), Talker::on(1, 2).synchronized(7));
    let mut other = Talker::on(2, 3).synchronized(7);
    for frame in 1..=8 {
        listener.hear(one.levels(&[frame]));
        let lost = two.levels(&[frame]);
        if frame != 7 {
            listener.hear(lost);
        }
        listener.hear(other.levels(&[frame]));
        listener.hear(sync(1, frame, 7));
        let shown = listener.shown.get(&1).map_or(0, |levels| levels[0]);
        let expected = [0, 0, 0, 4, 5, 6, 6, 8][usize::from(frame - 1)];
        assert_eq!((shown, listener.slots_of(3)), (expected, [frame]));
        assert_eq!(listener.shown.get(&1), listener.shown.get(&2));
    }
    assert_eq!(listener.receiver.counters().frames_incomplete, 4);
}

#[test]
fn per_address_priorities_do_not_disturb_whole_frames() {
    let mut listener = Listener::with_rule(UniverseSettings::default(), SyncRule::Whole);
    let (mut one, mut two) = (Talker::on(1, 1).synchronized(7), Talker::on(1, 2).synchronized(7));
    for frame in 1..=20 {
        if frame % 3 == 0 {
            listener.hear(two.priorities(&[100]));
        }
        listener.hear(one.levels(&[frame]));
        listener.hear(two.levels(&[frame]));
        listener.hear(sync(1, frame, 7));
        assert!(frame < 4 || listener.slots_of(2) == [frame]);
    }
}
