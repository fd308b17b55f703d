//! The newest value of a writer, for readers of any thread.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// A value that is written as `N` numbers.
pub(crate) trait Words<const N: usize> {
    fn to_words(&self) -> [u64; N];

    /// The value of [`to_words`](Self::to_words).
    fn from_words(words: &[u64; N]) -> Self;
}

/// Two values, of which one writer writes that which is not the newest: a reader tries again only when two were written while it
/// read, and never waits for a writer that was interrupted. Reading takes no lock and allocates nothing.
pub(crate) struct Board<T, const N: usize> {
    places: [Place<N>; 2],
    newest: AtomicUsize,
    kind: PhantomData<fn() -> T>,
}

struct Place<const N: usize> {
    /// Odd while the words are written.
    sequence: AtomicU64,
    words: [AtomicU64; N],
}

impl<const N: usize> Place<N> {
    fn new(words: [u64; N]) -> Self {
        Self {
            sequence: AtomicU64::new(0),
            words: words.map(AtomicU64::new),
        }
    }

    fn write(&self, words: &[u64; N]) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        // Who reads one of the words that follow sees the odd number too.
        fence(Ordering::Release);
        for (place, word) in self.words.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
    }

    fn read(&self) -> Option<[u64; N]> {
        let sequence = self.sequence.load(Ordering::Acquire);
        let words = std::array::from_fn(|index| self.words[index].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let is_whole = sequence.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == sequence;
        is_whole.then_some(words)
    }
}

impl<T: Words<N>, const N: usize> Board<T, N> {
    pub(crate) fn new(value: &T) -> Self {
        let words = value.to_words();
        Self {
            places: [Place::new(words), Place::new(words)],
            newest: AtomicUsize::new(0),
            kind: PhantomData,
        }
    }

    /// Writes a value; one thread at a time.
    pub(crate) fn write(&self, value: &T) {
        let other = 1 - self.newest.load(Ordering::Relaxed);
        self.places[other].write(&value.to_words());
        self.newest.store(other, Ordering::Release);
    }

    /// The newest value.
    pub(crate) fn read(&self) -> T {
        loop {
            let newest = self.newest.load(Ordering::Acquire);
            if let Some(words) = self.places[newest].read() {
                return T::from_words(&words);
            }
        }
    }
}
