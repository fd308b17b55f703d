//! One connection of a live feed: what is read from it and written to it.

use crate::clock::Nanoseconds;
use crate::job::Step;
use crate::transport::{Stream, Transport};
use std::io::ErrorKind;
use std::time::Duration;

/// The bytes of a read, and of those of one poll: others at the same place have their turn then.
const PIECE: usize = 256 * 1_024;

/// The time in which the peer takes something of what is written.
const WRITING: Duration = Duration::from_secs(5);

pub(super) struct Talk {
    stream: Stream,
    pub(super) begun: Nanoseconds,
    /// Whether it has carried trades.
    pub(super) has_carried: bool,
    silence: Option<Duration>,
    heard: Nanoseconds,
    piece: Vec<u8>,
    unsent: Vec<u8>,
    /// The time since which the peer has taken none of `unsent`.
    held_up_since: Option<Nanoseconds>,
}

/// What became of a connection.
pub(super) enum Tidings {
    /// Nothing: the job goes on so.
    None(Step),
    /// It is lost, for this reason.
    Lost(String),
}

impl Talk {
    pub(super) fn new(stream: Stream, now: Nanoseconds, silence: Option<Duration>) -> Self {
        Self {
            stream,
            begun: now,
            has_carried: false,
            silence,
            heard: now,
            piece: vec![0; PIECE],
            unsent: Vec::new(),
            held_up_since: None,
        }
    }

    /// The text to which the next line is appended.
    pub(super) fn line(&mut self) -> &mut Vec<u8> {
        &mut self.unsent
    }

    /// Writes and reads as much as it can at once; `take` gets each piece that was read.
    pub(super) fn transfer(&mut self, now: Nanoseconds, take: impl FnMut(&[u8])) -> Tidings {
        // What arrived before the peer closed is read first.
        let written = self.write(now);
        match self.read(now, take) {
            Ok(false) => return Tidings::None(Step::At(now)),
            Ok(true) => {}
            Err(reason) => return Tidings::Lost(reason),
        }
        if let Err(reason) = written {
            return Tidings::Lost(reason);
        }
        // Time may end before.
        let after = |since: Nanoseconds, time: Duration| since.checked_add(time.as_nanos() as Nanoseconds);
        let limits = [
            self.silence.and_then(|silence| after(self.heard, silence)),
            self.held_up_since.and_then(|since| after(since, WRITING)),
        ];
        let next = limits.into_iter().flatten().min();
        Tidings::None(next.map_or(Step::Wait, Step::At))
    }

    fn write(&mut self, now: Nanoseconds) -> Result<(), String> {
        while !self.unsent.is_empty() {
            match self.stream.try_send(&self.unsent, None) {
                Ok(count) => {
                    self.unsent.drain(..count);
                    self.held_up_since = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let since = *self.held_up_since.get_or_insert(now);
                    if has_passed(now, since, WRITING) {
                        return Err(format!(
                            "expected the peer to read within {WRITING:?}, got no progress"
                        ));
                    }
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("the connection was lost: {error}")),
            }
        }
        Ok(())
    }

    fn is_silent(&self, now: Nanoseconds) -> bool {
        let passed = |silence| has_passed(now, self.heard, silence);
        self.silence.is_some_and(passed)
    }

    /// Returns whether all that has arrived was read.
    fn read(&mut self, now: Nanoseconds, mut take: impl FnMut(&[u8])) -> Result<bool, String> {
        let mut total = 0;
        if self.is_silent(now) {
            self.stream.recheck();
        }
        while total < PIECE {
            match self.stream.try_receive(&mut self.piece) {
                Ok(got) if got.length == 0 => return Err("the peer has closed the connection".to_owned()),
                Ok(got) => {
                    take(&self.piece[..got.length]);
                    self.heard = now;
                    total += got.length;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return match self.silence {
                        Some(silence) if self.is_silent(now) => {
                            Err(format!("expected data within {silence:?}, got nothing"))
                        }
                        _ => Ok(true),
                    };
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("the connection was lost: {error}")),
            }
        }
        Ok(false)
    }
}

fn has_passed(now: Nanoseconds, since: Nanoseconds, time: Duration) -> bool {
    Duration::from_nanos(now.saturating_sub(since)) >= time
}
