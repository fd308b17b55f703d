//! Calls of jobs that may block in the system without a way to watch them: the addresses of host names.

use crate::lock::locked_surely;
use crate::panic_text::into_panic_message;
use crate::session::Session;
use crate::worker::logged;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

/// The most threads: of more calls at a time, the later ones wait.
const MOST_THREADS: usize = 4;

type Call = Box<dyn FnOnce() + Send>;

/// A few threads that last while calls wait.
#[derive(Default)]
pub(crate) struct Lookups(Mutex<State>);

#[derive(Default)]
struct State {
    calls: VecDeque<Call>,
    threads: usize,
}

impl Lookups {
    /// Makes a call on a thread of its own, and wakes the session when its result is there. A call is not made
    /// once the session is cancelled.
    ///
    /// # Errors
    /// The system has no thread.
    pub(crate) fn make<T: Send + 'static>(
        self: &Arc<Self>,
        session: &Session,
        call: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<Receiver<io::Result<T>>> {
        let (sender, result) = sync_channel(1);
        let session = session.clone();
        let call = Box::new(move || {
            if session.is_cancelled() {
                return;
            }
            let made = catch_unwind(AssertUnwindSafe(call));
            let made = made.unwrap_or_else(|payload| Err(io::Error::other(into_panic_message(payload))));
            // Nobody awaits it any more when this fails.
            drop(sender.send(made));
            session.wake();
        });
        let mut state = locked_surely(&self.0);
        if state.threads < MOST_THREADS {
            let mine = self.clone();
            let thread = std::thread::Builder::new()
                .name("rustle-lookup".to_owned())
                .spawn(move || mine.work());
            match thread {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => return Err(error),
                Err(error) => logged(|| tracing::debug!(%error, "a call waits for another's thread")),
            }
        }
        state.calls.push_back(call);
        Ok(result)
    }

    fn work(&self) {
        loop {
            let call = {
                let mut state = locked_surely(&self.0);
                let call = state.calls.pop_front();
                state.threads -= usize::from(call.is_none());
                call
            };
            match call {
                Some(call) => call(),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::Inbox;
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    #[test]
    fn calls_beyond_the_threads_wait_and_all_are_made() {
        let lookups = Arc::new(Lookups::default());
        let session = Session::new(1, Arc::new(Inbox::new()));
        // The first four meet each other and the test, which then lets them go.
        let (meeting, end) = (Arc::new(Barrier::new(5)), Arc::new(Barrier::new(5)));
        let (order, made) = channel();
        let results: Vec<_> = (0..10)
            .map(|number| {
                let (meeting, end, order) = (meeting.clone(), end.clone(), order.clone());
                let call = move || {
                    if number < MOST_THREADS {
                        meeting.wait();
                        end.wait();
                    }
                    order.send(number).expect("the test listens");
                    Ok(number)
                };
                lookups.make(&session, call).expect("a thread")
            })
            .collect();
        meeting.wait();
        let (threads, waiting) = {
            let state = locked_surely(&lookups.0);
            (state.threads, state.calls.len())
        };
        assert_eq!((threads, waiting, made.try_recv().is_err()), (4, 6, true));
        end.wait();
        for (number, result) in results.into_iter().enumerate() {
            assert_eq!(result.recv().expect("a result").ok(), Some(number));
        }
        while locked_surely(&lookups.0).threads > 0 {
            std::thread::yield_now();
        }
        assert_eq!(made.try_iter().count(), 10);
    }

    #[test]
    fn call_of_a_cancelled_session_is_not_made() {
        let lookups = Arc::new(Lookups::default());
        let inbox = Arc::new(Inbox::new());
        let (session, gone) = (Session::new(1, inbox.clone()), Session::new(2, inbox));
        let barrier = Arc::new(Barrier::new(MOST_THREADS + 1));
        for _ in 0..MOST_THREADS {
            let barrier = barrier.clone();
            let call = move || {
                barrier.wait();
                Ok(())
            };
            drop(lookups.make(&session, call).expect("a thread"));
        }
        let result = lookups.make(&gone, || Ok(())).expect("threads");
        gone.cancel();
        barrier.wait();
        assert!(result.recv().is_err(), "the call was dropped");
    }

    #[test]
    fn call_that_panics_is_an_error_and_the_next_is_made() {
        let lookups = Arc::new(Lookups::default());
        let session = Session::new(1, Arc::new(Inbox::new()));
        let failed = lookups.make(&session, || -> io::Result<()> { panic!("no such name") });
        let error = failed
            .expect("a thread")
            .recv()
            .expect("a result")
            .expect_err("it panicked");
        assert_eq!(error.to_string(), "no such name");
        let next = lookups.make(&session, || Ok(1)).expect("a thread");
        assert_eq!(next.recv().expect("a result").ok(), Some(1));
    }
}
