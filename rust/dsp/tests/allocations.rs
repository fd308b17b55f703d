//! The calls that must not allocate do not.

use rustle_dsp::{Scale, SpectrumPlan, Symmetry, Window};
use rustle_testkit::{CountingAllocator, allocations_in, noise};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn counter_counts() {
    let (count, _) = allocations_in(|| vec![1_u8; 100]);
    assert_eq!(count, 1);
}

#[test]
fn no_form_of_a_spectrum_allocates() {
    for size in [64, 128, 2048, 65_536] {
        let plan = SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, Scale::Amplitude);
        let plan = plan.expect("a valid size");
        let input = noise(1, size);
        let mut scratch = vec![0.0; plan.scratch_len()];
        let mut bins = vec![0.0; plan.bins()];
        let mut complex = vec![0.0; 2 * plan.bins()];
        let (count, results) = allocations_in(|| {
            [
                plan.magnitudes(&input, &mut bins, &mut scratch),
                plan.power(&input, &mut bins, &mut scratch),
                plan.decibels(&input, &mut bins, &mut scratch),
                plan.complex(&input, &mut complex, &mut scratch),
            ]
        });
        assert_eq!(count, 0, "{size} samples");
        assert_eq!(results, [Ok(()); 4]);
    }
}

#[test]
fn refused_call_does_not_allocate_either() {
    let plan = SpectrumPlan::new(256, Window::Hann, Symmetry::Periodic, Scale::None);
    let plan = plan.expect("a valid size");
    let (count, result) = allocations_in(|| plan.magnitudes(&[], &mut [], &mut []));
    assert_eq!(count, 0);
    assert!(result.is_err());
}
