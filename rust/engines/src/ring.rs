//! The frame lane: a bounded buffer with a stated answer to a consumer that is too slow. A pure value, with no lock.

use std::collections::VecDeque;

/// What a full lane gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest waiting element makes room for the new one.
    DropOldest,
    /// The new element is dropped.
    DropNewest,
    /// A new element replaces the waiting one of the same key: a slow consumer sees fresh values, one per key.
    KeepLatest,
}

/// What went through a lane so far. `produced == delivered + dropped + waiting`, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneStatistics {
    /// Elements pushed.
    pub produced: u64,
    /// Elements drained.
    pub delivered: u64,
    /// Elements given up, by the lane's [`Overflow`] policy.
    pub dropped: u64,
    /// Elements in the lane.
    pub waiting: u64,
}

/// A bounded buffer of `T`, with a key per element below the number of keys that it was made for.
///
/// Each element comes out with the number of elements lost just before it: for [`Overflow::KeepLatest`] those of its own
/// key, else those of the lane. A number beyond `u32::MAX` is told in parts, the rest with the elements that follow.
#[derive(Debug)]
pub struct Ring<T> {
    storage: Storage<T>,
    produced: u64,
    delivered: u64,
    dropped: u64,
    /// Lost before elements that came out, and not told yet: more than one element can tell.
    untold: u64,
}

#[derive(Debug)]
enum Storage<T> {
    Queue {
        entries: VecDeque<Entry<T>>,
        capacity: usize,
        drop_oldest: bool,
        /// Lost since the last element was taken in; counted to the next one.
        lost: u64,
    },
    Latest {
        /// Keys with a waiting element, the longest waiting first.
        order: VecDeque<u32>,
        /// The waiting element of each key.
        slots: Vec<Option<Entry<T>>>,
    },
}

#[derive(Clone, Debug)]
struct Entry<T> {
    element: T,
    lost_before: u64,
}

impl<T> Ring<T> {
    /// An empty lane for at most `capacity` elements (at least 1). With [`Overflow::KeepLatest`] the bound is `keys`, one
    /// element per key, and `capacity` has no effect. All memory is taken here.
    pub fn new(overflow: Overflow, capacity: usize, keys: usize) -> Self {
        let storage = match overflow {
            Overflow::KeepLatest => Storage::Latest {
                order: VecDeque::with_capacity(keys),
                slots: (0..keys).map(|_| None).collect(),
            },
            Overflow::DropOldest | Overflow::DropNewest => Storage::Queue {
                entries: VecDeque::with_capacity(capacity.max(1)),
                capacity: capacity.max(1),
                drop_oldest: overflow == Overflow::DropOldest,
                lost: 0,
            },
        };
        Self {
            storage,
            produced: 0,
            delivered: 0,
            dropped: 0,
            untold: 0,
        }
    }

    /// Makes room for keys below `keys`, which takes memory; fewer than there are change nothing.
    pub fn grow_keys(&mut self, keys: usize) {
        if let Storage::Latest { order, slots } = &mut self.storage
            && keys > slots.len()
        {
            order.reserve(keys - order.len());
            slots.resize_with(keys, || None);
        }
    }

    /// Takes `element` in under `key`. Returns whether the lane was empty before: the moment to ring the consumer's bell.
    ///
    /// # Panics
    /// With [`Overflow::KeepLatest`], when `key` is not below the number of keys.
    pub fn push(&mut self, key: u32, element: T) -> bool {
        self.produced += 1;
        match &mut self.storage {
            Storage::Queue {
                entries,
                capacity,
                drop_oldest,
                lost,
            } => {
                let was_empty = entries.is_empty();
                if entries.len() == *capacity {
                    self.dropped += 1;
                    if !*drop_oldest {
                        *lost += 1;
                        return false;
                    }
                    let gone = entries.pop_front().map_or(0, |entry| entry.lost_before) + 1;
                    match entries.front_mut() {
                        Some(next) => next.lost_before += gone,
                        None => *lost += gone,
                    }
                }
                entries.push_back(Entry {
                    element,
                    lost_before: std::mem::take(lost),
                });
                was_empty
            }
            Storage::Latest { order, slots } => {
                let was_empty = order.is_empty();
                match &mut slots[key as usize] {
                    Some(entry) => {
                        self.dropped += 1;
                        entry.lost_before += 1;
                        entry.element = element;
                    }
                    vacant => {
                        *vacant = Some(Entry {
                            element,
                            lost_before: 0,
                        });
                        order.push_back(key);
                    }
                }
                was_empty
            }
        }
    }

