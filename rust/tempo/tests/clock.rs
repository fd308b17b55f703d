//! The clock over virtual time.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Timeline};
use rustle_tempo::clock::{Cause, ClockEvent, Reading, Report, Source, TempoClock};
use rustle_tempo::tap::TapTempo;

const SECOND: i64 = 1_000_000;
/// Microseconds of a frame, in which the smooth reading moves by at most 1 ms.
const FRAME: i64 = 22_700;

fn tempo(bpm: f64) -> Tempo {
    Tempo::from_bpm(bpm).expect("a tempo")
}

fn at(micros: i64) -> HostTime {
    HostTime::new(micros)
}

fn timeline(bpm: f64, beats: f64, micros: i64) -> Timeline<HostTime> {
    Timeline {
        tempo: tempo(bpm),
        beat_origin: Beats::from_f64(beats),
        time_origin: at(micros),
    }
}

fn session(bpm: f64, beats: f64, micros: i64, peers: u32) -> Report {
    Report {
        peers,
        session: Some(7),
        cause: Cause::Peer,
        ..Report::new(timeline(bpm, beats, micros))
    }
}

fn clock() -> TempoClock {
    TempoClock::new(at(0), tempo(120.0), Quantum::BAR)
}

fn beats(clock: &TempoClock, micros: i64, reading: Reading) -> f64 {
    clock.snapshot().beats_at(at(micros), reading).as_f64()
}

#[test]
fn session_takes_over_at_once_and_the_smooth_reading_walks_to_it() {
    let mut clock = clock();
    // At 10 s the clock is at beat 20, and the session half a beat before beat 40.
    let events = clock.report(
        Source::Link,
        session(120.0, 39.5, 10 * SECOND, 2),
        at(10 * SECOND),
    );
    let expected = [
        ClockEvent::PeersChanged { peers: 2 },
        ClockEvent::SourceChanged {
            from: Source::Manual,
            to: Source::Link,
        },
        ClockEvent::PhaseShifted {
            shift: Beats::from_f64(-0.5),
            by: Cause::Local,
        },
        ClockEvent::SessionJoined { session: 7 },
    ];
    assert_eq!(events, expected);
    assert_eq!(
        beats(&clock, 10 * SECOND, Reading::Exact),
        19.5,
        "the session's phase, the clock's count"
    );
    assert_eq!(beats(&clock, 10 * SECOND, Reading::Smooth), 20.0);
    // 250 ms at 1 ms in 22.7 ms.
    let settled = clock.snapshot().settled_from(at(10 * SECOND));
    assert_eq!(settled, at(10 * SECOND + 250 * FRAME));
    for reading in [Reading::Exact, Reading::Smooth] {
        assert_eq!(beats(&clock, 20 * SECOND, reading), 39.5);
    }
    let state = clock.snapshot().state_at(at(20 * SECOND), Reading::Smooth);
    assert_eq!((state.beat_phase, state.bar_phase), (0.5, 0.875));
    assert_eq!(
        (state.source, state.peers, state.phase_error),
        (Source::Link, 2, 0.0)
    );
}

#[test]
fn jump_is_taken_when_asked_for() {
    let mut clock = clock();
    clock.report(
        Source::Link,
        session(120.0, 39.5, 10 * SECOND, 2),
        at(10 * SECOND),
    );
    clock.jump();
    assert_eq!(beats(&clock, 10 * SECOND, Reading::Smooth), 19.5);
}

#[test]
fn lost_session_is_followed_for_five_seconds_and_the_manual_source_goes_on_from_it() {
    let mut clock = clock();
    clock.report(Source::Link, session(133.0, 0.25, 0, 1), at(0));
    clock.report(Source::Link, session(133.0, 0.25, 0, 0), at(10 * SECOND));
    assert_eq!(clock.deadline(), Some(at(15 * SECOND)));
    assert_eq!(clock.advance(at(15 * SECOND - 1)), []);
    let before = clock.snapshot().exact_at(15 * SECOND);
    let events = clock.advance(at(15 * SECOND));
    assert_eq!(
        events,
        [ClockEvent::SourceChanged {
            from: Source::Link,
            to: Source::Manual
        }]
    );
    assert_eq!(clock.snapshot().exact_at(15 * SECOND), before);
    assert_eq!(
        clock.snapshot().state_at(at(0), Reading::Exact).tempo,
        tempo(133.0)
    );
    assert_eq!(clock.deadline(), None);
    let events = clock.set_manual(tempo(100.0), at(16 * SECOND));
    assert_eq!(
        events,
        [ClockEvent::TempoChanged {
            tempo: tempo(100.0),
            by: Cause::Local
        }]
    );
}

trait ExactAt {
    fn exact_at(&self, micros: i64) -> Beats;
}

impl ExactAt for rustle_tempo::clock::ClockSnapshot {
    fn exact_at(&self, micros: i64) -> Beats {
        self.beats_at(at(micros), Reading::Exact)
    }
}

