//! Frames of more than one note, and of one that is not to be taken for more.

use super::{RATE, WINDOW, default, sum};
use rustle_dsp::pitch::{PitchConfiguration, PitchEstimate, PitchEstimator, estimator};
use rustle_testkit::{Tone, normal_noise, sine};

/// Semitones above the lowest note of chords whose notes are not an octave or a twelfth apart.
const CHORDS: [&[i32]; 12] = [
    &[2],
    &[3],
    &[4],
    &[5],
    &[6],
    &[7],
    &[9],
    &[16],
    &[4, 7],
    &[3, 7],
    &[3, 8],
    &[5, 9],
];

/// Equal notes of `partials` partials: the lowest of `frequency`, and those `above` it.
fn chord(frequency: f64, above: &[i32], partials: usize) -> Vec<f32> {
    let note = |semitones: i32| {
        let frequency = frequency * 2_f64.powf(f64::from(semitones) / 12.0);
        Tone::stack(frequency, partials, 0.2, RATE).samples(WINDOW, 0.4 + f64::from(semitones))
    };
    above
        .iter()
        .fold(note(0), |notes, &semitones| sum(&notes, &note(semitones)))
}

fn estimate(pitch: &mut dyn PitchEstimator, frame: &[f32]) -> PitchEstimate {
    pitch.estimate(frame).expect("a frame")
}

#[test]
fn major_triad_of_sines_is_not_a_sure_pitch() {
    let found = estimate(&mut *default(), &chord(261.63, &[4, 7], 1));
    assert!(found.polyphonic && found.confidence < 0.1, "{found:?}");
}

#[test]
fn chord_where_one_note_is_expected_is_a_sure_root() {
    let configuration = PitchConfiguration {
        several: false,
        frame_length: Some(WINDOW),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    let mut one = estimator(&configuration).expect("valid");
    let found = estimate(&mut *one, &chord(261.63, &[4, 7], 1));
    assert!(!found.polyphonic && found.confidence > 0.9, "{found:?}");
}

#[test]
fn chords_are_more_than_one_note() {
    let mut pitch = default();
    for partials in [1, 12] {
        let (mut flagged, mut sure, mut count) = (0, 0, 0);
        for above in CHORDS {
            // C3 to B5.
            for step in 0..18 {
                let frequency = 130.8 * 2_f64.powf(f64::from(step) / 6.0);
                let found = estimate(&mut *pitch, &chord(frequency, above, partials));
                flagged += u32::from(found.polyphonic);
                sure += u32::from(found.confidence >= 0.9);
                count += 1;
            }
        }
        assert!(
            flagged * 100 >= count * 93 && sure * 100 <= count * 5,
            "{partials} partials: {flagged} flagged, {sure} sure of {count}"
        );
    }
}

#[test]
fn one_note_is_one() {
    let mut pitch = default();
    for step in 0..40 {
        let frequency = 55.0 * 2_f64.powf(f64::from(step) / 8.0);
        let phase = 0.3 * f64::from(step);
        let full = Tone::stack(frequency, 24, 0.2, RATE);
        let mut missing = Tone::stack(frequency, 12, 0.2, RATE);
        missing.amplitudes[0] = 0.0;
        let mut odd = full.clone();
        odd.amplitudes
            .iter_mut()
            .skip(1)
            .step_by(2)
            .for_each(|a| *a *= 0.03);
        let mut stiff = full.clone();
        stiff.inharmonicity = 5e-4;
        let sine_ = Tone::stack(frequency, 1, 0.2, RATE);
        let power = full.power();
        for (name, frame) in [
            ("full", full.samples(WINDOW, phase)),
            ("missing", missing.samples(WINDOW, phase)),
            ("odd", odd.samples(WINDOW, phase)),
            ("stiff", stiff.samples(WINDOW, phase)),
            ("sine", sine_.samples(WINDOW, phase)),
            (
                "in noise",
                sum(&full.samples(WINDOW, phase), &normal_noise(step, WINDOW, power)),
            ),
            // 20 dB below.
            (
                "beside hum",
                sum(
                    &full.samples(WINDOW, phase),
                    &sine(WINDOW, 50.0, RATE, (0.02 * power).sqrt(), phase),
                ),
            ),
        ] {
            let found = estimate(&mut *pitch, &frame);
            assert!(!found.polyphonic, "{name}, {frequency} Hz: {found:?}");
        }
        // The octave and the twelfth are partials of the lowest note.
        for above in [12, 19] {
            let frame = chord(frequency, &[above], 12);
            assert!(
                !estimate(&mut *pitch, &frame).polyphonic,
                "{frequency} Hz, {above}"
            );
        }
    }
}
