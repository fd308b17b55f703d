use super::*;
use crate::job::{Job, Release, Step};
use crate::runtime::Runtime;
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Far longer than any step of these tests takes.
const PATIENCE: Duration = Duration::from_secs(600);

/// Connects, sends as many bytes as it has, and then receives to the end.
struct Talk {
    stream: Stream,
    is_watched: bool,
    unsent: usize,
    outcome: Sender<Result<usize, ErrorKind>>,
    received: usize,
}

impl Talk {
    fn transfer(&mut self, context: &PollContext<'_>) -> io::Result<Step> {
        if !std::mem::replace(&mut self.is_watched, true) {
            self.stream.watch(context)?;
        }
        if !self.stream.is_connected()? {
            return Ok(Step::Wait);
        }
        while self.unsent > 0 {
            let piece = [7; 65_536];
            self.unsent -= self.stream.try_send(&piece[..self.unsent.min(65_536)], None)?;
            if self.unsent == 0 {
                self.stream.finish_writing();
            }
        }
        loop {
            match self.stream.try_receive(&mut [0; 4_096])?.length {
                0 => return Ok(Step::End),
                length => self.received += length,
            }
        }
    }
}

impl Job for Talk {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let outcome = match self.transfer(context) {
            Ok(Step::End) => Ok(self.received),
            Ok(step) => return step,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Step::Wait,
            Err(error) => Err(error.kind()),
        };
        self.outcome.send(outcome).expect("the test listens");
        Step::End
    }

    fn release(self: Box<Self>, _: Release) {}
}

fn talk(runtime: &Runtime, stream: Stream, unsent: usize) -> Receiver<Result<usize, ErrorKind>> {
    let (outcome, outcomes) = channel();
    let job = Talk {
        stream,
        is_watched: false,
        unsent,
        outcome,
        received: 0,
    };
    runtime
        .start(runtime.place(), Arc::default(), || Box::new(job))
        .expect("started");
    outcomes
}

/// Far more than any system buffers.
const MUCH: usize = 64 << 20;

#[test]
fn stream_waits_for_room_and_for_bytes_and_ends_with_its_peer() {
    let runtime = Runtime::of_system(1);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let stream = Stream::connect(address, runtime.shared_clock()).expect("begun");
    let outcome = talk(&runtime, stream, MUCH);
    let (mut peer, _) = listener.accept().expect("a client");
    let mut heard = Vec::new();
    peer.read_to_end(&mut heard).expect("all bytes");
    assert_eq!(heard.len(), MUCH);
    peer.write_all(b"thanks").expect("a client");
    drop(peer);
    assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Ok(6)));
}

#[test]
fn stream_in_the_file_system_does_the_same() {
    let runtime = Runtime::of_system(1);
    let (near, mut peer) = UnixStream::pair().expect("sockets");
    let stream = Stream::new(near, runtime.shared_clock()).expect("a socket");
    let outcome = talk(&runtime, stream, MUCH);
    let mut heard = Vec::new();
    peer.read_to_end(&mut heard).expect("all bytes");
    assert_eq!(heard.len(), MUCH);
    drop(peer);
    assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Ok(0)));
}

#[test]
fn refusal_reaches_the_job() {
    let runtime = Runtime::of_system(1);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    let refused = match Stream::connect(address, runtime.shared_clock()) {
        Ok(stream) => talk(&runtime, stream, 1)
            .recv_timeout(PATIENCE)
            .expect("an outcome"),
        Err(error) => Err(error.kind()),
    };
    assert_eq!(refused, Err(ErrorKind::ConnectionRefused));
    let error = Stream::connect_to_path(Path::new("/no/such/socket"), runtime.shared_clock()).err();
    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::NotFound));
}

#[test]
fn destination_of_its_own_is_refused() {
    let (near, _peer) = UnixStream::pair().expect("sockets");
    let stream = Stream::new(near, Runtime::manual(0).shared_clock()).expect("a socket");
    let to = Some(SocketAddr::from(([127, 0, 0, 1], 1)));
    let error = stream.try_send(b"a", to).expect_err("a stream has one peer");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(stream.try_send(b"a", None).expect("sent"), 1);
    stream.close();
    let closed = stream.try_send(b"a", None).expect_err("closed");
    assert_eq!(closed.kind(), ErrorKind::NotConnected);
}
