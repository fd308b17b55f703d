//! The loop that maps a rig: which fixtures are to be lit follows from the frames that came so far. It finds out how late the camera
//! and the network are, runs its schedule, and lights what was not found once more, without the others.

mod delay;

use std::collections::VecDeque;

use crate::decode::{Decoder, Mapping, check_room};
use crate::frames::Frame;
use crate::schedule::{Schedule, ScheduleError, State};
pub use delay::Delay;
use delay::Measure;

/// How fixtures are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the bits of their ids.
    Coded,
    /// By those and by check bits.
    Checked,
    /// One after the other.
    Sequential,
}

impl Method {
    /// The schedule of so many fixtures.
    ///
    /// # Errors
    /// As [`Schedule::standard`].
    pub fn schedule(self, count: usize, hold: usize) -> Result<Schedule, ScheduleError> {
        match self {
            Self::Coded => Schedule::standard(count, hold),
            Self::Checked => Schedule::checked(count, hold),
            Self::Sequential => Schedule::sequential(count, hold),
        }
    }
}

/// What a loop is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All fixtures without a place are lit and dark in turns, to find out how late the frames are.
    Delay,
    /// The schedule runs.
    Schedule,
    /// What was not found is lit once more.
    Again,
    /// It is over: what was lit before is lit again.
    Done,
}

/// How far a loop is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// The part of the phase that is over, 0 to 1.
    pub part: f32,
    /// The frames so far.
    pub frames: u64,
    /// Frames that are missing between those, by their times; one that is only late is not, once the next ones have come. Those that
    /// were left out, of another size or without memory for them, are too.
    pub dropped: u64,
    /// How late frames are; none before it is known, or where no light was seen.
    pub delay: Option<Delay>,
    /// The fixtures that were found so far.
    pub found: usize,
}

/// Frames before a state that are decoded too, since a delay may change.
pub(crate) const EARLY: usize = 2;

/// Frames that come in a burst, within fewer ns, do not say how far apart a camera's are.
const BURST_NS: u64 = 2_000_000;

/// The frames of a camera that are missing, by the times of the others.
#[derive(Clone, Debug, Default)]
struct Losses {
    last_ns: Option<u64>,
    /// The last times between frames.
    intervals: VecDeque<u64>,
    /// How late the last frame was, in ns: what a late one adds, an early one takes away.
    late_ns: f64,
    /// Less than 0 while early frames were not late before.
    count: i64,
}

impl Losses {
    /// The intervals of which the median is that of the camera.
    const INTERVALS: usize = 15;
    /// The part of the lateness that is kept from frame to frame, since the median is not quite the mean.
    const KEPT: f64 = 0.875;

    fn take(&mut self, time_ns: u64) {
        let Some(last) = self.last_ns.replace(time_ns) else {
            return;
        };
        let since = time_ns.saturating_sub(last);
        if since > BURST_NS {
            if self.intervals.len() == Self::INTERVALS {
                self.intervals.pop_front();
            }
            self.intervals.push_back(since);
        }
        let mut sorted: Vec<u64> = self.intervals.iter().copied().collect();
        sorted.sort_unstable();
        let Some(median) = sorted.get(sorted.len() / 2) else {
            return;
        };
        let interval = *median as f64;
        let time = self.late_ns + since as f64;
        let passed = (time / interval).round().max(0.0);
        self.late_ns = Self::KEPT * (time - passed * interval);
        self.count += passed as i64 - 1;
    }
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Live {
    /// That of the fixtures without a place.
    schedule: Schedule,
    /// Whether some fixtures had places before: theirs is the size of the picture.
    is_known: bool,
    phase: Phase,
    measure: Measure,
    run: Option<Run>,
    mapping: Mapping,
    again: bool,
    frames: u64,
    losses: Losses,
    /// The frames of the schedules before this one that there was no memory for.
    left_out: u64,
}

/// A schedule that runs.
#[derive(Clone, Debug)]
struct Run {
    decoder: Decoder,
    /// The fixtures of its ids.
    ids: Vec<u32>,
    frame: usize,
    late: usize,
    /// The frames before the schedule that are decoded too.
    early: usize,
    /// The frames of the camera that were missing when it began.
    lost: i64,
}

/// Whether frames are taken for those of a schedule by their number alone: one that is missing makes all later ones others.
fn is_numbered(schedule: &Schedule) -> bool {
    schedule.is_sequential() || schedule.listed_frames().is_some() || schedule.hold() == 1
}

impl Run {
    fn new(schedule: Schedule, ids: Vec<u32>, late: usize, lost: i64) -> Self {
        // One after the other, and where each frame's state is listed, frames are distinguished by their number alone.
        let early = if schedule.is_sequential() || schedule.listed_frames().is_some() {
            0
        } else {
            EARLY.min(late)
        };
        Self {
            decoder: Decoder::beginning_after(schedule, early),
            early,
            ids,
            frame: 0,
            late,
            lost,
        }
    }

