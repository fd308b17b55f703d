//! The radio through BlueZ, against messages that a bus would send.

mod bus;
mod flow;
mod wire;
