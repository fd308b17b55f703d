//! One playback as a job of the runtime, and the thread that feeds its device.

use super::super::{Device, LONGEST_WAIT, Shape, after};
use super::{PlaybackProgress, Shared};
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use crate::own_thread::OwnThread;
use crate::runtime::RuntimeError;
use crate::schedule::Schedule;
use crate::sound::SoundError;
use rustle_alsa::{AlsaError, Progress};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most periods of one poll.
const LARGEST_BATCH: u64 = 512;

/// The time between two polls of a device's thread.
const RETRY_INTERVAL: Nanoseconds = 10_000_000;

/// The destination of a session's sound.
pub(super) enum Sink {
    Demo(Schedule),
    Device(DeviceSink),
}

impl Sink {
    pub(super) fn demo(shape: Shape) -> Self {
        Self::Demo(Schedule::new(f64::from(shape.rate) / f64::from(shape.period)))
    }
}

/// A device, fed by its own thread.
pub(super) struct DeviceSink {
    thread: Arc<OwnThread>,
}

impl DeviceSink {
    /// # Errors
    /// The system has no thread.
    pub(super) fn start(
        device: Box<dyn Device>,
        shape: Shape,
        limit: u64,
        shared: Arc<Shared>,
    ) -> Result<Self, SoundError> {
        let work = move |is_leaving: &AtomicBool| {
            let mut feeder = Feeder::new(device, shape, shared);
            feeder.feed(limit, is_leaving).map_err(|error| error.to_string())
        };
        let thread = OwnThread::start("rustle-playback", work)
            .map_err(|error| SoundError::Runtime(RuntimeError::Thread(error)))?;
        Ok(Self { thread })
    }
}

impl Drop for DeviceSink {
    /// A session that could not be started releases its device too.
    fn drop(&mut self) {
        self.thread.leave(|| ());
    }
}

/// The work of the device's thread: it moves sound from the queue into the device, and nothing else.
pub(super) struct Feeder {
    device: Box<dyn Device>,
    shared: Arc<Shared>,
    channels: usize,
    samples: Vec<f32>,
}

impl Feeder {
    /// All the memory that it needs.
    pub(super) fn new(device: Box<dyn Device>, shape: Shape, shared: Arc<Shared>) -> Self {
        Self {
            device,
            shared,
            channels: shape.channels as usize,
            samples: vec![0.0; (shape.period * shape.channels) as usize],
        }
    }

    /// Feeds the device until the session is finished and played, reaches its limit, or is cancelled.
    pub(super) fn feed(&mut self, limit: u64, is_leaving: &AtomicBool) -> Result<(), AlsaError> {
        while !is_leaving.load(Ordering::Acquire) {
            let left = limit.saturating_sub(self.shared.position.load(Ordering::Acquire));
            if left == 0 {
                break;
            }
            // Checked before the queue, which then has all samples written before the finish.
            let is_finished = self.shared.is_finished.load(Ordering::Acquire);
            let most = usize::try_from(left).unwrap_or(usize::MAX);
            let room = self.samples.len().min(most.saturating_mul(self.channels));
            let frames = self.shared.queue.read(&mut self.samples[..room]);
            match frames {
                0 if is_finished => break,
                0 => {
                    // One period of silence at a time, so that new sound does not wait behind it.
                    self.samples[..room].fill(0.0);
                    self.write(room / self.channels, false, is_leaving)?;
                }
                _ => self.write(frames, true, is_leaving)?,
            }
        }
        self.wait_until_heard(is_leaving)
    }

    fn write(&mut self, frames: usize, is_sound: bool, is_leaving: &AtomicBool) -> Result<(), AlsaError> {
        let mut written = 0;
        while written < frames && !is_leaving.load(Ordering::Acquire) {
            let rest = &self.samples[written * self.channels..frames * self.channels];
            match self.device.write(rest, LONGEST_WAIT)? {
                Progress::Frames(count) => {
                    self.shared.count(count, is_sound);
                    written += count;
                }
                Progress::Nothing => {}
                Progress::Interrupted => {
                    self.shared.underruns.fetch_add(1, Ordering::AcqRel);
                }
            }
        }
        Ok(())
    }

