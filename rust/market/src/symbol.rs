//! Symbols, and checked lists of them.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// The longest symbol, in bytes of UTF-8.
pub const MAX_SYMBOL_BYTES: usize = 32;
/// The most symbols that one list holds.
pub const MAX_SYMBOLS: usize = 100_000;

/// The name of a traded instrument, and its index in its list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    name: Arc<str>,
    index: u32,
}

impl Symbol {
    /// The name as it was given: 1 to [`MAX_SYMBOL_BYTES`] bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The position in its list, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// One to [`MAX_SYMBOLS`] distinct, well-formed symbols, in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolList(Vec<Symbol>);

impl SymbolList {
    /// Checks the names and numbers them.
    ///
    /// # Errors
    /// The first fault found, in the order of [`SymbolError`]'s cases; the positions in it count from 0.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, SymbolError> {
        let names = names.into_iter();
        // Before any of them is read.
        let got = names.size_hint().0;
        if got > MAX_SYMBOLS {
            return Err(SymbolError::TooMany { got });
        }
        let mut seen = HashSet::new();
        let mut symbols = Vec::new();
        for name in names {
            let position = symbols.len();
            if position == MAX_SYMBOLS {
                return Err(SymbolError::TooMany { got: position + 1 });
            }
            checked_name(position, name)?;
            if !seen.insert(name) {
                return Err(SymbolError::Duplicate {
                    position,
                    name: name.into(),
                });
            }
            symbols.push(Symbol {
                name: name.into(),
                index: position as u32,
            });
        }
        if symbols.is_empty() {
            Err(SymbolError::None)
        } else {
            Ok(Self(symbols))
        }
    }

    /// The symbols; never empty.
    pub fn symbols(&self) -> &[Symbol] {
        &self.0
    }

    /// The number of symbols, at least 1.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Refuses a text that cannot be the name of a symbol. `position` is for the error.
pub(crate) fn checked_name(position: usize, name: &str) -> Result<(), SymbolError> {
    if name.len() > MAX_SYMBOL_BYTES {
        return Err(SymbolError::TooLong {
            position,
            bytes: name.len(),
        });
    }
    if name.is_empty() {
        return Err(SymbolError::Empty { position });
    }
    match name.chars().find(|c| c.is_whitespace() || c.is_control()) {
        Some(character) => Err(SymbolError::Malformed { position, character }),
        None => Ok(()),
    }
}

/// The error of an invalid list of symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolError {
    /// The list is empty.
    None,
    /// The list has more than [`MAX_SYMBOLS`] entries.
    TooMany {
        /// The number of names, or of those that were read.
        got: usize,
    },
    /// A name has more than [`MAX_SYMBOL_BYTES`] bytes.
    TooLong {
        /// Its index in the list.
        position: usize,
        /// Its length in bytes of UTF-8.
        bytes: usize,
    },
    /// A name is empty.
    Empty {
        /// Its index in the list.
        position: usize,
    },
    /// A name contains white space or a control character.
    Malformed {
        /// Its index in the list.
        position: usize,
        /// The first such character.
        character: char,
    },
    /// A name occurs in the list a second time.
    Duplicate {
        /// The index of its second occurrence.
        position: usize,
        /// The name.
        name: Box<str>,
    },
}

impl fmt::Display for SymbolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "symbols: expected at least one, got none"),
            Self::TooMany { got } => write!(f, "symbols: expected at most {MAX_SYMBOLS}, got {got}"),
            Self::TooLong { position, bytes } => {
                write!(
                    f,
                    "symbol {position}: expected at most {MAX_SYMBOL_BYTES} bytes, got {bytes}"
                )
            }
            Self::Empty { position } => write!(f, "symbol {position}: expected a name, got an empty text"),
            Self::Malformed { position, character } => {
                write!(
                    f,
                    "symbol {position}: expected no white space or control character, got {character:?}"
                )
            }
            Self::Duplicate { position, name } => {
                write!(
                    f,
                    "symbol {position}: expected each symbol once, got {name:?} again"
                )
            }
        }
    }
}

impl std::error::Error for SymbolError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_keep_their_order_and_number() {
        let list = SymbolList::new(["BTC", "ETH", "SOL"]).expect("well-formed");
        let seen: Vec<_> = list.symbols().iter().map(|s| (s.index(), s.name())).collect();
        assert_eq!(seen, [(0, "BTC"), (1, "ETH"), (2, "SOL")]);
    }

    #[test]
    fn each_fault_is_reported_apart() {
        let long = "X".repeat(33);
        let many: Vec<String> = (0..=MAX_SYMBOLS).map(|n| format!("S{n}")).collect();
        let fault = |names: &[&str]| SymbolList::new(names.iter().copied()).expect_err("a fault");
        assert_eq!(fault(&[]), SymbolError::None);
        assert_eq!(fault(&["BTC", ""]), SymbolError::Empty { position: 1 });
        assert_eq!(
            fault(&[&long]),
            SymbolError::TooLong {
                position: 0,
                bytes: 33
            }
        );
        assert_eq!(
            fault(&["B TC"]),
            SymbolError::Malformed {
                position: 0,
                character: ' '
            }
        );
        assert_eq!(
            fault(&["A", "B", "A"]),
            SymbolError::Duplicate {
                position: 2,
                name: "A".into()
            }
        );
        assert_eq!(
            SymbolList::new(many.iter().map(String::as_str)),
            Err(SymbolError::TooMany { got: MAX_SYMBOLS + 1 })
        );
        assert!(SymbolList::new(many[1..].iter().map(String::as_str)).is_ok());
    }

    #[test]
    fn length_counts_bytes_not_characters() {
        assert!(SymbolList::new(["é".repeat(16).as_str()]).is_ok());
        assert_eq!(
            SymbolList::new(["é".repeat(17).as_str()]),
            Err(SymbolError::TooLong {
                position: 0,
                bytes: 34
            })
        );
    }

    #[test]
    fn absurd_count_is_refused_before_a_name_is_read() {
        let unreadable = |_| -> &str { panic!("it is not to be read") };
        let refused = SymbolList::new((0..MAX_SYMBOLS + 1).map(unreadable));
        assert_eq!(refused.err(), Some(SymbolError::TooMany { got: MAX_SYMBOLS + 1 }));
        // A list of unknown length.
        let names: Vec<String> = (0..=MAX_SYMBOLS).map(|n| n.to_string()).collect();
        let some = names.iter().map(String::as_str).filter(|_| true);
        assert_eq!(
            SymbolList::new(some).err(),
            Some(SymbolError::TooMany { got: MAX_SYMBOLS + 1 })
        );
        let most = names[1..].iter().map(String::as_str);
        assert_eq!(SymbolList::new(most).map(|list| list.count()), Ok(MAX_SYMBOLS));
    }
}
