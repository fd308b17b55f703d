//! Where a player is in its list of cues, and the time by which fades and waits go.

use crate::Moment;
use crate::scene::Span;

/// The cue that is on, and the clocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Transport {
    /// The moment of the last input or frame.
    last: Moment,
    /// The one that is on its way, equal to `last` in between.
    now: Moment,
    /// The cue, and its start.
    cue: Option<(usize, Moment)>,
    /// When fades and waits stopped.
    paused: Option<Moment>,
}

impl Transport {
    pub(super) fn last(&self) -> Moment {
        self.last
    }

    pub(super) fn cue(&self) -> Option<usize> {
        self.cue.map(|(cue, _)| cue)
    }

    /// The cue, and its start.
    pub(super) fn started(&self) -> Option<(usize, Moment)> {
        self.cue
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// The moment by which fades and waits go.
    pub(super) fn clock(&self) -> Moment {
        self.paused.unwrap_or(self.last)
    }

    /// Begins the way to a moment. Where a clock was set back, all starts are moved by that, which is returned.
    pub(super) fn advance(&mut self, moment: Moment) -> Option<[f64; 2]> {
        self.now = moment;
        let back = |to: f64, from: f64| (to - from).min(0.0);
        let beats = back(moment.beats(), self.last.beats());
        let seconds = back(moment.seconds(), self.last.seconds());
        if beats == 0.0 && seconds == 0.0 {
            return None;
        }
        self.last = self.last.moved(beats, seconds);
        self.paused = self.paused.map(|paused| paused.moved(beats, seconds));
        self.shift(beats, seconds);
        Some([beats, seconds])
    }

    /// Ends the way to a moment.
    pub(super) fn arrive(&mut self, moment: Moment) {
        self.last = moment;
    }

    /// The moment at which a wait from the start of the cue ends, if that is on the way.
    pub(super) fn end_of(&self, wait: Span) -> Option<Moment> {
        let (_, start) = self.cue?;
        if self.is_paused() {
            return None;
        }
        wait.end(start, self.last, self.now)
    }

    pub(super) fn start(&mut self, cue: usize, start: Moment) {
        self.cue = Some((cue, start));
    }

    pub(super) fn leave_cue(&mut self) {
        self.cue = None;
    }

    /// Stops fades and waits, or lets them go on; then all starts are moved by the beats and seconds of the pause, which are
    /// returned.
    pub(super) fn set_paused(&mut self, is_paused: bool) -> Option<[f64; 2]> {
        if is_paused {
            self.paused = Some(self.last);
            return None;
        }
        let paused = self.paused.take()?;
        let beats = self.last.beats() - paused.beats();
        let seconds = self.last.seconds() - paused.seconds();
        self.shift(beats, seconds);
        Some([beats, seconds])
    }

    fn shift(&mut self, beats: f64, seconds: f64) {
        if let Some((_, start)) = &mut self.cue {
            *start = start.moved(beats, seconds);
        }
    }
}
