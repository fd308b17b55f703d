//! The frames of a show as a stream.

use super::*;
use crate::job::Release;
use crate::lane::Doorbell;
use crate::outlet::LaneSession;
use crate::{DmxProtocol, ShowLevels};
use rustle_lighting::{SLOTS, SacnUniverse};
use rustle_shows::fixture::RigUniverse;
use std::sync::Mutex;

/// How a stream ended.
#[derive(Clone, Default)]
struct End(Arc<Mutex<Option<Release>>>);

impl Doorbell for End {
    fn on_ready(&mut self) {}

    fn on_release(self: Box<Self>, release: Release) {
        *self.0.lock().expect("a sound lock") = Some(release);
    }
}

fn frames(stand: &Stand, overflow: Overflow, end: End) -> LaneSession<ShowLevels> {
    let delivery = Delivery::pull(overflow, 4_096, end).expect("a valid capacity");
    stand.engine.start_frames(delivery).expect("started")
}

fn drain(frames: &LaneSession<ShowLevels>) -> Vec<(ShowLevels, u32)> {
    let mut levels = Vec::new();
    frames.drain(4_096, |record, gap| levels.push((record, gap)));
    levels
}

#[test]
fn frames_are_what_is_sent_and_each_universe_is_in_each() {
    let stand = Stand::new(Demo::Festival.show(), Demo::Festival.rig());
    // It waits for the show.
    let frames = frames(&stand, Overflow::DropOldest, End::default());
    stand.runtime.advance(Duration::from_secs(1));
    assert_eq!(drain(&frames), []);
    let session = stand.start();
    stand.runtime.advance(Duration::from_secs(2));
    let records = drain(&frames);
    let universes = session.universes().len();
    assert!(
        universes > 1 && records.len() > 80 * universes,
        "{}",
        records.len()
    );
    for (number, (record, gap)) in records.iter().enumerate() {
        let (frame, place) = (number / universes, number % universes);
        assert_eq!((record.sequence, *gap), (number as u64, 0));
        assert_eq!((record.frame, record.place), (frame as u64 + 1, place as u32));
        assert_eq!(record.protocol, DmxProtocol::Sacn);
        assert_eq!(
            session.universes()[place],
            RigUniverse::Sacn(SacnUniverse::new(record.universe.into()).expect("a universe"))
        );
        assert!((record.beats - record.time_ns as f64 * 120.0 / 60e9).abs() < 1e-9);
    }
    let universe = records[0].0.universe;
    let of_first = records.iter().filter(|(record, _)| record.place == 0);
    let mut shown: Vec<[u8; SLOTS]> = of_first.map(|(record, _)| record.levels).collect();
    let datagrams = stand.capture.datagrams();
    let sent = datagrams.iter().filter_map(|(_, bytes)| match parse(bytes) {
        Ok(Packet::Data(data)) if data.universe.get() == universe => data.slots.try_into().ok(),
        _ => None,
    });
    let mut sent: Vec<[u8; SLOTS]> = sent.collect();
    shown.dedup();
    sent.dedup();
    // The last one may be sent later.
    assert!(sent.len() > 20 && shown.len() - sent.len() <= 1, "{}", sent.len());
    assert!(shown[..sent.len()] == sent);
}

#[test]
fn newest_frame_waits_and_those_before_it_are_counted() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(500));
    let frames = frames(&stand, Overflow::Conflate, End::default());
    stand.runtime.advance(Duration::ZERO);
    let present = drain(&frames);
    assert_eq!(present.len(), 1);
    let (first, _) = present[0];
    assert_eq!((first.universe, first.levels[2]), (7, 255));
    for _ in 0..3 {
        session.input(Input::Master(0.5)).expect("an input");
        stand.runtime.advance(Duration::from_nanos(FRAME));
    }
    stand.runtime.advance(Duration::from_nanos(FRAME * 7));
    let newest = drain(&frames);
    let (last, gap) = newest[0];
    assert_eq!((newest.len(), last.levels[2]), (1, 128));
    assert_eq!(u64::from(gap), last.sequence - first.sequence - 1);
    assert!((9..=13).contains(&gap), "{gap}");
    assert_eq!(last.frame, first.frame + 10);
}

#[test]
fn frame_that_an_input_renders_anew_has_its_number_again() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    let frames = frames(&stand, Overflow::DropOldest, End::default());
    // As in `input_in_the_quarter_before_a_frame_renders_it_anew`.
    stand.runtime.advance(Duration::from_millis(249));
    session.input(Input::Blackout(true)).expect("an input");
    stand.runtime.advance(Duration::ZERO);
    let records = drain(&frames);
    let last: Vec<_> = records.iter().rev().take(2).map(|(record, _)| record).collect();
    assert_eq!((last[0].levels[2], last[1].levels[2]), (0, 255));
    assert_eq!((last[0].frame, last[0].time_ns), (last[1].frame, last[1].time_ns));
}

#[test]
fn frames_end_with_their_show_and_the_next_one_has_its_own() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    let end = End::default();
    let of_first = frames(&stand, Overflow::DropOldest, end.clone());
    stand.runtime.advance(Duration::from_millis(200));
    session.cancel();
    stand.runtime.advance(Duration::ZERO);
    assert!(of_first.is_released());
    assert_eq!(*end.0.lock().expect("a sound lock"), Some(Release::Ended));
    assert!(!drain(&of_first).is_empty());
    // Of no show until there is another one.
    let of_second = frames(&stand, Overflow::DropOldest, End::default());
    stand.runtime.advance(Duration::from_secs(1));
    assert_eq!(drain(&of_second), []);
    let _session = stand.start();
    stand.runtime.advance(Duration::from_millis(200));
    assert_eq!(drain(&of_second)[0].0.frame, 1);
    assert_eq!(drain(&of_first), []);
}
