//! A ticker whose sessions come and go.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use std::sync::Arc;
use std::time::Duration;

/// A ticker of a thousand updates per second.
pub(crate) struct Tickers {
    engine: TickerEngine,
    running: Option<(TickerSession, Ends, u64)>,
}

impl Tickers {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = TickerConfiguration {
            updates_per_second: 1_000.0,
            seed: Some(1),
            update_limit: None,
        };
        Self {
            engine: TickerEngine::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the engine is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.running.is_none() {
            let ends = Ends::default();
            match call(|| {
                self.engine
                    .start_pulling(&["A"], Overflow::DropOldest, 64, ends.clone())
            }) {
                Some(Ok(session)) => self.running = Some((session, ends, 0)),
                Some(Err(error)) => {
                    assert!(matches!(error, TickerError::Poisoned), "{error}");
                    return false;
                }
                None => {
                    assert!(!is_calm);
                    call(|| runtime.advance(Duration::ZERO));
                    assert_eq!(ends.count(), 0, "a start that fails takes nothing");
                    return true;
                }
            }
        }
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        let (session, ends, next) = self.running.as_mut().expect("started");
        let drained = call(|| {
            session.drain(64, |tick, lost| {
                assert_eq!(tick.sequence, *next + u64::from(lost));
                assert!(tick.price > 0.0);
                *next = tick.sequence + 1;
            })
        });
        if let Some(Some((count, statistics))) = drained {
            check(statistics);
            assert!(!is_calm || count > 0 || ends.count() == 1, "nothing, and no end");
        } else {
            assert!(!is_calm);
        }
        // Every few turns another session: cancelled, it is released once.
        if advanced && *next % 7 == 0 {
            let cancelled = call(|| self.engine.cancel()).is_some();
            session.cancel();
            let settled = call(|| runtime.advance(Duration::ZERO)).is_some();
            if settled || cancelled && is_calm {
                assert_eq!(ends.count(), 1);
                self.running = None;
            }
        }
        if self
            .running
            .as_ref()
            .is_some_and(|(_, ends, _)| ends.count() == 1)
        {
            self.running = None;
        }
        true
    }
}
