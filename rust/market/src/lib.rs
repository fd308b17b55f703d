//! Market data: symbols, prices and the random walk that simulates them. No clock, no thread, no file.
#![forbid(unsafe_code)]
