//! The layout of every record that crosses the boundary, so that the other side can compare it with what it sees.

use crate::equalizer::settings::{RustleEqualizerBand, RustleEqualizerSettings};
use crate::feed::{
    RustleCandle, RustleFeedCounts, RustleFeedNotice, RustleFeedPolicy, RustleFeedSubscription,
    RustleFeedThreshold, RustleFeedWanted, RustleGbmParameters, RustleLiveFeed, RustlePriceAlert,
    RustlePriceStatistics, RustlePushedFeed, RustleQuote, RustleReplayFeed, RustleServerClient,
    RustleServerCounts, RustleSimulatedFeed,
};
use crate::fft::peaks::{RustlePeak, RustlePeakSearch};
use crate::fft::stft::RustleStftConfiguration;
use crate::lane::RustleLaneStatistics;
use crate::meter::{RustleMeterConfiguration, RustleMeterReading, RustleResponsePoint};
use crate::pitch::{RustlePitchConfiguration, RustlePitchDescription, RustlePitchFrame};
use crate::sink::RustleSink;
use crate::slice::RustleString;
use crate::sound::capture::RustleSoundBlock;
use crate::sound::devices::RustleSoundDevice;
use crate::sound::playback::RustlePlaybackProgress;
use crate::sound::RustleSoundConfiguration;
use crate::status::RustleError;
use crate::ticker::{RustlePriceUpdate, RustleTickerConfiguration};
use crate::voice::{
    RustleFormantConfiguration, RustleFormants, RustleHarmonicDifference, RustleHarmonicity,
    RustlePerturbation, RustleSpectrumFeatures, RustleVoiceConfiguration, RustleVoiceDescription,
    RustleVoiceFrame, RustleVoiceSummary,
};
use std::ffi::{c_char, CStr};
use std::mem::{align_of, offset_of, size_of};

/// One line of the layout table: a record as a whole (`field` is NULL, `offset` 0) or one of its fields.
#[repr(C)]
pub struct RustleLayoutEntry {
    /// The record's name: NUL-terminated, static.
    pub record: *const c_char,
    /// The field's name: NUL-terminated, static; NULL for the record itself.
    pub field: *const c_char,
    /// The size of the record in bytes, with its padding; for a field 0.
    pub size: usize,
    /// The alignment of the record in bytes; for a field 0.
    pub alignment: usize,
    /// The field's distance from the record's start in bytes.
    pub offset: usize,
}

// SAFETY: the pointers are to static, constant texts.
unsafe impl Sync for RustleLayoutEntry {}

const fn record(name: &'static CStr, size: usize, alignment: usize) -> RustleLayoutEntry {
    RustleLayoutEntry {
        record: name.as_ptr(),
        field: std::ptr::null(),
        size,
        alignment,
        offset: 0,
    }
}

const fn field(name: &'static CStr, field: &'static CStr, offset: usize) -> RustleLayoutEntry {
    RustleLayoutEntry {
        record: name.as_ptr(),
        field: field.as_ptr(),
        size: 0,
        alignment: 0,
        offset,
    }
}

/// The entries of the records named, each followed by the fields named.
macro_rules! layout {
    ($($record:ident { $($field:ident),+ $(,)? })+) => {
        &[$(
            record(as_c_str(concat!(stringify!($record), "\0")), size_of::<$record>(), align_of::<$record>()),
            $(field(
                as_c_str(concat!(stringify!($record), "\0")),
                as_c_str(concat!(stringify!($field), "\0")),
                offset_of!($record, $field),
            ),)+
        )+]
    };
}

const fn as_c_str(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro adds the one NUL"),
    }
}

