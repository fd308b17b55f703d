//! Virtual time.

use super::super::host_clock::HostClock;
use super::super::network::{Network, Sockets};
use super::super::{Link, LinkConfiguration, LinkError, LinkGateway};
use super::log;
use crate::job::Release;
use crate::runtime::Runtime;
use crate::transport::{Conditions, ScriptedNetwork};
use rustle_system::Interface;
use rustle_tempo::beats::{Beats, Quantum, Tempo};
use rustle_tempo::link::{Event, GROUP, Origin, PORT};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Interfaces = Arc<Mutex<Vec<Interface>>>;

/// A device of each machine that is down at first.
const DOWN: &str = "net7";

/// A machine of the scripted network.
struct Machine {
    network: ScriptedNetwork,
    interfaces: Interfaces,
    /// How many times sockets were opened.
    opened: Arc<AtomicUsize>,
}

impl Network for Machine {
    fn interfaces(&mut self) -> io::Result<Vec<Interface>> {
        Ok(self.interfaces.lock().expect("no panic").clone())
    }

    fn has_device(&self, name: &str) -> bool {
        name == DOWN
    }

    fn open(&mut self, interface: &Interface) -> io::Result<Sockets> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let endpoint = |port| self.network.endpoint((interface.address, port).into());
        let group = endpoint(PORT);
        group.join(IpAddr::V4(GROUP));
        Ok(Sockets {
            group: Box::new(group),
            sender: Box::new(endpoint(1_000)),
            responder: Box::new(endpoint(2_000)),
            responder_address: SocketAddrV4::new(interface.address, 2_000),
            descriptors: Vec::new(),
        })
    }
}

fn interface(name: &str, last: u8) -> Interface {
    Interface {
        name: name.to_owned(),
        index: u32::from(last),
        address: Ipv4Addr::new(10, 0, 0, last),
        broadcast: Ipv4Addr::new(10, 0, 0, 255),
        is_loopback: false,
        mac: [0; 6],
    }
}

pub(super) struct Stage {
    runtime: Arc<Runtime>,
    network: ScriptedNetwork,
    pub(super) links: Vec<Link>,
    pub(super) interfaces: Vec<Interfaces>,
    opened: Vec<Arc<AtomicUsize>>,
}

impl Stage {
    pub(super) fn new(delay: std::ops::RangeInclusive<u64>, loss: f64) -> Self {
        let runtime = Arc::new(Runtime::manual(0));
        let conditions = Conditions {
            delay,
            loss,
            ..Conditions::default()
        };
        let network = ScriptedNetwork::new(&runtime, 1, conditions).expect("a network");
        Self {
            runtime,
            network,
            links: Vec::new(),
            interfaces: Vec::new(),
            opened: Vec::new(),
        }
    }

    /// Adds a member that is enabled, whose clock is so many ppm fast.
    pub(super) fn add(&mut self, bpm: f64, ppm: i64) {
        self.add_with(LinkConfiguration::default(), bpm, ppm);
        self.links.last().expect("one").enable().expect("enabled");
    }

    pub(super) fn add_with(&mut self, configuration: LinkConfiguration, bpm: f64, ppm: i64) {
        let number = self.links.len() as u8 + 1;
        let interfaces: Interfaces = Arc::new(Mutex::new(vec![interface("net0", number)]));
        let machine = Machine {
            network: self.network.clone(),
            interfaces: interfaces.clone(),
            opened: Arc::default(),
        };
        self.opened.push(machine.opened.clone());
        let configuration = LinkConfiguration {
            tempo: tempo(bpm),
            ..configuration
        };
        let start = i64::from(number) * 1_000_000_000;
        let clock = HostClock::of_runtime(self.runtime.shared_clock(), start, ppm);
        let link = Link::over(self.runtime.clone(), configuration, Box::new(machine), clock);
        self.links.push(link);
        self.interfaces.push(interfaces);
    }

    pub(super) fn run(&self, ms: u64) {
        self.runtime.advance(Duration::from_millis(ms));
    }

    pub(super) fn peers(&self) -> Vec<u32> {
        self.links.iter().map(|link| link.snapshot().peers).collect()
    }

