//! The common part of the tests of senders.

mod following;
mod loopback;
mod steps;

use super::{DEMO_INTERFACE, DmxConfiguration, DmxEngine, DmxProtocol, DmxReport, DmxSession};
use crate::job::Release;
use crate::outlet::{Delivery, RecordListener};
use crate::runtime::Runtime;
use rustle_lighting::{Cid, Name};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A configuration with an identifier that no other test has.
fn configuration(protocol: DmxProtocol) -> DmxConfiguration {
    static LAST: AtomicU8 = AtomicU8::new(0);
    let mut cid = [0xD3; 16];
    cid[0] = LAST.fetch_add(1, Ordering::Relaxed);
    cid[1..5].copy_from_slice(&std::process::id().to_be_bytes());
    let cid = Cid::new(cid).expect("not zero");
    let name = Name::new("a test").expect("short");
    DmxConfiguration {
        interface: DEMO_INTERFACE.to_owned(),
        ..DmxConfiguration::new(protocol, cid, name)
    }
}

/// Passes on the end of a session.
struct Ends(Sender<Release>);

impl RecordListener<DmxReport> for Ends {
    fn on_record(&mut self, _: &DmxReport) {}

    fn on_release(self: Box<Self>, release: Release) {
        self.0.send(release).expect("the test listens");
    }
}

fn start(
    runtime: &Arc<Runtime>,
    configuration: DmxConfiguration,
) -> (DmxEngine, DmxSession, Receiver<Release>) {
    let engine = DmxEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let (sender, ends) = channel();
    let session = engine.start(Delivery::Push(Box::new(Ends(sender))));
    // A manual clock's first frame is over: what follows is sent with the next one.
    runtime.advance(Duration::ZERO);
    (engine, session.expect("a session"), ends)
}
