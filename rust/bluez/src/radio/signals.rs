//! The signals of BlueZ and of the bus.

use super::{BUS, Bluez, MANAGER, PROPERTIES};
use crate::objects::{ADAPTER, CHARACTERISTIC};
use crate::wire::{Message, Value};
use rustle_provisioning::{Cause, CauseKind, Event};

impl Bluez {
    pub(super) fn signalled(&mut self, message: &Message) {
        if message.sender == BUS && message.member == "NameOwnerChanged" {
            return self.owner_changed(message);
        }
        // Others may send to this connection alone. Before the answer with all objects nothing is missed: they are in it.
        if self.owner.as_deref() != Some(message.sender.as_str()) {
            return;
        }
        match (message.interface.as_str(), message.member.as_str()) {
            (PROPERTIES, "PropertiesChanged") => self.properties_changed(message),
            (MANAGER, "InterfacesAdded") => {
                if let [path, interfaces] = &message.body[..]
                    && let Some(path) = path.text()
                {
                    self.objects.add(path, interfaces);
                    self.report_seen(path);
                    self.report_found();
                }
            }
            (MANAGER, "InterfacesRemoved") => {
                if let [path, interfaces] = &message.body[..]
                    && let Some(path) = path.text()
                {
                    self.objects.remove(path, interfaces.elements());
                    if self.is_link(path) {
                        self.link_changed();
                    }
                    self.check_adapter();
                }
            }
            _ => {}
        }
    }

    /// BlueZ went, or another came in its place: what was known is void.
    fn owner_changed(&mut self, message: &Message) {
        let [name, old, _] = &message.body[..] else { return };
        if name.text() == Some(super::BLUEZ) && self.owner.is_some() && old.text() == self.owner.as_deref() {
            self.owner = None;
            self.lose(Cause::new(
                CauseKind::NoBluetooth,
                "",
                "org.bluez has left the bus",
            ));
        }
    }

    fn properties_changed(&mut self, message: &Message) {
        let [interface, properties, gone] = &message.body[..] else {
            return;
        };
        let Some(interface) = interface.text() else { return };
        let path = message.path.as_str();
        if interface == CHARACTERISTIC {
            let is_flag = self
                .link
                .as_ref()
                .is_some_and(|link| link.flag.as_deref() == Some(path));
            let value = properties
                .entries()
                .iter()
                .find(|(name, _)| name.text() == Some("Value"));
            if let Some(value) = value.and_then(|(_, value)| value.bytes()).filter(|_| is_flag) {
                self.events.push_back(Event::Notified(value.to_vec()));
            }
            return;
        }
        self.objects.change(path, interface, properties, gone.elements());
        if interface == ADAPTER {
            self.check_adapter();
        } else if Self::is_device(interface) {
            if properties.entries().iter().any(|(name, _)| is_advertised(name)) {
                self.report_seen(path);
            }
            if self.is_link(path) {
                if properties
                    .entries()
                    .iter()
                    .any(|(name, _)| name.text() == Some("Connected"))
                {
                    self.link_changed();
                }
                self.report_found();
            }
        }
    }

    /// Ends everything when the adapter in use is off or gone.
    fn check_adapter(&mut self) {
        let Some(path) = self.adapter.as_deref() else {
            return;
        };
        let name = super::adapters_name(path).to_owned();
        match self.objects.adapters.get(path) {
            Some(adapter) if adapter.is_powered => {}
            Some(_) => self.lose(Cause::new(
                CauseKind::AdapterOff,
                "",
                format!("{name} was switched off"),
            )),
            None => self.lose(Cause::new(
                CauseKind::NoAdapter,
                "",
                format!("{name} was removed"),
            )),
        }
    }
}

/// Whether a property is news of an advertisement.
fn is_advertised(name: &Value) -> bool {
    matches!(name.text(), Some("RSSI" | "Name" | "ManufacturerData" | "UUIDs"))
}
