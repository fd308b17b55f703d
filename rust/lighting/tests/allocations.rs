//! Frames that are sent and received without allocating.

mod pairs;

use rustle_lighting::SLOTS;
use rustle_lighting::receiver::SyncRule;
use rustle_lighting::sender::FrameRate;
use rustle_testkit::{CountingAllocator, allocations_in};
use std::net::Ipv4Addr;

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
    let (mut sender, mut receiver, numbers) = pairs::sacn(UNIVERSES, 0, SyncRule::Latest);
    for universe in &numbers {
        sender
            .set_priorities(*universe, Some(&[100; SLOTS]))
            .expect("added");
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
    let (mut sender, mut receiver, numbers) = pairs::art_net(UNIVERSES, 0, SyncRule::Whole);
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
