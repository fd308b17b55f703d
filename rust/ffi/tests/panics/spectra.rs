//! Calls of the spectrum domain.

use crate::calls::{attempt, bare_attempt, made, Attempt};
use crate::objects::{
    free_inverse, free_plan, free_stft, free_stream, new_inverse, new_plan, new_stft, new_stream, STFT,
};
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::fft::inverse::*;
use rustle::fft::path::*;
use rustle::fft::peaks::*;
use rustle::fft::plan::*;
use rustle::fft::stft::*;
use rustle::fft::stft_stream::*;
use rustle::fft::window::*;
use rustle::live::rustle_live_objects;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const SIGNAL: [f32; 64] = [0.5; 64];

pub(crate) fn compute_fft(point: u32) -> Attempt {
    let mut result = null();
    let attempt = bare_attempt(point, || {
        // SAFETY: the signal is readable for its length.
        result = unsafe { compute_fft_rust(SIGNAL.as_ptr(), 64, 256, 1) };
        !result.is_null()
    });
    free_fft_result_rust(result);
    attempt
}

pub(crate) fn free_fft_result(point: u32) -> Attempt {
    // SAFETY: the signal is readable for its length.
    let result = unsafe { compute_fft_rust(SIGNAL.as_ptr(), 64, 256, 1) };
    assert!(!result.is_null());
    let before = rustle_live_objects();
    let attempt = bare_attempt(point, || {
        free_fft_result_rust(result);
        rustle_live_objects() == before - 1
    });
    // Does nothing when the result is freed already.
    free_fft_result_rust(result);
    attempt
}

type FormCall = unsafe extern "C" fn(
    RustleHandle,
    *const f32,
    usize,
    *mut f32,
    usize,
    *mut f32,
    usize,
    *mut RustleError,
) -> RustleStatus;

/// A call of one of the forms, which fills `length` floats.
pub(crate) fn form(point: u32, length: usize, call: FormCall) -> Attempt {
    let plan = new_plan();
    let mut output = [7.0; 66];
    let attempt = attempt(point, |error| {
        // SAFETY: the memory is this frame's own; NULL and 0 stand for the plan's scratch.
        unsafe {
            call(
                plan.handle,
                SIGNAL.as_ptr(),
                64,
                output.as_mut_ptr(),
                length,
                null_mut(),
                0,
                error,
            )
        }
    });
    let is_untouched = output == [7.0; 66];
    assert_eq!(is_untouched, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn spectrum_peaks(point: u32) -> Attempt {
    let search = RustlePeakSearch {
        sample_rate: 48_000.0,
        threshold: 0.0,
        separation: 0.0,
        window: 1,
        reserved: 0,
    };
    let mut peaks = MaybeUninit::<RustlePeak>::uninit();
    let mut count = 0;
    attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe {
            rustle_spectrum_peaks(
                SIGNAL.as_ptr(),
                33,
                &raw const search,
                peaks.as_mut_ptr(),
                1,
                &raw mut count,
                error,
            )
        }
    })
}

pub(crate) fn fft_plan_new(point: u32) -> Attempt {
    made(point, free_plan, |plan, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_fft_plan_new(64, 1, 0, 1, plan, error) }
    })
}

pub(crate) fn plan_number(
    point: u32,
    call: unsafe extern "C" fn(RustleHandle, *mut usize, *mut RustleError) -> RustleStatus,
) -> Attempt {
    let plan = new_plan();
    let mut number = 0;
    // SAFETY: the number's place is this frame's own.
    attempt(point, |error| unsafe {
        call(plan.handle, &raw mut number, error)
    })
}

pub(crate) fn fft_window(point: u32) -> Attempt {
    let mut coefficients = [0.0; 64];
    attempt(point, |error| {
        // SAFETY: the coefficients are this frame's own.
        unsafe { rustle_fft_window(1, 0, coefficients.as_mut_ptr(), 64, error) }
    })
}

pub(crate) fn fft_path(point: u32) -> Attempt {
    let mut path = 0;
    // SAFETY: the path's place is this frame's own.
    attempt(point, |error| unsafe { rustle_fft_path(&raw mut path, error) })
}

