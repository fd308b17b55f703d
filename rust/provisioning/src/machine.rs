//! An attempt to provision a node, to read it, or to command it: a value that takes events and times, and gives requests and
//! updates.

mod link;
mod steps;

use crate::advertisement::Advertisement;
use crate::configuration::Configuration;
use crate::error::Failure;
use crate::flag::Flag;
use crate::limits::Limits;
use crate::radio::{Ask, Cause, CauseKind, Event, Request};
use crate::secret::Secret;
use crate::wanted::Wanted;
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::time::Duration;
use steps::{Part, Step};

/// What an attempt is for.
#[derive(Clone)]
pub enum Order {
    /// Give the node values and verify them.
    Provision(Wanted),
    /// Read its values.
    Read,
    /// Restart it.
    Reboot,
    /// Make it forget its values.
    FactoryReset,
}

/// Where an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Idle,
    /// Looking for the node.
    Scanning,
    /// Connecting, until all characteristics are there.
    Connecting,
    /// Reading the node's values.
    ReadingConfig,
    /// Writing, and reading back.
    WritingConfig,
    /// Waiting for what the node says after the command.
    Applying,
    /// Comparing everything again.
    Verifying,
    /// Ended well.
    Success,
    /// Ended by an error.
    Error,
}

impl State {
    /// Its name, as in the stream of states.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Scanning => "SCANNING",
            Self::Connecting => "CONNECTING",
            Self::ReadingConfig => "READING_CONFIG",
            Self::WritingConfig => "WRITING_CONFIG",
            Self::Applying => "APPLYING",
            Self::Verifying => "VERIFYING",
            Self::Success => "SUCCESS",
            Self::Error => "ERROR",
        }
    }

    /// The fraction of an attempt that is behind it when the state begins.
    const fn progress(self) -> f32 {
        match self {
            Self::Idle | Self::Error => 0.0,
            Self::Scanning => 0.02,
            Self::Connecting => 0.15,
            Self::ReadingConfig => 0.3,
            Self::WritingConfig => 0.45,
            Self::Applying => 0.65,
            Self::Verifying => 0.9,
            Self::Success => 1.0,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A change of an attempt's state. The last one is `Success` or `Error`, and comes when the link is down.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The state that begins.
    pub state: State,
    /// The node, once there is one.
    pub node: Option<Advertisement>,
    /// The try to connect, from 1; 0 before the first.
    pub attempt: u32,
    /// The time since the start.
    pub elapsed: Duration,
    /// The fraction of the attempt that is behind it, 0 to 1; it never falls.
    pub progress: f32,
    /// The node's values as last read, once they were.
    pub configuration: Option<Configuration>,
    /// Why it failed, with `Error`.
    pub failure: Option<Failure>,
    /// Whether the link is down. It is not where a disconnection was not confirmed in its time.
    pub is_disconnected: bool,
}

/// What an attempt of a batch leaves for the next one with the same radio.
#[derive(Default)]
pub struct Past {
    /// The number of the last request: what is answered late answers none of the next attempt.
    last_token: u32,
    /// The identifiers of the nodes that were chosen: none is another's, whatever it is called by now.
    nodes: HashSet<String>,
}

impl Past {
    fn has(&self, id: &str) -> bool {
        self.nodes.contains(id)
    }
}

/// An attempt.
pub struct Machine {
    order: Order,
    node: Option<String>,
    limits: Limits,
    must_encrypt: bool,
    step: Step,
    state: State,
    started: Duration,
    /// When the step is over.
    limit: Option<Duration>,
    /// When the step does something by itself before its limit.
    timer: Option<Duration>,
    /// The request whose answer is awaited.
    pending: Option<u32>,
    past: Past,
    requests: VecDeque<Request>,
    updates: VecDeque<Update>,
    is_scanning: bool,
    /// Whether a link may be up: from the first request to connect to the end of a disconnection.
    may_be_linked: bool,
    is_subscribed: bool,
    attempt: u32,
    progress: f32,
    /// The nodes in range that may be meant, as last seen.
    seen: Vec<Advertisement>,
    /// The node of an earlier attempt that has the wanted name.
    repeated: Option<String>,
    /// The node.
    chosen: Option<Advertisement>,
    found: (Vec<crate::Characteristic>, bool),
    configuration: Option<Configuration>,
    /// Whether all of it was read.
    has_read: bool,
    flag: Option<Flag>,
    has_tried_network: bool,
    outcome: Option<Result<(), Failure>>,
}

impl Machine {
    /// An attempt with the node of this name or identifier, or with the strongest. With `must_encrypt` it pairs first.
    pub fn new(order: Order, node: Option<String>, limits: Limits, must_encrypt: bool) -> Self {
        Self {
            order,
            node,
            limits,
            must_encrypt,
            step: Step::Idle,
            state: State::Idle,
            started: Duration::ZERO,
            limit: None,
            timer: None,
            pending: None,
            past: Past::default(),
            requests: VecDeque::new(),
            updates: VecDeque::new(),
            is_scanning: false,
            may_be_linked: false,
            is_subscribed: false,
            attempt: 0,
            progress: 0.0,
            seen: Vec::new(),
            repeated: None,
            chosen: None,
            found: (Vec::new(), false),
            configuration: None,
            has_read: false,
            flag: None,
            has_tried_network: false,
            outcome: None,
        }
    }

    /// Follows another attempt, before it begins.
    pub fn follow(&mut self, past: Past) {
        self.past = past;
    }

    /// What it leaves, after its end.
    pub fn take_past(&mut self) -> Past {
        std::mem::take(&mut self.past)
    }

    /// Begins. Nothing is asked for when a value is refused.
    pub fn start(&mut self, now: Duration) {
        if !matches!(self.step, Step::Idle) {
            return;
        }
        self.started = now;
        if let Order::Provision(wanted) = &self.order
            && let Err(refusals) = wanted.check()
        {
            return self.fail(Failure::Refused(refusals), now);
        }
        self.enter(State::Scanning, now);
        self.step = Step::Scanning;
        self.is_scanning = true;
        self.ask(Ask::Scan);
        self.limit = Some(now + self.limits.scan);
    }

    /// Ends the attempt: what remains is to disconnect.
    pub fn cancel(&mut self, now: Duration) {
        self.fail(Failure::Cancelled, now);
    }

    /// Takes an event.
    pub fn handle(&mut self, event: Event, now: Duration) {
        match event {
            Event::Lost(cause) => self.lose(cause, now),
            Event::Disconnected => self.disconnected(now),
            Event::Seen(advertisement) => self.saw(advertisement, now),
            Event::Found {
                characteristics,
                is_complete,
            } => {
                self.found = (characteristics, is_complete);
                self.check_found(now);
            }
            Event::Notified(value) => self.notified(&value, now),
            Event::Answer { token, result } if self.pending == Some(token) => {
                self.pending = None;
                self.answered(result, now);
            }
            // Of a request that is void.
            Event::Answer { .. } => {}
        }
    }

    /// Takes the time; to be called at the [deadline](Self::deadline).
    pub fn tick(&mut self, now: Duration) {
        if self.outcome.is_none() && self.attempt_ends().is_some_and(|end| now >= end) {
            let (state, limit) = (self.state, self.limits.attempt);
            // It scanned, and nobody came.
            if self.step == Step::Scanning && self.pending.is_none() && self.seen.is_empty() {
                return self.choose(limit, now);
            }
            return self.fail(Failure::AttemptTimedOut { state, limit }, now);
        }
        if self.limit.is_some_and(|limit| now >= limit) {
            self.limit = None;
            return self.step_timed_out(now);
        }
        if self.timer.is_some_and(|timer| now >= timer) {
            self.timer = None;
            self.timer_struck(now);
        }
    }

    /// When [`tick`](Self::tick) is due.
    pub fn deadline(&self) -> Option<Duration> {
        let ends = self.attempt_ends().filter(|_| self.outcome.is_none());
        [self.limit, self.timer, ends].into_iter().flatten().min()
    }

    /// The next request for the radio.
    pub fn next_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    /// The next change of its state.
    pub fn next_update(&mut self) -> Option<Update> {
        self.updates.pop_front()
    }

    /// Whether it has ended: there are no further requests.
    pub fn is_over(&self) -> bool {
        matches!(self.step, Step::Over)
    }

    fn attempt_ends(&self) -> Option<Duration> {
        (!matches!(self.step, Step::Idle | Step::Over)).then(|| self.started + self.limits.attempt)
    }

    /// Asks the radio, and awaits the answer.
    fn ask(&mut self, ask: Ask) {
        self.past.last_token += 1;
        let token = self.past.last_token;
        self.pending = Some(token);
        self.requests.push_back(Request { token, ask });
    }

    /// Begins a state.
    fn enter(&mut self, state: State, now: Duration) {
        self.state = state;
        self.report(state, now, None);
    }

    fn report(&mut self, state: State, now: Duration, failure: Option<Failure>) {
        self.progress = self.progress.max(state.progress());
        self.updates.push_back(Update {
            state,
            node: self.chosen.clone(),
            attempt: self.attempt,
            elapsed: now.saturating_sub(self.started),
            progress: self.progress,
            configuration: self.configuration.clone().filter(|_| self.has_read),
            failure,
            is_disconnected: !self.may_be_linked,
        });
    }

    /// Ends it by an error, unless it is ending already.
    fn fail(&mut self, failure: Failure, now: Duration) {
        if self.outcome.is_none() && !matches!(self.step, Step::Over) {
            self.outcome = Some(Err(failure));
            self.close(now);
        }
    }

    fn succeed(&mut self, now: Duration) {
        self.outcome = Some(Ok(()));
        self.close(now);
    }

    /// The way out: ends the scan, the notifications and the link, as far as they are there.
    fn close(&mut self, now: Duration) {
        // Requests that the radio has not seen are void, and with them what they hold.
        self.requests.clear();
        // Nor is it needed any more: the outcome's text is there, from which it was cut.
        if let Order::Provision(wanted) = &mut self.order {
            wanted.password.forget();
        }
        (self.timer, self.pending) = (None, None);
        self.limit = Some(now + self.limits.disconnect);
        self.close_further(now);
    }

    fn close_further(&mut self, now: Duration) {
        self.timer = None;
        if self.is_scanning {
            self.is_scanning = false;
            self.step = Step::Closing(Part::Scan);
            self.ask(Ask::StopScan);
        } else if self.is_subscribed {
            self.is_subscribed = false;
            self.step = Step::Closing(Part::Notifications);
            self.ask(Ask::Unsubscribe);
            // A courtesy: the disconnection does not wait for long.
            self.timer = Some(now + self.limits.disconnect / 10);
        } else if self.may_be_linked {
            self.step = Step::Closing(Part::Link);
            self.ask(Ask::Disconnect);
        } else {
            self.end(now);
        }
    }

    fn end(&mut self, now: Duration) {
        self.step = Step::Over;
        (self.limit, self.timer, self.pending) = (None, None, None);
        match self.outcome.take() {
            Some(Err(failure)) => self.report(State::Error, now, Some(failure)),
            _ => self.report(State::Success, now, None),
        }
    }

    /// The service is gone, and the link with it.
    fn lose(&mut self, cause: Cause, now: Duration) {
        if matches!(self.step, Step::Over) {
            return;
        }
        (self.is_scanning, self.is_subscribed, self.may_be_linked) = (false, false, false);
        if self.outcome.is_some() {
            self.end(now);
        } else {
            self.fail(self.failure_of(cause), now);
        }
    }

    /// The failure of a request that does not depend on the node.
    fn failure_of(&self, cause: Cause) -> Failure {
        let cause = self.clean(cause);
        match cause.kind {
            CauseKind::NoBluetooth | CauseKind::NoAdapter | CauseKind::AdapterOff => Failure::of_scan(cause),
            CauseKind::NotAuthorized if self.attempt == 0 => Failure::of_scan(cause),
            CauseKind::NotConnected if self.may_be_linked => Failure::LinkLost { state: self.state },
            _ => Failure::Failed {
                state: self.state,
                what: self.step.what(),
                cause,
            },
        }
    }

    /// A cause without the password, which a radio or a node may repeat.
    fn clean(&self, cause: Cause) -> Cause {
        let secret = self.secret();
        Cause {
            kind: cause.kind,
            name: secret.map_or(cause.name.clone(), |secret| secret.cut_from(&cause.name)),
            text: secret.map_or(cause.text.clone(), |secret| secret.cut_from(&cause.text)),
        }
    }

    /// The password, until it is overwritten.
    fn secret(&self) -> Option<&Secret> {
        match &self.order {
            Order::Provision(wanted) => Some(&wanted.password),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Fault, ScriptedNode, ScriptedRadio, Step as At};
    use crate::{Characteristic, Radio};

    #[test]
    fn password_is_overwritten_before_the_disconnection() {
        for fault in [None, Some(At::Write(Characteristic::Start))] {
            let wanted = Wanted {
                name: "left".to_owned(),
                ssid: "stage".to_owned(),
                password: Secret::new(b"hunter22".to_vec()),
                universe: 1,
                start: 1,
                footprint: None,
            };
            let mut machine = Machine::new(Order::Provision(wanted), None, Limits::default(), false);
            let node = ScriptedNode::new("02:00:00:00:00:01", "lamp", -40);
            let mut radio = ScriptedRadio::new(vec![node], Duration::from_millis(2));
            radio.faults.extend(fault.map(|step| (step, Fault::Refused(1))));
            let mut now = Duration::ZERO;
            machine.start(now);
            while machine.outcome.is_none() {
                assert_ne!(machine.secret().map_or(0, |secret| secret.bytes().len()), 0);
                if let Some(request) = machine.next_request() {
                    radio.ask(request, now);
                } else if let Some(event) = radio.next_event(now) {
                    machine.handle(event, now);
                } else {
                    machine.tick(now);
                    let next = [machine.deadline(), radio.due()].into_iter().flatten();
                    now = next.min().expect("it waits for a time").max(now);
                }
            }
            assert!(!machine.is_over(), "the link is up");
            assert_eq!(machine.outcome == Some(Ok(())), fault.is_none());
            assert_eq!(machine.secret().map(Secret::bytes), Some(&b""[..]));
        }
    }
}
