//! The equalizer's effect on sound.

use rustle_dsp::InstructionSet;
use rustle_dsp::biquad::{Biquad, BiquadState};
use rustle_dsp::equalizer::{Band, CENTRES, Equalizer, EqualizerError, Ramp, Settings};
use rustle_testkit::{CountingAllocator, allocations_in, noise};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const RATE: f64 = 48_000.0;

/// Gains of all sizes, other ones on the right.
fn gains() -> [f64; 28] {
    std::array::from_fn(|index| f64::from((index as i32 * 7) % 25 - 12))
}

fn ramp(from: &Settings, to: &Settings) -> Ramp {
    Ramp::new(from, to, CENTRES.len(), RATE).expect("settings in range")
}

/// An equalizer that has arrived at `settings`, without sound so far.
fn equalizer(channels: usize, settings: &Settings) -> Equalizer {
    let mut equalizer = Equalizer::new(channels, CENTRES.len()).expect("valid channels");
    assert!(equalizer.change(ramp(&Settings::default(), settings)).is_ok());
    equalizer.reset();
    assert!(!equalizer.is_changing());
    equalizer
}

fn process(equalizer: &mut Equalizer, input: &[f32]) -> Vec<f32> {
    let mut block = input.to_vec();
    equalizer.process(&mut block).expect("whole frames");
    block
}

/// One channel of interleaved sound.
fn channel(sound: &[f32], channel: usize) -> Vec<f32> {
    sound.iter().copied().skip(channel).step_by(2).collect()
}

#[test]
fn cascade_is_one_filter_after_the_other() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    let input = noise(1, 2 * 5000);
    let output = process(&mut equalizer(2, &settings), &input);
    for (index, bands) in [&settings.left, &settings.right].into_iter().enumerate() {
        let mut filters: Vec<_> = bands
            .iter()
            .map(|band| (band.filter(RATE), BiquadState::default()))
            .collect();
        for (n, (input, output)) in channel(&input, index)
            .into_iter()
            .zip(channel(&output, index))
            .enumerate()
        {
            let expected = filters
                .iter_mut()
                .fold(f64::from(input), |value, (filter, state)| {
                    state.process(filter, value)
                });
            let error = (f64::from(output) - expected).abs();
            assert!(
                error <= 3e-7 * (1.0 + expected.abs()),
                "frame {n}: {output} {expected}"
            );
        }
    }
}

/// One section on one sample, in the order of the kernels: with one rounding for a product-sum, or with two.
fn section(filter: &Biquad, [first, second]: &mut [f64; 2], input: f64, fused: bool) -> f64 {
    let plus = |a: f64, b: f64, c: f64| if fused { a.mul_add(b, c) } else { a * b + c };
    let output = plus(input, filter.b0, *first);
    *first = plus(-output, filter.a1, plus(input, filter.b1, *second));
    *second = plus(-output, filter.a2, input * filter.b2);
    output
}

type Make = fn(usize, usize) -> Result<Equalizer, EqualizerError>;

#[test]
fn wavefront_has_the_bits_of_one_section_after_the_other() {
    let fused = InstructionSet::Avx2.is_available();
    for (make, fused) in [
        (Equalizer::new as Make, fused),
        (Equalizer::without_vectors, false),
    ] {
        for bands in 1..=14 {
            let band = |index: usize| Band::peaking(60.0 + 700.0 * index as f64, 5.0 - index as f64, 1.0);
            let settings = Settings {
                left: (0..bands).map(band).collect(),
                right: (0..bands).rev().map(band).collect(),
                preamp: 0.0,
            };
            let input = noise(20, 2 * 1500);
            let mut expected = Vec::new();
            let mut filters = [&settings.left, &settings.right].map(|bands| {
                let filters = bands.iter().map(|band| (band.filter(RATE), [0.0; 2]));
                filters.collect::<Vec<_>>()
            });
            for frame in input.as_chunks::<2>().0 {
                for (sample, filters) in frame.iter().zip(&mut filters) {
                    let each = filters.iter_mut();
                    let output = each.fold(f64::from(*sample), |value, (filter, sums)| {
                        section(filter, sums, value, fused)
                    });
                    expected.push((output as f32).to_bits());
                }
            }
            for frames in [1, 2, 3, 14, 15, 29, 512, 1500] {
                let mut equalizer = make(2, bands).expect("valid channels");
                let change = Ramp::new(&Settings::default(), &settings, bands, RATE);
                assert!(equalizer.change(change.expect("settings in range")).is_ok());
                equalizer.reset();
                let blocks = input.chunks(2 * frames);
                let output = blocks.flat_map(|block| process(&mut equalizer, block));
                let output: Vec<u32> = output.map(f32::to_bits).collect();
                assert_eq!(output, expected, "{bands} bands, blocks of {frames}");
            }
        }
    }
}

