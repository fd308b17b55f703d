use super::*;
use crate::clock::ManualClock;
use crate::schedule::Skipped;
use std::sync::atomic::AtomicU64;

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
            worker: Worker::new(inbox, Arc::new(ManualClock::new(0)), Arc::default()),
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
            timer: None,
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
    assert_eq!(bench.worker.timers.len(), 0);
    assert!(bench.worker.running.is_empty());
}

/// A log subscriber of the host that panics.
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

/// A clock on which a worker's next deadline is reached at once.
struct Leaping(AtomicU64);

impl Clock for Leaping {
    fn now(&self) -> Nanoseconds {
        self.0.load(Ordering::Acquire)
    }

    fn wall_ms(&self) -> i64 {
        0
    }

    fn wait_for(&self, deadline: Option<Nanoseconds>) -> Wait {
        self.0.fetch_max(deadline.unwrap_or(0), Ordering::AcqRel);
        Wait::Ready
    }

    fn shortest_sleep(&self) -> Nanoseconds {
        500
    }
}

/// A job that asks for one time after the other, and records its polls.
struct Asks {
    times: Vec<Nanoseconds>,
    polled: Arc<Mutex<Vec<Nanoseconds>>>,
    lag: Option<Nanoseconds>,
}

impl Job for Asks {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.polled.lock().expect("a sound lock").push(context.now());
        if let Some(lag) = self.lag {
            context.was_held_up(Skipped { lag, ticks: 0 });
        }
        self.times.pop().map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, _: Release) {}
}

/// Runs a worker on a leaping clock with jobs that ask for these times, the last of each first, and have these lags; returns the
/// polls of each.
fn asking(jobs: &[(&[Nanoseconds], Option<Nanoseconds>)]) -> (Worker, Vec<Arc<Mutex<Vec<Nanoseconds>>>>) {
    let inbox = Arc::new(Inbox::new());
    let polled = jobs.iter().enumerate().map(|(key, (times, lag))| {
        let polled = Arc::default();
        inbox.start(Running {
            session: Session::new(key as u64, inbox.clone()),
            job: Box::new(Asks {
                times: times.to_vec(),
                polled: Arc::clone(&polled),
                lag: *lag,
            }),
            poison: Arc::default(),
            timer: None,
        });
        polled
    });
    let polled = polled.collect();
    (
        Worker::new(inbox, Arc::new(Leaping(AtomicU64::new(0))), Arc::default()),
        polled,
    )
}

#[test]
fn deadlines_that_are_close_are_met_in_one_go_and_others_on_time() {
    let (mut worker, polled) = asking(&[(&[10_000, 100], None), (&[200], None), (&[500], None)]);
    (0..3).for_each(|_| assert!(worker.turn()));
    let polled: Vec<_> = polled
        .iter()
        .map(|times| times.lock().expect("a sound lock").clone())
        .collect();
    assert_eq!(polled, [vec![0, 500, 10_000], vec![0, 500], vec![0, 500]]);
}

#[test]
fn jobs_that_were_held_up_are_reported_of_together() {
    let (mut worker, _) = asking(&[(&[], Some(3)), (&[], None), (&[], Some(7))]);
    let orders = worker.inbox.wait(&*worker.clock, &worker.timers, 0);
    worker.take(orders);
    worker.poll_due();
    assert_eq!(worker.held_up.take(), Some((2, 7)));
    assert_eq!(worker.held_up.take(), None);
}

#[test]
fn bell_rings_for_a_worker_that_sleeps_and_for_no_other() {
    let (inbox, clock, timers) = (Inbox::new(), ManualClock::new(0), Timers::default());
    inbox.wake(1);
    assert!(!inbox.lock().is_asleep);
    assert_eq!(inbox.wait(&clock, &timers, 0).wakes, [1]);
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| inbox.wait(&clock, &timers, 0).wakes);
        while !inbox.lock().is_asleep {
            std::thread::yield_now();
        }
        inbox.wake(2);
        assert_eq!(sleeper.join().expect("no panic"), [2]);
        assert!(!inbox.lock().is_asleep);
    });
}

#[test]
fn cancels_and_wakes_that_come_again_before_they_were_seen_are_one_order() {
    let inbox = Arc::new(Inbox::new());
    let session = Session::new(7, inbox.clone());
    for _ in 0..3 {
        session.wake();
        session.cancel();
    }
    let orders = inbox.wait(&ManualClock::new(0), &Timers::default(), 0);
    assert_eq!((orders.wakes, orders.cancels), (vec![7], vec![7]));
    session.take_wake();
    session.wake();
    session.cancel();
    let orders = inbox.wait(&ManualClock::new(0), &Timers::default(), 0);
    assert_eq!((orders.wakes, orders.cancels), (vec![7], vec![]));
}

#[test]
fn job_whose_session_is_cancelled_is_polled_no_more() {
    let mut bench = Bench::new();
    let first = bench.start(Doing::Panic);
    first.cancel();
    let waiting = bench.start(Doing::Wait);
    assert!(bench.worker.turn());
    assert_eq!(bench.heard(), [Release::Cancelled]);
    assert!(first.is_released() && first.is_cancelled());
    assert!(!waiting.is_released());
    assert!(!bench.poison.load(Ordering::Acquire));
}

#[test]
fn worker_that_is_stopped_releases_what_is_left_and_lets_those_go_who_wait() {
    let mut bench = Bench::new();
    let sessions = [bench.start(Doing::Wait), bench.start(Doing::Wait)];
    let (inbox, heard) = (bench.worker.inbox.clone(), bench.heard.clone());
    let worker = std::thread::spawn(move || bench.worker.run());
    inbox.settle();
    inbox.stop();
    worker.join().expect("no panic");
    inbox.settle();
    assert!(sessions.iter().all(Session::is_released));
    let heard = heard.lock().expect("a sound lock").clone();
    assert_eq!(heard, [Release::Cancelled, Release::Cancelled]);
}

mod bounded_work;
