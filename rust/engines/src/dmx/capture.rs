//! A sender's packets in a file in place of the network.

use super::counters::Tally;
use super::error::DmxError;
use super::source::Source;
use super::wire::Wire;
use crate::clock::Nanoseconds;
use rustle_lighting::capture::{file_header, packet_header};
use rustle_lighting::sender::Packet;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// The wire that ends in a capture. Times count from the session's start.
pub(super) struct CaptureFile {
    file: BufWriter<File>,
    start: Nanoseconds,
    time_to_live: u8,
}

impl CaptureFile {
    /// Creates the capture file, or replaces an existing one.
    ///
    /// # Errors
    /// [`DmxError::Capture`].
    pub(super) fn make(path: &str, start: Nanoseconds, time_to_live: u32) -> Result<Self, DmxError> {
        let made = File::create(path).and_then(|file| {
            let mut file = BufWriter::new(file);
            file.write_all(&file_header())?;
            Ok(file)
        });
        let file = made.map_err(|error| DmxError::Capture {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            file,
            start,
            time_to_live: u8::try_from(time_to_live).unwrap_or(u8::MAX),
        })
    }

    fn write(
        &mut self,
        datagram: &rustle_lighting::sender::Datagram<'_>,
        now: Nanoseconds,
    ) -> io::Result<()> {
        // Universes have fewer bytes than a datagram's length counts.
        let length = datagram.bytes.len() as u16;
        let time = now.saturating_sub(self.start);
        let header = packet_header(time, datagram.to, self.time_to_live, length);
        self.file.write_all(&header)?;
        self.file.write_all(datagram.bytes)
    }
}

impl Wire for CaptureFile {
    fn send(&mut self, source: &Source, tally: &Tally, now: Nanoseconds) {
        let packets = source.packets().flat_map(Packet::datagrams);
        for datagram in packets {
            match self.write(&datagram, now) {
                Ok(()) => tally.counters.sent(1, datagram.bytes.len()),
                Err(_) => {
                    tally.counters.refused(0, 1);
                    tally.lost(datagram.universe);
                }
            }
        }
        // A reader follows, and a full disk is known at its frame: few frames are written without a pause.
        if self.file.flush().is_err() {
            tally.counters.refused(0, 1);
        }
    }
}
