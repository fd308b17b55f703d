//! The interest in the room to write, when several threads change it.

use super::*;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Barrier;

/// Watches a socket, and reports each poll.
struct Writer {
    watch: Arc<Mutex<Option<Arc<Watch>>>>,
    socket: UnixStream,
    heard: Sender<()>,
}

impl Job for Writer {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        locked_surely(&self.watch).get_or_insert_with(|| {
            let watch = (context.io).watch(self.socket.as_raw_fd(), false, Urgency::Now, context.session);
            Arc::new(watch.expect("watched"))
        });
        // A test that is done no longer listens.
        let _ = self.heard.send(());
        Step::Wait
    }

    fn release(self: Box<Self>, _: Release) {}
}

struct Watched {
    watch: Arc<Watch>,
    heard: Receiver<()>,
    _peer: UnixStream,
    _runtime: Runtime,
}

fn watched() -> Watched {
    let runtime = Runtime::of_system(1);
    let (socket, peer) = UnixStream::pair().expect("sockets");
    socket.set_nonblocking(true).expect("a socket");
    while io::Write::write(&mut &socket, &[0; 4_096]).is_ok() {}
    let (place, (sender, heard)) = (Arc::default(), channel());
    let job = Writer {
        socket,
        heard: sender,
        watch: Arc::clone(&place),
    };
    (runtime.start(runtime.place(), Arc::default(), || Box::new(job))).expect("started");
    heard.recv_timeout(PATIENCE).expect("the first poll");
    let watch = locked_surely(&place).clone().expect("watched");
    Watched {
        watch,
        heard,
        _peer: peer,
        _runtime: runtime,
    }
}

/// Whether the system reports room to write, as it says itself.
fn is_registered(watch: &Watch) -> bool {
    let path = format!("/proc/self/fdinfo/{}", watch.registry.as_raw_fd());
    let text = std::fs::read_to_string(path).expect("an instance of epoll");
    let socket = watch.socket.to_string();
    let mask = text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let is_this = words.next() == Some("tfd:") && words.next() == Some(&socket);
        is_this.then(|| words.nth(1).expect("the events"))
    });
    let mask = u32::from_str_radix(mask.expect("registered"), 16).expect("a mask");
    mask & libc::EPOLLOUT as u32 != 0
}

#[test]
fn interest_in_writing_is_as_registered_whoever_changes_it() {
    let Watched { watch, .. } = &watched();
    let (barrier, calls) = (Barrier::new(2), AtomicUsize::new(0));
    let change = |writes: bool| {
        for round in 1..=1_000 {
            barrier.wait();
            // Both end at once, within a call of each other.
            while calls.fetch_add(1, Ordering::Relaxed) < round * 100 {
                watch.set_writes(writes).expect("registered");
            }
            barrier.wait();
            assert_eq!(is_registered(watch), *locked_surely(&watch.writes));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| change(false));
        change(true);
    });
}

#[test]
fn job_is_woken_when_another_withdraws_its_interest_in_writing() {
    let watched = watched();
    watched.watch.set_writes(true).expect("registered");
    watched.watch.set_writes(false).expect("registered");
    assert_eq!(watched.heard.recv_timeout(PATIENCE), Ok(()));
}

#[test]
fn fork_leaves_the_interest_in_writing_of_the_parent_as_it_is() {
    let Watched { watch, .. } = &watched();
    watch.set_writes(true).expect("registered");
    assert!(rustle_testkit::in_fork(|| watch.set_writes(false).is_ok()));
    assert!(is_registered(watch));
}
