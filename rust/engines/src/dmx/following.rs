//! The nodes to which a sender's data go when it follows them: a browser beside it polls, and the sender's thread learns which node lists
//! which Port-Address.

use super::configuration::DmxConfiguration;
use super::error::DmxError;
use super::nodes::{DmxNode, DmxNodes, DmxNodesConfiguration};
use super::transmission::Shared;
use crate::job::Release;
use crate::lock::{Lock, locked};
use crate::outlet::{Delivery, RecordListener};
use crate::runtime::Runtime;
use crate::worker::logged;
use rustle_lighting::{Name, PortAddress};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError, Weak};

/// A Port-Address and a node that lists it.
pub(super) type Subscription = (PortAddress, Ipv4Addr);

/// The way of subscriptions to a sender's thread, which never waits for the browser.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    newest: Mutex<Vec<Subscription>>,
    has_news: AtomicBool,
}

impl Subscriptions {
    pub(super) fn put(&self, all: Vec<Subscription>) {
        *locked(&self.newest, Lock::Mailbox) = all;
        // After the lock: the thread that finds news finds the door open, unless there are more.
        self.has_news.store(true, Ordering::SeqCst);
    }

    /// Whether there are some that the thread has not taken.
    pub(super) fn has_news(&self) -> bool {
        self.has_news.load(Ordering::SeqCst)
    }

    /// The newest ones, by ascending Port-Address; `None`: they are known.
    pub(super) fn take(&self) -> Option<Vec<Subscription>> {
        if !self.has_news.swap(false, Ordering::SeqCst) {
            return None;
        }
        match self.newest.try_lock() {
            Ok(mut newest) => Some(std::mem::take(&mut newest)),
            Err(TryLockError::Poisoned(poisoned)) => Some(std::mem::take(&mut poisoned.into_inner())),
            // Whoever has it leaves news when it is done.
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A browser for a sender. Dropping it ends it.
pub(super) struct Following {
    _nodes: Arc<DmxNodes>,
}

impl Following {
    /// Polls the nodes of the sender's interface.
    ///
    /// # Errors
    /// As those of [`DmxNodes::start`].
    pub(super) fn start(
        runtime: &Arc<Runtime>,
        configuration: &DmxConfiguration,
        shared: &Arc<Shared>,
    ) -> Result<Self, DmxError> {
        let nodes = DmxNodesConfiguration {
            interface: configuration.interface.clone(),
            ..DmxNodesConfiguration::new(short(&configuration.name), configuration.name)
        };
        let nodes = Arc::new(DmxNodes::on(runtime.clone(), nodes)?);
        nodes.start(Delivery::Push(Box::new(Listener {
            nodes: Arc::downgrade(&nodes),
            shared: shared.clone(),
        })))?;
        Ok(Self { _nodes: nodes })
    }
}

/// As much of a name as a node's short name holds.
fn short(name: &Name<64>) -> Name<18> {
    let (text, mut field) = (name.text(), [0; 18]);
    let length = (0..18)
        .rev()
        .find(|length| text.is_char_boundary(*length))
        .unwrap_or(0);
    field[..length].copy_from_slice(&text.as_bytes()[..length]);
    Name::from_field(field)
}

/// Hears of each change of the nodes.
struct Listener {
    nodes: Weak<DmxNodes>,
    shared: Arc<Shared>,
}

impl RecordListener<DmxNode> for Listener {
    fn on_record(&mut self, _: &DmxNode) {
        if let Some(nodes) = self.nodes.upgrade() {
            self.shared.subscriptions.put(nodes.subscriptions());
            self.shared.sleeper.nudge();
        }
    }

    fn on_release(self: Box<Self>, release: Release) {
        if let Release::Failed(reason) | Release::Panicked(reason) = release {
            logged(|| {
                tracing::error!(
                    reason,
                    "nodes are not polled any more: those that were known get the data"
                )
            });
        }
    }
}