#[test]
fn output_of_more_bands_than_a_pass_has_does_not_depend_on_the_blocks() {
    for bands in [15, 28, 29, 64] {
        let band = |index: usize| Band::peaking(40.0 + 300.0 * index as f64, 1.0, 0.5);
        let settings = Settings {
            left: (0..bands).map(band).collect(),
            ..Settings::default()
        };
        let input = noise(21, 2 * 700);
        let in_blocks_of = |frames: usize| -> Vec<f32> {
            let mut equalizer = Equalizer::new(2, bands).expect("valid channels");
            let change = Ramp::new(&Settings::default(), &settings, bands, RATE);
            assert!(equalizer.change(change.expect("settings in range")).is_ok());
            let blocks = input.chunks(2 * frames);
            blocks.flat_map(|block| process(&mut equalizer, block)).collect()
        };
        let one_by_one = in_blocks_of(1);
        for frames in [2, 13, 64, 700] {
            assert_eq!(
                in_blocks_of(frames),
                one_by_one,
                "{bands} bands, blocks of {frames}"
            );
        }
    }
}

/// The analog peaking filter that a band stands for: (s^2 + s A / Q + 1) / (s^2 + s / (A Q) + 1) with A^2 the gain and
/// Q = 2^(N/2) / (2^N - 1), at s = i `ratio`; in dB.
fn analog(ratio: f64, gain: f64, octaves: f64) -> f64 {
    let (a, q) = (
        10f64.powf(gain / 40.0),
        2f64.powf(octaves / 2.0) / (2f64.powf(octaves) - 1.0),
    );
    let power = |slope: f64| (1.0 - ratio * ratio).powi(2) + (slope * ratio).powi(2);
    10.0 * (power(a / q) / power(1.0 / (a * q))).log10()
}

#[test]
fn each_slider_follows_the_analog_curve() {
    for rate in [44_100.0, 48_000.0] {
        for octaves in [1.0, 5.0] {
            let (mut worst, mut worst_centre): (f64, f64) = (0.0, 0.0);
            for (index, centre) in CENTRES.iter().enumerate() {
                for gain in [-12.0, -3.0, 6.0, 12.0] {
                    let mut gains = [0.0; 28];
                    gains[index + 14] = gain;
                    let settings = Settings::graphic(&gains, octaves, rate);
                    let error = |frequency: f64| {
                        let [left, right] = settings.decibels(frequency, rate);
                        assert_eq!(left, 0.0);
                        (right - analog(frequency / centre, gain, octaves)).abs()
                    };
                    for k in 0..=600 {
                        worst = worst.max(error(5.0 * 4000f64.powf(f64::from(k) / 600.0)));
                    }
                    worst_centre = worst_centre.max(error(*centre));
                }
            }
            println!("{octaves} octaves at {rate} Hz: {worst:.3} dB, in the centre {worst_centre:.6} dB");
            assert!(
                worst <= 0.25 && worst_centre <= 0.001,
                "{worst} dB, {worst_centre} dB"
            );
        }
    }
}

