//! Recordings that arrive in pieces and may block without limit: pipes and devices.

use super::compressed::{Bytes, decompressed};
use crate::own_thread::OwnThread;
use crate::session::Session;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The bytes of one read.
const PIECE: usize = 64 * 1_024;

/// The most waiting pieces.
const MOST_PIECES: usize = 4;

/// The pieces that were read, in order; a disconnected sender is the end.
pub(super) type Pieces = Receiver<io::Result<Vec<u8>>>;

/// The other end of [`Pieces`]: opens the path and reads on a thread of its own, because both may block.
pub(super) struct PipeReader {
    path: PathBuf,
    sender: SyncSender<io::Result<Vec<u8>>>,
}

/// A reader that was not started yet, and the pieces that it will read.
pub(super) fn pipe(path: PathBuf) -> (PipeReader, Pieces) {
    let (sender, pieces) = sync_channel(MOST_PIECES);
    (PipeReader { path, sender }, pieces)
}

impl PipeReader {
    /// Starts the reader; each piece and the end wake `session`. The thread ends when the pieces are no longer taken, but not
    /// before a blocking system call returns.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn start(self, session: Session) -> io::Result<()> {
        let hand = Hand {
            sender: Some(self.sender),
            session,
        };
        let path = self.path;
        OwnThread::start("rustle-pipe", move |_| {
            let bytes = File::open(path).and_then(|file| decompressed(file, usize::MAX));
            if let Err(error) = bytes.and_then(|bytes| read(bytes, &hand)) {
                hand.give(Err(error));
            }
            Ok(())
        })
        .map(drop)
    }
}

/// Reads until the end, or until the pieces are no longer taken.
fn read(mut bytes: Bytes, hand: &Hand) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                if !hand.give(Ok(buffer[..length].to_vec())) {
                    return Ok(());
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Sends pieces, and wakes their receiver.
struct Hand {
    sender: Option<SyncSender<io::Result<Vec<u8>>>>,
    session: Session,
}

impl Hand {
    /// Waits for room. Returns whether the pieces are still taken.
    fn give(&self, piece: io::Result<Vec<u8>>) -> bool {
        let is_taken = (self.sender.as_ref()).is_some_and(|sender| sender.send(piece).is_ok());
        self.session.wake();
        is_taken
    }
}

impl Drop for Hand {
    /// The end, also of a thread that panics.
    fn drop(&mut self) {
        self.sender = None;
        self.session.wake();
    }
}
