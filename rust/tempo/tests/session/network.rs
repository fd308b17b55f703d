//! The network and its hosts, whose clocks may run at different rates.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Time};
use rustle_tempo::link::{
    Action, Event, GatewayId, Node, NodeSettings, Output, SessionId, Snapshot, parse, ping,
};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::RangeInclusive;

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1_000 * MS;
/// The port from which a host sends, and that of its responder.
const PORTS: [u16; 2] = [1_000, 2_000];

/// A datagram on its way.
struct Delivery {
    to: usize,
    gateway: GatewayId,
    is_for_responder: bool,
    from: SocketAddrV4,
    bytes: Vec<u8>,
}

/// A computer with one node.
pub(crate) struct Host {
    pub(crate) node: Node,
    /// What its clock says at time 0, in us, and how much faster it runs, in ppm.
    start: i64,
    ppm: i64,
    /// Gateways and the links that they lead to.
    links: BTreeMap<GatewayId, u8>,
    /// Whether it computes and hears.
    pub(crate) is_running: bool,
    pub(crate) events: Vec<Event>,
    pub(crate) sent: Vec<(i64, Action)>,
}

/// What happens to datagrams: their time on the way in ns, and the probability that one is lost.
pub(crate) struct Conditions {
    pub(crate) delay: RangeInclusive<i64>,
    pub(crate) loss: f64,
}

