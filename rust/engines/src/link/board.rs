//! The newest snapshot, for readers of any thread.

use rustle_tempo::beats::{Beats, HostTime, Quantum};
use rustle_tempo::link::{SNAPSHOT_WORDS, Snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// Two snapshots, of which one writer writes that which is not the newest: a reader tries again only when two were written while it
/// read, and never waits for a writer that was interrupted.
pub(super) struct Board {
    places: [Place; 2],
    newest: AtomicUsize,
}

struct Place {
    /// Odd while the words are written.
    sequence: AtomicU64,
    words: [AtomicU64; SNAPSHOT_WORDS],
}

impl Place {
    fn new(words: [u64; SNAPSHOT_WORDS]) -> Self {
        Self {
            sequence: AtomicU64::new(0),
            words: words.map(AtomicU64::new),
        }
    }

    fn write(&self, words: &[u64; SNAPSHOT_WORDS]) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        // Who reads one of the words that follow sees the odd number too.
        fence(Ordering::Release);
        for (place, word) in self.words.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
    }

    fn read(&self) -> Option<[u64; SNAPSHOT_WORDS]> {
        let sequence = self.sequence.load(Ordering::Acquire);
        let words = std::array::from_fn(|index| self.words[index].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let is_whole = sequence.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == sequence;
        is_whole.then_some(words)
    }
}

impl Board {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let words = snapshot.to_words();
        Self {
            places: [Place::new(words), Place::new(words)],
            newest: AtomicUsize::new(0),
        }
    }

    /// Writes a snapshot; one thread at a time.
    pub(super) fn write(&self, snapshot: &Snapshot) {
        let other = 1 - self.newest.load(Ordering::Relaxed);
        self.places[other].write(&snapshot.to_words());
        self.newest.store(other, Ordering::Release);
    }

    fn read(&self) -> Snapshot {
        loop {
            let newest = self.newest.load(Ordering::Acquire);
            if let Some(words) = self.places[newest].read() {
                return Snapshot::from_words(&words);
            }
        }
    }
}

/// Reads beats, from any thread, without a lock or an allocation: realtime-safe. Clones read the same member.
#[derive(Clone)]
pub struct LinkReader(Arc<Board>);

impl LinkReader {
    pub(super) fn new(board: Arc<Board>) -> Self {
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
    use std::sync::atomic::AtomicBool;

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
