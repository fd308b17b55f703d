//! Receivers over a scripted network, on a manual clock.

mod bounds;
mod lifetimes;
mod loopback;
mod nodes;
mod order;
mod universes;

use super::network::{Ear, Network};
use super::records::Changes;
use super::*;
use crate::dmx::station::Audience;
use crate::dmx::{DmxError, DmxProtocol};
use crate::job::{Job, Release};
use crate::lane::Record;
use crate::outlet::{Delivery, LaneSession, RecordListener};
use crate::ring::LaneStatistics;
use crate::runtime::Runtime;
use crate::transport::{Conditions, Scripted, ScriptedNetwork, Transport};
use rustle_lighting::artnet::DmxBuffer;
use rustle_lighting::sacn::{self, DataBuffer, SyncBuffer};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: u64 = 1_000_000;
const HERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const MAC: [u8; 6] = [2, 3, 5, 7, 11, 13];
const THERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).expect("in range")
}

fn port(number: u32) -> PortAddress {
    PortAddress::new(number).expect("in range")
}

/// An endpoint with a limit of groups, as a socket has.
struct ScriptedEar {
    endpoint: Scripted,
    free: AtomicUsize,
    /// A group that is refused.
    refused: Arc<Mutex<Option<Ipv4Addr>>>,
    closed: Arc<AtomicUsize>,
}

impl Drop for ScriptedEar {
    fn drop(&mut self) {
        self.closed.fetch_add(1, Ordering::SeqCst);
    }
}

impl Ear for ScriptedEar {
    fn transport(&self) -> &dyn Transport {
        &self.endpoint
    }

    fn join(&self, group: Ipv4Addr) -> io::Result<()> {
        if *self.refused.lock().expect("a sound lock") == Some(group) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let one_less = |free: usize| free.checked_sub(1);
        if (self.free)
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
            .is_err()
        {
            // ENOBUFS of Linux.
            return Err(io::Error::from_raw_os_error(105));
        }
        self.endpoint.join(IpAddr::V4(group));
        Ok(())
    }

    fn leave(&self, group: Ipv4Addr) -> io::Result<()> {
        self.free.fetch_add(1, Ordering::SeqCst);
        self.endpoint.leave(IpAddr::V4(group));
        Ok(())
    }
}

/// The receiver's side of the network.
#[derive(Clone)]
struct Side {
    network: ScriptedNetwork,
    /// The groups that a socket may join.
    groups: usize,
    refused: Arc<Mutex<Option<Ipv4Addr>>>,
    opened: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Side {
    fn ear(&self, port: u16) -> Box<dyn Ear> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        Box::new(ScriptedEar {
            endpoint: self.network.endpoint((HERE, port).into()),
            free: AtomicUsize::new(self.groups),
            refused: self.refused.clone(),
            closed: self.closed.clone(),
        })
    }
}

impl Network for Side {
    fn sacn(&mut self) -> io::Result<Box<dyn Ear>> {
        Ok(self.ear(5568))
    }

    fn art_net(&mut self) -> io::Result<Vec<Box<dyn Ear>>> {
        Ok(vec![self.ear(6454)])
    }

    fn mac(&self) -> [u8; 6] {
        MAC
    }
}

/// Keeps the records and the end of a session.
struct Log<T>(Sender<T>, Sender<Release>);

impl<T: Record> RecordListener<T> for Log<T> {
    fn on_record(&mut self, record: &T) {
        // Nobody listens after the end of a test.
        let _ = self.0.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.1.send(release);
    }
}

/// A session whose records are kept.
struct Kept<T> {
    session: LaneSession<T>,
    records: Receiver<T>,
    ends: Receiver<Release>,
}

impl<T: Record> Kept<T> {
    /// The records since the last call.
    fn take(&self) -> Vec<T> {
        self.records.try_iter().collect()
    }

    fn end(&self) -> Option<Release> {
        self.ends.try_recv().ok()
    }
}

/// A receiver and a sender's endpoint.
struct Stage {
    runtime: Arc<Runtime>,
    side: Side,
    receiver: DmxReceiver,
    sender: Scripted,
}

