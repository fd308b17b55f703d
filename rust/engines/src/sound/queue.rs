//! Queues between an audio thread and the rest: one thread writes, one reads, none waits, and nothing is allocated after
//! construction.

use crate::engine::StartError;
use crate::memory::filled;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A queue of frames. A full one accepts none, an empty one yields none.
#[derive(Debug)]
pub(crate) struct FrameQueue {
    channels: usize,
    /// The samples, as bits.
    cells: Box<[AtomicU32]>,
    /// The totals of written and of read frames.
    written: AtomicU64,
    read: AtomicU64,
}

impl FrameQueue {
    /// An empty queue of this capacity, in frames.
    ///
    /// # Errors
    /// [`RuntimeError::Memory`](crate::RuntimeError::Memory).
    pub(crate) fn new(frames: usize, channels: usize) -> Result<Self, StartError> {
        Ok(Self {
            channels,
            cells: filled("sample rate, channels and period", frames * channels)?,
            written: AtomicU64::new(0),
            read: AtomicU64::new(0),
        })
    }

    fn capacity(&self) -> usize {
        self.cells.len() / self.channels
    }

    /// The frames that wait.
    pub(crate) fn waiting(&self) -> u64 {
        let read = self.read.load(Ordering::Acquire);
        self.written.load(Ordering::Acquire).saturating_sub(read)
    }

    /// Writes the first of the interleaved `samples`, as many whole frames as there is room for; returns how many. Called by the
    /// writing thread alone.
    pub(crate) fn write(&self, samples: &[f32]) -> usize {
        let written = self.written.load(Ordering::Relaxed);
        let used = written - self.read.load(Ordering::Acquire);
        let frames = (samples.len() / self.channels).min(self.capacity() - used as usize);
        let mut cell = (written % self.capacity() as u64) as usize * self.channels;
        for sample in &samples[..frames * self.channels] {
            self.cells[cell].store(sample.to_bits(), Ordering::Relaxed);
            cell = if cell + 1 == self.cells.len() { 0 } else { cell + 1 };
        }
        // Release: the reader that sees the count sees the samples.
        self.written.store(written + frames as u64, Ordering::Release);
        frames
    }

    /// Fills `samples` with the longest waiting frames, as many as there are; returns how many. Called by the reading thread
    /// alone.
    pub(crate) fn read(&self, samples: &mut [f32]) -> usize {
        let read = self.read.load(Ordering::Relaxed);
        let waiting = self.written.load(Ordering::Acquire) - read;
        let frames = (samples.len() / self.channels).min(waiting as usize);
        let mut cell = (read % self.capacity() as u64) as usize * self.channels;
        for sample in &mut samples[..frames * self.channels] {
            *sample = f32::from_bits(self.cells[cell].load(Ordering::Relaxed));
            cell = if cell + 1 == self.cells.len() { 0 } else { cell + 1 };
        }
        // Release: the writer that sees the count may write over the samples.
        self.read.store(read + frames as u64, Ordering::Release);
        frames
    }
}

/// The stamp of a block in a [`BlockQueue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The number of its first frame since the capture began.
    pub(crate) position: u64,
    /// The device's overruns up to it.
    pub(crate) overruns: u32,
    /// The number of its frames.
    pub(crate) frames: u32,
}

/// A queue of blocks of the same largest length. A full one drops new blocks, as the positions of their neighbours show.
#[derive(Debug)]
pub(crate) struct BlockQueue {
    samples: FrameQueue,
    stamps: Box<[StampCell]>,
    written: AtomicU64,
    read: AtomicU64,
}

#[derive(Debug, Default)]
struct StampCell {
    position: AtomicU64,
    overruns: AtomicU32,
    frames: AtomicU32,
}

impl BlockQueue {
    /// An empty queue for this number of blocks of at most this many frames.
    ///
    /// # Errors
    /// As [`FrameQueue::new`].
    pub(crate) fn new(pieces: usize, frames: usize, channels: usize) -> Result<Self, StartError> {
        Ok(Self {
            samples: FrameQueue::new(pieces * frames, channels)?,
            stamps: filled("sample rate and period", pieces)?,
            written: AtomicU64::new(0),
            read: AtomicU64::new(0),
        })
    }

