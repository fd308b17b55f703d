//! Radios for nodes.

use super::attempts::{Attempts, AttemptsJob, Planned};
use super::bus::BusRadio;
use super::demo::{DemoScan, NODES};
use super::error::NodeRadioError;
use super::program::{Exchange, NodeRequest, PROGRAM_ADAPTER, RequestsJob};
use super::records::{NodeSighting, NodeUpdate};
use super::scan::ScanJob;
use super::source::Source;
use crate::engine::Sessions;
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use crate::ticker::RATE_RANGE;
use rustle_provisioning::{Event, Limits, MOST_NODES, Machine, Order, ScriptedRadio, Secret, Wanted, rows};
use std::sync::Arc;

/// The adapter of the demonstration.
pub const DEMO_ADAPTER: &str = "demo";

/// The configuration of a radio.
#[derive(Clone, Debug)]
pub struct NodeRadioConfiguration {
    /// The adapter, by its name (`hci1`) or address; empty: the first that is on; [`DEMO_ADAPTER`]: nodes come without a radio;
    /// [`PROGRAM_ADAPTER`]: the caller is the radio.
    pub adapter: String,
    /// The sightings of each node a second with [`DEMO_ADAPTER`], within [`RATE_RANGE`].
    pub changes_per_second: f64,
    /// The number of sightings after which a scan ends; `None`: it does not.
    pub change_limit: Option<u64>,
}

/// What is to be done with a node.
pub enum NodeOrder {
    /// Give it values, and verify them.
    Provision(Wanted),
    /// As `Provision` for each row of a table, whose missing values are those given.
    Table(String, Wanted),
    /// Read its values.
    Read,
    /// Restart it.
    Reboot,
    /// Make it forget its values.
    FactoryReset,
}

/// What is to be done, with whom, and how long it may take.
pub struct NodeTask {
    /// What.
    pub order: NodeOrder,
    /// The node's name or identifier; empty: the strongest, except for a factory reset. A table names its own.
    pub node: String,
    /// The time limits.
    pub limits: Limits,
    /// Whether the link is to be encrypted.
    pub must_encrypt: bool,
}

/// A radio for nodes. Each session has its own connection to the system's bus, so none ends another's scan.
pub struct NodeRadio {
    sessions: Sessions,
    closings: Arc<Sessions>,
    exchange: Arc<Exchange>,
    runtime: Arc<Runtime>,
    configuration: NodeRadioConfiguration,
}