fn configuration() -> DmxReceiverConfiguration {
    let names = (Name::new("here"), Name::new("the receiver of a test"));
    DmxReceiverConfiguration::new(names.0.expect("short"), names.1.expect("short"))
}

impl Stage {
    fn new(configure: impl FnOnce(&mut DmxReceiverConfiguration)) -> Self {
        Self::in_network(Conditions::default(), configure)
    }

    fn in_network(conditions: Conditions, configure: impl FnOnce(&mut DmxReceiverConfiguration)) -> Self {
        let runtime = Arc::new(Runtime::manual(1_000));
        let network = ScriptedNetwork::new(&runtime, 18, conditions).expect("a thread");
        let mut configuration = configuration();
        configure(&mut configuration);
        Self {
            sender: network.endpoint((THERE, 6454).into()),
            side: Side {
                network,
                groups: 20,
                refused: Arc::default(),
                opened: Arc::default(),
                closed: Arc::default(),
            },
            receiver: DmxReceiver::on(runtime.clone(), configuration).expect("a good configuration"),
            runtime,
        }
    }

    fn job(&self, audience: Arc<Audience<Changes>>) -> Result<Box<dyn Job>, DmxError> {
        self.receiver
            .job_over(Box::new(self.side.clone()), HERE, audience)
    }

    fn start_levels(&self, delivery: Delivery<DmxLevels>) -> Result<LaneSession<DmxLevels>, DmxError> {
        self.receiver
            .start_levels_over(delivery, |audience| self.job(audience))
    }

    fn levels(&self) -> Kept<DmxLevels> {
        let ((record, records), (end, ends)) = (channel(), channel());
        let session = self.start_levels(Delivery::Push(Box::new(Log(record, end))));
        let session = session.expect("a session");
        self.runtime.advance(Duration::ZERO);
        Kept {
            session,
            records,
            ends,
        }
    }

    fn events(&self) -> Kept<DmxEvent> {
        let ((record, records), (end, ends)) = (channel(), channel());
        let delivery = Delivery::Push(Box::new(Log(record, end)) as Box<dyn RecordListener<DmxEvent>>);
        let session = self
            .receiver
            .start_events_over(delivery, |audience| self.job(audience));
        let session = session.expect("a session");
        self.runtime.advance(Duration::ZERO);
        Kept {
            session,
            records,
            ends,
        }
    }

    /// Sends a datagram, which arrives.
    fn send(&self, bytes: &[u8], to: SocketAddr) {
        self.sender.try_send(bytes, Some(to)).expect("sent");
        self.runtime.advance(Duration::ZERO);
    }

    fn sacn(&self, packet: &DataBuffer, number: u32) {
        self.send(packet.bytes(), (universe(number).group(), sacn::PORT).into());
    }

    fn art_net(&self, packet: &DmxBuffer) {
        self.send(packet.bytes(), (HERE, 6454).into());
    }
}

/// Data of a source, its first byte.
fn data(source: u8, number: u32, sequence: u8, slots: &[u8]) -> DataBuffer {
    let name = Name::new(&format!("source {source}")).expect("short");
    let cid = Cid::from_random([source; 16]);
    let mut packet = DataBuffer::new(cid, &name, universe(number), sacn::LEVELS);
    packet.set_sequence(sequence);
    packet.set_slots(slots);
    packet
}

fn sync(source: u8, address: u32, sequence: u8) -> SyncBuffer {
    let mut packet = SyncBuffer::new(Cid::from_random([source; 16]), universe(address));
    packet.set_sequence(sequence);
    packet
}

fn art(number: u32, physical: u8, sequence: u8, slots: &[u8]) -> DmxBuffer {
    let mut packet = DmxBuffer::new(port(number), physical);
    packet.set_sequence(sequence);
    packet.set_slots(slots);
    packet
}

/// Universes, and their first two levels.
fn shown(records: &[DmxLevels]) -> Vec<(u16, [u8; 2])> {
    let shown = |record: &DmxLevels| (record.universe, [record.levels[0], record.levels[1]]);
    records.iter().map(shown).collect()
}

fn kinds(events: &[DmxEvent]) -> Vec<(u16, DmxEventKind)> {
    events.iter().map(|event| (event.universe, event.kind)).collect()
}
