//! Members over a scripted network, on a manual clock, and over the loopback.

mod expectations;
mod loopback;
mod scripted;

use super::LinkEvent;
use crate::job::Release;
use crate::outlet::{Delivery, RecordListener};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Hands what a session delivers to a test.
struct Log(Sender<LinkEvent>, Sender<Release>);

impl RecordListener<LinkEvent> for Log {
    fn on_record(&mut self, record: &LinkEvent) {
        // Nobody listens after the end of a test.
        let _ = self.0.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.1.send(release);
    }
}

fn log() -> (Delivery<LinkEvent>, Receiver<LinkEvent>, Receiver<Release>) {
    let ((events, taken), (releases, released)) = (channel(), channel());
    (Delivery::Push(Box::new(Log(events, releases))), taken, released)
}
