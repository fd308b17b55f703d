#[cfg(target_os = "linux")]
mod writes;

use super::*;
use crate::clock::{Clock, SystemClock};
use crate::job::{Job, PollContext, Release, Step};
use crate::runtime::Runtime;
use crate::transport::{Transport, Udp, UdpOptions};
use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Far longer than any step of these tests takes.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Debug, PartialEq)]
enum Heard {
    /// A poll, and how many datagrams it found.
    Polled(usize),
    Released(Release),
}

/// Receives until nothing waits, and reports it.
struct Listener {
    udp: Arc<Udp>,
    is_watched: bool,
    heard: Sender<Heard>,
}

impl Job for Listener {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if !std::mem::replace(&mut self.is_watched, true) {
            self.udp.watch(context).expect("an open socket");
        }
        let mut count = 0;
        let error = loop {
            match self.udp.try_receive(&mut [0; 8]) {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
        };
        self.heard.send(Heard::Polled(count)).expect("the test listens");
        match error.kind() {
            ErrorKind::WouldBlock => Step::Wait,
            _ => Step::Fail(error.to_string()),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        // A test that is done no longer listens.
        drop(self.heard.send(Heard::Released(release)));
    }
}

struct Bench {
    runtime: Runtime,
    /// Sends to the listeners.
    far: UdpSocket,
}

struct Listening {
    udp: Arc<Udp>,
    at: SocketAddr,
    session: Session,
    heard: Receiver<Heard>,
}

impl Bench {
    fn new() -> Self {
        Self {
            runtime: Runtime::of_system(2),
            far: UdpSocket::bind("127.0.0.1:0").expect("a port"),
        }
    }

    /// A listener that has found nothing yet.
    fn listener(&self) -> Listening {
        let options = UdpOptions::new("127.0.0.1:0".parse().expect("an address"));
        let udp = Arc::new(Udp::open(&options, Arc::new(SystemClock::new())).expect("a socket"));
        let (sender, heard) = channel();
        let job = Listener {
            udp: udp.clone(),
            is_watched: false,
            heard: sender,
        };
        let session = self
            .runtime
            .start(self.runtime.place(), Arc::default(), || Box::new(job))
            .expect("started");
        let listening = Listening {
            at: udp.local_address().expect("bound"),
            udp,
            session,
            heard,
        };
        assert_eq!(listening.next(), Heard::Polled(0));
        // The thread waits, or is about to.
        while self.turns() == 0 {
            std::thread::yield_now();
        }
        listening
    }

    /// What the latest thread shares with the sockets.
    fn sockets(&self) -> Arc<Sockets> {
        let started = locked_surely(&self.runtime.io().started);
        started.as_ref().expect("a socket").sockets.clone()
    }

    fn turns(&self) -> u64 {
        self.sockets().turns.load(Ordering::Relaxed)
    }

