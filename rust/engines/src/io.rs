//! The thread that waits for every socket of a runtime, and wakes the jobs whose sockets are ready.

use crate::lock::locked_surely;
use crate::lookups::Lookups;
use crate::panic_text::into_panic_message;
use crate::session::Session;
use crate::worker::logged;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The most events of one turn; further ones come with the next.
const MOST_EVENTS: usize = 1_024;

/// The token of the thread's own bell. Sockets count up from 0.
const BELL: Token = Token(usize::MAX);

/// Whether bytes or an end may wait to be read.
pub(crate) struct Readiness {
    /// How often the socket became ready, with the first try.
    events: AtomicU64,
    /// The events before the last try that found nothing.
    tried: AtomicU64,
    session: Session,
}

impl Readiness {
    fn new(session: Session) -> Self {
        Self {
            events: AtomicU64::new(1),
            tried: AtomicU64::new(0),
            session,
        }
    }

    /// The events so far, for a try; `None` when nothing has come since a try found nothing.
    pub(crate) fn events(&self) -> Option<u64> {
        let events = self.events.load(Ordering::Acquire);
        (self.tried.load(Ordering::Acquire) < events).then_some(events)
    }

    /// A try after these events found nothing: what came meanwhile is tried again.
    pub(crate) fn set_tried(&self, events: u64) {
        self.tried.fetch_max(events, Ordering::AcqRel);
    }

    /// The next call tries, without a wake.
    pub(crate) fn add_event(&self) {
        self.events.fetch_add(1, Ordering::AcqRel);
    }

    /// Wakes the job, unless this is a fork, which has no worker.
    pub(crate) fn wake(&self) {
        if self.session.check_process().is_ok() {
            self.session.wake();
        }
    }
}

/// What the thread and the sockets share.
#[derive(Default)]
struct Sockets {
    watched: Mutex<HashMap<Token, Arc<Readiness>>>,
    tokens: AtomicUsize,
    is_stopping: AtomicBool,
    /// How often the thread has waited for events.
    turns: AtomicU64,
}

struct Started {
    registry: Arc<Registry>,
    bell: Waker,
    thread: JoinHandle<()>,
}

/// The reactor of a runtime. Its thread starts with the first socket.
#[derive(Default)]
pub(crate) struct Io {
    started: Mutex<Option<Started>>,
    sockets: Arc<Sockets>,
    /// For what a job needs and the thread cannot wait for.
    pub(crate) lookups: Arc<Lookups>,
}

impl Io {
    /// Watches a socket for a job of this process until the [`Watch`] is dropped. The job is woken for what is ready now, and
    /// whenever that changes.
    ///
    /// # Errors
    /// The system has no thread, no descriptor or no memory.
    pub(crate) fn watch(&self, socket: RawFd, writes: bool, session: &Session) -> io::Result<Watch> {
        let registry = self.registry()?;
        let token = Token(self.sockets.tokens.fetch_add(1, Ordering::Relaxed));
        let readiness = Arc::new(Readiness::new(session.clone()));
        // The thread must find whom to wake as soon as the system reports the socket.
        locked_surely(&self.sockets.watched).insert(token, readiness.clone());
        let watch = Watch {
            sockets: self.sockets.clone(),
            registry,
            token,
            socket,
            readiness,
            writes: Mutex::new(writes),
        };
        (watch.registry).register(&mut SourceFd(&socket), token, interest(writes))?;
        Ok(watch)
    }

    fn registry(&self) -> io::Result<Arc<Registry>> {
        let mut started = locked_surely(&self.started);
        if let Some(started) = &*started {
            return Ok(started.registry.clone());
        }
        let mut poll = Poll::new()?;
        let registry = Arc::new(poll.registry().try_clone()?);
        let bell = Waker::new(&registry, BELL)?;
        let sockets = self.sockets.clone();
        let thread = std::thread::Builder::new()
            .name("rustle-io".to_owned())
            .spawn(move || sockets.serve(&mut poll))?;
        *started = Some(Started {
            registry: registry.clone(),
            bell,
            thread,
        });
        Ok(registry)
    }

