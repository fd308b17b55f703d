//! One complete, valid call of every guarded function, with a panic armed for one of its points.

use crate::equalizer::*;
use crate::feed::*;
use crate::meter::*;
use crate::objects::{
    free_inverse, free_plan, free_runtime, free_stft, free_stream, new_inverse, new_plan, new_runtime,
    new_stft, new_stream, Owned,
};
use crate::pitch::*;
use crate::sound::{self, playback_finish, playback_write, sound_devices, CAPTURE, PLAYBACK};
use crate::spectra::*;
use crate::ticker::*;
use crate::voice::*;
use rustle::feed::*;
use rustle::fft::forms::*;
use rustle::fft::inverse::rustle_fft_inverse_free;
use rustle::fft::plan::*;
use rustle::fft::stft::rustle_stft_free;
use rustle::fft::stft_stream::rustle_stft_stream_free;
use rustle::log::*;
use rustle::runtime::*;
use rustle::sound::capture::*;
use rustle::sound::playback::*;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_WRONG_STATE};
use rustle::ticker::{rustle_ticker_cancel, rustle_ticker_shut_down};
use rustle::RustleHandle;
use rustle_engines::faults;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// How a call went.
pub(crate) struct Attempt {
    pub(crate) status: RustleStatus,
    /// The text of the record; `None` for the functions that take none, and after a success.
    pub(crate) error: Option<String>,
    /// Whether the call came by the point where the panic was armed.
    pub(crate) met: bool,
}

type Call = fn(point: u32) -> Attempt;

