//! The steps of an attempt, and what each does with an answer, an event, and its time limit.

use super::{Machine, Order, State};
use crate::characteristic::Characteristic;
use crate::configuration::Configuration;
use crate::error::{Failure, ReadBack};
use crate::flag::Flag;
use crate::radio::{Ask, Cause, CauseKind, Reply};
use crate::secret::Secret;
use crate::text::Text;
use crate::wanted::Wanted;
use std::time::Duration;

/// What an attempt waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Idle,
    Scanning,
    StoppingScan,
    Linking,
    /// The end of a try that failed.
    Aborting,
    Pausing,
    Discovering,
    Pairing,
    /// The value of this place in [`READ`].
    Reading(usize),
    Subscribing,
    ReadingFlag,
    /// The value of this place in [`Wanted::WRITTEN`].
    Writing(usize),
    /// The value of this place in [`Wanted::COMPARED`].
    Comparing(usize),
    Commanding,
    Watching,
    VerifyingFlag,
    /// As `Comparing`, after the command.
    Verifying(usize),
    Closing(Part),
    Over,
}

/// What is ended on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Scan,
    Notifications,
    Link,
}

/// The values that are read first; the flag follows the subscription.
const READ: [Characteristic; 5] = [
    Characteristic::Name,
    Characteristic::Ssid,
    Characteristic::Universe,
    Characteristic::Start,
    Characteristic::Firmware,
];

/// The numbers of the commands.
const APPLY: u8 = 1;
const REBOOT: u8 = 2;
const FACTORY_RESET: u8 = 3;

impl Step {
    /// What it asks for, in texts.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Idle | Self::Over | Self::Pausing | Self::Watching => "nothing",
            Self::Scanning => "the scan",
            Self::StoppingScan => "the end of the scan",
            Self::Linking => "the connection",
            Self::Aborting | Self::Closing(_) => "the disconnection",
            Self::Discovering => "the list of services",
            Self::Pairing => "the pairing",
            Self::Reading(0) | Self::Comparing(0) | Self::Verifying(0) => "the read of name",
            Self::Reading(1) | Self::Comparing(1) | Self::Verifying(1) => "the read of ssid",
            Self::Reading(2) | Self::Comparing(2) | Self::Verifying(2) => "the read of universe",
            Self::Reading(3) | Self::Comparing(_) | Self::Verifying(_) => "the read of start",
            Self::Reading(_) => "the read of firmware",
            Self::Subscribing => "the subscription to flag",
            Self::ReadingFlag | Self::VerifyingFlag => "the read of flag",
            Self::Writing(0) => "the write of name",
            Self::Writing(1) => "the write of ssid",
            Self::Writing(2) => "the write of password",
            Self::Writing(3) => "the write of universe",
            Self::Writing(_) => "the write of start",
            Self::Commanding => "the write of command",
        }
    }

    /// Whether the node is linked, and nothing has failed.
    pub(super) fn is_linked(self) -> bool {
        !matches!(
            self,
            Self::Idle
                | Self::Scanning
                | Self::StoppingScan
                | Self::Linking
                | Self::Aborting
                | Self::Pausing
                | Self::Closing(_)
                | Self::Over
        )
    }
}

impl Machine {
    /// Begins a step that asks for something, with the time limit of an operation.
    pub(super) fn operate(&mut self, step: Step, ask: Ask, now: Duration) {
        self.step = step;
        // That of the verification is for all of it; that of the command begins with it.
        if !matches!(step, Step::VerifyingFlag | Step::Verifying(_)) {
            self.limit = Some(now + self.limits.operation);
        }
        self.ask(ask);
    }

    pub(super) fn begin_order(&mut self, now: Duration) {
        match self.order {
            Order::Provision(_) | Order::Read => {
                self.configuration = Some(Configuration::default());
                self.enter(State::ReadingConfig, now);
                self.operate(Step::Reading(0), Ask::Read(READ[0]), now);
            }
            Order::Reboot => self.command(REBOOT, now),
            Order::FactoryReset => self.command(FACTORY_RESET, now),
        }
    }

    /// Writes the command: once, whatever comes of it.
    fn command(&mut self, number: u8, now: Duration) {
        self.enter(State::Applying, now);
        self.flag = None;
        let value = Secret::new(vec![number]);
        self.operate(Step::Commanding, Ask::Write(Characteristic::Command, value), now);
    }

