//! Short-time spectra: numpy's results, whole and in pieces, and back.

use rustle_dsp::{
    DspError, InverseStft, Normalization, Output, Padding, Progress, SpectrumPlan, StftPlan, StftStream,
    Symmetry, Window,
};
use rustle_testkit::{noise, relative_l2, vector_file};
use std::error::Error;
use std::sync::Arc;

type TestResult = Result<(), Box<dyn Error>>;

const PADDINGS: [Padding; 3] = [Padding::None, Padding::Zero, Padding::Reflect];

fn spectrum(size: usize, scale: Normalization) -> Result<SpectrumPlan, DspError> {
    SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, scale)
}

fn plan(size: usize, hop: usize, padding: Padding, form: Output) -> Result<StftPlan, DspError> {
    StftPlan::new(spectrum(size, Normalization::None)?, hop, padding, form)
}

/// Every frame of a signal.
fn frames(plan: &StftPlan, signal: &[f32]) -> Result<Vec<f32>, DspError> {
    let count = plan.frame_count(signal.len());
    let mut rows = vec![f32::NAN; count * plan.row_len()];
    let written = plan.frames(signal, 0, &mut rows, &mut vec![f32::NAN; plan.scratch_len()])?;
    assert_eq!(written, count);
    Ok(rows)
}

fn padding(name: &str) -> Padding {
    match name {
        "none" => Padding::None,
        "zero" => Padding::Zero,
        "reflect" => Padding::Reflect,
        other => panic!("no padding {other}"),
    }
}

fn noise_of(values: &[u32]) -> Vec<f32> {
    noise(values[0], values[1] as usize)
}

#[test]
fn frames_are_those_of_numpy() -> TestResult {
    for case in vector_file("stft.txt") {
        let signal = noise_of(&case.values("noise"));
        let padding = padding(&case.value::<String>("padding"));
        let plan = plan(case.value("size"), case.value("hop"), padding, Output::Complex)?;
        let count: usize = case.value("count");
        assert_eq!(plan.frame_count(signal.len()), count, "{}", case.name);
        let rows = frames(&plan, &signal)?;
        let chosen: Vec<f32> = case
            .values::<usize>("chosen")
            .into_iter()
            .flat_map(|frame| rows[frame * plan.row_len()..][..plan.row_len()].to_vec())
            .collect();
        let error = relative_l2(&chosen, &case.values::<f64>("bins"));
        assert!(error < 2e-7, "{}: {error:e}", case.name);
        let energy: f64 = rows.iter().map(|x| f64::from(*x).powi(2)).sum();
        let expected: f64 = case.value("sum_of_squares");
        assert!(
            (energy - expected).abs() <= 4e-7 * expected,
            "{}: {energy}",
            case.name
        );
    }
    Ok(())
}

#[test]
fn each_frame_is_the_plans_spectrum_in_every_form() -> TestResult {
    let signal = noise(51, 2000);
    for form in Output::ALL {
        for scale in [Normalization::None, Normalization::Amplitude] {
            let plan = StftPlan::new(spectrum(256, scale)?, 100, Padding::None, form)?;
            for (at, row) in frames(&plan, &signal)?.chunks(plan.row_len()).enumerate() {
                let mut expected = vec![0.0; plan.row_len()];
                let frame = &signal[100 * at..][..256];
                let mut scratch = vec![0.0; plan.scratch_len()];
                plan.spectrum().write(form, frame, &mut expected, &mut scratch)?;
                assert_eq!(row, expected, "{form:?}, {scale:?}, frame {at}");
            }
        }
    }
    Ok(())
}

#[test]
fn signal_in_parts_gives_the_same_frames() -> TestResult {
    let signal = noise(52, 1000);
    for padding in PADDINGS {
        let plan = plan(128, 50, padding, Output::Power)?;
        let whole = frames(&plan, &signal)?;
        let mut scratch = vec![0.0; plan.scratch_len()];
        let mut parts = Vec::new();
        loop {
            let mut rows = vec![f32::NAN; 3 * plan.row_len()];
            let first = parts.len() / plan.row_len();
            let count = plan.frames(&signal, first, &mut rows, &mut scratch)?;
            assert!(rows[count * plan.row_len()..].iter().all(|x| x.is_nan()));
            parts.extend_from_slice(&rows[..count * plan.row_len()]);
            if count < 3 {
                break;
            }
        }
        assert_eq!(parts, whole, "{padding:?}");
    }
    Ok(())
}

