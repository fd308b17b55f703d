//! Several controllers that send ArtSync, and the order of sources.

use crate::support::{Node, SECOND};
use rustle_lighting::receiver::{MergeMode, PortSettings, SyncRule};

const MS: u64 = crate::support::MS;

fn whole() -> Node {
    Node::with_rule(PortSettings::default(), SyncRule::Whole)
}

#[test]
fn whole_frames_of_two_controllers_are_learned_apart() {
    let mut node = whole();
    for frame in 1..=100 {
        for number in [0, 1] {
            node.dmx(1, number, frame, &[frame]);
        }
        node.sync(1);
        assert!(frame < 6 || node.slots(0) == [frame] && node.slots(1) == [frame]);
        node.pass(5 * MS);
        node.dmx(2, 2, frame, &[frame]);
        node.sync(2);
        assert!(frame < 6 || node.slots(2) == [frame]);
        node.pass(17 * MS);
    }
}

#[test]
fn art_sync_of_one_controller_shows_no_half_of_anothers_frame() {
    let mut node = whole();
    for frame in 1..=100 {
        node.dmx(1, 0, frame, &[frame]);
        node.dmx(2, 2, frame, &[frame]);
        node.sync(2);
        assert!(frame < 10 || node.slots(0) == [frame - 1]);
        node.dmx(1, 1, frame, &[frame]);
        node.sync(1);
        assert!(frame < 10 || node.slots(0) == node.slots::<1>(1));
        node.pass(22 * MS);
    }
    assert_eq!((node.slots(0), node.slots(2)), ([100], [100]));
}

#[test]
fn data_of_a_controller_without_art_sync_act_with_that_of_another() {
    let mut node = whole();
    for frame in 1..=10 {
        node.dmx(2, 2, frame, &[frame]);
        node.dmx(1, 0, frame, &[frame]);
        node.sync(1);
        assert_eq!(node.slots(2), [frame]);
    }
    // One that stopped is one without after 4 s.
    for frame in 11..=60 {
        node.dmx(1, 0, frame, &[frame]);
        node.dmx(2, 2, frame, &[frame]);
        node.sync(2);
        node.pass(100 * MS);
    }
    assert_eq!(node.slots(0), [60]);
}

#[test]
fn sequence_numbers_are_learned_anew_after_art_sync_was_lost() {
    let mut node = whole();
    for frame in 1..=10 {
        node.dmx(1, 0, frame, &[frame]);
        node.dmx(1, 1, frame, &[frame]);
        node.sync(1);
    }
    assert_eq!(node.slots(0), [10]);
    node.pass(5 * SECOND);
    // The controller was restarted, and its counters are others.
    for frame in 1..=6 {
        node.dmx(1, 0, frame, &[100 + frame]);
        node.dmx(1, 1, 50 + frame, &[100 + frame]);
        node.sync(1);
    }
    assert_eq!((node.slots(0), node.slots(1)), ([106], [106]));
}

#[test]
fn second_source_is_the_later_one_although_data_of_the_first_are_held() {
    let mut node = Node::new(PortSettings {
        merge: MergeMode::Ltp,
        ..PortSettings::default()
    });
    node.dmx(1, 0, 0, &[1]);
    node.sync(1);
    node.dmx(1, 0, 0, &[2]);
    node.dmx(2, 0, 0, &[9]);
    assert_eq!(node.slots(0), [9]);
    node.dmx(1, 0, 0, &[3]);
    assert_eq!(node.slots(0), [3]);
}
