//! Events on their way out.

use std::collections::VecDeque;

/// The events that wait at most; the oldest is dropped for a newer one.
const CAPACITY: usize = 1_024;

/// What a player reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A cue started, by hand or because it followed.
    CueStarted {
        /// The cue before.
        from: Option<usize>,
        /// The cue.
        cue: usize,
        /// Its scene.
        scene: usize,
    },
    /// A scene started that is none of a cue.
    SceneStarted {
        /// The scene.
        scene: usize,
    },
    /// A scene is all that is on.
    FadeEnded {
        /// The scene.
        scene: usize,
    },
    /// There is no cue after, or before, the one that is on.
    CuesEnded,
    /// Fades and waits stopped, or went on.
    Paused(bool),
    /// Light went off, or came back.
    Blackout(bool),
}

/// A bounded queue: whoever does not take events loses the oldest, and their number is counted.
#[derive(Clone, Debug)]
pub(super) struct Events {
    waiting: VecDeque<Event>,
    dropped: u64,
}

impl Events {
    pub(super) fn new() -> Self {
        Self {
            waiting: VecDeque::with_capacity(CAPACITY),
            dropped: 0,
        }
    }

    pub(super) fn push(&mut self, event: Event) {
        if self.waiting.len() == CAPACITY {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(event);
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        self.waiting.pop_front()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}
