//! What callers and the job of a session share.

use super::outputs::Output;
use crate::lock::{Lock, locked};
use crate::tempo::BeatReader;
use rustle_lighting::SLOTS;
use rustle_shows::ReadyScene;
use rustle_shows::player::Input;
use std::sync::Mutex;

/// The most outputs of a session.
pub const SHOW_OUTPUTS: usize = 64;

/// What waits for the job's next poll.
pub(super) enum Change {
    Input(Input),
    /// A tempo from the coming frame on.
    Tempo(f64),
    /// The beats of a clock from the coming frame on.
    Clock(BeatReader),
    /// Another scene at a place of the show.
    Scene(usize, Box<ReadyScene>),
}

/// The slots of the last frame, and the beats by which the next one is rendered.
pub(super) struct Shown {
    /// By universe, in the order of the rig's.
    pub(super) frame: Vec<[u8; SLOTS]>,
    pub(super) time_ns: u64,
    pub(super) beats: f64,
}

/// The state that callers and the job share.
pub(super) struct Shared {
    changes: Mutex<Vec<Change>>,
    outputs: Mutex<Vec<Output>>,
    shown: Mutex<Shown>,
}

/// The most changes that wait. An input wakes the job, so that few do unless its worker is held up.
const MOST_CHANGES: usize = 65_536;

impl Shared {
    pub(super) fn new(frame: Vec<[u8; SLOTS]>) -> Self {
        Self {
            changes: Mutex::default(),
            outputs: Mutex::default(),
            shown: Mutex::new(Shown {
                frame,
                time_ns: 0,
                beats: 0.0,
            }),
        }
    }

    /// Leaves a change for the next poll; false: as many as there can be wait.
    pub(super) fn change(&self, change: Change) -> bool {
        let mut changes = locked(&self.changes, Lock::ShowChanges);
        let has_room = changes.len() < MOST_CHANGES;
        if has_room {
            changes.push(change);
        }
        has_room
    }

    /// Takes the changes that wait.
    pub(super) fn take_changes(&self, room: &mut Vec<Change>) {
        room.clear();
        std::mem::swap(&mut *locked(&self.changes, Lock::ShowChanges), room);
    }

    /// Adds an output, unless its sender is there already; false: there are as many as there can be.
    pub(super) fn attach(&self, output: Output) -> bool {
        let mut outputs = locked(&self.outputs, Lock::ShowOutputs);
        outputs.retain(|each| each.sender().is_live());
        if outputs.iter().any(|each| each.sender().is(output.sender())) {
            return true;
        }
        let has_room = outputs.len() < SHOW_OUTPUTS;
        if has_room {
            outputs.push(output);
        }
        has_room
    }

    /// Works on the outputs.
    pub(super) fn with_outputs<R>(&self, work: impl FnOnce(&mut Vec<Output>) -> R) -> R {
        work(&mut locked(&self.outputs, Lock::ShowOutputs))
    }

    /// Works on the last frame.
    pub(super) fn with_shown<R>(&self, work: impl FnOnce(&mut Shown) -> R) -> R {
        work(&mut locked(&self.shown, Lock::ShowFrame))
    }
}
