//! A radio without a radio: nodes that behave as theirs do, and faults at any step. For tests and demonstrations.

use crate::advertisement::Advertisement;
use crate::characteristic::Characteristic;
use crate::flag::Flag;
use crate::radio::{Ask, Cause, CauseKind, Event, Radio, Reply, Request};
use std::collections::BTreeMap;
use std::time::Duration;

/// A step at which a fault can be: what is asked for, in the order of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The start of a scan.
    Scan,
    /// Its end.
    StopScan,
    /// The connection.
    Connect,
    /// The characteristics.
    Services,
    /// The pairing.
    Pair,
    /// The read of a value.
    Read(Characteristic),
    /// The write of a value.
    Write(Characteristic),
    /// The subscription.
    Subscribe,
    /// What the node says after the command.
    Apply,
    /// The end of the subscription.
    Unsubscribe,
    /// The disconnection.
    Disconnect,
}

impl Step {
    /// All steps of an attempt.
    pub fn all() -> Vec<Self> {
        let mut steps = vec![
            Self::Scan,
            Self::StopScan,
            Self::Connect,
            Self::Services,
            Self::Pair,
        ];
        steps.extend(Characteristic::ALL.map(Self::Read));
        steps.extend(Characteristic::ALL.map(Self::Write));
        steps.extend([Self::Subscribe, Self::Apply, Self::Unsubscribe, Self::Disconnect]);
        steps
    }

    fn of(ask: &Ask) -> Self {
        match ask {
            Ask::Scan => Self::Scan,
            Ask::StopScan => Self::StopScan,
            Ask::Connect(_) => Self::Connect,
            Ask::Services => Self::Services,
            Ask::Pair => Self::Pair,
            Ask::Read(one) => Self::Read(*one),
            Ask::Write(one, _) => Self::Write(*one),
            Ask::Subscribe => Self::Subscribe,
            Ask::Unsubscribe => Self::Unsubscribe,
            Ask::Disconnect => Self::Disconnect,
        }
    }
}

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is refused, this often.
    Refused(u32),
    /// It is never answered.
    Silent,
    /// It is answered after so long.
    Slow(Duration),
    /// It is answered with something else: a value with a bit turned, a write that is not kept, a service that lacks a characteristic,
    /// a flag of 0xFF.
    Wrong,
    /// The link goes down in place of an answer.
    Cut,
    /// The Bluetooth service goes.
    Lost,
}

/// Faults by their steps.
pub type Faults = BTreeMap<Step, Fault>;

/// A node.
#[derive(Clone, Debug)]
pub struct ScriptedNode {
    /// Its identifier.
    pub id: String,
    /// Its signal in dBm.
    pub rssi: i16,
    /// Its values.
    pub values: BTreeMap<Characteristic, Vec<u8>>,
    /// Whether it lets itself be subscribed to.
    pub notifies: bool,
    /// The writes so far.
    pub writes: Vec<(Characteristic, Vec<u8>)>,
}

impl ScriptedNode {
    /// A node that was never provisioned.
    pub fn new(id: &str, name: &str, rssi: i16) -> Self {
        let values = [
            (Characteristic::Name, name.as_bytes().to_vec()),
            (Characteristic::Ssid, Vec::new()),
            (Characteristic::Password, Vec::new()),
            (Characteristic::Universe, vec![0, 0]),
            (Characteristic::Start, vec![1, 0]),
            (Characteristic::Flag, vec![0]),
            (Characteristic::Firmware, b"1.4.2".to_vec()),
        ];
        Self {
            id: id.to_owned(),
            rssi,
            values: values.into(),
            notifies: true,
            writes: Vec::new(),
        }
    }

    fn name(&self) -> String {
        String::from_utf8_lossy(&self.values[&Characteristic::Name]).into_owned()
    }

    fn advertisement(&self) -> Advertisement {
        Advertisement {
            id: self.id.clone(),
            name: self.name(),
            rssi: Some(self.rssi),
            state: Some([self.flag(), 1, 4]),
        }
    }

    fn flag(&self) -> u8 {
        self.values[&Characteristic::Flag].first().copied().unwrap_or(0)
    }

    fn set_flag(&mut self, flag: Flag) {
        self.values.insert(Characteristic::Flag, vec![flag.number()]);
    }
}

/// A radio with scripted nodes and faults.
pub struct ScriptedRadio {
    /// The nodes.
    pub nodes: Vec<ScriptedNode>,
    /// The faults.
    pub faults: Faults,
    /// The time that every operation takes.
    pub delay: Duration,
    is_scanning: bool,
    linked: Option<usize>,
    is_subscribed: bool,
    /// Events by their times, and in the order in which they were made.
    events: BTreeMap<(Duration, u64), Due>,
    made: u64,
    refused: BTreeMap<Step, u32>,
}

