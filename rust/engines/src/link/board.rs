//! The newest snapshot of a member, for readers of any thread.

use crate::board::{Board, Words};
use rustle_tempo::beats::{Beats, HostTime, Quantum};
use rustle_tempo::link::{SNAPSHOT_WORDS, Snapshot};
use std::sync::Arc;

pub(super) type SnapshotBoard = Board<Snapshot, SNAPSHOT_WORDS>;

impl Words<SNAPSHOT_WORDS> for Snapshot {
    fn to_words(&self) -> [u64; SNAPSHOT_WORDS] {
        Self::to_words(self)
    }

    fn from_words(words: &[u64; SNAPSHOT_WORDS]) -> Self {
        Self::from_words(words)
    }
}

/// Reads beats, from any thread, without a lock or an allocation: realtime-safe. Clones read the same member.
#[derive(Clone)]
pub struct LinkReader(Arc<SnapshotBoard>);

impl LinkReader {
    pub(super) fn new(board: Arc<SnapshotBoard>) -> Self {
        Self(board)
    }

    /// The member's state, from which beats follow for any time.
    pub fn snapshot(&self) -> Snapshot {
        self.0.read()
    }

    /// The count of beats at a host time.
    pub fn beats_at(&self, host: HostTime) -> Beats {
        self.snapshot().beats_at(host)
    }

    /// The phase in a quantum at a host time, 0 to less than the quantum.
    pub fn phase_at(&self, host: HostTime, quantum: Quantum) -> Beats {
        self.snapshot().phase_at(host, quantum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_tempo::link::{Node, NodeSettings};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn readers_see_whole_snapshots_only() {
        let first = Node::new(&NodeSettings::new(1), HostTime::new(0)).snapshot();
        let board = Arc::new(Board::new(&first));
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let reader = LinkReader::new(board.clone());
                    while !is_over.load(Ordering::Relaxed) {
                        let snapshot = reader.snapshot();
                        let (offset, peers) = (snapshot.offset.micro(), i64::from(snapshot.peers));
                        assert_eq!(offset, peers * 1_000);
                    }
                });
            }
            for peers in 0..200_000 {
                board.write(&Snapshot {
                    offset: Beats::from_micro(i64::from(peers) * 1_000),
                    peers,
                    ..first
                });
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn reading_beats_allocates_nothing() {
        let snapshot = Node::new(&NodeSettings::new(1), HostTime::new(0)).snapshot();
        let reader = LinkReader::new(Arc::new(Board::new(&snapshot)));
        let (allocations, ()) = rustle_testkit::allocations_in(|| {
            for micros in 0..1_000 {
                std::hint::black_box(reader.beats_at(HostTime::new(micros)));
                std::hint::black_box(reader.phase_at(HostTime::new(micros), Quantum::BAR));
            }
        });
        assert_eq!(allocations, 0);
    }
}
