//! The browser of Art-Net's nodes: a controller that polls, and reports who answers.

mod demo;
mod engine;
mod job;
mod records;

pub use engine::{DMX_POLLED, DmxNodes, DmxNodesConfiguration};
pub use records::{DMX_NODE_PORTS, DmxNode, DmxNodeChange, DmxNodesCounts};

#[cfg(test)]
mod tests;
