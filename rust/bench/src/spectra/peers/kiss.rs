//! KissFFT, as Debian builds it for `float`.

use super::Transform;
use libloading::Library;
use std::error::Error;
use std::ffi::{c_int, c_void};

type Allocate = unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut usize) -> *mut c_void;
type Run = unsafe extern "C" fn(*mut c_void, *const f32, *mut f32);

pub(super) struct Kiss {
    plan: *mut c_void,
    run: Run,
    size: usize,
}

impl Kiss {
    pub(super) fn new(library: &'static Library, size: usize) -> Result<Self, Box<dyn Error>> {
        // SAFETY: the signatures are those of kiss_fftr.h.
        let allocate = unsafe { library.get::<Allocate>(b"kiss_fftr_alloc") }?;
        // SAFETY: as above.
        let run = unsafe { library.get::<Run>(b"kiss_fftr") }?;
        // SAFETY: NULL as memory makes the library allocate.
        let plan = unsafe { allocate(size as c_int, 0, std::ptr::null_mut(), std::ptr::null_mut()) };
        if plan.is_null() {
            return Err(format!("KissFFT makes no plan for {size} samples").into());
        }
        Ok(Self {
            plan,
            run: *run,
            size,
        })
    }
}

impl Transform for Kiss {
    fn name(&self) -> String {
        "KissFFT".to_owned()
    }

    fn run(&mut self, input: &[f32], output: &mut [f32]) {
        assert_eq!((input.len(), output.len()), (self.size, self.size + 2));
        // SAFETY: the lengths are those of the plan.
        unsafe { (self.run)(self.plan, input.as_ptr(), output.as_mut_ptr()) }
    }
}