fn taps(from: i64) -> Report {
    let mut taps = TapTempo::default();
    for beat in 0..8 {
        taps.tap(at(from + beat * 600_000));
    }
    Report::from(&taps.estimate().expect("eight taps"))
}

#[test]
fn taps_age_unless_they_are_held() {
    let mut clock = clock();
    let last = 7 * 600_000;
    clock.report(Source::Tap, taps(0), at(last));
    let source = |clock: &TempoClock| clock.snapshot().state_at(at(0), Reading::Exact).source;
    assert_eq!(source(&clock), Source::Tap);
    assert_eq!(clock.deadline(), Some(at(last + 30 * SECOND)));
    clock.hold_taps(true, at(last));
    assert_eq!(clock.deadline(), None);
    clock.advance(at(last + 1000 * SECOND));
    assert_eq!(source(&clock), Source::Tap);
    clock.hold_taps(false, at(last + 1000 * SECOND));
    assert_eq!(source(&clock), Source::Manual);
    assert_eq!(
        clock.snapshot().state_at(at(0), Reading::Exact).tempo,
        tempo(100.0)
    );
}

#[test]
fn held_taps_start_from_where_a_lost_session_stood() {
    let mut clock = clock();
    clock.report(Source::Tap, taps(0), at(5 * SECOND));
    clock.hold_taps(true, at(5 * SECOND));
    clock.report(Source::Link, session(150.0, 0.3, 0, 1), at(6 * SECOND));
    clock.lost(Source::Link, at(200 * SECOND));
    let before = clock.snapshot().exact_at(205 * SECOND);
    let events = clock.advance(at(205 * SECOND));
    let expected = [
        ClockEvent::SourceChanged {
            from: Source::Link,
            to: Source::Tap,
        },
        ClockEvent::TempoChanged {
            tempo: tempo(100.0),
            by: Cause::Local,
        },
    ];
    assert_eq!(events, expected);
    assert!((clock.snapshot().exact_at(205 * SECOND).micro() - before.micro()).abs() <= 1);
}

#[test]
fn audio_is_followed_from_a_confidence_on_and_knows_no_bars() {
    let mut clock = clock();
    let heard = |confidence| Report {
        confidence,
        ..Report::new(timeline(120.0, 1000.0, 250_000))
    };
    assert_eq!(clock.report(Source::Audio, heard(0.29), at(SECOND)), []);
    assert_eq!(clock.report(Source::Audio, heard(f64::NAN), at(SECOND)), []);
    clock.report(Source::Audio, heard(0.3), at(SECOND));
    // The phase of the beat, half a beat away, and the bar of the clock until now.
    assert_eq!(beats(&clock, SECOND, Reading::Exact), 2.5);
    clock.report(Source::Audio, heard(0.1), at(2 * SECOND));
    assert_eq!(clock.advance(at(7 * SECOND - 1)), []);
    assert_eq!(
        clock.advance(at(7 * SECOND)),
        [ClockEvent::SourceChanged {
            from: Source::Audio,
            to: Source::Manual
        }]
    );
}

#[test]
fn order_is_the_users() {
    let mut clock = clock();
    clock.report(Source::Link, session(130.0, 0.0, 0, 1), at(0));
    clock.report(Source::Tap, taps(0), at(5 * SECOND));
    let source = |clock: &TempoClock| clock.snapshot().state_at(at(0), Reading::Exact).source;
    assert_eq!(source(&clock), Source::Link);
    clock.set_order(&[Source::Tap, Source::Tap], at(5 * SECOND));
    assert_eq!(source(&clock), Source::Tap);
    assert_eq!(
        clock.order(),
        [
            Source::Tap,
            Source::Link,
            Source::Midi,
            Source::Audio,
            Source::Manual
        ]
    );
    clock.set_order(&[Source::Manual], at(5 * SECOND));
    assert_eq!(source(&clock), Source::Manual);
}

#[test]
fn another_quantum_takes_the_phase_of_the_session() {
    let mut clock = clock();
    clock.report(Source::Link, session(120.0, 7.0, 0, 1), at(0));
    assert_eq!(clock.snapshot().state_at(at(0), Reading::Exact).bar_phase, 0.75);
    let three = Quantum::new(Beats::from_f64(3.0)).expect("a quantum");
    clock.set_quantum(three, at(0));
    let state = clock.snapshot().state_at(at(0), Reading::Exact);
    assert!((state.bar_phase - 1.0 / 3.0).abs() < 1e-9, "{}", state.bar_phase);
}