    /// By how much the phases of the first two members differ, in us.
    pub(super) fn phase_error(&self) -> i64 {
        let [one, other] = [0, 1].map(|index| {
            let link = &self.links[index];
            link.snapshot().session_beats_at(link.host_now())
        });
        let half = Beats::from_f64(2.0);
        let difference = one.saturating_sub(other).saturating_add(half).phase(Quantum::BAR);
        let micros = self.links[0].snapshot().tempo().micros_per_beat();
        difference.saturating_sub(half).micro() * micros / 1_000_000
    }
}

pub(super) fn tempo(bpm: f64) -> Tempo {
    Tempo::from_bpm(bpm).expect("a tempo")
}

#[test]
fn members_find_each_other_and_share_tempo_and_phase() {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    stage.add(120.0, 0);
    stage.run(2_000);
    stage.add(90.0, 0);
    stage.run(2_000);
    assert_eq!(stage.peers(), [1, 1]);
    assert_eq!(stage.links[1].snapshot().tempo(), tempo(120.0));
    stage.links[1].set_tempo(tempo(77.0), stage.links[1].host_now());
    stage.run(100);
    assert_eq!(stage.links[0].snapshot().tempo(), tempo(77.0));
    assert!(stage.phase_error().abs() <= 20, "{} us", stage.phase_error());
    stage.links[1].disable();
    stage.run(1);
    assert_eq!(stage.peers(), [0, 0]);
    assert_eq!(stage.links[1].gateways(), []);
    stage.links[1].enable().expect("enabled");
    stage.run(2_000);
    assert_eq!(stage.peers(), [1, 1]);
    drop(stage.links.pop());
    stage.run(1);
    assert_eq!(stage.peers(), [0], "dropping it leaves");
}

#[test]
fn clock_that_is_100_ppm_fast_stays_within_50_us() {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    stage.add(120.0, 0);
    stage.add(120.0, 100);
    stage.run(4_000);
    assert_eq!(stage.peers(), [1, 1]);
    for second in 0..60 {
        stage.run(1_000);
        let error = stage.phase_error();
        assert!(error.abs() <= 50, "{error} us after {second} s");
    }
}

#[test]
fn jitter_and_loss_delay_a_session_only() {
    let mut stage = Stage::new(2_000_000..=4_000_000, 0.05);
    stage.add(120.0, 0);
    stage.add(100.0, 0);
    stage.add(80.0, 0);
    stage.run(8_000);
    assert_eq!(stage.peers(), [2, 2, 2]);
}

#[test]
fn interface_that_goes_and_comes_is_noticed_within_five_seconds() {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    stage.add(120.0, 0);
    stage.add(90.0, 0);
    stage.run(3_000);
    let away = std::mem::take(&mut *stage.interfaces[1].lock().expect("no panic"));
    stage.run(5_000);
    assert_eq!(stage.links[1].gateways(), []);
    assert_eq!(stage.peers()[1], 0);
    stage.run(7_000);
    assert_eq!(stage.peers(), [0, 0]);
    *stage.interfaces[1].lock().expect("no panic") = away;
    stage.run(5_000);
    let expected = LinkGateway {
        interface: "net0".to_owned(),
        address: Ipv4Addr::new(10, 0, 0, 2),
    };
    assert_eq!(stage.links[1].gateways(), [expected]);
    stage.run(2_000);
    assert_eq!(stage.peers(), [1, 1]);
}

#[test]
fn interfaces_that_were_not_chosen_are_left_alone() {
    let mut stage = Stage::new(0..=0, 0.0);
    let configuration = |interface: &str| LinkConfiguration {
        interfaces: vec![interface.to_owned()],
        ..LinkConfiguration::default()
    };
    stage.add_with(configuration("net1"), 120.0, 0);
    let error = stage.links[0].enable().expect_err("a refusal");
    assert!(matches!(&error, LinkError::Interface { got, .. } if got == "net1"));
    assert_eq!(
        error.to_string(),
        "interface: expected one of net0 (10.0.0.1), got net1"
    );
    assert!(!stage.links[0].is_enabled());
    stage.interfaces[0]
        .lock()
        .expect("no panic")
        .push(interface("net1", 99));
    stage.links[0].enable().expect("enabled");
    let addresses: Vec<_> = stage.links[0]
        .gateways()
        .into_iter()
        .map(|gateway| gateway.address)
        .collect();
    assert_eq!(addresses, [Ipv4Addr::new(10, 0, 0, 99)]);
    // By address.
    stage.add_with(configuration("10.0.0.2"), 120.0, 0);
    stage.links[1].enable().expect("enabled");
    assert_eq!(stage.links[1].gateways().len(), 1);
}

