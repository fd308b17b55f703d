//! What callers and the job of a session share.

use super::outputs::Output;
use crate::job::Release;
use crate::lock::{Lock, locked, locked_surely};
use crate::session::Session;
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
    /// The number of the frame in the show, from 1, and that of times that a frame was rendered.
    pub(super) number: u64,
    pub(super) rendered: u64,
}

/// How a show ended; an error has its reason.
type Outcome = Result<(), String>;

/// The streams of a session's frames, and its end.
#[derive(Default)]
struct Listeners {
    sessions: Vec<Session>,
    outcome: Option<Outcome>,
}

/// The state that callers and the job share.
pub(super) struct Shared {
    changes: Mutex<Vec<Change>>,
    outputs: Mutex<Vec<Output>>,
    shown: Mutex<Shown>,
    listeners: Mutex<Listeners>,
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
                number: 0,
                rendered: 0,
            }),
            listeners: Mutex::default(),
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

    /// Shows a frame, the `number`th of the show, to callers and to the streams.
    pub(super) fn show(&self, frame: &[[u8; SLOTS]], number: u64, time_ns: u64, beats: f64) {
        self.with_shown(|shown| {
            shown.frame.copy_from_slice(frame);
            (shown.time_ns, shown.beats, shown.number) = (time_ns, beats, number);
            shown.rendered += 1;
        });
        self.wake();
    }

    /// Wakes a stream of frames for each one from now on, and at the end.
    pub(super) fn listen(&self, session: Session) {
        locked_surely(&self.listeners).sessions.push(session);
    }

    /// How the show ended, if it has.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        locked_surely(&self.listeners).outcome.clone()
    }

    /// Ends the streams of frames as the show ended.
    pub(super) fn end(&self, release: &Release) {
        locked_surely(&self.listeners).outcome = Some(match release {
            Release::Ended | Release::Cancelled => Ok(()),
            Release::Failed(reason) => Err(reason.clone()),
            Release::Panicked(message) => Err(format!("its show panicked: {message}")),
        });
        self.wake();
    }

    fn wake(&self) {
        let mut listeners = locked_surely(&self.listeners);
        listeners.sessions.retain(|session| !session.is_released());
        listeners.sessions.iter().for_each(Session::wake);
    }
}
