//! What sources report, and which of them is followed.

use crate::beats::{HostTime, Tempo, Time, Timeline};
use crate::tap::TapEstimate;

/// A source of beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A session with peers on the network.
    Link,
    /// A person who taps.
    Tap,
    /// MIDI clock.
    Midi,
    /// Beats found in audio.
    Audio,
    /// A tempo that the user sets: always there.
    Manual,
}

impl Source {
    /// Every source, in the order of a new clock.
    pub const ALL: [Self; 5] = [Self::Link, Self::Tap, Self::Midi, Self::Audio, Self::Manual];
}

/// Who changed a tempo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cause {
    /// This program or its user, or a change of source.
    #[default]
    Local,
    /// A peer of the session, or whoever sends the MIDI clock or plays the audio.
    Peer,
}

/// What a source reports. How long it counts:
/// - a session while it has peers, and 5 s after;
/// - taps until 30 s after the last one, or while they are held;
/// - MIDI clock until 5 s after the last report;
/// - audio until 5 s after the last report with enough confidence, 0.3 at first;
/// - the manual tempo always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Beats as a function of time. Of audio only the phase in a beat counts.
    pub timeline: Timeline<HostTime>,
    /// From 0 to 1.
    pub confidence: f64,
    /// The standard error of the phase, in milliseconds.
    pub phase_error: f64,
    /// Peers of the session, oneself not counted; 0 of other sources.
    pub peers: u32,
    /// The session's id.
    pub session: Option<u64>,
    /// Whether the source plays.
    pub is_playing: bool,
    /// Who changed the tempo or the phase, if it is another than before.
    pub cause: Cause,
    /// The time from which the report ages, if that is not the present.
    pub since: Option<HostTime>,
}

impl Report {
    /// A report of full confidence, by this program.
    pub fn new(timeline: Timeline<HostTime>) -> Self {
        Self {
            timeline,
            confidence: 1.0,
            phase_error: 0.0,
            peers: 0,
            session: None,
            is_playing: true,
            cause: Cause::Local,
            since: None,
        }
    }

    /// The confidence that a standard error of the phase leaves: 0.5 at a sixteenth of a beat.
    pub(super) fn confidence(phase_error: f64, tempo: Tempo) -> f64 {
        let beats = 1000.0 * phase_error / tempo.micros_per_beat() as f64;
        1.0 / (1.0 + (16.0 * beats).powi(2))
    }
}

impl From<&TapEstimate> for Report {
    fn from(taps: &TapEstimate) -> Self {
        Self {
            confidence: Self::confidence(taps.phase_error, taps.timeline.tempo),
            phase_error: taps.phase_error,
            since: Some(taps.last),
            ..Self::new(taps.timeline)
        }
    }
}

/// After so many microseconds without the followed source the next one is.
pub(super) const FALLBACK: i64 = 5_000_000;
/// Taps count so many microseconds.
pub(super) const TAP_AGE: i64 = 30_000_000;
/// The confidence from which audio is followed: noise has some hundredths, drums 0.8.
const AUDIO: f64 = 0.3;

/// A source's last report, and the last time at which it was good enough to be followed.
#[derive(Clone, Copy, Debug)]
struct Known {
    report: Report,
    good: Option<HostTime>,
    /// Whether the last report is good enough.
    is_good: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Sources {
    known: [Known; Source::ALL.len()],
    pub(super) order: [Source; Source::ALL.len()],
    pub(super) audio_confidence: f64,
    pub(super) holds_taps: bool,
}

impl Sources {
    pub(super) fn new(manual: Timeline<HostTime>) -> Self {
        let unknown = Known {
            report: Report::new(manual),
            good: None,
            is_good: false,
        };
        Self {
            known: [unknown; Source::ALL.len()],
            order: Source::ALL,
            audio_confidence: AUDIO,
            holds_taps: false,
        }
    }

    pub(super) fn set_order(&mut self, order: &[Source]) {
        let mut all = order.iter().copied().chain(Source::ALL);
        for index in 0..self.order.len() {
            if let Some(next) = all.find(|next| !self.order[..index].contains(next)) {
                self.order[index] = next;
            }
        }
    }

    pub(super) fn take(&mut self, source: Source, report: Report, now: HostTime) {
        let is_good = match source {
            Source::Link => report.peers > 0,
            Source::Audio => report.confidence >= self.audio_confidence,
            Source::Tap | Source::Midi | Source::Manual => true,
        };
        let known = &mut self.known[source as usize];
        // A source that has just got worse was good until now.
        if is_good || known.is_good {
            known.good = Some(report.since.map_or(now, |since| since.min(now)));
        }
        if is_good || source != Source::Audio {
            known.report = report;
        }
        known.is_good = is_good;
    }

    pub(super) fn lose(&mut self, source: Source, now: HostTime) {
        let known = &mut self.known[source as usize];
        if known.is_good {
            known.good = Some(now);
        }
        known.is_good = false;
    }

    /// The time until which a source is followed once it is; None if it does not age.
    pub(super) fn followed_until(&self, source: Source) -> Option<HostTime> {
        let known = self.known[source as usize];
        let age = match source {
            Source::Manual => return None,
            Source::Tap if self.holds_taps && known.good.is_some() => return None,
            Source::Link if known.is_good => return None,
            Source::Tap => TAP_AGE,
            Source::Link | Source::Midi | Source::Audio => FALLBACK,
        };
        known.good.map(|good| good.saturating_add_micros(age))
    }

    /// The source to follow: the best that is good, or the one that is followed, until it has been gone long enough.
    pub(super) fn best(&self, followed: Source, now: HostTime) -> Source {
        let is_within = |source| self.followed_until(source).is_none_or(|until| now < until);
        let can_follow = |source: &Source| match *source {
            Source::Manual => true,
            source => {
                let known = self.known[source as usize];
                known.good.is_some() && (known.is_good || source == followed) && is_within(source)
            }
        };
        self.order.into_iter().find(can_follow).unwrap_or(Source::Manual)
    }

    /// Whether a source's phase is that of its own time: it reported in the last seconds, or its session goes on.
    pub(super) fn is_live(&self, source: Source, now: HostTime) -> bool {
        let known = self.known[source as usize];
        match source {
            Source::Manual => false,
            Source::Link => known.is_good,
            Source::Tap => known
                .good
                .is_some_and(|good| now.saturating_micros_since(good) < TAP_AGE),
            Source::Midi | Source::Audio => known
                .good
                .is_some_and(|good| now.saturating_micros_since(good) < FALLBACK),
        }
    }

    pub(super) fn report_of(&self, source: Source) -> Report {
        self.known[source as usize].report
    }

    pub(super) fn timeline(&self, source: Source) -> Timeline<HostTime> {
        self.report_of(source).timeline
    }

    pub(super) fn continue_from(&mut self, source: Source, timeline: Timeline<HostTime>) {
        self.known[source as usize].report.timeline = timeline;
    }
}