pub(crate) struct World {
    pub(crate) now: i64,
    random: StdRng,
    queue: BTreeMap<(i64, u64), Delivery>,
    number: u64,
    pub(crate) hosts: Vec<Host>,
    pub(crate) conditions: Conditions,
    /// Pairs of hosts that do not hear each other, the smaller first.
    pub(crate) cut: BTreeSet<(usize, usize)>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            now: 0,
            random: StdRng::seed_from_u64(seed),
            queue: BTreeMap::new(),
            number: 0,
            hosts: Vec::new(),
            conditions: Conditions {
                delay: 15_000..=30_000,
                loss: 0.0,
            },
            cut: BTreeSet::new(),
        }
    }

    /// Adds a host that is not enabled, on link 1.
    pub(crate) fn add(&mut self, bpm: f64) -> usize {
        self.add_with(bpm, false, 0)
    }

    pub(crate) fn add_with(&mut self, bpm: f64, follows_start_stop: bool, ppm: i64) -> usize {
        let index = self.hosts.len();
        let settings = NodeSettings {
            tempo: tempo(bpm),
            follows_start_stop,
            ..NodeSettings::new(self.random.r#gen())
        };
        let start = self.random.gen_range(0..1_000_000_000_000);
        let mut host = Host {
            node: Node::new(&settings, HostTime::new(0)),
            start,
            ppm,
            links: BTreeMap::new(),
            is_running: true,
            events: Vec::new(),
            sent: Vec::new(),
        };
        host.node = Node::new(&settings, host.time(self.now));
        self.hosts.push(host);
        self.link(index, 1);
        index
    }

    /// Adds a host that is enabled.
    pub(crate) fn join(&mut self, bpm: f64) -> usize {
        let index = self.add(bpm);
        self.enable(index);
        index
    }

    pub(crate) fn enable(&mut self, index: usize) {
        self.act(index, |node, now, output| node.enable(now, output));
    }

    pub(crate) fn disable(&mut self, index: usize) {
        self.act(index, |node, now, output| node.disable(now, output));
    }

    pub(crate) fn set_tempo(&mut self, index: usize, bpm: f64) {
        self.act(index, |node, now, output| {
            node.set_tempo(now, tempo(bpm), now, output)
        });
    }

    pub(crate) fn set_playing(&mut self, index: usize, is_playing: bool) {
        self.act(index, |node, now, output| {
            node.set_playing(now, is_playing, now, output)
        });
    }

    /// Gives a host an interface on a link; the gateway has the link's number.
    pub(crate) fn link(&mut self, index: usize, link: u8) {
        let id = GatewayId(link.into());
        self.hosts[index].links.insert(id, link);
        let responder = address(index, link, PORTS[1]);
        self.act(index, |node, now, output| {
            node.add_gateway(now, id, responder, output)
        });
    }

    /// Takes the interface away.
    pub(crate) fn unlink(&mut self, index: usize, link: u8) {
        let id = GatewayId(link.into());
        self.hosts[index].links.remove(&id);
        self.act(index, |node, now, output| node.remove_gateway(now, id, output));
    }

    /// Calls a node at the present, and sends what it asks for.
    pub(crate) fn act<T>(
        &mut self,
        index: usize,
        call: impl FnOnce(&mut Node, HostTime, &mut Output) -> T,
    ) -> T {
        let mut output = Output::default();
        let host = &mut self.hosts[index];
        let time = host.time(self.now);
        let result = call(&mut host.node, time, &mut output);
        host.events.extend(output.events);
        for action in output.actions {
            self.send(index, action);
        }
        result
    }

    fn send(&mut self, index: usize, action: Action) {
        let host = &mut self.hosts[index];
        host.sent.push((self.now, action));
        let time = host.time(self.now);
        if let Action::Multicast { packet, .. } | Action::Unicast { packet, .. } = action {
            // Else the others do not see it.
            assert!(parse(packet.bytes()).is_ok(), "{packet:?} of host {index}");
        }
        let (gateway, to, bytes) = match action {
            Action::Multicast { gateway, packet } => (gateway, None, packet.bytes().to_vec()),
            Action::Unicast { gateway, to, packet } => (gateway, Some(to), packet.bytes().to_vec()),
            Action::Ping {
                gateway,
                to,
                previous,
            } => (gateway, Some(to), ping(time, previous).bytes().to_vec()),
        };
        let Some(link) = host.links.get(&gateway).copied() else {
            return;
        };
        let from = address(index, link, PORTS[0]);
        match to {
            // The group's messages come back, as on the loopback.
            None => {
                (0..self.hosts.len()).for_each(|host| self.deliver((index, host), link, false, from, &bytes))
            }
            Some(to) => self.unicast(index, link, to, from, &bytes),
        }
    }

    fn unicast(&mut self, index: usize, link: u8, to: SocketAddrV4, from: SocketAddrV4, bytes: &[u8]) {
        let [_, _, high, low] = to.ip().octets();
        let host = usize::from(u16::from_be_bytes([high, low]));
        if host < self.hosts.len() && address(host, link, to.port()) == to {
            self.deliver((index, host), link, to.port() == PORTS[1], from, bytes);
        }
    }

    fn deliver(
        &mut self,
        (index, to): (usize, usize),
        link: u8,
        is_for_responder: bool,
        from: SocketAddrV4,
        bytes: &[u8],
    ) {
        let delay = self.random.gen_range(self.conditions.delay.clone());
        let is_lost = self.random.gen_bool(self.conditions.loss);
        let gateway = GatewayId(link.into());
        let is_cut = self.cut.contains(&(index.min(to), index.max(to)));
        if is_lost || is_cut || !self.hosts[to].links.contains_key(&gateway) {
            return;
        }
        self.number += 1;
        let delivery = Delivery {
            to,
            gateway,
            is_for_responder,
            from,
            bytes: bytes.to_vec(),
        };
        self.queue.insert((self.now + delay, self.number), delivery);
    }

    /// Sends a datagram of nobody's to a host.
    pub(crate) fn inject(&mut self, index: usize, from: SocketAddrV4, bytes: &[u8]) {
        let gateway = GatewayId(1);
        self.act(index, |node, now, output| {
            node.hear(now, gateway, from, bytes, output)
        });
    }

    /// Lets time pass, in ns.
    pub(crate) fn run(&mut self, span: i64) {
        let end = self.now + span;
        while self.step(end) {}
        self.now = end;
    }

    /// Lets time pass until a condition holds; returns after how many ns.
    pub(crate) fn run_until(&mut self, most: i64, holds: impl Fn(&Self) -> bool) -> i64 {
        let start = self.now;
        while !holds(self) {
            assert!(self.step(start + most), "it does not hold within {most} ns");
        }
        self.now - start
    }

    /// The next delivery or deadline before a time.
    fn step(&mut self, end: i64) -> bool {
        let delivery = self.queue.first_key_value().map(|((at, _), _)| *at);
        let timers = self.hosts.iter().enumerate().filter(|(_, host)| host.is_running);
        let timer =
            timers.filter_map(|(index, host)| Some((host.reaches(host.node.next()?).max(self.now), index)));
        let timer = timer.min();
        let next = [delivery, timer.map(|(at, _)| at)].into_iter().flatten().min();
        let Some(next) = next.filter(|next| *next <= end) else {
            return false;
        };
        self.now = next;
        if delivery == Some(next) {
            if let Some((_, delivery)) = self.queue.pop_first() {
                self.arrive(delivery);
            }
        } else if let Some((_, index)) = timer {
            self.act(index, Node::advance);
        }
        true
    }

    fn arrive(&mut self, delivery: Delivery) {
        let Delivery {
            to,
            gateway,
            is_for_responder,
            from,
            bytes,
        } = delivery;
        let Some(link) = self.hosts[to]
            .links
            .get(&gateway)
            .copied()
            .filter(|_| self.hosts[to].is_running)
        else {
            return;
        };
        if is_for_responder {
            let answer = self.act(to, |node, now, _| node.answer(now, from, &bytes));
            if let Some(pong) = answer {
                self.unicast(to, link, from, address(to, link, PORTS[1]), pong.bytes());
            }
        } else {
            self.act(to, |node, now, output| {
                node.hear(now, gateway, from, &bytes, output)
            });
        }
    }

    /// Lets time pass in which a host sleeps: its clock stands still.
    pub(crate) fn suspend(&mut self, index: usize, span: i64) {
        self.hosts[index].is_running = false;
        self.run(span);
        let host = &mut self.hosts[index];
        host.is_running = true;
        host.start -= span / 1_000;
    }

    pub(crate) fn snapshot(&self, index: usize) -> Snapshot {
        self.hosts[index].node.snapshot()
    }

    pub(crate) fn bpm(&self, index: usize) -> f64 {
        self.snapshot(index).tempo().bpm()
    }

    pub(crate) fn peers(&self, index: usize) -> u32 {
        self.snapshot(index).peers
    }

    pub(crate) fn beats(&self, index: usize) -> Beats {
        self.snapshot(index).beats_at(self.hosts[index].time(self.now))
    }

    /// The sessions of the hosts that are enabled and run.
    pub(crate) fn sessions(&self) -> BTreeSet<SessionId> {
        let enabled = self.hosts.iter().filter(|host| host.is_running);
        let snapshots = enabled.map(|host| host.node.snapshot());
        snapshots
            .filter(|snapshot| snapshot.is_enabled)
            .map(|snapshot| snapshot.session)
            .collect()
    }

    /// By how much the beats of two hosts differ in phase, in us.
    pub(crate) fn phase_error(&self, one: usize, other: usize) -> i64 {
        let phases = [one, other].map(|index| {
            self.snapshot(index)
                .session_beats_at(self.hosts[index].time(self.now))
        });
        let difference = phases[0]
            .saturating_sub(phases[1])
            .saturating_add(Beats::from_f64(2.0));
        let difference = difference
            .phase(Quantum::BAR)
            .saturating_sub(Beats::from_f64(2.0));
        difference.micro() * self.snapshot(one).tempo().micros_per_beat() / 1_000_000
    }

    /// Takes the events of a host.
    pub(crate) fn events(&mut self, index: usize) -> Vec<Event> {
        std::mem::take(&mut self.hosts[index].events)
    }

    /// Takes what a host sent.
    pub(crate) fn sent(&mut self, index: usize) -> Vec<(i64, Action)> {
        std::mem::take(&mut self.hosts[index].sent)
    }
}

impl Host {
    /// Its clock at a time in ns.
    pub(crate) fn time(&self, now: i64) -> HostTime {
        let elapsed = i128::from(now) * i128::from(1_000_000 + self.ppm) / 1_000_000_000;
        HostTime::new(self.start + elapsed as i64)
    }

    /// The first time in ns at which its clock has reached a time.
    fn reaches(&self, time: HostTime) -> i64 {
        let micros = i128::from(time.micros() - self.start) * 1_000_000_000;
        let rate = i128::from(1_000_000 + self.ppm);
        ((micros + rate - 1).div_euclid(rate)) as i64
    }
}

pub(crate) fn tempo(bpm: f64) -> Tempo {
    Tempo::from_bpm(bpm).expect("a tempo")
}

pub(crate) fn address(host: usize, link: u8, port: u16) -> SocketAddrV4 {
    let [high, low] = (host as u16).to_be_bytes();
    SocketAddrV4::new(Ipv4Addr::new(10, link, high, low), port)
}
