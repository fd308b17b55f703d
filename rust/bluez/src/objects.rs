//! The objects of BlueZ, as far as provisioning needs them.

use crate::wire::Value;
use rustle_provisioning::{Advertisement, Characteristic, SERVICE, Uuid};
use std::collections::BTreeMap;

pub(crate) const ADAPTER: &str = "org.bluez.Adapter1";
pub(crate) const DEVICE: &str = "org.bluez.Device1";
const SERVICE_INTERFACE: &str = "org.bluez.GattService1";
pub(crate) const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";
/// The company of the nodes' manufacturer data: none, for tests.
const COMPANY: u16 = 0xFFFF;

/// An adapter.
#[derive(Debug, Default)]
pub(crate) struct Adapter {
    pub(crate) address: String,
    pub(crate) is_powered: bool,
}

/// A device, which is a node if it has the service.
#[derive(Debug, Default)]
pub(crate) struct Device {
    pub(crate) address: String,
    name: String,
    rssi: Option<i16>,
    is_node: bool,
    state: Option<[u8; 3]>,
    pub(crate) is_connected: bool,
    pub(crate) has_services: bool,
}

/// A characteristic.
#[derive(Debug, Default)]
pub(crate) struct GattCharacteristic {
    uuid: Option<Uuid>,
    service: String,
}

/// The objects, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) adapters: BTreeMap<String, Adapter>,
    pub(crate) devices: BTreeMap<String, Device>,
    services: BTreeMap<String, Option<Uuid>>,
    characteristics: BTreeMap<String, GattCharacteristic>,
}

fn uuid(value: &Value) -> Option<Uuid> {
    value.text()?.parse().ok()
}

impl Objects {
    /// Takes the answer of `GetManagedObjects`.
    pub(crate) fn take(&mut self, objects: &Value) {
        for (path, interfaces) in objects.entries() {
            if let Some(path) = path.text() {
                self.add(path, interfaces);
            }
        }
    }

    /// Takes interfaces of an object.
    pub(crate) fn add(&mut self, path: &str, interfaces: &Value) {
        for (interface, properties) in interfaces.entries() {
            if let Some(interface) = interface.text() {
                self.change(path, interface, properties, &[]);
            }
        }
    }

    /// Takes properties of an interface; `gone` are those that have no value any more.
    pub(crate) fn change(&mut self, path: &str, interface: &str, properties: &Value, gone: &[Value]) {
        let named = properties.entries().iter();
        let named = named.filter_map(|(name, value)| Some((name.text()?, value)));
        match interface {
            ADAPTER => {
                let adapter = self.adapters.entry(path.to_owned()).or_default();
                named.for_each(|(name, value)| adapter.set(name, value));
            }
            DEVICE => {
                let device = self.devices.entry(path.to_owned()).or_default();
                named.for_each(|(name, value)| device.set(name, value));
                if gone.iter().any(|name| name.text() == Some("RSSI")) {
                    device.rssi = None;
                }
            }
            SERVICE_INTERFACE => {
                let service = self.services.entry(path.to_owned()).or_default();
                named
                    .filter(|(name, _)| *name == "UUID")
                    .for_each(|(_, value)| *service = uuid(value));
            }
            CHARACTERISTIC => {
                let one = self.characteristics.entry(path.to_owned()).or_default();
                named.for_each(|(name, value)| one.set(name, value));
            }
            _ => {}
        }
    }

    /// Forgets interfaces of an object.
    pub(crate) fn remove(&mut self, path: &str, interfaces: &[Value]) {
        for interface in interfaces.iter().filter_map(Value::text) {
            match interface {
                ADAPTER => drop(self.adapters.remove(path)),
                DEVICE => drop(self.devices.remove(path)),
                SERVICE_INTERFACE => drop(self.services.remove(path)),
                CHARACTERISTIC => drop(self.characteristics.remove(path)),
                _ => {}
            }
        }
    }

    /// What a node of an adapter advertises.
    pub(crate) fn advertisement(&self, path: &str, adapter: &str) -> Option<Advertisement> {
        let device = self.devices.get(path)?;
        (device.is_node && is_below(path, adapter)).then(|| Advertisement {
            id: device.address.clone(),
            name: device.name.clone(),
            rssi: device.rssi,
            state: device.state,
        })
    }

    /// The path of a device of an adapter by its address.
    pub(crate) fn device_at(&self, address: &str, adapter: &str) -> Option<&str> {
        let mut devices = self.devices.iter();
        let found = devices.find(|(path, device)| is_below(path, adapter) && device.address == address);
        found.map(|(path, _)| path.as_str())
    }

    /// The characteristics of a device's service with their paths.
    pub(crate) fn characteristics<'a>(
        &'a self,
        device: &'a str,
    ) -> impl Iterator<Item = (Characteristic, &'a str)> {
        let all = self.characteristics.iter();
        all.filter_map(move |(path, one)| {
            let of_service = self.services.get(&one.service) == Some(&Some(SERVICE));
            let known = Characteristic::of(one.uuid?)?;
            (of_service && is_below(path, device)).then_some((known, path.as_str()))
        })
    }
}

/// Whether an object is one of another's.
fn is_below(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent)
        .is_some_and(|rest| rest.starts_with('/'))
}

impl Adapter {
    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "Address" => self.address = value.text().unwrap_or_default().to_owned(),
            "Powered" => self.is_powered = value.truth().unwrap_or(false),
            _ => {}
        }
    }
}

impl Device {
    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "Address" => self.address = value.text().unwrap_or_default().to_owned(),
            "Name" => self.name = value.text().unwrap_or_default().to_owned(),
            "RSSI" => {
                self.rssi = match value.plain() {
                    Value::I16(rssi) => Some(*rssi),
                    _ => None,
                };
            }
            "UUIDs" => self.is_node = value.elements().iter().any(|one| uuid(one) == Some(SERVICE)),
            "ManufacturerData" => {
                let ours = value
                    .entries()
                    .iter()
                    .find(|(company, _)| *company == Value::U16(COMPANY));
                let bytes = ours.and_then(|(_, data)| data.bytes()?.get(..3)?.try_into().ok());
                self.state = bytes.or(self.state);
            }
            "Connected" => self.is_connected = value.truth().unwrap_or(false),
            "ServicesResolved" => self.has_services = value.truth().unwrap_or(false),
            _ => {}
        }
    }
}

impl GattCharacteristic {
    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "UUID" => self.uuid = uuid(value),
            "Service" => self.service = value.text().unwrap_or_default().to_owned(),
            _ => {}
        }
    }
}
