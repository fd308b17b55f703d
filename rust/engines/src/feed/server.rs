//! A feed for other processes.

mod client;
mod listener;

use super::Policy;
use super::consumers::Consumers;
use super::error::FeedError;
use super::live::FeedAddress;
use crate::own_thread::{LOOK, OwnThread};
use crate::runtime::RuntimeError;
use client::Client;
use listener::Listener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How long a client hears nothing at the most.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// The most clients at a time; those that come then are turned away.
const MOST_CLIENTS: usize = 1_024;

/// Serves a feed until it is dropped; its clients are disconnected then.
pub struct FeedServer {
    address: FeedAddress,
    clients: Arc<AtomicUsize>,
    thread: Arc<OwnThread>,
}

impl FeedServer {
    pub(super) fn new(
        address: &FeedAddress,
        policy: Policy,
        consumers: Arc<Consumers>,
    ) -> Result<Self, FeedError> {
        let refusal = |error| FeedError::Address {
            address: address.clone(),
            error,
        };
        let listener = Listener::new(address).map_err(refusal)?;
        let address = listener.address().map_err(refusal)?;
        let clients = Arc::new(AtomicUsize::new(0));
        let counted = clients.clone();
        let thread = OwnThread::start("rustle-serve", move |is_leaving| {
            accept(&listener, policy, &consumers, &counted, is_leaving);
            Ok(())
        });
        Ok(Self {
            address,
            clients,
            thread: thread.map_err(|error| FeedError::Runtime(RuntimeError(error)))?,
        })
    }

    /// Where it is: with the port that was found, where none was asked for.
    pub fn address(&self) -> &FeedAddress {
        &self.address
    }

    /// How many clients there are.
    pub fn clients(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }
}

impl Drop for FeedServer {
    fn drop(&mut self) {
        self.thread.leave(|| {});
    }
}

fn accept(
    listener: &Listener,
    policy: Policy,
    consumers: &Consumers,
    count: &AtomicUsize,
    is_leaving: &AtomicBool,
) {
    let mut clients: Vec<Client> = Vec::new();
    while !is_leaving.load(Ordering::Acquire) {
        clients.retain(|client| !client.is_gone());
        count.store(clients.len(), Ordering::Relaxed);
        match listener.accept() {
            Ok(Some(connection)) if clients.len() < MOST_CLIENTS => {
                match Client::start(connection, policy, consumers) {
                    Ok(client) => clients.push(client),
                    Err(error) => tracing::warn!(error, "a client was turned away"),
                }
            }
            Ok(Some(_)) => tracing::warn!(
                clients = MOST_CLIENTS,
                "a client was turned away: there are too many"
            ),
            Ok(None) => OwnThread::rest(LOOK, is_leaving),
            Err(error) => {
                tracing::warn!(%error, "a client could not be taken in");
                OwnThread::rest(LOOK, is_leaving);
            }
        }
    }
}
