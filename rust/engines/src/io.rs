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
use std::time::Duration;

/// The most events of one turn; further ones come with the next.
const MOST_EVENTS: usize = 1_024;

/// The token of the thread's own bell. Sockets count up from 0.
const BELL: Token = Token(usize::MAX);

/// The time in which the events of sockets that may wait are collected: packets that follow each other at once, as those of a frame
/// do, would else wake the thread and a worker each, for more processor time than all other work takes.
const COLLECTION: Duration = Duration::from_micros(500);

/// When a socket's job is woken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// At each event.
    Now,
    /// At the first event, and then for all that come within [`COLLECTION`].
    Collected,
}

/// Whether bytes or an end may wait to be read.
pub(crate) struct Readiness {
    /// How often the socket became ready, with the first try.
    events: AtomicU64,
    /// The events before the last try that found nothing.
    tried: AtomicU64,
    /// Whether it is not known any more.
    is_lost: AtomicBool,
    session: Session,
    urgency: Urgency,
}

impl Readiness {
    fn new(session: Session, urgency: Urgency) -> Self {
        Self {
            urgency,
            events: AtomicU64::new(1),
            tried: AtomicU64::new(0),
            is_lost: AtomicBool::new(false),
            session,
        }
    }

    /// The events so far, for a try.
    ///
    /// # Errors
    /// `WouldBlock`: nothing has come since a try found nothing. That of [`is_lost`]: it is not known whether anything has.
    pub(crate) fn events(&self) -> io::Result<u64> {
        if self.is_lost.load(Ordering::Acquire) {
            return Err(io::Error::other(
                "the system no longer reports which sockets are ready",
            ));
        }
        let events = self.events.load(Ordering::Acquire);
        if self.tried.load(Ordering::Acquire) < events {
            Ok(events)
        } else {
            Err(ErrorKind::WouldBlock.into())
        }
    }

    /// A try after these events found nothing: what came meanwhile is tried again.
    pub(crate) fn set_tried(&self, events: u64) {
        self.tried.fetch_max(events, Ordering::AcqRel);
    }

    /// The next call tries, without a wake.
    pub(crate) fn add_event(&self) {
        self.events.fetch_add(1, Ordering::AcqRel);
    }

    /// Its thread has ended: the next call that receives says so.
    fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
        self.wake();
    }

    /// Wakes the job, unless this is a fork, which has no worker.
    pub(crate) fn wake(&self) {
        if self.session.check_process().is_ok() {
            self.session.wake();
        }
    }
}

/// Whether a call that receives failed because its socket is watched no longer: it is to be watched anew.
pub(crate) fn is_lost(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Other
}

/// What the thread and the sockets share.
#[derive(Default)]
struct Sockets {
    watched: Mutex<HashMap<Token, Arc<Readiness>>>,
    tokens: AtomicUsize,
    is_stopping: AtomicBool,
    /// Whether the thread has ended by an error: no socket is reported any more.
    has_failed: AtomicBool,
    /// How often the thread has waited for events.
    turns: AtomicU64,
}

struct Started {
    sockets: Arc<Sockets>,
    registry: Arc<Registry>,
    bell: Waker,
    thread: JoinHandle<()>,
}

/// The reactor of a runtime. Its thread starts with the first socket, and again with the next one after an error that ended it.
#[derive(Default)]
pub(crate) struct Io {
    started: Mutex<Option<Started>>,
    /// For what a job needs and the thread cannot wait for.
    pub(crate) lookups: Arc<Lookups>,
}

impl Io {
    /// Watches a socket for a job of this process until the [`Watch`] is dropped. The job is woken for what is ready now, and
    /// whenever that changes.
    ///
    /// # Errors
    /// The system has no thread, no descriptor or no memory.
    pub(crate) fn watch(
        &self,
        socket: RawFd,
        writes: bool,
        urgency: Urgency,
        session: &Session,
    ) -> io::Result<Watch> {
        let (sockets, registry) = self.thread()?;
        let token = Token(sockets.tokens.fetch_add(1, Ordering::Relaxed));
        let readiness = Arc::new(Readiness::new(session.clone(), urgency));
        // The thread must find whom to wake as soon as the system reports the socket.
        locked_surely(&sockets.watched).insert(token, readiness.clone());
        let watch = Watch {
            sockets,
            registry,
            token,
            socket,
            readiness,
            writes: Mutex::new(writes),
        };
        (watch.registry).register(&mut SourceFd(&socket), token, interest(writes))?;
        // Else the thread marks it when it fails.
        if watch.sockets.has_failed.load(Ordering::SeqCst) {
            watch.readiness.lose();
        }
        Ok(watch)
    }

