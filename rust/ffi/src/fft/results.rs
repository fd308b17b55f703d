//! Results that are handed out as bare pointers and come back the same way.
//!
//! The pointer alone has to be enough to free a result, and a wrong one must do no harm: so the memory stays owned by this
//! table, which knows a pointer it gave out from one it did not.

use crate::guard::fault_point;
use crate::live::LiveToken;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The results that were given out.
pub(super) struct Results {
    state: Mutex<State>,
}

struct State {
    /// By the address of their first element.
    live: BTreeMap<usize, (Box<[f32]>, LiveToken)>,
    /// The last ones that were freed. They keep their addresses a little longer, so that freeing one twice does not hit a
    /// new result at the same address.
    freed: VecDeque<Box<[f32]>>,
}

impl Results {
    /// Freed results whose addresses are not used again: at most 64 of 16 KiB.
    pub(super) const QUARANTINE: usize = 64;

    /// A table with nothing in it.
    pub(super) const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                live: BTreeMap::new(),
                freed: VecDeque::new(),
            }),
        }
    }

    /// Takes a result in and gives its address, valid until it is freed.
    pub(super) fn give(&self, result: Box<[f32]>) -> *const f32 {
        let address = result.as_ptr();
        let mut state = self.state();
        fault_point("a result, with the table locked");
        state.live.insert(address.addr(), (result, LiveToken::new()));
        address
    }

    /// Frees the result at `address`; does nothing when there is none.
    pub(super) fn free(&self, address: *const f32) {
        let mut state = self.state();
        fault_point("a free, with the table locked");
        let Some((result, _)) = state.live.remove(&address.addr()) else {
            return;
        };
        state.freed.push_back(result);
        if state.freed.len() > Self::QUARANTINE {
            state.freed.pop_front();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_is_freed_once_and_nothing_else_is() {
        let results = Results::new();
        let first = results.give(vec![1.0; 4].into());
        let second = results.give(vec![2.0; 4].into());
        results.free(std::ptr::null());
        results.free(first.wrapping_add(1));
        assert_eq!(results.state().live.len(), 2);
        results.free(first);
        results.free(first);
        assert_eq!(results.state().live.len(), 1);
        assert!(results.state().live.contains_key(&second.addr()));
    }

    #[test]
    fn address_is_not_given_again_soon() {
        let results = Results::new();
        let first = results.give(vec![1.0; 4].into());
        results.free(first);
        for _ in 1..Results::QUARANTINE {
            let next = results.give(vec![1.0; 4].into());
            assert_ne!(next, first);
            results.free(next);
        }
        assert_eq!(results.state().freed.len(), Results::QUARANTINE);
        results.free(results.give(vec![1.0; 4].into()));
        assert_eq!(results.state().freed.len(), Results::QUARANTINE);
    }
}