#[test]
fn interface_that_is_down_is_opened_when_it_comes_up() {
    let mut stage = Stage::new(0..=0, 0.0);
    stage.add(120.0, 0);
    let configuration = LinkConfiguration {
        interfaces: vec![DOWN.to_owned()],
        ..LinkConfiguration::default()
    };
    stage.add_with(configuration, 90.0, 0);
    stage.links[1].enable().expect("enabled");
    stage.run(5_000);
    assert_eq!(stage.peers(), [0, 0]);
    stage.interfaces[1]
        .lock()
        .expect("no panic")
        .push(interface(DOWN, 99));
    stage.run(10_000);
    assert_eq!(stage.peers(), [1, 1]);
}

#[test]
fn interface_that_replaces_another_of_its_name_and_address_is_opened_anew() {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    stage.add(120.0, 0);
    stage.add(90.0, 0);
    stage.run(10_000);
    let opened = |stage: &Stage| stage.opened[0].load(Ordering::Relaxed);
    assert_eq!((opened(&stage), stage.peers()), (1, vec![1, 1]));
    // The sockets of the old one reach nobody any more.
    stage.interfaces[0].lock().expect("no panic")[0].index += 10;
    stage.run(5_000);
    assert_eq!((opened(&stage), stage.links[0].gateways().len()), (2, 1));
    // What was there under the old identity is gone after 6 s.
    stage.run(6_000);
    assert_eq!(stage.peers(), [1, 1]);
    assert!(stage.phase_error().abs() <= 10);
}

#[test]
fn session_begins_with_the_state_and_has_each_change() {
    let mut stage = Stage::new(15_000..=30_000, 0.0);
    stage.add(120.0, 0);
    let (delivery, events, released) = log();
    stage.links[0].start(delivery).expect("started");
    stage.run(1_000);
    stage.add(90.0, 0);
    stage.run(2_000);
    stage.links[1].set_tempo(tempo(77.0), stage.links[1].host_now());
    stage.run(100);
    stage.links[0].set_playing(true, stage.links[0].host_now());
    stage.run(1);
    stage.links[0].disable();
    stage.run(1);
    stage.links[0].shut_down();
    stage.run(1);
    let events: Vec<_> = events.try_iter().collect();
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(index, event)| event.sequence == index as u64)
    );
    let changes: Vec<_> = events.iter().map(|event| event.change).collect();
    assert_eq!(changes[..2], [None, Some(Event::PeersChanged { count: 1 })]);
    assert!(matches!(
        changes[2],
        Some(Event::TempoChanged {
            by: Origin::Peer(_),
            ..
        })
    ));
    assert!(changes.contains(&Some(Event::PlayingChanged {
        is_playing: true,
        by: Origin::Local
    })));
    let last = [
        Some(Event::PeersChanged { count: 0 }),
        Some(Event::EnabledChanged { is_enabled: false }),
    ];
    assert!(changes.ends_with(&last), "{changes:?}");
    assert_eq!(released.try_iter().collect::<Vec<_>>(), [Release::Cancelled]);
    assert!(
        matches!(stage.links[0].enable(), Err(LinkError::Start(_))),
        "it was shut down"
    );
}

#[test]
fn beats_go_on_when_the_member_leaves() {
    let mut stage = Stage::new(0..=0, 0.0);
    stage.add(120.0, 0);
    stage.run(1_000);
    let link = &stage.links[0];
    let reader = link.reader();
    assert_eq!(reader.beats_at(link.host_now()), Beats::from_f64(2.0));
    link.disable();
    stage.run(1_000);
    assert_eq!(reader.beats_at(link.host_now()), Beats::from_f64(4.0));
    assert_eq!(reader.phase_at(link.host_now(), Quantum::BAR), Beats::ZERO);
    link.force_beat(Beats::from_f64(1.0), link.host_now());
    assert_eq!(reader.beats_at(link.host_now()), Beats::from_f64(1.0));
}