#[test]
fn output_does_not_depend_on_the_blocks() {
    let (from, to) = (
        Settings::graphic(&gains(), 1.0, RATE),
        Settings::graphic(&gains().map(|gain| -0.5 * gain), 1.0, RATE),
    );
    let input = noise(2, 2 * 6000);
    for channels in [1, 2] {
        let in_blocks_of = |frames: usize| -> Vec<u32> {
            let mut equalizer = equalizer(channels, &from);
            let mut output = Vec::new();
            for (index, block) in input.chunks(frames * channels).enumerate() {
                // The change begins after 960 frames, a multiple of all lengths but the last.
                if index * frames == 960 || (frames == 6000 && index == 0) {
                    assert!(equalizer.change(ramp(&from, &to)).is_ok());
                }
                output.extend(process(&mut equalizer, block));
            }
            output.into_iter().map(f32::to_bits).collect()
        };
        let one_by_one = in_blocks_of(1);
        for frames in [2, 3, 5, 16, 32, 64, 96, 480, 960] {
            assert_eq!(
                in_blocks_of(frames),
                one_by_one,
                "{channels} channels, blocks of {frames}"
            );
        }
    }
}

#[test]
fn without_gains_every_bit_passes() {
    let flat = Settings::graphic(&[0.0; 28], 1.0, RATE);
    let mut input = noise(3, 4096);
    input[7] = f32::NAN;
    input[8] = -0.0;
    input[9] = f32::MIN_POSITIVE / 8.0;
    for settings in [Settings::default(), flat] {
        let output = process(&mut equalizer(2, &settings), &input);
        assert!(input.iter().zip(&output).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn every_bit_passes_again_after_the_gains_are_gone() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    let mut equalizer = equalizer(2, &settings);
    process(&mut equalizer, &noise(4, 2 * 4800));
    assert!(equalizer.change(ramp(&settings, &Settings::default())).is_ok());
    // The bands of 8 Hz ring for seconds.
    process(&mut equalizer, &vec![0.0; 2 * 480_000]);
    let mut input = noise(5, 4096);
    input[100] = f32::MIN_POSITIVE / 8.0;
    assert_eq!(process(&mut equalizer, &input), input);
}

#[test]
fn channels_do_not_hear_each_other() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    let mut input = noise(6, 2 * 9600);
    let both = process(&mut equalizer(2, &settings), &input);
    input.iter_mut().skip(1).step_by(2).for_each(|right| *right = 0.0);
    let left = process(&mut equalizer(2, &settings), &input);
    assert_eq!(channel(&left, 0), channel(&both, 0));
    assert!(channel(&left, 1).iter().all(|sample| *sample == 0.0));
    let mono = process(&mut equalizer(1, &settings), &channel(&input, 0));
    assert_eq!(mono, channel(&both, 0));
}

/// The level in dB of what is left of `sound` after the best sine of `frequency` Hz is taken away, against that sine.
fn distortion(sound: &[f32], frequency: f64) -> f64 {
    let (mut cosines, mut sines) = (0.0, 0.0);
    let angle = |n: usize| std::f64::consts::TAU * frequency * n as f64 / RATE;
    for (n, sample) in sound.iter().enumerate() {
        cosines += 2.0 * f64::from(*sample) * angle(n).cos() / sound.len() as f64;
        sines += 2.0 * f64::from(*sample) * angle(n).sin() / sound.len() as f64;
    }
    let rest: f64 = sound
        .iter()
        .enumerate()
        .map(|(n, sample)| (f64::from(*sample) - cosines * angle(n).cos() - sines * angle(n).sin()).powi(2))
        .sum();
    10.0 * (rest / sound.len() as f64 / (0.5 * (cosines * cosines + sines * sines))).log10()
}

#[test]
fn tone_stays_clean() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    // A whole number of periods in a second; the first seconds are for the lowest bands to settle.
    let tone: Vec<f32> = (0..4 * 48_000)
        .map(|n| (0.25 * (std::f64::consts::TAU * 997.0 * f64::from(n) / RATE).sin()) as f32)
        .collect();
    let output = process(&mut equalizer(1, &settings), &tone);
    let (before, after) = (
        distortion(&tone[3 * 48_000..], 997.0),
        distortion(&output[3 * 48_000..], 997.0),
    );
    println!("THD+N: {after:.1} dB, of the input {before:.1} dB");
    assert!(after <= -140.0, "{after} dB");
}

