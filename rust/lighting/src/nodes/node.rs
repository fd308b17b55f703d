//! A node that was found.

use crate::artnet::{PollReply, Style};
use crate::{Name, PortAddress};
use std::net::Ipv4Addr;

/// The replies of a node that are kept: BindIndex is a byte.
pub const MAX_PARTS: usize = 255;
/// The subscriptions of a reply: four outputs and four inputs.
const PART_ADDRESSES: usize = 8;

/// How long Port-Addresses count although a reply without any comes from their address, in ns: a poll and its answer.
const BESIDE_NS: u64 = 4_000_000_000;

/// Whether a node answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// It answered the last poll, or has time to.
    Online,
    /// It left a poll unanswered for 3 s.
    Late,
    /// It left three such polls unanswered.
    Lost,
}

/// One reply of a node: up to four ports.
#[derive(Clone, Copy, Debug)]
struct Part {
    bind_index: u8,
    heard_ns: u64,
    addresses: [PortAddress; PART_ADDRESSES],
    count: usize,
}

/// A node, by the address from which it answers: all its replies together, whether they hold four ports or one.
#[derive(Clone, Debug)]
pub struct Node {
    ip: Ipv4Addr,
    pub(super) state: NodeState,
    /// The polls without an answer.
    pub(super) unanswered: u8,
    pub(super) last_ns: u64,
    root: PollReply,
    parts: Vec<Part>,
}

impl Node {
    pub(super) fn new(now_ns: u64, ip: Ipv4Addr, reply: &PollReply) -> Self {
        let mut node = Self {
            ip,
            state: NodeState::Online,
            unanswered: 0,
            last_ns: now_ns,
            root: *reply,
            parts: Vec::new(),
        };
        node.hear(now_ns, reply);
        node
    }

    /// Becomes another node, in the same memory.
    pub(super) fn replace(&mut self, now_ns: u64, ip: Ipv4Addr, reply: &PollReply) {
        (self.ip, self.state, self.root) = (ip, NodeState::Online, *reply);
        self.parts.clear();
        self.hear(now_ns, reply);
    }

    /// Takes a reply; returns whether the Port-Addresses or the names differ from before.
    pub(super) fn hear(&mut self, now_ns: u64, reply: &PollReply) -> bool {
        self.last_ns = now_ns;
        self.unanswered = 0;
        // 0 and 1 both are the root device (Art-Net 4, "ArtPollReply", BindIndex).
        let bind_index = reply.bind_index.max(1);
        // Two programs of one machine answer from one address. One that lists nothing does not take the place of one that does.
        let known = self.parts.iter().find(|known| known.bind_index == bind_index);
        let is_held =
            known.is_some_and(|part| part.count > 0 && now_ns.saturating_sub(part.heard_ns) < BESIDE_NS);
        if is_held && reply.subscriptions().next().is_none() {
            return false;
        }
        let mut differs = false;
        if bind_index == 1 || self.root.bind_index > reply.bind_index {
            differs = (self.root.short_name, self.root.long_name) != (reply.short_name, reply.long_name);
            self.root = *reply;
        }
        let mut part = Part {
            bind_index,
            heard_ns: now_ns,
            addresses: [PortAddress::FIRST; PART_ADDRESSES],
            count: 0,
        };
        for address in reply.subscriptions().take(PART_ADDRESSES) {
            part.addresses[part.count] = address;
            part.count += 1;
        }
        match self.parts.iter_mut().find(|known| known.bind_index == bind_index) {
            Some(known) => {
                differs |= known.subscriptions() != part.subscriptions();
                *known = part;
            }
            None => {
                differs |= part.count > 0;
                self.parts.push(part);
            }
        }
        differs
    }

    /// Removes the parts that were not in replies since a time; returns whether there were some with Port-Addresses.
    pub(super) fn forget_parts(&mut self, since_ns: u64) -> bool {
        let is_old = |part: &Part| part.heard_ns < since_ns;
        let differs = self.parts.iter().any(|part| is_old(part) && part.count > 0);
        self.parts.retain(|part| !is_old(part));
        differs
    }

    /// The address from which it answers.
    pub fn ip(&self) -> Ipv4Addr {
        self.ip
    }

    /// Whether it answers.
    pub fn state(&self) -> NodeState {
        self.state
    }

    /// When its last reply came, in ns.
    pub fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// The reply of its first part.
    pub fn reply(&self) -> &PollReply {
        &self.root
    }

    /// Its short name.
    pub fn short_name(&self) -> Name<18> {
        self.root.short_name
    }

    /// Its long name.
    pub fn long_name(&self) -> Name<64> {
        self.root.long_name
    }

    /// What it is.
    pub fn style(&self) -> Style {
        self.root.style
    }

    /// The Port-Addresses that its replies list, in the order in which the parts were first heard.
    pub fn subscriptions(&self) -> impl Iterator<Item = PortAddress> + '_ {
        self.parts
            .iter()
            .flat_map(|part| part.subscriptions().iter().copied())
    }
}

impl Part {
    fn subscriptions(&self) -> &[PortAddress] {
        &self.addresses[..self.count]
    }
}
