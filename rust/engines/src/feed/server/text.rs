//! The text for a client.

use super::super::FeedSession;
use super::super::derive::FeedTrade;
use super::super::hub::FeedCore;
use rustle_market::{NO_SEQUENCE, write_gap, write_ndjson};
use std::sync::Arc;

/// The most trades of one write.
const LARGEST_WRITE: usize = 1_024;

/// The lines that wait to be written.
#[derive(Default)]
pub(super) struct Text {
    names: Vec<Option<Arc<str>>>,
    records: Vec<(FeedTrade, u32)>,
    text: Vec<u8>,
    sent: usize,
    /// Whether the last line is composed.
    is_over: bool,
}

/// What was composed.
pub(super) enum Composed {
    /// Lines of trades.
    Trades,
    /// None: no trade waits.
    Nothing,
    /// None, and there will be none.
    End,
}

impl Text {
    /// The bytes that were not sent yet, if any.
    pub(super) fn unsent(&self) -> Option<&[u8]> {
        let unsent = &self.text[self.sent..];
        (!unsent.is_empty()).then_some(unsent)
    }

    /// That many more bytes were sent.
    pub(super) fn sent(&mut self, count: usize) {
        self.sent += count;
    }

    /// Composes a heartbeat, in place of what was sent.
    pub(super) fn heartbeat(&mut self, wall_ms: i64) {
        self.clear();
        let line = format!("{{\"v\":1,\"heartbeat\":{wall_ms}}}\n");
        self.text.extend_from_slice(line.as_bytes());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.sent = 0;
    }

    /// Composes the lines of the trades that wait, in place of what was sent; `is_over`: no more will come.
    pub(super) fn compose(
        &mut self,
        trades: &FeedSession<FeedTrade>,
        hub: &FeedCore,
        is_over: bool,
    ) -> Composed {
        self.clear();
        self.records.clear();
        // The feed must not be called in there: its source waits for the lane.
        let records = &mut self.records;
        let (count, lane) = trades.drain(LARGEST_WRITE, |record, lost| records.push((record, lost)));
        for (record, lost) in &self.records {
            // Sequence numbers, where there are any, show a reader the gaps of the source.
            let skipped = match record.trade.sequence {
                NO_SEQUENCE => record.sequence_gap,
                _ => 0,
            };
            let lost = u64::from(*lost).saturating_add(skipped);
            if lost > 0 {
                write_gap(lost, &mut self.text);
            }
            let number = record.trade.symbol as usize;
            if number >= self.names.len() {
                self.names.resize(number + 1, None);
            }
            if self.names[number].is_none() {
                self.names[number] = hub.name(record.trade.symbol);
            }
            if let Some(name) = &self.names[number] {
                write_ndjson(&record.trade, name, &mut self.text);
            }
        }
        if count > 0 {
            return Composed::Trades;
        }
        if !is_over || self.is_over {
            return if is_over { Composed::End } else { Composed::Nothing };
        }
        self.is_over = true;
        if lane.unreported == 0 {
            return Composed::End;
        }
        write_gap(lane.unreported, &mut self.text);
        Composed::Trades
    }
}
