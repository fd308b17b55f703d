//! The radio that the calling program is: it takes requests, and reports what comes of them.

use super::records::BoundedText;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::Outlet;
use crate::session::Session;
use rustle_provisioning::{Ask, Characteristic, Event, Radio, Request, Secret};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The adapter that is the calling program.
pub const PROGRAM_ADAPTER: &str = "program";

/// The events that wait for a client, and the requests that wait for the program; further events are lost, and the oldest requests.
/// Both are taken at once where somebody works.
const MOST_WAITING: usize = 4_096;

/// What the program is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeAsk {
    /// Report the nodes that are seen.
    Scan,
    /// End the scan.
    StopScan,
    /// Connect to a node.
    Connect,
    /// Report the characteristics.
    Services,
    /// Pair with the node.
    Pair,
    /// Read a value.
    Read,
    /// Write a value with an acknowledgement.
    Write,
    /// Report changes of the flag.
    Subscribe,
    /// Report no more of them.
    Unsubscribe,
    /// Disconnect.
    Disconnect,
    /// The client is gone: end all that it asked for. There is no answer.
    Close,
}

/// A request. The value of a write is apart: [`NodeRadio::value`](super::NodeRadio::value).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeRequest {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The number of the scan or of the session of attempts that asks.
    pub client: u32,
    /// The number that the answer bears.
    pub token: u32,
    /// What is asked for.
    pub ask: NodeAsk,
    /// The characteristic of a read or a write.
    pub characteristic: Option<Characteristic>,
    /// The node to connect to.
    pub id: BoundedText<40>,
}

impl Record for NodeRequest {
    fn key(&self) -> u32 {
        0
    }
}

#[derive(Default)]
struct Client {
    events: VecDeque<Event>,
    /// What takes the events.
    session: Option<Session>,
    /// The value of the last write, until it is taken, or something else is asked for.
    value: Option<(u32, Secret)>,
}

#[derive(Default)]
struct State {
    last: u32,
    clients: BTreeMap<u32, Client>,
    requests: VecDeque<NodeRequest>,
    /// What takes the requests.
    reader: Option<Session>,
}

/// What waits between the clients and the program.
#[derive(Default)]
pub(super) struct Exchange(Mutex<State>);

impl Exchange {
    /// A radio of a new client.
    pub(super) fn join(self: &Arc<Self>) -> ProgramRadio {
        let mut state = locked(&self.0, Lock::Exchange);
        state.last += 1;
        let client = state.last;
        state.clients.insert(client, Client::default());
        drop(state);
        ProgramRadio {
            exchange: self.clone(),
            client,
        }
    }

    /// Takes an event for a client; one for a client that is gone is void.
    pub(super) fn report(&self, client: u32, event: Event) {
        let mut state = locked(&self.0, Lock::Exchange);
        let Some(client) = state.clients.get_mut(&client) else {
            return;
        };
        if client.events.len() < MOST_WAITING {
            client.events.push_back(event);
        }
        let session = client.session.clone();
        drop(state);
        session.iter().for_each(Session::wake);
    }

    /// Takes the value of a write, if it fits into `room` bytes; returns its length, too. It can be taken once. `None`: it was, or the
    /// write is void.
    pub(super) fn value(&self, client: u32, token: u32, room: usize) -> Option<(usize, Option<Secret>)> {
        let mut state = locked(&self.0, Lock::Exchange);
        let waiting = &mut state.clients.get_mut(&client)?.value;
        let (_, value) = waiting.as_ref().filter(|(written, _)| *written == token)?;
        let length = value.bytes().len();
        let taken = if length <= room { waiting.take() } else { None };
        Some((length, taken.map(|(_, value)| value)))
    }

