//! The frames of a show as a stream of levels.

use super::shared::Shared;
use crate::dmx::DmxProtocol;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::Outlet;
use crate::session::Session;
use rustle_lighting::SLOTS;
use rustle_shows::fixture::RigUniverse;
use rustle_shows::slots::SlotMap;
use std::sync::{Arc, Mutex};

/// The levels of a universe in a frame of a show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShowLevels {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The number of the frame in the show, from 1; one that an input renders anew has its number again.
    pub frame: u64,
    /// The time of the frame in ns since the show's start.
    pub time_ns: u64,
    /// The beats at the frame.
    pub beats: f64,
    /// The protocol.
    pub protocol: DmxProtocol,
    /// The universe of sACN, or the Port-Address.
    pub universe: u16,
    /// The universe's place among those of the rig: first those of sACN, then the Port-Addresses, each in ascending order.
    pub place: u32,
    /// The levels.
    pub levels: [u8; SLOTS],
}

impl Record for ShowLevels {
    fn key(&self) -> u32 {
        self.place
    }
}

/// The session of an engine that was started last and goes on, and the streams that wait for one.
#[derive(Default)]
pub(super) struct Playing {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shared: Option<Arc<Shared>>,
    waiting: Vec<Session>,
}

impl Playing {
    /// Shows a session to the streams, unless it has ended already.
    pub(super) fn begin(&self, shared: &Arc<Shared>) {
        let mut state = locked_surely(&self.state);
        if shared.outcome().is_none() {
            state.shared = Some(shared.clone());
            state.waiting.drain(..).for_each(|session| session.wake());
        }
    }

    /// Forgets a session that has ended.
    pub(super) fn end(&self, shared: &Arc<Shared>) {
        let mut state = locked_surely(&self.state);
        if state
            .shared
            .as_ref()
            .is_some_and(|playing| Arc::ptr_eq(playing, shared))
        {
            state.shared = None;
        }
    }

    /// The session whose frames a stream has, which wakes it from now on; `None`: it is woken when there is one.
    fn join(&self, session: &Session) -> Option<Arc<Shared>> {
        let mut state = locked(&self.state, Lock::ShowFrame);
        if let Some(shared) = &state.shared {
            shared.listen(session.clone());
            return Some(shared.clone());
        }
        state
            .waiting
            .retain(|each| !each.is_released() && each.key() != session.key());
        state.waiting.push(session.clone());
        None
    }
}

/// Hands on to its session each frame of a show.
pub(super) struct FramesJob {
    playing: Arc<Playing>,
    outlet: Outlet<ShowLevels>,
    shared: Option<Arc<Shared>>,
    /// The number of the last frame that was handed on; see [`Shown`](super::shared::Shown).
    rendered: u64,
    sequence: u64,
    /// The levels of a frame.
    records: Vec<ShowLevels>,
}

impl FramesJob {
    pub(super) fn new(playing: Arc<Playing>, map: &SlotMap, outlet: Outlet<ShowLevels>) -> Self {
        let universes = map.universes().iter().zip(0..);
        let records = universes.map(|(universe, place)| {
            let (protocol, universe) = match universe {
                RigUniverse::Sacn(universe) => (DmxProtocol::Sacn, universe.get()),
                RigUniverse::ArtNet(address) => (DmxProtocol::ArtNet, address.get()),
            };
            ShowLevels {
                sequence: 0,
                frame: 0,
                time_ns: 0,
                beats: 0.0,
                protocol,
                universe,
                place,
                levels: [0; SLOTS],
            }
        });
        Self {
            playing,
            outlet,
            shared: None,
            rendered: 0,
            sequence: 0,
            records: records.collect(),
        }
    }
}

impl Job for FramesJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if self.shared.is_none() {
            self.shared = self.playing.join(context.session);
        }
        let Some(shared) = &self.shared else {
            return Step::Wait;
        };
        // Before the frame is read: the last one is handed on before the end.
        let outcome = shared.outcome();
        let is_new = shared.with_shown(|shown| {
            let is_new = shown.rendered != self.rendered;
            if is_new {
                self.rendered = shown.rendered;
                for (record, levels) in self.records.iter_mut().zip(&shown.frame) {
                    record.sequence = self.sequence;
                    self.sequence += 1;
                    record.frame = shown.number;
                    (record.time_ns, record.beats) = (shown.time_ns, shown.beats);
                    record.levels = *levels;
                }
            }
            is_new
        });
        if is_new {
            self.outlet.deliver(&self.records, context);
        }
        match outcome {
            None => Step::Wait,
            Some(Ok(())) => Step::End,
            Some(Err(reason)) => Step::Fail(reason),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}
