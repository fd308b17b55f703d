//! Changes of a show that runs: inputs, beats and senders.

use super::*;
use rustle_lighting::artnet;

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
fn beats_of_another_clock_count_from_its_own_time() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    // The first frame that has time to be rendered is the sender's second.
    let start = FRAME;
    for (second, count, age_ns, bpm) in [(1.0, 10.0, 500_000_000, 60.0), (2.0, -3.5, -1_000_000_000, 999.0)] {
        stand.runtime.advance(Duration::from_millis(900));
        session.set_beats(count, age_ns, bpm).expect("in range");
        let set = stand.runtime.clock().now() as f64 - age_ns as f64;
        stand.runtime.advance(Duration::from_millis(100));
        let (time, beats) = session.with_frame(|_, time, beats| (time, beats));
        let expected = count + ((start + time) as f64 - set) * bpm / 60e9;
        assert!(
            (beats - expected).abs() < 1e-9,
            "second {second}: {beats}, not {expected}"
        );
    }
    for count in [f64::NAN, f64::INFINITY, 1e12, -1e12] {
        let refused = session.set_beats(count, 0, 120.0);
        assert!(matches!(refused, Err(ShowError::Beats { .. })), "{refused:?}");
    }
    // The farthest are rendered too.
    session.set_beats(5e11, i64::MAX, 999.0).expect("in range");
    stand.runtime.advance(Duration::from_millis(100));
    assert!(session.with_frame(|_, _, beats| beats) > 5e11);
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
