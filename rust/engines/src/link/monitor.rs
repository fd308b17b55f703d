//! A listener that decodes the messages of discovery, and takes part in nothing.

use super::error::LinkError;
use super::host_clock::HostClock;
use super::network::{UdpNetwork, check_named, is_selected, refusal};
use crate::dmx::DEMO_INTERFACE;
use crate::engine::Sessions;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::outlet::{Delivery, LaneSession, Outlet};
use crate::runtime::Runtime;
use crate::ticker::RATE_RANGE;
use crate::transport::{Transport, Udp};
use crate::turns::{Paced, Turns};
use rustle_system::Interface;
use rustle_tempo::beats::{Beats, GhostTime, HostTime, Tempo, Time, Timeline};
use rustle_tempo::link::{
    Kind, MESSAGE_BYTES, Malformed, Message, NodeId, PORT, PeerState, SessionId, parse,
};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;

/// The time between two looks at the interfaces, in ns.
const RESCAN: u64 = 5_000_000_000;
/// The datagrams of one socket that a poll reads at most.
const MOST_DATAGRAMS: usize = 64;

/// What a monitor listens to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkMonitorConfiguration {
    /// The interfaces, by name or address; none: all; [`DEMO_INTERFACE`]: messages of three members come without a network.
    pub interfaces: Vec<String>,
    /// The messages a second of the demonstration, within [`RATE_RANGE`].
    pub messages_per_second: f64,
    /// The port of discovery; `None`: 20808.
    pub port: Option<u16>,
    /// The number of datagrams after which a session ends; `None`: no limit.
    pub limit: Option<u64>,
}

impl Default for LinkMonitorConfiguration {
    /// All interfaces, without a limit.
    fn default() -> Self {
        Self {
            interfaces: Vec::new(),
            messages_per_second: 12.0,
            port: None,
            limit: None,
        }
    }
}

/// A datagram of discovery, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDatagram {
    /// Its number in the session: 0, 1, 2 …
    pub sequence: u64,
    /// When it was read.
    pub host: HostTime,
    /// Who sent it.
    pub from: SocketAddrV4,
    /// The address of the interface by which it came.
    pub interface: Ipv4Addr,
    /// Its bytes; longer ones than a message are cut there.
    pub length: u32,
    /// The message, or why it is none.
    pub message: Result<Message, Malformed>,
}

impl Record for LinkDatagram {}

/// Decodes the messages that members send to all, and sends nothing.
///
/// Answers of one member to another and measurements are not sent to all: it does not see them.
pub struct LinkMonitor {
    sessions: Sessions,
    runtime: Arc<Runtime>,
    configuration: LinkMonitorConfiguration,
}

impl LinkMonitor {
    /// A monitor on a runtime of the caller's. Nothing is opened before a session starts. `None`: the demonstration's rate is out of its
    /// range.
    pub fn on(runtime: Arc<Runtime>, configuration: LinkMonitorConfiguration) -> Option<Self> {
        RATE_RANGE
            .contains(&configuration.messages_per_second)
            .then(|| Self {
                sessions: Sessions::new(runtime.clone()),
                runtime,
                configuration,
            })
    }

    /// The sessions that were started.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Opens the interfaces and starts a session of datagrams.
    ///
    /// # Errors
    /// [`LinkError`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<LinkDatagram>) -> Result<LaneSession<LinkDatagram>, LinkError> {
        self.sessions.admit()?;
        let clock = match self.runtime.is_manual() {
            true => HostClock::of_runtime(self.runtime.shared_clock(), 0, 0),
            false => HostClock::of_system(),
        };
        let configuration = &self.configuration;
        if configuration.interfaces == [DEMO_INTERFACE] {
            let turns = Turns::new(1, configuration.messages_per_second, configuration.limit);
            let session = self.sessions.start_delivering(delivery, 1, |outlet| {
                Box::new(DemoJob {
                    paced: Paced::new(turns, outlet),
                    clock,
                })
            });
            return Ok(session?);
        }
        let mut ears = Ears {
            network: UdpNetwork {
                clock: self.runtime.shared_clock(),
                port: configuration.port.unwrap_or(PORT),
            },
            named: configuration.interfaces.clone(),
            open: Vec::new(),
        };
        ears.scan(true)?;
        let limit = configuration.limit.unwrap_or(u64::MAX);
        let session = self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(MonitorJob {
                ears,
                clock,
                rescan: 0,
                batch: Vec::new(),
                sequence: 0,
                limit,
                outlet,
            })
        });
        Ok(session?)
    }
}

/// A socket for each interface.
struct Ears {
    network: UdpNetwork,
    named: Vec<String>,
    open: Vec<Ear>,
}

