//! One capture as a job of the runtime, and the thread that reads its device.

use super::super::block::{BLOCK_SAMPLES, SoundBlock};
use super::super::demo;
use super::super::queue::{BlockQueue, Stamp};
use super::super::{Device, LONGEST_WAIT, SHORTEST_NAP, Shape, after};
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use crate::own_thread::OwnThread;
use crate::runtime::RuntimeError;
use crate::schedule::Schedule;
use crate::sound::SoundError;
use rustle_alsa::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most blocks of one poll, so that a fast session does not block the worker's other jobs.
const LARGEST_BATCH: usize = 512;

/// The longest time between two polls of a device's queue.
const LONGEST_NAP: Nanoseconds = 10_000_000;

/// The source of a session's sound.
pub(super) enum Source {
    Demo {
        schedule: Schedule,
        /// The frames between two wakes.
        period: u64,
        /// Frames that were dropped because the engine was held up.
        lost: u64,
    },
    Device(DeviceSource),
}

impl Source {
    pub(super) fn demo(shape: Shape) -> Self {
        Self::Demo {
            schedule: Schedule::new(f64::from(shape.rate) / f64::from(shape.period)),
            period: u64::from(shape.period),
            lost: 0,
        }
    }
}

/// A device, read by its own thread.
pub(super) struct DeviceSource {
    pub(super) thread: Arc<OwnThread>,
    pub(super) queue: Arc<BlockQueue>,
}

impl DeviceSource {
    /// # Errors
    /// The system has no thread or no memory.
    pub(super) fn start(mut device: Box<dyn Device>, shape: Shape) -> Result<Self, SoundError> {
        let channels = shape.channels as usize;
        let most = (shape.period as usize).min(BLOCK_SAMPLES / channels);
        // A second of sound: the worker polls every few milliseconds.
        let pieces = (shape.rate as usize / most).max(64);
        let queue = Arc::new(BlockQueue::new(pieces, most, channels)?);
        let mine = queue.clone();
        let work = move |is_leaving: &AtomicBool| read(&mut *device, &mine, most, channels, is_leaving);
        let thread = OwnThread::start("rustle-capture", work)
            .map_err(|error| SoundError::Runtime(RuntimeError::Thread(error)))?;
        Ok(Self { thread, queue })
    }
}

impl Drop for DeviceSource {
    /// A session that could not be started releases its device too.
    fn drop(&mut self) {
        self.thread.leave(|| ());
    }
}

