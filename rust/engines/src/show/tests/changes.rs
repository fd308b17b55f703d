//! Changes of a show that runs: inputs, beats and senders.

use super::*;
use crate::show::clock::ShowClock;
use crate::{BeatReading, TempoChange, TempoConfiguration, TempoEngine};
use rustle_lighting::artnet;
use rustle_tempo::beats::{HostTime, Tempo, Time};
use rustle_tempo::clock::Source;

/// A dimmer on a universe of each protocol.
const TWO_PROTOCOLS: &str = r#"{"v":1,"fixtures":[
    {"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":3},
    {"id":2,"profile":"dimmer","protocol":"artnet","universe":3,"address":5}]}"#;

#[test]
fn input_in_the_quarter_before_a_frame_renders_it_anew() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    // The eleventh frame of the sender is at 250 ms.
    stand.runtime.advance(Duration::from_millis(249));
    let lit = session.with_frame(|frame, time, _| (frame[0][2], time));
    assert_eq!(lit, (255, 250_000_000 - FRAME));
    session.input(Input::Blackout(true)).expect("an input");
    stand.runtime.advance(Duration::ZERO);
    let dark = session.with_frame(|frame, time, _| (frame[0][2], time));
    assert_eq!(dark, (0, lit.1), "the same frame");
    stand.runtime.advance(Duration::from_millis(1));
    assert_eq!(stand.levels(7, 3).last(), Some(&(250_000_000, 0)));
    stand.runtime.advance(Duration::from_secs(1));
    let last = *reports(&session).last().expect("reports");
    // One each, though that one was rendered twice.
    assert_eq!(last.skipped, 0);
    assert_eq!(last.frames, 1 + (last.time_ns + FRAME / 2) / FRAME);
}

#[test]
fn senders_take_the_universes_of_their_protocol_alone() {
    let stand = Stand::of(TWO_SCENES, TWO_PROTOCOLS);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(100));
    let capture = Scratch::new();
    let (_engine, art_net) = sender(
        &stand.runtime,
        capture.path(),
        DmxProtocol::ArtNet,
        FrameRate::FULL,
    );
    for _ in 0..2 {
        session
            .attach(art_net.output().clone())
            .expect("room for it, once");
    }
    stand.runtime.advance(Duration::from_millis(100));
    let datagrams = capture.datagrams();
    assert!(!datagrams.is_empty());
    for (_, bytes) in &datagrams {
        let Ok(artnet::Packet::Dmx(dmx)) = artnet::parse(bytes) else {
            panic!("expected levels, got {bytes:?}")
        };
        assert_eq!((dmx.address.get(), dmx.slots[4], dmx.slots[2]), (3, 255, 0));
    }
    assert_eq!(stand.sender.counts().universes, 1);
    assert!(stand.levels(7, 3).iter().all(|(_, level)| *level == 255));
    session.detach(art_net.output());
    stand.runtime.advance(Duration::from_secs(2));
    assert_eq!(reports(&session).last().map(|report| report.outputs), Some(1));
}

#[test]
fn sender_on_another_runtime_is_refused() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    let (other, capture) = (Arc::new(Runtime::manual(0)), Scratch::new());
    let (_engine, foreign) = sender(&other, capture.path(), DmxProtocol::Sacn, FrameRate::FULL);
    let refused = session.attach(foreign.output().clone());
    assert!(matches!(refused, Err(ShowError::OtherRuntime)), "{refused:?}");
    let refused = stand.engine.start(vec![foreign.output().clone()], None, ring());
    assert!(matches!(refused.map(drop), Err(ShowError::OtherRuntime)));
}

/// A clock of the stand's runtime.
fn clock(stand: &Stand) -> TempoEngine {
    let clock = TempoEngine::on(stand.runtime.clone(), TempoConfiguration::default(), None);
    clock.expect("a good configuration")
}

fn change(clock: &TempoEngine, change: TempoChange) {
    clock.change(change).expect("no fork");
}

/// The smooth beats of a clock at a time of a show that was started at `begun` on the stand's sender.
fn smooth(clock: &TempoEngine, begun: u64, time: u64) -> f64 {
    // The first frame that there is time to render.
    let start = FrameRate::FULL.next_ns(begun + FRAME / 4);
    let at = HostTime::new(((start + time) / 1_000) as i64);
    clock.reader().beat_at(at, BeatReading::Smooth).beats.as_f64()
}

