//! The counts of a server's clients.

use super::super::FeedSession;
use super::super::derive::FeedTrade;
use crate::lock::{Lock, locked, locked_surely};
use crate::ring::LaneStatistics;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The totals of a server so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerCounts {
    /// Present clients.
    pub clients: u64,
    /// Clients that were accepted, including the present ones.
    pub accepted: u64,
    /// Clients that were refused.
    pub refused: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// Trades that were written.
    pub trades: u64,
    /// Trades that were dropped because clients were too slow.
    pub dropped: u64,
}

/// The counts of one client so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientStatistics {
    /// Its number: the first client of a server is 0.
    pub number: u64,
    /// The time of its connection: nanoseconds since 1970-01-01T00:00:00Z.
    pub since_ns: i64,
    /// Bytes that were written to it.
    pub bytes: u64,
    /// Trades that went through its lane.
    pub lane: LaneStatistics,
}

/// How many clients have come and gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    accepted: u64,
    left: u64,
}

/// The clients of a server.
#[derive(Default)]
pub(super) struct Figures(Mutex<Book>);

#[derive(Default)]
struct Book {
    present: Vec<Entry>,
    accepted: u64,
    left: u64,
    refused: u64,
    /// The totals of former clients.
    bytes: u64,
    trades: u64,
    dropped: u64,
}

struct Entry {
    number: u64,
    since_ns: i64,
    written: Arc<AtomicU64>,
    session: Arc<FeedSession<FeedTrade>>,
}

impl Entry {
    fn statistics(&self) -> ClientStatistics {
        ClientStatistics {
            number: self.number,
            since_ns: self.since_ns,
            bytes: self.written.load(Ordering::Relaxed),
            lane: self.session.lane_statistics(),
        }
    }
}

impl Figures {
    /// Adds a client, and returns its number.
    pub(super) fn enter(
        &self,
        since_ns: i64,
        written: Arc<AtomicU64>,
        session: Arc<FeedSession<FeedTrade>>,
    ) -> u64 {
        let mut book = locked(&self.0, Lock::Figures);
        let number = book.accepted;
        book.accepted += 1;
        book.present.push(Entry {
            number,
            since_ns,
            written,
            session,
        });
        number
    }

    /// Adds a client's counts to the totals.
    pub(super) fn leave(&self, number: u64) {
        let mut book = locked_surely(&self.0);
        if let Some(at) = book.present.iter().position(|entry| entry.number == number) {
            let got = book.present.remove(at).statistics();
            book.bytes += got.bytes;
            book.trades += got.lane.delivered;
            // Waiting trades are dropped with the client.
            book.dropped += got.lane.dropped + got.lane.waiting;
            book.left += 1;
        }
    }

    pub(super) fn refuse(&self) {
        locked(&self.0, Lock::Figures).refused += 1;
    }

    pub(super) fn changes(&self) -> Changes {
        let book = locked(&self.0, Lock::Figures);
        Changes {
            accepted: book.accepted,
            left: book.left,
        }
    }

    pub(super) fn clients(&self) -> usize {
        locked(&self.0, Lock::Figures).present.len()
    }

    pub(super) fn counts(&self) -> ServerCounts {
        let book = locked(&self.0, Lock::Figures);
        let mut counts = ServerCounts {
            clients: book.present.len() as u64,
            accepted: book.accepted,
            refused: book.refused,
            bytes: book.bytes,
            trades: book.trades,
            dropped: book.dropped,
        };
        for got in book.present.iter().map(Entry::statistics) {
            counts.bytes += got.bytes;
            counts.trades += got.lane.delivered;
            counts.dropped += got.lane.dropped;
        }
        counts
    }

    pub(super) fn client_statistics(&self) -> Vec<ClientStatistics> {
        locked(&self.0, Lock::Figures)
            .present
            .iter()
            .map(Entry::statistics)
            .collect()
    }
}
