//! Nodes over Bluetooth LE: the time that BlueZ's answer with all its objects takes.

use crate::stopwatch::now;
use rustle_bluez::Bluez;
use rustle_bluez::wire::Value;
use rustle_provisioning::{Ask, Radio, Request};
use std::hint::black_box;
use std::time::Duration;

#[expect(dead_code, reason = "the tests of rustle-bluez use the rest")]
#[path = "../../bluez/tests/radio/bus.rs"]
mod bus;

/// The number of the call that asks for all objects: after the greeting and two subscriptions.
const SERIAL: u32 = 4;

/// ns of the fastest reading of the objects of this many nodes with all their characteristics, up to the choice of the adapter; and
/// the bytes of the message.
pub(crate) fn objects(visits: usize, nodes: usize) -> Result<(f64, usize), String> {
    let adapter = "/org/bluez/hci0";
    let powered = bus::properties(&[("Powered", Value::Bool(true))]);
    let mut objects = vec![(
        bus::path(adapter),
        bus::interfaces(&[("org.bluez.Adapter1", powered)]),
    )];
    for number in 0..nodes {
        let device = format!("{adapter}/dev_{number:03}");
        objects.push((bus::path(&device), bus::device(&format!("{number:03}"), -40)));
        let service = bus::service(&device).into_iter();
        objects.extend(service.map(|(path, interfaces)| (bus::path(&path), interfaces)));
    }
    let message = bus::answer(SERIAL, &[Value::Map(objects)]);
    let mut best = f64::INFINITY;
    for _ in 0..visits {
        let mut bluez = Bluez::new(0, "");
        bluez.receive(b"OK 0\r\n");
        bluez.ask(
            Request {
                token: 1,
                ask: Ask::Scan,
            },
            Duration::ZERO,
        );
        let before = bluez.outgoing().len();
        let start = now();
        // As a socket hands it over.
        message
            .chunks(16_384)
            .for_each(|piece| bluez.receive(black_box(piece)));
        best = best.min(start.elapsed().as_secs_f64());
        // The next call is to the adapter.
        if bluez.outgoing().len() == before {
            return Err("expected a call after the answer, got none".to_owned());
        }
    }
    Ok((best * 1e9, message.len()))
}
