use super::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MS: Nanoseconds = 1_000_000;

fn at(last: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, last], 6454))
}

fn network(conditions: Conditions) -> (Arc<Runtime>, ScriptedNetwork) {
    let runtime = Arc::new(Runtime::manual(0));
    let network = ScriptedNetwork::new(&runtime, 7, conditions).expect("a thread");
    (runtime, network)
}

/// What has arrived: the first byte, and the time in ms.
fn arrived(endpoint: &Scripted) -> Vec<(u8, Nanoseconds)> {
    let mut bytes = [0];
    let mut next = || {
        endpoint
            .try_receive(&mut bytes)
            .map(|got| (bytes[0], got.at / MS))
    };
    std::iter::from_fn(|| next().ok()).collect()
}

fn send(from: &Scripted, byte: u8, to: SocketAddr) {
    assert_eq!(from.try_send(&[byte], Some(to)).expect("an open endpoint"), 1);
}

#[test]
fn datagram_arrives_after_its_delay_and_not_before() {
    let (runtime, network) = network(Conditions {
        delay: 5 * MS..=5 * MS,
        ..Conditions::default()
    });
    let (near, far) = (network.endpoint(at(1)), network.endpoint(at(2)));
    send(&near, 1, at(2));
    send(&near, 9, at(3));
    runtime.advance(Duration::from_millis(4));
    send(&near, 2, at(2));
    assert_eq!(arrived(&far), []);
    runtime.advance(Duration::from_millis(1));
    assert_eq!(arrived(&far), [(1, 5)]);
    runtime.advance(Duration::from_secs(1));
    assert_eq!((arrived(&far), arrived(&near)), (vec![(2, 9)], vec![]));
    let counts = network.counts();
    assert_eq!((counts.sent, counts.arrivals, counts.unreachable), (3, 2, 1));
}

#[test]
fn groups_and_broadcasts_reach_those_who_listen() {
    let (_runtime, network) = network(Conditions::default());
    let ends = [1, 2, 3].map(|last| network.endpoint(at(last)));
    let stranger = network.endpoint("10.0.1.4:6454".parse().expect("an address"));
    let group = SocketAddr::from(([239, 255, 0, 1], 6454));
    ends[1].join(group.ip());
    ends[1].join(group.ip());
    send(&ends[0], 1, group);
    ends[1].leave(group.ip());
    send(&ends[0], 2, group);
    send(&ends[0], 3, at(255));
    send(&ends[0], 4, SocketAddr::from(([239, 255, 0, 1], 5568)));
    let got = ends.each_ref().map(arrived);
    assert_eq!(got, [vec![(3, 0)], vec![(1, 0), (3, 0)], vec![(3, 0)]]);
    send(&ends[0], 5, SocketAddr::from(([255; 4], 6454)));
    assert_eq!(arrived(&stranger), [(5, 0)]);
}

#[test]
fn accidents_are_as_frequent_as_asked_for_and_the_same_for_each_seed() {
    let run = |conditions: Conditions, seed| {
        let runtime = Arc::new(Runtime::manual(0));
        let network = ScriptedNetwork::new(&runtime, seed, conditions).expect("a thread");
        let (near, far) = (network.endpoint(at(1)), network.endpoint(at(2)));
        for number in 0..10_000_u32 {
            near.try_send(&number.to_le_bytes(), Some(at(2)))
                .expect("an open endpoint");
            runtime.advance(Duration::from_nanos(MS));
        }
        runtime.advance(Duration::from_secs(10));
        let (mut got, mut bytes) = (Vec::new(), [0; 4]);
        while far.try_receive(&mut bytes).is_ok() {
            got.push(u32::from_le_bytes(bytes));
        }
        (got, network.counts())
    };
    let harsh = Conditions {
        delay: MS..=20 * MS,
        loss: 0.1,
        duplication: 0.05,
        reordering: 0.02,
        lag: 50 * MS,
    };
    let (got, counts) = run(harsh.clone(), 1);
    assert_eq!(run(harsh.clone(), 1), (got.clone(), counts));
    assert_ne!(run(harsh.clone(), 2).0, got);
    assert_eq!(got.len() as u64, counts.arrivals);
    assert_eq!(counts.arrivals, 10_000 - counts.lost + counts.duplicated);
    // Five standard deviations around what is expected of 10,000, and of the 9,000 that are not lost.
    assert!(counts.lost.abs_diff(1_000) < 150, "{counts:?}");
    assert!(counts.duplicated.abs_diff(450) < 104, "{counts:?}");
    assert!(counts.reordered.abs_diff(180) < 67, "{counts:?}");
    let overtaken = got.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!(overtaken > 100, "{overtaken}");
    let calm = Conditions {
        reordering: 0.0,
        duplication: 0.0,
        ..harsh
    };
    let (got, counts) = run(calm, 1);
    assert!(got.is_sorted() && counts.lost > 0);
}

/// Counts its polls and what it receives.
struct Listens(Arc<Scripted>, Arc<AtomicU64>, Arc<AtomicU64>);

impl Job for Listens {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        if self.1.fetch_add(1, Ordering::SeqCst) == 0 {
            self.0.watch(context).expect("an open endpoint");
        }
        loop {
            match self.0.try_receive(&mut [0]) {
                Ok(_) => self.2.fetch_add(1, Ordering::SeqCst),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Step::Wait,
                Err(_) => return Step::End,
            };
        }
    }

    fn release(self: Box<Self>, _: Release) {}
}

#[test]
fn job_is_polled_when_something_arrives_or_its_endpoint_is_closed_and_for_nothing_else() {
    let (runtime, network) = network(Conditions {
        delay: 3 * MS..=3 * MS,
        ..Conditions::default()
    });
    let (near, far) = (network.endpoint(at(1)), Arc::new(network.endpoint(at(2))));
    send(&near, 0, at(2));
    runtime.advance(Duration::from_millis(10));
    let (polls, got) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let job = Listens(far.clone(), polls.clone(), got.clone());
    let session = runtime
        .start(runtime.place(), Arc::default(), || Box::new(job))
        .expect("started");
    runtime.advance(Duration::from_secs(1));
    let seen = || (polls.load(Ordering::SeqCst), got.load(Ordering::SeqCst));
    assert_eq!(seen(), (2, 1), "its start, and the wake of its watch");
    for _ in 0..5 {
        send(&near, 1, at(2));
    }
    runtime.advance(Duration::from_millis(2));
    assert_eq!(seen(), (2, 1));
    runtime.advance(Duration::from_secs(3_600));
    assert_eq!(seen(), (3, 6));
    far.close();
    far.close();
    runtime.advance(Duration::ZERO);
    assert!(session.is_released());
    assert_eq!(
        far.try_receive(&mut [0]).map_err(|error| error.kind()),
        Err(ErrorKind::NotConnected)
    );
    assert!(far.try_send(&[1], Some(at(1))).is_err());
}

#[test]
fn network_ends_its_job_with_its_last_endpoint() {
    let (runtime, network) = network(Conditions::default());
    let session = network.0.session.get().expect("started").clone();
    let endpoint = network.endpoint(at(1));
    drop(network);
    runtime.advance(Duration::ZERO);
    assert!(!session.is_released());
    drop(endpoint);
    runtime.advance(Duration::ZERO);
    assert!(session.is_released());
}
