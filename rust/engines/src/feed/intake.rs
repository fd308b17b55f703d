//! The part that all sources share: from trades or bytes to the consumers.

use super::derive::FeedTrade;
use super::hub::FeedCore;
use super::losses::Losses;
use super::notice::NoticeKind;
use super::rows::Rows;
use rustle_market::{
    Arrival, Format, LineSplitter, NO_TIME, Schema, SequenceTracker, SymbolTable, Trade, TradeParser,
    parse_gap,
};
use std::sync::Arc;

/// The most trades of one delivery.
pub(super) const LARGEST_BATCH: usize = 4_096;

/// Numbers the symbols, follows the sequence numbers, and passes the trades to the hub.
pub(super) struct TradeIntake {
    hub: Arc<FeedCore>,
    pub(super) symbols: SymbolTable,
    rows: Rows,
    sequences: SequenceTracker,
    losses: Losses,
    batch: Vec<FeedTrade>,
}

impl TradeIntake {
    pub(super) fn new(hub: Arc<FeedCore>, symbols: SymbolTable) -> Self {
        Self {
            hub,
            symbols,
            rows: Rows::default(),
            sequences: SequenceTracker::new(),
            losses: Losses::default(),
            batch: Vec::new(),
        }
    }

    /// Delivers trades. Those without a time get `wall_ns`; duplicates of sequence numbers are left out.
    pub(super) fn pass(&mut self, trades: &[Trade], wall_ns: i64) {
        for part in trades.chunks(LARGEST_BATCH) {
            let before = self.sequences.totals();
            let reported = self.losses.counted();
            self.batch.clear();
            for trade in part {
                let missing = self.losses.before_next();
                let mut trade = *trade;
                let highest = || self.sequences.highest(trade.symbol);
                trade.sequence = self.rows.carry_on(trade.symbol, trade.sequence, highest);
                let arrival = self.sequences.observe(trade.symbol, trade.sequence);
                if arrival == Arrival::Duplicate {
                    continue;
                }
                if trade.time_ns == NO_TIME {
                    trade.time_ns = wall_ns;
                }
                self.batch.push(FeedTrade {
                    trade,
                    sequence_gap: match arrival {
                        Arrival::Gap(skipped) => skipped,
                        // Sequence numbers, if there are any, decide it.
                        Arrival::Unnumbered => self.losses.count(missing),
                        _ => 0,
                    },
                    is_out_of_order: arrival == Arrival::OutOfOrder,
                });
            }
            let after = self.sequences.totals();
            // Counted before anyone sees the trades.
            let unnumbered = self.losses.counted();
            if after != before || unnumbered != reported {
                self.hub.count(|counts| {
                    counts.gaps += after.gaps - before.gaps + (unnumbered.gaps - reported.gaps);
                    let skipped = after.sequence_numbers_in_gaps - before.sequence_numbers_in_gaps;
                    let missing = unnumbered.missing - reported.missing;
                    counts.sequence_numbers_in_gaps = counts
                        .sequence_numbers_in_gaps
                        .saturating_add(skipped)
                        .saturating_add(missing);
                    counts.duplicates += after.duplicates - before.duplicates;
                    counts.out_of_order += after.out_of_order - before.out_of_order;
                });
            }
            self.hub.dispatch(&self.batch, &self.symbols);
        }
    }

    /// The next trade that was read is skipped.
    pub(super) fn pass_over(&mut self) {
        // A loss before it counts before the next selected trade, too.
        self.losses.before_next();
    }

    /// The source restarts all sequence numbers: delivered ones continue from the highest so far.
    pub(super) fn restart(&mut self) {
        self.rows.restart();
    }

    /// As [`restart`](Self::restart), when the same trades come again.
    pub(super) fn repeat(&mut self) {
        self.rows.repeat();
    }
}

/// Reads messages, and counts and reports malformed ones.
pub(super) struct Reader {
    hub: Arc<FeedCore>,
    splitter: LineSplitter,
    parser: TradeParser,
    messages: u64,
    is_strict: bool,
    /// The error after which nothing is read.
    failure: Option<String>,
}

impl Reader {
    /// Of messages that have at most `limit` bytes.
    pub(super) fn new(hub: Arc<FeedCore>, format: Format, schema: Schema, limit: usize) -> Self {
        Self {
            hub,
            splitter: LineSplitter::with_limit(limit),
            parser: TradeParser::new(format, schema),
            messages: 0,
            is_strict: false,
            failure: None,
        }
    }

