//! The ring of a lane: a bounded buffer with an overflow policy. A pure value, with no lock.

use crate::engine::StartError;
use crate::memory::{filled, room};
use std::collections::VecDeque;

/// The overflow policy of a full lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest waiting element makes room for the new one.
    DropOldest,
    /// The new element is dropped.
    DropNewest,
    /// A new element replaces the waiting one of the same key: a slow consumer gets fresh values, one per key.
    Conflate,
}

/// The counts of a lane so far. `produced == delivered + dropped + waiting`, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneStatistics {
    /// Elements pushed.
    pub produced: u64,
    /// Elements drained.
    pub delivered: u64,
    /// Elements dropped, by the lane's [`Overflow`] policy.
    pub dropped: u64,
    /// Elements in the lane.
    pub waiting: u64,
    /// Of `dropped`, those after the last accepted element: unreported by a gap until another is accepted.
    pub unreported: u64,
}

/// A bounded buffer of `T`, with a key per element, below its number of keys.
///
/// Each element comes out with the number of elements dropped just before it: for [`Overflow::Conflate`] of its own key, else of
/// the lane. A number beyond `u32::MAX` is reported in parts, the rest with the following elements.
#[derive(Debug)]
pub struct Ring<T> {
    storage: Storage<T>,
    produced: u64,
    delivered: u64,
    dropped: u64,
    /// Drops before elements that came out, not reported yet: more than one element can report.
    unreported: u64,
}

#[derive(Debug)]
enum Storage<T> {
    Queue {
        entries: VecDeque<Entry<T>>,
        capacity: usize,
        drop_oldest: bool,
        /// Drops since the last accepted element; counted to the next one.
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
    /// An empty lane for at most `capacity` elements (at least 1). With [`Overflow::Conflate`] the bound is `keys`, one element
    /// per key, and `capacity` has no effect. All memory is allocated here.
    ///
    /// # Errors
    /// [`RuntimeError::Memory`](crate::RuntimeError::Memory).
    pub fn new(overflow: Overflow, capacity: usize, keys: usize) -> Result<Self, StartError> {
        let storage = match overflow {
            Overflow::Conflate => Storage::Latest {
                order: room("symbols", keys)?.into(),
                slots: filled("symbols", keys)?.into(),
            },
            Overflow::DropOldest | Overflow::DropNewest => Storage::Queue {
                entries: room("capacity", capacity.max(1))?.into(),
                capacity: capacity.max(1),
                drop_oldest: overflow == Overflow::DropOldest,
                lost: 0,
            },
        };
        Ok(Self {
            storage,
            produced: 0,
            delivered: 0,
            dropped: 0,
            unreported: 0,
        })
    }

    /// Makes room for keys below `keys`, which allocates; a smaller number has no effect.
    pub fn grow_keys(&mut self, keys: usize) {
        if let Storage::Latest { order, slots } = &mut self.storage
            && keys > slots.len()
        {
            order.reserve(keys - order.len());
            slots.resize_with(keys, || None);
        }
    }

    /// Adds `element` under `key`. Returns whether the lane was empty before, so that the consumer's bell is to ring.
    ///
    /// # Panics
    /// With [`Overflow::Conflate`], when `key` is not below the number of keys.
    pub fn push(&mut self, key: u32, element: T) -> bool {
        self.push_after(key, element, |element, _| element)
    }

    /// As [`push`](Ring::push); `replacing` merges an element with the one that it replaces.
    fn push_after(&mut self, key: u32, element: T, replacing: impl FnOnce(T, &T) -> T) -> bool {
        self.produced += 1;
        match &mut self.storage {
            Storage::Queue {
                entries,
                capacity,
                drop_oldest,
                lost,
            } => {
                let was_empty = entries.is_empty();
                if entries.len() >= *capacity {
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
                        entry.element = replacing(element, &entry.element);
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

    /// Adds all of `elements`, in order, as [`push`](Ring::push) does. `replacing` merges an element with the one that it
    /// replaces. Returns whether the lane was empty before and no longer is.
    ///
    /// # Panics
    /// As [`push`](Ring::push).
    pub fn push_all(
        &mut self,
        elements: &[T],
        key: impl Fn(&T) -> u32,
        replacing: impl Fn(T, &T) -> T,
    ) -> bool
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
                let room = capacity.saturating_sub(entries.len());
                let excess = elements.len().saturating_sub(room);
                let taken = if *drop_oldest {
                    // The oldest waiting elements are dropped first, then the oldest new ones.
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
                append(entries, lost, taken);
                if !*drop_oldest {
                    *lost += excess as u64;
                }
                self.produced += elements.len() as u64;
                self.dropped += excess as u64;
                was_empty && !entries.is_empty()
            }
            Storage::Latest { .. } => elements.iter().fold(false, |was_empty, element| {
                self.push_after(key(element), *element, &replacing) | was_empty
            }),
        }
    }

    /// Adds all of `elements`, even beyond the capacity; none with [`Overflow::Conflate`]. Returns whether the lane was empty
    /// before and no longer is.
    pub fn push_beyond(&mut self, elements: &[T]) -> bool
    where
        T: Copy,
    {
        let Storage::Queue { entries, lost, .. } = &mut self.storage else {
            return false;
        };
        let was_empty = entries.is_empty();
        append(entries, lost, elements);
        self.produced += elements.len() as u64;
        was_empty && !entries.is_empty()
    }

    /// Drains at most `most` elements, the longest waiting first, each with the number dropped just before it. Returns how many
    /// there were.
    pub fn drain(&mut self, most: usize, mut take: impl FnMut(T, u32)) -> usize {
        // Counted before `take` is called: elements are delivered even if it panics.
        let unreported = &mut self.unreported;
        let mut hand_out = |entry: Entry<T>| {
            *unreported += entry.lost_before;
            let reported = u32::try_from(*unreported).unwrap_or(u32::MAX);
            *unreported -= u64::from(reported);
            take(entry.element, reported);
        };
        match &mut self.storage {
            Storage::Queue { entries, .. } => {
                let taken = most.min(entries.len());
                self.delivered += taken as u64;
                entries.drain(..taken).for_each(hand_out);
                taken
            }
            Storage::Latest { order, slots } => {
                let taken = most.min(order.len());
                for _ in 0..taken {
                    let key = order.pop_front();
                    if let Some(entry) = key.and_then(|key| slots[key as usize].take()) {
                        self.delivered += 1;
                        hand_out(entry);
                    }
                }
                taken
            }
        }
    }

    /// The counts so far.
    pub fn statistics(&self) -> LaneStatistics {
        let (waiting, lost) = match &self.storage {
            Storage::Queue { entries, lost, .. } => (entries.len(), *lost),
            Storage::Latest { order, .. } => (order.len(), 0),
        };
        LaneStatistics {
            produced: self.produced,
            delivered: self.delivered,
            dropped: self.dropped,
            waiting: waiting as u64,
            unreported: lost + self.unreported,
        }
    }
}

/// Appends elements, the first of which reports the drops before it.
fn append<T: Copy>(entries: &mut VecDeque<Entry<T>>, lost: &mut u64, elements: &[T]) {
    if let Some((first, rest)) = elements.split_first() {
        entries.push_back(Entry {
            element: *first,
            lost_before: std::mem::take(lost),
        });
        entries.extend(rest.iter().map(|element| Entry {
            element: *element,
            lost_before: 0,
        }));
    }
}

#[cfg(test)]
mod tests;
