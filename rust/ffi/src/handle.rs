//! Generational handles, an index and a generation in one integer, and their table.
//!
//! A lookup takes no lock: it pins the slot with one compare-and-swap, so that a plan can be used from a realtime thread while
//! another thread frees it. The last user to unpin it drops the object.

use crate::call_fault::{CallFault, Value};
use crate::exports::kind_name;
use crate::guard::fault_point;
use crate::live::LiveToken;
use std::cell::UnsafeCell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// An object behind the boundary: the slot's index in the low 32 bits, its generation in the high 32. 0 is never issued.
pub type RustleHandle = u64;

const CHUNK: usize = 256;
const CHUNKS: usize = 4096;

/// Set in a slot's state while it has no object to look up.
const CLOSED: u64 = 1 << 31;
/// The bits of a slot's state that count its users.
const PINS: u64 = CLOSED - 1;

struct Slot<T> {
    /// generation << 32 | CLOSED | pins
    state: AtomicU64,
    object: UnsafeCell<Option<(T, LiveToken)>>,
}

/// A table of objects of one kind, for up to 1,048,576 at a time.
pub(crate) struct SlotTable<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    vacant: Mutex<Vacant>,
    /// Distinguishes this table's handles from those of other kinds: the lowest bits of every generation.
    kind: u32,
}

struct Vacant {
    recycled: Vec<u32>,
    fresh: u32,
}

/// Bits of a generation that hold the table's kind.
const KIND_BITS: u32 = 5;

/// The number of a handle's kind.
pub(crate) const fn kind_of(handle: RustleHandle) -> u32 {
    (handle >> 32) as u32 & ((1 << KIND_BITS) - 1)
}

/// The refusal of a handle as the argument `name`, which takes handles of `kind`.
#[cold]
#[inline(never)]
pub(crate) fn refused(handle: RustleHandle, kind: u32, name: &'static str) -> CallFault {
    if kind_of(handle) == kind || kind_of(handle) == 0 {
        CallFault::stale(name, handle)
    } else {
        CallFault::kind(name, kind_name(kind), Value::Object(handle))
    }
}

// SAFETY: the table hands out `&T` to any thread (T: Sync), and drops a T on the thread that unpins it last (T: Send). A slot's
// object is written only while the slot is CLOSED with no pins, by the one thread that owns it then.
unsafe impl<T: Send + Sync> Sync for SlotTable<T> {}

/// A pinned object: it stays alive until this is dropped, even if its handle is freed.
pub(crate) struct Pinned<'a, T> {
    table: &'a SlotTable<T>,
    slot: &'a Slot<T>,
    index: u32,
    object: &'a T,
}

/// A reserved slot of the table. Dropping it releases the slot.
pub(crate) struct Reservation<'a, T> {
    table: &'a SlotTable<T>,
    index: Option<u32>,
}

impl<T> SlotTable<T> {
    /// A table of handles of one kind, 1 to 31. Each kind has one table: handles of different kinds differ, so that none is
    /// mistaken for another.
    pub(crate) const fn new(kind: u32) -> Self {
        assert!(kind > 0 && kind < 1 << KIND_BITS);
        Self {
            chunks: [const { OnceLock::new() }; CHUNKS],
            vacant: Mutex::new(Vacant {
                recycled: Vec::new(),
                fresh: 0,
            }),
            kind,
        }
    }

    /// Inserts `object` and returns its handle. Errors: the table is full.
    pub(crate) fn insert(&self, object: T) -> Result<RustleHandle, CallFault> {
        let reservation = self.reserve()?;
        fault_point("a reserved handle");
        Ok(reservation.fill(object))
    }

