//! Helpers for the tests of the other crates; never part of the archive.

mod allocations;
mod drums;
mod ebur128;
mod fftw;
#[cfg(unix)]
mod fork;
mod program;
#[cfg(unix)]
mod realtime;
mod reference;
mod signals;
mod tolerance;
mod tones;
mod vectors;
mod voices;

pub use allocations::{CountingAllocator, allocated_bytes_in, allocations_in, with_allocations_up_to};
pub use drums::{Drum, drums};
pub use ebur128::{Ebur128, Ebur128Place, Ebur128Reading};
pub use fftw::Fftw;
#[cfg(unix)]
pub use fork::{allow_descriptors, in_fork, leave_descriptors};
pub use program::{hide_panics, this_program};
#[cfg(unix)]
pub use realtime::{has_realtime_sanitizer, in_realtime};
pub use reference::half_spectrum;
pub use signals::{impulse, noise, sine, sweep};
pub use tolerance::relative_l2;
pub use tones::{Tone, cents, normal_noise};
pub use vectors::{VectorCase, vector_file};
pub use voices::{Resonance, pulses, vowel};

#[expect(
    clippy::print_stderr,
    reason = "a test that compares less than it should says so"
)]
fn note(text: &str) {
    eprintln!("{text}");
}
