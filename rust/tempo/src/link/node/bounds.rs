//! Which times and beats a node takes and announces, so that hostile ones outlive nobody and what it says is understood.

use crate::beats::{Beats, GhostTime, HostTime, MICRO_BEATS, Quantum, Time, Timeline};
use crate::link::StartStop;
use crate::link::discovery::LARGEST;

/// A day, in us.
const DAY: i64 = 86_400_000_000;
/// Beats at the present beyond these are refused: a timeline that has them is no longer a line.
const LARGEST_PRESENT: i64 = LARGEST + LARGEST / 2;
/// A session that is founded begins with beats within these.
const LARGEST_FOUNDED: i64 = 1 << 56;
/// A million beats: with a longer quantum a phase is a jump beyond all bounds.
pub(super) const LONGEST_QUANTUM: Quantum = match Quantum::new(Beats::from_micro(1_000_000 * MICRO_BEATS)) {
    Ok(quantum) => quantum,
    Err(_) => Quantum::BAR,
};

/// The time of a change of this program, within a day of the present.
pub(super) fn near(now: HostTime, at: HostTime) -> HostTime {
    at.clamp(now.saturating_add_micros(-DAY), now.saturating_add_micros(DAY))
}

/// A start or stop that may count: two days ahead it would hold against all later ones.
pub(super) fn is_plausible(start_stop: &StartStop, now: GhostTime) -> bool {
    start_stop.time <= now.saturating_add_micros(2 * DAY)
}

/// Whether a timeline of others is a line at the present.
pub(super) fn is_line(timeline: &Timeline<GhostTime>, now: GhostTime) -> bool {
    (-LARGEST_PRESENT..=LARGEST_PRESENT).contains(&timeline.beat_at(now).micro())
}

/// Whether the time of a session that may be joined leaves room for those of changes.
pub(super) fn is_time(now: GhostTime) -> bool {
    (-LARGEST / 2..=LARGEST / 2).contains(&now.micros())
}

/// The nearest number of beats of a message.
pub(super) fn sendable_beats(beats: Beats) -> Beats {
    beats.clamp(Beats::from_micro(-LARGEST), Beats::from_micro(LARGEST))
}

/// A timeline that others take. One whose origin is beyond the largest number of a message begins elsewhere on its line, or if that has no
/// such place, at the present; it then replaces no other, which nothing does any more in such a session.
pub(super) fn sendable(timeline: Timeline<GhostTime>, at: GhostTime) -> Timeline<GhostTime> {
    let is_within = |time: GhostTime| (-LARGEST..=LARGEST).contains(&time.micros());
    let beat_origin = sendable_beats(timeline.beat_origin);
    if beat_origin == timeline.beat_origin && is_within(timeline.time_origin) {
        return timeline;
    }
    let time = timeline.time_of(beat_origin);
    Timeline {
        beat_origin,
        time_origin: if is_within(time) { time } else { at },
        ..timeline
    }
}

/// The beat with which a session is founded, and what our count is ahead of it then: the beat before, unless it is that of a hostile
/// session.
pub(super) fn founded(beat: Beats, offset: Beats, quantum: Quantum) -> (Beats, Beats) {
    if (-LARGEST_FOUNDED..=LARGEST_FOUNDED).contains(&beat.micro()) {
        return (beat, offset);
    }
    let phase = beat.phase(quantum);
    (phase, offset.saturating_add(beat.saturating_sub(phase)))
}
