//! FFTW in single precision, as an oracle that shares no code with this package. Loaded at run time, never linked.

use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Mutex;

type Make = unsafe extern "C" fn(c_int, *mut f32, *mut f32, c_uint) -> *mut c_void;
type Execute = unsafe extern "C" fn(*mut c_void);
type Destroy = unsafe extern "C" fn(*mut c_void);

/// `FFTW_ESTIMATE` of fftw3.h: no timing, so that the plan and its rounding are the same in every run.
const ESTIMATE: c_uint = 64;

/// The library's file, where the system's loader finds it.
const FILE: &str = if cfg!(target_os = "macos") {
    "libfftw3f.3.dylib"
} else {
    "libfftw3f.so.3"
};

/// The loaded library.
#[derive(Debug)]
pub struct Fftw {
    library: Library,
}

impl Fftw {
    /// Loads the library. `None`, with a note on the standard error, on systems other than Linux where it is not found.
    ///
    /// # Panics
    /// On Linux, when it is not found: scripts/bootstrap installs it.
    pub fn load() -> Option<Self> {
        // SAFETY: the library runs no initialiser with preconditions.
        match unsafe { Library::new(FILE) } {
            Ok(library) => Some(Self { library }),
            Err(error) if cfg!(target_os = "linux") => {
                panic!("FFTW is missing, which spectra are compared with: run scripts/bootstrap. {error}")
            }
            Err(error) => {
                crate::note(&format!("not compared with FFTW, which is missing: {error}"));
                None
            }
        }
    }

    /// The N/2 + 1 bins of a real signal of N samples, N even: real and imaginary part of each.
    ///
    /// # Panics
    /// When the library lacks a function or makes no plan, or N does not fit in a `c_int`.
    pub fn half_spectrum(&self, input: &[f32]) -> Vec<(f32, f32)> {
        // Only the execution of plans may happen on several threads at once.
        static PLANNING: Mutex<()> = Mutex::new(());
        let _planning = PLANNING.lock().expect("no other test panicked here");

        // SAFETY: the signature is that of fftw3.h.
        let make = unsafe { self.library.get::<Make>(b"fftwf_plan_dft_r2c_1d") }.expect("in every FFTW");
        // SAFETY: as above.
        let execute = unsafe { self.library.get::<Execute>(b"fftwf_execute") }.expect("in every FFTW");
        // SAFETY: as above.
        let destroy = unsafe { self.library.get::<Destroy>(b"fftwf_destroy_plan") }.expect("in every FFTW");
        let length = c_int::try_from(input.len()).expect("a length that FFTW takes");
        // Aligned to a vector, FFTW uses its vector code, which is what one compares with.
        let (mut samples, mut bins) = (aligned(input.len()), aligned(input.len() + 2));
        let (samples, bins) = (samples.slice(), bins.slice());
        // SAFETY: both areas have the lengths of a real transform of this length.
        let plan = unsafe { make(length, samples.as_mut_ptr(), bins.as_mut_ptr(), ESTIMATE) };
        assert!(!plan.is_null(), "FFTW makes no plan for {length} samples");
        samples.copy_from_slice(input);
        // SAFETY: the plan is one of FFTW's, and its memory is alive.
        unsafe { execute(plan) };
        // SAFETY: the plan is not used again.
        unsafe { destroy(plan) };
        bins.chunks_exact(2).map(|bin| (bin[0], bin[1])).collect()
    }
}

struct Aligned {
    memory: Vec<f32>,
    first: usize,
    length: usize,
}

fn aligned(length: usize) -> Aligned {
    let memory = vec![0.0; length + 16];
    let first = memory.as_ptr().align_offset(64);
    Aligned {
        memory,
        first,
        length,
    }
}

impl Aligned {
    fn slice(&mut self) -> &mut [f32] {
        &mut self.memory[self.first..][..self.length]
    }
}
