//! BlueZ over D-Bus, without a socket: bytes of the bus in, bytes for the bus out, a [`Radio`](rustle_provisioning::Radio) above.
//!
//! The client has what BlueZ needs of D-Bus: the connection of a user by its number, calls, answers and signals.
#![forbid(unsafe_code)]

mod address;
mod connection;
mod objects;
mod radio;
pub mod wire;

pub use address::{Address, SYSTEM_BUS, addresses};
pub use radio::Bluez;
