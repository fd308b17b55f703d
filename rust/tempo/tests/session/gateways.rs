//! Interfaces that come and go.

use super::network::{SECOND, World};

#[test]
fn peer_on_two_networks_counts_once() {
    let mut world = World::new(1);
    world.join(120.0);
    world.join(120.0);
    world.run(3 * SECOND);
    (0..2).for_each(|host| world.link(host, 2));
    world.run(3 * SECOND);
    assert_eq!((world.peers(0), world.peers(1)), (1, 1));
    assert_eq!(world.hosts[0].node.peers().count(), 2);
    // One of the networks goes: the session stays.
    let session = world.sessions();
    world.unlink(0, 1);
    world.run(SECOND);
    assert_eq!((world.sessions(), world.peers(0)), (session.clone(), 1));
    world.run(30 * SECOND);
    assert_eq!(
        (world.sessions(), world.peers(0), world.peers(1)),
        (session, 1, 1)
    );
    assert!(world.phase_error(0, 1).abs() <= 10);
}

#[test]
fn interface_that_goes_down_takes_its_peers_and_they_return_with_it() {
    let mut world = World::new(2);
    world.join(120.0);
    world.run(2 * SECOND);
    world.join(90.0);
    world.run(2 * SECOND);
    let session = world.snapshot(0).session;
    world.unlink(1, 1);
    assert_eq!(world.peers(1), 0, "at once");
    world.run(10 * SECOND);
    assert_eq!(world.peers(0), 0);
    assert_ne!(world.snapshot(0).session, session, "its last peer went");
    world.set_tempo(1, 70.0);
    world.run(5 * SECOND);
    world.link(1, 1);
    world.run(3 * SECOND);
    assert_eq!(
        (world.sessions().len(), world.peers(0), world.peers(1)),
        (1, 1, 1)
    );
    assert!(world.phase_error(0, 1).abs() <= 10);
}

#[test]
fn bridge_between_two_networks_makes_one_session() {
    let mut world = World::new(3);
    let [left, right] = [world.join(120.0), world.add(60.0)];
    world.unlink(right, 1);
    world.link(right, 2);
    world.enable(right);
    world.run(10 * SECOND);
    assert_eq!(world.sessions().len(), 2);
    let bridge = world.join(100.0);
    world.link(bridge, 2);
    world.run(3 * SECOND);
    assert_eq!(world.sessions().len(), 1);
    assert_eq!([left, right, bridge].map(|host| world.peers(host)), [1, 1, 2]);
    world.set_tempo(left, 131.0);
    world.run(SECOND);
    assert_eq!(
        world.snapshot(right).tempo(),
        world.snapshot(left).tempo(),
        "by the bridge"
    );
    assert!(world.phase_error(left, right).abs() <= 20);
}
