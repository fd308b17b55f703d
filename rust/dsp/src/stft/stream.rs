//! Short-time spectra of a signal that comes in pieces.

use super::StftPlan;
use super::padding::Padding;
use crate::error::DspError;
use std::sync::Arc;

/// The result of a [`StftStream::push`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Progress {
    /// Samples that were taken; the others wait for the next call.
    pub taken: usize,
    /// Frames that were written.
    pub frames: usize,
}

/// A short-time Fourier transform of a signal that comes in pieces of any length.
///
/// Each frame is written by the call that brings its last sample, and is the same, bit by bit, as [`StftPlan::frames`] writes for
/// the whole signal. [`finish`](Self::finish) writes the frames that reach beyond the signal's end. With [`Padding::Reflect`] a
/// frame that begins before the signal waits for the samples that its beginning mirrors.
///
/// Only [`new`](Self::new) allocates. The memory does not grow with the signal, which may have 2^62 samples.
pub struct StftStream {
    plan: Arc<StftPlan>,
    /// The samples from `base` on, `used` of them; all that the next frames need.
    held: Box<[f32]>,
    used: usize,
    base: u64,
    received: u64,
    /// The number of frames written.
    next: u64,
    is_ended: bool,
    frame: Box<[f32]>,
    scratch: Box<[f32]>,
}

impl StftStream {
    /// A stream at the beginning of a signal. Allocates about five times the samples of a frame.
    pub fn new(plan: Arc<StftPlan>) -> Self {
        let size = plan.spectrum.size();
        Self {
            held: vec![0.0; 2 * size + 2].into(),
            used: 0,
            base: 0,
            received: 0,
            next: 0,
            is_ended: false,
            frame: vec![0.0; size].into(),
            scratch: vec![0.0; plan.spectrum.scratch_len()].into(),
            plan,
        }
    }

    /// The plan of its frames.
    pub fn plan(&self) -> &StftPlan {
        &self.plan
    }

    /// Samples received since the signal's beginning.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Frames written since the signal's beginning: the number of the next one.
    pub fn written(&self) -> u64 {
        self.next
    }

    /// The most frames that a [`push`](Self::push) of `count` samples can complete.
    pub fn most_frames(&self, count: usize) -> usize {
        (count / self.plan.hop)
            .saturating_add(1)
            .saturating_add(self.plan.padding.lead(self.plan.spectrum.size()) / self.plan.hop)
    }

    /// Takes the next samples of the signal, as far as the frames that they complete fit into `output`, a whole number of rows:
    /// with room for [`most_frames`](Self::most_frames) all of them.
    ///
    /// # Errors
    /// [`DspError::RowLength`]; [`DspError::Ended`] between a [`finish`](Self::finish) and the last of its frames.
    pub fn push(&mut self, samples: &[f32], output: &mut [f32]) -> Result<Progress, DspError> {
        self.plan.rows(output)?;
        if self.is_ended {
            return Err(DspError::Ended);
        }
        let mut progress = Progress::default();
        let mut rows = output.chunks_exact_mut(self.plan.row_len());
        loop {
            let needed = self.needed();
            if self.received >= needed {
                let Some(row) = rows.next() else { break };
                self.write(row)?;
                progress.frames += 1;
                continue;
            }
            let rest = &samples[progress.taken..];
            if rest.is_empty() {
                break;
            }
            let count = (needed - self.received).min(rest.len() as u64) as usize;
            self.take(&rest[..count]);
            progress.taken += count;
        }
        Ok(progress)
    }

    /// Ends the signal and writes the frames that are left, as many as `output` has rows, at least 1; returns how many it
    /// wrote. To be called until it returns 0: the stream is then at the beginning of another signal.
    ///
    /// # Errors
    /// [`DspError::RowLength`], [`DspError::NoRoom`].
    pub fn finish(&mut self, output: &mut [f32]) -> Result<usize, DspError> {
        if self.plan.rows(output)? == 0 {
            return Err(DspError::NoRoom);
        }
        self.is_ended = true;
        let mut frames = 0;
        for row in output.chunks_exact_mut(self.plan.row_len()) {
            if self.left() == 0 {
                break;
            }
            self.write(row)?;
            frames += 1;
        }
        if frames == 0 {
            self.reset();
        }
        Ok(frames)
    }

    /// The frames that [`finish`](Self::finish) would write, given room for all of them.
    pub fn left(&self) -> usize {
        (self.plan.count(self.received) - self.next) as usize
    }

    /// Resets the stream to the beginning of another signal.
    pub fn reset(&mut self) {
        (self.used, self.base, self.received, self.next) = (0, 0, 0, 0);
        self.is_ended = false;
    }

    /// The number of samples of the signal that complete the next frame.
    fn needed(&self) -> u64 {
        let start = self.plan.start(self.next);
        let end = start + self.plan.spectrum.size() as i64;
        let mirrored = match self.plan.padding {
            Padding::None | Padding::Zero => 0,
            Padding::Reflect => 1 - start,
        };
        end.max(mirrored).max(1) as u64
    }

    /// The first sample that the next frames need. At the signal's end a mirror image can begin one sample before its frame.
    fn keep(&self) -> u64 {
        (self.plan.start(self.next) - 1).max(0) as u64
    }

    /// Keeps the part of `samples` that the next frames need, which reaches at most to the next frame.
    fn take(&mut self, samples: &[f32]) {
        let keep = self.keep();
        if keep >= self.received {
            (self.used, self.base) = (0, keep);
        }
        let skipped = (self.base.saturating_sub(self.received)).min(samples.len() as u64) as usize;
        let samples_held = &samples[skipped..];
        if self.used + samples_held.len() > self.held.len() {
            let past = (keep - self.base) as usize;
            self.held.copy_within(past..self.used, 0);
            (self.used, self.base) = (self.used - past, keep);
        }
        self.held[self.used..self.used + samples_held.len()].copy_from_slice(samples_held);
        self.used += samples_held.len();
        self.received += samples.len() as u64;
    }

    /// Writes the next frame. Before the signal's end, the samples that it mirrors are there: later ones make no difference.
    fn write(&mut self, row: &mut [f32]) -> Result<(), DspError> {
        let start = self.plan.start(self.next);
        let held = &self.held[..self.used];
        self.plan.frame(
            start,
            held,
            self.base,
            self.received,
            &mut self.frame,
            row,
            &mut self.scratch,
        )?;
        self.next += 1;
        Ok(())
    }
}
