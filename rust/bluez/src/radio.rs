//! A radio through BlueZ.

mod answers;
mod signals;

use crate::connection::{Connection, ConnectionError};
use crate::objects::{ADAPTER, CHARACTERISTIC, DEVICE, Objects};
use crate::wire::{Body, Call, Kind};
use rustle_provisioning::{Ask, Cause, CauseKind, Characteristic, Event, Radio, Reply, Request, SERVICE};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

pub(crate) const BLUEZ: &str = "org.bluez";
pub(crate) const BUS: &str = "org.freedesktop.DBus";
pub(crate) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
pub(crate) const MANAGER: &str = "org.freedesktop.DBus.ObjectManager";

/// What is subscribed to before anything is asked.
const MATCHES: [&str; 2] = [
    "type='signal',sender='org.bluez'",
    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'",
];

/// What a call was for, with the request that it answers.
#[derive(Clone, Copy)]
enum Purpose {
    Managed(u32),
    Filter(u32),
    StartDiscovery(u32),
    Connect(u32),
    Disconnect(u32),
    Pair(u32),
    Read(u32),
    /// Anything whose answer is that it is done.
    Do(u32),
}

/// A link to a node, or one that is being made.
struct Link {
    device: String,
    /// The request that made it.
    token: u32,
    /// Whether it was up.
    was_up: bool,
    /// The request that is answered when it is up, where BlueZ says that it is being made already.
    connecting: Option<u32>,
    /// The request that is answered when it is down.
    disconnecting: Option<u32>,
    /// Whether the characteristics are asked for.
    is_discovering: bool,
    /// The path of the flag, while it is subscribed to.
    flag: Option<String>,
}

/// BlueZ behind a bus, without the bus's socket: [`receive`](Self::receive) takes what arrives, [`outgoing`](Self::outgoing) has what
/// is to be sent.
pub struct Bluez {
    bus: Connection,
    /// The wanted adapter, by the end of its path or its address; empty: the first that is on.
    wanted: String,
    adapter: Option<String>,
    objects: Objects,
    /// The own name of BlueZ on the bus, once it has answered.
    owner: Option<String>,
    calls: HashMap<u32, Purpose>,
    events: VecDeque<Event>,
    is_scanning: bool,
    link: Option<Link>,
    /// Why the bus is gone.
    closed: Option<Cause>,
}