#[test]
fn beats_of_a_clock_are_those_of_the_time_at_which_a_frame_is_sent() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let clock = clock(&stand);
    // Its count at the show's beginning is not the show's own.
    let begun = 8_650_000_000;
    stand.runtime.advance(Duration::from_nanos(begun));
    let outputs = vec![stand.sender.output().clone()];
    let session = stand.engine.start(outputs, Some(clock.reader()), ring());
    let session = session.expect("started");
    for bpm in [60.0, 999.0, 20.0] {
        let tempo = Tempo::from_bpm(bpm).expect("a tempo");
        let now = clock.reader().host_now();
        change(&clock, TempoChange::Tempo(tempo, now));
        stand.runtime.advance(Duration::from_millis(1_000));
        let (time, beats) = session.with_frame(|_, time, beats| (time, beats));
        let expected = smooth(&clock, begun, time);
        // A frame's time lies between two microseconds.
        assert!((beats - expected).abs() < 2e-5, "{bpm}: {beats}, not {expected}");
    }
    session.set_tempo(120.0).expect("a tempo");
    stand.runtime.advance(Duration::from_millis(100));
    let before = session.with_frame(|_, time, beats| (time, beats));
    stand.runtime.advance(Duration::from_secs(1));
    let after = session.with_frame(|_, time, beats| (time, beats));
    let passed = (after.0 - before.0) as f64 / 1e9;
    assert!((after.1 - before.1 - 2.0 * passed).abs() < 1e-9, "its own again");
}

/// A thread that is held up between a frame's time and its beats reads those of the frame all the same.
#[test]
fn beats_of_a_frame_are_those_of_its_time_whenever_they_are_read() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let clock = clock(&stand);
    stand.runtime.advance(Duration::from_secs(3));
    let mut show = ShowClock::new(clock.reader().clone());
    let time = 2_000_000_000;
    let mut read = || show.beats(time).expect("a count").at(time);
    let mut last = read();
    // Parts of a microsecond, so that the two clocks round differently.
    for held_up in [333, 1_000_100, 333, 40_000_300] {
        stand.runtime.advance(Duration::from_nanos(held_up));
        let beats = read();
        assert!(
            (0.0..2e-5).contains(&(beats - last)),
            "{held_up}: {last}, then {beats}"
        );
        last = beats;
    }
}

#[test]
fn clock_on_another_runtime_is_refused() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let other = TempoEngine::on(Arc::new(Runtime::manual(0)), TempoConfiguration::default(), None);
    let other = other.expect("a good configuration");
    let refused = stand.engine.start(Vec::new(), Some(other.reader()), ring());
    assert!(matches!(refused.map(drop), Err(ShowError::OtherRuntime)));
    let refused = stand.start().follow(other.reader());
    assert!(matches!(refused, Err(ShowError::OtherRuntime)), "{refused:?}");
}

/// From a tempo of its own to clocks, through their sources, to another clock, and back: between two frames the beats are those of the
/// tempo, and at most 1 ms in 22.7 ms of it more or less, and after a while those of the clock.
#[test]
fn beats_go_on_through_every_source_of_tempo() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let first = clock(&stand);
    stand.runtime.advance(Duration::from_millis(3_210));
    // Their counts differ by more than six beats.
    let second = clock(&stand);
    let session = stand.start();
    let now = || first.reader().host_now();
    let tempo = |bpm| Tempo::from_bpm(bpm).expect("a tempo");
    let tap = |at: i64| change(&first, TempoChange::Tap(now().saturating_add_micros(at)));
    let mut before = None;
    let mut pass = |seconds: u64, what: &str, of: Option<&TempoEngine>| {
        let mut last = (0, 0.0);
        for _ in 0..seconds * 44 {
            stand.runtime.advance(Duration::from_nanos(FRAME));
            let (time, beats) = session.with_frame(|_, time, beats| (time, beats));
            if let Some((earlier, count)) = before.replace((time, beats)) {
                let passed = (time - earlier) as f64 / 60e9;
                last = (time, beats);
                let tempo = (beats - count) / passed;
                // Those of this clock's sources and of the other clock.
                assert!(
                    (99.0 / 1.045..=181.0 * 1.045).contains(&tempo),
                    "{what}: {tempo} at {time}"
                );
            }
        }
        if let Some(clock) = of {
            let distance = last.1 - smooth(clock, 3_210_000_000, last.0);
            let left = distance - (distance / 4.0).round() * 4.0;
            assert!(left.abs() < 1e-4, "{what}: {left} of the phase are left");
        }
    };
    pass(7, "its own", None);
    session.set_tempo(100.0).expect("a tempo");
    pass(3, "another of its own", None);
    session.follow(first.reader()).expect("of the runtime");
    pass(40, "a clock", Some(&first));
    // Taps at 150 beats a minute, off the beat.
    for place in 0..8 {
        tap(place * 400_000 - 2_911_000);
    }
    pass(40, "taps", Some(&first));
    change(
        &first,
        TempoChange::Downbeat(now().saturating_add_micros(-700_000)),
    );
    pass(60, "another downbeat", Some(&first));
    change(
        &first,
        TempoChange::Heard {
            at: now().saturating_add_micros(-123_000),
            tempo: tempo(131.0),
            confidence: 1.0,
            phase_error: 1.0,
        },
    );
    change(&first, TempoChange::Prefer(Source::Audio));
    pass(4, "audio", None);
    change(&first, TempoChange::Prefer(Source::Link));
    change(&first, TempoChange::Tempo(tempo(180.0), now()));
    change(&first, TempoChange::ForgetTaps);
    pass(40, "a tempo of the user's", Some(&first));
    session.follow(second.reader()).expect("of the runtime");
    pass(40, "another clock", Some(&second));
    session.set_tempo(99.0).expect("a tempo");
    pass(3, "its own again", None);
}