    /// Feeds silence behind the sound until all that the device still holds is silence: closing it would cut the sound off.
    fn wait_until_heard(&mut self, is_leaving: &AtomicBool) -> Result<(), AlsaError> {
        self.samples.fill(0.0);
        let mut silence = 0;
        while !is_leaving.load(Ordering::Acquire) {
            match self.device.delay() {
                Some(delay) if delay > silence => {}
                _ => break,
            }
            match self.device.write(&self.samples, LONGEST_WAIT)? {
                Progress::Frames(count) => silence += count as i64,
                Progress::Nothing => {}
                Progress::Interrupted => break,
            }
        }
        Ok(())
    }
}

pub(super) struct PlaybackJob {
    shape: Shape,
    limit: u64,
    sink: Sink,
    shared: Arc<Shared>,
    outlet: Outlet<PlaybackProgress>,
    batch: Vec<PlaybackProgress>,
    scratch: Vec<f32>,
    sequence: u64,
    reported: PlaybackProgress,
}

impl PlaybackJob {
    pub(super) fn new(
        shape: Shape,
        limit: u64,
        sink: Sink,
        shared: Arc<Shared>,
        outlet: Outlet<PlaybackProgress>,
    ) -> Self {
        Self {
            shape,
            limit,
            sink,
            shared,
            outlet,
            batch: Vec::new(),
            scratch: Vec::new(),
            sequence: 0,
            reported: PlaybackProgress::default(),
        }
    }

    fn add(&mut self) {
        let progress = self.shared.progress(self.sequence);
        self.batch.push(progress);
        self.sequence += 1;
        self.reported = progress;
    }

    /// Takes due periods out of the queue, and discards them.
    fn play_demo(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        let Sink::Demo(schedule) = &mut self.sink else {
            return Step::End;
        };
        if let Some(skipped) = schedule.catch_up(now) {
            context.was_held_up(skipped);
            // As an underrun of a device: inserted silence of unknown length.
            self.shared.underruns.fetch_add(1, Ordering::AcqRel);
        }
        let periods = schedule.take(now, LARGEST_BATCH);
        let next = schedule.due();
        let period = self.shape.period as usize;
        self.scratch.resize(period * self.shape.channels as usize, 0.0);
        for _ in periods {
            let left = self
                .limit
                .saturating_sub(self.shared.position.load(Ordering::Acquire));
            let frames = usize::try_from(left).unwrap_or(usize::MAX).min(period);
            let is_finished = self.shared.is_finished.load(Ordering::Acquire);
            let room = frames * self.shape.channels as usize;
            let sound = self.shared.queue.read(&mut self.scratch[..room]);
            if sound == 0 && (is_finished || frames == 0) {
                return Step::End;
            }
            self.shared.count(sound, true);
            self.shared.count(frames - sound, false);
            self.add();
        }
        if self.shared.position.load(Ordering::Acquire) >= self.limit {
            return Step::End;
        }
        Step::At(after(next, now))
    }

    /// Polls the progress of a device's thread.
    fn look(&mut self, now: Nanoseconds) -> Step {
        let Sink::Device(DeviceSink { thread }) = &self.sink else {
            return Step::End;
        };
        let outcome = thread.outcome();
        let progress = self.shared.progress(self.reported.sequence);
        if progress != self.reported || self.sequence == 0 {
            self.add();
        }
        match outcome {
            None => Step::At(now + RETRY_INTERVAL),
            Some(Ok(())) => Step::End,
            Some(Err(reason)) => Step::Fail(reason),
        }
    }
}

impl Job for PlaybackJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.batch.clear();
        let step = match self.sink {
            Sink::Demo(_) => self.play_demo(context),
            Sink::Device(_) => self.look(context.now()),
        };
        self.outlet.deliver(&self.batch, context);
        step
    }

    fn release(self: Box<Self>, release: Release) {
        let Self { sink, outlet, .. } = *self;
        match sink {
            // A device that is still open after its session would refuse the next one: its thread, which closes it, reports the
            // end.
            Sink::Device(sink) => sink.thread.leave(move || outlet.release(release)),
            _ => outlet.release(release),
        }
    }
}