/// Feeds a signal in pieces, with room for `room` frames in each call, and returns all frames.
fn streamed(
    stream: &mut StftStream,
    signal: &[f32],
    mut piece: impl FnMut() -> usize,
    room: usize,
) -> Result<Vec<f32>, DspError> {
    let row = stream.plan().row_len();
    let mut all = Vec::new();
    let mut rest = signal;
    let mut rows = vec![f32::NAN; room * row];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece().clamp(1, rest.len()));
        let mut now = now;
        while !now.is_empty() {
            let Progress { taken, frames } = stream.push(now, &mut rows)?;
            assert!(taken > 0 || frames > 0, "a call gets on");
            all.extend_from_slice(&rows[..frames * row]);
            now = &now[taken..];
        }
        rest = later;
    }
    loop {
        let frames = stream.finish(&mut rows)?;
        if frames == 0 {
            return Ok(all);
        }
        all.extend_from_slice(&rows[..frames * row]);
    }
}

#[test]
fn stream_gives_the_frames_of_the_whole_signal() -> TestResult {
    for padding in PADDINGS {
        for hop in [1, 16, 31, 64, 65, 200] {
            let plan = Arc::new(plan(64, hop, padding, Output::Complex)?);
            // One stream for all signals: finishing it resets it.
            let mut stream = StftStream::new(plan.clone());
            for length in [0, 1, 2, 20, 32, 33, 63, 64, 65, 96, 97, 128, 500] {
                let signal = noise(length as u32, length);
                let expected = frames(&plan, &signal)?;
                for (piece, room) in [(1, 1), (7, 1), (64, 3), (500, 1), (500, 600)] {
                    let actual = streamed(&mut stream, &signal, || piece, room)?;
                    assert_eq!(
                        actual, expected,
                        "{padding:?}, {hop}, {length} in {piece}, room {room}"
                    );
                }
                let mut sizes = noise(length as u32 + 1, 10_000).into_iter();
                let any = || (sizes.next().unwrap_or(0.0).abs() * 150.0) as usize;
                let actual = streamed(&mut stream, &signal, any, 2)?;
                assert_eq!(actual, expected, "{padding:?}, {hop}, {length}, any pieces");
            }
        }
    }
    Ok(())
}

#[test]
fn frame_comes_with_its_last_sample() -> TestResult {
    for (padding, expected) in [
        (Padding::None, [64, 80, 96, 112]),
        (Padding::Zero, [32, 48, 64, 80]),
        // The first frame mirrors sample 32.
        (Padding::Reflect, [33, 48, 64, 80]),
    ] {
        let mut stream = StftStream::new(Arc::new(plan(64, 16, padding, Output::Magnitudes)?));
        let mut row = vec![0.0; stream.plan().row_len()];
        let mut completed = Vec::new();
        for n in 1..=expected[3] {
            let progress = stream.push(&[0.5], &mut row)?;
            assert_eq!(progress.taken, 1);
            if progress.frames == 1 {
                completed.push(n);
            }
        }
        assert_eq!(completed, expected, "{padding:?}");
        assert_eq!((stream.received(), stream.written()), (expected[3] as u64, 4));
    }
    Ok(())
}

