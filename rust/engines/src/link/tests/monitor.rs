//! The monitor beside members on the loopback.

use super::super::{Link, LinkConfiguration, LinkDatagram, LinkError, LinkMonitor, LinkMonitorConfiguration};
use super::log;
use crate::dmx::DEMO_INTERFACE;
use crate::job::Release;
use crate::runtime::Runtime;
use rustle_tempo::beats::Tempo;
use rustle_tempo::link::{GROUP, Kind, Malformed, Message};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// The longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

fn free_port() -> std::io::Result<u16> {
    Ok(UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port())
}

fn monitor(runtime: &Arc<Runtime>, port: u16, limit: Option<u64>) -> LinkMonitor {
    let configuration = LinkMonitorConfiguration {
        interfaces: vec![Ipv4Addr::LOCALHOST.to_string()],
        port: Some(port),
        limit,
        ..LinkMonitorConfiguration::default()
    };
    LinkMonitor::on(runtime.clone(), configuration).expect("a rate within the range")
}

fn wait(datagrams: &Receiver<LinkDatagram>, is_it: impl Fn(&LinkDatagram) -> bool) -> LinkDatagram {
    loop {
        let datagram = datagrams.recv_timeout(PATIENCE).expect("it comes");
        if is_it(&datagram) {
            return datagram;
        }
    }
}

#[test]
fn a_member_is_seen_from_its_first_message_to_its_last() -> std::io::Result<()> {
    let (runtime, port) = (Arc::new(Runtime::of_system(1)), free_port()?);
    let monitor = monitor(&runtime, port, None);
    let (delivery, datagrams, _) = log();
    let session = monitor.start(delivery).expect("started");
    let configuration = LinkConfiguration {
        tempo: Tempo::from_bpm(125.0).expect("a tempo"),
        interfaces: vec![Ipv4Addr::LOCALHOST.to_string()],
        port: Some(port),
        ..LinkConfiguration::default()
    };
    let link = Link::on(runtime.clone(), configuration);
    link.enable().expect("enabled");
    let first = wait(&datagrams, |_| true);
    let Ok(Message::Present {
        kind, node, state, ..
    }) = first.message
    else {
        panic!("expected a member that is there, got {first:?}");
    };
    assert_eq!(kind, Kind::Alive);
    assert_eq!(state.session, link.snapshot().session);
    assert_eq!(state.timeline.tempo.micros_per_beat(), 480_000);
    assert_eq!(first.interface, Ipv4Addr::LOCALHOST);
    assert_eq!(first.from.ip(), &Ipv4Addr::LOCALHOST);
    assert_eq!(first.sequence, 0);
    // It sends nothing: the member is alone.
    assert_eq!((link.snapshot().peers, link.counts().node.messages), (0, 0));
    link.disable();
    wait(&datagrams, |datagram| {
        datagram.message == Ok(Message::Leaving { node })
    });
    session.cancel();
    Ok(())
}

#[test]
fn what_is_no_message_has_its_reason_and_the_limit_ends_a_session() -> std::io::Result<()> {
    let (runtime, port) = (Arc::new(Runtime::of_system(1)), free_port()?);
    let monitor = monitor(&runtime, port, Some(2));
    let (delivery, datagrams, released) = log();
    monitor.start(delivery).expect("started");
    let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    for bytes in [
        &b"no message"[..],
        b"_asdp_v\x01\x09\0\0\0abcdefgh",
        &[0; 600],
        b"a fourth",
    ] {
        sender.send_to(bytes, (GROUP, port))?;
    }
    let reasons: Vec<_> = datagrams.iter().map(|datagram| datagram.message).collect();
    assert_eq!(reasons, [Err(Malformed::Header), Err(Malformed::Type)]);
    assert_eq!(released.recv_timeout(PATIENCE), Ok(Release::Ended));
    Ok(())
}

#[test]
fn an_interface_that_is_not_there_is_refused_with_those_that_are() {
    let configuration = LinkMonitorConfiguration {
        interfaces: vec!["no-such".to_owned()],
        ..LinkMonitorConfiguration::default()
    };
    let monitor = LinkMonitor::on(Arc::new(Runtime::of_system(1)), configuration).expect("a rate");
    let Err(LinkError::Interface { got, choices }) = monitor.start(log().0) else {
        panic!("expected a refusal");
    };
    assert_eq!(got, "no-such");
    assert!(choices.contains("127.0.0.1"), "{choices}");
}

#[test]
fn the_demonstration_is_of_three_members_of_one_session() {
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = LinkMonitorConfiguration {
        interfaces: vec![DEMO_INTERFACE.to_owned()],
        limit: Some(6),
        ..LinkMonitorConfiguration::default()
    };
    let monitor = LinkMonitor::on(runtime.clone(), configuration).expect("a rate");
    let (delivery, datagrams, released) = log();
    monitor.start(delivery).expect("started");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(released.try_recv(), Ok(Release::Ended));
    let nodes: BTreeSet<_> = datagrams
        .try_iter()
        .map(|datagram| match datagram.message {
            Ok(Message::Present { node, state, .. }) => (state.session, node),
            other => panic!("expected a member that is there, got {other:?}"),
        })
        .collect();
    assert_eq!(nodes.len(), 3);
    assert!(nodes.iter().all(|(session, _)| session.to_string() == "demonod1"));
}
