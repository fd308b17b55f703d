//! The demonstration: nodes without a network.

use super::records::{DMX_NODE_PORTS, DmxNode, DmxNodeChange};
use crate::dmx::station::Audience;
use crate::job::{Job, PollContext, Release, Step};
use crate::turns::Turns;
use rustle_lighting::Name;
use rustle_lighting::artnet::Style;
use rustle_lighting::nodes::NodeState;
use std::net::Ipv4Addr;
use std::sync::Arc;

/// The nodes, each with four ports.
const NODES: usize = 4;

/// The most changes of one poll.
const MOST_CHANGES: u64 = 4_096;

/// Nodes that appear, are late and return.
pub(super) struct DemoJob {
    turns: Turns,
    /// The turns of a session that has just started: its first value comes at once.
    beginning: Turns,
    audience: Arc<Audience<Vec<DmxNode>>>,
    changes: Vec<DmxNode>,
    is_over: bool,
}

impl DemoJob {
    pub(super) fn new(rate: f64, audience: Arc<Audience<Vec<DmxNode>>>) -> Self {
        let beginning = Turns::new(NODES, rate, None);
        Self {
            turns: beginning.clone(),
            beginning,
            audience,
            changes: Vec::new(),
            is_over: false,
        }
    }
}

/// The change of this number.
fn change(number: u64, place: u32, time_ns: i64) -> DmxNode {
    let (change, state) = match number / NODES as u64 {
        0 => (DmxNodeChange::Appeared, NodeState::Online),
        round if round % 2 == 1 => (DmxNodeChange::Late, NodeState::Late),
        _ => (DmxNodeChange::Returned, NodeState::Online),
    };
    let mut ports = [0; DMX_NODE_PORTS];
    for (port, number) in ports[..4].iter_mut().zip(4 * place as u16..) {
        *port = number;
    }
    let mut short_name = *b"demo 1\0\0\0\0\0\0\0\0\0\0\0\0";
    short_name[5] += place as u8;
    let mut long_name = [0; 64];
    long_name[..13].copy_from_slice(b"demonstration");
    DmxNode {
        sequence: 0,
        time_ns,
        change,
        state,
        style: Style::Node,
        address: Ipv4Addr::new(192, 0, 2, 1 + place as u8),
        mac: [2, 0, 0, 0, 0, 1 + place as u8],
        firmware: 1,
        oem: 0x00FF,
        esta: 0,
        place,
        short_name: Name::from_field(short_name),
        long_name: Name::from_field(long_name),
        port_count: 4,
        ports,
    }
}

impl Job for DemoJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if let Some(step) = self.audience.idle_step() {
            self.is_over = matches!(step, Step::End);
            return step;
        }
        let mut has_new = false;
        self.audience.greet(|| {
            has_new = true;
            Vec::new()
        });
        if has_new {
            self.turns = self.beginning.clone();
        }
        let now = context.now();
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        let time_ns = context.wall_ms().saturating_mul(1_000_000);
        self.changes.clear();
        let due = self.turns.take(now, MOST_CHANGES);
        self.changes
            .extend(due.map(|(number, place)| change(number, place, time_ns)));
        self.audience.report(&self.changes);
        match self.turns.next(now) {
            Some(next) => Step::At(next),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        if !self.is_over {
            self.audience.end(release);
        }
    }
}
