use super::*;
use crate::job::Release;
use crate::lane::Doorbell;
use crate::own_thread::OwnThread;
use crate::ring::Overflow;
use crate::sound::queue::{BlockQueue, Stamp};
use crate::sound::tests::{Act, Counted, Ear, Scripted};
use crate::sound::{BLOCK_SAMPLES, DEMO_DEVICE};
use rustle_testkit::allocations_in;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

fn configuration(device: &str, frame_limit: Option<u64>) -> SoundConfiguration {
    SoundConfiguration {
        device: device.to_owned(),
        rate: 48_000,
        channels: 2,
        period: 480,
        frame_limit,
    }
}

fn engine(frame_limit: Option<u64>) -> (CaptureEngine, Arc<Runtime>) {
    let runtime = Arc::new(Runtime::manual(0));
    let engine = CaptureEngine::on(runtime.clone(), configuration(DEMO_DEVICE, frame_limit)).expect("valid");
    (engine, runtime)
}

impl CaptureEngine {
    /// Starts a session from a device of the test's.
    fn start_scripted(&self, device: Scripted, ear: Ear<SoundBlock>) -> CaptureSession {
        let source = Source::Device(DeviceSource::start(Box::new(device), self.0.shape).expect("a thread"));
        let started = self.start_from(source, Delivery::Push(Box::new(ear)));
        started.expect("started")
    }
}

/// A delivery in a lane of `capacity` blocks.
fn pulled(capacity: usize, bell: impl Doorbell + 'static) -> Delivery<SoundBlock> {
    Delivery::pull(Overflow::DropOldest, capacity, bell).expect("a size of lanes")
}

/// Sound whose samples are all different.
fn frames(from: usize, count: usize) -> Act {
    Act::Frames((2 * from..2 * (from + count)).map(|n| n as f32).collect())
}

#[test]
fn demonstration_follows_the_clock_without_a_hole() {
    let (engine, runtime) = engine(None);
    let (ear, blocks, _) = Ear::new();
    let _session = engine.start(Delivery::Push(Box::new(ear))).expect("started");
    runtime.advance(Duration::from_secs(1));
    let blocks: Vec<SoundBlock> = blocks.try_iter().collect();
    let mut next = 0;
    for (number, block) in blocks.iter().enumerate() {
        assert_eq!((block.sequence, block.position), (number as u64, next));
        assert_eq!((block.lost, block.overruns), (0, 0));
        assert!(block.frames as usize * 2 <= BLOCK_SAMPLES);
        next += u64::from(block.frames);
    }
    // The first period at once, and one every hundredth of a second.
    assert_eq!(next, 480 * 101);
    let peak = |blocks: &[SoundBlock]| {
        let samples = blocks.iter().flat_map(|block| block.samples);
        samples.fold(0.0, |peak: f32, sample| peak.max(sample.abs()))
    };
    assert!((0.000_9..0.001_2).contains(&peak(&blocks[..8])));
    assert!(peak(&blocks) > 1.8 * peak(&blocks[..8]), "the level rises");
}

#[test]
fn session_ends_with_its_last_frame() {
    let (engine, runtime) = engine(Some(1_000));
    let (ear, blocks, releases) = Ear::new();
    let _session = engine.start(Delivery::Push(Box::new(ear))).expect("started");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    assert_eq!(blocks.try_iter().map(|block| block.frames).sum::<u32>(), 1_000);
}

#[test]
fn slow_consumer_loses_blocks_that_are_counted() {
    let (engine, runtime) = engine(Some(48_000));
    let (bell, _, releases) = Ear::<SoundBlock>::new();
    let session = engine.start(pulled(4, bell)).expect("started");
    runtime.advance(Duration::from_secs(2));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    let mut seen = Vec::new();
    let (count, statistics) = session
        .drain(100, |block, gap| seen.push((block.sequence, gap)))
        .expect("it pulls");
    assert_eq!((count, statistics.delivered), (4, 4));
    let gap = u64::from(seen[0].1);
    assert_eq!((statistics.dropped, seen[0].0), (gap, gap));
}

