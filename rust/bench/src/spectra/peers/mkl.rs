//! Intel's MKL, through its descriptor interface (mkl_dfti.h).

use super::Transform;
use libloading::Library;
use std::error::Error;
use std::ffi::{c_int, c_long, c_void};

type Create = unsafe extern "C" fn(*mut *mut c_void, c_int, c_int, c_long, ...) -> c_long;
type SetValue = unsafe extern "C" fn(*mut c_void, c_int, ...) -> c_long;
type Commit = unsafe extern "C" fn(*mut c_void) -> c_long;
type Compute = unsafe extern "C" fn(*mut c_void, ...) -> c_long;

/// `DFTI_SINGLE`, `DFTI_REAL`, `DFTI_PLACEMENT`, `DFTI_NOT_INPLACE`, `DFTI_CONJUGATE_EVEN_STORAGE`, `DFTI_COMPLEX_COMPLEX`
/// of mkl_dfti.h.
const SINGLE: c_int = 35;
const REAL: c_int = 33;
const PLACEMENT: c_int = 11;
const NOT_INPLACE: c_int = 44;
const CONJUGATE_EVEN_STORAGE: c_int = 10;
const COMPLEX_COMPLEX: c_int = 39;

pub(super) struct Mkl {
    descriptor: *mut c_void,
    compute: Compute,
    size: usize,
}

impl Mkl {
    pub(super) fn new(library: &'static Library, size: usize) -> Result<Self, Box<dyn Error>> {
        // SAFETY: the signatures are those of mkl_dfti.h.
        let create = unsafe { library.get::<Create>(b"DftiCreateDescriptor") }?;
        // SAFETY: as above.
        let set = unsafe { library.get::<SetValue>(b"DftiSetValue") }?;
        // SAFETY: as above.
        let commit = unsafe { library.get::<Commit>(b"DftiCommitDescriptor") }?;
        // SAFETY: as above.
        let compute = unsafe { library.get::<Compute>(b"DftiComputeForward") }?;
        let mut descriptor = std::ptr::null_mut();
        // SAFETY: one dimension takes its length as the last argument.
        expect(unsafe { create(&mut descriptor, SINGLE, REAL, 1, size as c_long) })?;
        // SAFETY: the parameter takes a number of the enumeration.
        expect(unsafe { set(descriptor, PLACEMENT, NOT_INPLACE) })?;
        // SAFETY: as above.
        expect(unsafe { set(descriptor, CONJUGATE_EVEN_STORAGE, COMPLEX_COMPLEX) })?;
        // SAFETY: the descriptor was made above.
        expect(unsafe { commit(descriptor) })?;
        Ok(Self {
            descriptor,
            compute: *compute,
            size,
        })
    }
}

fn expect(status: c_long) -> Result<(), String> {
    if status == 0 {
        Ok(())
    } else {
        Err(format!("MKL: status {status}"))
    }
}

impl Transform for Mkl {
    fn name(&self) -> String {
        match std::env::var("MKL_ENABLE_INSTRUCTIONS") {
            Ok(instructions) => format!("Intel MKL held to {instructions}"),
            Err(_) => "Intel MKL".to_owned(),
        }
    }

    fn run(&mut self, input: &[f32], output: &mut [f32]) {
        assert_eq!((input.len(), output.len()), (self.size, self.size + 2));
        // SAFETY: the descriptor is for this length, out of place; the input is only read.
        let status = unsafe { (self.compute)(self.descriptor, input.as_ptr(), output.as_mut_ptr()) };
        assert_eq!(status, 0);
    }
}
