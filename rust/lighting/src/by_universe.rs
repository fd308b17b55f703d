//! Values by universe.

/// Values in ascending order of their universe: found by halving, 10 steps for 1,000.
#[derive(Clone, Debug)]
pub(crate) struct ByUniverse<U, T> {
    universes: Vec<U>,
    values: Vec<T>,
}

impl<U: Copy + Ord, T> ByUniverse<U, T> {
    pub(crate) fn new() -> Self {
        Self {
            universes: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            universes: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.universes.len()
    }

    pub(crate) fn index(&self, universe: U) -> Option<usize> {
        self.universes.binary_search(&universe).ok()
    }

    pub(crate) fn get(&self, universe: U) -> Option<&T> {
        self.index(universe).map(|index| &self.values[index])
    }

    pub(crate) fn get_mut(&mut self, universe: U) -> Option<&mut T> {
        self.index(universe).map(|index| &mut self.values[index])
    }

    /// Adds a value; `false` when the universe has one, which stays.
    pub(crate) fn insert(&mut self, universe: U, value: T) -> bool {
        match self.universes.binary_search(&universe) {
            Ok(_) => false,
            Err(index) => {
                self.universes.insert(index, universe);
                self.values.insert(index, value);
                true
            }
        }
    }

    pub(crate) fn remove(&mut self, universe: U) -> Option<T> {
        let index = self.index(universe)?;
        self.universes.remove(index);
        Some(self.values.remove(index))
    }

    /// Removes those of which `is_kept` returns `false`.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        let mut values = self.values.iter();
        self.universes.retain(|_| values.next().is_some_and(&is_kept));
        self.values.retain(is_kept);
    }

    pub(crate) fn universes(&self) -> &[U] {
        &self.universes
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (U, &T)> {
        self.universes.iter().copied().zip(&self.values)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (U, &mut T)> {
        self.universes.iter().copied().zip(&mut self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_universe_in_any_order_of_insertion() {
        let mut values = ByUniverse::new();
        for universe in [5, 1, 9, 3] {
            assert!(values.insert(universe, universe * 10));
        }
        assert!(!values.insert(5, 0));
        assert_eq!(values.universes(), [1, 3, 5, 9]);
        assert_eq!((values.get(9), values.get(4)), (Some(&90), None));
        assert_eq!(values.remove(3), Some(30));
        assert_eq!(values.iter().collect::<Vec<_>>(), [(1, &10), (5, &50), (9, &90)]);
        values.retain(|value| *value != 50);
        assert_eq!(values.iter().collect::<Vec<_>>(), [(1, &10), (9, &90)]);
    }
}
