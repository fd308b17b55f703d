//! The nodes that are seen.

use super::{GatewayId, NodeId, SessionId};
use crate::beats::HostTime;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddrV4;

/// The entries of nodes at most, one for each gateway by which a node is seen; further ones are dropped.
pub const MAX_PEERS: usize = 4_096;

/// A node as one gateway sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its session.
    pub session: SessionId,
    /// The address of its responder.
    pub responder: Option<SocketAddrV4>,
    /// When it is gone, unless it is heard again.
    pub expires: HostTime,
}

/// The nodes by gateway and identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers {
    entries: BTreeMap<(GatewayId, NodeId), Peer>,
    /// No entry expires before; `None`: there is none.
    expiry: Option<HostTime>,
}

impl Peers {
    /// Adds or refreshes a node; returns what was known of it. `Err`: there is no room.
    pub(super) fn set(&mut self, gateway: GatewayId, node: NodeId, peer: Peer) -> Result<Option<Peer>, ()> {
        let key = (gateway, node);
        if self.entries.len() >= MAX_PEERS && !self.entries.contains_key(&key) {
            return Err(());
        }
        self.expiry = Some(
            self.expiry
                .map_or(peer.expires, |expiry| expiry.min(peer.expires)),
        );
        Ok(self.entries.insert(key, peer))
    }

    /// Removes the entries that a rule finds; returns whether there was one.
    pub(super) fn remove(&mut self, is_gone: impl Fn(GatewayId, NodeId, &Peer) -> bool) -> bool {
        let before = self.entries.len();
        self.entries
            .retain(|(gateway, node), peer| !is_gone(*gateway, *node, peer));
        self.expiry = self.entries.values().map(|peer| peer.expires).min();
        self.entries.len() < before
    }

    /// Removes one entry.
    pub(super) fn remove_one(&mut self, gateway: GatewayId, node: NodeId) -> bool {
        self.entries.remove(&(gateway, node)).is_some()
    }

    /// The time at which an entry may expire.
    pub(super) fn next(&self) -> Option<HostTime> {
        self.expiry
    }

    /// The nodes of a session, each once.
    pub(super) fn count(&self, session: SessionId) -> usize {
        let nodes: BTreeSet<_> = self.of(session).map(|(_, node, _)| node).collect();
        nodes.len()
    }

    /// The entries of a session, by gateway and identity.
    pub(super) fn of(&self, session: SessionId) -> impl Iterator<Item = (GatewayId, NodeId, &Peer)> {
        self.all().filter(move |(_, _, peer)| peer.session == session)
    }

    /// All entries.
    pub(super) fn all(&self) -> impl Iterator<Item = (GatewayId, NodeId, &Peer)> {
        self.entries
            .iter()
            .map(|((gateway, node), peer)| (*gateway, *node, peer))
    }

    /// The node by which a session is measured, of those that may be: its founder, else the node with the smallest identity, by the first
    /// gateway that reaches it; after failures the next gateways and nodes in turn.
    pub(super) fn reference(
        &self,
        session: SessionId,
        failures: usize,
        may_be: impl Fn(NodeId) -> bool,
    ) -> Option<(NodeId, GatewayId, SocketAddrV4)> {
        let candidates = self.of(session).filter(|(_, node, _)| may_be(*node));
        let reachable = candidates.filter_map(|(gateway, node, peer)| {
            let is_founder = node == session.founder();
            Some(((!is_founder, node, gateway), peer.responder?))
        });
        let mut reachable: Vec<_> = reachable.collect();
        reachable.sort_unstable();
        let ((_, node, gateway), responder) = *reachable.get(failures.checked_rem(reachable.len())?)?;
        Some((node, gateway, responder))
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
