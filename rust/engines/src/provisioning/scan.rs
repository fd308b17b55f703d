//! Scans.

use super::bus::BusRadio;
use super::records::NodeSighting;
use super::source::Source;
use crate::clock::Clock;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use rustle_provisioning::{Ask, Event, Failure, NodeList, Request, State};
use std::sync::Arc;
use std::time::Duration;

/// Between two tries to scan again, after the service or the adapter went.
const PAUSE: Duration = Duration::from_secs(1);

/// The time in which a scan begins, or says why it does not: a program may have to ask its user before.
const ANSWER: Duration = Duration::from_secs(5);

/// A session of a scan.
pub(super) struct ScanJob {
    pub(super) source: Source,
    pub(super) adapter: String,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) outlet: Outlet<NodeSighting>,
    pub(super) limit: u64,
    list: NodeList,
    records: Vec<NodeSighting>,
    sequence: u64,
    is_watched: bool,
    /// Whether it has worked: then what ends it may come back.
    has_scanned: bool,
    /// When it begins, or begins again.
    begins: Option<Duration>,
    /// The number of the last request.
    token: u32,
    /// When that is to be answered, until it is.
    answer_due: Option<Duration>,
}

impl ScanJob {
    pub(super) fn new(
        source: Source,
        adapter: &str,
        clock: Arc<dyn Clock>,
        outlet: Outlet<NodeSighting>,
        limit: u64,
    ) -> Self {
        Self {
            source,
            adapter: adapter.to_owned(),
            clock,
            outlet,
            limit,
            list: NodeList::new(),
            records: Vec::new(),
            sequence: 0,
            is_watched: false,
            has_scanned: false,
            begins: Some(Duration::ZERO),
            token: 0,
            answer_due: None,
        }
    }

    /// Begins when it is time.
    fn begin(&mut self, now: Duration) {
        if self.begins.is_none_or(|begins| now < begins) {
            return;
        }
        if self.source.is_closed() {
            let Ok(radio) = BusRadio::open(&self.adapter, &self.clock) else {
                self.begins = Some(now + PAUSE);
                return;
            };
            self.source = Source::Bus(Box::new(radio));
            self.is_watched = false;
        }
        self.begins = None;
        self.token += 1;
        self.answer_due = (!self.source.is_program()).then_some(now + ANSWER);
        let (token, ask) = (self.token, Ask::Scan);
        self.source.radio().ask(Request { token, ask }, now);
    }

    /// Takes an event.
    ///
    /// # Errors
    /// The scan cannot work.
    fn take(&mut self, event: Event, now: Duration, time_ns: i64) -> Result<(), Failure> {
        match event {
            Event::Seen(seen) => {
                if let Some((change, place)) = self.list.see(&seen, now)
                    && let Some(node) = self.list.node(place)
                {
                    self.records.push(NodeSighting::new(change, place, node, time_ns));
                }
            }
            // Of a request that is void.
            Event::Answer { token, .. } if token != self.token => {}
            Event::Answer { result: Ok(_), .. } => (self.has_scanned, self.answer_due) = (true, None),
            Event::Answer {
                result: Err(cause), ..
            }
            | Event::Lost(cause) => return self.interrupted(Failure::of_scan(cause), now),
            Event::Found { .. } | Event::Notified(_) | Event::Disconnected => {}
        }
        Ok(())
    }

    /// Begins again later, if it has worked before.
    ///
    /// # Errors
    /// The failure: the scan cannot work.
    fn interrupted(&mut self, failure: Failure, now: Duration) -> Result<(), Failure> {
        self.answer_due = None;
        if !self.has_scanned {
            return Err(failure);
        }
        tracing::warn!(%failure, "the scan for nodes was interrupted");
        self.begins = Some(now + PAUSE);
        Ok(())
    }

    /// Fails where it was not answered by now.
    fn check_answer(&mut self, now: Duration) -> Result<(), Failure> {
        if self.answer_due.is_none_or(|due| now < due) {
            return Ok(());
        }
        let (state, what, limit) = (State::Scanning, "the scan", ANSWER);
        self.interrupted(Failure::TimedOut { state, what, limit }, now)
    }

    fn deliver(&mut self, context: &PollContext<'_>) -> bool {
        let left = usize::try_from(self.limit - self.sequence).unwrap_or(usize::MAX);
        self.records.truncate(left);
        for record in &mut self.records {
            record.sequence = self.sequence;
            self.sequence += 1;
        }
        self.outlet.deliver(&self.records, context);
        self.records.clear();
        self.sequence < self.limit
    }
}

/// The name of a scan's failure, with which its text begins: what has to change depends on it.
fn name(failure: &Failure) -> &'static str {
    match failure {
        Failure::NoBluetooth(_) => "noBluetooth",
        Failure::NoAdapter(_) => "noAdapter",
        Failure::AdapterOff(_) => "adapterOff",
        Failure::NotAuthorized(_) => "notAuthorized",
        Failure::TimedOut { .. } => "timedOut",
        _ => "failed",
    }
}

impl Job for ScanJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = Duration::from_nanos(context.now());
        let time_ns = context.wall_ms().saturating_mul(1_000_000);
        self.begin(now);
        if !self.is_watched {
            self.is_watched = true;
            self.source.watch(context);
        }
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Some(event) = self.source.radio().next_event(now)
        {
            outcome = self.take(event, now, time_ns);
        }
        if let Err(failure) = outcome.and_then(|()| self.check_answer(now)) {
            return Step::Fail(format!("{}: {failure}", name(&failure)));
        }
        while let Some((place, node)) = self.list.take_gone(now) {
            let gone = rustle_provisioning::NodeChange::Gone;
            self.records.push(NodeSighting::new(gone, place, &node, time_ns));
        }
        if !self.deliver(context) {
            return Step::End;
        }
        let due = self.source.radio().due();
        let next = [self.list.deadline(), self.begins, self.answer_due, due]
            .into_iter()
            .flatten()
            .min();
        next.map_or(Step::Wait, |next| {
            Step::At(u64::try_from(next.as_nanos()).unwrap_or(u64::MAX))
        })
    }

    fn release(self: Box<Self>, release: Release) {
        // The connection to the bus ends here, and with it the scan: BlueZ keeps one for each client.
        drop(self.source);
        self.outlet.release(release);
    }
}
