//! The table of nodes, and the polls that keep it.

use super::{Node, NodeState};
use crate::PortAddress;
use crate::artnet::{Poll, PollReply};
use crate::event_queue::EventQueue;
use crate::random::SplitMix;
use std::net::Ipv4Addr;

/// The nodes of a table at most: a further one takes the place of that which has been lost longest, never of one that answers.
pub const MAX_NODES: usize = 1_024;
/// The time between two polls, in ns (Art-Net 4, "ArtPoll": 2.5 to 3 s), drawn anew each time so that controllers do not poll
/// together.
const POLL_NS: std::ops::RangeInclusive<u64> = 2_500_000_000..=3_000_000_000;
/// The time for an answer, in ns (Art-Net 4, "ArtPoll": a controller assumes a node gone after 3 s).
const ANSWER_NS: u64 = 3_000_000_000;
/// The polls without an answer after which a node is lost.
const LOST_POLLS: u8 = 3;
/// Polls that wait for their answers: at most two, since they are at least 2.5 s apart.
const OPEN_POLLS: usize = 2;

/// What the table asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PollSettings {
    /// The question. Replies on change are always asked for.
    pub poll: Poll,
    /// Spreads the times of polls.
    pub seed: u64,
}

/// A change of a node, reported once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeEvent {
    /// Its first reply.
    Appeared(Ipv4Addr),
    /// Its names or Port-Addresses changed.
    Changed(Ipv4Addr),
    /// It left a poll unanswered for 3 s.
    Late(Ipv4Addr),
    /// It left three such polls unanswered.
    Lost(Ipv4Addr),
    /// It answers again.
    Returned(Ipv4Addr),
    /// It was lost, and another node took its place.
    Forgotten(Ipv4Addr),
}

/// The nodes that answer polls.
///
/// It is called at the times of [`next_ns`](Self::next_ns), and given each reply.
#[derive(Debug)]
pub struct NodeTable {
    nodes: Vec<Node>,
    poll: Poll,
    random: SplitMix,
    poll_ns: u64,
    open: [Option<u64>; OPEN_POLLS],
    /// The time of the last four polls: a part that was in no reply since is gone.
    polls: [u64; 4],
    generation: u64,
    events: EventQueue<NodeEvent>,
    excess: u64,
}

impl NodeTable {
    /// An empty table, whose first poll is at a time in ns.
    pub fn new(settings: PollSettings, start_ns: u64) -> Self {
        let mut poll = settings.poll;
        poll.flags |= Poll::REPLY_ON_CHANGE;
        let mut events = EventQueue::new();
        events.make_room(MAX_NODES);
        Self {
            nodes: Vec::with_capacity(MAX_NODES),
            poll,
            random: SplitMix::new(settings.seed),
            poll_ns: start_ns,
            open: [None; OPEN_POLLS],
            polls: [0; 4],
            generation: 0,
            events,
            excess: 0,
        }
    }

    /// When [`advance`](Self::advance) is due next, in ns.
    pub fn next_ns(&self) -> u64 {
        let answers = self
            .open
            .iter()
            .flatten()
            .map(|poll| poll.saturating_add(ANSWER_NS));
        answers.fold(self.poll_ns, u64::min)
    }

    /// Does what is due; returns the poll that is to be sent to the interface's directed broadcast address.
    pub fn advance(&mut self, now_ns: u64) -> Option<Poll> {
        for index in 0..OPEN_POLLS {
            if let Some(poll_ns) = self.open[index].take_if(|poll| now_ns >= poll.saturating_add(ANSWER_NS)) {
                self.judge(poll_ns);
            }
        }
        if now_ns < self.poll_ns {
            return None;
        }
        let spread = self.random.up_to(POLL_NS.end() - POLL_NS.start());
        self.poll_ns = now_ns.saturating_add(POLL_NS.start() + spread);
        if let Some(free) = self.open.iter_mut().find(|open| open.is_none()) {
            *free = Some(now_ns);
        }
        self.polls.rotate_right(1);
        self.polls[0] = now_ns;
        Some(self.poll)
    }

    /// The time for answers to a poll is over.
    fn judge(&mut self, poll_ns: u64) {
        for node in &mut self.nodes {
            if node.last_ns >= poll_ns {
                if node.forget_parts(self.polls[3]) {
                    self.generation += 1;
                    self.events.push(NodeEvent::Changed(node.ip()));
                }
                continue;
            }
            node.unanswered = node.unanswered.saturating_add(1);
            if node.state == NodeState::Online {
                node.state = NodeState::Late;
                self.events.push(NodeEvent::Late(node.ip()));
            }
            if node.unanswered >= LOST_POLLS && node.state != NodeState::Lost {
                node.state = NodeState::Lost;
                self.generation += 1;
                self.events.push(NodeEvent::Lost(node.ip()));
            }
        }
    }

    /// Takes a reply that came from an address, broadcast or not.
    pub fn hear(&mut self, now_ns: u64, from: Ipv4Addr, reply: &PollReply) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node.ip() == from) {
            let state = std::mem::replace(&mut node.state, NodeState::Online);
            let differs = node.hear(now_ns, reply);
            self.generation += u64::from(differs || state == NodeState::Lost);
            if state != NodeState::Online {
                self.events.push(NodeEvent::Returned(from));
            }
            if differs {
                self.events.push(NodeEvent::Changed(from));
            }
            return;
        }
        if self.nodes.len() < MAX_NODES {
            self.nodes.push(Node::new(now_ns, from, reply));
        } else {
            let lost = self.nodes.iter_mut().filter(|node| node.state == NodeState::Lost);
            let Some(longest) = lost.min_by_key(|node| node.last_ns) else {
                self.excess += 1;
                return;
            };
            self.events.push(NodeEvent::Forgotten(longest.ip()));
            longest.replace(now_ns, from, reply);
        }
        self.generation += 1;
        self.events.push(NodeEvent::Appeared(from));
    }

    /// The nodes, in the order in which they were found.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes that list a Port-Address and are not lost: its ArtDmx goes to them.
    pub fn subscribers(&self, address: PortAddress) -> impl Iterator<Item = Ipv4Addr> + '_ {
        let present = self.nodes.iter().filter(|node| node.state != NodeState::Lost);
        let subscribed = present.filter(move |node| node.subscriptions().any(|listed| listed == address));
        subscribed.map(Node::ip)
    }

    /// Rises when the subscribers of a Port-Address may differ.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The next event.
    pub fn pop_event(&mut self) -> Option<NodeEvent> {
        self.events.pop()
    }

    /// Events that nobody took in time.
    pub fn events_dropped(&self) -> u64 {
        self.events.dropped()
    }

    /// Replies of nodes for which the table had no place.
    pub fn excess(&self) -> u64 {
        self.excess
    }
}