    /// Writes a block of whole frames. Returns false if there is no room for it. Called by the writing thread alone.
    pub(crate) fn write(&self, stamp: Stamp, samples: &[f32]) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        if written - self.read.load(Ordering::Acquire) == self.stamps.len() as u64 {
            return false;
        }
        // Blocks are no longer than the queue's room, divided by its stamps: the samples fit.
        self.samples.write(samples);
        let cell = &self.stamps[(written % self.stamps.len() as u64) as usize];
        cell.position.store(stamp.position, Ordering::Relaxed);
        cell.overruns.store(stamp.overruns, Ordering::Relaxed);
        cell.frames.store(stamp.frames, Ordering::Relaxed);
        // Release: the reader that sees the count sees the stamp, and the samples' own count.
        self.written.store(written + 1, Ordering::Release);
        true
    }

    /// Reads the longest waiting block, its samples to the beginning of `samples`. Called by the reading thread alone.
    pub(crate) fn read(&self, samples: &mut [f32]) -> Option<Stamp> {
        let read = self.read.load(Ordering::Relaxed);
        if self.written.load(Ordering::Acquire) == read {
            return None;
        }
        let cell = &self.stamps[(read % self.stamps.len() as u64) as usize];
        let stamp = Stamp {
            position: cell.position.load(Ordering::Relaxed),
            overruns: cell.overruns.load(Ordering::Relaxed),
            frames: cell.frames.load(Ordering::Relaxed),
        };
        self.samples
            .read(&mut samples[..stamp.frames as usize * self.samples.channels]);
        self.read.store(read + 1, Ordering::Release);
        Some(stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_out_in_order_and_never_more_than_there_is_room_for() {
        let queue = FrameQueue::new(5, 2).expect("memory");
        let mut out = [0.0; 20];
        for round in 0..20 {
            let first = round as f32;
            let sound: Vec<f32> = (0..14).map(|n| first + n as f32 / 16.0).collect();
            assert_eq!(queue.write(&sound), 5);
            assert_eq!(queue.write(&sound), 0);
            assert_eq!(queue.waiting(), 5);
            assert_eq!(queue.read(&mut out[..6]), 3);
            assert_eq!(out[..6], sound[..6]);
            assert_eq!(queue.read(&mut out), 2);
            assert_eq!(out[..4], sound[6..10]);
            assert_eq!(queue.read(&mut out), 0);
        }
    }

    #[test]
    fn piece_that_finds_no_room_leaves_those_that_wait_alone() {
        let queue = BlockQueue::new(2, 3, 1).expect("memory");
        let stamp = |position, frames| Stamp {
            position,
            overruns: 1,
            frames,
        };
        assert!(queue.write(stamp(0, 3), &[1.0, 2.0, 3.0]));
        assert!(queue.write(stamp(3, 1), &[4.0]));
        assert!(!queue.write(stamp(4, 3), &[5.0, 6.0, 7.0]));
        let mut out = [0.0; 3];
        assert_eq!(queue.read(&mut out), Some(stamp(0, 3)));
        assert_eq!(out, [1.0, 2.0, 3.0]);
        assert!(queue.write(stamp(7, 2), &[8.0, 9.0]));
        assert_eq!(queue.read(&mut out), Some(stamp(3, 1)));
        assert_eq!(out[0], 4.0);
        assert_eq!(queue.read(&mut out), Some(stamp(7, 2)));
        assert_eq!(out[..2], [8.0, 9.0]);
        assert_eq!(queue.read(&mut out), None);
    }

    #[test]
    fn two_threads_lose_nothing_and_tear_nothing() {
        let queue = BlockQueue::new(4, 8, 2).expect("memory");
        const PIECES: u64 = 20_000;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for piece in 0..PIECES {
                    let stamp = Stamp {
                        position: piece,
                        overruns: piece as u32,
                        frames: 1 + (piece % 8) as u32,
                    };
                    let sound = [piece as f32; 16];
                    while !queue.write(stamp, &sound[..2 * stamp.frames as usize]) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut out = [0.0; 16];
            for piece in 0..PIECES {
                let stamp = loop {
                    match queue.read(&mut out) {
                        Some(stamp) => break stamp,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!((stamp.position, stamp.overruns), (piece, piece as u32));
                let samples = &out[..2 * stamp.frames as usize];
                assert!(samples.iter().all(|sample| *sample == piece as f32));
            }
        });
    }
}
