//! The demonstration's scan: nodes at even intervals, as many as are asked for.

use super::records::{BoundedText, NodeSighting};
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use crate::turns::{Paced, Turns};
use rustle_provisioning::{Flag, NodeChange};

/// The nodes.
pub(super) const NODES: usize = 4;

/// A scan that sees four nodes.
pub(super) struct DemoScan(Paced<NodeSighting>);

impl DemoScan {
    pub(super) fn new(rate: f64, limit: Option<u64>, outlet: Outlet<NodeSighting>) -> Self {
        Self(Paced::new(Turns::new(NODES, rate, limit), outlet))
    }
}

/// The sighting of this number.
fn sighting(number: u64, place: u32, time_ns: i64) -> NodeSighting {
    let round = number / NODES as u64;
    NodeSighting {
        sequence: number,
        time_ns,
        change: if round == 0 {
            NodeChange::Appeared
        } else {
            NodeChange::Changed
        },
        place,
        // A few dB up and down.
        rssi: -47.0 - 7.0 * place as f32 - (round % 5) as f32,
        flag: Some(if place == 3 {
            Flag::Provisioned
        } else {
            Flag::Unprovisioned
        }),
        firmware: Some((1, 4)),
        id: BoundedText::new(&format!("02:00:00:00:00:0{}", place + 1)),
        name: BoundedText::new(&format!("ChromaDMX-000{}", place + 1)),
    }
}

impl Job for DemoScan {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let time_ns = context.wall_ms().saturating_mul(1_000_000);
        self.0
            .poll(context, |number, place| Some(sighting(number, place, time_ns)))
    }

    fn release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}
