//! The nodes that are seen.

use super::{GatewayId, NodeId, SessionId};
use crate::beats::HostTime;
use std::collections::BTreeMap;
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

/// The numbers of nodes, kept while they come and go: a flood would have them counted for each message.
#[derive(Clone, Debug, Default)]
struct Census {
    /// By how many gateways a node of a session is seen.
    gateways: BTreeMap<(SessionId, NodeId), usize>,
    /// How many nodes a session has.
    nodes: BTreeMap<SessionId, usize>,
}

impl Census {
    fn came(&mut self, session: SessionId, node: NodeId) {
        let gateways = self.gateways.entry((session, node)).or_default();
        *gateways += 1;
        if *gateways == 1 {
            *self.nodes.entry(session).or_default() += 1;
        }
    }

    fn went(&mut self, session: SessionId, node: NodeId) {
        if one_less(&mut self.gateways, (session, node)) {
            one_less(&mut self.nodes, session);
        }
    }
}

/// Counts one less; returns whether that was the last.
fn one_less<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) -> bool {
    match counts.get_mut(&key) {
        Some(count) if *count > 1 => {
            *count -= 1;
            false
        }
        _ => counts.remove(&key).is_some(),
    }
}

/// The nodes by gateway and identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers {
    entries: BTreeMap<(GatewayId, NodeId), Peer>,
    census: Census,
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
        let before = self.entries.insert(key, peer);
        if before.map(|before| before.session) != Some(peer.session) {
            self.census.came(peer.session, node);
            if let Some(before) = before {
                self.census.went(before.session, node);
            }
        }
        Ok(before)
    }

    /// Removes the entries that a rule finds; returns whether there was one.
    pub(super) fn remove(&mut self, is_gone: impl Fn(GatewayId, NodeId, &Peer) -> bool) -> bool {
        let before = self.entries.len();
        let census = &mut self.census;
        self.entries.retain(|(gateway, node), peer| {
            let is_kept = !is_gone(*gateway, *node, peer);
            if !is_kept {
                census.went(peer.session, *node);
            }
            is_kept
        });
        self.expiry = self.entries.values().map(|peer| peer.expires).min();
        self.entries.len() < before
    }

    /// Removes one entry.
    pub(super) fn remove_one(&mut self, gateway: GatewayId, node: NodeId) -> bool {
        let removed = self.entries.remove(&(gateway, node));
        if let Some(peer) = removed {
            self.census.went(peer.session, node);
        }
        removed.is_some()
    }

    /// The time at which an entry may expire.
    pub(super) fn next(&self) -> Option<HostTime> {
        self.expiry
    }

    /// The nodes of a session, each once.
    pub(super) fn count(&self, session: SessionId) -> usize {
        self.census.nodes.get(&session).copied().unwrap_or(0)
    }

    /// The entries of a session, by gateway and identity.
    pub(super) fn of(&self, session: SessionId) -> impl Iterator<Item = (GatewayId, NodeId, &Peer)> {
        let entries = self.entries.iter();
        entries
            .filter(move |(_, peer)| peer.session == session)
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
