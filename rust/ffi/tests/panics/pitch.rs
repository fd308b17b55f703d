//! Calls of pitch trackers.

use crate::calls::{attempt, freed, made, Attempt};
use crate::objects::Owned;
use rustle::pitch::*;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// A window of sound and a hop more.
static SOUND: [f32; 384] = [0.5; 384];

fn configuration() -> RustlePitchConfiguration {
    RustlePitchConfiguration {
        sample_rate: 8_000.0,
        lowest: 100.0,
        highest: 1_000.0,
        method: RUSTLE_PITCH_YIN,
        window: 256,
        hop: 128,
        reserved: 0,
    }
}

fn free(pitch: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_pitch_free(pitch, null_mut()) }
}

fn tracker() -> Owned {
    let (mut pitch, configuration) = (0, configuration());
    // SAFETY: both pointers are to this frame's own.
    let status = unsafe { rustle_pitch_new(&raw const configuration, &raw mut pitch, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(pitch, free).expect("a handle")
}

/// Gives a tracker the first samples of the sound: the frames that these complete.
fn frames_after(pitch: &Owned, samples: usize) -> usize {
    let mut frames = [const { MaybeUninit::<RustlePitchFrame>::uninit() }; 4];
    let (mut taken, mut written) = (0, 0);
    // SAFETY: the sound is readable, the frames' place is this frame's own.
    let status = unsafe {
        rustle_pitch_process(
            pitch.handle,
            SOUND[..samples].as_ptr(),
            samples,
            frames.as_mut_ptr().cast(),
            frames.len(),
            &raw mut taken,
            &raw mut written,
            null_mut(),
        )
    };
    assert_eq!((status, taken), (RUSTLE_OK, samples));
    written
}

pub(crate) fn pitch_new(point: u32) -> Attempt {
    let configuration = configuration();
    made(point, free, |pitch, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { rustle_pitch_new(&raw const configuration, pitch, error) }
    })
}

pub(crate) fn pitch_free(point: u32) -> Attempt {
    freed(point, tracker(), rustle_pitch_free, free)
}

pub(crate) fn pitch_describe(point: u32) -> Attempt {
    let pitch = tracker();
    let mut description = MaybeUninit::<RustlePitchDescription>::uninit();
    attempt(point, |error| {
        // SAFETY: the description's place is this frame's own.
        unsafe { rustle_pitch_describe(pitch.handle, description.as_mut_ptr(), error) }
    })
}

pub(crate) fn pitch_process(point: u32) -> Attempt {
    let pitch = tracker();
    let mut frames = [const { MaybeUninit::<RustlePitchFrame>::uninit() }; 4];
    let (mut taken, mut written) = (77, 77);
    let attempt = attempt(point, |error| {
        // SAFETY: the sound is readable for its length; all other memory is this frame's own.
        unsafe {
            rustle_pitch_process(
                pitch.handle,
                SOUND.as_ptr(),
                SOUND.len(),
                frames.as_mut_ptr().cast(),
                frames.len(),
                &raw mut taken,
                &raw mut written,
                error,
            )
        }
    });
    // Samples of a call that panicked do not count.
    if attempt.status == RUSTLE_OK {
        assert_eq!((taken, written, frames_after(&pitch, 128)), (384, 2, 1));
    } else {
        assert_eq!((taken, written, frames_after(&pitch, 256)), (77, 77, 1));
    }
    attempt
}

pub(crate) fn pitch_reset(point: u32) -> Attempt {
    let pitch = tracker();
    assert_eq!(frames_after(&pitch, 255), 0);
    let attempt = attempt(point, |error| {
        // SAFETY: the record is `attempt`'s own.
        unsafe { rustle_pitch_reset(pitch.handle, error) }
    });
    let expected = usize::from(attempt.status != RUSTLE_OK);
    assert_eq!(frames_after(&pitch, 1), expected);
    attempt
}

pub(crate) fn pitch_contour(point: u32) -> Attempt {
    let configuration = configuration();
    let mut frames = [const { MaybeUninit::<RustlePitchFrame>::uninit() }; 2];
    let mut count = 77;
    let attempt = attempt(point, |error| {
        // SAFETY: the sound is readable for its length; all other memory is this frame's own.
        unsafe {
            rustle_pitch_contour(
                &raw const configuration,
                RUSTLE_DECODING_VITERBI,
                SOUND.as_ptr(),
                SOUND.len(),
                frames.as_mut_ptr().cast(),
                frames.len(),
                &raw mut count,
                error,
            )
        }
    });
    assert_eq!(count, if attempt.status == RUSTLE_OK { 2 } else { 77 });
    attempt
}
