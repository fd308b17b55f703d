//! The frame that every candidate transforms.

use crate::candidate::Aligned;
use rustle_testkit::noise;

/// Input and window of one size, the same for every candidate.
pub(super) struct Job {
    pub(super) input: Aligned,
    pub(super) window: Aligned,
}

impl Job {
    pub(super) fn new(size: usize) -> Self {
        let (mut input, mut window) = (Aligned::new(size), Aligned::new(size));
        input.copy_from_slice(&noise(1, size));
        rustle_dsp::Window::Hann.fill(rustle_dsp::Symmetry::Periodic, &mut window);
        Self { input, window }
    }
}