/// The name of an adapter in a path.
fn adapters_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Bluez {
    /// BlueZ for the user of this number, with the adapter of this name (`hci1`) or address, or with the first that is on.
    pub fn new(user: u32, adapter: &str) -> Self {
        let mut bluez = Self {
            bus: Connection::new(user),
            wanted: adapter.to_owned(),
            adapter: None,
            objects: Objects::default(),
            owner: None,
            calls: HashMap::new(),
            events: VecDeque::new(),
            is_scanning: false,
            link: None,
            closed: None,
        };
        for rule in MATCHES {
            let mut body = Body::default();
            body.text(rule);
            let call = Call {
                destination: BUS,
                path: "/org/freedesktop/DBus",
                interface: BUS,
                method: "AddMatch",
            };
            bluez.bus.call(&call, "s", &mut body);
        }
        bluez
    }

    /// What is to be sent.
    pub fn outgoing(&self) -> &[u8] {
        self.bus.outgoing()
    }

    /// The first `count` bytes of [`outgoing`](Self::outgoing) are sent.
    pub fn sent(&mut self, count: usize) {
        self.bus.sent(count);
    }

    /// Takes bytes that have arrived from the bus.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.closed.is_some() {
            return;
        }
        self.bus.receive(bytes);
        loop {
            match self.bus.next_message() {
                Ok(Some(message)) => match message.kind {
                    Kind::Return | Kind::Error => self.answered(message),
                    Kind::Signal => self.signalled(&message),
                    Kind::Call | Kind::Other => {}
                },
                Ok(None) => return,
                Err(error) => {
                    let kind = match error {
                        ConnectionError::Rejected { .. } => CauseKind::NotAuthorized,
                        ConnectionError::Malformed(_) => CauseKind::NoBluetooth,
                    };
                    return self.close(Cause::new(kind, "", error.to_string()));
                }
            }
        }
    }

    /// The bus is gone, or speaks something else: reports it once.
    pub fn close(&mut self, cause: Cause) {
        if self.closed.is_none() {
            self.closed = Some(cause.clone());
            self.lose(cause);
        }
    }

    /// Whether the bus is gone.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    fn lose(&mut self, cause: Cause) {
        self.calls.clear();
        (self.link, self.is_scanning, self.adapter) = (None, false, None);
        self.events.push_back(Event::Lost(cause));
    }

    fn call(
        &mut self,
        purpose: Purpose,
        path: &str,
        interface: &str,
        method: &str,
        signature: &str,
        body: &mut Body,
    ) {
        let call = Call {
            destination: BLUEZ,
            path,
            interface,
            method,
        };
        let serial = self.bus.call(&call, signature, body);
        self.calls.insert(serial, purpose);
    }

    fn plain_call(&mut self, purpose: Purpose, path: &str, interface: &str, method: &str) {
        self.call(purpose, path, interface, method, "", &mut Body::default());
    }

    fn answer(&mut self, token: u32, result: Result<Reply, Cause>) {
        self.events.push_back(Event::Answer { token, result });
    }

    /// Answers that there is no link.
    fn unlinked(&mut self, token: u32) {
        let cause = Cause::new(CauseKind::NotConnected, "", "there is no link to a node");
        self.answer(token, Err(cause));
    }

    /// Filters and starts, once the adapter is known.
    fn discover(&mut self, token: u32, adapter: &str) {
        let mut body = Body::default();
        body.array(8, |out| {
            out.entry("UUIDs", "as", |out| {
                out.array(4, |out| out.text(&SERVICE.to_string()))
            });
            out.entry("Transport", "s", |out| out.text("le"));
            out.entry("DuplicateData", "b", |out| out.truth(true));
        });
        self.call(
            Purpose::Filter(token),
            adapter,
            ADAPTER,
            "SetDiscoveryFilter",
            "a{sv}",
            &mut body,
        );
    }

    /// The adapter to use.
    fn choose_adapter(&self) -> Result<String, Cause> {
        let wanted = self.wanted.as_str();
        let is_wanted = |path: &str, address: &str| {
            wanted.is_empty() || adapters_name(path) == wanted || address.eq_ignore_ascii_case(wanted)
        };
        let adapters = self.objects.adapters.iter();
        let candidates: Vec<_> = adapters
            .filter(|(path, adapter)| is_wanted(path, &adapter.address))
            .collect();
        if let Some((path, _)) = candidates.iter().find(|(_, adapter)| adapter.is_powered) {
            return Ok((*path).clone());
        }
        let names: Vec<_> = self
            .objects
            .adapters
            .keys()
            .map(|path| adapters_name(path))
            .collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        Err(match candidates.first() {
            Some((path, _)) => Cause::new(
                CauseKind::AdapterOff,
                "",
                format!("expected {} powered, got it off", adapters_name(path)),
            ),
            None if wanted.is_empty() => {
                Cause::new(CauseKind::NoAdapter, "", "expected an adapter, got none")
            }
            None => Cause::new(
                CauseKind::NoAdapter,
                "",
                format!("expected {wanted}, got {names}"),
            ),
        })
    }

    fn connect(&mut self, token: u32, node: &str) {
        let adapter = self.adapter.clone().unwrap_or_default();
        let Some(device) = self.objects.device_at(node, &adapter).map(str::to_owned) else {
            let text = format!("{node} is not in range any more");
            return self.answer(token, Err(Cause::new(CauseKind::Other, "", text)));
        };
        self.plain_call(Purpose::Connect(token), &device, DEVICE, "Connect");
        self.link = Some(Link {
            device,
            token,
            was_up: false,
            connecting: None,
            disconnecting: None,
            is_discovering: false,
            flag: None,
        });
    }

    /// The path of a characteristic of the linked node.
    fn path_of(&self, wanted: Characteristic) -> Option<String> {
        let device = &self.link.as_ref()?.device;
        let mut all = self.objects.characteristics(device);
        all.find(|(one, _)| *one == wanted)
            .map(|(_, path)| path.to_owned())
    }

    fn characteristic_call(
        &mut self,
        purpose: Purpose,
        token: u32,
        one: Characteristic,
        method: &str,
        (signature, mut body): (&str, Body),
    ) {
        match self.path_of(one) {
            Some(path) => self.call(purpose, &path, CHARACTERISTIC, method, signature, &mut body),
            None => self.unlinked(token),
        }
    }

    /// Reports the characteristics so far, if they are asked for.
    fn report_found(&mut self) {
        if let Some(link) = self.link.as_ref().filter(|link| link.is_discovering) {
            let mut characteristics: Vec<_> = self
                .objects
                .characteristics(&link.device)
                .map(|(one, _)| one)
                .collect();
            characteristics.sort_unstable();
            characteristics.dedup();
            let is_complete = self
                .objects
                .devices
                .get(&link.device)
                .is_some_and(|device| device.has_services);
            // BlueZ may export what it remembers before the node has confirmed it.
            if is_complete {
                self.events.push_back(Event::Found {
                    characteristics,
                    is_complete,
                });
            }
        }
    }

    fn report_seen(&mut self, path: &str) {
        let adapter = self.adapter.as_deref().filter(|_| self.is_scanning);
        if let Some(seen) = adapter.and_then(|adapter| self.objects.advertisement(path, adapter))
            && seen.rssi.is_some()
        {
            self.events.push_back(Event::Seen(seen));
        }
    }
}

