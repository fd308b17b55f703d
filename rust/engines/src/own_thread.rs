//! A thread of one device, or of a call that may block.

use crate::lock::{Lock, locked, locked_surely};
use crate::panic_text::into_panic_message;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A thread that works until its work ends or it is asked to leave.
pub(crate) struct OwnThread {
    is_leaving: AtomicBool,
    state: Mutex<State>,
}

enum State {
    Working,
    /// Asked to leave; the call is the thread's last action.
    Leaving(Box<dyn FnOnce() + Send>),
    /// Ended, with or without an error.
    Gone(Result<(), String>),
}

impl OwnThread {
    /// Starts `work`, which returns soon after its flag is set. Its captures are dropped before the thread counts as ended.
    ///
    /// # Errors
    /// The system has no thread.
    pub(crate) fn start(
        name: &str,
        work: impl FnOnce(&AtomicBool) -> Result<(), String> + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let thread = Arc::new(Self {
            is_leaving: AtomicBool::new(false),
            state: Mutex::new(State::Working),
        });
        let mine = thread.clone();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&mine.is_leaving)));
            mine.end(result.unwrap_or_else(|payload| Err(into_panic_message(payload))));
        })?;
        Ok(thread)
    }

    /// The outcome of the thread; `None` while it works.
    pub(crate) fn outcome(&self) -> Option<Result<(), String>> {
        match &*locked(&self.state, Lock::OwnThread) {
            State::Gone(result) => Some(result.clone()),
            State::Working | State::Leaving(_) => None,
        }
    }

    /// Asks the thread to leave and does not wait for it: the thread calls `last` as it ends; if it has ended already, `last` is
    /// called at once.
    pub(crate) fn leave(&self, last: impl FnOnce() + Send + 'static) {
        self.is_leaving.store(true, Ordering::Release);
        let mut state = locked_surely(&self.state);
        match std::mem::replace(&mut *state, State::Working) {
            State::Working => *state = State::Leaving(Box::new(last)),
            State::Leaving(before) => {
                *state = State::Leaving(Box::new(move || {
                    before();
                    last();
                }));
            }
            gone => {
                *state = gone;
                drop(state);
                last();
            }
        }
    }

    fn end(&self, result: Result<(), String>) {
        let before = std::mem::replace(&mut *locked_surely(&self.state), State::Gone(result));
        if let State::Leaving(last) = before
            && let Err(payload) = catch_unwind(AssertUnwindSafe(last))
        {
            let message = into_panic_message(payload);
            tracing::error!(message, "a listener panicked in its release");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn last_act_follows_the_work_and_comes_once() -> io::Result<()> {
        let (sender, events) = mpsc::channel();
        let of_work = sender.clone();
        let thread = OwnThread::start("rustle-test", move |leaving| {
            while !leaving.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            of_work.send("work").map_err(|error| error.to_string())
        })?;
        assert_eq!(thread.outcome(), None);
        thread.leave(move || sender.send("last").expect("the test listens"));
        assert_eq!(events.iter().collect::<Vec<_>>(), ["work", "last"]);
        Ok(())
    }

    #[test]
    fn each_last_act_waits_for_the_work_in_turn() -> io::Result<()> {
        let (sender, events) = mpsc::channel();
        let (let_go, gate) = mpsc::channel::<()>();
        let of_work = sender.clone();
        let thread = OwnThread::start("rustle-test", move |_| {
            gate.recv().map_err(|error| error.to_string())?;
            of_work.send(0).map_err(|error| error.to_string())
        })?;
        for number in [1, 2] {
            let sender = sender.clone();
            thread.leave(move || sender.send(number).expect("the test listens"));
        }
        drop(sender);
        let_go.send(()).expect("a thread that works");
        assert_eq!(events.iter().collect::<Vec<_>>(), [0, 1, 2]);
        Ok(())
    }

    #[test]
    fn thread_that_is_gone_is_left_at_once() -> io::Result<()> {
        let thread = OwnThread::start("rustle-test", |_| panic!("the device bites"))?;
        while thread.outcome().is_none() {
            std::thread::yield_now();
        }
        assert_eq!(thread.outcome(), Some(Err("the device bites".to_owned())));
        let (sender, events) = mpsc::channel();
        thread.leave(move || sender.send(()).expect("the test listens"));
        assert_eq!(events.try_recv(), Ok(()));
        Ok(())
    }

    #[test]
    fn last_act_may_look_at_the_thread_and_leave_it_again() -> io::Result<()> {
        let (sender, events) = mpsc::channel();
        let thread = OwnThread::start("rustle-test", |_| Ok(()))?;
        while thread.outcome().is_none() {
            std::thread::yield_now();
        }
        let (mine, again) = (thread.clone(), sender.clone());
        thread.leave(move || {
            sender.send(mine.outcome()).expect("the test listens");
            mine.leave(move || again.send(None).expect("the test listens"));
        });
        assert_eq!(events.iter().collect::<Vec<_>>(), [Some(Ok(())), None]);
        Ok(())
    }
}
