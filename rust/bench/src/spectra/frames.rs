//! The overhead of short-time spectra over the transforms of their frames.

use crate::candidate::{Aligned, Candidate};
use rustle_dsp::{
    DspError, Normalization, Output, Padding, SpectrumPlan, StftPlan, StftStream, Symmetry, Window,
};
use rustle_testkit::noise;
use std::sync::Arc;

/// The frames of a signal, a quarter of a frame from one to the next.
const FRAMES: usize = 16;

struct Signal {
    plan: Arc<StftPlan>,
    samples: Vec<f32>,
    rows: Aligned,
    scratch: Aligned,
}

impl Signal {
    fn new(size: usize) -> Result<Self, DspError> {
        let spectrum = SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, Normalization::None)?;
        let plan = Arc::new(StftPlan::new(
            spectrum,
            size / 4,
            Padding::None,
            Output::Magnitudes,
        )?);
        Ok(Self {
            samples: noise(1, size + (FRAMES - 1) * size / 4),
            rows: Aligned::new(FRAMES * plan.row_len()),
            scratch: Aligned::new(plan.scratch_len()),
            plan,
        })
    }
}

/// Each frame by a call of its own, row after row: the same memory without the short-time spectra.
struct OneByOne(Signal);

impl Candidate for OneByOne {
    fn name(&self) -> String {
        "frame by frame".to_owned()
    }

    fn run(&mut self) {
        let Signal {
            plan,
            samples,
            rows,
            scratch,
        } = &mut self.0;
        let (spectrum, hop) = (plan.spectrum(), plan.hop());
        let frames = samples.windows(spectrum.size()).step_by(hop);
        for (frame, row) in frames.zip(rows.chunks_exact_mut(plan.row_len())) {
            assert_eq!(spectrum.magnitudes(frame, row, scratch), Ok(()));
        }
    }

    fn frames(&self) -> usize {
        FRAMES
    }
}

/// All frames in one call.
struct Whole(Signal);

impl Candidate for Whole {
    fn name(&self) -> String {
        "`StftPlan::frames`".to_owned()
    }

    fn run(&mut self) {
        let signal = &mut self.0;
        let written = signal
            .plan
            .frames(&signal.samples, 0, &mut signal.rows, &mut signal.scratch);
        assert_eq!(written, Ok(FRAMES));
    }

    fn frames(&self) -> usize {
        FRAMES
    }
}

/// A live signal, in pieces of a hop.
struct Pieces(Signal, StftStream);

impl Candidate for Pieces {
    fn name(&self) -> String {
        "`StftStream::push`, a hop at a time".to_owned()
    }

    fn run(&mut self) {
        let (signal, stream) = (&mut self.0, &mut self.1);
        stream.reset();
        let row_len = signal.plan.row_len();
        let mut written = 0;
        for piece in signal.samples.chunks(signal.plan.hop()) {
            let progress = stream.push(piece, &mut signal.rows[written * row_len..]);
            written += progress.map_or(0, |progress| progress.frames);
        }
        assert_eq!(written, FRAMES);
    }

    fn frames(&self) -> usize {
        FRAMES
    }
}

/// The candidates for the same rows. The first is the base.
pub(super) fn candidates(size: usize) -> Result<Vec<Box<dyn Candidate>>, DspError> {
    let streamed = Signal::new(size)?;
    let stream = StftStream::new(streamed.plan.clone());
    Ok(vec![
        Box::new(OneByOne(Signal::new(size)?)),
        Box::new(Whole(Signal::new(size)?)),
        Box::new(Pieces(streamed, stream)),
    ])
}
