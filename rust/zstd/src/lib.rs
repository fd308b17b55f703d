//! Decompression of zstd (RFC 8878) by the system's libzstd.
//!
//! The library is loaded at first use, as libasound is: a program without such files does not need it, and without it the first
//! use fails with an error that names the package.

mod decoder;
mod functions;

pub use decoder::{Decoder, MAGIC};
