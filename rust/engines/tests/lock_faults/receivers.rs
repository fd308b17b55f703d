//! A receiver of DMX whose sessions come and go.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use rustle_lighting::{Name, SacnUniverse};
use std::sync::Arc;
use std::time::Duration;

/// The demonstration's receiver.
pub(crate) struct Receivers {
    receiver: DmxReceiver,
    running: Option<(LaneSession<DmxLevels>, Ends, u64)>,
}

impl Receivers {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let (short, long) = (
            Name::new("lock").expect("short"),
            Name::new("faults").expect("short"),
        );
        let configuration = DmxReceiverConfiguration {
            interface: DEMO_INTERFACE.to_owned(),
            sacn: vec![SacnUniverse::FIRST],
            levels_per_second: 1_000.0,
            ..DmxReceiverConfiguration::new(short, long)
        };
        Self {
            receiver: DmxReceiver::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the receiver is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.running.is_none() {
            let ends = Ends::default();
            let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
            match call(|| self.receiver.start_levels(delivery)) {
                Some(Ok(session)) => self.running = Some((session, ends, 0)),
                Some(Err(error)) => {
                    assert!(matches!(error, DmxError::Poisoned), "{error}");
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
        assert!(call(|| self.receiver.counts()).is_some() || !is_calm);
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        let (session, ends, next) = self.running.as_mut().expect("started");
        let drained = call(|| {
            session.drain(64, |levels, lost| {
                assert_eq!(levels.sequence, *next + u64::from(lost));
                *next = levels.sequence + 1;
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
            session.cancel();
            let settled = call(|| runtime.advance(Duration::ZERO)).is_some();
            assert!(!settled || ends.count() == 1);
        }
        if ends.count() == 1 {
            self.running = None;
        }
        true
    }
}
