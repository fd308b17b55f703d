//! One client: a thread that writes to it, and one that reads its subscriptions.

use super::super::consumers::Consumers;
use super::super::derive::FeedTrade;
use super::super::live::{Connection, is_a_wait};
use super::super::{FeedSession, Policy, Subscription};
use super::figures::Figures;
use super::{Ending, HEARTBEAT};
use crate::clock::{Clock, Nanoseconds};
use crate::job::Release;
use crate::lane::Doorbell;
use crate::lock::locked_surely;
use crate::own_thread::{OwnThread, POLL_INTERVAL};
use rustle_market::{
    LineSplitter, MAX_SYMBOL_BYTES, MAX_SYMBOLS, NO_SEQUENCE, parse_subscription, write_gap, write_ndjson,
};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest time that a client may read nothing; then it is disconnected.
const WRITING: Duration = Duration::from_secs(10);

/// The most trades of one write.
const LARGEST_WRITE: usize = 1_024;

/// The longest subscription: all symbols, each with its quotation marks and a comma, and escapes.
const LONGEST_WISH: usize = MAX_SYMBOLS * (2 * MAX_SYMBOL_BYTES + 3) + 64;

/// A connected client.
pub(super) struct Client {
    connection: Connection,
    threads: [Arc<OwnThread>; 2],
    figures: Arc<Figures>,
    number: u64,
}

impl Client {
    /// Accepts a client, of which `read_ahead` was read.
    ///
    /// # Errors
    /// The reason of the failure, for the log.
    pub(super) fn start(
        connection: Connection,
        read_ahead: Vec<u8>,
        policy: Policy,
        consumers: &Consumers,
        figures: &Arc<Figures>,
        ending: &Arc<Ending>,
    ) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        connection
            .set_patience(POLL_INTERVAL, POLL_INTERVAL)
            .map_err(text)?;
        let reading = connection.try_clone().map_err(text)?;
        let mut writing = connection.try_clone().map_err(text)?;
        let bell = Arc::new(Bell::default());
        let session = consumers.trades(&Subscription::All, policy, Ring(bell.clone()));
        let session = Arc::new(session.map_err(|error| error.to_string())?);
        let (clock, held, read_session) = (consumers.clock.clone(), ending.clone(), session.clone());
        let reader = OwnThread::start("rustle-client", move |is_leaving| {
            read(reading, &read_ahead, &read_session, &*clock, is_leaving);
            // The writer notices it like any end.
            read_session.cancel();
            drop(held);
            Ok(())
        });
        // A lossless consumer that is not drained would hold up its source.
        let reader = reader.inspect_err(|_| session.cancel()).map_err(text)?;
        let written = Arc::new(AtomicU64::new(0));
        let mut client = Self {
            connection,
            threads: [reader.clone(), reader],
            figures: figures.clone(),
            number: figures.enter(consumers.hub.wall_ns(), written.clone(), session.clone()),
        };
        let (hub, clock, held) = (consumers.hub.clone(), consumers.clock.clone(), ending.clone());
        client.threads[1] = OwnThread::start("rustle-client", move |is_leaving| {
            let name = |symbol| hub.name(symbol);
            let mut counted = Counted(&mut writing, &written);
            let result = write(&mut counted, &session, &bell, name, &*clock, is_leaving);
            session.cancel();
            close(&writing, &result);
            drop(held);
            result
        })
        .map_err(text)?;
        Ok(client)
    }

    /// Whether it has left.
    pub(super) fn is_gone(&self) -> bool {
        self.threads.iter().all(|thread| thread.outcome().is_some())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection.shut_down();
        for thread in &self.threads {
            thread.leave(|| {});
        }
        self.figures.leave(self.number);
    }
}

/// Counts the bytes that are written.
struct Counted<'a>(&'a mut Connection, &'a AtomicU64);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.0.write(bytes)?;
        self.1.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The bell of a client's thread.
