//! A session of a show as a job of the runtime.

use super::beats::Beats;
use super::clock::ShowClock;
use super::frames::Playing;
use super::records::{ShowReport, ShowReportKind};
use super::shared::{Change, Shared};
use crate::clock::Nanoseconds;
use crate::dmx::Frames;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::Outlet;
use crate::turns::Turns;
use rustle_lighting::SLOTS;
use rustle_shows::Moment;
use rustle_shows::player::{Event, Input, Player};
use rustle_shows::slots::SlotMap;
use std::sync::Arc;

/// The most reports of one poll.
const LARGEST_BATCH: u64 = 8_192;

/// Renders the frames of a show.
pub(super) struct ShowJob {
    pub(super) shared: Arc<Shared>,
    /// The streams of the engine's frames.
    pub(super) playing: Arc<Playing>,
    pub(super) player: Player,
    pub(super) map: Arc<SlotMap>,
    /// The frame that is rendered, and the one before it.
    pub(super) frame: Vec<[u8; SLOTS]>,
    pub(super) before: Vec<[u8; SLOTS]>,
    /// The frames without an output.
    pub(super) own_frames: Frames,
    pub(super) bpm: f64,
    /// What is on from the first frame on.
    pub(super) first: Option<Input>,
    pub(super) outlet: Outlet<ShowReport>,
    pub(super) turns: Turns,
    pub(super) limit: u64,
    pub(super) course: Course,
}

/// How far a session is.
#[derive(Default)]
pub(super) struct Course {
    /// The first frame, and the beats from there on.
    begun: Option<(Nanoseconds, Beats)>,
    /// The show's time at that frame: that of senders that count their frames from a time of the calendar.
    elapsed: Nanoseconds,
    /// The clock whose beats these are.
    clock: Option<ShowClock>,
    /// The frame that was rendered last, by the time at which it is sent.
    shown: Option<Nanoseconds>,
    sequence: u64,
    frames: u64,
    skipped: u64,
    changes: Vec<Change>,
    pub(super) reports: Vec<ShowReport>,
}

impl Course {
    pub(super) fn new(clock: Option<ShowClock>) -> Self {
        Self {
            clock,
            ..Self::default()
        }
    }

    /// The show's time.
    fn time_ns(&self, time: Nanoseconds) -> Nanoseconds {
        let start = self.begun.map_or(time, |(start, _)| start);
        time.saturating_sub(start).saturating_add(self.elapsed)
    }

    /// The moment of a frame; none past three thousand years of beats.
    fn moment(&self, beats: &Beats, time: Nanoseconds) -> Option<Moment> {
        Moment::new(beats.at(time), self.time_ns(time) as f64 / 1e9).ok()
    }
}

impl Job for ShowJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        let frames = self.frames();
        // The first frame has time to be rendered before it is sent.
        let start = match self.course.begun {
            Some((start, _)) => start,
            None => self.begin(frames.from(now.saturating_add(frames.lead())), frames),
        };
        // Frames of another sender may be earlier: none is before the one that was rendered.
        let shown = self.course.shown.unwrap_or(start);
        let coming = frames.from(now).max(start).max(shown);
        self.course.reports.clear();
        if now.saturating_add(frames.lead()) >= coming {
            self.shared.take_changes(&mut self.course.changes);
            if self.course.shown < Some(coming) || !self.course.changes.is_empty() {
                self.render(coming, frames);
            }
        }
        self.report_state(now, context);
        let left = usize::try_from(self.limit - self.course.sequence).unwrap_or(usize::MAX);
        self.course.reports.truncate(left);
        for report in &mut self.course.reports {
            report.sequence = self.course.sequence;
            self.course.sequence += 1;
        }
        self.outlet.deliver(&self.course.reports, context);
        if self.course.sequence >= self.limit {
            return Step::End;
        }
        let next = match self.course.shown {
            // The end of time has one frame only.
            Some(shown) if shown >= coming => {
                Some(frames.from(coming.saturating_add(1))).filter(|next| *next > coming)
            }
            _ => Some(coming),
        };
        let frame = next.map(|next| next.saturating_sub(frames.lead()));
        let wakes = self.turns.next(now).into_iter().chain(frame);
        wakes.min().map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, release: Release) {
        self.shared.end(&release);
        self.playing.end(&self.shared);
        self.outlet.release(release);
    }
}

impl ShowJob {
    /// The frames of the first output that takes any.
    fn frames(&self) -> Frames {
        self.shared.with_outputs(|outputs| {
            outputs.retain(|output| output.sender().is_live());
            outputs
                .first()
                .map_or(self.own_frames, |output| output.sender().frames())
        })
    }

