//! The answers of BlueZ.

use super::{Bluez, DEVICE, Purpose};
use crate::objects::ADAPTER;
use crate::wire::{Kind, Message, Value};
use rustle_provisioning::{Cause, CauseKind, Reply};

/// The cause of an error's name and text.
fn cause(message: &Message) -> Cause {
    let text = message.body.first().and_then(Value::text).unwrap_or_default();
    let kind = match message.error.as_str() {
        "org.freedesktop.DBus.Error.ServiceUnknown"
        | "org.freedesktop.DBus.Error.NameHasNoOwner"
        | "org.freedesktop.DBus.Error.NoReply"
        | "org.freedesktop.DBus.Error.Spawn.ServiceNotFound" => CauseKind::NoBluetooth,
        name if name.starts_with("org.freedesktop.DBus.Error.Spawn.") => CauseKind::NoBluetooth,
        "org.bluez.Error.NotReady" => CauseKind::AdapterOff,
        "org.freedesktop.DBus.Error.AccessDenied" => CauseKind::NotAuthorized,
        "org.bluez.Error.NotAuthorized" => CauseKind::NotAuthorized,
        "org.bluez.Error.NotConnected" => CauseKind::NotConnected,
        "org.bluez.Error.Failed" if text.eq_ignore_ascii_case("not connected") => CauseKind::NotConnected,
        _ => CauseKind::Other,
    };
    Cause::new(kind, message.error.as_str(), text)
}

impl Bluez {
    pub(super) fn answered(&mut self, message: Message) {
        let Some(purpose) = self.calls.remove(&message.reply_to) else {
            return;
        };
        let result = if message.kind == Kind::Error {
            Err(cause(&message))
        } else {
            Ok(message)
        };
        match purpose {
            Purpose::Managed(token) => self.managed(token, result),
            Purpose::Filter(token) => match (result, self.adapter.clone()) {
                (Ok(_), Some(adapter)) => {
                    self.plain_call(
                        Purpose::StartDiscovery(token),
                        &adapter,
                        ADAPTER,
                        "StartDiscovery",
                    );
                }
                (Err(cause), _) => self.answer(token, Err(cause)),
                (Ok(_), None) => {}
            },
            Purpose::StartDiscovery(token) => {
                // Ours runs already.
                let result = result.map(|_| Reply::Done);
                let result = unless_named(result, "org.bluez.Error.InProgress");
                self.is_scanning = result.is_ok();
                self.answer(token, result);
                let known: Vec<_> = self.objects.devices.keys().cloned().collect();
                known.iter().for_each(|path| self.report_seen(path));
            }
            Purpose::Connect(token) => self.connected(token, result.map(drop)),
            Purpose::Disconnect(token) => self.disconnected(token, result.map(drop)),
            Purpose::Pair(token) => {
                let result = result.map(|_| Reply::Done);
                self.answer(token, unless_named(result, "org.bluez.Error.AlreadyExists"));
            }
            Purpose::Read(token) => {
                let value = result.map(|message| {
                    let bytes = message.body.first().and_then(Value::bytes);
                    Reply::Value(bytes.unwrap_or_default().to_vec())
                });
                self.answer(token, value);
            }
            Purpose::Do(token) => self.answer(token, result.map(|_| Reply::Done)),
        }
    }

    /// The objects are there: chooses the adapter, and starts to scan.
    fn managed(&mut self, token: u32, result: Result<Message, Cause>) {
        let message = match result {
            Ok(message) => message,
            Err(cause) => {
                // Whatever it says: without objects there is nothing to work with.
                let kind = if cause.kind == CauseKind::NotAuthorized {
                    cause.kind
                } else {
                    CauseKind::NoBluetooth
                };
                return self.answer(token, Err(Cause { kind, ..cause }));
            }
        };
        self.owner = Some(message.sender.clone());
        self.objects = Default::default();
        if let Some(objects) = message.body.first() {
            self.objects.take(objects);
        }
        match self.choose_adapter() {
            Ok(adapter) => {
                self.adapter = Some(adapter.clone());
                self.discover(token, &adapter);
            }
            Err(cause) => self.answer(token, Err(cause)),
        }
    }

    fn connected(&mut self, token: u32, result: Result<(), Cause>) {
        // The answer to an earlier try is void.
        let Some(link) = self.link.as_mut().filter(|link| link.token == token) else {
            return;
        };
        let is_up = self
            .objects
            .devices
            .get(&link.device)
            .is_some_and(|device| device.is_connected);
        match result {
            Ok(()) => {
                link.was_up = true;
                self.answer(token, Ok(Reply::Done));
            }
            Err(cause) if is_begun(&cause) && is_up => {
                link.was_up = true;
                self.answer(token, Ok(Reply::Done));
            }
            // It is being made already: its end is awaited.
            Err(cause) if is_begun(&cause) => link.connecting = Some(token),
            Err(cause) => self.answer(token, Err(cause)),
        }
    }

    fn disconnected(&mut self, token: u32, result: Result<(), Cause>) {
        // The answer to one that is void, of an earlier link.
        let awaited = self
            .link
            .as_mut()
            .filter(|link| link.disconnecting == Some(token));
        let Some(link) = awaited else { return };
        let device = self.objects.devices.get(&link.device);
        let is_up = device.is_some_and(|device| device.is_connected);
        match result {
            // The signal follows.
            Ok(()) if is_up => link.was_up = true,
            Err(cause) if is_up && cause.kind != CauseKind::NotConnected => self.answer(token, Err(cause)),
            _ => {
                self.link = None;
                self.answer(token, Ok(Reply::Done));
            }
        }
    }

    /// The linked device changed.
    pub(super) fn link_changed(&mut self) {
        let Some(link) = self.link.as_mut() else { return };
        let is_up = self
            .objects
            .devices
            .get(&link.device)
            .is_some_and(|device| device.is_connected);
        if is_up {
            link.was_up = true;
            if let Some(token) = link.connecting.take() {
                self.answer(token, Ok(Reply::Done));
            }
        } else if let Some(token) = link.disconnecting.filter(|_| link.was_up) {
            self.link = None;
            self.answer(token, Ok(Reply::Done));
        } else if link.was_up {
            self.link = None;
            self.events.push_back(rustle_provisioning::Event::Disconnected);
        }
    }

    /// Whether a path is the linked device's.
    pub(super) fn is_link(&self, path: &str) -> bool {
        self.link.as_ref().is_some_and(|link| link.device == path)
    }

    /// Whether an interface is of a device.
    pub(super) fn is_device(interface: &str) -> bool {
        interface == DEVICE
    }
}

/// Whether the connection is there or being made.
fn is_begun(cause: &Cause) -> bool {
    let name = cause.name.strip_prefix("org.bluez.Error.");
    matches!(name, Some("InProgress" | "AlreadyConnected"))
}

/// The same result, in which an error of this name is none.
fn unless_named(result: Result<Reply, Cause>, name: &str) -> Result<Reply, Cause> {
    result.or_else(|cause| {
        if cause.name == name {
            Ok(Reply::Done)
        } else {
            Err(cause)
        }
    })
}