    fn watched(&self) -> usize {
        locked_surely(&self.sockets().watched).len()
    }
}

impl Listening {
    fn next(&self) -> Heard {
        self.heard.recv_timeout(PATIENCE).expect("to hear something")
    }
}

/// The thread ended and nobody heard of it: the jobs of all sockets waited for ever, and new sockets were never read.
#[test]
fn error_of_the_wait_for_events_fails_the_sockets_and_the_next_one_is_watched() {
    let bench = Bench::new();
    let listening = [bench.listener(), bench.listener()];
    let sockets = bench.sockets();
    // What the thread does when the system reports an error, here of a descriptor that somebody has closed.
    sockets.serve(|_| Err(io::Error::from_raw_os_error(9)));
    for listening in &listening {
        assert_eq!(listening.next(), Heard::Polled(0));
        let Heard::Released(Release::Failed(reason)) = listening.next() else {
            panic!("expected an end by an error");
        };
        assert!(reason.contains("which sockets are ready"), "{reason}");
    }
    let next = bench.listener();
    assert!(!Arc::ptr_eq(&bench.sockets(), &sockets), "a new thread");
    bench.far.send_to(b"a", next.at).expect("sent");
    assert_eq!(next.next(), Heard::Polled(1));
}

#[test]
fn job_is_polled_for_what_arrives_and_for_nothing_else() {
    let bench = Bench::new();
    let listeners = [bench.listener(), bench.listener()];
    let turns = bench.turns();
    for round in 0..100 {
        let listener = &listeners[round % 2];
        bench.far.send_to(b"a", listener.at).expect("sent");
        assert_eq!(listener.next(), Heard::Polled(1));
    }
    assert!(
        listeners
            .iter()
            .all(|listener| listener.heard.try_recv().is_err())
    );
    assert!(bench.turns() - turns <= 100, "a turn per datagram at most");
}

/// A thousand packets of a frame woke the thread and a worker 26,000 times a second.
#[test]
fn datagrams_that_follow_each_other_wake_their_job_a_few_times() {
    let bench = Bench::new();
    let listener = bench.listener();
    let clock = SystemClock::new();
    let (turns, start) = (bench.turns(), clock.now());
    for _ in 0..2_000 {
        bench.far.send_to(b"a", listener.at).expect("sent");
    }
    assert!(matches!(listener.next(), Heard::Polled(1..)));
    let most = (clock.now() - start) / COLLECTION.as_nanos() as u64 + 2;
    let turns = bench.turns() - turns;
    assert!(turns <= most, "{turns} turns, {most} allowed");
}

#[test]
fn closing_wakes_the_job_and_closing_again_does_nothing() {
    let bench = Bench::new();
    let listener = bench.listener();
    listener.udp.close();
    listener.udp.close();
    assert_eq!(listener.next(), Heard::Polled(0));
    assert!(matches!(listener.next(), Heard::Released(Release::Failed(_))));
    assert_eq!(bench.watched(), 0);
    // The descriptor may be another socket's now.
    let other = bench.listener();
    bench.far.send_to(b"a", other.at).expect("sent");
    assert_eq!(other.next(), Heard::Polled(1));
}

#[test]
fn cancelled_job_is_released_without_the_reactor() {
    let bench = Bench::new();
    let listener = bench.listener();
    let turns = bench.turns();
    listener.session.cancel();
    assert_eq!(listener.next(), Heard::Released(Release::Cancelled));
    assert_eq!(bench.turns(), turns);
}

#[test]
fn thousand_sockets_are_watched_by_one_thread() {
    let bench = Bench::new();
    let listeners: Vec<Listening> = (0..1_000).map(|_| bench.listener()).collect();
    assert_eq!(bench.watched(), 1_000);
    for listener in &listeners {
        bench.far.send_to(b"a", listener.at).expect("sent");
    }
    for listener in &listeners {
        assert_eq!(listener.next(), Heard::Polled(1));
        assert!(listener.heard.try_recv().is_err());
    }
    drop(bench.runtime);
    for listener in &listeners {
        assert_eq!(listener.next(), Heard::Released(Release::Cancelled));
    }
}

#[test]
fn datagram_that_arrives_while_its_socket_is_registered_is_not_missed() {
    for _ in 0..200 {
        let bench = Bench::new();
        let options = UdpOptions::new("127.0.0.1:0".parse().expect("an address"));
        let udp = Arc::new(Udp::open(&options, Arc::new(SystemClock::new())).expect("a socket"));
        let (to, (sender, heard)) = (udp.local_address().expect("bound"), channel());
        let job = Listener {
            udp,
            is_watched: false,
            heard: sender,
        };
        let place = bench.runtime.place();
        std::thread::scope(|scope| {
            scope.spawn(|| bench.far.send_to(b"a", to).expect("sent"));
            let job = || Box::new(job) as Box<dyn Job>;
            bench.runtime.start(place, Arc::default(), job).expect("started");
        });
        while heard.recv_timeout(PATIENCE).expect("to hear of it") != Heard::Polled(1) {}
    }
}

#[test]
fn readiness_that_comes_during_a_try_is_kept() {
    let readiness = Readiness::new(
        Session::new(1, Arc::new(crate::worker::Inbox::new())),
        Urgency::Now,
    );
    let [first, second] = [(); 2].map(|()| readiness.events().expect("a first try"));
    readiness.set_tried(first);
    assert_eq!(readiness.events().ok(), None);
    readiness.add_event();
    // A try that began before it found nothing, too.
    readiness.set_tried(second);
    assert!(readiness.events().is_ok());
}

#[test]
fn runtime_without_sockets_has_no_thread_for_them() {
    let bench = Bench::new();
    let (done, is_done) = channel();
    struct Reports(Sender<()>);
    impl Job for Reports {
        fn poll(&mut self, _: &PollContext<'_>) -> Step {
            self.0.send(()).expect("the test listens");
            Step::End
        }
        fn release(self: Box<Self>, _: Release) {}
    }
    let job = || Box::new(Reports(done)) as Box<dyn Job>;
    let place = bench.runtime.place();
    bench.runtime.start(place, Arc::default(), job).expect("started");
    assert_eq!(is_done.recv_timeout(PATIENCE), Ok(()));
    assert!(locked_surely(&bench.runtime.io().started).is_none());
    bench.runtime.io().stop(true);
}

#[test]
fn manual_runtime_takes_real_sockets_at_its_own_time() {
    let runtime = Runtime::manual(0);
    let far = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let options = UdpOptions::new("127.0.0.1:0".parse().expect("an address"));
    let udp = Arc::new(Udp::open(&options, runtime.shared_clock()).expect("a socket"));
    let (to, (sender, heard)) = (udp.local_address().expect("bound"), channel());
    let job = Listener {
        udp,
        is_watched: false,
        heard: sender,
    };
    let place = runtime.place();
    runtime
        .start(place, Arc::default(), || Box::new(job))
        .expect("started");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(heard.try_recv(), Ok(Heard::Polled(0)));
    far.send_to(b"a", to).expect("sent");
    assert_eq!(heard.recv_timeout(PATIENCE), Ok(Heard::Polled(1)));
    assert_eq!(runtime.clock().now(), 1_000_000_000);
}

#[test]
fn fork_that_closes_a_socket_leaves_the_parent_s_watched() {
    let bench = Bench::new();
    let listener = bench.listener();
    assert!(rustle_testkit::in_fork(|| {
        listener.udp.close();
        listener.udp.try_receive(&mut [0]).is_err()
    }));
    bench.far.send_to(b"a", listener.at).expect("sent");
    assert_eq!(listener.next(), Heard::Polled(1));
}

#[test]
fn what_another_thread_leaves_is_not_missed() {
    let bench = Bench::new();
    for _ in 0..100 {
        let listener = bench.listener();
        let (udp, mut sent) = (listener.udp.clone(), 0);
        let is_wait = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
        let other =
            std::thread::spawn(
                move || while udp.try_receive(&mut [0; 8]).is_err_and(|error| is_wait(&error)) {},
            );
        while !other.is_finished() && sent < 100 {
            bench.far.send_to(b"a", listener.at).expect("sent");
            sent += 1;
            std::thread::yield_now();
        }
        // The job takes all but the one that the other takes.
        let mut taken = 0;
        while taken + 1 < sent {
            match listener.next() {
                Heard::Polled(count) => taken += count,
                Heard::Released(release) => panic!("{release:?}"),
            }
        }
        listener.udp.close();
        while !matches!(listener.next(), Heard::Released(_)) {}
        other.join().expect("no panic");
    }
}