struct Ear {
    interface: Interface,
    socket: Udp,
    is_watched: bool,
}

impl Ears {
    /// Looks through the interfaces: those that came are opened, those that went are closed. `is_first`: a name that none has is an error.
    fn scan(&mut self, is_first: bool) -> Result<(), LinkError> {
        let all = rustle_system::interfaces().map_err(|error| refusal("network interfaces", &error))?;
        if is_first {
            check_named(&self.network, &all, &self.named)?;
        }
        self.open.retain(|ear| all.contains(&ear.interface));
        let mut first_error = None;
        for interface in all {
            let is_open = self.open.iter().any(|ear| ear.interface == interface);
            if is_open || !is_selected(&interface, &self.named) {
                continue;
            }
            match self.network.group(&interface) {
                Ok(socket) => self.open.push(Ear {
                    interface,
                    socket,
                    is_watched: false,
                }),
                Err(error) => {
                    first_error.get_or_insert(refusal(&format!("interface {}", interface.name), &error));
                }
            }
        }
        match first_error {
            Some(error) if self.open.is_empty() => Err(error),
            _ => Ok(()),
        }
    }
}

struct MonitorJob {
    ears: Ears,
    clock: HostClock,
    rescan: u64,
    batch: Vec<LinkDatagram>,
    sequence: u64,
    limit: u64,
    outlet: Outlet<LinkDatagram>,
}

impl MonitorJob {
    /// Reads what came, up to a bound; returns whether it was reached.
    fn read(&mut self) -> bool {
        let mut bytes = [0; MESSAGE_BYTES];
        let mut has_more = false;
        for ear in &self.ears.open {
            for read in 1..=MOST_DATAGRAMS {
                match ear.socket.try_receive(&mut bytes) {
                    Ok(arrival) => {
                        let Some(SocketAddr::V4(from)) = arrival.from else {
                            continue;
                        };
                        self.batch.push(LinkDatagram {
                            sequence: self.sequence,
                            host: self.clock.now(),
                            from,
                            interface: ear.interface.address,
                            length: arrival.length as u32,
                            message: parse(&bytes[..arrival.length]),
                        });
                        self.sequence += 1;
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    // Such as that of an interface which went: the next scan closes it.
                    Err(_) => {}
                }
                has_more |= read == MOST_DATAGRAMS;
            }
        }
        has_more
    }
}

impl Job for MonitorJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if context.now() >= self.rescan {
            self.rescan = context.now() + RESCAN;
            // None that could be opened now may be the next time.
            let _ = self.ears.scan(false);
            for ear in self.ears.open.iter_mut().filter(|ear| !ear.is_watched) {
                if let Err(error) = ear.socket.watch(context) {
                    return Step::Fail(format!("a socket is not watched: {error}"));
                }
                ear.is_watched = true;
            }
        }
        let has_more = self.read();
        let is_last = self.sequence >= self.limit;
        let excess = self.sequence.saturating_sub(self.limit) as usize;
        self.batch
            .truncate(self.batch.len() - excess.min(self.batch.len()));
        self.outlet.deliver(&self.batch, context);
        self.batch.clear();
        match (is_last, has_more) {
            (true, _) => Step::End,
            (false, true) => Step::At(context.now()),
            (false, false) => Step::At(self.rescan),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}

/// The demonstration: the messages of three members of one session.
struct DemoJob {
    paced: Paced<LinkDatagram>,
    clock: HostClock,
}

/// The demonstration's message of this number, by way of its bytes.
fn demo(sequence: u64, host: HostTime) -> LinkDatagram {
    let member = (sequence % 3) as u8;
    let node = |member: u8| NodeId::from_field([b'd', b'e', b'm', b'o', b'n', b'o', b'd', b'1' + member]);
    let address = Ipv4Addr::new(192, 0, 2, 1 + member);
    let timeline = Timeline {
        tempo: Tempo::default(),
        beat_origin: Beats::from_micro(0),
        time_origin: GhostTime::from_micros(0),
    };
    let state = PeerState {
        timeline,
        session: SessionId::founded_by(node(0)),
        start_stop: None,
        responder: Some(SocketAddrV4::new(address, PORT)),
    };
    let packet = Message::present(Kind::Alive, node(member), state).packet();
    LinkDatagram {
        sequence,
        host,
        from: SocketAddrV4::new(address, PORT),
        interface: Ipv4Addr::LOCALHOST,
        length: packet.bytes().len() as u32,
        message: parse(packet.bytes()),
    }
}

impl Job for DemoJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let host = self.clock.now();
        self.paced.poll(context, |sequence, _| Some(demo(sequence, host)))
    }

    fn release(self: Box<Self>, release: Release) {
        self.paced.release(release);
    }
}
