//! The common part of the tests of captures and playbacks.

use super::Device;
use crate::job::Release;
use crate::lane::Doorbell;
use crate::outlet::RecordListener;
use rustle_alsa::{AlsaError, Progress};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One call of a scripted device.
#[derive(Debug)]
pub(super) enum Act {
    Frames(Vec<f32>),
    Take(usize),
    Nothing,
    Interrupted,
    Lost,
    /// Waits for the test's signal.
    Wait(Receiver<()>),
}

/// A device that follows a script, and rests after its end.
pub(super) struct Scripted {
    pub(super) channels: usize,
    pub(super) acts: VecDeque<Act>,
    pub(super) heard: Arc<Mutex<Vec<f32>>>,
    pub(super) is_closed: Arc<AtomicBool>,
}

impl Scripted {
    pub(super) fn new(channels: usize, acts: impl IntoIterator<Item = Act>) -> Self {
        Self {
            channels,
            acts: acts.into_iter().collect(),
            heard: Arc::default(),
            is_closed: Arc::default(),
        }
    }

    fn lost() -> AlsaError {
        AlsaError::Lost {
            device: "scripted".to_owned(),
            reason: "it was pulled out".to_owned(),
        }
    }

    fn wait(word: &Receiver<()>) -> Result<Progress, AlsaError> {
        word.recv().expect("the test's signal");
        Ok(Progress::Nothing)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

impl Device for Scripted {
    fn read(&mut self, frames: &mut [f32], _: Duration) -> Result<Progress, AlsaError> {
        match self.acts.pop_front() {
            Some(Act::Frames(samples)) => {
                frames[..samples.len()].copy_from_slice(&samples);
                Ok(Progress::Frames(samples.len() / self.channels))
            }
            Some(Act::Interrupted) => Ok(Progress::Interrupted),
            Some(Act::Lost) => Err(Self::lost()),
            Some(Act::Nothing | Act::Take(_)) => Ok(Progress::Nothing),
            Some(Act::Wait(word)) => Self::wait(&word),
            None => {
                std::thread::yield_now();
                Ok(Progress::Nothing)
            }
        }
    }

    fn write(&mut self, frames: &[f32], _: Duration) -> Result<Progress, AlsaError> {
        let take = |frames: &[f32]| {
            self.heard
                .lock()
                .expect("no panic under the lock")
                .extend_from_slice(frames);
            Ok(Progress::Frames(frames.len() / self.channels))
        };
        match self.acts.pop_front() {
            Some(Act::Take(most)) => take(&frames[..frames.len().min(most * self.channels)]),
            Some(Act::Interrupted) => Ok(Progress::Interrupted),
            Some(Act::Lost) => Err(Self::lost()),
            Some(Act::Nothing | Act::Frames(_)) => Ok(Progress::Nothing),
            Some(Act::Wait(word)) => Self::wait(&word),
            None => {
                std::thread::yield_now();
                take(frames)
            }
        }
    }

    fn delay(&mut self) -> Option<i64> {
        Some(100)
    }
}

/// Forwards the reports of a session.
pub(super) struct Ear<T> {
    records: Sender<T>,
    release: Sender<Release>,
}

impl<T> Ear<T> {
    pub(super) fn new() -> (Self, Receiver<T>, Receiver<Release>) {
        let (records, of_records) = channel();
        let (release, of_release) = channel();
        (Self { records, release }, of_records, of_release)
    }
}

impl<T: Copy + Send> RecordListener<T> for Ear<T> {
    fn on_record(&mut self, record: &T) {
        // A test that is done no longer receives.
        let _ = self.records.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.release.send(release);
    }
}

impl<T: Copy + Send> Doorbell for Ear<T> {
    fn on_ready(&mut self) {}

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.release.send(release);
    }
}

/// A device whose calls allocate nothing: it reads and writes as requested, and asks its thread to leave in the end.
pub(super) struct Counted {
    pub(super) calls: u32,
    pub(super) is_leaving: Arc<AtomicBool>,
}

impl Counted {
    fn count(&mut self, samples: usize) -> Progress {
        self.calls -= 1;
        if self.calls == 0 {
            self.is_leaving.store(true, Ordering::Release);
        }
        match self.calls % 5 {
            0 => Progress::Nothing,
            1 => Progress::Interrupted,
            _ => Progress::Frames(samples / 2),
        }
    }
}

impl Device for Counted {
    fn read(&mut self, frames: &mut [f32], _: Duration) -> Result<Progress, AlsaError> {
        frames.fill(0.5);
        Ok(self.count(frames.len()))
    }

    fn write(&mut self, frames: &[f32], _: Duration) -> Result<Progress, AlsaError> {
        Ok(self.count(frames.len()))
    }

    fn delay(&mut self) -> Option<i64> {
        Some(i64::MAX)
    }
}

#[test]
fn counter_counts() {
    let (count, _) = rustle_testkit::allocations_in(|| vec![1_u8; 100]);
    assert_eq!(count, 1);
}
