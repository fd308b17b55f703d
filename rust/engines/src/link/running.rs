//! What calls a member: a thread of its own, or a job of a manual runtime.

use super::driver::Driver;
use super::host_clock::HostClock;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::locked_surely;
use crate::own_thread::OwnThread;
use crate::session::Session;
use crate::worker::logged;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The events of one turn at most; further ones come with the next.
const MOST_EVENTS: usize = 64;
const BELL: Token = Token(0);
const SOCKET: Token = Token(1);

/// A member that is called.
pub(super) enum Running {
    Thread {
        thread: Arc<OwnThread>,
        bell: Arc<Waker>,
    },
    Job(Session),
}

impl Running {
    /// Starts the thread of a member.
    ///
    /// # Errors
    /// The system has no thread or no descriptor.
    pub(super) fn thread(driver: Arc<Mutex<Driver>>) -> io::Result<Self> {
        let poll = Poll::new()?;
        let bell = Arc::new(Waker::new(poll.registry(), BELL)?);
        let thread = OwnThread::start("rustle-link", move |is_leaving| {
            let served = serve(poll, &driver, is_leaving);
            served.map_err(|error| {
                logged(|| tracing::error!(%error, "a member of a tempo session hears no more, and leaves"));
                let mut driver = locked_surely(&driver);
                if !is_leaving.load(Ordering::Acquire) {
                    driver.disable();
                }
                error.to_string()
            })
        })?;
        Ok(Self::Thread { thread, bell })
    }

    /// Whether the member is called: its thread may have ended with an error.
    pub(super) fn goes_on(&self) -> bool {
        match self {
            Self::Thread { thread, .. } => thread.outcome().is_none(),
            Self::Job(session) => !session.is_released(),
        }
    }

    /// The member's next deadline may be sooner, or it has new sockets.
    pub(super) fn wake(&self) {
        match self {
            // A thread that cannot be woken comes by itself, some ms later.
            Self::Thread { bell, .. } => drop(bell.wake()),
            Self::Job(session) => session.wake(),
        }
    }

    /// Ends it, without waiting.
    pub(super) fn end(&self) {
        match self {
            Self::Thread { thread, .. } => {
                thread.leave(|| {});
                self.wake();
            }
            Self::Job(session) => session.cancel(),
        }
    }
}

/// A time to wait in whole milliseconds, rounded up: the poll rounds it down, and would return at once in the last one.
fn whole_millis(nanos: u64) -> Duration {
    Duration::from_millis(nanos.div_ceil(1_000_000))
}

fn serve(mut poll: Poll, driver: &Mutex<Driver>, is_leaving: &AtomicBool) -> io::Result<()> {
    rustle_system::sharpen_timers();
    let mut events = Events::with_capacity(MOST_EVENTS);
    while !is_leaving.load(Ordering::Acquire) {
        let wait = {
            let mut driver = locked_surely(driver);
            // The sockets of a member that was enabled again meanwhile are another thread's.
            if is_leaving.load(Ordering::Acquire) {
                break;
            }
            driver.register(|descriptor| {
                poll.registry()
                    .register(&mut SourceFd(&descriptor), SOCKET, Interest::READABLE)
            });
            match driver.turn() {
                true => Some(Duration::ZERO),
                false => driver
                    .next()
                    .map(|next| whole_millis(HostClock::until(driver.now(), next))),
            }
        };
        match poll.poll(&mut events, wait) {
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Calls a member at the times of a runtime's clock.
pub(super) struct LinkJob(pub(super) Arc<Mutex<Driver>>);

impl Job for LinkJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let mut driver = locked_surely(&self.0);
        // As above.
        if context.is_cancelled() {
            return Step::End;
        }
        driver.watch(context);
        if driver.turn() {
            return Step::At(context.now());
        }
        match driver.next() {
            Some(next) => Step::At(context.now() + HostClock::until(driver.now(), next)),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, _: Release) {}
}
