//! The job of a browser.

use super::engine::DmxNodesConfiguration;
use super::records::{DmxNode, DmxNodeChange, DmxNodesCounts};
use crate::clock::Nanoseconds;
use crate::dmx::answers::Answers;
use crate::dmx::receiver::groups::Socket;
use crate::dmx::receiver::network::Ear;
use crate::dmx::station::{Audience, sooner};
use crate::io::is_lost;
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use crate::transport::{MOST_DATAGRAMS, Slots};
use rustle_lighting::PortAddress;
use rustle_lighting::artnet::{Packet, Style, parse};
use rustle_lighting::nodes::{
    Failsafe, NodeEvent, NodeState, NodeTable, OwnNodeSettings, PollSettings, PortStatus,
};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex};

/// The bytes of a datagram that are read: a reply has 239.
const DATAGRAM_BYTES: usize = 600;

/// The batches of datagrams of one poll at most.
const MOST_BATCHES: usize = 16;

/// The nodes and the sockets.
pub(super) struct Browser {
    sockets: Vec<Socket>,
    polled: Vec<SocketAddrV4>,
    table: NodeTable,
    answers: Answers,
    slots: Slots,
    counts: DmxNodesCounts,
    /// The socket that is read first.
    turn: usize,
    /// Whether a socket is watched no longer.
    is_lost: bool,
}

impl Browser {
    pub(super) fn new(
        configuration: &DmxNodesConfiguration,
        ears: Vec<Box<dyn Ear>>,
        polled: Vec<SocketAddrV4>,
        (address, mac): (Ipv4Addr, [u8; 6]),
        settings: PollSettings,
        now: Nanoseconds,
    ) -> Self {
        let node = OwnNodeSettings {
            ip: address,
            mac,
            short_name: configuration.short_name,
            long_name: configuration.long_name,
            failsafe: Failsafe::Hold,
            style: Style::Controller,
            seed: settings.seed,
        };
        Self {
            sockets: ears.into_iter().map(Socket::new).collect(),
            polled,
            table: NodeTable::new(settings, now),
            answers: Answers::new(node, [], configuration.port),
            slots: Slots::new(MOST_DATAGRAMS, DATAGRAM_BYTES),
            counts: DmxNodesCounts::default(),
            turn: 0,
            is_lost: false,
        }
    }

    fn watch(&mut self, context: &PollContext<'_>) -> io::Result<()> {
        self.sockets
            .iter_mut()
            .try_for_each(|socket| socket.watch(context))
    }

    /// Takes what has arrived, up to a bound. Returns whether there may be more, also in a socket that is to be watched anew.
    fn read(&mut self, now: Nanoseconds) -> bool {
        let mut left = MOST_BATCHES;
        for step in 0..self.sockets.len() {
            let index = (self.turn + step) % self.sockets.len();
            while self.read_batch(now, index) {
                left -= 1;
                if left == 0 {
                    self.turn = (index + 1) % self.sockets.len();
                    return true;
                }
            }
        }
        std::mem::take(&mut self.is_lost)
    }

    fn read_batch(&mut self, now: Nanoseconds, index: usize) -> bool {
        if let Err(error) = self.sockets[index].receive(&mut self.slots) {
            let is_empty = error.kind() == ErrorKind::WouldBlock;
            self.counts.socket_errors += u64::from(!is_empty);
            self.is_lost |= is_lost(&error);
            return false;
        }
        for datagram in self.slots.datagrams() {
            let Some(SocketAddr::V4(from)) = datagram.from else {
                continue;
            };
            match parse(datagram.bytes) {
                Ok(Packet::PollReply(reply)) => {
                    self.counts.replies += 1;
                    self.table.hear(now, *from.ip(), &reply);
                }
                Ok(Packet::Poll(poll)) => self.answers.hear(now, *from.ip(), &poll),
                Ok(_) => self.counts.others += 1,
                Err(_) => self.counts.malformed += 1,
            }
        }
        true
    }