pub(crate) fn fft_plan_new_on_path(point: u32) -> Attempt {
    made(point, free_plan, |plan, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_fft_plan_new_on_path(64, 1, 0, 1, RUSTLE_PATH_PLAIN, plan, error) }
    })
}

pub(crate) fn fft_plan_path(point: u32) -> Attempt {
    let plan = new_plan();
    let mut path = 0;
    // SAFETY: the path's place is this frame's own.
    attempt(point, |error| unsafe {
        rustle_fft_plan_path(plan.handle, &raw mut path, error)
    })
}

pub(crate) fn fft_inverse_new(point: u32) -> Attempt {
    made(point, free_inverse, |inverse, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_fft_inverse_new(64, RUSTLE_PATH_PREFERRED, inverse, error) }
    })
}

pub(crate) fn fft_inverse_scratch_length(point: u32) -> Attempt {
    let inverse = new_inverse();
    let mut length = 0;
    // SAFETY: the number's place is this frame's own.
    attempt(point, |error| unsafe {
        rustle_fft_inverse_scratch_length(inverse.handle, &raw mut length, error)
    })
}

pub(crate) fn fft_inverse_samples(point: u32) -> Attempt {
    let inverse = new_inverse();
    let (bins, mut output) = ([0.5; 66], [7.0; 64]);
    let attempt = attempt(point, |error| {
        // SAFETY: the memory is this frame's own; NULL and 0 stand for the plan's scratch.
        unsafe {
            rustle_fft_inverse_samples(
                inverse.handle,
                bins.as_ptr(),
                66,
                output.as_mut_ptr(),
                64,
                null_mut(),
                0,
                error,
            )
        }
    });
    assert_eq!(output == [7.0; 64], attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn stft_new(point: u32) -> Attempt {
    made(point, free_stft, |stft, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_stft_new(&raw const STFT, stft, error) }
    })
}

pub(crate) fn stft_frame_count(point: u32) -> Attempt {
    let stft = new_stft();
    let mut count = 0;
    // SAFETY: the number's place is this frame's own.
    attempt(point, |error| unsafe {
        rustle_stft_frame_count(stft.handle, 1000, &raw mut count, error)
    })
}

pub(crate) fn stft_scratch_length(point: u32) -> Attempt {
    let stft = new_stft();
    let mut length = 0;
    // SAFETY: the number's place is this frame's own.
    attempt(point, |error| unsafe {
        rustle_stft_scratch_length(stft.handle, &raw mut length, error)
    })
}

pub(crate) fn stft_frames(point: u32) -> Attempt {
    let stft = new_stft();
    let mut output = [7.0; 33];
    let mut count = 0;
    let attempt = attempt(point, |error| {
        // SAFETY: the memory is this frame's own; NULL and 0 stand for the plan's scratch.
        unsafe {
            rustle_stft_frames(
                stft.handle,
                SIGNAL.as_ptr(),
                64,
                0,
                output.as_mut_ptr(),
                33,
                null_mut(),
                0,
                &raw mut count,
                error,
            )
        }
    });
    assert_eq!(output == [7.0; 33], attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn stft_stream_new(point: u32) -> Attempt {
    let stft = new_stft();
    made(point, free_stream, |stream, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_stft_stream_new(stft.handle, stream, error) }
    })
}

pub(crate) fn stft_stream_push(point: u32) -> Attempt {
    let stream = new_stream();
    let mut output = [7.0; 33];
    let (mut taken, mut frames) = (0, 0);
    let attempt = attempt(point, |error| {
        // SAFETY: the memory is this frame's own.
        unsafe {
            rustle_stft_stream_push(
                stream.handle,
                SIGNAL.as_ptr(),
                64,
                output.as_mut_ptr(),
                33,
                &raw mut taken,
                &raw mut frames,
                error,
            )
        }
    });
    assert_eq!(output == [7.0; 33], attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn stft_stream_finish(point: u32) -> Attempt {
    let stream = new_stream();
    let mut output = [7.0; 33];
    let mut frames = 0;
    attempt(point, |error| {
        // SAFETY: the memory is this frame's own.
        unsafe { rustle_stft_stream_finish(stream.handle, output.as_mut_ptr(), 33, &raw mut frames, error) }
    })
}
