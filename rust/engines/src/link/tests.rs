//! Members over a scripted network, on a manual clock, and over the loopback.

mod expectations;
mod loopback;
mod monitor;
mod scripted;

use crate::job::Release;
use crate::outlet::{Delivery, RecordListener};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Hands what a session delivers to a test.
struct Log<T>(Sender<T>, Sender<Release>);

impl<T: Copy + Send> RecordListener<T> for Log<T> {
    fn on_record(&mut self, record: &T) {
        // Nobody listens after the end of a test.
        let _ = self.0.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.1.send(release);
    }
}

fn log<T: Copy + Send + 'static>() -> (Delivery<T>, Receiver<T>, Receiver<Release>) {
    let ((events, taken), (releases, released)) = (channel(), channel());
    (Delivery::Push(Box::new(Log(events, releases))), taken, released)
}
