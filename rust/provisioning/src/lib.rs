//! Provisioning of DMX nodes over Bluetooth LE: the values of their GATT service, an attempt as a state machine, the list of a
//! scanner.
//!
//! Everything here is a value: times are durations since any origin, and a [`Radio`] does what the machine asks for.
#![forbid(unsafe_code)]

mod advertisement;
mod batch;
mod characteristic;
mod configuration;
mod error;
mod flag;
mod limits;
mod machine;
mod radio;
mod scanner;
mod scripted;
mod secret;
mod text;
mod wanted;

pub use advertisement::Advertisement;
pub use batch::{MOST_ROWS, Row, RowRefusal, rows};
pub use characteristic::{Characteristic, SERVICE, Uuid};
pub use configuration::Configuration;
pub use error::{Failure, ReadBack};
pub use flag::Flag;
pub use limits::Limits;
pub use machine::{Machine, Order, Past, State, Update};
pub use radio::{Ask, Cause, CauseKind, Event, Radio, Reply, Request};
pub use scanner::{GONE_AFTER, MOST_NODES, Node, NodeChange, NodeList};
pub use scripted::{Fault, Faults, ScriptedNode, ScriptedRadio, Step};
pub use secret::Secret;
pub use text::Text;
pub use wanted::{Refusal, Refusals, Wanted};
