//! Calls of voice analyzers, and of the measures of a whole signal.

use crate::calls::{attempt, freed, made, Attempt};
use crate::objects::Owned;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK};
use rustle::voice::*;
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

const RATE: f64 = 8_000.0;

/// A second of sound.
static SOUND: [f32; 8_000] = [0.5; 8_000];

static FORMANTS: RustleFormantConfiguration = RustleFormantConfiguration {
    ceiling: 5_000.0,
    length: 0.0,
    order: 0,
    method: RUSTLE_FORMANTS_WEIGHTED,
};

fn configuration() -> RustleVoiceConfiguration {
    RustleVoiceConfiguration {
        sample_rate: RATE,
        lowest: 75.0,
        highest: 500.0,
        hop: 500,
        measures: RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID,
        formants: FORMANTS,
    }
}

fn free(voice: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_voice_free(voice, null_mut()) }
}

fn process(voice: &Owned, error: *mut RustleError) -> (RustleStatus, usize, usize) {
    let mut frames = [const { MaybeUninit::<RustleVoiceFrame>::uninit() }; 16];
    let (mut taken, mut written) = (77, 77);
    // SAFETY: the sound is readable for its length, the results' places are this frame's own.
    let status = unsafe {
        rustle_voice_process(
            voice.handle,
            SOUND.as_ptr(),
            SOUND.len(),
            frames.as_mut_ptr().cast(),
            frames.len(),
            &raw mut taken,
            &raw mut written,
            error,
        )
    };
    (status, taken, written)
}