/// Every guarded function by its name in the header.
pub(crate) const CALLS: &[(&str, Call)] = &[
    ("rustle_sink_exercise", sink_exercise),
    ("compute_fft_rust", compute_fft),
    ("free_fft_result_rust", free_fft_result),
    ("rustle_fft_magnitudes", |point| {
        form(point, 33, rustle_fft_magnitudes)
    }),
    ("rustle_fft_power", |point| form(point, 33, rustle_fft_power)),
    ("rustle_fft_decibels", |point| {
        form(point, 33, rustle_fft_decibels)
    }),
    ("rustle_fft_complex", |point| form(point, 66, rustle_fft_complex)),
    ("rustle_spectrum_peaks", spectrum_peaks),
    ("rustle_fft_plan_new", fft_plan_new),
    ("rustle_fft_plan_free", |point| {
        freed(point, new_plan(), rustle_fft_plan_free, free_plan)
    }),
    ("rustle_fft_plan_size", |point| {
        plan_number(point, rustle_fft_plan_size)
    }),
    ("rustle_fft_plan_scratch_length", |point| {
        plan_number(point, rustle_fft_plan_scratch_length)
    }),
    ("rustle_fft_window", fft_window),
    ("rustle_fft_path", fft_path),
    ("rustle_fft_plan_new_on_path", fft_plan_new_on_path),
    ("rustle_fft_plan_path", fft_plan_path),
    ("rustle_fft_inverse_new", fft_inverse_new),
    ("rustle_fft_inverse_free", |point| {
        freed(point, new_inverse(), rustle_fft_inverse_free, free_inverse)
    }),
    ("rustle_fft_inverse_scratch_length", fft_inverse_scratch_length),
    ("rustle_fft_inverse_samples", fft_inverse_samples),
    ("rustle_stft_new", stft_new),
    ("rustle_stft_free", |point| {
        freed(point, new_stft(), rustle_stft_free, free_stft)
    }),
    ("rustle_stft_frame_count", stft_frame_count),
    ("rustle_stft_scratch_length", stft_scratch_length),
    ("rustle_stft_frames", stft_frames),
    ("rustle_stft_stream_new", stft_stream_new),
    ("rustle_stft_stream_free", |point| {
        freed(point, new_stream(), rustle_stft_stream_free, free_stream)
    }),
    ("rustle_stft_stream_push", stft_stream_push),
    ("rustle_stft_stream_finish", stft_stream_finish),
    ("rustle_log_install", log_install),
    ("rustle_log_set_level", log_set_level),
    ("rustle_runtime_new_manual", runtime_new),
    ("rustle_runtime_advance", runtime_advance),
    ("rustle_runtime_free", |point| {
        freed(point, new_runtime(), rustle_runtime_free, free_runtime)
    }),
    ("rustle_session_cancel", session_cancel),
    ("rustle_session_free", session_free),
    ("rustle_ticker_new", ticker_new),
    ("rustle_ticker_start", ticker_start),
    ("rustle_ticker_drain", ticker_drain),
    ("rustle_ticker_cancel", |point| {
        on_ticker(point, rustle_ticker_cancel)
    }),
    ("rustle_ticker_shut_down", |point| {
        on_ticker(point, rustle_ticker_shut_down)
    }),
    ("rustle_ticker_free", ticker_free),
    ("rustle_capture_new", |point| sound::new(point, &CAPTURE)),
    ("rustle_capture_start", |point| sound::start(point, &CAPTURE)),
    ("rustle_capture_drain", |point| {
        sound::drain(point, &CAPTURE, rustle_capture_drain)
    }),
    ("rustle_capture_cancel", |point| {
        sound::on_engine(point, &CAPTURE, rustle_capture_cancel)
    }),
    ("rustle_capture_shut_down", |point| {
        sound::on_engine(point, &CAPTURE, rustle_capture_shut_down)
    }),
    ("rustle_capture_free", |point| sound::free(point, &CAPTURE)),
    ("rustle_playback_new", |point| sound::new(point, &PLAYBACK)),
    ("rustle_playback_start", |point| sound::start(point, &PLAYBACK)),
    ("rustle_playback_drain", |point| {
        sound::drain(point, &PLAYBACK, rustle_playback_drain)
    }),
    ("rustle_playback_cancel", |point| {
        sound::on_engine(point, &PLAYBACK, rustle_playback_cancel)
    }),
    ("rustle_playback_shut_down", |point| {
        sound::on_engine(point, &PLAYBACK, rustle_playback_shut_down)
    }),
    ("rustle_playback_free", |point| sound::free(point, &PLAYBACK)),
    ("rustle_playback_write", playback_write),
    ("rustle_playback_finish", playback_finish),
    ("rustle_sound_devices", sound_devices),
    ("rustle_equalizer_new", equalizer_new),
    ("rustle_equalizer_change", equalizer_change),
    ("rustle_equalizer_set_bypassed", equalizer_set_bypassed),
    ("rustle_equalizer_process", equalizer_process),
    ("rustle_equalizer_reset", equalizer_reset),
    ("rustle_equalizer_free", equalizer_free),
    ("rustle_equalizer_response", equalizer_response),
    ("rustle_equalizer_preamp", equalizer_preamp),
    ("rustle_equalizer_solve", equalizer_solve),
    ("rustle_pitch_new", pitch_new),
    ("rustle_pitch_free", pitch_free),
    ("rustle_pitch_describe", pitch_describe),
    ("rustle_pitch_process", pitch_process),
    ("rustle_pitch_reset", pitch_reset),
    ("rustle_pitch_contour", pitch_contour),
    ("rustle_meter_new", meter_new),
    ("rustle_meter_process", meter_process),
    ("rustle_meter_read", meter_read),
    ("rustle_meter_exceeded", meter_exceeded),
    ("rustle_meter_bands", meter_bands),
    ("rustle_meter_restart", meter_restart),
    ("rustle_meter_free", meter_free),
    ("rustle_voice_new", voice_new),
    ("rustle_voice_describe", voice_describe),
    ("rustle_voice_process", voice_process),
    ("rustle_voice_summary", voice_summary),
    ("rustle_voice_reset", voice_reset),
    ("rustle_voice_free", voice_free),
    ("rustle_voice_formants", voice_formants),
    ("rustle_voice_spectrum", voice_spectrum),
    ("rustle_voice_harmonicity", voice_harmonicity),
    ("rustle_voice_harmonics", voice_harmonics),
    ("rustle_voice_perturbation", voice_perturbation),
    ("rustle_noise_scale", noise_scale),
    ("rustle_feed_new_simulated", feed_new_simulated),
    ("rustle_feed_new_replay", feed_new_replay),
    ("rustle_feed_new_live", feed_new_live),
    ("rustle_feed_new_pushed", feed_new_pushed),
    ("rustle_feed_push", feed_push),
    ("rustle_feed_tell", feed_tell),
    ("rustle_feed_connection", feed_connection),
    ("rustle_feed_wanted", feed_wanted),
    ("rustle_feed_backoff", feed_backoff),
    ("rustle_feed_serve", feed_serve),
    ("rustle_server_address", server_address),
    ("rustle_server_counts", server_counts),
    ("rustle_server_clients", server_clients),
    ("rustle_feed_run", feed_run),
    ("rustle_feed_start_quotes", |point| {
        feed_start(point, Records::Quotes)
    }),
    ("rustle_feed_start_candles", |point| {
        feed_start(point, Records::Candles)
    }),
    ("rustle_feed_start_statistics", |point| {
        feed_start(point, Records::Statistics)
    }),
    ("rustle_feed_start_alerts", |point| {
        feed_start(point, Records::Alerts)
    }),
    ("rustle_feed_start_notices", |point| {
        feed_start(point, Records::Notices)
    }),
    ("rustle_feed_drain_quotes", |point| {
        feed_drain(point, Records::Quotes, 2, rustle_feed_drain_quotes)
    }),
    ("rustle_feed_drain_candles", |point| {
        feed_drain(point, Records::Candles, 1, rustle_feed_drain_candles)
    }),
    ("rustle_feed_drain_statistics", |point| {
        feed_drain(point, Records::Statistics, 2, rustle_feed_drain_statistics)
    }),
    ("rustle_feed_drain_alerts", |point| {
        feed_drain(point, Records::Alerts, 1, rustle_feed_drain_alerts)
    }),
    ("rustle_feed_drain_notices", |point| {
        feed_drain(point, Records::Notices, 1, rustle_feed_drain_notices)
    }),
    ("rustle_feed_subscribe", feed_subscribe),
    ("rustle_feed_symbol", feed_symbol),
    ("rustle_feed_late", feed_late),
    ("rustle_feed_evicted", feed_evicted),
    ("rustle_feed_counts", feed_counts),
    ("rustle_feed_cancel", |point| on_feed(point, rustle_feed_cancel)),
    ("rustle_feed_shut_down", |point| {
        on_feed(point, rustle_feed_shut_down)
    }),
    ("rustle_feed_free", feed_free),
];

