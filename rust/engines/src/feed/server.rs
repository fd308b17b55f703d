//! A feed for other processes.

mod access;
mod client;
mod figures;
mod listener;
mod text;

pub use access::{Access, TOKEN_BYTES};
pub use figures::{ClientStatistics, ServerCounts};

pub(super) use access::check_token;

use super::Policy;
use super::consumers::Consumers;
use super::error::FeedError;
use super::live::FeedAddress;
use crate::clock::Nanoseconds;
use crate::io::is_lost;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Doorbell;
use crate::lock::locked_surely;
use crate::panic_text::into_panic_message;
use crate::session::Session;
use crate::transport::{Stream, Transport};
use access::Applicant;
use client::Client;
use figures::{Changes, Figures};
use listener::{Accepted, Listener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest silence towards a client.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// The most clients at a time; further ones are refused.
const MOST_CLIENTS: usize = 1_024;

/// The most connections that have not sent their token yet; for a further one the oldest is refused.
const MOST_APPLICANTS: usize = 64;

/// The most connections that are accepted in a poll: others at the same place have their turn then.
const MOST_AT_ONCE: usize = 64;

/// The wait after a connection that could not be accepted, for want of descriptors or memory.
const RETRY: Nanoseconds = 100_000_000;

/// Serves a feed until it is cancelled or dropped, until the feed is shut down, or until the feed has ended and every client has
/// read all of it.
pub struct FeedServer {
    address: FeedAddress,
    figures: Arc<Figures>,
    session: Session,
}

impl FeedServer {
    pub(super) fn new(
        address: &FeedAddress,
        policy: Policy,
        access: Access,
        consumers: Arc<Consumers>,
        bell: impl Doorbell + 'static,
    ) -> Result<Self, FeedError> {
        let refusal = |error| FeedError::Address {
            address: address.clone(),
            error,
        };
        access.check(address)?;
        let listener = Listener::new(address, &access).map_err(refusal)?;
        let address = listener.address().clone();
        let figures = Arc::new(Figures::default());
        let session = consumers.servers.start(|| {
            Box::new(Serving {
                listener,
                is_watched: false,
                policy,
                access,
                consumers: consumers.clone(),
                figures: figures.clone(),
                reported: Changes::default(),
                applicants: Vec::new(),
                clients: Vec::new(),
                bell: Box::new(bell),
                ending: Arc::default(),
            })
        })?;
        consumers.hub.awaits_end(session.clone());
        Ok(Self {
            address,
            figures,
            session,
        })
    }

    /// Its address, with the port that the system chose where 0 was given.
    pub fn address(&self) -> &FeedAddress {
        &self.address
    }

    /// The number of present clients.
    pub fn clients(&self) -> usize {
        self.figures.clients()
    }

    /// The totals so far.
    pub fn counts(&self) -> ServerCounts {
        self.figures.counts()
    }

    /// The counts of each present client, the oldest first.
    pub fn client_statistics(&self) -> Vec<ClientStatistics> {
        self.figures.client_statistics()
    }

    /// Requests the end: clients are disconnected, the address is released, and then the bell. Idempotent.
    pub fn cancel(&self) {
        self.session.cancel();
    }
}

impl Drop for FeedServer {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The end of a server: its last job releases the bell.
#[derive(Default)]
struct Ending(Mutex<Option<(Box<dyn Doorbell>, Release)>>);

impl Ending {
    fn set(&self, bell: Box<dyn Doorbell>, release: Release) {
        *locked_surely(&self.0) = Some((bell, release));
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some((bell, release)) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take()
            && let Err(payload) = catch_unwind(AssertUnwindSafe(|| bell.on_release(release)))
        {
            let message = into_panic_message(payload);
            tracing::error!(message, "a listener panicked in its release");
        }
    }
}

/// The job that accepts clients.
struct Serving {
    listener: Listener,
    is_watched: bool,
    policy: Policy,
    access: Access,
    consumers: Arc<Consumers>,
    figures: Arc<Figures>,
    /// The coming and going of clients that the bell has rung for.
    reported: Changes,
    applicants: Vec<Applicant>,
    clients: Vec<Session>,
    bell: Box<dyn Doorbell>,
    ending: Arc<Ending>,
}

/// What is left when connections were accepted.
#[derive(Clone, Copy)]
enum Rest {
    /// None waits.
    None,
    /// Others may wait.
    More,
    /// One could not be accepted.
    Failed,
}

impl Serving {
    fn accept(&mut self, context: &PollContext<'_>) -> Rest {
        for _ in 0..MOST_AT_ONCE {
            match self.listener.accept(&self.consumers.clock) {
                Ok(Accepted::OutOfFiles) => self.refuse("the process may open too few files"),
                Ok(Accepted::Client(_)) if self.figures.clients() >= MOST_CLIENTS => {
                    self.refuse("there are too many")
                }
                Ok(Accepted::Client(stream)) => {
                    if self.access.token().is_some() {
                        self.await_token(stream, context);
                    } else {
                        self.admit(stream, Vec::new(), context);
                    }
                }
                Ok(Accepted::Nobody) => return Rest::None,
                Err(error) => {
                    tracing::warn!(%error, "a client could not be accepted");
                    self.is_watched &= !is_lost(&error);
                    return Rest::Failed;
                }
            }
        }
        Rest::More
    }

    fn await_token(&mut self, stream: Stream, context: &PollContext<'_>) {
        if self.applicants.len() == MOST_APPLICANTS {
            self.applicants.remove(0);
            self.refuse("it sent no token before many others came");
        }
        match stream.watch(context) {
            Ok(()) => self.applicants.push(Applicant::new(stream, context.now())),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    fn check_applicants(&mut self, context: &PollContext<'_>) {
        for mut applicant in std::mem::take(&mut self.applicants) {
            match applicant.admit(self.access.token().unwrap_or_default(), context.now()) {
                Ok(None) => self.applicants.push(applicant),
                Ok(Some(_)) if self.figures.clients() >= MOST_CLIENTS => self.refuse("there are too many"),
                Ok(Some(read_ahead)) => self.admit(applicant.stream, read_ahead, context),
                Err(reason) => self.refuse(reason),
            }
        }
    }

    fn admit(&mut self, stream: Stream, read_ahead: Vec<u8>, context: &PollContext<'_>) {
        let client = Client {
            stream,
            read_ahead,
            figures: self.figures.clone(),
            ending: self.ending.clone(),
            server: context.session.clone(),
        };
        match client.start(self.policy, &self.consumers) {
            Ok(session) => {
                self.clients.retain(|session| !session.is_released());
                self.clients.push(session);
            }
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    fn refuse(&self, reason: &str) {
        self.figures.refuse();
        tracing::warn!(reason, "a client was refused");
    }
}

impl Job for Serving {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if !self.is_watched {
            // Without descriptors the system watches nothing; they may be there again.
            if let Err(error) = self.listener.watch(context) {
                tracing::warn!(%error, "clients cannot be waited for yet");
                return Step::At(context.now().saturating_add(RETRY));
            }
            self.is_watched = true;
        }
        let rest = self.accept(context);
        self.check_applicants(context);
        let changes = self.figures.changes();
        if std::mem::replace(&mut self.reported, changes) != changes {
            self.bell.on_ready();
        }
        // Checked after clients that connected before the end were accepted; who has sent no token is not waited for.
        if !matches!(rest, Rest::More) && self.figures.clients() == 0 {
            match self.consumers.hub.outcome() {
                Some(Ok(())) => return Step::End,
                Some(Err(reason)) => return Step::Fail(reason),
                None => {}
            }
        }
        let retry = match rest {
            Rest::None => None,
            Rest::More => Some(context.now()),
            Rest::Failed => context.now().checked_add(RETRY),
        };
        let limits = self.applicants.iter().map(Applicant::deadline).chain(retry);
        limits.min().map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, release: Release) {
        self.ending.set(self.bell, release);
        // Closed before the clients are: one that reconnects at once must not find an abandoned listener.
        drop(self.listener);
        self.clients.iter().for_each(Session::cancel);
    }
}