    /// Ends the thread, and waits for it if asked to.
    pub(crate) fn stop(&self, waits: bool) {
        let Some(started) = locked_surely(&self.started).take() else {
            return;
        };
        self.sockets.is_stopping.store(true, Ordering::Release);
        if let Err(error) = started.bell.wake() {
            // It cannot be reached, and is not waited for.
            logged(|| tracing::error!(%error, "the thread of the sockets could not be woken to end"));
            return;
        }
        if waits && started.thread.join().is_err() {
            logged(|| tracing::error!("the thread of the sockets ended by a panic"));
        }
    }
}

impl Sockets {
    fn serve(&self, poll: &mut Poll) {
        let mut events = Events::with_capacity(MOST_EVENTS);
        while !self.is_stopping.load(Ordering::Acquire) {
            self.turns.fetch_add(1, Ordering::Relaxed);
            match catch_unwind(AssertUnwindSafe(|| self.turn(poll, &mut events))) {
                Ok(Ok(())) => {}
                Ok(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
                Ok(Err(error)) => {
                    // Of an instance that is open and owned, the system reports no other error.
                    logged(|| tracing::error!(%error, "the readiness of sockets is not known any more"));
                    return;
                }
                Err(payload) => {
                    let message = into_panic_message(payload);
                    logged(|| tracing::error!(message, "the thread of the sockets panicked, and continues"));
                }
            }
        }
    }

    fn turn(&self, poll: &mut Poll, events: &mut Events) -> io::Result<()> {
        poll.poll(events, None)?;
        for event in events.iter() {
            let watched = locked_surely(&self.watched).get(&event.token()).cloned();
            // Without one it is the bell, or a socket that is watched no longer.
            let Some(readiness) = watched else { continue };
            if event.is_readable() || event.is_read_closed() || event.is_error() {
                readiness.add_event();
            }
            readiness.session.wake();
        }
        Ok(())
    }
}

/// The interest in the room to write costs a wake for every byte that a peer reads, so that it is for those who wait for room.
fn interest(writes: bool) -> Interest {
    if writes {
        Interest::READABLE | Interest::WRITABLE
    } else {
        Interest::READABLE
    }
}

/// A watched socket, which is dropped before the socket is closed.
pub(crate) struct Watch {
    sockets: Arc<Sockets>,
    registry: Arc<Registry>,
    token: Token,
    socket: RawFd,
    pub(crate) readiness: Arc<Readiness>,
    /// Whether the job waits for room to write: what the system was asked for last.
    writes: Mutex<bool>,
}

impl Watch {
    /// From now on the job is woken when there is room to write, or no longer: who withdraws it has found room, and the job,
    /// which may wait for it, is woken a last time. Does nothing in a fork.
    ///
    /// # Errors
    /// The system has no memory.
    pub(crate) fn set_writes(&self, writes: bool) -> io::Result<()> {
        // Also before the lock, which a thread of the parent may hold.
        if self.readiness.session.check_process().is_err() {
            return Ok(());
        }
        let mut registered = locked_surely(&self.writes);
        if *registered == writes {
            return Ok(());
        }
        (self.registry).reregister(&mut SourceFd(&self.socket), self.token, interest(writes))?;
        *registered = writes;
        drop(registered);
        if !writes {
            self.readiness.session.wake();
        }
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A fork shares the parent's instance: what it removes there, the parent waits for in vain.
        if self.readiness.session.check_process().is_err() {
            return;
        }
        locked_surely(&self.sockets.watched).remove(&self.token);
        // One that was never registered, or whose thread has ended, needs no end.
        drop(self.registry.deregister(&mut SourceFd(&self.socket)));
    }
}

#[cfg(test)]
mod tests;
