//! Several members of sessions on a scripted network, on virtual time: the rules of discovery and of sessions, and what users see.

mod bounds;
mod clocks;
mod expectations;
mod extremes;
mod gateways;
mod merging;
mod network;
mod recovery;
mod rules;
mod storms;