#[test]
fn device_is_read_in_order_and_its_overruns_are_reported() {
    let (engine, runtime) = engine(None);
    let (ear, blocks, releases) = Ear::new();
    let acts = [
        frames(0, 100),
        Act::Nothing,
        frames(100, 28),
        Act::Interrupted,
        frames(128, 64),
        Act::Lost,
    ];
    let _session = engine.start_scripted(Scripted::new(2, acts), ear);
    let release = loop {
        runtime.advance(Duration::from_millis(10));
        if let Ok(release) = releases.try_recv() {
            break release;
        }
    };
    let reported: Vec<SoundBlock> = blocks.try_iter().collect();
    let shape: Vec<_> = reported
        .iter()
        .map(|block| (block.position, block.frames, block.overruns, block.lost))
        .collect();
    assert_eq!(shape, [(0, 100, 0, 0), (100, 28, 0, 0), (128, 64, 1, 0)]);
    let sound: Vec<f32> = reported
        .iter()
        .flat_map(|block| block.samples[..2 * block.frames as usize].iter().copied())
        .collect();
    assert!(sound.iter().enumerate().all(|(n, sample)| *sample == n as f32));
    let Release::Failed(reason) = release else {
        panic!("expected a failure, got {release:?}");
    };
    assert!(reason.contains("it was pulled out"), "{reason}");
}

#[test]
fn worker_that_is_held_up_finds_the_hole_in_its_place() {
    let (engine, runtime) = engine(None);
    let (ear, blocks, releases) = Ear::new();
    // 375 blocks of 128 frames fit; none is taken out until the device is gone. The first poll is done by then.
    let (word, of_word) = channel();
    let sound = (0..1_000).map(|n| frames(128 * n, 128));
    let device = Scripted::new(
        2,
        [Act::Wait(of_word)].into_iter().chain(sound).chain([Act::Lost]),
    );
    let is_closed = device.is_closed.clone();
    let _session = engine.start_scripted(device, ear);
    runtime.advance(Duration::ZERO);
    word.send(()).expect("the device waits");
    while !is_closed.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    while releases.try_recv().is_err() {
        runtime.advance(Duration::from_millis(10));
    }
    let reported: Vec<SoundBlock> = blocks.try_iter().collect();
    assert_eq!(reported.len(), 375);
    assert!(reported.iter().all(|block| block.lost == 0));
}

#[test]
fn block_after_a_hole_reports_how_long_it_was() {
    let (engine, runtime) = engine(None);
    let (ear, blocks, _) = Ear::new();
    let queue = Arc::new(BlockQueue::new(4, 128, 2).expect("memory"));
    let thread = OwnThread::start("rustle-test", |_| Ok(())).expect("a thread");
    for position in [100, 228, 1_100] {
        let stamp = Stamp {
            position,
            overruns: 0,
            frames: 128,
        };
        assert!(queue.write(stamp, &[0.5; 256]));
    }
    let source = Source::Device(DeviceSource { thread, queue });
    let _session = engine.start_from(source, Delivery::Push(Box::new(ear)));
    runtime.advance(Duration::from_millis(10));
    let reported: Vec<u64> = blocks.try_iter().map(|block| block.lost).collect();
    assert_eq!(reported, [100, 0, 744]);
}

#[test]
fn session_whose_last_frames_are_lost_ends_all_the_same() {
    let (engine, runtime) = engine(Some(1_000));
    let (ear, blocks, releases) = Ear::new();
    let queue = Arc::new(BlockQueue::new(4, 128, 2).expect("memory"));
    let thread = OwnThread::start("rustle-test", |leaving| {
        while !leaving.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Ok(())
    });
    for position in [0, 2_000] {
        let stamp = Stamp {
            position,
            overruns: 0,
            frames: 128,
        };
        assert!(queue.write(stamp, &[0.5; 256]));
    }
    let thread = thread.expect("a thread");
    let source = Source::Device(DeviceSource { thread, queue });
    let _session = engine.start_from(source, Delivery::Push(Box::new(ear)));
    runtime.advance(Duration::from_millis(10));
    assert_eq!(releases.recv(), Ok(Release::Ended));
    assert_eq!(blocks.try_iter().map(|block| block.frames).sum::<u32>(), 128);
}

#[test]
fn demonstration_keeps_up_with_the_fastest_clock_there_is() {
    let runtime = Arc::new(Runtime::manual(0));
    let fast = SoundConfiguration {
        rate: 1_000_000,
        channels: 1,
        period: 1,
        ..configuration(DEMO_DEVICE, None)
    };
    let engine = CaptureEngine::on(runtime.clone(), fast).expect("valid");
    let (ear, blocks, _) = Ear::new();
    let _session = engine.start(Delivery::Push(Box::new(ear))).expect("started");
    runtime.advance(Duration::from_millis(20));
    assert_eq!(blocks.try_iter().map(|block| block.frames).sum::<u32>(), 20_001);
}