impl Radio for Bluez {
    fn ask(&mut self, request: Request, _now: Duration) {
        let token = request.token;
        if let Some(cause) = &self.closed {
            return self.events.push_back(Event::Lost(cause.clone()));
        }
        match request.ask {
            Ask::Scan => self.plain_call(Purpose::Managed(token), "/", MANAGER, "GetManagedObjects"),
            Ask::StopScan => {
                self.is_scanning = false;
                match self.adapter.clone() {
                    Some(adapter) => self.plain_call(Purpose::Do(token), &adapter, ADAPTER, "StopDiscovery"),
                    None => self.answer(token, Ok(Reply::Done)),
                }
            }
            Ask::Connect(node) => self.connect(token, &node),
            Ask::Disconnect => match self.link.as_mut() {
                Some(link) => {
                    link.disconnecting = Some(token);
                    let device = link.device.clone();
                    self.plain_call(Purpose::Disconnect(token), &device, DEVICE, "Disconnect");
                }
                None => self.answer(token, Ok(Reply::Done)),
            },
            Ask::Services => {
                match self.link.as_mut() {
                    Some(link) => link.is_discovering = true,
                    None => return self.unlinked(token),
                }
                self.answer(token, Ok(Reply::Done));
                self.report_found();
            }
            Ask::Pair => match self.link.as_ref().map(|link| link.device.clone()) {
                Some(device) => self.plain_call(Purpose::Pair(token), &device, DEVICE, "Pair"),
                None => self.unlinked(token),
            },
            Ask::Read(one) => {
                let mut body = Body::default();
                body.array(8, |_| {});
                self.characteristic_call(Purpose::Read(token), token, one, "ReadValue", ("a{sv}", body));
            }
            Ask::Write(one, value) => {
                let mut body = Body::default();
                body.bytes(value.bytes());
                // Acknowledged, and split by BlueZ where it is long.
                body.array(8, |out| out.entry("type", "s", |out| out.text("request")));
                self.characteristic_call(Purpose::Do(token), token, one, "WriteValue", ("aya{sv}", body));
            }
            Ask::Subscribe => {
                let path = self.path_of(Characteristic::Flag);
                if let Some(link) = self.link.as_mut() {
                    link.flag = path;
                }
                let nothing = ("", Body::default());
                self.characteristic_call(
                    Purpose::Do(token),
                    token,
                    Characteristic::Flag,
                    "StartNotify",
                    nothing,
                );
            }
            Ask::Unsubscribe => {
                if let Some(link) = self.link.as_mut() {
                    link.flag = None;
                }
                let nothing = ("", Body::default());
                self.characteristic_call(
                    Purpose::Do(token),
                    token,
                    Characteristic::Flag,
                    "StopNotify",
                    nothing,
                );
            }
        }
    }

    fn next_event(&mut self, _now: Duration) -> Option<Event> {
        self.events.pop_front()
    }

    fn due(&self) -> Option<Duration> {
        None
    }
}
