//! Our own instruction sets, and the one call of the C interface that takes no plan.

use super::job::Job;
use crate::candidate::{Aligned, Candidate};
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
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

/// `compute_fft_rust` with the Hann window, and the free of its result: it looks its plan up and allocates.
struct OneCall {
    job: Job,
}

impl Candidate for OneCall {
    fn name(&self) -> String {
        "**rustle, `compute_fft_rust`**".into()
    }

    fn run(&mut self) {
        let size = self.job.input.len() as i32;
        // SAFETY: the input has `size` samples.
        let result = unsafe { compute_fft_rust(self.job.input.as_ptr(), size, size, 1) };
        assert!(!result.is_null());
        free_fft_result_rust(result);
    }
}

/// N/2 magnitudes of Hann-windowed frames, with each instruction set of this machine, and with one call.
pub(super) fn magnitudes(size: usize) -> Result<Vec<Box<dyn Candidate>>, DspError> {
    let mut candidates = all(size, Window::Hann, SpectrumPlan::magnitudes, size / 2)?;
    if (256..=8192).contains(&size) {
        let job = Job::new(size);
        candidates.push(Box::new(OneCall { job }));
    }
    Ok(candidates)
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
