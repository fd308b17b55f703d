//! Clocks on virtual time. The session of a clock that is not enabled has no sockets.

use super::*;
use crate::lane::NoBell;
use crate::link::LinkConfiguration;
use crate::outlet::{Delivery, LaneSession};
use crate::ring::Overflow;
use crate::runtime::Runtime;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Time};
use rustle_tempo::clock::Source;
use rustle_tempo::tap::{Octave, TapOutcome};
use std::sync::Arc;
use std::time::Duration;

fn clock(configuration: TempoConfiguration) -> (Arc<Runtime>, TempoEngine) {
    let runtime = Arc::new(Runtime::manual(0));
    let clock = TempoEngine::on(runtime.clone(), configuration, None);
    (runtime, clock.expect("a good configuration"))
}

fn reports(clock: &TempoEngine) -> LaneSession<TempoReport> {
    let delivery = Delivery::pull(Overflow::DropOldest, 256, NoBell).expect("a valid capacity");
    clock.start(delivery).expect("started")
}

fn drained(session: &LaneSession<TempoReport>) -> Vec<TempoReport> {
    let mut reports = Vec::new();
    session.drain(256, |report, _| reports.push(report));
    reports
}

fn kinds(session: &LaneSession<TempoReport>) -> Vec<TempoReportKind> {
    let kinds = drained(session).into_iter().map(|report| report.kind);
    kinds.filter(|kind| *kind != TempoReportKind::State).collect()
}

fn tempo(bpm: f64) -> Tempo {
    Tempo::from_bpm(bpm).expect("a tempo")
}

#[test]
fn states_come_at_their_rate_up_to_the_limit() {
    let (runtime, clock) = clock(TempoConfiguration {
        reports_per_second: 10.0,
        report_limit: Some(4),
        ..TempoConfiguration::default()
    });
    let session = reports(&clock);
    runtime.advance(Duration::from_secs(1));
    let reports = drained(&session);
    let times: Vec<_> = reports.iter().map(|report| report.beat.host.micros()).collect();
    assert_eq!(times, [0, 100_000, 200_000, 300_000]);
    let beats: Vec<_> = reports.iter().map(|report| report.beat.beats.micro()).collect();
    assert_eq!(beats, [0, 200_000, 400_000, 600_000], "120 BPM");
    let numbers = reports.iter().map(|report| report.sequence);
    assert!(numbers.eq(0..4) && session.is_released());
    for rate in [0.0, 2e7, f64::NAN] {
        let refused = TempoEngine::on(
            runtime.clone(),
            TempoConfiguration {
                reports_per_second: rate,
                ..TempoConfiguration::default()
            },
            None,
        );
        assert!(matches!(refused.map(drop), Err(TempoError::ReportRate { .. })));
    }
}

#[test]
fn taps_are_followed_until_they_age_and_the_beats_go_on() {
    let (runtime, clock) = clock(TempoConfiguration::default());
    let session = reports(&clock);
    for refused in [
        TempoChange::Octave(Octave::Half),
        TempoChange::Downbeat(HostTime::default()),
    ] {
        assert!(matches!(clock.change(refused), Err(TempoError::NoTaps)));
    }
    let mut outcome = None;
    for tap in 0..8 {
        let changed = clock.change(TempoChange::Tap(HostTime::new(tap * 400_000)));
        outcome = changed.expect("no fork").tap;
        runtime.advance(Duration::from_millis(400));
    }
    let estimate = clock.taps().expect("eight taps");
    assert_eq!((estimate.bpm, estimate.taps), (150.0, 8));
    assert_eq!(outcome, Some(TapOutcome::Counted { missed: 0 }));
    let now = clock.reader().host_now();
    let exact = clock.reader().beat_at(now, BeatReading::Exact);
    assert_eq!((exact.source, exact.tempo), (Source::Tap, tempo(150.0)));
    assert_eq!(exact.beats.phase(Quantum::BEAT), Beats::ZERO);
    let found = kinds(&session);
    assert!(found.starts_with(&[TempoReportKind::SourceChanged]), "{found:?}");
    assert!(found.contains(&TempoReportKind::TempoChanged));
    for (octave, bpm) in [(Octave::Half, 75.0), (Octave::Double, 150.0)] {
        clock.change(TempoChange::Octave(octave)).expect("no fork");
        assert_eq!(clock.reader().beat_at(now, BeatReading::Exact).tempo, tempo(bpm));
    }
    for expected in [75.0, 37.5] {
        clock.change(TempoChange::Octave(Octave::Half)).expect("no fork");
        assert_eq!(clock.taps().expect("taps").bpm, expected);
    }
    let refused = clock.change(TempoChange::Octave(Octave::Half));
    assert!(
        matches!(refused, Err(TempoError::Value { got: 18.75, .. })),
        "{refused:?}"
    );
    for _ in 0..2 {
        clock
            .change(TempoChange::Octave(Octave::Double))
            .expect("no fork");
    }
    // They age 30 s after the last one, whatever was done with them since; the user's tempo, which was never set, takes over theirs.
    let before = clock.reader().beat_at(now, BeatReading::Smooth).beats;
    runtime.advance(Duration::from_secs(20));
    clock.change(TempoChange::Nudge(0.0)).expect("in range");
    runtime.advance(Duration::from_secs(11));
    assert!(kinds(&session).contains(&TempoReportKind::SourceChanged));
    let later = clock
        .reader()
        .beat_at(clock.reader().host_now(), BeatReading::Smooth);
    assert_eq!((later.source, later.tempo), (Source::Manual, tempo(150.0)));
    assert!(((later.beats.as_f64() - before.as_f64()) - 31.0 * 2.5).abs() < 1e-3);
    clock.change(TempoChange::ForgetTaps).expect("no fork");
    assert_eq!(clock.taps(), None);
}