#[test]
fn device_is_closed_before_its_session_is_released() {
    let (engine, runtime) = engine(None);
    let device = Scripted::new(2, []);
    let is_closed = device.is_closed.clone();
    let (ear, _, releases) = Ear::new();
    let session = engine.start_scripted(device, ear);
    session.cancel();
    runtime.advance(Duration::ZERO);
    assert_eq!(releases.recv(), Ok(Release::Cancelled));
    assert!(is_closed.load(Ordering::SeqCst));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refusal = |change: fn(&mut SoundConfiguration)| {
        let mut configuration = configuration(DEMO_DEVICE, None);
        change(&mut configuration);
        let refused = CaptureEngine::on(Arc::new(Runtime::manual(0)), configuration);
        refused.err().map(|error| error.to_string())
    };
    let expected = |text: &str| Some(text.to_owned());
    assert_eq!(
        refusal(|c| c.rate = 0),
        expected("sample rate: expected 1 to 1000000 Hz, got 0")
    );
    assert_eq!(
        refusal(|c| c.channels = 33),
        expected("channels: expected 1 to 32, got 33")
    );
    assert_eq!(
        refusal(|c| c.period = 0),
        expected("period: expected 1 to 65536 frames, got 0")
    );
    let (engine, _) = engine(None);
    let refused = engine.start(pulled(65_537, crate::lane::NoBell));
    assert_eq!(
        refused.err().map(|error| error.to_string()),
        expected("capacity: expected 1 to 65536 elements, got 65537")
    );
}

#[test]
fn thread_of_a_device_allocates_nothing() {
    let is_leaving = Arc::new(AtomicBool::new(false));
    let queue = BlockQueue::new(64, 128, 2).expect("memory");
    let mut device = Counted {
        calls: 1_000,
        is_leaving: is_leaving.clone(),
    };
    let mut samples = [0.0; BLOCK_SAMPLES];
    let (count, (outcome, heard)) = allocations_in(|| {
        // More than fit.
        let outcome = job::read(&mut device, &queue, 128, 2, &is_leaving);
        (outcome, std::iter::from_fn(|| queue.read(&mut samples)).count())
    });
    assert_eq!((count, outcome, heard), (0, Ok(()), 64));
}

#[test]
fn seconds_in_which_the_process_is_stopped_are_lost_frames_of_the_demonstration() {
    let (engine, runtime) = engine(None);
    let (ear, blocks, _) = Ear::new();
    let _session = engine.start(Delivery::Push(Box::new(ear))).expect("started");
    runtime.advance(Duration::from_secs(1));
    runtime.set(|clock| clock.leap(Duration::from_secs(5)));
    runtime.advance(Duration::from_secs(1));
    let blocks: Vec<SoundBlock> = blocks.try_iter().collect();
    let lost: Vec<&SoundBlock> = blocks.iter().filter(|block| block.lost > 0).collect();
    // The period after the stop is due 10 ms after the last one before it.
    assert_eq!(lost.len(), 1);
    assert_eq!((lost[0].position, lost[0].lost), (600 * 480, 499 * 480));
    let heard: u64 = blocks.iter().map(|block| u64::from(block.frames)).sum();
    let last = blocks.last().expect("blocks");
    assert_eq!(last.position + u64::from(last.frames), heard + lost[0].lost);
    assert_eq!(heard + lost[0].lost, 701 * 480, "seven seconds and a period");
}

#[test]
fn demonstration_whose_last_frames_are_lost_ends_all_the_same() {
    let (engine, runtime) = engine(Some(48_000));
    let (ear, blocks, releases) = Ear::new();
    let _session = engine.start(Delivery::Push(Box::new(ear))).expect("started");
    runtime.advance(Duration::from_millis(100));
    runtime.set(|clock| clock.leap(Duration::from_secs(5)));
    assert_eq!(releases.try_recv(), Ok(Release::Ended));
    assert_eq!(blocks.try_iter().map(|block| block.frames).sum::<u32>(), 11 * 480);
}
