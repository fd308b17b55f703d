//! The replies of our own node to ArtPolls.

use crate::clock::Nanoseconds;
use crate::transport::Transport;
use crate::worker::logged;
use rustle_lighting::PortAddress;
use rustle_lighting::artnet::Poll;
use rustle_lighting::nodes::{OwnNode, OwnNodeSettings, PortStatus};
use std::net::Ipv4Addr;

/// Our own node.
pub(super) struct Answers {
    node: OwnNode,
    port: u16,
}

impl Answers {
    /// A node that outputs these Port-Addresses, and replies to a port.
    pub(super) fn new(
        settings: OwnNodeSettings,
        ports: impl IntoIterator<Item = PortAddress>,
        port: u16,
    ) -> Self {
        let mut node = OwnNode::new(settings);
        node.set_ports(ports);
        let unlisted = node.unlisted_ports();
        if unlisted > 0 {
            logged(|| {
                tracing::warn!(
                    unlisted,
                    "a node has 255 replies, which do not list all Port-Addresses: who sends to subscribers alone leaves out the others"
                );
            });
        }
        Self { node, port }
    }

    /// Takes a poll.
    pub(super) fn hear(&mut self, now: Nanoseconds, from: Ipv4Addr, poll: &Poll) {
        self.node.hear(now, from, poll);
    }

    /// When replies are due next.
    pub(super) fn next_ns(&self) -> Option<Nanoseconds> {
        self.node.next_ns()
    }

    /// Sends the replies that are due, with the state of the ports. Returns how many were sent and how many refused.
    pub(super) fn send(
        &mut self,
        now: Nanoseconds,
        transport: &dyn Transport,
        ports: &[PortAddress],
        status: impl Fn(PortAddress) -> PortStatus,
    ) -> (u64, u64) {
        let is_due = |node: &OwnNode| node.next_ns().is_some_and(|due| due <= now);
        if is_due(&self.node) || self.node.is_watched() {
            for port in ports {
                self.node.set_status(now, *port, status(*port));
            }
        }
        if !is_due(&self.node) {
            return (0, 0);
        }
        let (mut sent, mut refused) = (0, 0);
        let to = self.port;
        self.node.advance(now, |asker, bytes| {
            let is_sent = transport.try_send(bytes, Some((asker, to).into())).is_ok();
            *(if is_sent { &mut sent } else { &mut refused }) += 1;
        });
        (sent, refused)
    }
}
