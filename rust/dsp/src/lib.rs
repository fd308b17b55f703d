//! Digital signal processing: pure functions and plans over caller-owned slices.
#![forbid(unsafe_code)]