    fn thread(&self) -> io::Result<(Arc<Sockets>, Arc<Registry>)> {
        let mut started = locked_surely(&self.started);
        let works = |started: &&Started| !started.sockets.has_failed.load(Ordering::SeqCst);
        if let Some(started) = started.as_ref().filter(works) {
            return Ok((started.sockets.clone(), started.registry.clone()));
        }
        let mut poll = Poll::new()?;
        let registry = Arc::new(poll.registry().try_clone()?);
        let bell = Waker::new(&registry, BELL)?;
        let sockets = Arc::new(Sockets::default());
        let of_thread = sockets.clone();
        let thread = std::thread::Builder::new()
            .name("rustle-io".to_owned())
            .spawn(move || {
                let mut events = Events::with_capacity(MOST_EVENTS);
                of_thread.serve(|sockets| sockets.turn(&mut poll, &mut events));
            })?;
        *started = Some(Started {
            sockets: sockets.clone(),
            registry: registry.clone(),
            bell,
            thread,
        });
        Ok((sockets, registry))
    }

    /// Ends the thread, and waits for it if asked to.
    pub(crate) fn stop(&self, waits: bool) {
        let Some(started) = locked_surely(&self.started).take() else {
            return;
        };
        started.sockets.is_stopping.store(true, Ordering::Release);
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

#[cfg(test)]
impl Io {
    /// Does what the thread does when the system's wait fails.
    pub(crate) fn fail(&self) {
        if let Some(started) = &*locked_surely(&self.started) {
            started.sockets.fail();
        }
    }
}

impl Sockets {
    fn serve(&self, mut turn: impl FnMut(&Self) -> io::Result<Urgency>) {
        while !self.is_stopping.load(Ordering::Acquire) {
            self.turns.fetch_add(1, Ordering::Relaxed);
            match catch_unwind(AssertUnwindSafe(|| turn(self))) {
                Ok(Ok(Urgency::Now)) => {}
                Ok(Ok(Urgency::Collected)) => collect(),
                Ok(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
                Ok(Err(error)) => {
                    // Of an instance that is open the system reports no other error: somebody closed it, or took its memory.
                    logged(|| tracing::error!(%error, "the readiness of sockets is not known any more"));
                    return self.fail();
                }
                Err(payload) => {
                    let message = into_panic_message(payload);
                    logged(|| tracing::error!(message, "the thread of the sockets panicked, and continues"));
                }
            }
        }
    }

    /// Lets all jobs know that their sockets are not watched any more.
    fn fail(&self) {
        self.has_failed.store(true, Ordering::SeqCst);
        let watched: Vec<_> = locked_surely(&self.watched).values().cloned().collect();
        watched.iter().for_each(|readiness| readiness.lose());
    }

    /// Waits for events and wakes their jobs. Returns whether all of them may wait for others.
    fn turn(&self, poll: &mut Poll, events: &mut Events) -> io::Result<Urgency> {
        poll.poll(events, None)?;
        let mut urgency = Urgency::Collected;
        for event in events.iter() {
            let watched = locked_surely(&self.watched).get(&event.token()).cloned();
            // Without one it is the bell, or a socket that is watched no longer.
            let Some(readiness) = watched else {
                urgency = Urgency::Now;
                continue;
            };
            if readiness.urgency == Urgency::Now {
                urgency = Urgency::Now;
            }
            if event.is_readable() || event.is_read_closed() || event.is_error() {
                readiness.add_event();
            }
            readiness.session.wake();
        }
        Ok(urgency)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the thread has woken all jobs, and only collects what wakes them next"
)]
fn collect() {
    std::thread::sleep(COLLECTION);
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
