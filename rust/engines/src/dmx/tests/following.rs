//! Senders whose data go to the nodes that list them.

use super::steps::{Notes, transmission};
use super::{DmxConfiguration, DmxEngine, DmxProtocol, configuration, start};
use crate::dmx::network::Sockets;
use crate::dmx::receiver::{DmxLevels, DmxReceiver, DmxReceiverConfiguration};
use crate::dmx::{DMX_AUTO, DmxError, DmxSentCounts};
use crate::job::Release;
use crate::outlet::{Delivery, RecordListener};
use crate::runtime::Runtime;
use rustle_lighting::{Name, PortAddress};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const FRAME: u64 = 22_727_273;
const PATIENCE: Duration = Duration::from_secs(20);

fn following() -> DmxConfiguration {
    DmxConfiguration {
        destinations: vec![DMX_AUTO.to_owned()],
        ..configuration(DmxProtocol::ArtNet)
    }
}

fn port(number: u32) -> PortAddress {
    PortAddress::new(number).expect("in range")
}

#[test]
fn levels_wait_until_a_node_lists_their_port_address() -> Result<(), DmxError> {
    let notes = Notes::default();
    let (mut sender, shared) = transmission(&following(), notes.clone());
    let node = Ipv4Addr::new(10, 0, 0, 1);
    shared.mailbox.set_levels(&[3, 4], &[7, 8])?;
    sender.step(FRAME);
    assert_eq!((notes.take(), shared.counters.look().unheard), (vec![], 2));
    shared.subscriptions.put(vec![(port(3), node), (port(5), node)]);
    sender.step(2 * FRAME);
    assert_eq!(notes.take(), [(3, 1, 7, false)]);
    assert_eq!(shared.counters.look().unheard, 1);
    // One that is added later goes to those that are known.
    shared.mailbox.set_levels(&[5], &[9])?;
    sender.step(3 * FRAME);
    assert_eq!(notes.take(), [(5, 1, 9, false)]);
    // A second node gets the levels though they are still, and one that is gone gets nothing.
    let other = Ipv4Addr::new(10, 0, 0, 2);
    shared.subscriptions.put(vec![(port(3), node), (port(3), other)]);
    shared.mailbox.set_levels(&[5], &[10])?;
    sender.step(4 * FRAME);
    assert_eq!(notes.take(), [(3, 2, 7, false), (3, 2, 7, false)]);
    sender.finish(5 * FRAME);
    assert_eq!(
        shared.counters.look().unheard,
        2,
        "what was not sent is known at the end"
    );
    Ok(())
}

#[test]
fn universe_without_a_way_to_its_node_counts_refusals_beside_one_that_has_one() -> Result<(), DmxError> {
    let configuration = DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        ..following()
    };
    let sockets = Sockets::open(&configuration, &[], false)?;
    let (mut sender, shared) = transmission(&configuration, sockets);
    // From the loopback's address no way leads to another machine.
    let (here, elsewhere) = (Ipv4Addr::new(127, 0, 0, 3), Ipv4Addr::new(192, 0, 2, 1));
    shared
        .subscriptions
        .put(vec![(port(3), here), (port(4), elsewhere)]);
    for frame in 1..=3 {
        shared.mailbox.set_levels(&[3, 4], &[frame, frame])?;
        sender.step(u64::from(frame) * FRAME);
    }
    let counts = [3, 4].map(|universe| shared.mailbox.counts(universe).expect("a Port-Address"));
    let sent = |refusals| DmxSentCounts { packets: 3, refusals };
    assert_eq!(counts, [sent(0), sent(3)]);
    Ok(())
}

/// Passes on the levels.
struct Levels(Sender<[u8; 2]>);

impl RecordListener<DmxLevels> for Levels {
    fn on_record(&mut self, levels: &DmxLevels) {
        // The test may be over.
        let _ = self.0.send([levels.levels[0], levels.levels[1]]);
    }

    fn on_release(self: Box<Self>, _: Release) {}
}

#[test]
fn node_of_the_network_is_found_and_gets_what_it_lists() {
    let name = |text| Name::new(text).expect("short");
    let node = DmxReceiverConfiguration {
        interface: "127.0.0.2".to_owned(),
        art_net: vec![port(32_001)],
        ..DmxReceiverConfiguration::new(Name::new("a node").expect("short"), name("a node"))
    };
    let node = DmxReceiver::on(Runtime::shared().clone(), node).expect("a receiver");
    let (sender, levels) = channel();
    let _listening = node
        .start_levels(Delivery::Push(Box::new(Levels(sender))))
        .expect("a session");
    let configuration = DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        ..following()
    };
    let (_engine, session, _ends) = start(Runtime::shared(), configuration);
    session
        .set_levels(&[32_001, 32_002], &[41, 42, 51, 52])
        .expect("levels");
    while levels.recv_timeout(PATIENCE).expect("levels") != [41, 42] {}
    assert_eq!(session.counts().unheard, 1, "nobody lists the other");
}

#[test]
fn nodes_are_followed_by_art_net_alone_and_without_other_destinations() {
    let refusal = |change: fn(&mut DmxConfiguration)| {
        let mut configuration = following();
        change(&mut configuration);
        let refusal = DmxEngine::on(Arc::new(Runtime::manual(0)), configuration).err();
        refusal.expect("a refusal").to_string()
    };
    assert!(refusal(|c| c.destinations.push("10.0.0.1".to_owned())).contains("auto as the only one"));
    assert!(refusal(|c| c.broadcasts = true).contains("auto as the only one"));
    assert!(refusal(|c| c.protocol = DmxProtocol::Sacn).starts_with("destination auto"));
}