#[test]
fn scene_that_is_on_is_replaced_from_the_coming_frame_on() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(500));
    let half = br#"{"name":"half","layers":[{"effect":"solid","opacity":0.5}]}"#;
    session.replace(0, half).expect("a scene");
    stand.runtime.advance(Duration::from_nanos(FRAME));
    assert_eq!(session.with_frame(|frame, _, _| frame[0][2]), 128);
    // The others stay, and it is there again.
    for (input, level) in [(Input::Go, 0), (Input::Back, 128)] {
        session.input(input).expect("an input");
        stand.runtime.advance(Duration::from_nanos(2 * FRAME));
        assert_eq!(session.with_frame(|frame, _, _| frame[0][2]), level);
    }
    let refused = session.replace(2, half);
    assert!(matches!(refused, Err(ShowError::Input(_))), "{refused:?}");
    for (text, path) in [
        (&b"{"[..], "scene"),
        (b"[]", "scene"),
        (
            br#"{"name":"x","layers":[{"effect":"sollid"}]}"#,
            "scene.layers[0].effect",
        ),
        (br#"{"name":"x","layer":[]}"#, "scene"),
        (b"{}", "scene.name"),
    ] {
        match session.replace(0, text) {
            Err(ShowError::Scene(fault)) => assert_eq!(fault.path, path),
            other => panic!("expected a fault of {path}, got {other:?}"),
        }
    }
    stand.runtime.advance(Duration::from_nanos(2 * FRAME));
    assert_eq!(session.with_frame(|frame, _, _| frame[0][2]), 128);
}

#[test]
fn show_that_is_held_up_before_its_first_frame_is_where_it_would_be() {
    let fading = TWO_SCENES.replace(
        r#""cues":[{"scene":"full"}"#,
        r#""cues":[{"scene":"full","fade_in":{"seconds":2}}"#,
    );
    let levels = [0, 700_000_000].map(|held_up| {
        let stand = Stand::of(&fading, ONE_DIMMER);
        let session = stand.start();
        stand.runtime.advance(Duration::ZERO);
        stand
            .runtime
            .set(|clock| clock.leap(Duration::from_nanos(held_up)));
        stand
            .runtime
            .advance(Duration::from_nanos(1_400_000_000 - held_up));
        let last = *reports(&session).last().expect("reports");
        assert_eq!(last.skipped > 0, held_up > 0, "{last:?}");
        (
            session.with_frame(|frame, time, _| (time, frame[0][2])),
            last.frames + last.skipped,
        )
    });
    assert_eq!(levels[0], levels[1]);
    assert!((1..255).contains(&levels[0].0.1), "it fades: {levels:?}");
}

#[test]
fn inputs_past_65_536_that_wait_are_refused_until_the_next_frame() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::ZERO);
    // Three quarters of a frame are left until the first one is rendered.
    for _ in 0..65_536 {
        session.input(Input::Level(0.5)).expect("room");
    }
    for _ in 0..2 {
        let refused = session.input(Input::Level(0.5));
        assert!(matches!(refused, Err(ShowError::TooManyInputs)), "{refused:?}");
        assert!(matches!(session.set_tempo(90.0), Err(ShowError::TooManyInputs)));
    }
    stand.runtime.advance(Duration::from_nanos(FRAME));
    session.input(Input::Master(0.5)).expect("room again");
    stand.runtime.advance(Duration::from_secs(1));
    let last = *reports(&session).last().expect("reports");
    assert_eq!((last.master, last.bpm), (0.5, 120.0));
}

#[test]
fn inputs_after_the_end_are_ignored() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(100));
    session.cancel();
    stand.runtime.advance(Duration::ZERO);
    assert!(session.is_released());
    for _ in 0..65_537 {
        session.input(Input::Go).expect("ignored");
    }
}

#[test]
fn frames_stay_in_order_where_a_sender_of_rare_frames_ends() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let rate = FrameRate::from_millihertz(1_000).expect("in range");
    let capture = Scratch::new();
    let (_engine, rare) = sender(&stand.runtime, capture.path(), DmxProtocol::Sacn, rate);
    let session = stand.engine.start(vec![rare.output().clone()], None, ring());
    let session = session.expect("started");
    // The frame of 2 s is rendered from 1.75 s on.
    stand.runtime.advance(Duration::from_millis(1_800));
    let time = || session.with_frame(|_, time, _| time);
    let mut before = time();
    assert_eq!(before, 1_000_000_000);
    rare.cancel();
    for _ in 0..40 {
        session.input(Input::Level(0.5)).expect("an input");
        stand.runtime.advance(Duration::from_millis(10));
        assert!(time() >= before, "{} after {before}", time());
        before = time();
    }
    assert!(before > 1_100_000_000, "{before}");
}
