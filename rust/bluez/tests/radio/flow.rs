//! The calls of a radio, and what it makes of answers and signals.

use crate::bus::{answer, device, failure, interfaces, path, properties, service, signal, text};
use rustle_bluez::Bluez;
use rustle_bluez::wire::{Message, Value, length};
use rustle_provisioning::{Ask, CauseKind, Characteristic, Event, Radio, Reply, Request, Secret};
use std::time::Duration;

const HCI: &str = "/org/bluez/hci0";
const DEV: &str = "/org/bluez/hci0/dev_1";
const NODE: &str = "02:00:00:00:00:01";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const MANAGER: &str = "org.freedesktop.DBus.ObjectManager";

/// A radio and its bus.
struct Side {
    bluez: Bluez,
    token: u32,
}

/// A call: its number, its method and object, and its values.
struct Called(u32, String, Vec<Value>);

impl Side {
    fn new(adapter: &str) -> Self {
        let mut bluez = Bluez::new(1000, adapter);
        bluez.sent(bluez.outgoing().len());
        bluez.receive(b"OK 1234\r\n");
        let mut side = Self { bluez, token: 0 };
        let begun = side
            .bluez
            .outgoing()
            .strip_prefix(b"BEGIN\r\n")
            .expect("begun")
            .len();
        side.bluez.sent(side.bluez.outgoing().len() - begun);
        let calls = side.calls();
        let methods: Vec<_> = calls.iter().map(|call| call.1.as_str()).collect();
        let bus = "/org/freedesktop/DBus";
        assert_eq!(
            methods,
            [
                format!("Hello {bus}"),
                format!("AddMatch {bus}"),
                format!("AddMatch {bus}")
            ],
            "signals are subscribed to before anything is asked"
        );
        side
    }

    fn ask(&mut self, ask: Ask) -> u32 {
        self.token += 1;
        self.bluez.ask(
            Request {
                token: self.token,
                ask,
            },
            Duration::ZERO,
        );
        self.token
    }

    /// The calls so far.
    fn calls(&mut self) -> Vec<Called> {
        let (mut bytes, mut calls) = (self.bluez.outgoing().to_vec(), Vec::new());
        self.bluez.sent(bytes.len());
        let mut serials = Vec::new();
        while let Ok(Some(size)) = length(&bytes) {
            let rest = bytes.split_off(size);
            serials.push(u32::from_le_bytes(bytes[8..12].try_into().expect("four")));
            let message = Message::read(&bytes).expect("well formed");
            let named = format!("{} {}", message.member, message.path);
            calls.push(Called(serials[serials.len() - 1], named, message.body));
            bytes = rest;
        }
        calls
    }

    /// The only call.
    fn call(&mut self, expected: &str) -> Called {
        let mut calls = self.calls();
        assert_eq!(calls.len(), 1, "{expected}");
        let call = calls.remove(0);
        assert_eq!(call.1, expected);
        call
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.bluez.receive(bytes);
    }

    fn changed(&mut self, of: &str, interface: &str, entries: &[(&str, Value)]) {
        let body = [text(interface), properties(entries), Value::Array(Vec::new())];
        self.receive(&signal(":1.2", of, PROPERTIES, "PropertiesChanged", &body));
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.bluez.next_event(Duration::ZERO)).collect()
    }

    /// Scans with these objects.
    fn scanning(adapter: &str, objects: Vec<(Value, Value)>) -> Self {
        let mut side = Self::new(adapter);
        side.ask(Ask::Scan);
        let Called(serial, ..) = side.call("GetManagedObjects /");
        side.receive(&answer(serial, &[Value::Map(objects)]));
        side
    }

    /// A link to a node whose characteristics are known.
    fn linked() -> Self {
        let mut objects = vec![hci(true), (path(DEV), device(NODE, -50))];
        objects.extend(service(DEV).into_iter().map(|(of, all)| (path(&of), all)));
        let mut side = Self::scanning("", objects);
        let Called(serial, ..) = side.call(&format!("SetDiscoveryFilter {HCI}"));
        side.receive(&answer(serial, &[]));
        let Called(serial, ..) = side.call(&format!("StartDiscovery {HCI}"));
        side.receive(&answer(serial, &[]));
        side.ask(Ask::Connect(NODE.to_owned()));
        let Called(serial, ..) = side.call(&format!("Connect {DEV}"));
        let up = [
            ("Connected", Value::Bool(true)),
            ("ServicesResolved", Value::Bool(true)),
        ];
        side.changed(DEV, "org.bluez.Device1", &up);
        side.receive(&answer(serial, &[]));
        side.events();
        side
    }
}

