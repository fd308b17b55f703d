//! Feeds: a simulated one, an external one, and a server.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use rustle_market::{Format, Interval, Schema};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// A simulated feed, of trades and of candles.
pub(crate) struct Feeds {
    feed: FeedEngine,
    trades: Option<(FeedSession<FeedTrade>, Ends)>,
    candles: Option<(FeedSession<rustle_market::Candle>, Ends)>,
    is_running: bool,
}

impl Feeds {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SourceConfiguration::Simulated(SimulatedConfiguration {
            symbols: vec!["A".to_owned(), "B".to_owned()],
            updates_per_second: 1_000.0,
            seed: 1,
            update_limit: None,
            model: Model::Walk,
        });
        Self {
            feed: FeedEngine::on(runtime.clone(), &configuration).expect("valid"),
            trades: None,
            candles: None,
            is_running: false,
        }
    }

    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let policy = Policy::Lossless { capacity: 100 };
        let mut refused = 0;
        let mut note = |error: FeedError| {
            assert!(matches!(error, FeedError::Poisoned), "{error}");
            refused += 1;
        };
        if self.trades.is_none() {
            let ends = Ends::default();
            match call(|| self.feed.trades(&Subscription::All, policy, ends.clone())) {
                Some(Ok(session)) => self.trades = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if self.candles.is_none() {
            let ends = Ends::default();
            let interval = Interval::from_ns(5_000_000).expect("an interval");
            match call(|| {
                self.feed
                    .candles(&Subscription::All, interval, 0, policy, ends.clone())
            }) {
                Some(Ok(session)) => self.candles = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if refused == 2 {
            return false;
        }
        self.is_running |= matches!(call(|| self.feed.run()), Some(Ok(())));
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        call(|| (self.feed.counts(), self.feed.wanted(), self.feed.symbol(0)));
        if let Some((session, ends)) = &self.trades {
            let mut seen = HashSet::new();
            let drained = call(|| {
                session.drain(usize::MAX, |record, lost| {
                    assert_eq!(lost, 0, "it is lossless");
                    assert!(seen.insert((record.trade.symbol, record.trade.sequence)));
                })
            });
            match drained {
                Some((count, statistics)) => {
                    check(statistics);
                    let is_over = ends.count() == 1;
                    assert!(
                        !(is_calm && advanced) || count > 0 || is_over,
                        "nothing, and no end"
                    );
                    if is_over {
                        self.trades = None;
                    }
                }
                None => assert!(!is_calm),
            }
        }
        if let Some((session, ends)) = &self.candles {
            if let Some((_, statistics)) = call(|| session.drain(usize::MAX, |_, _| {})) {
                check(statistics);
            }
            if ends.count() == 1 {
                self.candles = None;
            }
        }
        true
    }
}

/// An external feed: every accepted line comes out once, or the feed has ended.
pub(crate) struct ExternalFeeds {
    pub(crate) feed: FeedEngine,
    trades: FeedSession<FeedTrade>,
    ends: Ends,
    pushed: u64,
    heard: u64,
}

impl ExternalFeeds {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SourceConfiguration::External(ExternalConfiguration {
            format: Format::Ndjson,
            schema: Schema::default(),
            message_limit: 1_000,
            restarts_numbers: false,
        });
        let feed = FeedEngine::on(runtime.clone(), &configuration).expect("valid");
        let ends = Ends::default();
        let policy = Policy::Lossless { capacity: 10 };
        let trades = feed
            .trades(&Subscription::All, policy, ends.clone())
            .expect("started");
        feed.run().expect("running");
        runtime.advance(Duration::ZERO);
        Self {
            feed,
            trades,
            ends,
            pushed: 0,
            heard: 0,
        }
    }

    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let line = "{\"v\":1,\"symbol\":\"A\",\"price\":1,\"t_ms\":1}\n";
        let pushed = call(|| self.feed.push(line.as_bytes()));
        let is_over = match pushed {
            Some(Ok(taken)) => {
                assert!(taken == line.len() || taken == 0);
                self.pushed += u64::from(taken > 0);
                false
            }
            Some(Err(error)) => {
                assert!(matches!(error, FeedError::Ended), "{error}");
                true
            }
            None => {
                assert!(!is_calm);
                false
            }
        };
        call(|| self.feed.report(HostNews::Connected, "here"));
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        if let Some((count, statistics)) = call(|| self.trades.drain(usize::MAX, |_, _| {})) {
            check(statistics);
            self.heard += count as u64;
        }
        let is_released = self.ends.count() == 1;
        if is_calm && advanced {
            assert_eq!(is_over, is_released, "the end is reported");
            assert!(
                is_over || self.heard == self.pushed,
                "{} of {}",
                self.heard,
                self.pushed
            );
        }
        !is_released
    }
}

/// A server without clients.
pub(crate) struct Servers(pub(crate) Option<FeedServer>);

impl Servers {
    pub(crate) fn turn(&self, is_calm: bool) {
        let counts = self.0.as_ref().map(|server| call(|| server.counts()));
        assert!(!is_calm || matches!(counts, Some(Some(ServerCounts { accepted: 0, .. }))));
        if let Some(server) = &self.0 {
            call(|| (server.clients(), server.client_statistics()));
        }
    }
}
