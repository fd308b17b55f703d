//! A sender of DMX whose universes are written.

use crate::{SECOND_HUNDREDTH, call};
use rustle_engines::*;
use rustle_lighting::{Cid, Name};
use std::sync::Arc;

/// The demonstration's sender.
pub(crate) struct Senders {
    engine: DmxEngine,
    running: Option<DmxSession>,
}

impl Senders {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let name = Name::new("lock faults").expect("short");
        let configuration = DmxConfiguration {
            interface: DEMO_INTERFACE.to_owned(),
            ..DmxConfiguration::new(DmxProtocol::Sacn, Cid::from_random([7; 16]), name)
        };
        Self {
            engine: DmxEngine::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the sender is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.running.is_none() {
            let delivery = Delivery::pull(Overflow::Conflate, 1, NoBell).expect("a size of lanes");
            match call(|| self.engine.start(delivery)) {
                Some(Ok(session)) => self.running = Some(session),
                Some(Err(error)) => {
                    assert!(matches!(error, DmxError::Poisoned), "{error}");
                    return false;
                }
                None => {
                    assert!(!is_calm);
                    return true;
                }
            }
        }
        let session = self.running.as_ref().expect("started");
        let before = session.counts().packets;
        let written = call(|| session.set_levels(&[1], &[before as u8]));
        assert!(matches!(written, Some(Ok(()))) || !is_calm, "{written:?}");
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH * 3)).is_some();
        let is_over = session.is_released();
        assert!(!is_calm || !advanced || is_over || session.counts().packets > before);
        if is_over {
            self.running = None;
        }
        true
    }
}