    fn push(mut state: MutexGuard<'_, State>, request: NodeRequest, value: Option<Secret>) {
        if let Some(client) = state.clients.get_mut(&request.client) {
            client.value = value.map(|value| (request.token, value));
        }
        if state.requests.len() == MOST_WAITING {
            state.requests.pop_front();
        }
        state.requests.push_back(request);
        let reader = state.reader.clone();
        drop(state);
        reader.iter().for_each(Session::wake);
    }
}

/// The calling program as the radio of one client.
pub(super) struct ProgramRadio {
    exchange: Arc<Exchange>,
    client: u32,
}

impl ProgramRadio {
    /// Wakes the polled job from now on.
    pub(super) fn watch(&self, context: &PollContext<'_>) {
        let mut state = locked(&self.exchange.0, Lock::Exchange);
        if let Some(client) = state.clients.get_mut(&self.client) {
            client.session = Some(context.session.clone());
        }
    }

    fn request(&self, token: u32, ask: NodeAsk) -> NodeRequest {
        NodeRequest {
            sequence: 0,
            client: self.client,
            token,
            ask,
            characteristic: None,
            id: BoundedText::new(""),
        }
    }
}

impl Radio for ProgramRadio {
    fn ask(&mut self, Request { token, ask }: Request, _now: Duration) {
        let plain = |ask| (self.request(token, ask), None);
        let (request, value) = match ask {
            Ask::Scan => plain(NodeAsk::Scan),
            Ask::StopScan => plain(NodeAsk::StopScan),
            Ask::Connect(id) => {
                let id = BoundedText::new(&id);
                let request = self.request(token, NodeAsk::Connect);
                (NodeRequest { id, ..request }, None)
            }
            Ask::Services => plain(NodeAsk::Services),
            Ask::Pair => plain(NodeAsk::Pair),
            Ask::Read(one) => {
                let characteristic = Some(one);
                let request = self.request(token, NodeAsk::Read);
                (
                    NodeRequest {
                        characteristic,
                        ..request
                    },
                    None,
                )
            }
            Ask::Write(one, value) => {
                let characteristic = Some(one);
                let request = self.request(token, NodeAsk::Write);
                (
                    NodeRequest {
                        characteristic,
                        ..request
                    },
                    Some(value),
                )
            }
            Ask::Subscribe => plain(NodeAsk::Subscribe),
            Ask::Unsubscribe => plain(NodeAsk::Unsubscribe),
            Ask::Disconnect => plain(NodeAsk::Disconnect),
        };
        Exchange::push(locked(&self.exchange.0, Lock::Exchange), request, value);
    }

    fn next_event(&mut self, _now: Duration) -> Option<Event> {
        let mut state = locked(&self.exchange.0, Lock::Exchange);
        state.clients.get_mut(&self.client)?.events.pop_front()
    }

    fn due(&self) -> Option<Duration> {
        None
    }
}

impl Drop for ProgramRadio {
    fn drop(&mut self) {
        let mut state = locked_surely(&self.exchange.0);
        state.clients.remove(&self.client);
        Exchange::push(state, self.request(0, NodeAsk::Close), None);
    }
}

/// A session that delivers the requests.
pub(super) struct RequestsJob {
    exchange: Arc<Exchange>,
    outlet: Outlet<NodeRequest>,
    sequence: u64,
    is_reader: bool,
}

impl RequestsJob {
    pub(super) fn new(exchange: Arc<Exchange>, outlet: Outlet<NodeRequest>) -> Self {
        Self {
            exchange,
            outlet,
            sequence: 0,
            is_reader: false,
        }
    }
}

impl Job for RequestsJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let mut state = locked(&self.exchange.0, Lock::Exchange);
        if !self.is_reader {
            // The last one to begin has them.
            self.is_reader = true;
            state.reader = Some(context.session.clone());
        }
        let mut requests: Vec<_> = state.requests.drain(..).collect();
        drop(state);
        for request in &mut requests {
            request.sequence = self.sequence;
            self.sequence += 1;
        }
        self.outlet.deliver(&requests, context);
        Step::Wait
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}
