//! The calls that must not allocate do not.

use rustle_dsp::{InversePlan, Path, Scale, SpectrumPlan, Symmetry, Window};
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
    let paths = Path::ALL.into_iter().filter(|path| path.is_available());
    for (path, size) in paths.flat_map(|path| [64, 128, 2048, 65_536].map(|size| (path, size))) {
        let plan = SpectrumPlan::on_path(path, size, Window::Hann, Symmetry::Periodic, Scale::Amplitude);
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
        assert_eq!(count, 0, "{size} samples, {path}");
        assert_eq!(results, [Ok(()); 4]);
    }
}

#[test]
fn inverse_does_not_allocate() {
    for size in [64, 2048, 65_536] {
        let plan = InversePlan::new(size).expect("a valid size");
        let bins = noise(2, plan.complex_len());
        let (mut output, mut scratch) = (vec![0.0; size], vec![0.0; plan.scratch_len()]);
        let (count, result) = allocations_in(|| plan.samples(&bins, &mut output, &mut scratch));
        assert_eq!((count, result), (0, Ok(())));
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

#[test]
fn making_a_plan_takes_a_few_allocations_whatever_the_size() {
    for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
        let plan_of =
            |size| move || SpectrumPlan::on_path(path, size, Window::Hann, Symmetry::Periodic, Scale::None);
        for size in [512, 8192, 65_536] {
            let (count, plan) = allocations_in(plan_of(size));
            assert!(plan.is_ok());
            // Tables of roots, weights, positions and points, one of twiddle factors for each pass, and a few that double as they grow.
            assert!(count <= 64, "{size} samples, {path}: {count} allocations");
        }
    }
}