#[test]
fn audio_and_midi_are_followed_while_they_are_heard() {
    let (runtime, clock) = clock(TempoConfiguration::default());
    let heard = |at: i64, confidence| TempoChange::Heard {
        at: HostTime::new(at),
        tempo: tempo(100.0),
        confidence,
        phase_error: 2.0,
    };
    runtime.advance(Duration::from_secs(1));
    clock.change(heard(700_000, 0.2)).expect("in range");
    let now = clock.reader().host_now();
    assert_eq!(
        clock.reader().beat_at(now, BeatReading::Exact).source,
        Source::Manual
    );
    clock.change(heard(700_000, 0.9)).expect("in range");
    let beat = clock.reader().beat_at(HostTime::new(700_000), BeatReading::Exact);
    assert_eq!(
        (beat.source, beat.confidence, beat.phase_error),
        (Source::Audio, 0.9, 2.0)
    );
    assert_eq!(beat.beats.phase(Quantum::BEAT), Beats::ZERO);
    for number in 0..48 {
        let at = HostTime::new(1_000_000 + number * 25_000);
        clock.change(TempoChange::MidiByte(0xF8, at)).expect("no fork");
    }
    let beat = clock.reader().beat_at(now, BeatReading::Exact);
    assert_eq!((beat.source, beat.tempo), (Source::Midi, tempo(100.0)));
    clock.change(TempoChange::Prefer(Source::Audio)).expect("no fork");
    assert_eq!(
        clock.reader().beat_at(now, BeatReading::Exact).source,
        Source::Audio
    );
    runtime.advance(Duration::from_secs(6));
    let now = clock.reader().host_now();
    assert_eq!(
        clock.reader().beat_at(now, BeatReading::Exact).source,
        Source::Manual
    );
    for refused in [
        heard(0, 1.5),
        TempoChange::Nudge(f64::NAN),
        TempoChange::AudioConfidence(-0.1),
        TempoChange::Heard {
            at: now,
            tempo: tempo(90.0),
            confidence: 1.0,
            phase_error: f64::INFINITY,
        },
    ] {
        let error = clock.change(refused);
        assert!(matches!(error, Err(TempoError::Value { .. })), "{error:?}");
    }
}

#[test]
fn clock_reads_what_a_caller_has_just_set() {
    let (_runtime, clock) = clock(TempoConfiguration::default());
    let now = clock.reader().host_now();
    clock
        .change(TempoChange::Tempo(tempo(90.0), now))
        .expect("no fork");
    for reading in [BeatReading::Smooth, BeatReading::Exact, BeatReading::Session] {
        assert_eq!(
            clock.reader().beat_at(now, reading).tempo,
            tempo(90.0),
            "{reading:?}"
        );
    }
    let beat = Beats::from_f64(7.0);
    let at = clock
        .change(TempoChange::RequestBeat(beat, now))
        .expect("no fork");
    assert_eq!(at.at, now, "alone it is taken as asked");
    assert_eq!(clock.reader().beat_at(now, BeatReading::Session).beats, beat);
    clock.change(TempoChange::Playing(true, now)).expect("no fork");
    assert!(clock.reader().beat_at(now, BeatReading::Session).is_playing);
    clock
        .change(TempoChange::Quantum(Quantum::BEAT))
        .expect("no fork");
    assert_eq!(
        clock.reader().beat_at(now, BeatReading::Smooth).quantum,
        Quantum::BEAT
    );
}