/// The work of the device's thread: it moves sound from the device into the queue, and nothing else.
pub(super) fn read(
    device: &mut dyn Device,
    queue: &BlockQueue,
    most: usize,
    channels: usize,
    is_leaving: &AtomicBool,
) -> Result<(), String> {
    let mut samples = [0.0; BLOCK_SAMPLES];
    let mut stamp = Stamp::default();
    while !is_leaving.load(Ordering::Acquire) {
        match device.read(&mut samples[..most * channels], LONGEST_WAIT) {
            Ok(Progress::Frames(frames)) => {
                stamp.frames = frames as u32;
                // A block without room appears as a gap between the positions of its neighbours.
                queue.write(stamp, &samples[..frames * channels]);
                stamp.position += frames as u64;
            }
            Ok(Progress::Nothing) => {}
            Ok(Progress::Interrupted) => stamp.overruns = stamp.overruns.saturating_add(1),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

pub(super) struct CaptureJob {
    shape: Shape,
    limit: u64,
    source: Source,
    outlet: Outlet<SoundBlock>,
    batch: Vec<SoundBlock>,
    sequence: u64,
    /// The number of the next frame if none is dropped.
    next: u64,
}

impl CaptureJob {
    pub(super) fn new(shape: Shape, limit: u64, source: Source, outlet: Outlet<SoundBlock>) -> Self {
        Self {
            shape,
            limit,
            source,
            outlet,
            batch: Vec::new(),
            sequence: 0,
            next: 0,
        }
    }

    /// Appends a block; one that reaches beyond the session's last frame is cut there.
    fn add(&mut self, stamp: Stamp, samples: &[f32; BLOCK_SAMPLES]) {
        let frames = u64::from(stamp.frames).min(self.limit.saturating_sub(stamp.position)) as u32;
        if frames == 0 {
            // The last frames were dropped: the session ends all the same.
            self.next = self.next.max(self.limit.min(stamp.position));
            return;
        }
        let mut block = SoundBlock {
            sequence: self.sequence,
            position: stamp.position,
            lost: stamp.position.saturating_sub(self.next),
            overruns: stamp.overruns,
            frames,
            channels: self.shape.channels,
            samples: [0.0; BLOCK_SAMPLES],
        };
        let used = frames as usize * self.shape.channels as usize;
        block.samples[..used].copy_from_slice(&samples[..used]);
        self.batch.push(block);
        self.sequence += 1;
        self.next = stamp.position + u64::from(frames);
    }

    /// Adds the demonstration's due blocks, and returns the time of the next one.
    fn add_demo(&mut self, context: &PollContext<'_>) -> Nanoseconds {
        let now = context.now();
        let Source::Demo {
            schedule,
            period,
            lost,
        } = &mut self.source
        else {
            return now;
        };
        if let Some(skipped) = schedule.catch_up(now) {
            context.was_held_up(skipped);
            *lost += skipped.ticks * *period;
        }
        let channels = self.shape.channels as usize;
        let most = (BLOCK_SAMPLES / channels) as u64;
        // A period may be longer than a block.
        let wakes = (LARGEST_BATCH as u64 / period.div_ceil(most)).max(1);
        let (due, period, lost) = (schedule.take(now, wakes), *period, *lost);
        let next = schedule.due();
        for wake in due {
            let (mut from, end) = (lost + wake * period, lost + (wake + 1) * period);
            if from >= self.limit {
                self.next = self.limit;
            }
            while from < end && from < self.limit {
                let frames = (end - from).min(most);
                let mut samples = [0.0; BLOCK_SAMPLES];
                for (at, sample) in samples[..frames as usize * channels].iter_mut().enumerate() {
                    *sample = demo::sample(from + (at / channels) as u64, at % channels, self.shape.rate);
                }
                let stamp = Stamp {
                    position: from,
                    overruns: 0,
                    frames: frames as u32,
                };
                self.add(stamp, &samples);
                from += frames;
            }
        }
        next
    }

    /// Adds the waiting blocks of the device's queue. Returns whether there may be more, and how the thread ended if it did.
    fn add_captured(&mut self) -> (bool, Option<Result<(), String>>) {
        let Source::Device(DeviceSource { thread, queue }) = &self.source else {
            return (false, None);
        };
        // Checked before the last poll of the queue, which then has all that the thread wrote.
        let (outcome, queue) = (thread.outcome(), queue.clone());
        let mut samples = [0.0; BLOCK_SAMPLES];
        while self.batch.len() < LARGEST_BATCH && self.next < self.limit {
            match queue.read(&mut samples) {
                Some(stamp) => self.add(stamp, &samples),
                None => return (false, outcome),
            }
        }
        (true, outcome)
    }
}

impl Job for CaptureJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        self.batch.clear();
        let (step, outcome) = match self.source {
            Source::Demo { .. } => (Step::At(after(self.add_demo(context), now)), None),
            Source::Device(_) => {
                let nap = 500_000_000 * u64::from(self.shape.period) / u64::from(self.shape.rate);
                let (more, outcome) = self.add_captured();
                let next = if more {
                    now
                } else {
                    now + nap.clamp(SHORTEST_NAP, LONGEST_NAP)
                };
                (Step::At(next), outcome.filter(|_| !more))
            }
        };
        self.outlet.deliver(&self.batch, context);
        match outcome {
            _ if self.next >= self.limit => Step::End,
            None => step,
            Some(Ok(())) => Step::End,
            Some(Err(reason)) => Step::Fail(reason),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        let Self { source, outlet, .. } = *self;
        match source {
            // A device that is still open after its session would refuse the next one: its thread, which closes it, reports the
            // end.
            Source::Device(source) => source.thread.leave(move || outlet.release(release)),
            _ => outlet.release(release),
        }
    }
}