    /// Reserves a slot, for an object that must not be made without one. Errors: the table is full.
    pub(crate) fn reserve(&self) -> Result<Reservation<'_, T>, CallFault> {
        fault_point("a reservation");
        let mut vacant = self.vacant();
        let index = match vacant.recycled.pop() {
            Some(index) => index,
            None if (vacant.fresh as usize) < CHUNK * CHUNKS => {
                vacant.fresh += 1;
                vacant.fresh - 1
            }
            None => return Err(CallFault::exhausted("handle")),
        };
        Ok(Reservation {
            table: self,
            index: Some(index),
        })
    }

    fn fill(&self, index: u32, object: T) -> RustleHandle {
        let chunk = self.chunks[index as usize / CHUNK].get_or_init(|| self.fresh_chunk());
        let slot = &chunk[index as usize % CHUNK];
        // SAFETY: the index came off the vacant list, so this thread alone owns the closed, unpinned slot.
        unsafe { *slot.object.get() = Some((object, LiveToken::new())) };
        // Release: whoever pins the slot from here on sees the object.
        let generation = slot.state.fetch_and(!CLOSED, Ordering::Release) >> 32;
        generation << 32 | u64::from(index)
    }

    /// Looks `handle` up and keeps its object alive. Errors: the handle is not live in this table.
    #[inline]
    pub(crate) fn pin(&self, handle: RustleHandle, name: &'static str) -> Result<Pinned<'_, T>, CallFault> {
        match self.pinned(handle) {
            Some(pinned) => Ok(pinned),
            None => Err(refused(handle, self.kind, name)),
        }
    }

    #[inline]
    fn pinned(&self, handle: RustleHandle) -> Option<Pinned<'_, T>> {
        let index = handle as u32;
        let slot = self.slot(index)?;
        let mut state = slot.state.load(Ordering::Acquire);
        loop {
            if state >> 32 != handle >> 32 || state & CLOSED != 0 {
                return None;
            }
            match slot
                .state
                .compare_exchange_weak(state, state + 1, Ordering::Acquire, Ordering::Acquire)
            {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        // SAFETY: the slot was open when the pin was taken, so the object is there, and it is not written while pinned.
        let object = unsafe { &*slot.object.get() };
        let Some((object, _)) = object else {
            self.unpin(slot, index);
            return None;
        };
        let pinned = Pinned {
            table: self,
            slot,
            index,
            object,
        };
        fault_point("a pinned object");
        Some(pinned)
    }

    #[inline(always)]
    fn unpin(&self, slot: &Slot<T>, index: u32) {
        let before = slot.state.fetch_sub(1, Ordering::AcqRel);
        if before & CLOSED != 0 && before & PINS == 1 {
            self.recycle(slot, index);
        }
    }

    /// Makes `handle` stale. The object is dropped now, or when its last user unpins it.
    /// Errors: the handle is not live in this table.
    pub(crate) fn remove(&self, handle: RustleHandle, name: &'static str) -> Result<(), CallFault> {
        let pinned = self.pin(handle, name)?;
        // Of two racing removals one sees the flag already set.
        if pinned.slot.state.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED != 0 {
            return Err(CallFault::stale(name, handle));
        }
        Ok(())
    }

    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        self.chunks
            .get(index as usize / CHUNK)?
            .get()?
            .get(index as usize % CHUNK)
    }

    /// Drops the object of a closed, unpinned slot and makes the slot vacant under a new generation. After the last one the slot
    /// stays closed: under the first again, a stale handle would be another object's.
    #[cold]
    #[inline(never)]
    fn recycle(&self, slot: &Slot<T>, index: u32) {
        // SAFETY: closed and unpinned: this thread, which took the pins to 0, is the slot's only user.
        let object = unsafe { (*slot.object.get()).take() };
        let generation = (slot.state.load(Ordering::Relaxed) >> 32) as u32;
        if let Some(next) = self.generation_after(generation) {
            slot.state
                .store(u64::from(next) << 32 | CLOSED, Ordering::Release);
            self.vacant().recycled.push(index);
        }
        // Last, when the slot is consistent: a destructor may use the table.
        drop(object);
    }

    fn generation_after(&self, generation: u32) -> Option<u32> {
        let round = (generation >> KIND_BITS) + 1;
        (round <= u32::MAX >> KIND_BITS).then_some(round << KIND_BITS | self.kind)
    }

    fn fresh_chunk(&self) -> Box<[Slot<T>]> {
        let first = 1 << KIND_BITS | self.kind;
        let state = u64::from(first) << 32 | CLOSED;
        (0..CHUNK)
            .map(|_| Slot {
                state: AtomicU64::new(state),
                object: UnsafeCell::new(None),
            })
            .collect()
    }

    fn vacant(&self) -> MutexGuard<'_, Vacant> {
        self.vacant.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Reservation<'_, T> {
    /// Puts `object` into the slot and returns its handle.
    pub(crate) fn fill(mut self, object: T) -> RustleHandle {
        // A reservation keeps its slot until it is filled or dropped; 0 is never a live handle.
        self.index
            .take()
            .map_or(0, |index| self.table.fill(index, object))
    }
}

