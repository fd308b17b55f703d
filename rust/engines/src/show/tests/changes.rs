//! Changes of a show that runs: inputs, beats and senders.

use super::*;
use crate::{BeatReading, TempoChange, TempoConfiguration, TempoEngine};
use rustle_lighting::artnet;
use rustle_tempo::beats::{HostTime, Tempo};

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
    let refused = stand.engine.start(vec![foreign.output().clone()], ring());
    assert!(matches!(refused.map(drop), Err(ShowError::OtherRuntime)));
}

#[test]
fn beats_of_a_clock_are_those_of_the_time_at_which_a_frame_is_sent() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let clock = TempoEngine::on(stand.runtime.clone(), TempoConfiguration::default(), None);
    let clock = clock.expect("a good configuration");
    let session = stand.start();
    session.follow(clock.reader()).expect("of the runtime");
    // The first frame that has time to be rendered is the sender's second.
    let start = FRAME;
    for bpm in [60.0, 999.0, 20.0] {
        let tempo = Tempo::from_bpm(bpm).expect("a tempo");
        let now = clock.reader().host_now();
        clock.change(TempoChange::Tempo(tempo, now)).expect("no fork");
        stand.runtime.advance(Duration::from_millis(1_000));
        let (time, beats) = session.with_frame(|_, time, beats| (time, beats));
        let at = HostTime::new(((start + time) / 1_000) as i64);
        let expected = clock.reader().beat_at(at, BeatReading::Smooth).beats.as_f64();
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
    let other = TempoEngine::on(Arc::new(Runtime::manual(0)), TempoConfiguration::default(), None);
    let refused = session.follow(other.expect("a good configuration").reader());
    assert!(matches!(refused, Err(ShowError::OtherRuntime)), "{refused:?}");
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
        session.with_frame(|frame, time, _| (time, frame[0][2]))
    });
    assert_eq!(levels[0], levels[1]);
    assert!((1..255).contains(&levels[0].1), "it fades: {levels:?}");
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
    let session = stand.engine.start(vec![rare.output().clone()], ring());
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
