//! The sessions that are seen, beside our own.

use super::{SessionId, StartStop};
use crate::beats::{GhostTime, HostTime, Time, Timeline};
use std::collections::BTreeMap;

/// The sessions at most; messages of further ones are dropped.
pub const MAX_SESSIONS: usize = 256;
/// The time after which a session that we did not join is measured again, in us; each time twice as long, up to the last. It mostly
/// is gone by then, since its nodes join ours.
const AGAIN: std::ops::RangeInclusive<i64> = 2_000_000..=30_000_000;

/// A session of others.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) timeline: Timeline<GhostTime>,
    pub(super) start_stop: StartStop,
    /// When it is measured, in the order of which it is.
    due: HostTime,
    wait: i64,
}

/// The sessions by identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions(BTreeMap<SessionId, Known>);

impl Sessions {
    /// Takes what a node of a session says of it; an unknown one is to be measured now. `Err`: there is no room.
    pub(super) fn hear(
        &mut self,
        now: HostTime,
        session: SessionId,
        timeline: Timeline<GhostTime>,
        start_stop: Option<StartStop>,
    ) -> Result<(), ()> {
        if let Some(known) = self.0.get_mut(&session) {
            if timeline.beat_origin > known.timeline.beat_origin {
                known.timeline = timeline;
            }
            if let Some(start_stop) = start_stop.filter(|new| new.time > known.start_stop.time) {
                known.start_stop = start_stop;
            }
            return Ok(());
        }
        if self.0.len() >= MAX_SESSIONS {
            return Err(());
        }
        let known = Known {
            timeline,
            start_stop: start_stop.unwrap_or_default(),
            due: now,
            wait: *AGAIN.start(),
        };
        self.0.insert(session, known);
        Ok(())
    }

    /// The newest timeline of a session; `None`: it is not known.
    pub(super) fn timeline(&self, session: SessionId) -> Option<Timeline<GhostTime>> {
        self.0.get(&session).map(|known| known.timeline)
    }

    /// Remembers the session that we leave.
    pub(super) fn leave(&mut self, now: HostTime, session: SessionId, timeline: Timeline<GhostTime>) {
        if self.0.len() < MAX_SESSIONS {
            let known = Known {
                timeline,
                start_stop: StartStop::default(),
                due: now.saturating_add_micros(*AGAIN.start()),
                wait: *AGAIN.start(),
            };
            self.0.insert(session, known);
        }
    }

    /// The session that has waited longest for its measurement, of those that are due.
    pub(super) fn due(&self, now: HostTime) -> Option<SessionId> {
        let waiting = self.0.iter().filter(|(_, known)| known.due <= now);
        waiting
            .min_by_key(|(_, known)| known.due)
            .map(|(session, _)| *session)
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Option<HostTime> {
        self.0.values().map(|known| known.due).min()
    }

    /// A session was measured and not joined: it is measured again later.
    pub(super) fn postpone(&mut self, now: HostTime, session: SessionId) {
        if let Some(known) = self.0.get_mut(&session) {
            known.due = now.saturating_add_micros(known.wait);
            known.wait = (2 * known.wait).min(*AGAIN.end());
        }
    }

    pub(super) fn remove(&mut self, session: SessionId) -> Option<Known> {
        self.0.remove(&session)
    }

    /// Keeps the sessions that a rule finds.
    pub(super) fn retain(&mut self, is_kept: impl Fn(SessionId) -> bool) {
        self.0.retain(|session, _| is_kept(*session));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
