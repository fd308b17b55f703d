//! Intel's IPP, through its signal part (ipps.h).

use super::Transform;
use libloading::Library;
use std::error::Error;
use std::ffi::{c_int, c_void};

type Init = unsafe extern "C" fn() -> c_int;
type GetSize = unsafe extern "C" fn(c_int, c_int, c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
type InitPlan = unsafe extern "C" fn(*mut *mut c_void, c_int, c_int, c_int, *mut u8, *mut u8) -> c_int;
type Forward = unsafe extern "C" fn(*const f32, *mut f32, *const c_void, *mut u8) -> c_int;

/// `IPP_FFT_NODIV_BY_ANY` and `ippAlgHintNone` of ippbase.h.
const NO_DIVISION: c_int = 8;
const NO_HINT: c_int = 0;

pub(super) struct Ipp {
    name: &'static str,
    plan: *mut c_void,
    forward: Forward,
    work: *mut u8,
    size: usize,
}

/// Memory on a cache line, as `ippsMalloc` gives it, for the rest of the process.
fn memory(bytes: c_int) -> *mut u8 {
    let floats = Box::leak(Box::new(crate::candidate::Aligned::new(bytes as usize / 4 + 1)));
    floats.as_mut_ptr().cast()
}

impl Ipp {
    pub(super) fn new(
        name: &'static str,
        library: &'static Library,
        size: usize,
    ) -> Result<Self, Box<dyn Error>> {
        // SAFETY: the signatures are those of ipps.h.
        let get_size = unsafe { library.get::<GetSize>(b"ippsFFTGetSize_R_32f") }?;
        // SAFETY: as above.
        let init = unsafe { library.get::<InitPlan>(b"ippsFFTInit_R_32f") }?;
        // SAFETY: as above.
        let forward = unsafe { library.get::<Forward>(b"ippsFFTFwd_RToCCS_32f") }?;
        let order = size.ilog2() as c_int;
        let (mut plan_bytes, mut init_bytes, mut work_bytes) = (0, 0, 0);
        // SAFETY: the pointers are to numbers of this function.
        let status = unsafe {
            get_size(
                order,
                NO_DIVISION,
                NO_HINT,
                &mut plan_bytes,
                &mut init_bytes,
                &mut work_bytes,
            )
        };
        expect(status)?;
        let mut plan = std::ptr::null_mut();
        // SAFETY: the areas have the sizes that were asked for.
        let status = unsafe {
            init(
                &mut plan,
                order,
                NO_DIVISION,
                NO_HINT,
                memory(plan_bytes),
                memory(init_bytes),
            )
        };
        expect(status)?;
        Ok(Self {
            name,
            plan,
            forward: *forward,
            work: memory(work_bytes),
            size,
        })
    }

    /// Lets the library choose code for this CPU: without it, it uses the slowest.
    pub(super) fn initialise(core: &'static Library) -> Result<(), Box<dyn Error>> {
        // SAFETY: the signature is that of ippcore.h.
        let init = unsafe { core.get::<Init>(b"ippInit") }?;
        // SAFETY: no arguments.
        Ok(expect(unsafe { init() })?)
    }
}

fn expect(status: c_int) -> Result<(), String> {
    // Numbers above 0 are warnings.
    if status >= 0 {
        Ok(())
    } else {
        Err(format!("IPP: status {status}"))
    }
}

impl Transform for Ipp {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&mut self, input: &[f32], output: &mut [f32]) {
        assert_eq!((input.len(), output.len()), (self.size, self.size + 2));
        // SAFETY: the lengths are those of the plan, whose areas live as long as the process.
        let status = unsafe { (self.forward)(input.as_ptr(), output.as_mut_ptr(), self.plan, self.work) };
        assert_eq!(status, 0);
    }
}