/// What happens at a time.
enum Due {
    Event(Event),
    Advertise(usize),
    /// The flag changes.
    Flag(Flag),
}

/// Between two advertisements of a node.
const INTERVAL: Duration = Duration::from_millis(100);

impl ScriptedRadio {
    /// A radio whose operations take `delay`.
    pub fn new(nodes: Vec<ScriptedNode>, delay: Duration) -> Self {
        Self {
            nodes,
            faults: Faults::new(),
            delay,
            is_scanning: false,
            linked: None,
            is_subscribed: false,
            events: BTreeMap::new(),
            made: 0,
            refused: BTreeMap::new(),
        }
    }

    /// Four nodes for a demonstration; the last one was provisioned before.
    pub fn demonstration() -> Self {
        let node = |number: u8| {
            let name = format!("ChromaDMX-000{number}");
            ScriptedNode::new(
                &format!("02:00:00:00:00:0{number}"),
                &name,
                -40 - 7 * i16::from(number),
            )
        };
        let mut nodes: Vec<_> = (1..=4).map(node).collect();
        nodes[3].values.extend([
            (Characteristic::Ssid, b"rehearsal".to_vec()),
            (Characteristic::Universe, vec![2, 0]),
            (Characteristic::Start, vec![101, 0]),
            (Characteristic::Flag, vec![Flag::Provisioned.number()]),
        ]);
        Self::new(nodes, Duration::from_millis(20))
    }

    /// Whether a link is up.
    pub fn is_linked(&self) -> bool {
        self.linked.is_some()
    }

    /// Whether it scans.
    pub fn is_scanning(&self) -> bool {
        self.is_scanning
    }

    fn at(&mut self, time: Duration, due: Due) {
        self.made += 1;
        self.events.insert((time, self.made), due);
    }

    fn answer(&mut self, token: u32, at: Duration, result: Result<Reply, Cause>) {
        self.at(at, Due::Event(Event::Answer { token, result }));
    }

    fn down(&mut self, at: Duration) {
        self.is_subscribed = false;
        if self.linked.take().is_some() {
            self.at(at, Due::Event(Event::Disconnected));
        }
    }

    /// Does what is asked for, well.
    fn perform(&mut self, request: Request, is_wrong: bool, at: Duration) {
        let token = request.token;
        let result = match request.ask {
            Ask::Scan => {
                self.is_scanning = true;
                for number in 0..self.nodes.len() {
                    self.at(at, Due::Advertise(number));
                }
                Ok(Reply::Done)
            }
            Ask::StopScan => {
                self.is_scanning = false;
                Ok(Reply::Done)
            }
            Ask::Connect(id) => {
                self.linked = self.nodes.iter().position(|node| node.id == id && !is_wrong);
                self.linked.map(|_| Reply::Done).ok_or_else(refusal)
            }
            Ask::Disconnect => {
                self.down(at);
                Ok(Reply::Done)
            }
            _ if self.linked.is_none() => Err(Cause::new(
                CauseKind::NotConnected,
                "org.bluez.Error.Failed",
                "Not connected",
            )),
            Ask::Services => {
                let mut characteristics = Characteristic::ALL.to_vec();
                if is_wrong {
                    characteristics.retain(|one| *one != Characteristic::Start);
                }
                self.at(
                    at,
                    Due::Event(Event::Found {
                        characteristics,
                        is_complete: true,
                    }),
                );
                Ok(Reply::Done)
            }
            Ask::Pair if is_wrong => Err(refusal()),
            Ask::Pair => Ok(Reply::Done),
            Ask::Subscribe => {
                self.is_subscribed = self.node().notifies;
                if self.is_subscribed {
                    Ok(Reply::Done)
                } else {
                    Err(refusal())
                }
            }
            Ask::Unsubscribe => {
                self.is_subscribed = false;
                Ok(Reply::Done)
            }
            Ask::Read(Characteristic::Password | Characteristic::Command) => Err(Cause::new(
                CauseKind::Other,
                "org.bluez.Error.NotPermitted",
                "Read not permitted",
            )),
            Ask::Read(one) => {
                let mut value = self.node().values.get(&one).cloned().unwrap_or_default();
                if is_wrong {
                    match value.first_mut() {
                        Some(byte) => *byte ^= 0x40,
                        None => value.push(0x40),
                    }
                }
                Ok(Reply::Value(value))
            }
            Ask::Write(one, value) => {
                self.write(one, value.bytes(), is_wrong, at);
                Ok(Reply::Done)
            }
        };
        self.answer(token, at, result);
    }

    fn node(&mut self) -> &mut ScriptedNode {
        // Asked for with a link alone.
        let number = self.linked.unwrap_or(0);
        &mut self.nodes[number]
    }

