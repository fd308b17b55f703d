//! A radio of nodes that is the calling program: each attempt begins, asks for a scan, and is refused.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use rustle_provisioning::{Cause, CauseKind, Event, Limits};
use std::sync::Arc;

/// An attempt that was not woken ends by the limit of its scan, after 10 s.
const MOST_TURNS: u32 = 600;

pub(crate) struct Radios {
    radio: NodeRadio,
    requests: Option<(LaneSession<NodeRequest>, Ends)>,
    attempt: Option<(LaneSession<NodeUpdate>, Ends)>,
    /// The client and the number of the request that is not answered.
    asked: Option<(u32, u32)>,
    turns: u32,
}

impl Radios {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = NodeRadioConfiguration {
            adapter: PROGRAM_ADAPTER.to_owned(),
            changes_per_second: 1.0,
            change_limit: None,
        };
        Self {
            radio: NodeRadio::on(runtime.clone(), configuration).expect("valid"),
            requests: None,
            attempt: None,
            asked: None,
            turns: 0,
        }
    }

    /// Whether the engine is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.requests.is_none() {
            match begin(is_calm, |delivery| self.radio.requests(delivery)) {
                Ok(started) => self.requests = started,
                Err(()) => return false,
            }
        }
        if self.attempt.is_none() {
            let task = NodeTask {
                order: NodeOrder::Read,
                node: "lamp".to_owned(),
                limits: Limits::default(),
                must_encrypt: false,
            };
            match begin(is_calm, |delivery| self.radio.attempt(task, delivery)) {
                Ok(started) => (self.attempt, self.turns) = (started, 0),
                Err(()) => return false,
            }
        }
        let _ = call(|| runtime.advance(SECOND_HUNDREDTH));
        if let Some((session, _)) = &self.requests {
            let asked = &mut self.asked;
            let take = |request: NodeRequest, _| {
                if request.ask == NodeAsk::Scan {
                    *asked = Some((request.client, request.token));
                }
            };
            if let Some(Some((_, statistics))) = call(|| session.drain(64, take)) {
                check(statistics);
            }
        }
        if let Some((client, token)) = self.asked {
            let _ = call(|| self.radio.value(client, token, 64));
            let result = Err(Cause::new(CauseKind::Other, "", "refused"));
            if matches!(
                call(|| self.radio.report(client, Event::Answer { token, result })),
                Some(Ok(()))
            ) {
                self.asked = None;
            }
        }
        let _ = call(|| runtime.advance(SECOND_HUNDREDTH));
        self.turns += 1;
        assert!(self.turns < MOST_TURNS, "an attempt does not end");
        self.attempt.take_if(|(_, ends)| ends.count() == 1);
        self.requests.take_if(|(_, ends)| ends.count() == 1);
        true
    }
}

/// Begins a session; an error: the engine is poisoned.
fn begin<T: Record>(
    is_calm: bool,
    start: impl FnOnce(Delivery<T>) -> Result<LaneSession<T>, NodeRadioError>,
) -> Result<Option<(LaneSession<T>, Ends)>, ()> {
    let ends = Ends::default();
    let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
    match call(|| start(delivery)) {
        Some(Ok(session)) => Ok(Some((session, ends))),
        Some(Err(error)) => {
            let is_poisoned = matches!(error, NodeRadioError::Start(StartError::Poisoned));
            assert!(is_poisoned, "{error}");
            Err(())
        }
        None => {
            assert!(!is_calm && ends.count() == 0);
            Ok(None)
        }
    }
}