fn hci(is_powered: bool) -> (Value, Value) {
    let all = properties(&[("Address", text("00:11")), ("Powered", Value::Bool(is_powered))]);
    (path(HCI), interfaces(&[("org.bluez.Adapter1", all)]))
}

fn answered(token: u32) -> Event {
    Event::Answer {
        token,
        result: Ok(Reply::Done),
    }
}

fn kind(event: &Event) -> Option<CauseKind> {
    match event {
        Event::Answer {
            result: Err(cause), ..
        }
        | Event::Lost(cause) => Some(cause.kind),
        _ => None,
    }
}

#[test]
fn scan_is_filtered_by_the_service_and_reports_nodes_in_range() {
    let other = interfaces(&[(
        "org.bluez.Device1",
        properties(&[("Address", text("x")), ("RSSI", Value::I16(-1))]),
    )]);
    let objects = vec![
        hci(true),
        (path(DEV), device(NODE, -50)),
        (path("/org/bluez/hci0/dev_2"), other),
    ];
    let mut side = Side::scanning("", objects);
    let Called(serial, _, values) = side.call(&format!("SetDiscoveryFilter {HCI}"));
    let uuid = text("4368726f-6d61-444d-5800-000000000001");
    let filter = [
        ("UUIDs", Value::Array(vec![uuid])),
        ("Transport", text("le")),
        ("DuplicateData", Value::Bool(true)),
    ];
    assert_eq!(values, [properties(&filter)]);
    side.receive(&answer(serial, &[]));
    let Called(serial, ..) = side.call(&format!("StartDiscovery {HCI}"));
    side.receive(&answer(serial, &[]));
    let events = side.events();
    assert_eq!(events[0], answered(1));
    let [Event::Seen(seen)] = &events[1..] else {
        panic!("{events:?}")
    };
    assert_eq!(
        (seen.id.as_str(), seen.name.as_str(), seen.rssi, seen.state),
        (NODE, "lamp", Some(-50), Some([1, 2, 3]))
    );
    side.changed(DEV, "org.bluez.Device1", &[("RSSI", Value::I16(-60))]);
    let events = side.events();
    assert!(
        matches!(&events[..], [Event::Seen(seen)] if seen.rssi == Some(-60)),
        "{events:?}"
    );
    let gone = [
        text("org.bluez.Device1"),
        properties(&[]),
        Value::Array(vec![text("RSSI")]),
    ];
    side.receive(&signal(":1.2", DEV, PROPERTIES, "PropertiesChanged", &gone));
    side.changed(DEV, "org.bluez.Device1", &[("Name", text("other"))]);
    assert_eq!(side.events(), [], "a node without a signal is not in range");
}

#[test]
fn adapter_is_the_first_that_is_on_or_the_named_one() {
    let second = properties(&[("Address", text("AA:BB")), ("Powered", Value::Bool(true))]);
    let second = || {
        (
            path("/org/bluez/hci1"),
            interfaces(&[("org.bluez.Adapter1", second.clone())]),
        )
    };
    for (adapter, objects, expected) in [
        ("", vec![hci(false), second()], Ok("/org/bluez/hci1")),
        ("hci1", vec![hci(true), second()], Ok("/org/bluez/hci1")),
        ("aa:bb", vec![hci(true), second()], Ok("/org/bluez/hci1")),
        ("hci0", vec![hci(false), second()], Err(CauseKind::AdapterOff)),
        ("", vec![hci(false)], Err(CauseKind::AdapterOff)),
        ("hci2", vec![hci(true)], Err(CauseKind::NoAdapter)),
        ("", vec![], Err(CauseKind::NoAdapter)),
    ] {
        let mut side = Side::scanning(adapter, objects);
        match expected {
            Ok(of) => drop(side.call(&format!("SetDiscoveryFilter {of}"))),
            Err(expected) => assert_eq!(side.events().iter().find_map(kind), Some(expected), "{adapter}"),
        }
    }
}

