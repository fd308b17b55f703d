//! Sessions that wait for a feed: its source for room or for subscriptions, its servers for the end.

use super::FeedCore;
use crate::lock::locked_surely;
use crate::session::Session;
use std::sync::atomic::Ordering;

impl FeedCore {
    /// The source runs as this session, which is woken from now on when the combined subscriptions change.
    pub(in crate::feed) fn runs_as(&self, session: Session) {
        // What changed since its first poll has woken nobody.
        locked_surely(&self.state).source.insert(session).wake();
    }

    /// Wakes a session at the end, too.
    pub(in crate::feed) fn awaits_end(&self, session: Session) {
        let state = &mut *locked_surely(&self.state);
        state.awaiting.retain(|session| !session.is_released());
        state.awaiting.push(session.clone());
        if state.outcome.is_some() {
            session.wake();
        }
    }

    /// The number of trades that every lossless consumer has room for. Where it is 0, the source is woken once there is room.
    pub(in crate::feed) fn room_or_wake(&self) -> usize {
        let room = self.room();
        if room > 0 {
            return room;
        }
        self.awaits_room.store(true, Ordering::SeqCst);
        // A consumer that was drained before has not seen that it is awaited.
        let room = self.room();
        if room > 0 {
            self.awaits_room.store(false, Ordering::SeqCst);
        }
        room
    }

    /// Whether the source waits for room.
    pub(in crate::feed) fn awaits_room(&self) -> bool {
        self.awaits_room.load(Ordering::SeqCst)
    }

    /// Wakes a source that waits for room, when there may be some.
    pub(in crate::feed) fn has_room(&self) {
        if self.awaits_room.swap(false, Ordering::SeqCst) {
            let source = locked_surely(&self.state).source.clone();
            source.iter().for_each(Session::wake);
        }
    }

    /// The number of trades that every lossless consumer has room for.
    pub(in crate::feed) fn room(&self) -> usize {
        let state = self.state();
        let rooms = state.consumers.iter().map(|consumer| consumer.intake.room());
        rooms.min().unwrap_or(usize::MAX)
    }
}
