//! A network of one process, on the clock of a runtime: for tests, whose manual runtime makes every run the same.

use super::{Arrival, Transport};
use crate::clock::{Clock, Nanoseconds};
use crate::job::{Job, PollContext, Release, Step};
use crate::lock::locked_surely;
use crate::runtime::{Runtime, RuntimeError};
use crate::session::Session;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

/// What a scripted network does to datagrams. Probabilities are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The time on the way, in ns. Datagrams of one sender to one receiver keep their order, whatever the delays.
    pub delay: RangeInclusive<Nanoseconds>,
    /// The probability that one is lost.
    pub loss: f64,
    /// The probability that one arrives twice, each time with its own delay.
    pub duplication: f64,
    /// The probability that one is overtaken by those that are sent in the `lag` after it.
    pub reordering: f64,
    /// How much later an overtaken one arrives, in ns.
    pub lag: Nanoseconds,
}

impl Default for Conditions {
    /// Every datagram arrives at once.
    fn default() -> Self {
        Self {
            delay: 0..=0,
            loss: 0.0,
            duplication: 0.0,
            reordering: 0.0,
            lag: 0,
        }
    }
}

/// The counts of a scripted network. `sent` datagrams have one fate for each endpoint that they reach, `arrivals` and `lost`;
/// those that reach none are `unreachable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkCounts {
    /// Datagrams that were sent.
    pub sent: u64,
    /// Datagrams that no endpoint has the address of.
    pub unreachable: u64,
    /// Datagrams that arrived or are on their way, the second ones of duplicates included.
    pub arrivals: u64,
    /// Datagrams that were lost.
    pub lost: u64,
    /// Datagrams that arrive twice.
    pub duplicated: u64,
    /// Datagrams that others overtake.
    pub reordered: u64,
}

/// A network of endpoints, whose accidents a seed decides. It lasts as long as it or an endpoint.
#[derive(Clone)]
pub struct ScriptedNetwork(Arc<Network>);

struct Network {
    clock: Arc<dyn Clock>,
    /// The job that wakes endpoints when their datagrams arrive.
    session: OnceLock<Session>,
    state: Mutex<State>,
}

struct State {
    conditions: Conditions,
    random: u64,
    counts: NetworkCounts,
    numbers: u64,
    endpoints: BTreeMap<u64, Endpoint>,
    /// The arrivals of which nobody was woken yet, and their endpoints.
    due: BTreeMap<Place, u64>,
    /// The last arrival of those that keep their order, by sender and receiver.
    paths: HashMap<(SocketAddr, u64), Nanoseconds>,
}

/// The time of an arrival, and its number among all.
type Place = (Nanoseconds, u64);

struct Endpoint {
    address: SocketAddr,
    groups: Vec<IpAddr>,
    waiting: BTreeMap<Place, (SocketAddr, Arc<[u8]>)>,
    session: Option<Session>,
}

impl ScriptedNetwork {
    /// A network without endpoints.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn new(runtime: &Runtime, seed: u64, conditions: Conditions) -> Result<Self, RuntimeError> {
        let network = Arc::new(Network {
            clock: runtime.shared_clock(),
            session: OnceLock::new(),
            state: Mutex::new(State {
                conditions,
                random: seed,
                counts: NetworkCounts::default(),
                numbers: 0,
                endpoints: BTreeMap::new(),
                due: BTreeMap::new(),
                paths: HashMap::new(),
            }),
        });
        let carrier = Carrier(Arc::downgrade(&network));
        let session = runtime.start(runtime.place(), Arc::default(), || Box::new(carrier))?;
        network.session.get_or_init(|| session);
        Ok(Self(network))
    }

    /// Changes the conditions of datagrams that are sent from now on.
    pub fn set_conditions(&self, conditions: Conditions) {
        self.0.state().conditions = conditions;
    }

    /// The counts so far.
    pub fn counts(&self) -> NetworkCounts {
        self.0.state().counts
    }

    /// A new endpoint. Several may have one address, and each receives what is sent there.
    pub fn endpoint(&self, address: SocketAddr) -> Scripted {
        let mut state = self.0.state();
        let number = state.number();
        let endpoint = Endpoint {
            address,
            groups: Vec::new(),
            waiting: BTreeMap::new(),
            session: None,
        };
        state.endpoints.insert(number, endpoint);
        Scripted {
            network: self.0.clone(),
            number,
            address,
        }
    }
}

