//! Symbols and their numbers, in a table that grows while messages are read.

use crate::symbol::checked_name;
use crate::{MAX_SYMBOLS, SymbolError, SymbolList};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Names of symbols and their numbers, 0, 1, 2 … in order of arrival. A number never changes.
///
/// Looking a name up allocates nothing. The hash is keyed at random (`std`'s), so that a feed cannot choose colliding names.
#[derive(Clone, Debug)]
pub struct SymbolTable {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    limit: usize,
    /// The last symbol with each of these weak hashes, which is compared before the map is asked: sources repeat their names, and
    /// chosen names that collide here cost no more than the map.
    recent: [u32; RECENT],
}

/// The number of recent symbols: a power of two.
const RECENT: usize = 256;

/// A weak hash of a name, by its length and last bytes.
fn place(name: &str) -> usize {
    let mut last = [0; 8];
    let tail = &name.as_bytes()[name.len().saturating_sub(8)..];
    last[..tail.len()].copy_from_slice(tail);
    // The 64-bit golden ratio (Knuth, The Art of Computer Programming, 6.4): the high bits depend on all bytes.
    let product = (u64::from_le_bytes(last) ^ name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (product >> 56) as usize % RECENT
}

impl SymbolTable {
    /// An empty table with room for [`MAX_SYMBOLS`].
    pub fn new() -> Self {
        Self::with_limit(MAX_SYMBOLS)
    }

    /// An empty table with room for `limit` symbols, at most [`MAX_SYMBOLS`]; a larger limit counts as that.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            limit: limit.min(MAX_SYMBOLS),
            recent: [0; RECENT],
        }
    }

    /// The number of symbols.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The most symbols that it can hold.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The name of a number, or `None` past the end.
    pub fn name(&self, symbol: u32) -> Option<&str> {
        self.names.get(symbol as usize).map(AsRef::as_ref)
    }

    /// The name of a number as a shared text, for keeping; `None` past the end.
    pub fn shared_name(&self, symbol: u32) -> Option<Arc<str>> {
        self.names.get(symbol as usize).cloned()
    }

    /// All names in the order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The number of a known name.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a name, which is added if it is new.
    ///
    /// # Errors
    /// [`SymbolTableError::Full`] when there is no room for a new name, [`SymbolTableError::Name`] when it is not the name of a
    /// symbol (1 to [`MAX_SYMBOL_BYTES`](crate::MAX_SYMBOL_BYTES) bytes without white space and control characters); the position
    /// in that error is the number that it would have had.
    pub fn number_or_add(&mut self, name: &str) -> Result<u32, SymbolTableError> {
        let place = place(name);
        let recent = self.recent[place];
        if self.name(recent) == Some(name) {
            return Ok(recent);
        }
        if let Some(number) = self.number(name) {
            self.recent[place] = number;
            return Ok(number);
        }
        let position = self.names.len();
        checked_name(position, name).map_err(SymbolTableError::Name)?;
        if position >= self.limit {
            return Err(SymbolTableError::Full { limit: self.limit });
        }
        let name: Arc<str> = name.into();
        // Below MAX_SYMBOLS.
        let number = position as u32;
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Ok(number)
    }
}

impl Default for SymbolTable {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&SymbolList> for SymbolTable {
    /// A table with room for more, in which the symbols of the list keep their numbers.
    fn from(list: &SymbolList) -> Self {
        let mut table = Self::new();
        for symbol in list.symbols() {
            let name: Arc<str> = symbol.name().into();
            table.names.push(Arc::clone(&name));
            table.numbers.insert(name, symbol.index());
        }
        table
    }
}

/// The error of a name without a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolTableError {
    /// The table is full.
    Full {
        /// The most symbols that it can hold.
        limit: usize,
    },
    /// It cannot be the name of a symbol. A retry does not help.
    Name(SymbolError),
}

impl fmt::Display for SymbolTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { limit } => write!(f, "symbols: expected at most {limit}, got one more"),
            Self::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SymbolTableError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_once() {
        let mut table = SymbolTable::new();
        assert_eq!(table.number_or_add("BTC"), Ok(0));
        assert_eq!(table.number_or_add("ETH"), Ok(1));
        assert_eq!(table.number_or_add("BTC"), Ok(0));
        assert_eq!((table.number("ETH"), table.number("SOL")), (Some(1), None));
        assert_eq!((table.name(1), table.name(2)), (Some("ETH"), None));
        assert_eq!(table.names().collect::<Vec<_>>(), ["BTC", "ETH"]);
    }

    #[test]
    fn names_of_one_place_keep_their_numbers() {
        let mut table = SymbolTable::new();
        let names: Vec<String> = (0..1_000).map(|n| format!("{n}-a-long-suffix")).collect();
        assert!(
            names
                .iter()
                .all(|name| place(name) == place(&names[0]) || name.len() != names[0].len())
        );
        for _ in 0..2 {
            for (number, name) in names.iter().enumerate() {
                assert_eq!(table.number_or_add(name), Ok(number as u32));
            }
        }
    }

    #[test]
    fn full_table_knows_what_it_has_and_takes_no_more() {
        let mut table = SymbolTable::with_limit(1);
        assert_eq!(table.number_or_add("BTC"), Ok(0));
        assert_eq!(table.number_or_add("BTC"), Ok(0));
        assert_eq!(
            table.number_or_add("ETH"),
            Err(SymbolTableError::Full { limit: 1 })
        );
        assert_eq!(table.number("ETH"), None);
        assert_eq!(SymbolTable::with_limit(usize::MAX).limit(), MAX_SYMBOLS);
    }

    #[test]
    fn names_are_checked_as_in_a_list() {
        let mut table = SymbolTable::new();
        for name in ["", "B TC", "\u{7}", &"X".repeat(33)] {
            assert!(
                matches!(table.number_or_add(name), Err(SymbolTableError::Name(_))),
                "{name:?}"
            );
        }
        assert!(table.is_empty());
    }

    #[test]
    fn list_keeps_its_numbers() {
        let list = SymbolList::new(["SOL", "BTC"]).expect("well-formed");
        let mut table = SymbolTable::from(&list);
        assert_eq!(table.number("BTC"), Some(1));
        assert_eq!(table.number_or_add("ETH"), Ok(2));
    }
}