#[test]
fn report_of_a_change_has_the_state_after_it() {
    let (runtime, clock) = clock(TempoConfiguration {
        reading: BeatReading::Session,
        ..TempoConfiguration::default()
    });
    let session = reports(&clock);
    let now = clock.reader().host_now();
    for change in [
        TempoChange::Tempo(tempo(90.0), now),
        TempoChange::Tempo(tempo(150.0), now),
        TempoChange::Quantum(Quantum::BEAT),
        TempoChange::Playing(true, now),
    ] {
        clock.change(change).expect("no fork");
    }
    runtime.advance(Duration::from_secs(2));
    let found = drained(&session);
    let times = found.iter().map(|report| report.beat.host);
    assert!(times.is_sorted(), "{found:?}");
    assert_eq!(
        (found[0].kind, found[0].beat.tempo),
        (TempoReportKind::State, tempo(120.0))
    );
    let of_session: Vec<_> = found
        .iter()
        .filter(|report| report.kind != TempoReportKind::State)
        .map(|report| {
            (
                report.kind,
                report.beat.tempo,
                report.beat.quantum,
                report.beat.is_playing,
            )
        })
        .collect();
    let (bar, beat) = (Quantum::default(), Quantum::BEAT);
    let expected = [
        (TempoReportKind::SessionTempoChanged, tempo(90.0), bar, false),
        (TempoReportKind::SessionTempoChanged, tempo(150.0), bar, false),
        (TempoReportKind::QuantumChanged, tempo(150.0), beat, false),
        (TempoReportKind::PlayingChanged, tempo(150.0), beat, true),
    ];
    assert_eq!(of_session, expected);
    assert!(found.iter().all(|report| !report.is_by_peer));
}

#[test]
fn clock_that_takes_part_reports_it_with_its_session() {
    let link = LinkConfiguration {
        interfaces: vec!["127.0.0.1".to_owned()],
        // Of no other program.
        port: Some(20_809),
        ..LinkConfiguration::default()
    };
    let (runtime, clock) = clock(TempoConfiguration {
        link,
        reading: BeatReading::Session,
        ..TempoConfiguration::default()
    });
    let session = reports(&clock);
    runtime.advance(Duration::ZERO);
    let before = drained(&session)[0].beat;
    for is_enabled in [true, false] {
        clock
            .change(TempoChange::Enabled(is_enabled))
            .expect("a loopback");
    }
    runtime.advance(Duration::ZERO);
    let found: Vec<_> = drained(&session)
        .into_iter()
        .map(|report| {
            (
                report.kind,
                report.beat.is_enabled,
                report.beat.session == before.session,
            )
        })
        .collect();
    let expected = [
        (TempoReportKind::EnabledChanged, true, false),
        (TempoReportKind::SessionJoined, true, false),
        (TempoReportKind::EnabledChanged, false, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn clock_of_another_session_reads_its_beats() {
    let (runtime, session) = clock(TempoConfiguration::default());
    let other = TempoEngine::on(runtime, TempoConfiguration::default(), Some(&session));
    let other = other.expect("of the runtime");
    let now = session.reader().host_now();
    session
        .change(TempoChange::Tempo(tempo(77.0), now))
        .expect("no fork");
    assert_eq!(
        other.reader().beat_at(now, BeatReading::Session).tempo,
        tempo(77.0)
    );
    let foreign = TempoEngine::on(
        Arc::new(Runtime::manual(0)),
        TempoConfiguration::default(),
        Some(&session),
    );
    assert!(matches!(foreign.map(drop), Err(TempoError::OtherRuntime)));
}

#[test]
fn reading_beats_allocates_nothing() {
    let (_runtime, clock) = clock(TempoConfiguration::default());
    let (allocations, ()) = rustle_testkit::allocations_in(|| {
        for micros in 0..1_000 {
            for reading in [BeatReading::Smooth, BeatReading::Exact, BeatReading::Session] {
                std::hint::black_box(clock.reader().beat_at(HostTime::new(micros), reading));
            }
        }
    });
    assert_eq!(allocations, 0);
}

#[test]
fn shut_down_clock_starts_nothing_and_takes_changes() {
    let (runtime, clock) = clock(TempoConfiguration::default());
    let session = reports(&clock);
    clock.shut_down();
    clock.shut_down();
    runtime.advance(Duration::ZERO);
    assert!(session.is_released());
    let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
    assert!(matches!(
        clock.start(delivery).map(drop),
        Err(TempoError::Link(_))
    ));
    clock.change(TempoChange::Jump).expect("no fork");
    let refused = clock.change(TempoChange::Enabled(true));
    assert!(matches!(refused, Err(TempoError::Link(_))), "{refused:?}");
}
