//! Market data: symbols, prices and the random walk that simulates them. No clock, no thread, no file.
#![forbid(unsafe_code)]

pub mod symbol;
pub mod update;
pub mod walk;

pub use symbol::{MAX_SYMBOL_BYTES, MAX_SYMBOLS, Symbol, SymbolError, SymbolList};
pub use update::PriceUpdate;
pub use walk::RandomWalk;