    /// Takes all of `elements` in, in their order, as [`push`](Ring::push) does one. Returns whether the lane was empty
    /// before and is not any more.
    ///
    /// # Panics
    /// As [`push`](Ring::push).
    pub fn push_all(&mut self, elements: &[T], key: impl Fn(&T) -> u32) -> bool
    where
        T: Copy,
    {
        match &mut self.storage {
            Storage::Queue {
                entries,
                capacity,
                drop_oldest,
                lost,
            } => {
                let was_empty = entries.is_empty();
                let room = *capacity - entries.len();
                let excess = elements.len().saturating_sub(room);
                let taken = if *drop_oldest {
                    // First the oldest that wait give way, then the oldest of those that come.
                    let evicted = excess.min(entries.len());
                    let skipped = excess - evicted;
                    let gone: u64 = entries.drain(..evicted).map(|entry| entry.lost_before + 1).sum();
                    match entries.front_mut() {
                        Some(next) => next.lost_before += gone,
                        None => *lost += gone + skipped as u64,
                    }
                    &elements[skipped..]
                } else {
                    &elements[..elements.len() - excess]
                };
                if let Some((first, rest)) = taken.split_first() {
                    entries.push_back(Entry {
                        element: *first,
                        lost_before: std::mem::take(lost),
                    });
                    entries.extend(rest.iter().map(|element| Entry {
                        element: *element,
                        lost_before: 0,
                    }));
                }
                if !*drop_oldest {
                    *lost += excess as u64;
                }
                self.produced += elements.len() as u64;
                self.dropped += excess as u64;
                was_empty && !entries.is_empty()
            }
            Storage::Latest { .. } => elements.iter().fold(false, |was_empty, element| {
                self.push(key(element), *element) | was_empty
            }),
        }
    }

    /// Hands out at most `most` elements, the longest waiting first, each with the number lost just before it. Returns how
    /// many there were.
    pub fn drain(&mut self, most: usize, mut take: impl FnMut(T, u32)) -> usize {
        let untold = &mut self.untold;
        let mut hand_out = |entry: Entry<T>| {
            *untold += entry.lost_before;
            let told = u32::try_from(*untold).unwrap_or(u32::MAX);
            *untold -= u64::from(told);
            take(entry.element, told);
        };
        let taken = match &mut self.storage {
            Storage::Queue { entries, .. } => {
                let taken = most.min(entries.len());
                entries.drain(..taken).for_each(hand_out);
                taken
            }
            Storage::Latest { order, slots } => {
                let taken = most.min(order.len());
                for key in order.drain(..taken) {
                    if let Some(entry) = slots[key as usize].take() {
                        hand_out(entry);
                    }
                }
                taken
            }
        };
        self.delivered += taken as u64;
        taken
    }

