//! A session of a sender as a job of the runtime, and the thread that sends.

use super::counters::DmxReport;
use super::error::DmxError;
use super::following::Following;
use super::transmission::{Shared, Transmission};
use crate::clock::{Clock, Nanoseconds};
use crate::job::{Job, PollContext, Release, Step};
use crate::own_thread::OwnThread;
use crate::runtime::RuntimeError;
use crate::turns::Paced;
use crate::worker::logged;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// The time after which the job looks again whether its thread still works.
const LOOK: Nanoseconds = 1_000_000_000;

/// The realtime priority of senders, 1 to 99: the middle, as usual for outputs.
const PRIORITY: u8 = 50;

/// Who sends.
pub(super) enum Work {
    /// A thread of its own.
    Own(SendingThread),
    /// The job itself.
    Inline(Box<Transmission>),
}

/// A thread that sends. Dropping it lets it end its universes and leave.
pub(super) struct SendingThread {
    thread: Arc<OwnThread>,
    shared: Arc<Shared>,
}

impl SendingThread {
    /// # Errors
    /// The system has no thread.
    pub(super) fn start(
        mut transmission: Transmission,
        shared: Arc<Shared>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, DmxError> {
        let of_thread = shared.clone();
        let thread = OwnThread::start("rustle-dmx", move |is_leaving| {
            of_thread.sleeper.begin();
            // Whoever asks it to leave sees the thread, or the thread sees the request.
            fence(Ordering::SeqCst);
            rustle_system::sharpen_timers();
            match rustle_system::be_realtime(PRIORITY) {
                Ok(()) => of_thread.counters.set_realtime(),
                Err(error) => {
                    logged(|| tracing::info!(%error, "DMX is sent by a thread of ordinary priority"));
                }
            }
            transmission.run(&*clock, is_leaving);
            Ok(())
        });
        let thread = thread.map_err(|error| DmxError::Runtime(RuntimeError::Thread(error)))?;
        Ok(Self { thread, shared })
    }

    /// Lets it send its terminations and leave; `last` is its last act.
    fn leave(&self, last: impl FnOnce() + Send + 'static) {
        self.thread.leave(last);
        fence(Ordering::SeqCst);
        self.shared.sleeper.wake();
    }
}

impl Drop for SendingThread {
    fn drop(&mut self) {
        self.leave(|| ());
    }
}

/// Reports the counters at even intervals.
pub(super) struct DmxJob {
    pub(super) shared: Arc<Shared>,
    pub(super) paced: Paced<DmxReport>,
    pub(super) work: Work,
    /// Ends with the job.
    pub(super) _following: Option<Following>,
    pub(super) now: Nanoseconds,
}

impl Job for DmxJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.now = context.now();
        let next = match &mut self.work {
            Work::Own(SendingThread { thread, .. }) => match thread.outcome() {
                // It ends by a panic alone, which is the job's: the engine is poisoned.
                Some(Err(reason)) => std::panic::resume_unwind(Box::new(reason)),
                _ => Some(self.now.saturating_add(LOOK)),
            },
            Work::Inline(transmission) => transmission.step(self.now),
        };
        let counters = &self.shared.counters;
        let step = self
            .paced
            .poll(context, |sequence, _| Some(counters.report(sequence)));
        match (step, next) {
            (Step::At(report), Some(frame)) => Step::At(report.min(frame)),
            (step, _) => step,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        let Self { paced, work, now, .. } = *self;
        match work {
            // The terminations are sent before anybody hears of the end.
            Work::Own(thread) => thread.leave(move || paced.release(release)),
            Work::Inline(mut transmission) => {
                transmission.finish(now);
                paced.release(release);
            }
        }
    }
}
