//! Our own instruction sets.

use super::job::Job;
use crate::candidate::{Aligned, Candidate};
use rustle_dsp::{DspError, InstructionSet, Normalization, SpectrumPlan, Symmetry, Window};

type Output = fn(&SpectrumPlan, &[f32], &mut [f32], &mut [f32]) -> Result<(), DspError>;

struct Ours {
    plan: SpectrumPlan,
    write: Output,
    job: Job,
    output: Aligned,
    scratch: Aligned,
}

impl Candidate for Ours {
    fn name(&self) -> String {
        format!("**rustle, {}**", self.plan.instruction_set())
    }

    fn run(&mut self) {
        let result = (self.write)(&self.plan, &self.job.input, &mut self.output, &mut self.scratch);
        assert_eq!(result, Ok(()));
    }
}

/// N/2 magnitudes of Hann-windowed frames, with each instruction set of this machine.
pub(super) fn magnitudes(size: usize) -> Result<Vec<Box<dyn Candidate>>, DspError> {
    all(size, Window::Hann, SpectrumPlan::magnitudes, size / 2)
}

/// N/2 + 1 complex bins without a window, with each instruction set of this machine.
pub(super) fn complex(size: usize) -> Result<Vec<Box<dyn Candidate>>, DspError> {
    all(size, Window::Rectangular, SpectrumPlan::complex, size + 2)
}

fn all(
    size: usize,
    window: Window,
    write: Output,
    outputs: usize,
) -> Result<Vec<Box<dyn Candidate>>, DspError> {
    let mut candidates: Vec<Box<dyn Candidate>> = Vec::new();
    for instructions in InstructionSet::ALL
        .into_iter()
        .filter(|instructions| instructions.is_available())
    {
        let plan = SpectrumPlan::with_instruction_set(
            instructions,
            size,
            window,
            Symmetry::Periodic,
            Normalization::None,
        )?;
        candidates.push(Box::new(Ours {
            write,
            job: Job::new(size),
            output: Aligned::new(outputs),
            scratch: Aligned::new(plan.scratch_len()),
            plan,
        }));
    }
    Ok(candidates)
}
