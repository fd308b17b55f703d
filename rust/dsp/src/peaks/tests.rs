use super::*;
use crate::{Normalization, SpectrumPlan, Symmetry};
use rustle_testkit::{noise, sine};

/// The root of the mean power of overlapping frames (hop N/2), as amplitudes.
fn averaged(signal: &[f32], window: Window, size: usize) -> Vec<f32> {
    let plan =
        SpectrumPlan::new(size, window, Symmetry::Periodic, Normalization::Amplitude).expect("a valid size");
    let mut mean = vec![0.0_f64; plan.bins()];
    let mut power = vec![0.0; plan.bins()];
    let mut scratch = vec![0.0; plan.scratch_len()];
    let frames = (signal.len() - size) / (size / 2) + 1;
    for frame in 0..frames {
        let input = &signal[frame * size / 2..][..size];
        plan.power(input, &mut power, &mut scratch)
            .expect("matching lengths");
        for (mean, power) in mean.iter_mut().zip(&power) {
            *mean += f64::from(*power) / frames as f64;
        }
    }
    mean.into_iter().map(|mean| mean.sqrt() as f32).collect()
}

fn search(amplitudes: &[f32], search: PeakSearch) -> Vec<Peak> {
    let mut peaks = [Peak::default(); 32];
    let count = find_peaks(amplitudes, &search, &mut peaks).expect("a valid search");
    peaks[..count].to_vec()
}

fn mix(parts: &[Vec<f32>]) -> Vec<f32> {
    (0..parts[0].len())
        .map(|n| parts.iter().map(|part| part[n]).sum())
        .collect()
}

#[test]
fn sine_of_1_khz_at_48_khz_is_found_within_a_millihertz() {
    let signal = sine(48_000, 1000.0, 48_000.0, 0.5, 0.3);
    let peaks = search(
        &averaged(&signal, Window::Hann, 4096),
        PeakSearch::new(Window::Hann, 48_000.0),
    );
    assert!(
        (peaks[0].frequency - 1000.0).abs() < 1e-3,
        "{} Hz",
        peaks[0].frequency
    );
    assert!((peaks[0].amplitude - 0.5).abs() < 1e-5, "{}", peaks[0].amplitude);
}

#[test]
fn every_window_places_any_sine_within_a_hundredth_of_a_bin() {
    for window in Window::ALL {
        for tenth in 0..10 {
            let bin = 100.0 + f64::from(tenth) / 10.0;
            let signal = sine(8192, bin, 1024.0, 0.8, 1.0);
            let peaks = search(&averaged(&signal, window, 1024), PeakSearch::new(window, 1024.0));
            assert!(
                (peaks[0].bin - bin).abs() < 1e-2,
                "{window:?} at {bin}: {}",
                peaks[0].bin
            );
            assert!(
                (peaks[0].amplitude - 0.8).abs() < 1e-2,
                "{window:?} at {bin}: {}",
                peaks[0].amplitude
            );
        }
    }
}

#[test]
fn sine_10_bins_from_the_ends_is_placed_within_a_ten_thousandth_of_a_bin() {
    for window in [Window::Hann, Window::Blackman] {
        for step in 0..40 {
            let offset = 10.0 + f64::from(step % 10) / 10.0;
            let bin = if step % 20 < 10 { offset } else { 512.0 - offset };
            // One frame: nothing is averaged out.
            let signal = sine(1024, bin, 1024.0, 1.0, f64::from(step));
            let peaks = search(&averaged(&signal, window, 1024), PeakSearch::new(window, 1024.0));
            let error = (peaks[0].bin - bin).abs();
            assert!(error < 1e-4, "{window:?} at {bin}: {error:e}");
        }
    }
}

#[test]
fn side_lobes_are_no_peaks() {
    let signal = sine(16_384, 200.5, 4096.0, 1.0, 0.0);
    for window in Window::ALL {
        let mut settings = PeakSearch::new(window, 4096.0);
        settings.threshold = 1e-5;
        let peaks = search(&averaged(&signal, window, 4096), settings);
        assert_eq!(peaks.len(), 1, "{window:?}: {peaks:?}");
    }
}

