//! A state for each symbol.

use crate::MAX_SYMBOLS;

/// States by the numbers of symbols, made on first use.
#[derive(Clone, Debug)]
pub(crate) struct PerSymbol<T>(Vec<Option<T>>);

impl<T> PerSymbol<T> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// The state of a symbol, or `None` if there is none yet.
    pub(crate) fn get(&self, symbol: u32) -> Option<&T> {
        self.0.get(symbol as usize)?.as_ref()
    }

    /// The state of a symbol, or `None` if there is none yet.
    pub(crate) fn get_mut(&mut self, symbol: u32) -> Option<&mut T> {
        self.0.get_mut(symbol as usize)?.as_mut()
    }

    /// The state of a symbol; `make` makes the first. `None` when the number is not an index into a symbol table.
    pub(crate) fn get_or_make(&mut self, symbol: u32, make: impl FnOnce() -> T) -> Option<&mut T> {
        let at = symbol as usize;
        if at >= MAX_SYMBOLS {
            return None;
        }
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        Some(self.0[at].get_or_insert_with(make))
    }

    /// Removes the state of a symbol and returns it.
    pub(crate) fn remove(&mut self, symbol: u32) -> Option<T> {
        self.0.get_mut(symbol as usize)?.take()
    }

    /// All states in the order of their symbols' numbers.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }
}
