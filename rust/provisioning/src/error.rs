//! Why an attempt failed.

use crate::characteristic::Characteristic;
use crate::flag::Flag;
use crate::machine::State;
use crate::radio::{Cause, CauseKind};
use crate::wanted::Refusals;
use std::fmt;
use std::time::Duration;

/// The most nodes that a text names.
const MOST_NAMED: usize = 8;

/// A value that was read back and differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// Which one.
    pub field: Characteristic,
    /// What was written, for display.
    pub expected: String,
    /// What was read, for display.
    pub got: String,
}

/// Why an attempt failed. None holds the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No node takes these values. Nothing was done.
    Refused(Refusals),
    /// The system has no Bluetooth service.
    NoBluetooth(Cause),
    /// There is no adapter, or none of the wanted name.
    NoAdapter(Cause),
    /// The adapter is off.
    AdapterOff(Cause),
    /// The user may not use Bluetooth.
    NotAuthorized(Cause),
    /// The node was not seen, or none was.
    NotFound {
        /// The wanted node.
        node: Option<String>,
        /// How long was scanned.
        after: Duration,
    },
    /// Several nodes in range have the wanted name.
    Ambiguous {
        /// The name.
        name: String,
        /// Their identifiers.
        ids: Vec<String>,
    },
    /// The wanted node is that of an earlier attempt of the batch.
    Repeated {
        /// Its identifier.
        id: String,
    },
    /// No try connected.
    NotConnected {
        /// The tries.
        tries: u32,
        /// The last one's failure.
        cause: Cause,
    },
    /// The node lacks characteristics of the service.
    NotOurService {
        /// Those.
        missing: Vec<Characteristic>,
    },
    /// The node does not pair, and an encrypted link was demanded.
    NotEncrypted(Cause),
    /// A step had no answer in its time.
    TimedOut {
        /// Where.
        state: State,
        /// What was not answered.
        what: &'static str,
        /// Its time.
        limit: Duration,
    },
    /// A step was answered by an error.
    Failed {
        /// Where.
        state: State,
        /// What failed.
        what: &'static str,
        /// The answer.
        cause: Cause,
    },
    /// The node holds another value than was written.
    ReadBackDiffers(ReadBack),
    /// The node says that it cannot work with the values.
    NodeRefused {
        /// Whether it tried the network before: else the values are bad.
        has_tried_network: bool,
    },
    /// The link went down.
    LinkLost {
        /// Where.
        state: State,
    },
    /// The node did not say in its time that it is provisioned.
    Silent {
        /// What it said last.
        flag: Option<Flag>,
        /// Its time.
        limit: Duration,
    },
    /// The values are there, but the node does not say that it is provisioned.
    NotVerified {
        /// What it says.
        flag: Option<Flag>,
    },
    /// The whole attempt took too long.
    AttemptTimedOut {
        /// Where.
        state: State,
        /// Its time.
        limit: Duration,
    },
    /// It was cancelled.
    Cancelled,
}

impl Failure {
    /// The failure of a scan.
    pub fn of_scan(cause: Cause) -> Self {
        match cause.kind {
            CauseKind::NoBluetooth => Self::NoBluetooth(cause),
            CauseKind::NoAdapter => Self::NoAdapter(cause),
            CauseKind::AdapterOff => Self::AdapterOff(cause),
            CauseKind::NotAuthorized => Self::NotAuthorized(cause),
            CauseKind::NotConnected | CauseKind::Other => Self::Failed {
                state: State::Scanning,
                what: "the scan",
                cause,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusals) => refusals.fmt(f),
            Self::NoBluetooth(cause) => write!(f, "the system's Bluetooth service is not there: {cause}"),
            Self::NoAdapter(cause) => write!(f, "there is no Bluetooth adapter: {cause}"),
            Self::AdapterOff(cause) => write!(f, "the Bluetooth adapter is off: {cause}"),
            Self::NotAuthorized(cause) => write!(f, "the system does not allow Bluetooth: {cause}"),
            Self::NotFound {
                node: Some(node),
                after,
            } => {
                write!(f, "node: expected {node} within {}, got none", Seconds(*after))
            }
            Self::NotFound { node: None, after } => {
                write!(f, "node: expected one within {}, got none", Seconds(*after))
            }
            Self::Ambiguous { name, ids } => {
                write!(f, "node: expected one of the name {name}, got {}: ", ids.len())?;
                f.write_str(&ids[..ids.len().min(MOST_NAMED)].join(", "))?;
                f.write_str(if ids.len() > MOST_NAMED { ", …" } else { "" })
            }
            Self::Repeated { id } => write!(f, "node: expected another for each row, got {id} again"),
            Self::NotConnected { tries, cause } => {
                write!(f, "the node did not connect in {tries} tries: {cause}")
            }
            Self::NotOurService { missing } => {
                write!(f, "characteristics: expected all 8, got none for")?;
                for (number, one) in missing.iter().enumerate() {
                    write!(f, "{} {one}", if number == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Self::NotEncrypted(cause) => {
                write!(f, "the node does not pair, so the link is not encrypted: {cause}")
            }
            Self::TimedOut { state, what, limit } => {
                write!(
                    f,
                    "{state}: expected an answer to {what} within {}, got none",
                    Seconds(*limit)
                )
            }
            Self::Failed { state, what, cause } => write!(f, "{state}: {what} failed: {cause}"),
            Self::ReadBackDiffers(ReadBack { field, expected, got }) => {
                write!(f, "{field}: expected to read back '{expected}', got '{got}'")
            }
            Self::NodeRefused {
                has_tried_network: true,
            } => f.write_str("the node did not join the network: it reports an error after it tried"),
            Self::NodeRefused {
                has_tried_network: false,
            } => f.write_str("the node refused the values: it reports an error before it tried the network"),
            Self::LinkLost { state } => write!(f, "{state}: the link to the node was lost"),
            Self::Silent {
                flag: Some(flag),
                limit,
            } => write!(
                f,
                "the node: expected 'provisioned' within {}, got '{flag}' as the last",
                Seconds(*limit)
            ),
            Self::Silent { flag: None, limit } => {
                write!(
                    f,
                    "the node: expected 'provisioned' within {}, got nothing",
                    Seconds(*limit)
                )
            }
            Self::NotVerified { flag: Some(flag) } => {
                write!(
                    f,
                    "the node: expected 'provisioned' when it was verified, got '{flag}'"
                )
            }
            Self::NotVerified { flag: None } => {
                f.write_str("the node: expected 'provisioned' when it was verified, got no value")
            }
            Self::AttemptTimedOut { state, limit } => {
                write!(
                    f,
                    "{state}: expected the end of the attempt within {}",
                    Seconds(*limit)
                )
            }
            Self::Cancelled => f.write_str("the attempt was cancelled"),
        }
    }
}

impl std::error::Error for Failure {}

/// A time in seconds, without needless digits.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}