pub(crate) type HandleCall = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

/// Makes the call with a panic armed and an error record at hand.
pub(crate) fn attempt(point: u32, call: impl FnOnce(*mut RustleError) -> RustleStatus) -> Attempt {
    let mut record = MaybeUninit::<RustleError>::uninit();
    faults::arm(point);
    let status = call(record.as_mut_ptr());
    let met = !faults::disarm();
    let error = (status != RUSTLE_OK).then(|| {
        // SAFETY: every function that is handed the record writes it when it fails.
        let record = unsafe { record.assume_init_ref() };
        assert_eq!(record.status, status);
        String::from_utf8_lossy(&record.message[..record.message_length as usize]).into_owned()
    });
    Attempt { status, error, met }
}

/// As [`attempt`], for a function that has no status: `call` says whether it did what it is for.
pub(crate) fn bare_attempt(point: u32, call: impl FnOnce() -> bool) -> Attempt {
    faults::arm(point);
    let is_done = call();
    let met = !faults::disarm();
    Attempt {
        status: if is_done { RUSTLE_OK } else { RUSTLE_PANICKED },
        error: None,
        met,
    }
}

/// Frees `object` with a panic armed. A free that panicked left the object alone: it can still be freed.
pub(crate) fn freed(
    point: u32,
    object: Owned,
    call: HandleCall,
    free: fn(RustleHandle) -> RustleStatus,
) -> Attempt {
    let handle = object.handle;
    std::mem::forget(object);
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(handle, error) });
    if attempt.status != RUSTLE_OK {
        assert_eq!(free(handle), RUSTLE_OK, "the panic must leave the object alone");
    }
    attempt
}

/// A call that makes an object: a panic makes none.
pub(crate) fn made(
    point: u32,
    free: fn(RustleHandle) -> RustleStatus,
    call: impl FnOnce(*mut RustleHandle, *mut RustleError) -> RustleStatus,
) -> Attempt {
    let mut handle = 0;
    let attempt = attempt(point, |error| call(&raw mut handle, error));
    let object = Owned::new(handle, free);
    assert_eq!(object.is_some(), attempt.status == RUSTLE_OK);
    attempt
}

extern "C" fn on_record(_: *mut c_void, _: u32, _: *const u8, _: usize, _: *const u8, _: usize) {}

fn log_install(point: u32) -> Attempt {
    let mut attempt = attempt(point, |error| {
        // SAFETY: the function uses no context.
        unsafe { rustle_log_install(Some(on_record), null_mut(), 0, error) }
    });
    // It can be done once in a process; the tests do it often.
    if attempt.status == RUSTLE_WRONG_STATE {
        attempt.status = RUSTLE_OK;
    }
    attempt
}

fn log_set_level(point: u32) -> Attempt {
    // SAFETY: the record is `attempt`'s own.
    attempt(point, |error| unsafe { rustle_log_set_level(0, error) })
}

fn runtime_new(point: u32) -> Attempt {
    made(point, free_runtime, |runtime, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_runtime_new_manual(0, runtime, error) }
    })
}

fn runtime_advance(point: u32) -> Attempt {
    let runtime = new_runtime();
    // SAFETY: the record is `attempt`'s own.
    attempt(point, |error| unsafe {
        rustle_runtime_advance(runtime.handle, 1, error)
    })
}
