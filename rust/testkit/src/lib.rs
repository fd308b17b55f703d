//! Helpers for the tests of the other crates; never part of the archive.

mod allocations;
mod fftw;
mod reference;
mod signals;
mod tolerance;
mod vectors;

pub use allocations::{CountingAllocator, allocations_in};
pub use fftw::Fftw;
pub use reference::half_spectrum;
pub use signals::{impulse, noise, sine, sweep};
pub use tolerance::relative_l2;
pub use vectors::{VectorCase, vector_file};
