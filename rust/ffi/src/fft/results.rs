//! Results that C holds and frees as bare pointers.
//!
//! The pointer alone must suffice to free a result, and a wrong one must do no harm: this table owns the memory and distinguishes
//! the pointers that it issued from others.

use crate::guard::fault_point;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The live results and those freed last.
pub(super) struct Results {
    state: Mutex<State>,
    /// The number of live results; written with the state locked.
    count: AtomicUsize,
}

struct State {
    /// By the address of their first element.
    live: BTreeMap<usize, Box<[f32]>>,
    /// The last ones that were freed, the oldest first. Their addresses are not reused yet, so that a second free does not hit a
    /// new result at the same address.
    freed: VecDeque<Box<[f32]>>,
}

impl Results {
    /// Freed results whose addresses are not used again: 64 of at most 16 KiB. The one before them may be reused next.
    pub(super) const QUARANTINE: usize = 64;

    /// An empty table.
    pub(super) const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                live: BTreeMap::new(),
                freed: VecDeque::new(),
            }),
            count: AtomicUsize::new(0),
        }
    }

    /// Inserts a result and returns its address, valid until it is freed. When `spare` is empty, it receives the memory of a
    /// result that has left the quarantine, if there is one.
    pub(super) fn insert(&self, result: Box<[f32]>, spare: &mut Option<Box<[f32]>>) -> *const f32 {
        let address = result.as_ptr();
        let mut state = self.state();
        fault_point("a result, with the table locked");
        state.live.insert(address.addr(), result);
        self.count.store(state.live.len(), Ordering::Relaxed);
        if spare.is_none() && state.freed.len() > Self::QUARANTINE {
            *spare = state.freed.pop_front();
        }
        address
    }

    /// Frees the result at `address`, if there is one.
    pub(super) fn free(&self, address: *const f32) {
        let mut state = self.state();
        fault_point("a free, with the table locked");
        let Some(result) = state.live.remove(&address.addr()) else {
            return;
        };
        self.count.store(state.live.len(), Ordering::Relaxed);
        state.freed.push_back(result);
        if state.freed.len() > Self::QUARANTINE + 1 {
            state.freed.pop_front();
        }
    }

    /// The number of live results.
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(results: &Results) -> *const f32 {
        results.insert(vec![1.0; 4].into(), &mut None)
    }

    #[test]
    fn memory_is_used_again_when_enough_others_were_freed_and_not_before() {
        let results = Results::new();
        let first = insert(&results);
        results.free(first);
        let mut spare = None;
        for _ in 0..Results::QUARANTINE {
            let next = results.insert(vec![1.0; 4].into(), &mut spare);
            assert_ne!(next, first);
            assert_eq!(spare, None);
            results.free(next);
        }
        results.insert(vec![1.0; 4].into(), &mut spare);
        assert_eq!(spare.as_ref().map(|memory| memory.as_ptr()), Some(first));
        // A spare that is present is kept.
        let last = insert(&results);
        results.free(last);
        results.insert(vec![1.0; 4].into(), &mut spare);
        assert_eq!(spare.map(|memory| memory.as_ptr()), Some(first));
    }

    #[test]
    fn memory_of_freed_results_is_bounded() {
        let results = Results::new();
        for _ in 0..3 * Results::QUARANTINE {
            results.free(insert(&results));
        }
        assert_eq!(results.state().freed.len(), Results::QUARANTINE + 1);
    }
}
