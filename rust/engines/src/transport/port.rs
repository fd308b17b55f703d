//! A socket that any thread may use and close, and that wakes a job.

use crate::io::{Urgency, Watch};
use crate::job::PollContext;
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// A socket that does not block, until it is closed.
pub(crate) struct Port<S> {
    open: RwLock<Option<Open<S>>>,
    urgency: Urgency,
}

struct Open<S> {
    /// Dropped before the socket.
    watch: Option<Watch>,
    socket: S,
}

fn is_full<T>(result: &io::Result<T>) -> bool {
    result
        .as_ref()
        .is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

impl<S: AsRawFd> Port<S> {
    /// A socket whose job is woken at each event, or for many.
    pub(crate) fn new(socket: S, urgency: Urgency) -> Self {
        Self {
            open: RwLock::new(Some(Open { watch: None, socket })),
            urgency,
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<Open<S>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call on the socket.
    ///
    /// # Errors
    /// `NotConnected` after the close; those of the call.
    pub(crate) fn with<T>(&self, call: impl FnOnce(&S) -> io::Result<T>) -> io::Result<T> {
        match &*self.read() {
            Some(open) => call(&open.socket),
            None => Err(ErrorKind::NotConnected.into()),
        }
    }

    /// Runs a call that receives, unless nothing has arrived since the last one found nothing.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub(crate) fn receive<T>(&self, call: impl FnOnce(&S) -> io::Result<T>) -> io::Result<T> {
        let open = self.read();
        let open = open.as_ref().ok_or(ErrorKind::NotConnected)?;
        let Some(watch) = &open.watch else {
            return call(&open.socket);
        };
        let events = watch.readiness.events()?;
        let received = call(&open.socket);
        if is_full(&received) {
            watch.readiness.set_tried(events);
        }
        received
    }

    /// Makes the next call that receives ask the system, which may know of bytes before the reactor reports them.
    pub(crate) fn recheck(&self) {
        if let Some(watch) = self.read().as_ref().and_then(|open| open.watch.as_ref()) {
            watch.readiness.add_event();
        }
    }

    /// Runs a call that sends `length` units, and returns how many were. The job is woken when there is room for the rest.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub(crate) fn send(
        &self,
        length: usize,
        call: impl FnOnce(&S) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let open = self.read();
        let open = open.as_ref().ok_or(ErrorKind::NotConnected)?;
        let sent = call(&open.socket);
        if let Some(watch) = &open.watch {
            if is_full(&sent) {
                watch.set_writes(true)?;
            } else if sent.as_ref().is_ok_and(|sent| *sent == length) {
                // It has been sent; what remains at worst is a wake too many.
                drop(watch.set_writes(false));
            }
        }
        sent
    }

    /// Wakes the polled job from now on; `writes`: also when there is room to write, or the connection is made.
    ///
    /// # Errors
    /// The system has no thread, no descriptor or no memory; `NotConnected`.
    pub(crate) fn watch(&self, context: &PollContext<'_>, writes: bool) -> io::Result<()> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let open = open.as_mut().ok_or(ErrorKind::NotConnected)?;
        open.watch = None;
        let watch = context
            .io
            .watch(open.socket.as_raw_fd(), writes, self.urgency, context.session)?;
        open.watch = Some(watch);
        Ok(())
    }

    /// Closes the socket, and wakes its job. Idempotent.
    pub(crate) fn close(&self) {
        let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
        let readiness = open
            .as_ref()
            .and_then(|open| open.watch.as_ref())
            .map(|watch| watch.readiness.clone());
        drop(open);
        if let Some(readiness) = readiness {
            readiness.wake();
        }
    }
}