impl Network {
    fn state(&self) -> MutexGuard<'_, State> {
        locked_surely(&self.state)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Some(session) = self.session.get() {
            session.cancel();
        }
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The next number of the generator, SplitMix64 (Steele, Lea and Flood, 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn happens(&mut self, probability: f64) -> bool {
        ((self.draw() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    fn delay(&mut self) -> Nanoseconds {
        let (least, most) = (*self.conditions.delay.start(), *self.conditions.delay.end());
        let width = most.saturating_sub(least).saturating_add(1);
        least + self.draw() % width
    }

    fn send(&mut self, bytes: &[u8], from: SocketAddr, to: SocketAddr, now: Nanoseconds) {
        self.counts.sent += 1;
        let reached: Vec<u64> = (self.endpoints.iter())
            .filter(|(_, endpoint)| endpoint.is_at(to))
            .map(|(number, _)| *number)
            .collect();
        if reached.is_empty() {
            self.counts.unreachable += 1;
        }
        let bytes: Arc<[u8]> = bytes.into();
        for endpoint in reached {
            let Conditions {
                loss,
                duplication,
                reordering,
                lag,
                ..
            } = self.conditions;
            // All are drawn for every datagram: a changed probability leaves the others' accidents as they are.
            let (is_lost, is_double) = (self.happens(loss), self.happens(duplication));
            let (is_late, delays) = (self.happens(reordering), [self.delay(), self.delay()]);
            if is_lost {
                self.counts.lost += 1;
                continue;
            }
            self.counts.duplicated += u64::from(is_double);
            self.counts.reordered += u64::from(is_late);
            for delay in &delays[..if is_double { 2 } else { 1 }] {
                let arrival = now.saturating_add(*delay);
                let arrival = if is_late {
                    arrival.saturating_add(lag)
                } else {
                    let last = self.paths.entry((from, endpoint)).or_default();
                    *last = arrival.max(*last);
                    *last
                };
                self.counts.arrivals += 1;
                let place = (arrival, self.number());
                self.due.insert(place, endpoint);
                if let Some(endpoint) = self.endpoints.get_mut(&endpoint) {
                    endpoint.waiting.insert(place, (from, bytes.clone()));
                }
            }
        }
    }
}

impl Endpoint {
    /// Whether a datagram to this address reaches it: its own, a group that it joined, or the broadcast address of its network,
    /// of which the first three numbers are the same.
    fn is_at(&self, to: SocketAddr) -> bool {
        let is_broadcast = match (self.address.ip(), to.ip()) {
            (IpAddr::V4(mine), IpAddr::V4(to)) => {
                let (mine, all) = (mine.octets(), to.octets());
                to == Ipv4Addr::BROADCAST || (all[3] == 255 && all[..3] == mine[..3])
            }
            _ => false,
        };
        let has_joined = self.groups.contains(&to.ip());
        self.address == to || (self.address.port() == to.port() && (has_joined || is_broadcast))
    }
}

/// Wakes endpoints when something arrives.
struct Carrier(Weak<Network>);

impl Job for Carrier {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let Some(network) = self.0.upgrade() else {
            return Step::End;
        };
        let mut woken = Vec::new();
        let next = {
            let mut state = network.state();
            let later = state.due.split_off(&(context.now() + 1, 0));
            for endpoint in std::mem::replace(&mut state.due, later).into_values() {
                let session = state.endpoints.get(&endpoint).and_then(|at| at.session.clone());
                woken.extend(session);
            }
            state.due.first_key_value().map(|((time, _), _)| *time)
        };
        woken.iter().for_each(Session::wake);
        next.map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, _: Release) {}
}

/// An endpoint of a [`ScriptedNetwork`].
pub struct Scripted {
    network: Arc<Network>,
    number: u64,
    address: SocketAddr,
}

impl Scripted {
    /// Its address.
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// Receives what is sent to a group at its port, too. Idempotent.
    pub fn join(&self, group: IpAddr) {
        if let Some(endpoint) = self.network.state().endpoints.get_mut(&self.number)
            && !endpoint.groups.contains(&group)
        {
            endpoint.groups.push(group);
        }
    }

    /// Receives nothing more of what is sent to a group. Idempotent.
    pub fn leave(&self, group: IpAddr) {
        if let Some(endpoint) = self.network.state().endpoints.get_mut(&self.number) {
            endpoint.groups.retain(|joined| *joined != group);
        }
    }
}

impl Transport for Scripted {
    fn try_send(&self, bytes: &[u8], to: Option<SocketAddr>) -> io::Result<usize> {
        let to = to.ok_or(ErrorKind::InvalidInput)?;
        let is_next = {
            let mut state = self.network.state();
            if !state.endpoints.contains_key(&self.number) {
                return Err(ErrorKind::NotConnected.into());
            }
            let before = state.due.first_key_value().map(|(place, _)| *place);
            state.send(bytes, self.address, to, self.network.clock.now());
            state.due.first_key_value().map(|(place, _)| *place) != before
        };
        if is_next && let Some(session) = self.network.session.get() {
            session.wake();
        }
        Ok(bytes.len())
    }

    fn try_receive(&self, bytes: &mut [u8]) -> io::Result<Arrival> {
        let mut state = self.network.state();
        let endpoint = state.endpoints.get_mut(&self.number);
        let endpoint = endpoint.ok_or(ErrorKind::NotConnected)?;
        let first = endpoint.waiting.first_entry();
        let has_arrived = first.filter(|first| first.key().0 <= self.network.clock.now());
        let ((at, _), (from, got)) = has_arrived.ok_or(ErrorKind::WouldBlock)?.remove_entry();
        let length = got.len().min(bytes.len());
        bytes[..length].copy_from_slice(&got[..length]);
        Ok(Arrival {
            length,
            from: Some(from),
            at,
        })
    }

    fn watch(&self, context: &PollContext<'_>) -> io::Result<()> {
        let mut state = self.network.state();
        let endpoint = state.endpoints.get_mut(&self.number);
        let endpoint = endpoint.ok_or(ErrorKind::NotConnected)?;
        endpoint.session = Some(context.session.clone());
        // Nobody was woken for what arrived before.
        context.session.wake();
        Ok(())
    }

    fn close(&self) {
        let gone = self.network.state().endpoints.remove(&self.number);
        if let Some(session) = gone.and_then(|endpoint| endpoint.session) {
            session.wake();
        }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.network.state().endpoints.remove(&self.number);
    }
}

#[cfg(test)]
mod tests;
