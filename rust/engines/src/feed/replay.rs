//! Trades that were recorded in a file, or come through a pipe.

use super::compressed::{Bytes, decompressed};
use super::error::FeedError;
use super::hub::{Demand, FeedCore};
use super::intake::{LARGEST_BATCH, Reader, TradeIntake};
use super::piped::{Pieces, PipeReader, pipe};
use super::source::{Moment, Next, Source};
use crate::system_reason::reason;
use rustle_market::{DEFAULT_LINE_BYTES, Format, Pace, ReplayClock, Schema, Trade};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;

/// The bytes of one read.
const PIECE: usize = 256 * 1_024;

/// The most pieces that are read at a time.
const MOST_PIECES: usize = 8;

/// The result of reading ahead.
enum Filled {
    Some,
    NotYet,
    /// Nothing has arrived yet: the session is woken when something has.
    Nothing,
    End,
}

/// The source of the bytes.
enum Input {
    /// A regular file, which is read by the job itself, and its bytes.
    File(File, Bytes),
    /// A pipe or device, which may block.
    Pipe(Pieces),
}

/// A source that plays a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayConfiguration {
    /// The file, which may be compressed with gzip or zstd. Anything but a regular file, such as a pipe, is read as it arrives, by a thread of its own: if the feed ends
    /// while that thread waits for bytes or for a writer, it stays until they arrive or the pipe is closed.
    pub path: PathBuf,
    /// Its format; `None`: by the ending of its name.
    pub format: Option<Format>,
    /// The mapping of its messages to trades.
    pub schema: Schema,
    /// Whether the first malformed message ends the feed as failed.
    pub is_strict: bool,
    /// The speed of the replay.
    pub pace: Pace,
    /// Whether it begins again at its end; for regular files. One whose trades have no time has no length, and is played once.
    pub repeats: bool,
    /// The start time, in nanoseconds since 1970: trades before it are skipped.
    pub from_ns: Option<i64>,
    /// The end, in nanoseconds since 1970: trades at this time or later are skipped.
    pub to_ns: Option<i64>,
}

/// Reads ahead by a piece, and delivers due trades.
pub(super) struct Replay {
    input: Input,
    reader: Reader,
    clock: ReplayClock,
    repeats: bool,
    to_ns: i64,
    piece: Vec<u8>,
    /// Trades that were read; those from `next` on are not delivered yet.
    trades: Vec<Trade>,
    next: usize,
    /// The time at which the trade at `next` is due, and its time of delivery.
    due: Option<(i64, i64)>,
    given: Vec<Trade>,
    is_read: bool,
}

impl Replay {
    /// Opens a regular file. Any other is opened and read by the returned reader, once that was started.
    ///
    /// # Errors
    /// [`FeedError::File`], [`FeedError::UnknownFormat`], [`FeedError::Speed`].
    pub(super) fn new(
        configuration: &ReplayConfiguration,
        hub: Arc<FeedCore>,
    ) -> Result<(Self, Option<PipeReader>), FeedError> {
        let path = &configuration.path;
        let name = path.to_string_lossy();
        let format = configuration.format.or_else(|| Format::of_file_name(&name));
        let format = format.ok_or_else(|| FeedError::UnknownFormat {
            name: name.to_string(),
        })?;
        let refusal = |error| FeedError::File {
            name: name.to_string(),
            error,
        };
        // Not asked of an open file: opening a pipe waits for its writer.
        let metadata = std::fs::metadata(path).map_err(refusal)?;
        let (input, pipe_reader) = if metadata.is_file() {
            let file = File::open(path).map_err(refusal)?;
            let bytes = opened(&file).map_err(refusal)?;
            (Input::File(file, bytes), None)
        } else if metadata.is_dir() {
            return Err(refusal(ErrorKind::IsADirectory.into()));
        } else if configuration.repeats {
            let reason = "only a regular file can be played again";
            return Err(refusal(std::io::Error::new(ErrorKind::Unsupported, reason)));
        } else {
            let (reader, pieces) = pipe(path.clone());
            (Input::Pipe(pieces), Some(reader))
        };
        let mut clock = ReplayClock::new(configuration.pace)?;
        if let Some(from_ns) = configuration.from_ns {
            clock.seek(from_ns);
        }
        let replay = Self {
            piece: match input {
                Input::File(..) => vec![0; PIECE],
                Input::Pipe(_) => Vec::new(),
            },
            input,
            reader: Reader::new(hub, format, configuration.schema.clone(), DEFAULT_LINE_BYTES)
                .strict(configuration.is_strict),
            clock,
            repeats: configuration.repeats,
            to_ns: configuration.to_ns.unwrap_or(i64::MAX),
            trades: Vec::new(),
            next: 0,
            due: None,
            given: Vec::new(),
            is_read: false,
        };
        Ok((replay, pipe_reader))
    }