    /// The counts so far.
    pub fn statistics(&self) -> LaneStatistics {
        let waiting = match &self.storage {
            Storage::Queue { entries, .. } => entries.len(),
            Storage::Latest { order, .. } => order.len(),
        };
        LaneStatistics {
            produced: self.produced,
            delivered: self.delivered,
            dropped: self.dropped,
            waiting: waiting as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(ring: &mut Ring<u32>, most: usize) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        ring.drain(most, |element, lost| out.push((element, lost)));
        out
    }

    #[test]
    fn oldest_makes_room_and_the_gap_stands_before_the_next() {
        let mut ring = Ring::new(Overflow::DropOldest, 3, 1);
        let bells: Vec<bool> = (0..5).map(|n| ring.push(0, n)).collect();
        assert_eq!(bells, [true, false, false, false, false]);
        assert_eq!(drained(&mut ring, 2), [(2, 2), (3, 0)]);
        assert!(!ring.push(0, 5));
        assert_eq!(drained(&mut ring, 9), [(4, 0), (5, 0)]);
        assert!(ring.push(0, 6), "the bell rings again after the lane was emptied");
    }

    #[test]
    fn newest_is_dropped_and_the_gap_stands_where_it_was() {
        let mut ring = Ring::new(Overflow::DropNewest, 2, 1);
        for n in 0..5 {
            ring.push(0, n);
        }
        assert_eq!(drained(&mut ring, 9), [(0, 0), (1, 0)]);
        ring.push(0, 5);
        assert_eq!(drained(&mut ring, 9), [(5, 3)]);
    }

    #[test]
    fn one_place_still_counts_every_loss() {
        let mut ring = Ring::new(Overflow::DropOldest, 1, 1);
        for n in 0..4 {
            ring.push(0, n);
        }
        assert_eq!(drained(&mut ring, 9), [(3, 3)]);
    }

    #[test]
    fn latest_keeps_one_per_key_in_order_of_waiting() {
        let mut ring = Ring::new(Overflow::KeepLatest, 0, 3);
        for (key, element) in [(2, 20), (0, 1), (2, 21), (2, 22), (1, 10)] {
            ring.push(key, element);
        }
        assert_eq!(drained(&mut ring, 9), [(22, 2), (1, 0), (10, 0)]);
        assert_eq!(
            ring.statistics(),
            LaneStatistics {
                produced: 5,
                delivered: 3,
                dropped: 2,
                waiting: 0
            }
        );
    }

    #[test]
    fn keys_are_added_while_elements_wait() {
        let mut ring = Ring::new(Overflow::KeepLatest, 0, 1);
        ring.push(0, 1);
        ring.grow_keys(3);
        ring.grow_keys(2);
        ring.push(2, 20);
        ring.push(0, 2);
        assert_eq!(drained(&mut ring, 9), [(2, 1), (20, 0)]);
    }

    #[test]
    fn many_at_a_time_are_the_same_as_one_at_a_time() {
        for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::KeepLatest] {
            let (mut many, mut one) = (Ring::new(overflow, 7, 5), Ring::new(overflow, 7, 5));
            for turn in 0..5_000_u32 {
                let elements: Vec<u32> = (0..turn.wrapping_mul(2_654_435_761) % 19)
                    .map(|n| turn + n)
                    .collect();
                let bell = many.push_all(&elements, |element| element % 5);
                let bells = elements.iter().map(|element| one.push(element % 5, *element));
                assert_eq!(bell, bells.fold(false, |a, b| a | b), "{overflow:?}");
                let most = (turn % 11) as usize;
                assert_eq!(drained(&mut many, most), drained(&mut one, most), "{overflow:?}");
                assert_eq!(many.statistics(), one.statistics(), "{overflow:?}");
            }
        }
    }

    #[test]
    fn loss_beyond_32_bits_is_told_in_parts() {
        let mut ring = Ring::new(Overflow::DropNewest, 1, 1);
        let Storage::Queue { lost, .. } = &mut ring.storage else {
            panic!("a queue")
        };
        *lost = 5_000_000_000;
        let told: Vec<u32> = (0..3)
            .flat_map(|n| {
                ring.push(0, n);
                drained(&mut ring, 1)
            })
            .map(|(_, lost)| lost)
            .collect();
        assert_eq!(
            told,
            [
                u32::MAX,
                5_000_000_000u64.wrapping_sub(u64::from(u32::MAX)) as u32,
                0
            ]
        );
    }

    #[test]
    fn nothing_is_lost_uncounted_under_any_policy() {
        for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::KeepLatest] {
            let mut ring = Ring::new(overflow, 7, 5);
            let (mut seen, mut told) = (0_u64, 0_u64);
            for n in 0..100_000_u32 {
                ring.push(n.wrapping_mul(2_654_435_761) % 5, n);
                if n % 11 == 0 {
                    ring.drain((n % 13) as usize, |_, lost| {
                        seen += 1;
                        told += u64::from(lost);
                    });
                }
                let s = ring.statistics();
                assert_eq!(s.produced, s.delivered + s.dropped + s.waiting);
            }
            // What was lost after the last element in the lane is told with the next one that comes in.
            for _ in 0..2 {
                ring.drain(usize::MAX, |_, lost| {
                    seen += 1;
                    told += u64::from(lost);
                });
                ring.push(0, 0);
            }
            let s = ring.statistics();
            assert_eq!(
                (s.produced, s.delivered, s.waiting),
                (100_002, seen, 1),
                "{overflow:?}"
            );
            assert_eq!(s.dropped, told, "{overflow:?}");
        }
    }
}
