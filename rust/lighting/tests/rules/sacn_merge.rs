//! Priorities, HTP, per-address priority, short packets.

use crate::support::{Listener, MS, SECOND, Talker};
use rustle_lighting::SacnUniverse;
use rustle_lighting::receiver::UniverseSettings;
use rustle_lighting::sacn::Malformed;

#[test]
fn highest_priority_wins_and_equal_priorities_merge_htp() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut one, mut two, mut low) = (Talker::new(1), Talker::new(2), Talker::new(3).priority(99));
    listener.hear(low.levels(&[255, 255, 255]));
    listener.hear(one.levels(&[10, 200, 0]));
    assert_eq!(listener.slots(), [10, 200, 0]);
    listener.hear(two.levels(&[20, 100, 0]));
    assert_eq!(listener.slots(), [20, 200, 0]);
    low.priority = 101;
    listener.hear(low.levels(&[1, 2, 3]));
    assert_eq!(listener.slots(), [1, 2, 3]);
}

#[test]
fn priority_0_drives_and_loses_to_all_others() {
    let (mut listener, mut lowest) = (
        Listener::new(UniverseSettings::default()),
        Talker::new(1).priority(0),
    );
    listener.hear(lowest.levels(&[9]));
    assert_eq!(listener.slots(), [9]);
    listener.hear(Talker::new(2).priority(1).levels(&[3]));
    assert_eq!(listener.slots(), [3]);
}

#[test]
fn short_packet_drives_only_its_slots_and_slots_nobody_drives_are_0() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut high, mut low) = (Talker::new(1).priority(150), Talker::new(2));
    listener.hear(low.levels(&[1, 2, 3, 4]));
    listener.hear(high.levels(&[9, 0]));
    assert_eq!(listener.slots(), [9, 0, 3, 4, 0]);
    // Fewer slots than before.
    listener.hear(low.levels(&[1, 2, 3]));
    assert_eq!(listener.slots(), [9, 0, 3, 0, 0]);
    listener.hear(high.levels(&[]));
    assert_eq!(listener.slots(), [1, 2, 3, 0, 0]);
}

#[test]
fn per_address_priority_replaces_the_packets_slot_by_slot_and_is_never_levels() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut one, mut two) = (Talker::new(1), Talker::new(2));
    listener.hear(two.levels(&[50, 50, 50, 50]));
    listener.hear(one.priorities(&[200, 0, 100, 99]));
    assert_eq!(listener.slots(), [50, 50, 50, 50], "no levels yet");
    listener.hear(one.levels(&[10, 255, 60, 255]));
    assert_eq!(listener.slots(), [10, 50, 60, 50]);
    listener.hear(one.priorities(&[1, 200]));
    assert_eq!(
        listener.slots(),
        [50, 255, 50, 50],
        "slots without a priority are not driven"
    );
}

#[test]
fn per_address_priority_ends_2_5_seconds_after_its_last_packet() {
    let mut listener = Listener::new(UniverseSettings::default());
    let (mut one, mut two) = (Talker::new(1).priority(150), Talker::new(2));
    listener.hear(one.priorities(&[0]));
    for _ in 0..6 {
        listener.hear(one.levels(&[1]));
        listener.hear(two.levels(&[2]));
        assert_eq!(listener.slots(), [2]);
        listener.pass(400 * MS);
    }
    listener.pass(99 * MS);
    assert_eq!(listener.slots(), [2]);
    listener.pass(MS);
    assert_eq!(listener.slots(), [1], "the packet's priority is back");
}

#[test]
fn priorities_above_200_are_dropped_with_their_reason() {
    let (mut listener, mut talker) = (Listener::new(UniverseSettings::default()), Talker::new(1));
    listener.hear(talker.levels(&[1]));
    listener.hear(talker.priorities(&[201]));
    assert_eq!(
        listener.receiver.counters().malformed[Malformed::Priority.index()],
        1
    );
    assert!(
        listener
            .receiver
            .sources(SacnUniverse::FIRST)
            .all(|source| !source.has_priorities)
    );
}

#[test]
fn new_source_waits_for_its_priorities_as_long_as_the_settle_option_says() {
    let settings = UniverseSettings {
        settle_ns: 1_500 * MS,
        ..UniverseSettings::default()
    };
    let (mut listener, mut old, mut new) = (Listener::new(settings), Talker::new(1), Talker::new(2));
    listener.hear(old.levels(&[1]));
    assert!(listener.shown.is_empty());
    listener.pass(1_500 * MS);
    assert_eq!(listener.slots(), [1]);
    listener.hear(old.levels(&[1]));
    listener.hear(new.levels(&[255]));
    listener.pass(500 * MS);
    assert_eq!(listener.slots(), [1], "still waits");
    listener.hear(new.priorities(&[200]));
    assert_eq!(listener.slots(), [255], "its priorities have come");
}

#[test]
fn first_light_is_not_late_by_default() {
    let mut listener = Listener::new(UniverseSettings::default());
    listener.hear(Talker::new(1).levels(&[5]));
    assert_eq!(listener.slots(), [5]);
    listener.pass(SECOND);
    assert_eq!(listener.history, [5]);
}
