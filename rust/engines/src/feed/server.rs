//! A feed for other processes.

mod access;
mod client;
mod figures;
mod listener;

pub use access::{Access, TOKEN_BYTES};
pub use figures::{ClientStatistics, ServerCounts};

pub(super) use access::check_token;

use super::Policy;
use super::consumers::Consumers;
use super::error::FeedError;
use super::live::{Connection, FeedAddress};
use crate::job::Release;
use crate::lane::Doorbell;
use crate::lock::locked_surely;
use crate::own_thread::{OwnThread, POLL_INTERVAL};
use crate::panic_text::into_panic_message;
use crate::runtime::RuntimeError;
use access::Applicant;
use client::Client;
use figures::Figures;
use listener::Listener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest silence towards a client.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// The most clients at a time; further ones are refused.
const MOST_CLIENTS: usize = 1_024;

/// The most connections that have not sent their token yet; for a further one the oldest is refused.
const MOST_APPLICANTS: usize = 64;

/// Serves a feed until it is cancelled or dropped, until the feed is shut down, or until the feed has ended and every client has
/// read all of it.
pub struct FeedServer {
    address: FeedAddress,
    figures: Arc<Figures>,
    thread: Arc<OwnThread>,
}

impl FeedServer {
    pub(super) fn new(
        address: &FeedAddress,
        policy: Policy,
        access: Access,
        consumers: Arc<Consumers>,
        mut bell: impl Doorbell + 'static,
    ) -> Result<Self, FeedError> {
        let refusal = |error| FeedError::Address {
            address: address.clone(),
            error,
        };
        access.check(address)?;
        let listener = Listener::new(address, &access).map_err(refusal)?;
        let address = listener.address().map_err(refusal)?;
        let figures = Arc::new(Figures::default());
        let ending = Arc::new(Ending::default());
        let counted = figures.clone();
        let thread = OwnThread::start("rustle-serve", move |is_leaving| {
            let serving = Serving {
                policy,
                access,
                consumers,
                figures: counted,
                ending: ending.clone(),
            };
            let release = catch_unwind(AssertUnwindSafe(|| serving.run(listener, &mut bell, is_leaving)));
            let release = release.unwrap_or_else(|payload| Release::Panicked(into_panic_message(payload)));
            // Reported by the last thread, once the name in the file system or the port is free.
            ending.set(Box::new(bell), release);
            Ok(())
        });
        Ok(Self {
            address,
            figures,
            thread: thread.map_err(|error| FeedError::Runtime(RuntimeError::Thread(error)))?,
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
        self.thread.leave(|| {});
    }
}

impl Drop for FeedServer {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The end of a server: its last thread releases the bell.
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

/// The state of the thread that accepts clients.
struct Serving {
    policy: Policy,
    access: Access,
    consumers: Arc<Consumers>,
    figures: Arc<Figures>,
    ending: Arc<Ending>,
}

impl Serving {
    /// Serves, and returns how it ended.
    fn run(&self, listener: Listener, bell: &mut impl Doorbell, is_leaving: &AtomicBool) -> Release {
        let mut clients: Vec<Client> = Vec::new();
        let mut applicants: Vec<Applicant> = Vec::new();
        // Closed before the clients are: one that reconnects at once must not find an abandoned listener.
        let listener = listener;
        loop {
            if is_leaving.load(Ordering::Acquire) || self.consumers.sessions.is_shut_down() {
                return Release::Cancelled;
            }
            let before = clients.len();
            clients.retain(|client| !client.is_gone());
            let mut has_changed = clients.len() != before;
            let mut is_idle = false;
            match listener.accept() {
                Ok(Some(_)) if clients.len() >= MOST_CLIENTS => self.turn_away("there are too many"),
                Ok(Some(connection)) => {
                    if applicants.len() == MOST_APPLICANTS {
                        applicants.remove(0);
                        self.turn_away("it sent no token before many others came");
                    }
                    applicants.push(Applicant::new(connection, self.consumers.clock.now()));
                }
                Ok(None) => is_idle = true,
                Err(error) => {
                    tracing::warn!(%error, "a client could not be accepted");
                    is_idle = true;
                }
            }
            for mut applicant in std::mem::take(&mut applicants) {
                match applicant.admit(self.access.token(), self.consumers.clock.now()) {
                    Ok(None) => applicants.push(applicant),
                    Ok(Some(read_ahead)) => match self.start(applicant.connection, read_ahead) {
                        Ok(client) => {
                            clients.push(client);
                            has_changed = true;
                        }
                        Err(error) => self.turn_away(&error),
                    },
                    Err(reason) => self.turn_away(reason),
                }
            }
            if has_changed {
                bell.on_ready();
            }
            // Checked after clients that connected before the end were accepted; who has sent no token is not waited for.
            if is_idle && clients.is_empty() {
                match self.consumers.hub.outcome() {
                    Some(Ok(())) => return Release::Ended,
                    Some(Err(reason)) => return Release::Failed(reason),
                    None => {}
                }
            }
            if is_idle {
                OwnThread::rest(POLL_INTERVAL, is_leaving);
            }
        }
    }

    fn start(&self, connection: Connection, read_ahead: Vec<u8>) -> Result<Client, String> {
        let (policy, consumers) = (self.policy, &self.consumers);
        Client::start(
            connection,
            read_ahead,
            policy,
            consumers,
            &self.figures,
            &self.ending,
        )
    }

    fn turn_away(&self, reason: &str) {
        self.figures.refuse();
        tracing::warn!(reason, "a client was refused");
    }
}