#[test]
fn room_that_is_promised_to_be_enough_is_enough() -> TestResult {
    for padding in PADDINGS {
        for hop in [1, 10, 64, 100] {
            let mut stream = StftStream::new(Arc::new(plan(64, hop, padding, Output::Power)?));
            for count in [1, 5, 64, 300, 1, 32] {
                let mut rows = vec![0.0; stream.most_frames(count) * stream.plan().row_len()];
                let progress = stream.push(&vec![1.0; count], &mut rows)?;
                assert_eq!(progress.taken, count, "{padding:?}, {hop}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> TestResult {
    for got in [0, 1_048_577] {
        assert_eq!(
            plan(64, got, Padding::None, Output::Power).err(),
            Some(DspError::Hop { got })
        );
        let inverse = InverseStft::new(&spectrum(64, Normalization::None)?, got, Padding::None);
        assert_eq!(inverse.err(), Some(DspError::Hop { got }));
    }
    let plan = Arc::new(plan(64, 16, Padding::Zero, Output::Power)?);
    let mut scratch = vec![0.0; plan.scratch_len()];
    let (row, got) = (33, 34);
    let refused = plan.frames(&[0.0; 100], 0, &mut [0.0; 34], &mut scratch);
    assert_eq!(refused, Err(DspError::RowLength { row, got }));
    let (expected, got) = (plan.scratch_len(), plan.scratch_len() - 1);
    let refused = plan.frames(&[0.0; 100], 0, &mut [0.0; 33], &mut scratch[1..]);
    assert_eq!(refused, Err(DspError::ScratchLength { expected, got }));
    assert_eq!(
        plan.frames(&[0.0; 100], usize::MAX, &mut [0.0; 33], &mut scratch),
        Ok(0)
    );

    let mut stream = StftStream::new(plan);
    assert_eq!(
        stream.push(&[], &mut [0.0; 34]),
        Err(DspError::RowLength { row, got: 34 })
    );
    assert_eq!(stream.push(&[1.0; 100], &mut [0.0; 33])?.frames, 1);
    assert_eq!(stream.finish(&mut []), Err(DspError::NoRoom));
    assert_eq!(stream.finish(&mut [0.0; 33]), Ok(1));
    assert_eq!(stream.push(&[1.0], &mut [0.0; 33]), Err(DspError::Ended));
    stream.reset();
    assert_eq!(
        stream.push(&[1.0], &mut [0.0; 33]),
        Ok(Progress { taken: 1, frames: 0 })
    );
    Ok(())
}

fn signal_of(inverse: &InverseStft, frames: &[f32], length: usize) -> Result<Vec<f32>, DspError> {
    let mut output = vec![f32::NAN; length];
    inverse.signal(frames, &mut output, &mut vec![f32::NAN; inverse.scratch_len()])?;
    Ok(output)
}

#[test]
fn signals_from_frames_are_those_of_numpy() -> TestResult {
    for case in vector_file("istft.txt") {
        let padding = padding(&case.value::<String>("padding"));
        let spectrum = spectrum(case.value("size"), Normalization::None)?;
        let inverse = InverseStft::new(&spectrum, case.value("hop"), padding)?;
        let (expected, weights): (Vec<f64>, Vec<f64>) = (case.values("signal"), case.values("weights"));
        let actual = signal_of(&inverse, &noise_of(&case.values("noise")), expected.len())?;
        // Where the weights are small, rounding errors are divided by them: there it is what was added that is compared.
        let weight = |n: usize| weights[n].min(1.0);
        let actual: Vec<f32> = actual
            .iter()
            .enumerate()
            .map(|(n, x)| (f64::from(*x) * weight(n)) as f32)
            .collect();
        let expected: Vec<f64> = expected.iter().enumerate().map(|(n, x)| x * weight(n)).collect();
        let error = relative_l2(&actual, &expected);
        // With a hop of 1 it is a sum of 64 terms in `f32`.
        assert!(error < 4e-7, "{}: {error:e}", case.name);
    }
    Ok(())
}

#[test]
fn round_trip_gives_the_signal_back() -> TestResult {
    for scale in [Normalization::None, Normalization::Amplitude] {
        for padding in [Padding::Zero, Padding::Reflect] {
            for (size, hop, length) in [(64, 16, 1), (64, 16, 300), (256, 100, 5000), (1024, 512, 20_000)] {
                let spectrum = spectrum(size, scale)?;
                let inverse = InverseStft::new(&spectrum, hop, padding)?;
                let plan = StftPlan::new(spectrum, hop, padding, Output::Complex)?;
                let signal = noise(53, length);
                let back = signal_of(&inverse, &frames(&plan, &signal)?, length)?;
                let expected: Vec<f64> = signal.iter().copied().map(f64::from).collect();
                let error = relative_l2(&back, &expected);
                assert!(
                    error < 3e-7,
                    "{scale:?}, {padding:?}, {size}, {hop}, {length}: {error:e}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn inverse_refuses_frames_of_another_signal() -> TestResult {
    let inverse = InverseStft::new(&spectrum(64, Normalization::None)?, 16, Padding::Zero)?;
    let mut scratch = vec![0.0; inverse.scratch_len()];
    let mut output = [0.0; 100];
    let (row, got) = (66, 67);
    let refused = inverse.signal(&[0.0; 67], &mut output, &mut scratch);
    assert_eq!(refused, Err(DspError::RowLength { row, got }));
    let (expected, got) = (7, 6);
    let refused = inverse.signal(&[0.0; 6 * 66], &mut output, &mut scratch);
    assert_eq!(refused, Err(DspError::FrameCount { expected, got }));
    let (expected, got) = (inverse.scratch_len(), inverse.scratch_len() - 1);
    let refused = inverse.signal(&[0.0; 7 * 66], &mut output, &mut scratch[1..]);
    assert_eq!(refused, Err(DspError::ScratchLength { expected, got }));
    Ok(())
}