    /// Reads on when everything that was read is delivered.
    fn fill(&mut self, gate: &mut TradeIntake) -> Result<Filled, String> {
        // A file without usable trades leaves the worker's other jobs their turn, too.
        for _ in 0..MOST_PIECES {
            if self.next < self.trades.len() {
                return Ok(Filled::Some);
            }
            self.trades.clear();
            self.next = 0;
            if let Some(reason) = self.reader.failure() {
                return Err(reason.to_owned());
            }
            if self.is_read {
                if self.repeats && !self.given.is_empty() {
                    // They belong to the previous lap, whose numbers end with it.
                    return Ok(Filled::NotYet);
                }
                if !self.repeats {
                    return Ok(Filled::End);
                }
                if !self.clock.next_lap() {
                    tracing::warn!("the recording is not repeated: it has no trade with a time");
                    return Ok(Filled::End);
                }
                self.rewind(gate)?;
            }
            let read = match &mut self.input {
                Input::File(_, bytes) => bytes.read(&mut self.piece),
                Input::Pipe(pieces) => match pieces.try_recv() {
                    Ok(piece) => piece.map(|piece| {
                        self.piece = piece;
                        self.piece.len()
                    }),
                    Err(TryRecvError::Empty) => return Ok(Filled::Nothing),
                    Err(TryRecvError::Disconnected) => Ok(0),
                },
            };
            let length = match read {
                Ok(length) => length,
                // Compressed bytes without contents leave the worker's other jobs their turn, too.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Filled::NotYet),
                Err(error) => return Err(format!("the recording cannot be read: {}", reason(&error))),
            };
            if length == 0 {
                self.is_read = true;
                self.reader.finish(gate, &mut self.trades);
            } else {
                self.reader.read(&self.piece[..length], gate, &mut self.trades);
            }
        }
        Ok(Filled::NotYet)
    }

    fn rewind(&mut self, gate: &mut TradeIntake) -> Result<(), String> {
        if let Input::File(file, bytes) = &mut self.input {
            let again = file.seek(SeekFrom::Start(0));
            *bytes = (again.and_then(|_| opened(file)))
                .map_err(|error| format!("the recording cannot be played again: {}", reason(&error)))?;
        }
        self.reader.reset();
        gate.repeat();
        self.is_read = false;
        Ok(())
    }
}

/// The bytes of a regular file from its position on.
fn opened(file: &File) -> std::io::Result<Bytes> {
    decompressed(file.try_clone()?, PIECE)
}

impl Source for Replay {
    fn give(&mut self, moment: Moment, gate: &mut TradeIntake) -> Result<Next, String> {
        let now = i64::try_from(moment.now).unwrap_or(i64::MAX);
        let most = moment.most.min(LARGEST_BATCH);
        self.given.clear();
        let mut passed_over = 0;
        let next = loop {
            if self.given.len() == most || passed_over == LARGEST_BATCH {
                break Ok(Next::Now);
            }
            match self.fill(gate) {
                Ok(Filled::Some) => {}
                Ok(Filled::NotYet) => break Ok(Next::Now),
                Ok(Filled::Nothing) => break Ok(Next::Wait),
                Ok(Filled::End) => break Ok(Next::End),
                Err(reason) => break Err(reason),
            }
            let mut trade = self.trades[self.next];
            let (due, time_ns) = match self.due.take() {
                Some(due) => due,
                None => match (trade.time_ns < self.to_ns).then(|| self.clock.next(trade.time_ns, now)) {
                    Some(Some(due)) => (due.due_ns, due.time_ns),
                    _ => {
                        self.next += 1;
                        passed_over += 1;
                        gate.pass_over();
                        continue;
                    }
                },
            };
            if due > now {
                self.due = Some((due, time_ns));
                break Ok(Next::At(due as u64));
            }
            trade.time_ns = time_ns;
            self.given.push(trade);
            self.next += 1;
        };
        // Including trades that were read before the failure.
        gate.pass(&self.given, moment.wall_ns);
        next
    }

    /// A recording has fixed symbols.
    fn hear(&mut self, _: &Demand, _: &mut TradeIntake) {}
}
