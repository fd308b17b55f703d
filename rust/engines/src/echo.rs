//! The echo, the example of an engine: its sessions repeat a number at even intervals, and a call replaces it.

use crate::clock::Nanoseconds;
use crate::engine::{Sessions, StartError};
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use crate::ticker::RATE_RANGE;
use crate::turns::{Paced, Turns};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A repetition of a number by a session of an echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// The repeated number.
    pub number: u64,
    /// The value's own number in the session: 0, 1, 2 …
    pub sequence: u64,
}

impl Record for Echo {}

/// An echo with any number of sessions. Dropping it cancels them.
pub struct EchoEngine {
    /// The started sessions.
    pub sessions: Sessions,
    turns: Turns,
    delay: Nanoseconds,
    said: Arc<AtomicU64>,
}

impl EchoEngine {
    /// An engine on a runtime of the caller's, whose sessions repeat `number`, the first time at once, then `rate` times a
    /// second. They end after `limit` values, if there is one. `None`: the rate is not within [`RATE_RANGE`].
    pub fn on(
        runtime: Arc<Runtime>,
        rate: f64,
        limit: Option<u64>,
        number: u64,
        delay: Nanoseconds,
    ) -> Option<Self> {
        RATE_RANGE.contains(&rate).then(|| Self {
            sessions: Sessions::new(runtime),
            turns: Turns::new(1, rate, limit),
            delay,
            said: Arc::new(AtomicU64::new(number)),
        })
    }

    /// Starts a session.
    ///
    /// # Errors
    /// [`StartError`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<Echo>) -> Result<LaneSession<Echo>, StartError> {
        self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(EchoJob {
                paced: Paced::new(self.turns.clone(), outlet),
                delay: self.delay,
                said: self.said.clone(),
                number: self.said.load(Ordering::Acquire),
                next: None,
            })
        })
    }

    /// Replaces the number that the sessions repeat: after the delay for running ones, at once for later ones. A call within the
    /// delay of an earlier one replaces it.
    ///
    /// # Errors
    /// [`StartError::Runtime`] in a fork.
    pub fn say(&self, number: u64) -> Result<(), StartError> {
        self.sessions.check_process()?;
        self.said.store(number, Ordering::Release);
        self.sessions.wake();
        Ok(())
    }
}

/// A session of an echo.
struct EchoJob {
    paced: Paced<Echo>,
    delay: Nanoseconds,
    said: Arc<AtomicU64>,
    number: u64,
    /// The time at which a pending number replaces `number`.
    next: Option<Nanoseconds>,
}

impl Job for EchoJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let said = self.said.load(Ordering::Acquire);
        if said == self.number {
            self.next = None;
        } else {
            let next = *self.next.get_or_insert(context.now().saturating_add(self.delay));
            if next <= context.now() {
                (self.number, self.next) = (said, None);
            }
        }
        let number = self.number;
        self.paced
            .poll(context, |sequence, _| Some(Echo { number, sequence }))
    }

    fn release(self: Box<Self>, release: Release) {
        self.paced.release(release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::NoBell;
    use crate::ring::Overflow;
    use std::time::Duration;

    #[test]
    fn number_is_repeated_after_the_delay_of_its_call_though_no_value_was_due_at_the_call() {
        let runtime = Arc::new(Runtime::manual(0));
        let (delay, second) = (1_500_000_000, Duration::from_secs(1));
        let echo = EchoEngine::on(runtime.clone(), 1.0, Some(4), 7, delay).expect("a valid rate");
        let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
        let session = echo.start(delivery).expect("started");
        runtime.advance(second / 4);
        echo.say(8).expect("no fork");
        runtime.advance(second / 4);
        echo.say(9).expect("no fork");
        runtime.advance(second * 4);
        let mut values = Vec::new();
        session.drain(8, |echo, _| values.push((echo.sequence, echo.number)));
        // At 0, 1, 2 and 3 seconds: 9 takes the place of 8, which was due after 1.75.
        assert_eq!(values, [(0, 7), (1, 7), (2, 9), (3, 9)]);
    }
}
