//! The transforms of FFmpeg's decoders: libavutil, as Debian builds it, with its code for the machine's vectors.

use super::Transform;
use libloading::Library;
use std::error::Error;
use std::ffi::{c_int, c_void};

type Run = unsafe extern "C" fn(*mut c_void, *mut f32, *const f32, isize);
type Initialise =
    unsafe extern "C" fn(*mut *mut c_void, *mut Option<Run>, c_int, c_int, c_int, *const f32, u64) -> c_int;

/// `AV_TX_FLOAT_RDFT`.
const REAL: c_int = 6;

pub(super) struct Ffmpeg {
    plan: *mut c_void,
    run: Run,
    size: usize,
}

impl Ffmpeg {
    pub(super) fn new(library: &'static Library, size: usize) -> Result<Self, Box<dyn Error>> {
        // SAFETY: the signature is that of libavutil/tx.h.
        let initialise = unsafe { library.get::<Initialise>(b"av_tx_init") }?;
        let (mut plan, mut run) = (std::ptr::null_mut(), None);
        // SAFETY: the places and the scale outlive the call.
        let status = unsafe { initialise(&mut plan, &mut run, REAL, 0, size as c_int, &1.0, 0) };
        match run {
            Some(run) if status >= 0 => Ok(Self { plan, run, size }),
            _ => Err(format!("FFmpeg makes no plan for {size} samples: {status}").into()),
        }
    }
}

impl Transform for Ffmpeg {
    fn name(&self) -> String {
        "FFmpeg".to_owned()
    }

    fn run(&mut self, input: &[f32], output: &mut [f32]) {
        assert_eq!((input.len(), output.len()), (self.size, self.size + 2));
        // SAFETY: the lengths are those of the plan, and the memory begins on a multiple of 64 bytes; out of place the input is
        // only read.
        unsafe {
            (self.run)(
                self.plan,
                output.as_mut_ptr(),
                input.as_ptr(),
                size_of::<[f32; 2]>() as isize,
            )
        }
    }
}