    /// Begins the show's time, and its beats. A show that began on other machines is joined: what has followed by itself since then is
    /// over.
    pub(super) fn begin(&mut self, start: Nanoseconds, frames: Frames) -> Nanoseconds {
        let elapsed = frames.elapsed.map_or(0, |first| {
            first.saturating_add(start.saturating_sub(frames.start))
        });
        let of_clock = self.course.clock.as_mut().and_then(|clock| clock.beats(start));
        // The configuration's tempo is within its range.
        let own = || Beats::new(Beats::passed(elapsed, self.bpm), start, self.bpm);
        let beats = of_clock.or_else(own).unwrap_or(Beats::STILL);
        (self.course.begun, self.course.elapsed) = (Some((start, beats)), elapsed);
        // Not with the first frame that is rendered, which may be a later one.
        let beginning = beats.at(start) - Beats::passed(elapsed, beats.bpm());
        if let (Some(input), Ok(moment)) = (self.first.take(), Moment::new(beginning, 0.0)) {
            self.input(moment, input);
        }
        if elapsed > 0
            && let Some(moment) = self.course.moment(&beats, start)
        {
            self.player.join(moment);
        }
        start
    }

    /// Renders the frame that is sent at `time`, with the changes that wait.
    pub(super) fn render(&mut self, time: Nanoseconds, frames: Frames) {
        let course = &mut self.course;
        let Some((start, mut beats)) = course.begun else {
            return;
        };
        course.skipped += match course.shown {
            Some(shown) => frames.between(shown, time),
            // The show's first frame is one of them, if its time is over.
            None => frames.between(start, time) + u64::from(time > start),
        };
        course.frames += u64::from(course.shown != Some(time));
        let mut inputs: Vec<Input> = Vec::new();
        for change in course.changes.drain(..) {
            match change {
                Change::Input(input) => inputs.push(input),
                // Of a place that the show has; the scene before is released here.
                Change::Scene(place, scene) => drop(self.player.replace(place, *scene)),
                Change::Tempo(bpm) => {
                    course.clock = None;
                    beats = beats.changed(time, bpm).unwrap_or(beats);
                }
                Change::Clock(clock) => {
                    course.clock = Some(ShowClock::after(beats.at(time), clock, time));
                }
            }
        }
        if let Some(clock) = &mut course.clock {
            beats = clock.beats(time).unwrap_or(beats);
        }
        course.begun = Some((start, beats));
        course.shown = Some(time);
        let Some(moment) = course.moment(&beats, time) else {
            return;
        };
        for input in inputs {
            self.input(moment, input);
        }
        std::mem::swap(&mut self.frame, &mut self.before);
        let look = self.player.frame(moment);
        self.map.encode_after(&self.before, look, &mut self.frame);
        self.shared
            .with_outputs(|outputs| outputs.retain_mut(|output| output.set(&self.frame)));
        while let Some(event) = self.player.next_event() {
            let report = self.report(kind(event), time);
            self.course.reports.push(report);
        }
        let number = self.course.frames;
        let time_ns = self.course.time_ns(time);
        self.shared.show(&self.frame, number, time_ns, moment.beats());
    }

    fn input(&mut self, moment: Moment, input: Input) {
        let taken = self.player.input(moment, input);
        assert!(
            taken.is_ok(),
            "the session took what the player refuses: {taken:?}"
        );
    }

    /// The state at the times of the reports' rate.
    fn report_state(&mut self, now: Nanoseconds, context: &PollContext<'_>) {
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        let due = self.turns.take(now, LARGEST_BATCH).count();
        if due > 0 {
            let begun = self.course.begun.map(|(start, _)| start);
            let time = self.course.shown.or(begun).unwrap_or(now);
            // Nothing changes between two that are due together.
            let report = self.report(ShowReportKind::State, time);
            self.course.reports.extend(std::iter::repeat_n(report, due));
        }
    }

    fn report(&self, kind: ShowReportKind, time: Nanoseconds) -> ShowReport {
        let (course, now) = (&self.course, self.player.now());
        let (_, beats) = course.begun.unwrap_or((time, Beats::STILL));
        let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        ShowReport {
            sequence: 0,
            kind,
            time_ns: course.time_ns(time),
            beats: beats.at(time),
            bpm: beats.bpm(),
            frames: course.frames,
            skipped: course.skipped,
            cue: now.cue.map(place),
            scene: now.scene.map(place),
            master: now.master,
            is_fading: now.is_fading,
            is_paused: now.is_paused,
            is_blackout: now.is_blackout,
            outputs: self.shared.with_outputs(|outputs| place(outputs.len())),
        }
    }
}

fn kind(event: Event) -> ShowReportKind {
    match event {
        Event::CueStarted { .. } => ShowReportKind::CueStarted,
        Event::SceneStarted { .. } => ShowReportKind::SceneStarted,
        Event::FadeEnded { .. } => ShowReportKind::FadeEnded,
        Event::CuesEnded => ShowReportKind::CuesEnded,
        Event::Paused(_) => ShowReportKind::Paused,
        Event::Blackout(_) => ShowReportKind::Blackout,
    }
}