/// A clock that is read once a frame while sources come, change and go.
struct History {
    random: ChaCha8Rng,
    clock: TempoClock,
    now: i64,
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            clock: clock(),
            now: 0,
        }
    }

    fn change(&mut self) {
        let bpm = if self.random.gen_bool(0.1) {
            self.random.gen_range(20.0..999.0)
        } else {
            self.random.gen_range(60.0..180.0)
        };
        let beats = self.random.gen_range(-1e4..1e4);
        let now = at(self.now);
        let report = Report {
            confidence: self.random.gen_range(0.0..1.0),
            peers: self.random.gen_range(0..3),
            session: Some(self.random.gen_range(0..3)),
            ..Report::new(timeline(
                bpm,
                beats,
                self.now - self.random.gen_range(-SECOND..10 * SECOND),
            ))
        };
        let source = Source::ALL[self.random.gen_range(0..Source::ALL.len())];
        match self.random.gen_range(0..12) {
            0 => self.clock.set_manual(tempo(bpm), now),
            1 => self.clock.lost(source, now),
            2 => self.clock.hold_taps(beats > 0.0, now),
            3 => {
                let order: Vec<Source> = (0..3)
                    .map(|_| Source::ALL[self.random.gen_range(0..Source::ALL.len())])
                    .collect();
                self.clock.set_order(&order, now)
            }
            4 => self.clock.set_quantum(
                Quantum::new(Beats::from_f64(beats.abs() / 1000.0 + 0.5)).expect("positive"),
                now,
            ),
            _ => self.clock.report(source, report, now),
        };
    }
}

#[test]
fn smooth_reading_moves_at_most_a_millisecond_a_frame_over_any_history() {
    for seed in 0..30 {
        let mut history = History::new(seed);
        for _ in 0..2_000 {
            let before = history.clock.snapshot();
            if history.random.gen_bool(0.05) {
                history.change();
            }
            history.clock.advance(at(history.now));
            let after = history.clock.snapshot();
            let now = at(history.now);
            let micros_of = |beats: i64| {
                beats as f64 * after.state_at(now, Reading::Exact).tempo.micros_per_beat() as f64 / 1e6
            };
            let jumped =
                after.beats_at(now, Reading::Smooth).micro() - before.beats_at(now, Reading::Smooth).micro();
            // A microsecond of rounding at either tempo, and a micro-beat.
            assert!(
                micros_of(jumped.abs() - 1) <= 1.0 || jumped.abs() <= 18,
                "{jumped} micro-beats, seed {seed}"
            );
            let then = at(history.now + FRAME);
            let passed =
                |reading| after.beats_at(then, reading).micro() - after.beats_at(now, reading).micro();
            let moved = micros_of(passed(Reading::Smooth) - passed(Reading::Exact));
            assert!(moved.abs() <= 1_002.0 + micros_of(2), "{moved} us, seed {seed}");
            assert!(passed(Reading::Smooth) > 0, "seed {seed}");
            history.now += FRAME;
        }
    }
}

#[test]
fn snapshot_never_runs_backwards() {
    for seed in 100..120 {
        let mut history = History::new(seed);
        for _ in 0..50 {
            history.change();
            let snapshot = history.clock.snapshot();
            let mut times: Vec<i64> = (0..200)
                .map(|_| history.now + history.random.gen_range(-SECOND..20 * SECOND))
                .collect();
            times.extend((0..100).map(|micro| history.now + micro - 50));
            times.sort_unstable();
            for reading in [Reading::Exact, Reading::Smooth] {
                let read: Vec<Beats> = times
                    .iter()
                    .map(|time| snapshot.beats_at(at(*time), reading))
                    .collect();
                assert!(read.is_sorted(), "seed {seed}, {reading:?}");
            }
            history.now += history.random.gen_range(0..10 * SECOND);
        }
    }
}

#[test]
fn a_day_of_changes_of_source_does_not_drift() {
    let mut clock = clock();
    let truth = timeline(127.3, 1.7, 123_456);
    let mut now = 0;
    let mut is_session = false;
    // A session that comes and goes, and re-announces the same beats from other origins; the manual source goes on in between.
    while now < 24 * 3600 * SECOND {
        is_session = !is_session;
        let peers = u32::from(is_session);
        clock.report(
            Source::Link,
            Report {
                peers,
                ..Report::new(truth)
            },
            at(now),
        );
        now += 9 * SECOND;
        clock.set_manual(truth.tempo, at(now));
        clock.advance(at(now));
        let (read, expected) = (clock.snapshot().exact_at(now), truth.beat_at(at(now)));
        let off = read.saturating_sub(expected).micro().rem_euclid(4_000_000);
        let micros = off.min(4_000_000 - off) as f64 * truth.tempo.micros_per_beat() as f64 / 1e6;
        assert!(micros <= 1.0, "{micros} us at {now}");
        let source = clock.snapshot().state_at(at(now), Reading::Exact).source;
        assert_eq!(source == Source::Link, is_session);
    }
    let settled = clock.snapshot().settled_from(at(now));
    assert_eq!(settled, at(now), "the smooth reading has come to the exact one");
    let (exact, smooth) = (
        beats(&clock, now, Reading::Exact),
        beats(&clock, now, Reading::Smooth),
    );
    assert_eq!((exact - smooth).rem_euclid(4.0), 0.0);
}
