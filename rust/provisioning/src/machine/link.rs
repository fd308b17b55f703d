//! The node and its link: the scan, the tries to connect, the characteristics, and the end of the link.

use super::steps::{Part, Step};
use super::{Machine, State};
use crate::advertisement::Advertisement;
use crate::characteristic::Characteristic;
use crate::error::Failure;
use crate::radio::{Ask, Cause, CauseKind, Reply};
use std::cmp::Reverse;
use std::time::Duration;

impl Machine {
    pub(super) fn saw(&mut self, node: Advertisement, now: Duration) {
        // What was seen earlier is out of range.
        if self.step != Step::Scanning || node.rssi.is_none() {
            return;
        }
        let wanted = self.node.as_ref();
        if wanted.is_some_and(|wanted| !node.is(wanted)) {
            return;
        }
        let is_exact = wanted.is_some_and(|wanted| node.id.eq_ignore_ascii_case(wanted));
        if self.past.has(&node.id) {
            self.repeated = Some(node.id);
            // By its name another one may be meant.
            if is_exact {
                self.choose(self.limits.scan, now);
            }
            return;
        }
        match self.seen.iter_mut().find(|seen| seen.id == node.id) {
            _ if is_exact => self.seen = vec![node],
            Some(seen) => *seen = node,
            None => {
                self.seen.push(node);
                self.timer = Some(now + self.limits.quiet);
            }
        }
        if is_exact {
            self.choose(self.limits.scan, now);
        }
    }

    /// Chooses the node among those that were seen, and ends the scan, whose limit was `after`.
    pub(super) fn choose(&mut self, after: Duration, now: Duration) {
        let mut seen = std::mem::take(&mut self.seen);
        let node = match (&self.node, self.repeated.take()) {
            (Some(name), _) if seen.len() > 1 => {
                let name = name.clone();
                let ids = seen.into_iter().map(|node| node.id).collect();
                return self.fail(Failure::Ambiguous { name, ids }, now);
            }
            (_, Some(id)) if seen.is_empty() => return self.fail(Failure::Repeated { id }, now),
            // The strongest; of equal ones the first.
            _ => {
                seen.sort_by_key(|node| Reverse(node.rssi));
                seen.into_iter().next()
            }
        };
        let Some(mut node) = node else {
            let node = self.node.clone();
            return self.fail(Failure::NotFound { node, after }, now);
        };
        self.past.nodes.insert(node.id.clone());
        // Each update carries its name, which the node chooses.
        if let Some(secret) = self.secret() {
            node.name = secret.cut_from(&node.name);
        }
        self.chosen = Some(node);
        self.limit = Some(now + self.limits.disconnect);
        self.step = Step::StoppingScan;
        self.timer = None;
        self.is_scanning = false;
        self.ask(Ask::StopScan);
    }

    /// Begins a try to connect.
    pub(super) fn connect(&mut self, now: Duration) {
        let Some(node) = &self.chosen else { return };
        let id = node.id.clone();
        self.attempt += 1;
        self.may_be_linked = true;
        self.found = (Vec::new(), false);
        self.enter(State::Connecting, now);
        self.step = Step::Linking;
        self.limit = Some(now + self.limits.connect);
        self.ask(Ask::Connect(id));
    }

    /// Ends a try that failed; the next one follows after the link is down, and a pause.
    pub(super) fn retry(&mut self, cause: Cause, now: Duration) {
        if self.attempt >= self.limits.tries {
            let (tries, cause) = (self.attempt, self.clean(cause));
            return self.fail(Failure::NotConnected { tries, cause }, now);
        }
        self.step = Step::Aborting;
        self.limit = Some(now + self.limits.disconnect);
        self.ask(Ask::Disconnect);
    }

    pub(super) fn pause(&mut self, now: Duration) {
        self.may_be_linked = false;
        self.step = Step::Pausing;
        (self.limit, self.pending) = (None, None);
        self.timer = Some(now + self.limits.pause);
    }

    /// Continues when all characteristics are there.
    pub(super) fn check_found(&mut self, now: Duration) {
        if self.step == Step::Discovering && self.missing().is_empty() {
            self.pending = None;
            if self.must_encrypt {
                self.operate(Step::Pairing, Ask::Pair, now);
            } else {
                self.begin_order(now);
            }
        }
    }

    pub(super) fn missing(&self) -> Vec<Characteristic> {
        let is_missing = |one: &Characteristic| !self.found.0.contains(one);
        Characteristic::ALL.into_iter().filter(is_missing).collect()
    }

    pub(super) fn disconnected(&mut self, now: Duration) {
        match self.step {
            // The answer to the request follows.
            Step::Idle | Step::Over | Step::Scanning | Step::StoppingScan | Step::Linking | Step::Pausing => {
            }
            Step::Aborting => self.pause(now),
            Step::Closing(_) => {
                (self.is_subscribed, self.may_be_linked) = (false, false);
                self.close_further(now);
            }
            Step::Discovering => {
                let cause = Cause::new(CauseKind::NotConnected, "", "the link was lost");
                self.may_be_linked = false;
                if self.attempt >= self.limits.tries {
                    self.retry(cause, now);
                } else {
                    self.pause(now);
                }
            }
            step => {
                debug_assert!(step.is_linked());
                (self.is_subscribed, self.may_be_linked) = (false, false);
                let refusal = self.refusal();
                let state = self.state;
                self.fail(refusal.unwrap_or(Failure::LinkLost { state }), now);
            }
        }
    }

    /// A part of the way out is answered, well or not.
    pub(super) fn closed(&mut self, part: Part, result: Result<Reply, Cause>, now: Duration) {
        if part == Part::Link {
            let is_down = result.map_or_else(|cause| cause.kind == CauseKind::NotConnected, |_| true);
            self.may_be_linked = !is_down;
            return self.end(now);
        }
        self.close_further(now);
    }
}
