//! Helpers for the tests of the other crates; never part of the archive.
