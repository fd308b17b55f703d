//! The order of datagrams of several sockets.

use super::*;
use crate::dmx::receiver::hearing::Hearing;
use crate::job::PollContext;
use crate::transport::Arrival;
use rustle_lighting::artnet;
use std::collections::{BTreeMap, VecDeque};
use std::io::ErrorKind;

/// Datagrams that wait in a socket, with the times of their arrival.
type Queue = Arc<Mutex<VecDeque<(u64, Vec<u8>)>>>;

struct QueueEar(Queue);

impl Transport for QueueEar {
    fn try_send(&self, _: &[u8], _: Option<SocketAddr>) -> io::Result<usize> {
        Err(ErrorKind::NotConnected.into())
    }

    fn try_receive(&self, bytes: &mut [u8]) -> io::Result<Arrival> {
        let mut queue = self.0.lock().expect("a sound lock");
        let (at, got) = queue.pop_front().ok_or(ErrorKind::WouldBlock)?;
        bytes[..got.len()].copy_from_slice(&got);
        Ok(Arrival {
            length: got.len(),
            from: Some((THERE, 5568).into()),
            at,
        })
    }

    fn watch(&self, _: &PollContext<'_>) -> io::Result<()> {
        Ok(())
    }

    fn close(&self) {}
}

impl Ear for QueueEar {
    fn transport(&self) -> &dyn Transport {
        self
    }

    /// A group for each socket.
    fn join(&self, _: Ipv4Addr) -> io::Result<()> {
        Ok(())
    }

    fn leave(&self, _: Ipv4Addr) -> io::Result<()> {
        Ok(())
    }
}

/// The sockets of Art-Net: one for what is sent to this machine, and one for broadcasts.
struct Queues([Queue; 2]);

impl Network for Queues {
    fn sacn(&mut self) -> io::Result<Box<dyn Ear>> {
        Err(ErrorKind::Unsupported.into())
    }

    fn art_net(&mut self) -> io::Result<Vec<Box<dyn Ear>>> {
        let ear = |queue: &Queue| Box::new(QueueEar(queue.clone())) as Box<dyn Ear>;
        Ok(self.0.iter().map(ear).collect())
    }
}

/// A receiver that was late read the next frame's data in one socket before the end of the frame in the other.
#[test]
fn frames_that_wait_in_several_sockets_are_heard_in_the_order_of_their_arrival() {
    let queues: [Queue; 2] = Default::default();
    let mut configuration = configuration();
    configuration.art_net = (0..3).map(port).collect();
    let network = Box::new(Queues(queues.clone()));
    let mut hearing = Hearing::open(&configuration, network, HERE, 1).expect("two sockets");
    let mut changes = Changes::default();
    let mut shows = |arrivals: &[(usize, u64, &[u8])], now| {
        for (socket, at, bytes) in arrivals {
            let mut queue = queues[*socket].lock().expect("a sound lock");
            queue.push_back((*at, bytes.to_vec()));
        }
        assert!(!hearing.read(now));
        hearing.take_changes(now, 0, &mut changes);
        let levels = shown(&changes.levels).into_iter();
        levels
            .map(|(port, [level, _])| (port, level))
            .collect::<BTreeMap<_, _>>()
    };
    let dmx = |number, frame: u8| art(number, 0, frame, &[frame, 0]).bytes().to_vec();
    let end = artnet::SYNC_PACKET;
    let (one, two, three) = (
        [0, 1, 2].map(|n| dmx(n, 1)),
        [0, 1, 2].map(|n| dmx(n, 2)),
        dmx(0, 3),
    );
    // Synchronization begins.
    let first = [
        (0, 1, &one[0][..]),
        (0, 2, &one[1]),
        (0, 3, &one[2]),
        (1, 4, &end),
    ];
    assert_eq!(shows(&first, 5), BTreeMap::from([(0, 1), (1, 1), (2, 1)]));
    // The data of port 2 are broadcast, and a part of the third frame has come.
    let late = [
        (0, 11, &two[0][..]),
        (0, 12, &two[1]),
        (1, 13, &two[2]),
        (1, 14, &end),
        (0, 15, &three),
    ];
    assert_eq!(shows(&late, 20), BTreeMap::from([(0, 2), (1, 2), (2, 2)]));
    let [second, third] = [1, 2].map(|n| dmx(n, 3));
    let rest = [(1, 21, &second[..]), (0, 22, &third), (1, 23, &end)];
    assert_eq!(shows(&rest, 24), BTreeMap::from([(0, 3), (1, 3), (2, 3)]));
}