impl NodeRadio {
    /// A radio on a runtime of the caller's. Nothing is opened.
    ///
    /// # Errors
    /// [`NodeRadioError::Rate`].
    pub fn on(runtime: Arc<Runtime>, configuration: NodeRadioConfiguration) -> Result<Self, NodeRadioError> {
        let got = configuration.changes_per_second;
        if !RATE_RANGE.contains(&got) {
            return Err(NodeRadioError::Rate { got });
        }
        Ok(Self {
            sessions: Sessions::new(runtime.clone()),
            closings: Arc::new(Sessions::new(runtime.clone())),
            exchange: Arc::default(),
            runtime,
            configuration,
        })
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    fn is_demo(&self) -> bool {
        self.configuration.adapter == DEMO_ADAPTER
    }

    /// Connects to the system's bus, or to the program.
    ///
    /// # Errors
    /// [`NodeRadioError::NoBluetooth`].
    fn open(&self) -> Result<Source, NodeRadioError> {
        if self.configuration.adapter == PROGRAM_ADAPTER {
            return Ok(Source::Program(self.exchange.join()));
        }
        let radio = BusRadio::open(&self.configuration.adapter, &self.runtime.shared_clock());
        let radio = radio.map_err(|reason| NodeRadioError::NoBluetooth { reason })?;
        Ok(Source::Bus(Box::new(radio)))
    }

    /// Starts a scan: the nodes in range, and each change. The lane's keys are the nodes.
    ///
    /// # Errors
    /// [`NodeRadioError`]; the listener or the bell is dropped then without a call.
    pub fn scan(
        &self,
        delivery: Delivery<NodeSighting>,
    ) -> Result<LaneSession<NodeSighting>, NodeRadioError> {
        self.sessions.admit()?;
        let NodeRadioConfiguration {
            adapter,
            changes_per_second,
            change_limit,
        } = &self.configuration;
        if self.is_demo() {
            let make = |outlet| DemoScan::new(*changes_per_second, *change_limit, outlet);
            return Ok(self
                .sessions
                .start_delivering(delivery, NODES, |outlet| Box::new(make(outlet)))?);
        }
        let source = self.open()?;
        self.scan_with(source, adapter, delivery)
    }

    pub(super) fn scan_with(
        &self,
        source: Source,
        adapter: &str,
        delivery: Delivery<NodeSighting>,
    ) -> Result<LaneSession<NodeSighting>, NodeRadioError> {
        let limit = self.configuration.change_limit.unwrap_or(u64::MAX);
        let clock = self.runtime.shared_clock();
        Ok(self.sessions.start_delivering(delivery, MOST_NODES, |outlet| {
            Box::new(ScanJob::new(source, adapter, clock, outlet, limit))
        })?)
    }

    /// Starts a session of one attempt, or of one for each row of a table. When it is cancelled, its release comes when the node is
    /// disconnected. The lane's keys are the rows.
    ///
    /// # Errors
    /// [`NodeRadioError`]; the listener or the bell is dropped then without a call.
    pub fn attempt(
        &self,
        task: NodeTask,
        delivery: Delivery<NodeUpdate>,
    ) -> Result<LaneSession<NodeUpdate>, NodeRadioError> {
        self.sessions.admit()?;
        let planned = planned(task)?;
        let source = match self.is_demo() {
            true => Source::Demo(Box::new(ScriptedRadio::demonstration())),
            false => self.open()?,
        };
        self.attempt_with(source, planned, delivery)
    }

    /// Starts a session of what the program is asked for, which is the radio where the adapter is [`PROGRAM_ADAPTER`]. The last one to
    /// begin has all. It ends after the engine and its last disconnection; a shutdown does not end it.
    ///
    /// # Errors
    /// [`NodeRadioError`]; the listener or the bell is dropped then without a call.
    pub fn requests(
        &self,
        delivery: Delivery<NodeRequest>,
    ) -> Result<LaneSession<NodeRequest>, NodeRadioError> {
        self.sessions.admit()?;
        let exchange = self.exchange.clone();
        Ok(self
            .closings
            .start_delivering(delivery, 1, |outlet| Box::new(RequestsJob::new(exchange, outlet)))?)
    }

    /// Takes what the program reports to a client, by the number in its requests. Void for one that is gone.
    ///
    /// # Errors
    /// [`NodeRadioError::Start`]: the sessions' threads are in another process.
    pub fn report(&self, client: u32, event: Event) -> Result<(), NodeRadioError> {
        self.sessions.check_process()?;
        self.exchange.report(client, event);
        Ok(())
    }

    /// Takes the value of a write, if it fits into `room` bytes; returns its length, too. It can be taken once. `None`: it was, or the
    /// write is void, as the client has asked for something else since.
    pub fn value(&self, client: u32, token: u32, room: usize) -> Option<(usize, Option<Secret>)> {
        self.exchange.value(client, token, room)
    }

    pub(super) fn attempt_with(
        &self,
        source: Source,
        planned: Vec<Planned>,
        delivery: Delivery<NodeUpdate>,
    ) -> Result<LaneSession<NodeUpdate>, NodeRadioError> {
        let closings = self.closings.clone();
        Ok(self
            .sessions
            .start_delivering(delivery, planned.len(), |outlet| {
                Box::new(AttemptsJob::new(Attempts::new(source, planned), outlet, closings))
            })?)
    }
}

/// The attempts of a task.
///
/// # Errors
/// [`NodeRadioError::Refused`], [`NodeRadioError::NoNode`], [`NodeRadioError::Table`].
pub(super) fn planned(task: NodeTask) -> Result<Vec<Planned>, NodeRadioError> {
    let NodeTask {
        order,
        node,
        limits,
        must_encrypt,
    } = task;
    let plan = |order, node: String| {
        let wanted = (!node.is_empty()).then(|| node.clone());
        Planned {
            machine: Machine::new(order, wanted, limits, must_encrypt),
            node,
        }
    };
    Ok(match order {
        NodeOrder::Provision(wanted) => {
            wanted.check().map_err(NodeRadioError::Refused)?;
            vec![plan(Order::Provision(wanted), node)]
        }
        NodeOrder::Table(table, common) => {
            let rows = rows(&table, &common).map_err(NodeRadioError::Table)?;
            let rows = rows.into_iter();
            rows.map(|row| plan(Order::Provision(row.wanted), row.node))
                .collect()
        }
        NodeOrder::Read => vec![plan(Order::Read, node)],
        NodeOrder::Reboot => vec![plan(Order::Reboot, node)],
        NodeOrder::FactoryReset if node.is_empty() => return Err(NodeRadioError::NoNode),
        NodeOrder::FactoryReset => vec![plan(Order::FactoryReset, node)],
    })
}
