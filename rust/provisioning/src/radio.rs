//! What the machine asks of a radio, and what a radio reports.

use crate::advertisement::Advertisement;
use crate::characteristic::Characteristic;
use crate::secret::Secret;
use std::fmt;
use std::time::Duration;

/// What a radio is asked for. Each request has one answer, unless another event makes it void.
pub enum Ask {
    /// Report the nodes that are seen, until `StopScan`.
    Scan,
    /// End the own scan.
    StopScan,
    /// Connect to a node by its identifier.
    Connect(String),
    /// Report the characteristics, by [`Event::Found`] whenever there are more of them.
    Services,
    /// Pair with the node: encrypt the link.
    Pair,
    /// Read a value.
    Read(Characteristic),
    /// Write a value with an acknowledgement.
    Write(Characteristic, Secret),
    /// Report changes of the flag.
    Subscribe,
    /// Report no more of them.
    Unsubscribe,
    /// Disconnect, or end a connection that is being made. Answered when the link is down.
    Disconnect,
}

/// A request with the number that its answer bears.
pub struct Request {
    /// The number.
    pub token: u32,
    /// What is asked for.
    pub ask: Ask,
}

/// What kind of failure a [`Cause`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// The system has no Bluetooth service, or none that answers.
    NoBluetooth,
    /// There is no adapter, or none of the wanted name.
    NoAdapter,
    /// The adapter is off.
    AdapterOff,
    /// The user may not use Bluetooth.
    NotAuthorized,
    /// The link is down.
    NotConnected,
    /// Another one.
    Other,
}

/// Why a radio did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its kind.
    pub kind: CauseKind,
    /// Its name where the radio has names: `org.bluez.Error.Failed`.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Cause {
    /// A cause.
    pub fn new(kind: CauseKind, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            text: text.into(),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.as_str(), self.text.as_str()) {
            ("", text) => f.write_str(text),
            (name, "") => f.write_str(name),
            (name, text) => write!(f, "{name}: {text}"),
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done,
    /// The value that was read.
    Value(Vec<u8>),
}

/// What a radio reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node was seen.
    Seen(Advertisement),
    /// The answer to the request of this number.
    Answer {
        /// The number.
        token: u32,
        /// The answer.
        result: Result<Reply, Cause>,
    },
    /// The characteristics so far; `is_complete`: the node says that there are no more.
    Found {
        /// Those of the service.
        characteristics: Vec<Characteristic>,
        /// Whether the node has listed all its services.
        is_complete: bool,
    },
    /// The flag changed.
    Notified(Vec<u8>),
    /// The link went down.
    Disconnected,
    /// The adapter or the service is gone, and every link with it.
    Lost(Cause),
}

/// A radio: BlueZ, a script, or what a program of the user's connects.
pub trait Radio: Send {
    /// Begins to do what is asked for.
    fn ask(&mut self, request: Request, now: Duration);

    /// The next event, if there is one by now.
    fn next_event(&mut self, now: Duration) -> Option<Event>;

    /// When to ask for events again without a wake; `None`: a wake comes.
    fn due(&self) -> Option<Duration>;
}