    pub(super) fn answered(&mut self, result: Result<Reply, Cause>, now: Duration) {
        match self.step {
            Step::Closing(part) => self.closed(part, result, now),
            Step::Aborting => self.pause(now),
            // It ends at our disconnection at the latest.
            Step::StoppingScan => self.connect(now),
            Step::Linking | Step::Discovering => match result {
                Ok(_) if self.step == Step::Linking => {
                    self.step = Step::Discovering;
                    self.limit = Some(now + self.limits.services);
                    self.ask(Ask::Services);
                    self.check_found(now);
                }
                // What is awaited is the characteristics.
                Ok(_) => {}
                Err(cause) => self.retry(cause, now),
            },
            Step::Pairing => match result {
                Ok(_) => self.begin_order(now),
                Err(cause) => {
                    let cause = self.clean(cause);
                    self.fail(Failure::NotEncrypted(cause), now);
                }
            },
            // Refused: the flag is read again and again.
            Step::Subscribing => {
                self.is_subscribed = result.is_ok();
                self.operate(Step::ReadingFlag, Ask::Read(Characteristic::Flag), now);
            }
            _ => match result {
                Ok(reply) => self.advanced(reply, now),
                Err(cause) => {
                    let refusal = self.refusal();
                    let failure = refusal.unwrap_or_else(|| self.failure_of(cause));
                    self.fail(failure, now);
                }
            },
        }
    }

    /// Continues after an operation that went well.
    fn advanced(&mut self, reply: Reply, now: Duration) {
        let value = match reply {
            Reply::Value(value) => value,
            Reply::Done => Vec::new(),
        };
        match self.step {
            Step::Reading(place) => self.has_read(place, &value, now),
            Step::ReadingFlag => {
                self.keep(Characteristic::Flag, &value);
                self.has_read = true;
                if matches!(self.order, Order::Provision(_)) {
                    self.enter(State::WritingConfig, now);
                    self.write(0, now);
                } else {
                    self.succeed(now);
                }
            }
            Step::Writing(place) if place + 1 < Wanted::WRITTEN.len() => self.write(place + 1, now),
            Step::Writing(_) => {
                self.operate(Step::Comparing(0), Ask::Read(Wanted::COMPARED[0]), now);
            }
            Step::Comparing(place) => {
                if let Some(next) = self.compare(place, &value, now) {
                    match next {
                        Some(one) => self.operate(Step::Comparing(place + 1), Ask::Read(one), now),
                        None => self.command(APPLY, now),
                    }
                }
            }
            Step::Commanding => self.has_commanded(now),
            Step::Watching => {
                self.flag_is(Flag::read(&value), now);
                if self.step == Step::Watching {
                    self.timer = Some(now + self.limits.poll);
                }
            }
            Step::VerifyingFlag => {
                self.keep(Characteristic::Flag, &value);
                match Flag::read(&value) {
                    Some(Flag::Provisioned) => {
                        self.operate(Step::Verifying(0), Ask::Read(Wanted::COMPARED[0]), now);
                    }
                    flag => self.fail(Failure::NotVerified { flag }, now),
                }
            }
            Step::Verifying(place) => {
                if let Some(next) = self.compare(place, &value, now) {
                    match next {
                        Some(one) => self.operate(Step::Verifying(place + 1), Ask::Read(one), now),
                        None => self.succeed(now),
                    }
                }
            }
            // The scan has begun; the others were answered before.
            _ => {}
        }
    }

    fn has_read(&mut self, place: usize, value: &[u8], now: Duration) {
        self.keep(READ[place], value);
        if let Some(next) = READ.get(place + 1) {
            self.operate(Step::Reading(place + 1), Ask::Read(*next), now);
        } else if matches!(self.order, Order::Provision(_)) {
            self.operate(Step::Subscribing, Ask::Subscribe, now);
        } else {
            self.operate(Step::ReadingFlag, Ask::Read(Characteristic::Flag), now);
        }
    }

    fn keep(&mut self, characteristic: Characteristic, value: &[u8]) {
        // A node may have the password as its name, say, which each update would carry.
        let value = match self.secret() {
            Some(secret) => secret.cut_from_bytes(value),
            None => value.to_vec(),
        };
        if let Some(configuration) = &mut self.configuration {
            configuration.set(characteristic, &value);
        }
    }

    fn write(&mut self, place: usize, now: Duration) {
        let Order::Provision(wanted) = &self.order else {
            return;
        };
        let characteristic = Wanted::WRITTEN[place];
        let value = wanted.value(characteristic);
        self.operate(Step::Writing(place), Ask::Write(characteristic, value), now);
    }

