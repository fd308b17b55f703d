//! From quotes or bytes to what consumers get: the part that all sources share.

use super::derive::FeedQuote;
use super::hub::Hub;
use super::losses::Losses;
use super::notice::NoticeKind;
use super::rows::Rows;
use rustle_market::{
    Arrival, Format, LineSplitter, NO_TIME, Quote, QuoteParser, Schema, SequenceTracker, SymbolTable,
    parse_gap,
};
use std::sync::Arc;

/// The most quotes that are handed over in one go.
pub(super) const LARGEST_BATCH: usize = 4_096;

/// Numbers the symbols, follows the sequence numbers, and hands the quotes to the hub.
pub(super) struct Gate {
    hub: Arc<Hub>,
    pub(super) symbols: SymbolTable,
    rows: Rows,
    sequences: SequenceTracker,
    losses: Losses,
    batch: Vec<FeedQuote>,
}

impl Gate {
    pub(super) fn new(hub: Arc<Hub>, symbols: SymbolTable) -> Self {
        Self {
            hub,
            symbols,
            rows: Rows::default(),
            sequences: SequenceTracker::new(),
            losses: Losses::default(),
            batch: Vec::new(),
        }
    }

    /// Hands quotes over. Those that tell no time get `wall_ns`; those whose number came before are left out.
    pub(super) fn pass(&mut self, quotes: &[Quote], wall_ns: i64) {
        for part in quotes.chunks(LARGEST_BATCH) {
            let before = self.sequences.totals();
            let told = self.losses.counted();
            self.batch.clear();
            for quote in part {
                let missing = self.losses.before_next();
                let mut quote = *quote;
                let highest = || self.sequences.highest(quote.symbol);
                quote.sequence = self.rows.carry_on(quote.symbol, quote.sequence, highest);
                let arrival = self.sequences.observe(quote.symbol, quote.sequence);
                if arrival == Arrival::Duplicate {
                    continue;
                }
                if quote.time_ns == NO_TIME {
                    quote.time_ns = wall_ns;
                }
                self.batch.push(FeedQuote {
                    quote,
                    skipped: match arrival {
                        Arrival::Gap(skipped) => skipped,
                        // Where there are numbers they tell it.
                        Arrival::Unnumbered => self.losses.count(missing),
                        _ => 0,
                    },
                    is_out_of_order: arrival == Arrival::OutOfOrder,
                });
            }
            let after = self.sequences.totals();
            // Counted by the time that somebody sees the quotes.
            let unnumbered = self.losses.counted();
            if after != before || unnumbered != told {
                self.hub.count(|counts| {
                    counts.gaps += after.gaps - before.gaps + (unnumbered.gaps - told.gaps);
                    let skipped = after.skipped - before.skipped;
                    let missing = unnumbered.missing - told.missing;
                    counts.skipped = counts.skipped.saturating_add(skipped).saturating_add(missing);
                    counts.duplicates += after.duplicates - before.duplicates;
                    counts.out_of_order += after.out_of_order - before.out_of_order;
                });
            }
            self.hub.dispatch(&self.batch, &self.symbols);
        }
    }

    /// The next quote that was read is not wanted.
    pub(super) fn pass_over(&mut self) {
        // What was lost before it lies before what is wanted, too.
        self.losses.before_next();
    }

    /// The source numbers all symbols anew: what is handed over goes on from the highest numbers so far.
    pub(super) fn restart(&mut self) {
        self.rows.restart();
    }

    /// As [`restart`](Self::restart), when the same quotes come again.
    pub(super) fn repeat(&mut self) {
        self.rows.repeat();
    }
}

/// Reads messages, counts and tells of those that are none.
pub(super) struct Reader {
    hub: Arc<Hub>,
    splitter: LineSplitter,
    parser: QuoteParser,
    messages: u64,
}

impl Reader {
    /// Of messages that have at most `limit` bytes.
    pub(super) fn new(hub: Arc<Hub>, format: Format, schema: Schema, limit: usize) -> Self {
        Self {
            hub,
            splitter: LineSplitter::with_limit(limit),
            parser: QuoteParser::new(format, schema),
            messages: 0,
        }
    }

    /// Reads the lines that end in `piece`, which continues the piece before, and appends their quotes to `quotes`.
    pub(super) fn read(&mut self, piece: &[u8], gate: &mut Gate, quotes: &mut Vec<Quote>) {
        let mut lines = Lines::new(&mut self.parser, gate, quotes, self.messages);
        let oversized = self.splitter.oversized();
        self.splitter.push(piece, |line| lines.line(line));
        let found = lines.found;
        self.messages = found.messages;
        self.tell(found, self.splitter.oversized() - oversized, piece.len());
    }

    /// Reads the last line, which needs no end.
    pub(super) fn finish(&mut self, gate: &mut Gate, quotes: &mut Vec<Quote>) {
        let mut lines = Lines::new(&mut self.parser, gate, quotes, self.messages);
        let oversized = self.splitter.oversized();
        self.splitter.finish(|line| lines.line(line));
        let found = lines.found;
        self.messages = found.messages;
        self.tell(found, self.splitter.oversized() - oversized, 0);
    }

    /// Forgets a line that has begun: what comes next is of another connection or file.
    pub(super) fn reset(&mut self) {
        self.splitter.reset();
        self.parser.reset();
    }

    fn tell(&mut self, found: Found, oversized: u64, bytes: usize) {
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
            self.hub.tell(NoticeKind::Malformed, *number, 0, reason);
        }
        if oversized > 0 {
            let limit = self.splitter.limit();
            tracing::warn!(oversized, limit, "messages longer than the limit were skipped");
            let text = format!("expected messages of at most {limit} bytes, got a longer one");
            self.hub.tell(NoticeKind::Oversized, self.messages, 0, &text);
        }
    }
}

/// What the lines of a piece were.
#[derive(Default)]
struct Found {
    /// The number of the next message.
    messages: u64,
    read: u64,
    malformed: u64,
    others: u64,
    /// One notice a piece: a feed of nothing but rubbish is not to drown those who listen.
    first_malformed: Option<(u64, String)>,
}

struct Lines<'a> {
    parser: &'a mut QuoteParser,
    gate: &'a mut Gate,
    quotes: &'a mut Vec<Quote>,
    found: Found,
}

impl<'a> Lines<'a> {
    fn new(
        parser: &'a mut QuoteParser,
        gate: &'a mut Gate,
        quotes: &'a mut Vec<Quote>,
        messages: u64,
    ) -> Self {
        Self {
            parser,
            gate,
            quotes,
            found: Found {
                messages,
                ..Found::default()
            },
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let number = self.found.messages;
        self.found.messages += 1;
        self.found.read += 1;
        match self.parser.parse_line(line, &mut self.gate.symbols, self.quotes) {
            Ok(count) => self.gate.losses.read(count),
            Err(error) if error.is_not_a_quote() => {
                self.found.others += 1;
                self.gate.losses.told(parse_gap(line).unwrap_or(0));
            }
            Err(error) => {
                self.found.malformed += 1;
                if self.found.first_malformed.is_none() {
                    self.found.first_malformed = Some((number, error.to_string()));
                }
            }
        }
    }
}
