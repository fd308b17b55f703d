//! The system's bus.

use crate::clock::Clock;
use crate::job::PollContext;
use crate::transport::{Stream, Transport};
use rustle_bluez::{Address, Bluez, SYSTEM_BUS, addresses};
use rustle_provisioning::{Cause, CauseKind, Event, Radio, Request};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The variable that names another bus than the system's: of a test, or a sandbox.
const VARIABLE: &str = "DBUS_SYSTEM_BUS_ADDRESS";

/// BlueZ with the socket of its bus.
pub(super) struct BusRadio {
    stream: Stream,
    bluez: Bluez,
}

impl BusRadio {
    /// Connects to the bus.
    ///
    /// # Errors
    /// Where it was looked for, and why it is not there.
    pub(super) fn open(adapter: &str, clock: &Arc<dyn Clock>) -> Result<Self, String> {
        let list = std::env::var(VARIABLE).unwrap_or_default();
        let list = if list.is_empty() { SYSTEM_BUS } else { &list };
        let mut reason = "expected an address with unix:path= or unix:abstract=".to_owned();
        for address in addresses(list) {
            match connect(&address, clock) {
                Ok(stream) => {
                    let mut radio = Self {
                        stream,
                        bluez: Bluez::new(rustle_system::user(), adapter),
                    };
                    radio.send();
                    return Ok(radio);
                }
                Err(error) => reason = crate::system_reason::reason(&error),
            }
        }
        Err(format!("{list}: {reason}"))
    }

    /// Wakes the polled job from now on.
    pub(super) fn watch(&mut self, context: &PollContext<'_>) {
        if let Err(error) = self.stream.watch(context) {
            self.close(&error);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.bluez.is_closed()
    }

    fn close(&mut self, error: &io::Error) {
        let text = format!("the bus is gone: {}", crate::system_reason::reason(error));
        self.bluez.close(Cause::new(CauseKind::NoBluetooth, "", text));
    }

    fn send(&mut self) {
        while !self.bluez.outgoing().is_empty() {
            match self.stream.try_send(self.bluez.outgoing(), None) {
                Ok(count) => self.bluez.sent(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.close(&error),
            }
        }
    }

    /// Takes what has arrived.
    fn receive(&mut self) {
        let mut bytes = [0; 16_384];
        while !self.bluez.is_closed() {
            match self.stream.try_receive(&mut bytes) {
                Ok(arrival) if arrival.length == 0 => return self.close(&ErrorKind::UnexpectedEof.into()),
                Ok(arrival) => self.bluez.receive(&bytes[..arrival.length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.close(&error),
            }
        }
    }
}

fn connect(address: &Address, clock: &Arc<dyn Clock>) -> io::Result<Stream> {
    let mut nul = vec![0];
    let path = match address {
        Address::Path(path) => path,
        Address::Abstract(name) => {
            nul.extend_from_slice(name);
            &nul
        }
    };
    Stream::connect_to_path(Path::new(OsStr::from_bytes(path)), clock.clone())
}

impl Radio for BusRadio {
    fn ask(&mut self, request: Request, now: Duration) {
        self.bluez.ask(request, now);
        self.send();
    }

    fn next_event(&mut self, now: Duration) -> Option<Event> {
        if let Some(event) = self.bluez.next_event(now) {
            return Some(event);
        }
        self.receive();
        self.send();
        self.bluez.next_event(now)
    }

    fn due(&self) -> Option<Duration> {
        None
    }
}