#[test]
fn failures_have_their_kinds_and_keep_name_and_text() {
    for (name, expected) in [
        (
            "org.freedesktop.DBus.Error.ServiceUnknown",
            CauseKind::NoBluetooth,
        ),
        (
            "org.freedesktop.DBus.Error.AccessDenied",
            CauseKind::NotAuthorized,
        ),
        (
            "org.freedesktop.DBus.Error.Spawn.ChildExited",
            CauseKind::NoBluetooth,
        ),
    ] {
        let mut side = Side::new("");
        side.ask(Ask::Scan);
        let Called(serial, ..) = side.call("GetManagedObjects /");
        side.receive(&failure(serial, name, "words"));
        let events = side.events();
        let [
            Event::Answer {
                result: Err(cause), ..
            },
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!(
            (cause.kind, cause.to_string()),
            (expected, format!("{name}: words"))
        );
    }
}

#[test]
fn connection_that_is_being_made_already_is_awaited() {
    for name in ["org.bluez.Error.InProgress", "org.bluez.Error.AlreadyConnected"] {
        let mut side = Side::scanning("", vec![hci(true), (path(DEV), device(NODE, -50))]);
        side.calls();
        let token = side.ask(Ask::Connect(NODE.to_owned()));
        let Called(serial, ..) = side.call(&format!("Connect {DEV}"));
        side.receive(&failure(serial, name, ""));
        assert_eq!(side.events(), []);
        side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(true))]);
        assert_eq!(side.events(), [answered(token)]);
    }
}

#[test]
fn characteristics_that_are_exported_late_are_reported_when_they_are_there() {
    let mut side = Side::scanning("", vec![hci(true), (path(DEV), device(NODE, -50))]);
    side.calls();
    side.ask(Ask::Connect(NODE.to_owned()));
    let Called(serial, ..) = side.call(&format!("Connect {DEV}"));
    side.receive(&answer(serial, &[]));
    let token = side.ask(Ask::Services);
    side.events();
    assert_eq!(token, 3);
    side.changed(
        DEV,
        "org.bluez.Device1",
        &[("ServicesResolved", Value::Bool(true))],
    );
    let found = Event::Found {
        characteristics: Vec::new(),
        is_complete: true,
    };
    assert_eq!(
        side.events(),
        [found],
        "resolved before anything is exported (bluez/bluez#1489)"
    );
    for (of, all) in service(DEV) {
        side.receive(&signal(
            ":1.2",
            "/",
            MANAGER,
            "InterfacesAdded",
            &[path(&of), all],
        ));
    }
    let found = Event::Found {
        characteristics: Characteristic::ALL.to_vec(),
        is_complete: true,
    };
    assert_eq!(side.events().last(), Some(&found));
}

#[test]
fn values_are_written_with_requests_and_read_as_bytes() {
    let mut side = Side::linked();
    let token = side.ask(Ask::Write(Characteristic::Start, Secret::new(vec![0x91, 1])));
    let Called(serial, _, values) = side.call(&format!("WriteValue {DEV}/service0010/char0014"));
    assert_eq!(
        values,
        [
            Value::Bytes(vec![0x91, 1]),
            properties(&[("type", text("request"))])
        ]
    );
    side.receive(&answer(serial, &[]));
    assert_eq!(side.events(), [answered(token)]);
    let token = side.ask(Ask::Read(Characteristic::Name));
    let Called(serial, ..) = side.call(&format!("ReadValue {DEV}/service0010/char0010"));
    side.receive(&answer(serial, &[Value::Bytes(b"lamp".to_vec())]));
    assert_eq!(
        side.events(),
        [Event::Answer {
            token,
            result: Ok(Reply::Value(b"lamp".to_vec()))
        }]
    );
    let token = side.ask(Ask::Read(Characteristic::Name));
    let Called(serial, ..) = side.call(&format!("ReadValue {DEV}/service0010/char0010"));
    side.receive(&failure(serial, "org.bluez.Error.Failed", "Not connected"));
    let events = side.events();
    assert!(
        matches!(&events[..], [Event::Answer { token: of, .. }] if *of == token),
        "{events:?}"
    );
    assert_eq!(kind(&events[0]), Some(CauseKind::NotConnected));
}

#[test]
fn flag_is_reported_while_it_is_subscribed_to() {
    let mut side = Side::linked();
    let of = format!("{DEV}/service0010/char0015");
    let notified = [("Value", Value::Bytes(vec![3]))];
    side.changed(&of, "org.bluez.GattCharacteristic1", &notified);
    assert_eq!(side.events(), []);
    side.ask(Ask::Subscribe);
    let Called(serial, ..) = side.call(&format!("StartNotify {of}"));
    side.receive(&answer(serial, &[]));
    side.events();
    side.changed(&of, "org.bluez.GattCharacteristic1", &notified);
    assert_eq!(side.events(), [Event::Notified(vec![3])]);
    side.ask(Ask::Unsubscribe);
    side.call(&format!("StopNotify {of}"));
    side.changed(&of, "org.bluez.GattCharacteristic1", &notified);
    assert_eq!(side.events(), []);
}

