//! The measured candidates, and their memory.

use crate::stopwatch::now;
use std::ops::{Deref, DerefMut};

/// A candidate for a job, with its plan and its memory.
pub(crate) trait Candidate {
    /// The name in the tables.
    fn name(&self) -> String;

    /// Does the job once.
    fn run(&mut self);

    /// The frames of a job.
    fn frames(&self) -> usize {
        1
    }

    /// Does the job `repeats` times; the mean time of one in ns.
    fn time(&mut self, repeats: u32) -> f64 {
        let start = now();
        for _ in 0..repeats {
            self.run();
        }
        start.elapsed().as_nanos() as f64 / f64::from(repeats)
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