    /// Polls and replies, when that is due.
    fn send(&mut self, now: Nanoseconds) {
        let transport = self.sockets[0].ear.transport();
        if let Some(poll) = self.table.advance(now) {
            self.counts.polls += 1;
            let bytes = poll.bytes();
            for to in &self.polled {
                let is_sent = transport.try_send(&bytes, Some((*to).into())).is_ok();
                self.counts.refused += u64::from(!is_sent);
            }
        }
        let status = |_| PortStatus::default();
        let (sent, refused) = self.answers.send(now, transport, &[], status);
        self.counts.answers += sent;
        self.counts.refused += refused;
    }

    /// Writes what changed since the last call.
    fn take_changes(&mut self, time_ns: i64, changes: &mut Vec<DmxNode>) {
        changes.clear();
        while let Some(event) = self.table.pop_event() {
            let (change, address) = match event {
                NodeEvent::Appeared(address) => (DmxNodeChange::Appeared, address),
                NodeEvent::Changed(address) => (DmxNodeChange::Changed, address),
                NodeEvent::Late(address) => (DmxNodeChange::Late, address),
                NodeEvent::Lost(address) => (DmxNodeChange::Lost, address),
                NodeEvent::Returned(address) => (DmxNodeChange::Returned, address),
                // Of two that had one place, the new one is reported.
                _ => continue,
            };
            let place = self.table.nodes().iter().position(|node| node.ip() == address);
            changes
                .extend(place.map(|place| DmxNode::new(time_ns, change, place, &self.table.nodes()[place])));
        }
    }

    fn next_ns(&self) -> Option<Nanoseconds> {
        sooner(Some(self.table.next_ns()), self.answers.next_ns())
    }

    pub(super) fn nodes(&self, time_ns: i64) -> Vec<DmxNode> {
        let nodes = self.table.nodes().iter().enumerate();
        let record = |(place, node)| DmxNode::new(time_ns, DmxNodeChange::Appeared, place, node);
        nodes.map(record).collect()
    }

    pub(super) fn ports(&self, address: Ipv4Addr) -> Vec<PortAddress> {
        let node = self.table.nodes().iter().find(|node| node.ip() == address);
        node.map_or_else(Vec::new, |node| node.subscriptions().collect())
    }

    pub(super) fn subscriptions(&self) -> Vec<(PortAddress, Ipv4Addr)> {
        let present = self
            .table
            .nodes()
            .iter()
            .filter(|node| node.state() != NodeState::Lost);
        let listed = present.flat_map(|node| node.subscriptions().map(|address| (address, node.ip())));
        let mut all: Vec<_> = listed.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    pub(super) fn counts(&self) -> DmxNodesCounts {
        DmxNodesCounts {
            excess: self.table.excess(),
            ..self.counts
        }
    }
}

/// Polls, and reports to the sessions what changed.
pub(super) struct NodesJob {
    pub(super) browser: Arc<Mutex<Browser>>,
    pub(super) audience: Arc<Audience<Vec<DmxNode>>>,
    pub(super) changes: Vec<DmxNode>,
    pub(super) is_over: bool,
}

impl Job for NodesJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if let Some(step) = self.audience.idle_step() {
            self.is_over = matches!(step, Step::End);
            return step;
        }
        let mut browser = locked(&self.browser, Lock::Hearing);
        if let Err(error) = browser.watch(context) {
            return Step::Fail(format!("a socket is not watched: {error}"));
        }
        let (now, time_ns) = (context.now(), context.wall_ms().saturating_mul(1_000_000));
        let has_more = browser.read(now);
        browser.send(now);
        browser.take_changes(time_ns, &mut self.changes);
        self.audience.report(&self.changes);
        self.audience.greet(|| browser.nodes(time_ns));
        match browser.next_ns() {
            _ if has_more => Step::At(now),
            Some(next) => Step::At(next),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        // The port is free; the nodes stay. Before anybody hears of the end.
        locked_surely(&self.browser).sockets.clear();
        if !self.is_over {
            self.audience.end(release);
        }
    }
}

/// Also of a job that was never started.
impl Drop for NodesJob {
    fn drop(&mut self) {
        locked_surely(&self.browser).sockets.clear();
    }
}