    fn length(&self) -> usize {
        self.decoder.schedule().frames() + self.late
    }

    /// Takes a frame; whether it was the last.
    fn take(&mut self, frame: Frame) -> bool {
        self.frame += 1;
        if self.frame + self.early > self.late {
            self.decoder.push(frame);
        }
        self.frame >= self.length()
    }

    fn state(&self) -> &State {
        let schedule = self.decoder.schedule();
        let states = schedule.states();
        let state = match schedule.listed_frames() {
            Some(listed) => listed
                .get(self.frame)
                .or(listed.last())
                .copied()
                .unwrap_or_default(),
            None => self.frame / schedule.hold(),
        };
        &states[state.min(states.len() - 1)]
    }
}

impl Live {
    /// A loop before its first frame. With `again`, what was not found is lit once more.
    ///
    /// # Errors
    /// As [`Schedule::standard`].
    pub fn new(method: Method, count: usize, hold: usize, again: bool) -> Result<Self, ScheduleError> {
        Ok(Self::of(method.schedule(count, hold)?, again))
    }

    /// A loop that runs a schedule, before its first frame. With `again`, what was not found is lit once more.
    pub fn of(schedule: Schedule, again: bool) -> Self {
        Self {
            mapping: Mapping::empty(schedule.count(), (0, 0)),
            schedule,
            is_known: false,
            phase: Phase::Delay,
            measure: Measure::default(),
            run: None,
            again,
            frames: 0,
            losses: Losses::default(),
            left_out: 0,
        }
    }

    /// Keeps the places of a mapping of as many fixtures: only those that have none are lit, by a schedule of their own. Where each has
    /// one, it is over with the first frame. Frames are to have the mapping's size.
    ///
    /// # Errors
    /// As [`Schedule::standard`].
    pub fn keep(&mut self, known: Mapping, method: Method) -> Result<(), ScheduleError> {
        let missing = known.fixtures.iter().filter(|found| found.place.is_err()).count();
        self.schedule = method.schedule(missing.max(1), self.schedule.hold())?;
        self.measure = Measure::of_fixtures(missing);
        (self.is_known, self.mapping) = (known.found() > 0, known);
        Ok(())
    }

    /// The schedule of the fixtures without a place.
    pub(crate) fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The fixtures without a place.
    fn missing(&self) -> Vec<u32> {
        let missing = self.mapping.fixtures.iter().filter(|found| found.place.is_err());
        missing.map(|found| found.id).collect()
    }

    /// Whether a fixture is to be lit now; none once it is over, when what was lit before is.
    pub fn lights(&self, id: u32) -> Option<bool> {
        match self.phase {
            Phase::Delay => {
                let found = self.mapping.fixtures.get(id as usize);
                Some(self.measure.is_lit() && found.is_some_and(|found| found.place.is_err()))
            }
            Phase::Done => None,
            Phase::Schedule | Phase::Again => {
                let run = self.run.as_ref()?;
                let index = run.ids.binary_search(&id).ok();
                Some(index.is_some_and(|index| run.state().lights(index as u32)))
            }
        }
    }