#[derive(Default)]
struct Bell {
    state: Mutex<Rung>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Rung {
    is_ready: bool,
    is_over: bool,
}

impl Bell {
    fn ring(&self, is_over: bool) {
        let mut state = self.state();
        state.is_ready = true;
        state.is_over |= is_over;
        self.changed.notify_all();
    }

    /// Waits until it rings, for a limited time. Returns whether the session has ended.
    fn wait(&self) -> bool {
        let mut state = self.state();
        if !state.is_ready {
            state = self
                .changed
                .wait_timeout(state, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.is_ready = false;
        state.is_over
    }

    fn state(&self) -> MutexGuard<'_, Rung> {
        locked_surely(&self.state)
    }
}

struct Ring(Arc<Bell>);

impl Doorbell for Ring {
    fn on_ready(&mut self) {
        self.0.ring(false);
    }

    fn on_release(self: Box<Self>, _: Release) {
        self.0.ring(true);
    }
}

/// Reads the client's subscriptions until it leaves, also after the end of the feed: closing a connection with unread bytes
/// resets it, and data still in flight to the client is lost.
fn read(
    mut connection: Connection,
    read_ahead: &[u8],
    session: &FeedSession<FeedTrade>,
    clock: &dyn Clock,
    is_leaving: &AtomicBool,
) {
    let mut lines = LineSplitter::with_limit(LONGEST_WISH);
    lines.push(read_ahead, |line| hear(line, session));
    let mut piece = [0; 4_096];
    let mut over_since = None;
    while !is_leaving.load(Ordering::Acquire) {
        match connection.read(&mut piece) {
            Ok(0) => return,
            Ok(length) => lines.push(&piece[..length], |line| hear(line, session)),
            Err(error) if is_a_wait(error.kind()) => {
                if session.is_released() {
                    let since = *over_since.get_or_insert_with(|| clock.now());
                    if passed(clock, since) >= WRITING {
                        return;
                    }
                }
            }
            Err(_) => return,
        }
    }
}

fn hear(line: &[u8], session: &FeedSession<FeedTrade>) {
    let wanted = match parse_subscription(line) {
        Ok(None) => Subscription::All,
        Ok(Some(names)) => Subscription::Symbols(names),
        Err(error) => {
            tracing::warn!(%error, "a client's message was skipped");
            return;
        }
    };
    if let Err(error) = session.set_subscription(&wanted) {
        tracing::debug!(%error, "a client's subscription came too late");
    }
}

/// The time since then.
fn passed(clock: &dyn Clock, since: Nanoseconds) -> Duration {
    Duration::from_nanos(clock.now().saturating_sub(since))
}

/// Ends the writing side, for the reason in `result`. A client that stalled or is lost is no longer read from, either.
fn close(connection: &Connection, result: &Result<(), String>) {
    match result {
        Ok(()) => connection.finish_writing(),
        Err(_) => connection.shut_down(),
    }
}

/// Writes all of `text`, unless the thread is to leave.
///
/// # Errors
/// The connection is lost, or the client has read nothing for [`WRITING`].
fn send(
    connection: &mut impl Write,
    mut text: &[u8],
    clock: &dyn Clock,
    is_leaving: &AtomicBool,
) -> Result<(), String> {
    let mut since = clock.now();
    while !text.is_empty() && !is_leaving.load(Ordering::Acquire) {
        match connection.write(text) {
            Ok(0) => return Err("the connection accepts no more bytes".to_owned()),
            Ok(count) => {
                text = &text[count..];
                since = clock.now();
            }
            Err(error) if !is_a_wait(error.kind()) => return Err(error.to_string()),
            Err(_) if passed(clock, since) >= WRITING => {
                return Err(format!(
                    "expected the client to read within {WRITING:?}, got no progress"
                ));
            }
            Err(_) => {}
        }
    }
    Ok(())
}

/// Writes trades until the feed or the connection ends.
fn write(
    connection: &mut impl Write,
    session: &FeedSession<FeedTrade>,
    bell: &Bell,
    name: impl Fn(u32) -> Option<Arc<str>>,
    clock: &dyn Clock,
    is_leaving: &AtomicBool,
) -> Result<(), String> {
    let mut names: Vec<Option<Arc<str>>> = Vec::new();
    let (mut records, mut text) = (Vec::new(), Vec::new());
    let mut written = clock.now();
    loop {
        let is_over = bell.wait();
        if is_leaving.load(Ordering::Acquire) {
            return Ok(());
        }
        loop {
            text.clear();
            records.clear();
            // The feed must not be called in there: its source waits for the lane.
            let (count, lane) = session.drain(LARGEST_WRITE, |record, lost| records.push((record, lost)));
            for (record, lost) in &records {
                // Sequence numbers, where there are any, show a reader the gaps of the source.
                let skipped = match record.trade.sequence {
                    NO_SEQUENCE => record.sequence_gap,
                    _ => 0,
                };
                let lost = u64::from(*lost).saturating_add(skipped);
                if lost > 0 {
                    write_gap(lost, &mut text);
                }
                let number = record.trade.symbol as usize;
                if number >= names.len() {
                    names.resize(number + 1, None);
                }
                if names[number].is_none() {
                    names[number] = name(record.trade.symbol);
                }
                if let Some(name) = &names[number] {
                    write_ndjson(&record.trade, name, &mut text);
                }
            }
            if is_over && count == 0 && lane.unreported > 0 {
                write_gap(lane.unreported, &mut text);
            } else if count == 0 && passed(clock, written) >= HEARTBEAT {
                let line = format!("{{\"v\":1,\"heartbeat\":{}}}\n", clock.wall_ms());
                text.extend_from_slice(line.as_bytes());
            }
            if !text.is_empty() {
                send(connection, &text, clock, is_leaving)?;
                written = clock.now();
            }
            if count == 0 {
                break;
            }
        }
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Wait;

    /// A clock that advances by 4 s with each read.
    struct Steps(AtomicU64);

    impl Clock for Steps {
        fn now(&self) -> Nanoseconds {
            self.0.fetch_add(4_000_000_000, Ordering::Relaxed)
        }

        fn wall_ms(&self) -> i64 {
            0
        }

        fn wait_for(&self, _: Option<Nanoseconds>) -> Wait {
            Wait::ForBell
        }
    }

    /// A stream that accepts single bytes, and then nothing more.
    struct Stalling {
        bytes: usize,
        calls: usize,
    }

    impl Write for Stalling {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            if self.bytes == 0 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.bytes -= 1;
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[cfg(unix)]
    #[test]
    fn client_that_was_given_up_is_not_listened_to() {
        use std::os::unix::net::UnixStream;

        for (result, is_heard) in [(Ok(()), true), (Err("too slow".to_owned()), false)] {
            let (near, mut far) = UnixStream::pair().expect("sockets");
            let near = Connection::Unix(near);
            close(&near, &result);
            assert_eq!(far.read(&mut [0]).expect("the end"), 0);
            assert_eq!(far.write(b"\n").is_ok(), is_heard);
        }
    }

    #[test]
    fn client_that_reads_nothing_is_given_up_in_time() {
        let clock = Steps(AtomicU64::new(0));
        let (mut stalling, leaving) = (Stalling { bytes: 3, calls: 0 }, AtomicBool::new(false));
        let error = send(&mut stalling, b"text", &clock, &leaving).expect_err("too slow");
        assert_eq!(error, "expected the client to read within 10s, got no progress");
        assert_eq!(stalling.calls, 3 + 3, "4, 8 and 12 s after the last byte");
        let mut reading = Stalling { bytes: 4, calls: 0 };
        assert_eq!(send(&mut reading, b"text", &clock, &leaving), Ok(()));
        leaving.store(true, Ordering::Relaxed);
        assert_eq!(send(&mut stalling, b"text", &clock, &leaving), Ok(()));
        assert_eq!(stalling.calls, 6);
    }
}
