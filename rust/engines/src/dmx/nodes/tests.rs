//! Browsers over a scripted network, on a manual clock, and over the loopback.

use super::*;
use crate::dmx::DmxError;
use crate::dmx::receiver::network::{Ear, Network};
use crate::job::Release;
use crate::outlet::{Delivery, LaneSession, RecordListener};
use crate::runtime::Runtime;
use crate::transport::{Conditions, Scripted, ScriptedNetwork, Transport};
use rustle_lighting::artnet::{Packet, Poll, PollReply, Port, Style, parse};
use rustle_lighting::nodes::NodeState;
use rustle_lighting::{Name, PortAddress};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const HERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const ALL: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 255);
const MAC: [u8; 6] = [2, 3, 5, 7, 11, 13];

struct ScriptedEar(Scripted);

impl Ear for ScriptedEar {
    fn transport(&self) -> &dyn Transport {
        &self.0
    }

    fn join(&self, _: Ipv4Addr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn leave(&self, _: Ipv4Addr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

struct Side(ScriptedNetwork);

impl Network for Side {
    fn sacn(&mut self) -> io::Result<Box<dyn Ear>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn art_net(&mut self) -> io::Result<Vec<Box<dyn Ear>>> {
        Ok(vec![Box::new(ScriptedEar(self.0.endpoint((HERE, 6454).into())))])
    }

    fn mac(&self) -> [u8; 6] {
        MAC
    }
}

struct Log(Sender<DmxNode>, Sender<Release>);

impl RecordListener<DmxNode> for Log {
    fn on_record(&mut self, record: &DmxNode) {
        // Nobody listens after the end of a test.
        let _ = self.0.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.1.send(release);
    }
}

fn configuration() -> DmxNodesConfiguration {
    let names = (Name::new("here"), Name::new("the browser of a test"));
    DmxNodesConfiguration::new(names.0.expect("short"), names.1.expect("short"))
}

struct Stage {
    runtime: Arc<Runtime>,
    network: ScriptedNetwork,
    browser: DmxNodes,
}

type Started = (LaneSession<DmxNode>, Receiver<DmxNode>, Receiver<Release>);

impl Stage {
    fn new(addresses: &[&str]) -> Self {
        let runtime = Arc::new(Runtime::manual(0));
        let configuration = DmxNodesConfiguration {
            addresses: addresses.iter().map(|text| (*text).to_owned()).collect(),
            ..configuration()
        };
        Self {
            network: ScriptedNetwork::new(&runtime, 1, Conditions::default()).expect("a thread"),
            browser: DmxNodes::on(runtime.clone(), configuration).expect("a good configuration"),
            runtime,
        }
    }

    fn start(&self) -> Started {
        let ((record, records), (end, ends)) = (channel(), channel());
        let delivery = Delivery::Push(Box::new(Log(record, end)));
        let session = self.browser.start_over(delivery, |audience| {
            let mut side = Side(self.network.clone());
            self.browser.job_over(&mut side, HERE, ALL, audience)
        });
        self.runtime.advance(Duration::ZERO);
        (session.expect("a session"), records, ends)
    }

    fn advance(&self, milliseconds: u64) {
        self.runtime.advance(Duration::from_millis(milliseconds));
    }

    fn node(&self, last: u8) -> Scripted {
        self.network
            .endpoint((Ipv4Addr::new(10, 0, 0, last), 6454).into())
    }
}

/// A reply with one port.
fn reply(name: &str, output: u8) -> PollReply {
    let mut reply = PollReply {
        short_name: Name::new(name).expect("short"),
        port_count: 1,
        ..PollReply::default()
    };
    reply.all_ports[0].kind = Port::OUTPUTS;
    reply.all_ports[0].output = output;
    reply
}

fn send(node: &Scripted, reply: &PollReply) {
    node.try_send(&reply.bytes(), Some((HERE, 6454).into()))
        .expect("sent");
}

/// The number of polls that have arrived.
fn polls(node: &Scripted) -> usize {
    let mut bytes = [0; 600];
    let mut count = 0;
    while let Ok(arrival) = node.try_receive(&mut bytes) {
        count += usize::from(matches!(parse(&bytes[..arrival.length]), Ok(Packet::Poll(_))));
    }
    count
}

fn changes(records: &Receiver<DmxNode>) -> Vec<(u8, DmxNodeChange)> {
    let change = |node: DmxNode| (node.address.octets()[3], node.change);
    // Our own node is one of them.
    records
        .try_iter()
        .map(change)
        .filter(|(last, _)| *last != 1)
        .collect()
}

#[test]
fn nodes_are_polled_by_broadcast_and_their_changes_reported_once() {
    let stage = Stage::new(&[]);
    let node = stage.node(2);
    let (_session, records, _ends) = stage.start();
    assert_eq!(polls(&node), 1, "the first one at once");
    send(&node, &reply("dimmer", 3));
    stage.advance(2_400);
    assert_eq!(polls(&node), 0);
    assert_eq!(changes(&records), [(2, DmxNodeChange::Appeared)]);
    stage.advance(700);
    assert_eq!(polls(&node), 1, "the next one after 2.5 to 3 s");
    send(&node, &reply("dimmer", 3));
    stage.advance(10);
    assert_eq!(changes(&records), []);
    send(&node, &reply("dimmer", 4));
    stage.advance(10);
    assert_eq!(changes(&records), [(2, DmxNodeChange::Changed)]);
    let known = stage.browser.nodes();
    let found = known
        .iter()
        .find(|node| node.address == Ipv4Addr::new(10, 0, 0, 2))
        .expect("known");
    assert_eq!(
        (found.short_name.to_string(), found.port_count, found.ports[0]),
        ("dimmer".to_owned(), 1, 4)
    );
    assert_eq!(
        stage.browser.ports(found.address),
        [PortAddress::new(4).expect("in range")]
    );
    stage.advance(20_000);
    assert_eq!(
        changes(&records),
        [(2, DmxNodeChange::Late), (2, DmxNodeChange::Lost)]
    );
    send(&node, &reply("dimmer", 4));
    stage.advance(10);
    assert_eq!(changes(&records), [(2, DmxNodeChange::Returned)]);
    let counts = stage.browser.counts();
    assert!((8..=11).contains(&counts.polls), "{counts:?}");
}

#[test]
fn given_addresses_alone_are_polled() {
    let stage = Stage::new(&["10.0.0.2", "10.0.0.3:6454"]);
    let nodes = [2, 3, 4].map(|last| stage.node(last));
    let _started = stage.start();
    assert_eq!(nodes.each_ref().map(polls), [1, 1, 0]);
}

#[test]
fn controller_answers_polls_its_own_included() {
    let stage = Stage::new(&[]);
    let other = stage.node(9);
    let (_session, records, _ends) = stage.start();
    stage.advance(1_001);
    let own: Vec<_> = records.try_iter().collect();
    assert_eq!(
        (own.len(), own[0].address, own[0].mac, own[0].style),
        (1, HERE, MAC, Style::Controller)
    );
    while other.try_receive(&mut [0; 600]).is_ok() {}
    other
        .try_send(&Poll::default().bytes(), Some((HERE, 6454).into()))
        .expect("sent");
    stage.advance(1_001);
    let mut bytes = [0; 600];
    let arrival = other.try_receive(&mut bytes).expect("a reply");
    assert!(matches!(parse(&bytes[..arrival.length]), Ok(Packet::PollReply(reply)) if reply.port_count == 0));
    assert_eq!(stage.browser.counts().answers, 2);
}

#[test]
fn session_that_begins_late_gets_the_nodes_that_are_known_and_all_are_kept_after_the_last() {
    let stage = Stage::new(&[]);
    let (first, _records, ends) = stage.start();
    for last in 2..10 {
        send(&stage.node(last), &reply("node", last));
    }
    stage.advance(10);
    let (second, records, _ends) = stage.start();
    assert_eq!(
        changes(&records),
        [2, 3, 4, 5, 6, 7, 8, 9].map(|last| (last, DmxNodeChange::Appeared))
    );
    for session in [first, second] {
        session.cancel();
    }
    stage.advance(0);
    assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
    assert!(stage.browser.nodes().len() >= 8);
    let before = stage.network.counts().unreachable;
    stage
        .node(3)
        .try_send(b"anyone?", Some((HERE, 6454).into()))
        .expect("sent");
    assert_eq!(
        stage.network.counts().unreachable,
        before + 1,
        "the port is closed"
    );
}

#[test]
fn hostile_datagrams_are_counted_and_the_next_reply_is_heard() {
    let stage = Stage::new(&[]);
    let (_session, records, _ends) = stage.start();
    let node = stage.node(2);
    let good = reply("node", 1).bytes();
    for cut in 0..198 {
        node.try_send(&good[..cut], Some((HERE, 6454).into()))
            .expect("sent");
    }
    stage.advance(1);
    assert_eq!(changes(&records), []);
    assert_eq!(stage.browser.counts().malformed, 198);
    send(&node, &reply("node", 1));
    stage.advance(1);
    assert_eq!(changes(&records), [(2, DmxNodeChange::Appeared)]);
}

#[test]
fn demonstration_has_four_nodes_that_are_late_and_return() {
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = DmxNodesConfiguration {
        interface: crate::DEMO_INTERFACE.to_owned(),
        changes_per_second: 1.0,
        change_limit: Some(9),
        ..configuration()
    };
    let browser = DmxNodes::on(runtime.clone(), configuration).expect("a good configuration");
    let ((record, records), (end, ends)) = (channel(), channel());
    let session = browser.start(Delivery::Push(Box::new(Log(record, end))));
    session.expect("a session");
    runtime.advance(Duration::from_secs(3));
    let states: Vec<_> = records.try_iter().map(|node| (node.place, node.state)).collect();
    let online = [0, 1, 2, 3].map(|place| (place, NodeState::Online));
    let late = [0, 1, 2, 3].map(|place| (place, NodeState::Late));
    assert_eq!(states, [&online[..], &late, &online[..1]].concat());
    assert_eq!(ends.try_recv(), Ok(Release::Ended));
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let refusal = |configure: fn(&mut DmxNodesConfiguration)| {
        let mut configuration = configuration();
        configure(&mut configuration);
        DmxNodes::on(Arc::new(Runtime::manual(0)), configuration).err()
    };
    let address = refusal(|c| c.addresses = vec!["10.0.0.256".to_owned()]);
    assert!(matches!(address, Some(DmxError::Destination { got }) if got == "10.0.0.256"));
    let count = refusal(|c| c.addresses = vec!["10.0.0.1".to_owned(); 1_025]);
    assert!(matches!(
        count,
        Some(DmxError::TooManyDestinations { got: 1_025 })
    ));
    let rate = refusal(|c| c.changes_per_second = f64::NAN);
    assert!(matches!(rate, Some(DmxError::ReportRate { .. })));
}

#[test]
fn node_on_the_loopback_is_found_by_broadcast() {
    let patience = Duration::from_secs(30);
    let (home, away) = (Ipv4Addr::new(127, 0, 19, 1), Ipv4Addr::new(127, 0, 19, 2));
    let node = UdpSocket::bind((away, 0)).expect("a port");
    let port = node.local_addr().expect("bound").port();
    let heard = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).expect("a socket");
    heard.set_reuse_address(true).expect("a socket");
    let all = SocketAddr::from((Ipv4Addr::new(127, 255, 255, 255), port));
    heard.bind(&all.into()).expect("the broadcast address");
    let heard = UdpSocket::from(heard);
    heard.set_read_timeout(Some(patience)).expect("a socket");
    let configuration = DmxNodesConfiguration {
        interface: home.to_string(),
        port,
        ..configuration()
    };
    let browser = DmxNodes::on(Runtime::shared().clone(), configuration).expect("a good configuration");
    let ((record, records), (end, _ends)) = (channel(), channel());
    let session = browser
        .start(Delivery::Push(Box::new(Log(record, end))))
        .expect("a session");
    let mut bytes = [0; 600];
    let (length, from) = heard.recv_from(&mut bytes).expect("a poll");
    assert!(matches!(parse(&bytes[..length]), Ok(Packet::Poll(_))));
    assert_eq!(from, (home, port).into());
    node.send_to(&reply("looped", 1).bytes(), from).expect("sent");
    let found = std::iter::from_fn(|| records.recv_timeout(patience).ok()).find(|node| node.address == away);
    assert_eq!(
        found.map(|node| node.short_name.to_string()),
        Some("looped".to_owned())
    );
    session.cancel();
}
