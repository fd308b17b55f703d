//! A worker does ordered and due work, and nothing else: promise G20.

use super::*;

/// A clock that a test sets, on which no thread waits.
#[derive(Default)]
struct Set {
    now: AtomicU64,
    /// The deadlines that the worker waited for.
    waits: Mutex<Vec<Option<Nanoseconds>>>,
}

impl Clock for Set {
    fn now(&self) -> Nanoseconds {
        self.now.load(Ordering::Acquire)
    }

    fn wall_ms(&self) -> i64 {
        0
    }

    fn wait_for(&self, deadline: Option<Nanoseconds>) -> Wait {
        self.waits.lock().expect("a sound lock").push(deadline);
        match deadline {
            Some(deadline) if deadline <= self.now() => Wait::Ready,
            _ => Wait::ForBell,
        }
    }
}

/// The next step of a job of [`Counts`], and the number of its polls.
struct Account {
    next: Mutex<Option<Nanoseconds>>,
    polls: AtomicU64,
}

/// A job that counts its polls, and returns the step of its account.
struct Counts(Arc<Account>);

impl Job for Counts {
    fn poll(&mut self, _: &PollContext<'_>) -> Step {
        self.0.polls.fetch_add(1, Ordering::Relaxed);
        self.0
            .next
            .lock()
            .expect("a sound lock")
            .map_or(Step::Wait, Step::At)
    }

    fn release(self: Box<Self>, _: Release) {}
}

struct Counted {
    worker: Worker,
    clock: Arc<Set>,
    keys: u64,
}

impl Counted {
    fn new() -> Self {
        let clock = Arc::new(Set::default());
        Self {
            worker: Worker::new(Arc::new(Inbox::new()), clock.clone(), Arc::default()),
            clock,
            keys: 0,
        }
    }

    fn start(&mut self, next: Option<Nanoseconds>) -> (Session, Arc<Account>) {
        let account = Arc::new(Account {
            next: Mutex::new(next),
            polls: AtomicU64::new(0),
        });
        let session = Session::new(self.keys, self.worker.inbox.clone());
        self.keys += 1;
        self.worker.inbox.start(Running {
            session: session.clone(),
            job: Box::new(Counts(account.clone())),
            poison: Arc::default(),
            timer: None,
        });
        (session, account)
    }
}

#[test]
fn job_that_is_woken_a_million_times_keeps_one_deadline() {
    let mut counted = Counted::new();
    let (session, account) = counted.start(Some(3_600_000_000_000));
    for wake in 0..=1_000_000 {
        assert!(counted.worker.turn());
        assert_eq!(counted.worker.timers.len(), 1);
        assert_eq!(account.polls.load(Ordering::Relaxed), 1 + wake);
        session.wake();
    }
}

/// Pseudorandom numbers; Knuth's multiplier.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The expected state of a job.
struct Expected {
    session: Session,
    account: Arc<Account>,
    /// The last step that it returned, unless a wake replaced it; a start is a wake.
    deadline: Option<Nanoseconds>,
    is_woken: bool,
    polls: u64,
}

#[test]
fn jobs_are_polled_once_for_a_wake_or_a_deadline_and_for_nothing_else() {
    let mut draws = Draws(20_261_122);
    let mut counted = Counted::new();
    let mut jobs: Vec<Expected> = Vec::new();
    let (mut wakes, mut cancels) = (0, 0);
    while wakes < 300_000 {
        while jobs.len() < 16 {
            let (session, account) = counted.start(None);
            jobs.push(Expected {
                session,
                account,
                deadline: None,
                is_woken: true,
                polls: 0,
            });
        }
        for _ in 0..1 + draws.below(3) {
            let job = &mut jobs[draws.below(16) as usize];
            job.session.wake();
            job.is_woken = true;
            wakes += 1;
        }
        if draws.below(50) == 0 {
            let job = jobs.swap_remove(draws.below(16) as usize);
            job.session.cancel();
            job.session.wake();
            assert_eq!(job.account.polls.load(Ordering::Relaxed), job.polls);
            cancels += 1;
        }
        let now = counted.clock.now() + draws.below(20);
        counted.clock.now.store(now, Ordering::Release);
        for job in &mut jobs {
            if job.is_woken || job.deadline.is_some_and(|deadline| deadline <= now) {
                let next = (draws.below(4) > 0).then(|| now + draws.below(100));
                *job.account.next.lock().expect("a sound lock") = next;
                (job.deadline, job.is_woken) = (next, false);
                job.polls += 1;
            }
        }
        assert!(counted.worker.turn());
        for job in &jobs {
            assert_eq!(job.account.polls.load(Ordering::Relaxed), job.polls);
        }
        let deadlines = jobs.iter().filter_map(|job| job.deadline);
        assert_eq!(counted.worker.timers.next_deadline(), deadlines.clone().min());
        assert_eq!(counted.worker.timers.len(), deadlines.count());
        assert_eq!(counted.worker.running.len(), jobs.len());
    }
    assert!(cancels > 1_000, "{cancels}");
}

#[test]
fn idle_worker_waits_for_the_bell_and_for_no_time() {
    let mut counted = Counted::new();
    let jobs: Vec<_> = (0..8).map(|_| counted.start(Some(1_000))).collect();
    let idle = counted.start(None);
    assert!(counted.worker.turn());
    for (session, account) in &jobs {
        *account.next.lock().expect("a sound lock") = None;
        session.wake();
    }
    assert!(counted.worker.turn());
    jobs[0].0.cancel();
    assert!(counted.worker.turn());
    counted.clock.now.store(u64::MAX / 2, Ordering::Release);
    counted.clock.waits.lock().expect("a sound lock").clear();
    let (inbox, clock) = (counted.worker.inbox.clone(), counted.clock.clone());
    let worker = std::thread::spawn(move || counted.worker.run());
    // Each answer is one waking of the worker, requested by this test.
    for _ in 0..100 {
        inbox.settle();
    }
    inbox.stop();
    worker.join().expect("no panic");
    let waits = std::mem::take(&mut *clock.waits.lock().expect("a sound lock"));
    assert_eq!(waits.iter().find(|wait| wait.is_some()), None);
    assert!(waits.len() <= 101, "{}", waits.len());
    let polls: u64 = jobs
        .iter()
        .map(|(_, account)| account.polls.load(Ordering::Relaxed))
        .sum();
    assert_eq!((polls, idle.1.polls.load(Ordering::Relaxed)), (16, 1));
}