#[test]
fn peaks_come_strongest_first_and_above_the_threshold() {
    let signal = mix(&[
        sine(16_384, 440.0, 8000.0, 0.1, 0.0),
        sine(16_384, 1000.0, 8000.0, 0.5, 1.0),
        sine(16_384, 2500.0, 8000.0, 0.01, 2.0),
        sine(16_384, 3000.0, 8000.0, 0.0001, 2.0),
    ]);
    let mut settings = PeakSearch::new(Window::Hann, 8000.0);
    settings.threshold = 0.001;
    let peaks = search(&averaged(&signal, Window::Hann, 2048), settings);
    let rounded: Vec<f64> = peaks.iter().map(|peak| peak.frequency.round()).collect();
    assert_eq!(rounded, [1000.0, 440.0, 2500.0]);
}

#[test]
fn nearer_neighbours_than_the_separation_are_left_out() {
    let signal = mix(&[
        sine(16_384, 1000.0, 8000.0, 0.5, 0.0),
        sine(16_384, 1040.0, 8000.0, 0.4, 1.0),
    ]);
    let amplitudes = averaged(&signal, Window::Hann, 2048);
    let mut settings = PeakSearch::new(Window::Hann, 8000.0);
    settings.threshold = 0.1;
    assert_eq!(search(&amplitudes, settings).len(), 2, "10 bins apart");
    settings.separation = 12.0;
    assert_eq!(search(&amplitudes, settings).len(), 1);
}

#[test]
fn constant_part_is_no_peak() {
    for window in Window::ALL {
        let amplitudes = averaged(&vec![0.5; 4096], window, 1024);
        let mut settings = PeakSearch::new(window, 48_000.0);
        settings.threshold = 1e-6;
        assert_eq!(search(&amplitudes, settings), [], "{window:?}");
    }
}

#[test]
fn silence_and_broken_bins_have_no_peaks() {
    let settings = PeakSearch::new(Window::Hann, 48_000.0);
    assert_eq!(search(&[0.0; 513], settings), []);
    assert_eq!(search(&[f32::NAN; 513], settings), []);
    let mut spectrum = [0.0; 513];
    spectrum[7] = f32::INFINITY;
    assert_eq!(search(&spectrum, settings), []);
}

#[test]
fn search_stops_when_the_output_is_full() {
    let amplitudes = averaged(&noise(5, 8192), Window::Hann, 1024);
    let settings = PeakSearch::new(Window::Hann, 48_000.0);
    let mut few = [Peak::default(); 3];
    assert_eq!(find_peaks(&amplitudes, &settings, &mut few), Ok(3));
    assert_eq!(find_peaks(&amplitudes, &settings, &mut []), Ok(0));
}

#[test]
fn arguments_out_of_range_are_refused() {
    let good = PeakSearch::new(Window::Hann, 48_000.0);
    for got in [0, 1, 32, 128, 130, 131_073] {
        let result = find_peaks(&vec![0.0; got], &good, &mut []);
        assert_eq!(result, Err(DspError::SpectrumLength { got }));
    }
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let result = find_peaks(&[0.0; 129], &PeakSearch::new(Window::Hann, rate), &mut []);
        assert!(matches!(result, Err(DspError::SampleRate { .. })), "{rate}");
    }
    for bad in [-1.0, f64::NAN] {
        let threshold = PeakSearch {
            threshold: bad,
            ..good
        };
        let separation = PeakSearch {
            separation: bad,
            ..good
        };
        let result = find_peaks(&[0.0; 129], &threshold, &mut []);
        assert!(matches!(result, Err(DspError::Threshold { .. })), "{bad}");
        let result = find_peaks(&[0.0; 129], &separation, &mut []);
        assert!(matches!(result, Err(DspError::Separation { .. })), "{bad}");
    }
}