    /// Takes a frame that came at a time in ns; one of another size than the first, or than known places, is counted and left out. What is
    /// to be lit may be another afterwards.
    pub fn frame(&mut self, frame: Frame, time_ns: u64) {
        if self.phase == Phase::Done {
            return;
        }
        self.frames += 1;
        self.losses.take(time_ns);
        let size = (frame.width, frame.height);
        if self.frames == 1 && !self.is_known {
            (self.mapping.width, self.mapping.height) = size;
        }
        if size != (self.mapping.width, self.mapping.height) {
            self.left_out += 1;
            return;
        }
        match self.phase {
            Phase::Delay => {
                let missing = self.missing();
                if missing.is_empty() {
                    self.phase = Phase::Done;
                } else if self.measure.take(frame) {
                    match self.measure.delay() {
                        Some(delay) => {
                            let late = delay.frames as usize;
                            self.run =
                                Some(Run::new(self.schedule.clone(), missing, late, self.losses.count));
                            self.phase = Phase::Schedule;
                        }
                        None => self.phase = Phase::Done,
                    }
                }
            }
            Phase::Schedule | Phase::Again => {
                let is_over = self.run.as_mut().is_none_or(|run| run.take(frame));
                if is_over {
                    self.evaluate();
                }
            }
            Phase::Done => {}
        }
    }

    /// The schedule that ran is decoded, and the next one begins.
    fn evaluate(&mut self) {
        let Some(run) = self.run.take() else { return };
        let mut found = run.decoder.mapping();
        self.left_out += run.decoder.left_out();
        if is_numbered(run.decoder.schedule()) && self.losses.count > run.lost {
            found.be_unsure();
        }
        for (found, id) in found.fixtures.into_iter().zip(&run.ids) {
            let known = &mut self.mapping.fixtures[*id as usize];
            if known.place.is_err() && (found.place.is_ok() || self.phase == Phase::Schedule) {
                *known = crate::decode::Found { id: *id, ..found };
            }
        }
        let missing = self.missing();
        let is_first = self.phase == Phase::Schedule;
        self.phase = Phase::Done;
        if is_first && self.again && !missing.is_empty() {
            let method = if self.schedule.is_sequential() {
                Method::Sequential
            } else {
                Method::Checked
            };
            // Check bits take more frames, for which there may be no room.
            let size = (self.mapping.width, self.mapping.height);
            let schedules =
                [method, Method::Coded].map(|each| each.schedule(missing.len(), self.schedule.hold()));
            let mut schedules = schedules.into_iter().flatten();
            if let Some(schedule) = schedules.find(|each| check_room(each, EARLY, size).is_ok()) {
                self.run = Some(Run::new(schedule, missing, run.late, self.losses.count));
                self.phase = Phase::Again;
            }
        }
    }

    /// Takes the end of the camera: what was found while the rest is lit once more is known as far as that came. Before, nothing is.
    pub fn end(&mut self) {
        if self.phase == Phase::Again {
            self.evaluate();
        }
    }

    /// Ends it: what was lit before is to be lit again. What was found stays.
    pub fn cancel(&mut self) {
        self.phase = Phase::Done;
        self.run = None;
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let part = match (&self.run, self.phase) {
            (_, Phase::Delay) => self.measure.part(),
            (Some(run), _) => run.frame as f32 / run.length().max(1) as f32,
            (None, _) => 1.0,
        };
        let left_out = self.left_out + self.run.as_ref().map_or(0, |run| run.decoder.left_out());
        Progress {
            phase: self.phase,
            part,
            frames: self.frames,
            dropped: self.losses.count.max(0) as u64 + left_out,
            delay: self.measure.delay(),
            found: self.mapping.found(),
        }
    }

    /// The places that are known so far, of all fixtures.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }
}
