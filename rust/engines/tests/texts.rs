//! The text of every error.

use rustle_engines::*;
use rustle_market::SymbolError;
use std::fmt::Display;
use std::io::Error;
use std::time::Duration;

fn check(texts: &[(&dyn Display, &str)]) {
    for (failure, expected) in texts {
        assert_eq!(failure.to_string(), *expected);
    }
}

fn thread() -> RuntimeError {
    RuntimeError::Thread(Error::other("too many"))
}

const NO_THREAD: &str = "expected to start a worker thread, got: too many";

#[test]
fn failures_of_tickers_say_what_was_expected_and_what_came() {
    use TickerError as E;
    check(&[
        (
            &E::Symbols(SymbolError::None),
            "symbols: expected at least one, got none",
        ),
        (
            &E::RateOutOfRange { got: 0.0 },
            "updates per second: expected 0.001 to 10000000, got 0",
        ),
        (
            &E::CapacityOutOfRange { got: 0 },
            "capacity: expected 1 to 1048576 elements, got 0",
        ),
        (&E::ShutDown, "the ticker was shut down: make a new one"),
        (
            &E::Poisoned,
            "an internal error (a bug: please report it) ended an earlier session of this ticker: create a new ticker",
        ),
        (&E::Runtime(thread()), NO_THREAD),
        (
            &RuntimeError::Forked {
                threads_in: 1,
                got: 2,
            },
            "expected a call in process 1, which has the engines' threads, got one in process 2, a fork of it",
        ),
        (
            &RuntimeError::Memory {
                argument: "capacity",
                bytes: 64,
            },
            "capacity: expected at most the memory that is free, got 64 bytes",
        ),
    ]);
}

#[test]
fn failures_of_sounds_say_what_was_expected_and_what_came() {
    use SoundError as E;
    check(&[
        (
            &E::Rate { got: 0 },
            "sample rate: expected 1 to 1000000 Hz, got 0",
        ),
        (&E::Channels { got: 33 }, "channels: expected 1 to 32, got 33"),
        (&E::Period { got: 0 }, "period: expected 1 to 65536 frames, got 0"),
        (
            &E::CapacityOutOfRange { most: 9, got: 10 },
            "capacity: expected 1 to 9 elements, got 10",
        ),
        (
            &E::Frames { channels: 2, got: 3 },
            "samples: expected whole frames of 2, got 3 samples",
        ),
        (&E::ShutDown, "the engine was shut down: make a new one"),
        (
            &E::Poisoned,
            "an internal error (a bug: please report it) ended an earlier session of this engine: create a new engine",
        ),
        (&E::Runtime(thread()), NO_THREAD),
        (
            &ProcessError::Busy,
            "equalizer: expected one call that processes sound at a time, got a second one",
        ),
    ]);
}

#[test]
fn failures_of_feeds_say_what_was_expected_and_what_came() {
    use FeedError as E;
    let address: FeedAddress = "tcp://[::1]:80".parse().expect("an address");
    let refused = || Error::other("it is taken");
    check(&[
        (
            &E::RateOutOfRange { got: 1e9 },
            "updates per second: expected 0.001 to 10000000, got 1000000000",
        ),
        (
            &E::IntervalOutOfRange { got: 1 },
            "sampling interval: expected 1000000 ns (1 ms) to 3600000000000 ns (1 h), got 1 ns",
        ),
        (
            &E::CapacityOutOfRange { got: 0 },
            "capacity: expected 1 to 1048576 elements, got 0",
        ),
        (
            &E::MessageLimit { got: 0 },
            "message limit: expected 1 to 16777216 bytes, got 0",
        ),
        (
            &E::ModelCount { symbols: 2, got: 3 },
            "model parameters: expected those of at most 2 symbols, got 3",
        ),
        (
            &E::UnknownFormat { name: "a.txt".into() },
            "format: expected a format, or a file name that ends in .ndjson, .jsonl, .json or .csv, with or without .gz or .zst, got \"a.txt\"",
        ),
        (
            &E::File {
                name: "a.csv".into(),
                error: refused(),
            },
            "expected a file that can be read, got \"a.csv\": it is taken",
        ),
        (
            &E::Address {
                address,
                error: refused(),
            },
            "expected an address that can be served, got [::1]:80: it is taken",
        ),
        (
            &E::PatienceOutOfRange {
                name: "silence limit",
                got: Duration::ZERO,
            },
            "silence limit: expected 10ms to 86400s, got 0ns",
        ),
        (
            &E::Ended,
            "session or source: expected one that runs, got one that has ended",
        ),
        (
            &E::NoSymbols,
            "session: expected one of trades, candles, statistics or alerts, which have symbols, got one of notices",
        ),
        (
            &E::NotExternal,
            "feed: expected an external source, got another source",
        ),
        (&E::ShutDown, "the feed was shut down: make a new one"),
        (
            &E::Poisoned,
            "an internal error (a bug: please report it) ended an earlier session of this feed: create a new feed",
        ),
        (&E::Runtime(thread()), NO_THREAD),
    ]);
}
