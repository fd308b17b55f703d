//! Frames that are sent and received without allocating.

use rustle_lighting::artnet::PORT;
use rustle_lighting::receiver::{ArtNetReceiver, PortSettings, SacnReceiver, SyncRule, UniverseSettings};
use rustle_lighting::sender::{
    ArtNetSender, ArtNetSenderSettings, Destinations, FrameRate, SacnOutput, SacnSender, SacnSenderSettings,
};
use rustle_lighting::{Cid, Name, PortAddress, SLOTS, SacnUniverse};
use rustle_testkit::{CountingAllocator, allocations_in};
use std::net::{Ipv4Addr, SocketAddrV4};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const UNIVERSES: u32 = 600;
const FRAMES: u64 = 1_000;

#[test]
fn counter_counts() {
    let (count, _) = allocations_in(|| vec![1_u8; 100]);
    assert_eq!(count, 1);
}

#[test]
fn sacn_frames_do_not_allocate() {
    let settings = SacnSenderSettings {
        cid: Cid::from_random([1; 16]),
        name: Name::new("source").expect("short"),
        rate: FrameRate::FULL,
        sync_gap_ns: 0,
    };
    let mut sender = SacnSender::new(settings, 0);
    let mut receiver = SacnReceiver::new(SyncRule::Latest);
    let numbers: Vec<_> = (1..=UNIVERSES)
        .filter_map(|number| SacnUniverse::new(number).ok())
        .collect();
    for universe in &numbers {
        let output = SacnOutput {
            sync_address: Some(SacnUniverse::LAST),
            ..SacnOutput::default()
        };
        sender.add(*universe, output).expect("new");
        sender
            .set_priorities(*universe, Some(&[100; SLOTS]))
            .expect("added");
        receiver.listen(*universe, UniverseSettings::default());
    }
    let mut changes = 0;
    let (count, ()) = allocations_in(|| {
        for frame in 0..FRAMES {
            for universe in &numbers {
                let _ = sender.set_levels(*universe, &[frame as u8; SLOTS]);
            }
            let now = FrameRate::FULL.offset_ns(frame);
            sender.advance(now);
            for datagram in sender.datagrams() {
                let _ = receiver.receive(now, Ipv4Addr::LOCALHOST, datagram.bytes);
            }
            receiver.changes(now, |_, _| changes += 1);
        }
        sender.stop();
    });
    assert_eq!((count, changes), (0, FRAMES * u64::from(UNIVERSES)));
}

#[test]
fn art_net_frames_do_not_allocate() {
    let to = vec![SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT)];
    let settings = ArtNetSenderSettings {
        rate: FrameRate::FULL,
        sync: to.clone(),
        sync_gap_ns: 0,
    };
    let mut sender = ArtNetSender::new(settings, 0);
    let mut receiver = ArtNetReceiver::new(SyncRule::Whole);
    let numbers: Vec<_> = (0..UNIVERSES)
        .filter_map(|number| PortAddress::new(number).ok())
        .collect();
    for address in &numbers {
        sender
            .add(*address, 0, Destinations::Fixed(to.clone()))
            .expect("new");
        receiver.listen(*address, PortSettings::default());
    }
    let mut changes = 0;
    let (count, ()) = allocations_in(|| {
        for frame in 0..FRAMES {
            for address in &numbers {
                let _ = sender.set_levels(*address, &[frame as u8; SLOTS]);
            }
            let now = FrameRate::FULL.offset_ns(frame);
            sender.advance(now);
            for datagram in sender.datagrams() {
                let _ = receiver.receive(now, Ipv4Addr::LOCALHOST, datagram.bytes);
            }
            receiver.changes(now, |_, _| changes += 1);
        }
    });
    // The first is shown at once, and the fourth is the first that is known to be whole.
    assert_eq!((count, changes), (0, (FRAMES - 2) * u64::from(UNIVERSES)));
}