    /// Compares a value with what was written: returns the next one to read, if any; `None` when it differs.
    fn compare(&mut self, place: usize, value: &[u8], now: Duration) -> Option<Option<Characteristic>> {
        let Order::Provision(wanted) = &self.order else {
            return None;
        };
        let field = Wanted::COMPARED[place];
        if !wanted.matches(field, value) {
            let shown = |bytes: &[u8]| match field {
                Characteristic::Universe | Characteristic::Start => match <[u8; 2]>::try_from(bytes) {
                    Ok(bytes) => u16::from_le_bytes(bytes).to_string(),
                    Err(_) => format!("{bytes:02x?}"),
                },
                _ => Text::read(bytes).to_string(),
            };
            // In hexadecimal digits nobody would find it.
            let clean = |bytes: &[u8]| match wanted.password.cut_from_bytes(bytes) {
                cut if cut == bytes => shown(bytes),
                cut => Text::read(&cut).to_string(),
            };
            let expected = clean(wanted.value(field).bytes());
            let got = clean(value);
            self.fail(Failure::ReadBackDiffers(ReadBack { field, expected, got }), now);
            return None;
        }
        self.keep(field, value);
        Some(Wanted::COMPARED.get(place + 1).copied())
    }

    /// The command was acknowledged.
    fn has_commanded(&mut self, now: Duration) {
        if !matches!(self.order, Order::Provision(_)) {
            return self.succeed(now);
        }
        self.step = Step::Watching;
        self.limit = Some(now + self.limits.apply);
        if !self.is_subscribed {
            self.timer = Some(now + self.limits.poll);
        }
        // What came before the acknowledgement.
        self.flag_is(self.flag, now);
    }

    pub(super) fn notified(&mut self, value: &[u8], now: Duration) {
        match self.step {
            // The acknowledgement may follow.
            Step::Commanding => self.note(Flag::read(value)),
            Step::Watching => self.flag_is(Flag::read(value), now),
            _ => {}
        }
    }

    fn note(&mut self, flag: Option<Flag>) {
        self.has_tried_network |= matches!(flag, Some(Flag::Connecting | Flag::Connected));
        self.flag = flag.or(self.flag);
    }

    /// What the node says after the command.
    fn flag_is(&mut self, flag: Option<Flag>, now: Duration) {
        self.note(flag);
        if let Some(refusal) = self.refusal() {
            self.fail(refusal, now);
        } else if flag == Some(Flag::Provisioned) {
            self.enter(State::Verifying, now);
            self.timer = None;
            self.limit = Some(now + self.limits.verify);
            self.operate(Step::VerifyingFlag, Ask::Read(Characteristic::Flag), now);
        }
    }

    /// The failure of a node that reports an error after the command.
    pub(super) fn refusal(&self) -> Option<Failure> {
        let is_refused = self.state == State::Applying && self.flag == Some(Flag::Error);
        is_refused.then_some(Failure::NodeRefused {
            has_tried_network: self.has_tried_network,
        })
    }

    pub(super) fn timer_struck(&mut self, now: Duration) {
        match self.step {
            Step::Scanning => self.choose(self.limits.scan, now),
            Step::Pausing => self.connect(now),
            Step::Watching => self.ask(Ask::Read(Characteristic::Flag)),
            Step::Closing(_) => self.close_further(now),
            _ => {}
        }
    }

    pub(super) fn step_timed_out(&mut self, now: Duration) {
        let timed_out = |state, what, limit| Failure::TimedOut { state, what, limit };
        let (state, what) = (self.state, self.step.what());
        let limits = self.limits;
        match self.step {
            Step::Scanning if self.pending.is_some() => self.fail(timed_out(state, what, limits.scan), now),
            Step::Scanning => self.choose(limits.scan, now),
            // It goes on: BlueZ connects during a scan, too.
            Step::StoppingScan => self.connect(now),
            Step::Linking => {
                let text = format!(
                    "expected a link within {} s, got none",
                    limits.connect.as_secs_f64()
                );
                self.retry(Cause::new(CauseKind::Other, "", text), now);
            }
            Step::Aborting => self.pause(now),
            Step::Discovering => {
                let missing = self.missing();
                self.fail(
                    if self.found.1 {
                        Failure::NotOurService { missing }
                    } else {
                        timed_out(state, what, limits.services)
                    },
                    now,
                );
            }
            Step::Watching => self.fail(
                Failure::Silent {
                    flag: self.flag,
                    limit: limits.apply,
                },
                now,
            ),
            Step::VerifyingFlag | Step::Verifying(_) => self.fail(timed_out(state, what, limits.verify), now),
            Step::Closing(_) => self.end(now),
            _ => self.fail(timed_out(state, what, limits.operation), now),
        }
    }
}