/// The energy of `sound` further than 500 Hz from `frequency` Hz, against all of it, in dB. `sound` has 2^n samples.
fn splatter(sound: &[f32], frequency: f64) -> f64 {
    use rustle_dsp::{Normalization, SpectrumPlan, Symmetry, Window};
    let plan = SpectrumPlan::new(
        sound.len(),
        Window::Blackman,
        Symmetry::Periodic,
        Normalization::None,
    )
    .expect("a size");
    let mut powers = vec![0.0; plan.bins()];
    let mut scratch = vec![0.0; plan.scratch_len()];
    plan.power(sound, &mut powers, &mut scratch)
        .expect("matching lengths");
    let away = |bin: usize| (bin as f64 * RATE / sound.len() as f64 - frequency).abs() > 500.0;
    let sum = |far: bool| -> f64 {
        let bins = powers.iter().enumerate().filter(|(bin, _)| !far || away(*bin));
        bins.map(|(_, power)| f64::from(*power)).sum()
    };
    10.0 * (sum(true) / sum(false)).log10()
}

#[test]
fn change_of_a_gain_makes_no_noise() {
    let with = |gain: f64| Settings {
        left: CENTRES
            .iter()
            .map(|f| Band::peaking(*f, if *f == 1024.0 { gain } else { 0.0 }, 1.0))
            .collect(),
        ..Settings::default()
    };
    let tone: Vec<f32> = (0..16_384)
        .map(|n| (0.2 * (std::f64::consts::TAU * 1024.0 * f64::from(n) / RATE).sin()) as f32)
        .collect();
    for (from, to) in [(0.0, 12.0), (12.0, 0.0), (-12.0, 12.0), (3.0, 3.5)] {
        let (from, to) = (with(from), with(to));
        let mut equalizer = equalizer(1, &from);
        process(&mut equalizer, &tone[..4096 - 375]);
        // The tone has a period of 46.875 samples: 375 are eight of them.
        let mut output = process(&mut equalizer, &tone[375..][..6000]);
        assert!(equalizer.change(ramp(&from, &to)).is_ok());
        output.extend(process(&mut equalizer, &tone[375..][..16_384 - 6000]));
        assert!(!equalizer.is_changing());
        let level = splatter(&output, 1024.0);
        println!(
            "{:?} to {:?} dB: {level:.1} dBc",
            from.left[7].gain, to.left[7].gain
        );
        assert!(level <= -90.0, "{level} dBc");
    }
}

#[test]
fn spoiled_sound_heals() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    let mut equalizer = equalizer(2, &settings);
    let mut input = noise(7, 2 * 2048);
    input[100] = f32::NAN;
    input[301] = f32::INFINITY;
    process(&mut equalizer, &input);
    let output = process(&mut equalizer, &noise(8, 2 * 2048));
    assert!(output.iter().all(|sample| sample.is_finite()));
}

#[test]
fn ramp_is_refused_while_another_is_under_way_or_of_another_size() {
    let settings = Settings::graphic(&gains(), 1.0, RATE);
    let mut equalizer = equalizer(2, &settings);
    assert!(equalizer.change(ramp(&settings, &Settings::default())).is_ok());
    assert!(equalizer.change(ramp(&Settings::default(), &settings)).is_err());
    process(&mut equalizer, &vec![0.0; 2 * 4000]);
    let other = Ramp::new(&Settings::default(), &Settings::default(), 20, RATE).expect("settings in range");
    assert!(equalizer.change(other).is_err());
    assert!(
        equalizer
            .change(ramp(&Settings::default(), &settings))
            .is_ok_and(|old| old.is_some())
    );
    assert!(equalizer.process(&mut [0.0; 3]).is_err());
}

#[test]
fn audio_thread_allocates_nothing() {
    let (from, to) = (Settings::default(), Settings::graphic(&gains(), 1.0, RATE));
    let mut equalizer = Equalizer::new(2, CENTRES.len()).expect("valid channels");
    let change = ramp(&from, &to);
    let mut block = noise(9, 2 * 4096);
    let (made, _) = allocations_in(|| vec![0u8; 100]);
    assert_eq!(made, 1);
    let (made, old) = allocations_in(|| {
        let old = equalizer.change(change);
        assert_eq!(equalizer.process(&mut block), Ok(()));
        equalizer.reset();
        old
    });
    assert!(old.is_ok());
    assert_eq!(made, 0);
}
