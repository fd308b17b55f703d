//! Several sources that synchronize the same address: each shows its own data.

use crate::support::{Listener, MS, SECOND, Talker, sync};
use rustle_lighting::receiver::{SyncRule, UniverseSettings};
use rustle_lighting::sacn::Options;

const RULES: [SyncRule; 2] = [SyncRule::Latest, SyncRule::Whole];

fn listener(rule: SyncRule) -> Listener {
    Listener::with_rule(UniverseSettings::default(), rule)
}

fn two_universes(number: u8, priority: u8) -> [Talker; 2] {
    [1, 2].map(|on| Talker::on(number, on).synchronized(7).priority(priority))
}

#[test]
fn synchronization_of_another_source_shows_no_half_of_a_frame() {
    for rule in RULES {
        let mut listener = listener(rule);
        let ([mut one, mut two], mut other) = (two_universes(1, 100), Talker::on(2, 3).synchronized(7));
        for frame in 1..=100_u8 {
            let packets = [
                other.levels(&[frame]),
                one.levels(&[frame]),
                sync(2, frame, 7),
                two.levels(&[frame]),
                sync(1, frame, 7),
            ];
            for packet in packets {
                listener.hear(packet);
                let first = |number: u16| listener.shown.get(&number).map(|levels| levels[0]);
                assert!(frame < 10 || first(1) == first(2), "{rule:?}, frame {frame}");
            }
            listener.pass(22 * MS);
        }
        for number in 1..=3 {
            assert_eq!(listener.slots_of(number), [100], "{rule:?}");
        }
    }
}

#[test]
fn backup_of_higher_priority_is_shown_at_its_own_synchronization() {
    for rule in RULES {
        let mut listener = listener(rule);
        let ([mut one, mut two], [mut third, mut fourth]) = (two_universes(1, 100), two_universes(2, 150));
        fourth.sequence = 100;
        let mut own = 0;
        for frame in 1..=100_u8 {
            listener.hear(one.levels(&[frame]));
            listener.hear(two.levels(&[frame]));
            listener.hear(sync(1, frame, 7));
            listener.pass(5 * MS);
            if frame > 20 {
                listener.hear(third.levels(&[frame]));
                listener.hear(fourth.levels(&[frame]));
                let before = listener.history.len();
                listener.hear(sync(2, frame, 7));
                own += listener.history.len() - before;
            }
            listener.pass(17 * MS);
        }
        assert!(own >= 75, "{rule:?}: {own} of 80");
    }
}

#[test]
fn source_that_no_longer_synchronizes_acts_with_another_after_2_5_seconds() {
    let mut listener = listener(SyncRule::Latest);
    let ([mut one, _], mut other) = (two_universes(1, 100), Talker::on(2, 3).synchronized(7));
    listener.hear(one.levels(&[1]));
    listener.hear(other.levels(&[1]));
    listener.hear(sync(1, 1, 7));
    listener.hear(one.levels(&[2]));
    for step in 1..=4 {
        listener.hear(sync(2, step, 7));
        assert_eq!(listener.slots(), [1]);
        listener.pass(600 * MS);
        listener.hear(one.levels(&[2 + step]));
    }
    listener.pass(100 * MS);
    listener.hear(sync(2, 5, 7));
    assert_eq!(listener.slots(), [6]);
}

#[test]
fn sequence_numbers_of_four_sources_are_remembered() {
    let mut listener = listener(SyncRule::Latest);
    listener.hear(Talker::new(1).synchronized(7).levels(&[1]));
    for number in 1..=4 {
        listener.hear(sync(number, 10 * number, 7));
    }
    for number in 1..=4 {
        listener.hear(sync(number, 10 * number, 7));
    }
    let counters = listener.receiver.counters();
    assert_eq!((counters.syncs, counters.syncs_out_of_order), (4, 4));
    listener.pass(SECOND);
    listener.hear(sync(1, 11, 7));
    assert_eq!(listener.receiver.counters().syncs, 5);
}

#[test]
fn lost_sources_and_previews_are_no_part_of_whole_frames() {
    for is_lost in [true, false] {
        let mut listener = listener(SyncRule::Whole);
        let ([mut one, mut two], mut third) = (two_universes(1, 100), Talker::on(1, 3).synchronized(7));
        // On the third universe another source is awaited.
        listener.hear(Talker::on(2, 3).levels(&[1]));
        for frame in 1..=30_u8 {
            listener.hear(one.levels(&[frame]));
            listener.hear(two.levels(&[frame]));
            if frame == 10 {
                if !is_lost {
                    third.options = Options::PREVIEW;
                }
                let last = if is_lost {
                    third.terminate()
                } else {
                    third.levels(&[frame])
                };
                listener.hear(last);
            } else if frame < 10 {
                listener.hear(third.levels(&[frame]));
            }
            listener.hear(sync(1, frame, 7));
            listener.pass(22 * MS);
            assert!(
                !(15..).contains(&frame) || listener.slots() == [frame],
                "lost: {is_lost}"
            );
        }
    }
}
