//! The nodes of Art-Net: those that are found, and our own.

mod node;
mod own;
mod table;

pub use node::{MAX_PARTS, Node, NodeState};
pub use own::{Failsafe, MAX_ASKERS, OwnNode, OwnNodeSettings, PortStatus};
pub use table::{MAX_NODES, NodeEvent, NodeTable, PollSettings};
