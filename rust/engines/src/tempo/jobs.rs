//! The jobs of a clock: one that follows the sources, and one for each session of reports.

use super::clock::{BeatReader, BeatReading, Change, Shared};
use super::records::{TempoReport, TempoReportKind};
use crate::job::{Job, PollContext, Release, Step};
use crate::link::HostClock;
use crate::listeners::Waiting;
use crate::lock::locked_surely;
use crate::outlet::Outlet;
use crate::turns::Turns;
use rustle_tempo::beats::{Beats, HostTime};
use std::sync::{Arc, Mutex};

/// The most reports of one poll.
const LARGEST_BATCH: u64 = 8_192;

/// Follows the session and looks for sources that have gone.
pub(super) struct FollowJob(pub(super) Arc<Shared>);

impl Job for FollowJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        match self.0.look() {
            Some(next) => Step::At(context.now() + HostClock::until(self.0.host.now(), next)),
            None => Step::Wait,
        }
    }

    fn release(self: Box<Self>, _: Release) {}
}

/// Delivers the state at the times of a rate, and each change.
pub(super) struct ReportsJob {
    pub(super) reader: BeatReader,
    pub(super) reading: BeatReading,
    pub(super) waiting: Arc<Mutex<Waiting<Change>>>,
    pub(super) outlet: Outlet<TempoReport>,
    pub(super) turns: Turns,
    pub(super) limit: u64,
    pub(super) sequence: u64,
    /// Whether the first state, which waits as a change does, is past.
    pub(super) has_begun: bool,
    /// The time of the last report.
    pub(super) last: HostTime,
    pub(super) changes: Vec<Change>,
    pub(super) reports: Vec<TempoReport>,
}

impl Job for ReportsJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        self.reports.clear();
        // What the session did comes before the states that have it.
        self.reader.0.look();
        let lost = locked_surely(&self.waiting).take(&mut self.changes);
        self.sequence = self.sequence.saturating_add(lost);
        // What the clock does is nothing of the session's beats.
        let is_session = self.reading == BeatReading::Session;
        let changes = self.changes.iter();
        for change in changes.filter(|change| !is_session || change.notice.kind.is_of_session()) {
            // A change that took its way while a state was delivered is not before it.
            self.last = self.last.max(change.host);
            self.reports.push(TempoReport {
                sequence: 0,
                kind: change.notice.kind,
                is_by_peer: change.notice.is_by_peer,
                shift: change.notice.shift,
                beat: change.beat_at(self.last, self.reading),
            });
        }
        let mut due = self.turns.take(now, LARGEST_BATCH).count();
        if due > 0 && !std::mem::replace(&mut self.has_begun, true) {
            due -= 1;
        }
        if due > 0 {
            // Nothing changes between two that are due together.
            self.last = self.last.max(self.reader.host_now());
            let state = TempoReport {
                sequence: 0,
                kind: TempoReportKind::State,
                is_by_peer: false,
                shift: Beats::ZERO,
                beat: self.reader.beat_at(self.last, self.reading),
            };
            self.reports.extend(std::iter::repeat_n(state, due));
        }
        let left = usize::try_from(self.limit.saturating_sub(self.sequence)).unwrap_or(usize::MAX);
        self.reports.truncate(left);
        for report in &mut self.reports {
            report.sequence = self.sequence;
            self.sequence += 1;
        }
        self.outlet.deliver(&self.reports, context);
        if self.sequence >= self.limit {
            return Step::End;
        }
        self.turns.next(now).map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}
