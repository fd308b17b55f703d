//! Records of another size than the archive's, and memory that a call can neither read nor write as it stands.

use crate::alone;
use crate::interface::{Arguments, Choose, What, World, CALLS};
use rustle::equalizer::{RustleEqualizerBand, RustleEqualizerSettings};
use rustle::lent::Lent;
use rustle::status::{RustleStatus, RUSTLE_INVALID_VALUE, RUSTLE_OK, RUSTLE_RECORD_SIZE};
use rustle::{rustle_equalizer_preamp_sized, rustle_equalizer_response_sized};
use std::ptr::null_mut;

/// The examples, but for the size of one record, which comes after so many others.
struct Stale(usize);

impl Choose for Stale {
    fn size(&mut self, size: usize) -> usize {
        let is_stale = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        size + if is_stale { 8 } else { 0 }
    }
}

/// The examples, but for one pointer, likewise.
struct Crooked(usize);

impl Choose for Crooked {
    fn is_misaligned(&mut self) -> bool {
        self.0 = self.0.wrapping_sub(1);
        self.0 == usize::MAX
    }
}

#[test]
fn record_of_another_size_is_refused_with_both_sizes_and_nothing_is_written() {
    let _alone = alone();
    let mut refused = 0;
    for call in CALLS {
        let sizes = call.parameters.iter().map(|parameter| parameter.size);
        for (place, size) in sizes.filter(|size| *size > 0).enumerate() {
            let mut world = World::new();
            let arguments = Arguments::new(call, &mut Stale(place), &mut world);
            let (status, text) = world.run(call, &arguments);
            let both = format!(": expected a record of {size} bytes, got {}", size + 8);
            assert_eq!(status, RUSTLE_RECORD_SIZE, "{}: {text}", call.name);
            assert!(text.ends_with(&both), "{}: {text}", call.name);
            assert!(arguments.is_untouched(), "{} failed and wrote", call.name);
            refused += 1;
        }
    }
    assert_eq!(World::unreleased(), 0);
    assert!(refused > 60, "{refused} refused");
}

#[test]
fn misaligned_pointer_to_a_record_or_a_number_is_refused_and_nothing_is_written() {
    let _alone = alone();
    let mut refused = 0;
    for call in CALLS {
        for place in 0.. {
            let mut world = World::new();
            let mut crooked = Crooked(place);
            let arguments = Arguments::new(call, &mut crooked, &mut world);
            if crooked.0 < usize::MAX / 2 {
                break;
            }
            let (status, text) = world.run(call, &arguments);
            if status == RUSTLE_OK
                && call
                    .parameters
                    .iter()
                    .any(|parameter| matches!(parameter.what, What::In(..)))
            {
                // A list in a record that is not read.
                continue;
            }
            assert_eq!(
                status, RUSTLE_INVALID_VALUE,
                "{}, pointer {place}: {text}",
                call.name
            );
            assert!(arguments.is_untouched(), "{} failed and wrote", call.name);
            refused += 1;
        }
    }
    assert_eq!(World::unreleased(), 0);
    assert!(refused > 120, "{refused} refused");
}

/// What the preamplification and the curves of settings whose bands are at `bands` end with, when the result goes to `left`.
fn response(bands: *const f64, left: *mut f64) -> RustleStatus {
    // SAFETY: the bands can be read for as long as the settings are there.
    let list = || unsafe { Lent::new(bands.cast::<RustleEqualizerBand>()) };
    let settings = RustleEqualizerSettings {
        left: list(),
        left_count: 1,
        // Lists that are read may be the same.
        right: list(),
        right_count: 1,
        preamp: 0.0,
    };
    let (size, frequency, mut right) = (size_of_val(&settings), 1_000.0, 0.0);
    // SAFETY: `left` has one place, in memory of the test's that nobody else uses; or the call is refused.
    let preamp =
        unsafe { rustle_equalizer_preamp_sized(&raw const settings, size, 48_000.0, left, null_mut()) };
    // SAFETY: as above.
    let response = unsafe {
        rustle_equalizer_response_sized(
            &raw const settings,
            size,
            48_000.0,
            &raw const frequency,
            1,
            left,
            1,
            &raw mut right,
            1,
            null_mut(),
        )
    };
    assert_eq!(preamp, response);
    response
}

#[test]
fn result_in_memory_that_a_record_lends_or_at_an_odd_address_is_refused() {
    // A band of 1,000 Hz, 6 dB and quality 1, and room for a curve.
    let mut memory = [1_000.0, 6.0, 1.0, 0.0, 0.0, 0.0];
    let start = memory.as_mut_ptr();
    assert_eq!(response(start, start.wrapping_add(4)), RUSTLE_OK);
    assert_eq!(response(start, start.wrapping_add(1)), RUSTLE_INVALID_VALUE);
    assert_eq!(response(start, start.wrapping_byte_add(33)), RUSTLE_INVALID_VALUE);
    assert_eq!(memory[..4], [1_000.0, 6.0, 1.0, 0.0]);
}
