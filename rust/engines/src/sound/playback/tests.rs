use super::*;
use crate::job::Release;
use crate::sound::DEMO_DEVICE;
use crate::sound::tests::{Act, Counted, Ear, Scripted};
use std::time::Duration;

fn engine(frame_limit: Option<u64>) -> (PlaybackEngine, Arc<Runtime>) {
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = SoundConfiguration {
        device: DEMO_DEVICE.to_owned(),
        rate: 48_000,
        channels: 2,
        period: 480,
        frame_limit,
    };
    let engine = PlaybackEngine::on(runtime.clone(), configuration).expect("valid");
    (engine, runtime)
}

impl PlaybackEngine {
    /// Starts a session into a device of the test's, with sound that waits already.
    fn start_scripted(&self, device: Scripted, sound: &[f32], ear: Ear<PlaybackProgress>) -> PlaybackSession {
        let shared = Arc::new(Shared::new(self.0.shape).expect("memory"));
        assert_eq!(shared.queue.write(sound) * 2, sound.len());
        let sink =
            DeviceSink::start(Box::new(device), self.0.shape, u64::MAX, shared.clone()).expect("a thread");
        let started = self.start_into(Sink::Device(sink), shared, None, Outlet::Push(Box::new(ear)));
        started.expect("started")
    }
}

fn sound(frames: usize) -> Vec<f32> {
    (1..=2 * frames).map(|n| n as f32).collect()
}

#[test]
fn demonstration_takes_what_is_written_at_its_rate() {
    let (engine, runtime) = engine(None);
    let (ear, records, releases) = Ear::new();
    let session = engine.start_pushing(ear).expect("started");
    // The first period is due at once, and is always silence.
    runtime.advance(Duration::ZERO);
    assert_eq!(session.write(&sound(1_000)).ok(), Some(2_000));
    runtime.advance(Duration::from_millis(5));
    session.finish().expect("no fork");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    let records: Vec<PlaybackProgress> = records.try_iter().collect();
    let reported: Vec<_> = records
        .iter()
        .map(|at| (at.sequence, at.position, at.played, at.queued))
        .collect();
    assert_eq!(
        reported,
        [
            (0, 480, 0, 0),
            (1, 960, 480, 520),
            (2, 1_440, 960, 40),
            (3, 1_920, 1_000, 0)
        ]
    );
    assert!(
        records.iter().all(|at| at.inserted_silence == 0),
        "the end is no underrun"
    );
}

#[test]
fn silence_in_the_place_of_sound_that_is_late_is_counted() {
    let (engine, runtime) = engine(None);
    let (ear, records, _) = Ear::new();
    let session = engine.start_pushing(ear).expect("started");
    runtime.advance(Duration::from_millis(15));
    session.write(&sound(480)).expect("whole frames");
    runtime.advance(Duration::from_millis(30));
    let last = records.try_iter().last().expect("reported");
    // Two periods before the first sound are no underrun; the one after it is.
    assert_eq!(
        (last.position, last.played, last.inserted_silence),
        (5 * 480, 480, 2 * 480)
    );
}

#[test]
fn no_more_is_taken_than_there_is_room_for() {
    let (engine, _runtime) = engine(None);
    let (ear, ..) = Ear::new();
    let session = engine.start_pushing(ear).expect("started");
    let taken = session.write(&sound(30_000)).expect("whole frames");
    assert!((48_000..=48_960).contains(&taken), "half a second: {taken}");
    assert!(matches!(
        session.write(&[0.0; 3]),
        Err(SoundError::Frames { channels: 2, got: 3 })
    ));
}

#[test]
fn sound_of_several_threads_is_played_whole() {
    let (engine, runtime) = engine(None);
    let (ear, records, releases) = Ear::new();
    let session = engine.start_pushing(ear).expect("started");
    // The first period is due at once. Taken while the threads write, it could have sound in a part of it.
    runtime.advance(Duration::ZERO);
    // Four times 5,000 frames: less than the half second that fits.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(session.write(&[0.5; 200]).ok(), Some(200));
                }
            });
        }
    });
    session.finish().expect("no fork");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    let last = records.try_iter().last().expect("reported");
    assert_eq!((last.played, last.inserted_silence), (20_000, 0));
}

#[test]
fn session_ends_at_its_limit_with_or_without_sound() {
    let (engine, runtime) = engine(Some(1_000));
    let (ear, records, releases) = Ear::new();
    let _session = engine.start_pushing(ear).expect("started");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    assert_eq!(records.try_iter().last().map(|at| at.position), Some(1_000));
}