impl<T> Drop for Reservation<'_, T> {
    fn drop(&mut self) {
        if let Some(index) = self.index {
            self.table.vacant().recycled.push(index);
        }
    }
}

impl<T> Deref for Pinned<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.object
    }
}

impl<T> Drop for Pinned<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.table.unpin(self.slot, self.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::Arc;

    static NUMBERS: SlotTable<u32> = SlotTable::new(30);
    static LETTERS: SlotTable<char> = SlotTable::new(31);

    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn freed_handle_is_stale_and_its_slot_gets_a_new_generation() {
        let table = SlotTable::new(30);
        let first = table.insert(7_u32).expect("room");
        assert_eq!(*table.pin(first, "h").expect("live"), 7);
        table.remove(first, "h").expect("live");
        assert!(table.pin(first, "h").is_err());
        assert!(table.remove(first, "h").is_err());
        let second = table.insert(8).expect("room");
        assert_eq!(first as u32, second as u32, "the slot is used again");
        assert_ne!(first, second);
        assert!(table.pin(first, "h").is_err());
    }

    #[test]
    fn slot_of_the_last_generation_is_not_used_again() {
        let table = SlotTable::new(30);
        let first = table.insert('a').expect("room");
        table.remove(first, "h").expect("live");
        let last_but_one = (u64::from(u32::MAX - 1) - (1 << KIND_BITS)) << 32;
        let slot = table.slot(first as u32).expect("a slot");
        slot.state.store(last_but_one | CLOSED, Ordering::Release);
        let handles = ['b', 'c', 'd'].map(|letter| {
            let handle = table.insert(letter).expect("room");
            table.remove(handle, "h").expect("live");
            handle
        });
        assert_eq!(
            handles.map(|handle| handle as u32),
            [0, 0, 1],
            "retired after two"
        );
        assert_eq!(handles.map(kind_of), [30; 3]);
        assert!(table.pin(first, "h").is_err() && table.pin(handles[1], "h").is_err());
    }

    #[test]
    fn place_that_was_not_used_is_given_back() {
        let table = SlotTable::new(30);
        drop(table.reserve().expect("room"));
        let handle = table.reserve().expect("room").fill('a');
        assert_eq!(handle as u32, 0, "the first place again");
        assert_eq!(*table.pin(handle, "h").expect("live"), 'a');
    }

    #[test]
    fn handle_of_another_kind_is_stale() {
        let number = NUMBERS.insert(1).expect("room");
        let letter = LETTERS.insert('a').expect("room");
        assert!(NUMBERS.pin(letter, "h").is_err());
        assert!(LETTERS.pin(number, "h").is_err());
        assert!(NUMBERS.pin(0, "h").is_err());
        assert!(NUMBERS.pin(u64::MAX, "h").is_err());
    }

    #[test]
    fn object_lives_until_its_last_user_lets_go() {
        let drops = Arc::new(AtomicUsize::new(0));
        let table = SlotTable::new(30);
        let handle = table.insert(Counted(drops.clone())).expect("room");
        let user = table.pin(handle, "h").expect("live");
        table.remove(handle, "h").expect("live");
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        assert!(table.pin(handle, "h").is_err(), "no new user after the removal");
        drop(user);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn racing_users_and_removals_drop_each_object_once() {
        let table = Arc::new(SlotTable::new(30));
        let drops = Arc::new(AtomicUsize::new(0));
        let rounds = 2_000;
        for _ in 0..rounds {
            let handle = table.insert(Counted(drops.clone())).expect("room");
            std::thread::scope(|scope| {
                let removals: Vec<_> = (0..2)
                    .map(|_| scope.spawn(|| table.remove(handle, "h").is_ok()))
                    .collect();
                scope.spawn(|| drop(table.pin(handle, "h")));
                let won = removals
                    .into_iter()
                    .filter_map(|removal| removal.join().ok())
                    .filter(|won| *won);
                assert_eq!(won.count(), 1, "exactly one removal wins");
            });
        }
        assert_eq!(drops.load(Ordering::SeqCst), rounds);
    }
}
