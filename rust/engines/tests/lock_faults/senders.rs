//! A sender of DMX without a network.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use rustle_lighting::{Cid, Name};
use std::sync::Arc;

/// A sender that sends a universe, and reports a thousand times per second.
pub(crate) struct Senders {
    engine: DmxEngine,
    running: Option<(DmxSession, Ends, u64)>,
}

impl Senders {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let cid = Cid::new([7; 16]).expect("not zero");
        let configuration = DmxConfiguration {
            interface: DEMO_INTERFACE.to_owned(),
            reports_per_second: 1_000.0,
            ..DmxConfiguration::new(DmxProtocol::Sacn, cid, Name::new("faults").expect("short"))
        };
        Self {
            engine: DmxEngine::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the engine is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.running.is_none() {
            let ends = Ends::default();
            let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
            match call(|| self.engine.start(delivery)) {
                Some(Ok(session)) => self.running = Some((session, ends, 0)),
                Some(Err(error)) => {
                    assert!(matches!(error, DmxError::Poisoned), "{error}");
                    return false;
                }
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        let Some((session, ends, next)) = &mut self.running else {
            return true;
        };
        let level = *next as u8;
        let written = call(|| session.set_levels(&[1], &[level; 512]));
        assert!(!is_calm || matches!(written, Some(Ok(()))));
        let before = session.counts().packets;
        let advanced = (0..3).all(|_| call(|| runtime.advance(SECOND_HUNDREDTH)).is_some());
        let drained = call(|| {
            session.drain(64, |report, lost| {
                assert_eq!(report.sequence, *next + u64::from(lost));
                *next = report.sequence + 1;
            })
        });
        if let Some(Some((_, statistics))) = drained {
            check(statistics);
        } else {
            assert!(!is_calm);
        }
        let is_over = ends.count() == 1;
        assert!(!(is_calm && advanced) || is_over || session.counts().packets > before);
        if is_over {
            self.running = None;
        }
        true
    }
}