#[test]
fn device_hears_every_sample_in_order_and_silence_behind() {
    let (engine, runtime) = engine(None);
    let acts = [
        Act::Take(3),
        Act::Nothing,
        Act::Take(1),
        Act::Interrupted,
        Act::Take(100),
    ];
    let device = Scripted::new(2, acts);
    let heard = device.heard.clone();
    let (ear, records, releases) = Ear::new();
    let session = engine.start_scripted(device, &sound(1_000), ear);
    session.finish().expect("no fork");
    let release = loop {
        runtime.advance(Duration::from_millis(10));
        if let Ok(release) = releases.try_recv() {
            break release;
        }
    };
    assert_eq!(release, Release::Ended);
    let heard = heard.lock().expect("no panic under the lock");
    assert_eq!(heard[..2_000], sound(1_000));
    assert!(heard.len() >= 2_200, "the device still held 100 frames");
    assert!(heard[2_000..].iter().all(|sample| *sample == 0.0));
    let last = records.try_iter().last().expect("reported");
    assert_eq!((last.played, last.underruns), (1_000, 1));
}

#[test]
fn device_that_is_lost_fails_the_session() {
    let (engine, runtime) = engine(None);
    let (ear, _, releases) = Ear::new();
    let _session = engine.start_scripted(Scripted::new(2, [Act::Take(10), Act::Lost]), &sound(100), ear);
    let release = loop {
        runtime.advance(Duration::from_millis(10));
        if let Ok(release) = releases.try_recv() {
            break release;
        }
    };
    assert!(matches!(release, Release::Failed(reason) if reason.contains("it was pulled out")));
}

#[test]
fn thread_of_a_device_allocates_nothing() {
    let (engine, _runtime) = engine(None);
    for is_finished in [false, true] {
        let shared = Arc::new(Shared::new(engine.0.shape).expect("memory"));
        assert_eq!(shared.queue.write(&sound(10_000)), 10_000);
        shared.is_finished.store(is_finished, Ordering::Release);
        let is_leaving = Arc::new(AtomicBool::new(false));
        let device = Counted {
            calls: 1_000,
            is_leaving: is_leaving.clone(),
        };
        let mut feeder = job::Feeder::new(Box::new(device), engine.0.shape, shared.clone());
        let (count, outcome) = rustle_testkit::allocations_in(|| feeder.feed(u64::MAX, &is_leaving).is_ok());
        assert_eq!((count, outcome), (0, true));
        assert_eq!(shared.progress(0).played, 10_000);
    }
}

#[test]
fn seconds_in_which_the_process_is_stopped_are_an_underrun_of_the_demonstration() {
    let (engine, runtime) = engine(None);
    let (ear, records, _) = Ear::new();
    let _session = engine.start_pushing(ear).expect("started");
    runtime.advance(Duration::from_millis(100));
    runtime.set(|clock| clock.leap(Duration::from_millis(900)));
    let before = records.try_iter().last().expect("records");
    assert_eq!(
        (before.underruns, before.position),
        (0, 101 * 480),
        "less than a second is caught up"
    );
    runtime.set(|clock| clock.leap(Duration::from_secs(5)));
    runtime.advance(Duration::from_millis(10));
    let after = records.try_iter().last().expect("records");
    assert_eq!((after.underruns, after.position), (1, 103 * 480));
}

#[test]
fn half_a_second_finds_room_or_four_periods_where_these_are_longer() {
    let (engine, runtime) = engine(None);
    let session = engine.start_pushing(Ear::new().0).expect("started");
    // The first period has passed by then.
    runtime.advance(Duration::ZERO);
    assert_eq!(session.write(&sound(30_000)).ok(), Some(2 * 24_000));
    assert_eq!(session.write(&sound(1)).ok(), Some(0));
    let refused = session.write(&[0.0; 3]).map_err(|error| error.to_string());
    assert_eq!(
        refused,
        Err("samples: expected whole frames of 2, got 3 samples".to_owned())
    );
    let long = SoundConfiguration {
        device: DEMO_DEVICE.to_owned(),
        rate: 8_000,
        channels: 1,
        period: 8_000,
        frame_limit: None,
    };
    let engine = PlaybackEngine::on(runtime.clone(), long).expect("valid");
    let session = engine.start_pushing(Ear::new().0).expect("started");
    runtime.advance(Duration::ZERO);
    assert_eq!(session.write(&[0.0; 40_000]).ok(), Some(32_000));
}

#[test]
fn session_with_a_limit_ends_with_its_last_frame_and_not_a_period_later() {
    let (engine, runtime) = engine(Some(960));
    let (ear, records, releases) = Ear::new();
    let _session = engine.start_pushing(ear).expect("started");
    runtime.advance(Duration::from_millis(9));
    assert!(releases.try_recv().is_err());
    runtime.advance(Duration::from_millis(1));
    assert_eq!(releases.try_recv(), Ok(Release::Ended));
    assert_eq!(records.try_iter().last().map(|at| at.position), Some(960));
}