    /// Makes a malformed or oversized message the last.
    pub(super) fn strict(mut self, is_strict: bool) -> Self {
        self.is_strict = is_strict;
        self
    }

    /// The reason why nothing is read any more: a header without a column of the schema or, if it is strict, the first malformed
    /// message. The trades before it were read.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Reads the lines that end in `piece`, which continues the previous one, and appends their trades to `trades`.
    pub(super) fn read(&mut self, piece: &[u8], gate: &mut TradeIntake, trades: &mut Vec<Trade>) {
        // Line by line, where the first fault is to end it.
        let is_strict = self.is_strict;
        for part in piece.split_inclusive(|byte| is_strict && *byte == b'\n') {
            if self.failure.is_none() {
                self.take(gate, trades, part.len(), |splitter, lines| {
                    splitter.push(part, |line| lines.line(line));
                });
            }
        }
    }

    /// Reads the last line, which needs no line feed.
    pub(super) fn finish(&mut self, gate: &mut TradeIntake, trades: &mut Vec<Trade>) {
        self.take(gate, trades, 0, |splitter, lines| {
            splitter.finish(|line| lines.line(line))
        });
    }

    fn take(
        &mut self,
        gate: &mut TradeIntake,
        trades: &mut Vec<Trade>,
        bytes: usize,
        read: impl FnOnce(&mut LineSplitter, &mut Lines<'_>),
    ) {
        let mut lines = Lines {
            parser: &mut self.parser,
            gate,
            trades,
            is_strict: self.is_strict,
            failure: &mut self.failure,
            found: Found {
                messages: self.messages,
                ..Found::default()
            },
        };
        let oversized = self.splitter.oversized();
        read(&mut self.splitter, &mut lines);
        let found = lines.found;
        self.messages = found.messages;
        self.report(found, self.splitter.oversized() - oversized, bytes);
    }

    /// Discards an incomplete line: the next bytes belong to another connection or file.
    pub(super) fn reset(&mut self) {
        self.splitter.reset();
        self.parser.reset();
    }

    fn report(&mut self, found: Found, oversized: u64, bytes: usize) {
        self.messages += oversized;
        self.hub.count(|counts| {
            counts.bytes += bytes as u64;
            counts.messages += found.read + oversized;
            counts.malformed += found.malformed;
            counts.oversized += oversized;
            counts.others += found.others;
        });
        if let Some((number, reason)) = &found.first_malformed {
            tracing::warn!(message_number = number, reason, "a message was skipped");
            self.hub.report(NoticeKind::Malformed, *number, 0, reason);
        }
        if oversized > 0 {
            let limit = self.splitter.limit();
            let text = format!("expected messages of at most {limit} bytes, got a longer one");
            if self.is_strict {
                // It is reported as the end.
                let number = self.messages;
                self.failure
                    .get_or_insert_with(|| format!("message {number}: {text}"));
                return;
            }
            tracing::warn!(oversized, limit, "messages longer than the limit were skipped");
            self.hub.report(NoticeKind::Oversized, self.messages, 0, &text);
        }
    }
}

/// The counts of a piece's lines.
#[derive(Default)]
struct Found {
    /// The number of the next message.
    messages: u64,
    read: u64,
    malformed: u64,
    others: u64,
    /// One notice per piece: a feed of garbage must not flood its listeners.
    first_malformed: Option<(u64, String)>,
}

struct Lines<'a> {
    parser: &'a mut TradeParser,
    gate: &'a mut TradeIntake,
    trades: &'a mut Vec<Trade>,
    is_strict: bool,
    failure: &'a mut Option<String>,
    found: Found,
}

impl Lines<'_> {
    fn line(&mut self, line: &[u8]) {
        if self.failure.is_some() || line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let number = self.found.messages;
        self.found.messages += 1;
        self.found.read += 1;
        match self.parser.parse_line(line, &mut self.gate.symbols, self.trades) {
            Ok(count) => self.gate.losses.read(count),
            Err(error) if error.is_not_a_trade() => {
                self.found.others += 1;
                self.gate.losses.reported(parse_gap(line).unwrap_or(0));
            }
            Err(error) => {
                self.found.malformed += 1;
                tracing::debug!(message_number = number, reason = %error, "a message is malformed");
                if self.is_strict || error.is_final() {
                    // It is reported as the end.
                    *self.failure = Some(format!("message {}: {error}", number + 1));
                } else if self.found.first_malformed.is_none() {
                    self.found.first_malformed = Some((number, error.to_string()));
                }
            }
        }
    }
}