    fn write(&mut self, characteristic: Characteristic, value: &[u8], is_wrong: bool, at: Duration) {
        let node = self.node();
        node.writes.push((characteristic, value.to_vec()));
        if characteristic == Characteristic::Command {
            return self.command(value, is_wrong, at);
        }
        node.set_flag(Flag::Provisioning);
        if !is_wrong {
            node.values.insert(characteristic, value.to_vec());
        }
    }

    fn command(&mut self, value: &[u8], is_wrong: bool, at: Duration) {
        match value {
            [1] => self.apply(is_wrong, at),
            [2] => self.down(at + self.delay),
            [3] => {
                let node = self.node();
                let fresh = ScriptedNode::new(&node.id, "ChromaDMX", node.rssi);
                node.values = fresh.values;
                self.down(at + self.delay);
            }
            _ => {}
        }
    }

    fn apply(&mut self, is_wrong: bool, at: Duration) {
        let step = self.delay.max(Duration::from_millis(1)) * 2;
        let fault = self.faults.get(&Step::Apply).copied();
        let flags: &[Flag] = match fault {
            // Bad values.
            Some(Fault::Refused(_)) => &[Flag::Error],
            // No network.
            Some(Fault::Wrong) => &[Flag::Connecting, Flag::Error],
            Some(Fault::Silent) => &[Flag::Connecting],
            Some(Fault::Lost) => {
                let cause = Cause::new(CauseKind::NoBluetooth, "", "the Bluetooth service is gone");
                self.at(at + step, Due::Event(Event::Lost(cause)));
                (self.linked, self.is_subscribed) = (None, false);
                return;
            }
            Some(Fault::Cut) => return self.down(at + step),
            _ if is_wrong => &[Flag::Unprovisioned],
            _ => &[Flag::Connecting, Flag::Connected, Flag::Provisioned],
        };
        let step = if let Some(Fault::Slow(slow)) = fault {
            slow
        } else {
            step
        };
        for (number, flag) in (1..).zip(flags) {
            self.at(at + step * number, Due::Flag(*flag));
        }
    }
}

/// A refusal with the name and the text of BlueZ's.
fn refusal() -> Cause {
    Cause::new(CauseKind::Other, "org.bluez.Error.Failed", "ATT error: 0x0e")
}

impl Radio for ScriptedRadio {
    fn ask(&mut self, request: Request, now: Duration) {
        let step = Step::of(&request.ask);
        let (token, at) = (request.token, now + self.delay);
        match self.faults.get(&step).copied() {
            None => self.perform(request, false, at),
            Some(Fault::Wrong) => self.perform(request, true, at),
            Some(Fault::Slow(slow)) => self.perform(request, false, now + slow),
            Some(Fault::Silent) => {}
            Some(Fault::Refused(times)) => {
                let refused = self.refused.entry(step).or_default();
                if *refused < times {
                    *refused += 1;
                    self.answer(token, at, Err(refusal()));
                } else {
                    self.perform(request, false, at);
                }
            }
            Some(Fault::Cut) => {
                self.down(at);
                match step {
                    Step::Scan | Step::StopScan | Step::Connect => self.answer(token, at, Err(refusal())),
                    Step::Disconnect => {
                        let name = "org.bluez.Error.NotConnected";
                        self.answer(
                            token,
                            at,
                            Err(Cause::new(CauseKind::NotConnected, name, "Not Connected")),
                        );
                    }
                    // The end of the link is the answer.
                    _ => {}
                }
            }
            Some(Fault::Lost) => {
                (self.linked, self.is_subscribed, self.is_scanning) = (None, false, false);
                let cause = Cause::new(CauseKind::NoBluetooth, "", "the Bluetooth service is gone");
                self.at(at, Due::Event(Event::Lost(cause)));
            }
        }
    }

    fn next_event(&mut self, now: Duration) -> Option<Event> {
        loop {
            let (time, number) = *self.events.keys().next().filter(|(time, _)| *time <= now)?;
            match self.events.remove(&(time, number))? {
                Due::Event(event) => return Some(event),
                Due::Advertise(place) if self.is_scanning => {
                    self.at(time + INTERVAL, Due::Advertise(place));
                    return Some(Event::Seen(self.nodes[place].advertisement()));
                }
                Due::Advertise(_) => {}
                Due::Flag(flag) => {
                    if self.linked.is_some() {
                        self.node().set_flag(flag);
                    }
                    if self.is_subscribed {
                        return Some(Event::Notified(vec![flag.number()]));
                    }
                }
            }
        }
    }

    fn due(&self) -> Option<Duration> {
        self.events.keys().next().map(|(time, _)| *time)
    }
}
