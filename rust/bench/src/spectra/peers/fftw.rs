//! FFTW in single precision.

use super::Transform;
use crate::candidate::Aligned;
use crate::stopwatch::now;
use libloading::Library;
use std::error::Error;
use std::ffi::{c_int, c_uint, c_void};

type Make = unsafe extern "C" fn(c_int, *mut f32, *mut f32, c_uint) -> *mut c_void;
type Execute = unsafe extern "C" fn(*mut c_void, *mut f32, *mut f32);
type Forget = unsafe extern "C" fn();

/// `FFTW_MEASURE`, `FFTW_ESTIMATE` and `FFTW_PRESERVE_INPUT` of fftw3.h.
const MEASURE: c_uint = 0;
const ESTIMATE: c_uint = 64;
const PRESERVE_INPUT: c_uint = 16;

/// The number of plans made: FFTW chooses by noisy timings.
const PLANS: usize = 7;

/// A plan.
pub(super) struct Fftw {
    name: &'static str,
    plan: *mut c_void,
    execute: Execute,
    size: usize,
}

impl Fftw {
    /// FFTW's plan chosen without timing.
    pub(super) fn estimated(library: &'static Library, size: usize) -> Result<Self, Box<dyn Error>> {
        Self::new(library, size, ("FFTW_ESTIMATE (base)", ESTIMATE))
    }

    /// The fastest of several plans, each the best of FFTW's own timings.
    pub(super) fn best(library: &'static Library, size: usize) -> Result<Self, Box<dyn Error>> {
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..PLANS {
            let (plan, time) = Self::timed(library, size)?;
            if best.as_ref().is_none_or(|(least, _)| time < *least) {
                best = Some((time, plan));
            }
        }
        best.map(|(_, plan)| plan).ok_or_else(|| "no plan of FFTW".into())
    }

    fn new(
        library: &'static Library,
        size: usize,
        (name, rigor): (&'static str, c_uint),
    ) -> Result<Self, Box<dyn Error>> {
        // SAFETY: the signature is that of fftw3.h.
        let make = unsafe { library.get::<Make>(b"fftwf_plan_dft_r2c_1d") }?;
        // SAFETY: as above.
        let execute = unsafe { library.get::<Execute>(b"fftwf_execute_dft_r2c") }?;
        // SAFETY: as above.
        let forget = unsafe { library.get::<Forget>(b"fftwf_forget_wisdom") }?;
        let (mut input, mut output) = (Aligned::new(size), Aligned::new(size + 2));
        // SAFETY: no arguments; the plan is then measured anew.
        unsafe { forget() };
        let flags = rigor | PRESERVE_INPUT;
        // SAFETY: both areas have the lengths of a real transform of `size` samples.
        let plan = unsafe { make(size as c_int, input.as_mut_ptr(), output.as_mut_ptr(), flags) };
        if plan.is_null() {
            return Err(format!("FFTW makes no plan for {size} samples").into());
        }
        Ok(Self {
            name,
            plan,
            execute: *execute,
            size,
        })
    }

    /// A new plan, and its time for a transform in s.
    fn timed(library: &'static Library, size: usize) -> Result<(Self, f64), Box<dyn Error>> {
        let mut made = Self::new(library, size, ("FFTW_MEASURE (base)", MEASURE))?;
        let (input, mut output) = (Aligned::new(size), Aligned::new(size + 2));
        let repeats = (200_000 / size).max(4);
        let mut best = f64::INFINITY;
        for _ in 0..20 {
            let start = now();
            for _ in 0..repeats {
                made.run(&input, &mut output);
            }
            best = best.min(start.elapsed().as_secs_f64() / repeats as f64);
        }
        Ok((made, best))
    }
}

impl Transform for Fftw {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&mut self, input: &[f32], output: &mut [f32]) {
        assert_eq!((input.len(), output.len()), (self.size, self.size + 2));
        // SAFETY: the areas have the plan's lengths and, as all that are `Aligned`, its alignment; the input is preserved.
        unsafe { (self.execute)(self.plan, input.as_ptr().cast_mut(), output.as_mut_ptr()) }
    }
}
