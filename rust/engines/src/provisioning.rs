//! Nodes over Bluetooth LE: scans, and attempts to provision, read or command them.

mod attempts;
mod bus;
mod demo;
mod engine;
mod error;
mod program;
mod records;
mod scan;
mod source;

pub use engine::{DEMO_ADAPTER, NodeOrder, NodeRadio, NodeRadioConfiguration, NodeTask};
pub use error::NodeRadioError;
pub use program::{NodeAsk, NodeRequest, PROGRAM_ADAPTER};
pub use records::{BoundedText, NodeFailure, NodeSighting, NodeUpdate};

#[cfg(test)]
mod tests;
