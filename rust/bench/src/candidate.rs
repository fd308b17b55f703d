//! What is measured, and in which memory.

use rustle_testkit::noise;
use std::ops::{Deref, DerefMut};

/// One way to do the job, with its plan and its memory.
pub(crate) trait Candidate {
    /// Its name in the tables.
    fn name(&self) -> String;

    /// Does the job once.
    fn run(&mut self);

    /// The frames of a job.
    fn frames(&self) -> usize {
        1
    }
}

/// Floats that begin on a multiple of 64 bytes, a cache line: for every candidate, since several have faster code for it.
pub(crate) struct Aligned {
    memory: Vec<f32>,
    first: usize,
    length: usize,
}

impl Aligned {
    pub(crate) fn new(length: usize) -> Self {
        let memory = vec![0.0; length + 16];
        let first = memory.as_ptr().align_offset(64);
        Self {
            memory,
            first,
            length,
        }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.memory[self.first..][..self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.memory[self.first..][..self.length]
    }
}

/// Input and window of one size, the same for every candidate.
pub(crate) struct Job {
    pub(crate) input: Aligned,
    pub(crate) window: Aligned,
}

impl Job {
    pub(crate) fn new(size: usize) -> Self {
        let (mut input, mut window) = (Aligned::new(size), Aligned::new(size));
        input.copy_from_slice(&noise(1, size));
        rustle_dsp::Window::Hann.fill(rustle_dsp::Symmetry::Periodic, &mut window);
        Self { input, window }
    }
}
