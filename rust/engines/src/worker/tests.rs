use super::*;
use crate::clock::ManualClock;

/// Waits for an hour, fails, or panics.
enum Doing {
    Wait,
    Fail,
    Panic,
}

struct Work {
    doing: Doing,
    heard: Arc<Mutex<Vec<Release>>>,
}

impl Job for Work {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        match self.doing {
            Doing::Wait => Step::At(context.now() + 3_600_000_000_000),
            Doing::Fail => Step::Fail("the device is gone".to_owned()),
            Doing::Panic => panic!("on purpose"),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.heard.lock().expect("a sound lock").push(release);
    }
}

struct Bench {
    worker: Worker,
    heard: Arc<Mutex<Vec<Release>>>,
    poison: Arc<AtomicBool>,
    keys: u64,
}

impl Bench {
    fn new() -> Self {
        let inbox = Arc::new(Inbox::new());
        Self {
            worker: Worker::new(inbox, Arc::new(ManualClock::new(0))),
            heard: Arc::default(),
            poison: Arc::default(),
            keys: 0,
        }
    }

    fn start(&mut self, doing: Doing) -> Session {
        let inbox = self.worker.inbox.clone();
        let session = Session::new(self.keys, inbox.clone());
        self.keys += 1;
        inbox.start(Running {
            session: session.clone(),
            job: Box::new(Work {
                doing,
                heard: self.heard.clone(),
            }),
            poison: self.poison.clone(),
        });
        session
    }

    fn heard(&self) -> Vec<Release> {
        self.heard.lock().expect("a sound lock").clone()
    }
}

#[test]
fn starting_and_cancelling_for_ever_keeps_no_timers() {
    let mut bench = Bench::new();
    for _ in 0..10_000 {
        let session = bench.start(Doing::Wait);
        assert!(bench.worker.turn());
        session.cancel();
        assert!(bench.worker.turn());
    }
    assert_eq!(bench.heard().len(), 10_000);
    assert!(bench.worker.timers.len() <= 66, "{}", bench.worker.timers.len());
    assert!(bench.worker.running.is_empty());
}

/// A log subscriber of the host that is not fit for it.
struct PanickingLog;

impl tracing::Subscriber for PanickingLog {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        panic!("a log that panics");
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn log_that_panics_keeps_no_release_from_the_listener() {
    let mut bench = Bench::new();
    let waiting = bench.start(Doing::Wait);
    assert!(bench.worker.turn());
    waiting.cancel();
    let goes_on = tracing::subscriber::with_default(PanickingLog, || bench.worker.turn());
    assert!(goes_on);
    assert_eq!(bench.heard(), [Release::Cancelled]);
    assert!(waiting.is_released());
}

#[test]
fn job_that_cannot_go_on_is_released_with_its_reason_and_poisons_nothing() {
    let mut bench = Bench::new();
    let waiting = bench.start(Doing::Wait);
    bench.start(Doing::Fail);
    assert!(bench.worker.turn());
    assert_eq!(bench.heard(), [Release::Failed("the device is gone".to_owned())]);
    assert!(!bench.poison.load(Ordering::Acquire));
    assert!(!waiting.is_released());
}

#[test]
fn panic_of_one_job_leaves_the_others_running() {
    let mut bench = Bench::new();
    let waiting = bench.start(Doing::Wait);
    bench.start(Doing::Panic);
    assert!(bench.worker.turn());
    assert_eq!(bench.heard(), [Release::Panicked("on purpose".to_owned())]);
    assert!(bench.poison.load(Ordering::Acquire));
    assert!(!waiting.is_released() && !waiting.is_cancelled());
    assert_eq!(bench.worker.running.len(), 1);
}
