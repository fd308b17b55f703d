//! Connecting to the address of a feed, in steps that do not block.

use super::address::FeedAddress;
use crate::clock::{Clock, Nanoseconds};
use crate::job::PollContext;
use crate::transport::{Stream, Transport};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

/// The wait between attempts at a server in the file system whose queue is full: nothing reports when there is room.
const RETRY: Nanoseconds = 20_000_000;

/// The result of a call that may block in the system, on another thread.
type Answer<T> = Receiver<io::Result<T>>;

/// The attempts to connect to one address.
pub(super) struct Dialer {
    address: FeedAddress,
    patience: Duration,
    clock: Arc<dyn Clock>,
    stage: Stage,
    /// The addresses of the host that were not tried yet, the next one last.
    untried: Vec<SocketAddr>,
    /// The error of the address that was tried last.
    last: Option<io::Error>,
}

/// An answer that takes longer than the patience cannot be called off: it stays for the next attempt.
enum Stage {
    Idle,
    /// The host's name is looked up.
    Naming(Answer<Vec<SocketAddr>>),
    /// A connection of TCP is made, until this time.
    Calling(Stream, Nanoseconds),
    /// The queue of a server in the file system is full.
    Queueing,
}

/// The state of an attempt.
pub(super) enum Dialing {
    /// It is under way; the job is woken, or polls again at this time.
    Until(Nanoseconds),
    /// It is over. The stream wakes the job.
    Over(io::Result<Stream>),
}

impl Dialer {
    pub(super) fn new(address: FeedAddress, patience: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            address,
            patience,
            clock,
            stage: Stage::Idle,
            untried: Vec::new(),
            last: None,
        }
    }

    /// Continues the attempt that began at `begun`. It has the patience, and so has each address of a host.
    pub(super) fn poll(&mut self, begun: Nanoseconds, context: &PollContext<'_>) -> Dialing {
        match self.step(context) {
            Ok(Some(stream)) => Dialing::Over(stream.watch(context).map(|()| stream)),
            Err(error) => Dialing::Over(Err(error)),
            Ok(None) => {
                let deadline = match &self.stage {
                    Stage::Calling(_, deadline) => *deadline,
                    _ => self.deadline(begun),
                };
                if context.now() < deadline {
                    let retry = match &self.stage {
                        Stage::Queueing => context.now().saturating_add(RETRY),
                        _ => deadline,
                    };
                    return Dialing::Until(retry.min(deadline));
                }
                let text = format!("expected a connection within {:?}, got none", self.patience);
                Dialing::Over(Err(io::Error::new(ErrorKind::TimedOut, text)))
            }
        }
    }

    fn deadline(&self, since: Nanoseconds) -> Nanoseconds {
        let patience = Nanoseconds::try_from(self.patience.as_nanos()).unwrap_or(Nanoseconds::MAX);
        since.saturating_add(patience)
    }

    fn step(&mut self, context: &PollContext<'_>) -> io::Result<Option<Stream>> {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle | Stage::Queueing => self.begin(context),
            Stage::Naming(answer) => match answered(&answer)? {
                Some(addresses) => {
                    self.untried = addresses;
                    self.untried.reverse();
                    self.call(context)
                }
                None => self.wait(Stage::Naming(answer)),
            },
            Stage::Calling(stream, deadline) => match stream.is_connected() {
                Ok(true) => Ok(Some(stream)),
                Ok(false) if context.now() < deadline => self.wait(Stage::Calling(stream, deadline)),
                Ok(false) => {
                    self.last = Some(io::Error::new(ErrorKind::TimedOut, "connection timed out"));
                    self.call(context)
                }
                Err(error) => {
                    self.last = Some(error);
                    self.call(context)
                }
            },
        }
    }

    fn wait(&mut self, stage: Stage) -> io::Result<Option<Stream>> {
        self.stage = stage;
        Ok(None)
    }

    fn begin(&mut self, context: &PollContext<'_>) -> io::Result<Option<Stream>> {
        match &self.address {
            FeedAddress::Tcp { host, port } => {
                if let Ok(ip) = host.parse::<IpAddr>() {
                    self.untried = vec![(ip, *port).into()];
                    return self.call(context);
                }
                let name = (host.clone(), *port);
                let look_up = move || Ok((name.0.as_str(), name.1).to_socket_addrs()?.collect());
                let answer = context.io.lookups.make(context.session, look_up)?;
                self.wait(Stage::Naming(answer))
            }
            FeedAddress::Unix(path) => match Stream::connect_to_path(path, self.clock.clone()) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(Stage::Queueing),
                result => result.map(Some),
            },
        }
    }

    /// Calls the untried addresses until one does not refuse at once.
    fn call(&mut self, context: &PollContext<'_>) -> io::Result<Option<Stream>> {
        while let Some(address) = self.untried.pop() {
            let called = Stream::connect(address, self.clock.clone())
                .and_then(|stream| stream.watch(context).map(|()| stream));
            match called.and_then(|stream| Ok((stream.is_connected()?, stream))) {
                Ok((true, stream)) => return Ok(Some(stream)),
                Ok((false, stream)) => {
                    let deadline = self.deadline(context.now());
                    return self.wait(Stage::Calling(stream, deadline));
                }
                Err(error) => self.last = Some(error),
            }
        }
        let none = || io::Error::new(ErrorKind::NotFound, "the host has no address");
        Err(self.last.take().unwrap_or_else(none))
    }
}

/// The answer, if it is there.
fn answered<T>(answer: &Answer<T>) -> io::Result<Option<T>> {
    match answer.try_recv() {
        Ok(answer) => answer.map(Some),
        Err(TryRecvError::Empty) => Ok(None),
        Err(TryRecvError::Disconnected) => Err(ErrorKind::ConnectionAborted.into()),
    }
}