fn frames(voice: &Owned) -> u64 {
    let mut summary = MaybeUninit::<RustleVoiceSummary>::uninit();
    // SAFETY: the summary's place is this frame's own.
    let status = unsafe { rustle_voice_summary(voice.handle, summary.as_mut_ptr(), null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    // SAFETY: a call that succeeds writes the summary.
    unsafe { summary.assume_init() }.frames
}

/// An analyzer that has heard a second.
fn used() -> Owned {
    let (mut voice, configuration) = (0, configuration());
    // SAFETY: both pointers are to this frame's own.
    let status = unsafe { rustle_voice_new(&raw const configuration, &raw mut voice, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    let voice = Owned::new(voice, free).expect("a handle");
    let (status, taken, written) = process(&voice, null_mut());
    assert_eq!((status, taken), (RUSTLE_OK, SOUND.len()));
    assert!(written > 0 && frames(&voice) == written as u64);
    voice
}

pub(crate) fn voice_new(point: u32) -> Attempt {
    let configuration = configuration();
    made(point, free, |voice, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { rustle_voice_new(&raw const configuration, voice, error) }
    })
}

pub(crate) fn voice_free(point: u32) -> Attempt {
    freed(point, used(), rustle_voice_free, free)
}

pub(crate) fn voice_describe(point: u32) -> Attempt {
    let voice = used();
    let mut description = RustleVoiceDescription { window: 77, hop: 77 };
    let attempt = attempt(point, |error| {
        // SAFETY: the description's place is this frame's own.
        unsafe { rustle_voice_describe(voice.handle, &raw mut description, error) }
    });
    assert_eq!(description.hop == 77, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn voice_process(point: u32) -> Attempt {
    let voice = used();
    let before = frames(&voice);
    let mut counts = (77, 77);
    let attempt = attempt(point, |error| {
        let (status, taken, written) = process(&voice, error);
        counts = (taken, written);
        status
    });
    // Samples of a call that panicked do not count.
    if attempt.status == RUSTLE_OK {
        assert_eq!(counts, (SOUND.len(), 16));
        assert_eq!(frames(&voice), before + 16);
    } else {
        assert_eq!(counts, (77, 77));
        assert_eq!(frames(&voice), before);
    }
    attempt
}

pub(crate) fn voice_summary(point: u32) -> Attempt {
    let voice = used();
    let mut summary = MaybeUninit::<RustleVoiceSummary>::uninit();
    attempt(point, |error| {
        // SAFETY: the summary's place is this frame's own.
        unsafe { rustle_voice_summary(voice.handle, summary.as_mut_ptr(), error) }
    })
}

pub(crate) fn voice_reset(point: u32) -> Attempt {
    let voice = used();
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { rustle_voice_reset(voice.handle, error) });
    assert_eq!(frames(&voice) == 0, attempt.status == RUSTLE_OK);
    attempt
}

/// A measure of the sound, written where `untouched` stood.
fn measured<T: Copy>(
    point: u32,
    untouched: T,
    is_untouched: impl Fn(&T) -> bool,
    measure: impl Fn(*mut T, *mut RustleError) -> RustleStatus,
) -> Attempt {
    let mut place = untouched;
    let attempt = attempt(point, |error| measure(&raw mut place, error));
    assert_eq!(is_untouched(&place), attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn voice_formants(point: u32) -> Attempt {
    let untouched = RustleFormants {
        frequencies: [0.0; RUSTLE_FORMANT_COUNT],
        bandwidths: [0.0; RUSTLE_FORMANT_COUNT],
        confidence: 0.0,
        count: 0,
        reserved: 77,
    };
    let is_untouched = |formants: &RustleFormants| formants.reserved == 77;
    measured(point, untouched, is_untouched, |place, error| {
        // SAFETY: the configuration is static, the sound is readable for its length; the rest is `measured`'s own.
        unsafe {
            rustle_voice_formants(
                RATE,
                &raw const FORMANTS,
                SOUND.as_ptr(),
                SOUND.len(),
                place,
                error,
            )
        }
    })
}

pub(crate) fn voice_spectrum(point: u32) -> Attempt {
    let untouched = RustleSpectrumFeatures {
        centroid: -77.0,
        rolloff: 0.0,
        tilt: 0.0,
    };
    let is_untouched = |features: &RustleSpectrumFeatures| features.centroid == -77.0;
    measured(point, untouched, is_untouched, |place, error| {
        // SAFETY: the sound is readable for its length; the rest is `measured`'s own.
        unsafe { rustle_voice_spectrum(RATE, SOUND.as_ptr(), SOUND.len(), place, error) }
    })
}

pub(crate) fn voice_harmonicity(point: u32) -> Attempt {
    let untouched = RustleHarmonicity {
        hnr: 0.0,
        frequency: 0.0,
        is_voiced: 0,
        reserved: 77,
    };
    let is_untouched = |harmonicity: &RustleHarmonicity| harmonicity.reserved == 77;
    measured(point, untouched, is_untouched, |place, error| {
        // SAFETY: the sound is readable for its length; the rest is `measured`'s own.
        unsafe { rustle_voice_harmonicity(RATE, 75.0, 500.0, SOUND.as_ptr(), SOUND.len(), place, error) }
    })
}

pub(crate) fn voice_harmonics(point: u32) -> Attempt {
    let untouched = RustleHarmonicDifference {
        difference: 0.0,
        first: 0.0,
        second: 0.0,
        frequency: -77.0,
    };
    let is_untouched = |found: &RustleHarmonicDifference| found.frequency == -77.0;
    measured(point, untouched, is_untouched, |place, error| {
        // SAFETY: the sound is readable for its length; the rest is `measured`'s own.
        unsafe { rustle_voice_harmonics(RATE, 0.0, 75.0, 500.0, SOUND.as_ptr(), SOUND.len(), place, error) }
    })
}

pub(crate) fn voice_perturbation(point: u32) -> Attempt {
    let untouched = RustlePerturbation {
        periods: 77,
        mean_period: 0.0,
        jitter: 0.0,
        jitter_rap: 0.0,
        jitter_ppq5: 0.0,
        shimmer: 0.0,
        shimmer_decibels: 0.0,
        shimmer_apq3: 0.0,
        shimmer_apq5: 0.0,
    };
    let is_untouched = |perturbation: &RustlePerturbation| perturbation.periods == 77;
    measured(point, untouched, is_untouched, |place, error| {
        // SAFETY: the sound is readable for its length; the rest is `measured`'s own.
        unsafe { rustle_voice_perturbation(RATE, 75.0, 500.0, SOUND.as_ptr(), SOUND.len(), place, error) }
    })
}