static LAYOUT: &[RustleLayoutEntry] = layout! {
    RustleError { status, message_length, message }
    RustleString { data, length }
    RustleSink { context, on_signal, on_release }
    RustleTickerConfiguration { updates_per_second, seed, update_limit, runtime, has_seed, reserved }
    RustlePriceUpdate { price, timestamp_ms, sequence, symbol, gap }
    RustleLaneStatistics { produced, delivered, dropped, waiting, untold }
    RustlePeakSearch { sample_rate, threshold, separation, window, reserved }
    RustlePeak { bin, frequency, amplitude }
    RustleStftConfiguration { size, hop, window, symmetry, scale, padding, form, path }
    RustleSoundConfiguration { device, frame_limit, runtime, sample_rate, channels, period, reserved }
    RustleSoundBlock { sequence, position, lost, overruns, frames, gap, channels, samples }
    RustlePlaybackProgress { sequence, position, played, queued, starved, underruns, gap }
    RustleSoundDevice { name, description, captures, plays }
    RustleEqualizerBand { frequency, gain, q, kind, reserved }
    RustleEqualizerSettings { left, left_count, right, right_count, preamp }
    RustleResponsePoint { frequency, deviation }
    RustleMeterConfiguration {
        sample_rate, offset, channels, channel_count, response, response_count, metered, weighting, time, loudness, bands,
        reserved,
    }
    RustleMeterReading {
        seconds, level, equivalent, highest, lowest, peak, exposure, overloads, momentary, momentary_highest, short_term,
        short_term_highest, integrated, range, true_peak, place, noise_class, reserved,
    }
    RustlePitchConfiguration { sample_rate, lowest, highest, method, window, hop, reserved }
    RustlePitchDescription { lowest, highest, window, hop }
    RustlePitchFrame { sample, frequency, confidence, deviation, inharmonicity, harmonicity, level }
    RustleFormantConfiguration { ceiling, length, order, method }
    RustleVoiceConfiguration { sample_rate, lowest, highest, hop, measures, formants }
    RustleVoiceDescription { window, hop }
    RustleFormants { frequencies, bandwidths, confidence, count, reserved }
    RustleVoiceFrame { sample, pitch, confidence, level, hnr, centroid, formants, is_voiced, reserved }
    RustlePerturbation {
        periods, mean_period, jitter, jitter_rap, jitter_ppq5, shimmer, shimmer_decibels, shimmer_apq3, shimmer_apq5,
    }
    RustleVoiceSummary {
        frames, voiced, median_pitch, mean_pitch, pitch_deviation, mean_confidence, mean_hnr, perturbation,
    }
    RustleSpectrumFeatures { centroid, rolloff, tilt }
    RustleHarmonicity { hnr, frequency, is_voiced, reserved }
    RustleHarmonicDifference { difference, first, second, frequency }
    RustleGbmParameters { price_units, drift, volatility, price_scale, reserved }
    RustleSimulatedFeed {
        symbols, symbol_count, parameters, parameter_count, updates_per_second, seed, update_limit, runtime, model, reserved,
    }
    RustleReplayFeed { path, schema, speed, from_ns, runtime, format, repeats, has_from, reserved }
    RustleLiveFeed {
        address, schema, connecting_ns, silence_ns, base_ns, cap_ns, healthy_ns, runtime, restarts_numbers, subscribes,
    }
    RustlePushedFeed { schema, runtime, message_limit, format, restarts_numbers }
    RustleFeedSubscription { symbols, symbol_count, all, reserved }
    RustleFeedPolicy { kind, reserved, capacity, interval_ns }
    RustleFeedThreshold {
        symbol, level_units, hysteresis_units, direction, level_scale, hysteresis_scale, reserved,
    }
    RustleQuote {
        price_units, size_units, time_ns, sequence, skipped, symbol, gap, price_scale, size_scale, is_out_of_order, reserved,
    }
    RustleCandle {
        start_ns, open_units, high_units, low_units, close_units, volume_units, volume, count, symbol, gap, open_scale,
        high_scale, low_scale, close_scale, volume_scale, is_volume_exact, reserved,
    }
    RustlePriceStatistics {
        time_ns, count, mean, variance, min_units, max_units, first_units, last_units, symbol, gap, min_scale, max_scale,
        first_scale, last_scale, reserved,
    }
    RustlePriceAlert {
        price_units, size_units, time_ns, sequence, threshold, symbol, gap, price_scale, size_scale, reserved,
    }
    RustleFeedNotice { time_ns, count, kind, gap, text_length, failures, text }
    RustleFeedWanted { version, count, length, all, reserved }
    RustleFeedCounts {
        bytes, messages, quotes, malformed, oversized, others, gaps, skipped, duplicates, out_of_order, connections,
        disconnections,
    }
    RustleServerCounts { clients, accepted, refused, bytes, quotes, dropped }
    RustleServerClient { number, since_ns, bytes, lane }
    RustleLayoutEntry { record, field, size, alignment, offset }
};

/// The layout table: `count`, which may be NULL, receives the number of entries. Never NULL, static, not to be freed.
///
/// Thread-safe: yes. Realtime-safe: yes.
///
/// # Safety
/// `count` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_abi_layout(count: *mut usize) -> *const RustleLayoutEntry {
    // SAFETY: `as_mut` tests for NULL; validity is the caller's promise.
    if let Some(count) = unsafe { count.as_mut() } {
        *count = LAYOUT.len();
    }
    LAYOUT.as_ptr()
}