#[test]
fn disconnection_is_answered_when_the_link_is_down() {
    let mut side = Side::linked();
    let token = side.ask(Ask::Disconnect);
    let Called(serial, ..) = side.call(&format!("Disconnect {DEV}"));
    side.receive(&answer(serial, &[]));
    assert_eq!(side.events(), [], "the link is still up");
    side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(false))]);
    assert_eq!(side.events(), [answered(token)]);
    let mut side = Side::linked();
    side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(false))]);
    assert_eq!(side.events(), [Event::Disconnected]);
    let token = side.ask(Ask::Disconnect);
    assert_eq!(side.events(), [answered(token)], "there is no link any more");
}

#[test]
fn late_answer_to_a_disconnection_leaves_the_next_link_alone() {
    let mut side = Side::linked();
    side.ask(Ask::Disconnect);
    let Called(late, ..) = side.call(&format!("Disconnect {DEV}"));
    // Its time is over; the next try begins.
    let token = side.ask(Ask::Connect(NODE.to_owned()));
    let Called(connect, ..) = side.call(&format!("Connect {DEV}"));
    side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(false))]);
    side.receive(&answer(late, &[]));
    assert_eq!(side.events(), [], "nobody waits for it");
    side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(true))]);
    side.receive(&answer(connect, &[]));
    assert_eq!(side.events(), [answered(token)]);
    let token = side.ask(Ask::Disconnect);
    let Called(serial, ..) = side.call(&format!("Disconnect {DEV}"));
    side.receive(&answer(serial, &[]));
    side.changed(DEV, "org.bluez.Device1", &[("Connected", Value::Bool(false))]);
    assert_eq!(side.events(), [answered(token)]);
}

#[test]
fn losses_of_service_adapter_and_bus_are_distinguished() {
    let mut side = Side::linked();
    let owner = [text("org.bluez"), text(":1.2"), text("")];
    side.receive(&signal(
        "org.freedesktop.DBus",
        "/",
        "org.freedesktop.DBus",
        "NameOwnerChanged",
        &owner,
    ));
    assert_eq!(side.events().iter().find_map(kind), Some(CauseKind::NoBluetooth));
    let mut side = Side::linked();
    side.changed(HCI, "org.bluez.Adapter1", &[("Powered", Value::Bool(false))]);
    assert_eq!(side.events().iter().find_map(kind), Some(CauseKind::AdapterOff));
    let mut side = Side::linked();
    let removed = [path(HCI), Value::Array(vec![text("org.bluez.Adapter1")])];
    side.receive(&signal(":1.2", "/", MANAGER, "InterfacesRemoved", &removed));
    assert_eq!(side.events().iter().find_map(kind), Some(CauseKind::NoAdapter));
    let mut side = Side::linked();
    side.receive(&[b'x'; 64]);
    assert_eq!(side.events().iter().find_map(kind), Some(CauseKind::NoBluetooth));
    side.ask(Ask::Scan);
    assert_eq!(
        side.events().iter().find_map(kind),
        Some(CauseKind::NoBluetooth),
        "and every request after it"
    );
}

#[test]
fn signals_of_others_are_ignored() {
    let mut side = Side::linked();
    let body = [
        text("org.bluez.Adapter1"),
        properties(&[("Powered", Value::Bool(false))]),
        Value::Array(Vec::new()),
    ];
    side.receive(&signal(":1.99", HCI, PROPERTIES, "PropertiesChanged", &body));
    let owner = [text("org.bluez"), text(":1.2"), text("")];
    side.receive(&signal(
        ":1.99",
        "/",
        "org.freedesktop.DBus",
        "NameOwnerChanged",
        &owner,
    ));
    assert_eq!(side.events(), []);
}

#[test]
fn two_hundred_nodes_are_taken_from_one_answer() {
    let mut objects = vec![hci(true)];
    for number in 0..200 {
        let of = format!("{HCI}/dev_{number:03}");
        objects.push((path(&of), device(&format!("{number:03}"), -40)));
        objects.extend(service(&of).into_iter().map(|(of, all)| (path(&of), all)));
    }
    let mut side = Side::scanning("", objects);
    let Called(serial, ..) = side.call(&format!("SetDiscoveryFilter {HCI}"));
    side.receive(&answer(serial, &[]));
    let Called(serial, ..) = side.call(&format!("StartDiscovery {HCI}"));
    side.receive(&answer(serial, &[]));
    let seen = side
        .events()
        .into_iter()
        .filter(|event| matches!(event, Event::Seen(_)));
    assert_eq!(seen.count(), 200);
}
