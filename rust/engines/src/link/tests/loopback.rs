//! Real sockets, at a port of the test's own on the loopback.

use super::super::host_clock::HostClock;
use super::super::network::{Network, Sockets, UdpNetwork};
use super::super::{Link, LinkConfiguration, LinkCounts, LinkError, LinkEvent};
use super::log;
use crate::engine::StartError;
use crate::runtime::{Runtime, RuntimeError};
use rustle_system::Interface;
use rustle_tempo::beats::{Beats, Quantum, Tempo};
use rustle_tempo::link::Event;
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// The longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

fn member(runtime: &Arc<Runtime>, port: u16) -> (Link, Receiver<LinkEvent>) {
    let configuration = LinkConfiguration {
        follows_start_stop: true,
        interfaces: vec![Ipv4Addr::LOCALHOST.to_string()],
        ..LinkConfiguration::default()
    };
    let network = UdpNetwork {
        clock: runtime.shared_clock(),
        port,
    };
    let link = Link::over(
        runtime.clone(),
        configuration,
        Box::new(network),
        HostClock::of_system(),
    );
    let (delivery, events, _) = log();
    link.start(delivery).expect("started");
    (link, events)
}

fn wait(events: &Receiver<LinkEvent>, is_it: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = events.recv_timeout(PATIENCE).expect("it comes");
        if let Some(change) = event.change.filter(&is_it) {
            return change;
        }
    }
}

#[test]
fn two_members_of_one_machine_are_one_session() -> std::io::Result<()> {
    let port = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port();
    let runtime = Arc::new(Runtime::of_system(1));
    let ((first, of_first), (second, of_second)) = (member(&runtime, port), member(&runtime, port));
    first.enable().expect("enabled");
    second.enable().expect("enabled");
    for events in [&of_first, &of_second] {
        wait(events, |event| *event == Event::PeersChanged { count: 1 });
    }
    let tempo = Tempo::from_bpm(133.0).expect("a tempo");
    second.set_tempo(tempo, second.host_now());
    wait(
        &of_first,
        |event| matches!(event, Event::TempoChanged { tempo: new, .. } if *new == tempo),
    );
    let host = first.host_now();
    let phases = [&first, &second].map(|link| link.reader().phase_at(host, Quantum::BAR).as_f64());
    let difference = (phases[0] - phases[1] + 2.0).rem_euclid(4.0) - 2.0;
    // A bound for any machine; what it is, is measured beside other programs.
    assert!(difference.abs() < 0.05, "{phases:?}");
    first.set_playing(true, first.host_now());
    wait(&of_second, |event| {
        matches!(event, Event::PlayingChanged { is_playing: true, .. })
    });
    second.disable();
    wait(&of_first, |event| *event == Event::PeersChanged { count: 0 });
    // The sockets are those of the last thread, whatever the ones before still do.
    for _ in 0..20 {
        second.enable().expect("enabled");
        second.disable();
    }
    second.enable().expect("enabled");
    wait(&of_first, |event| *event == Event::PeersChanged { count: 1 });
    second.shut_down();
    wait(&of_first, |event| *event == Event::PeersChanged { count: 0 });
    assert!(first.counts().node.malformed.iter().all(|count| *count == 0));
    first.shut_down();
    Ok(())
}

/// Whoever shuts a member down while another thread enables it leaves for good.
#[test]
fn member_that_is_shut_down_while_it_is_enabled_has_left() -> std::io::Result<()> {
    let port = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port();
    let runtime = Arc::new(Runtime::of_system(1));
    for _ in 0..50 {
        let (link, _events) = member(&runtime, port);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Refused from the call of the other thread on.
                while link.enable().is_ok() {
                    link.disable();
                }
            });
            link.shut_down();
        });
        assert!(!link.is_enabled() && link.gateways().is_empty());
    }
    Ok(())
}

/// A network of which one interface has sockets that cannot be watched.
struct Unwatched(UdpNetwork);

impl Network for Unwatched {
    fn interfaces(&mut self) -> std::io::Result<Vec<Interface>> {
        let all = self.0.interfaces()?;
        let loopback = all
            .into_iter()
            .find(|interface| interface.address == Ipv4Addr::LOCALHOST);
        let loopback = loopback.expect("a loopback");
        let other = Interface {
            name: "other".to_owned(),
            ..loopback.clone()
        };
        Ok(vec![other, loopback])
    }

    fn has_device(&self, name: &str) -> bool {
        self.0.has_device(name)
    }

    fn port(&self) -> u16 {
        self.0.port
    }

    fn open(&mut self, interface: &Interface) -> std::io::Result<Sockets> {
        let mut sockets = self.0.open(interface)?;
        if interface.name == "other" {
            sockets.descriptors = vec![-1];
        }
        Ok(sockets)
    }
}

#[test]
fn interface_whose_sockets_are_not_watched_takes_no_other_with_it() -> std::io::Result<()> {
    let port = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port();
    let runtime = Arc::new(Runtime::of_system(1));
    let (first, of_first) = member(&runtime, port);
    let network = UdpNetwork {
        clock: runtime.shared_clock(),
        port,
    };
    let second = Link::over(
        runtime,
        LinkConfiguration::default(),
        Box::new(Unwatched(network)),
        HostClock::of_system(),
    );
    first.enable().expect("enabled");
    second.enable().expect("enabled");
    wait(&of_first, |event| *event == Event::PeersChanged { count: 1 });
    let tempo = Tempo::from_bpm(71.0).expect("a tempo");
    first.set_tempo(tempo, first.host_now());
    while second.snapshot().tempo() != tempo {
        std::thread::yield_now();
    }
    let names: Vec<_> = second
        .gateways()
        .into_iter()
        .map(|gateway| gateway.interface)
        .collect();
    assert!(names.len() == 1 && names[0] != "other", "{names:?}");
    assert!(second.counts().socket_errors > 0);
    Ok(())
}

/// A call that waits for a lock of the parent's would do so without end.
#[expect(clippy::disallowed_methods, reason = "it ends a child of the test")]
fn end_late() {
    let (_silent, silence) = std::sync::mpsc::channel::<()>();
    let _ = silence.recv_timeout(Duration::from_secs(20));
    std::process::abort();
}

/// A fork that has a member's sockets, and perhaps a lock that is never released there, neither speaks for it nor waits.
#[test]
fn fork_neither_speaks_for_the_member_nor_waits() -> std::io::Result<()> {
    let port = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port();
    let runtime = Arc::new(Runtime::of_system(1));
    let ((first, of_first), (second, _of_second)) = (member(&runtime, port), member(&runtime, port));
    first.enable().expect("enabled");
    second.enable().expect("enabled");
    wait(&of_first, |event| *event == Event::PeersChanged { count: 1 });
    let before = second.snapshot();
    let tempo = Tempo::from_bpm(155.0).expect("a tempo");
    let held = second.driver.lock();
    let is_well = rustle_testkit::in_fork(|| {
        std::thread::spawn(end_late);
        let at = second.host_now();
        second.set_tempo(tempo, at);
        second.set_playing(true, at);
        second.set_follows_start_stop(false);
        second.set_quantum(Quantum::BEAT);
        second.force_beat(Beats::ZERO, at);
        let requested = second.request_beat(Beats::ZERO, at);
        let refused = [
            second.enable().err(),
            second.start(log().0).err().map(LinkError::Start),
        ];
        second.disable();
        second.shut_down();
        let is_empty = second.gateways().is_empty() && second.counts() == LinkCounts::default();
        let is_same = second.snapshot() == before && second.reader().snapshot() == before;
        let is_forked = |error: &Option<LinkError>| {
            matches!(
                error,
                Some(LinkError::Start(StartError::Runtime(RuntimeError::Forked { .. })))
            )
        };
        is_empty && is_same && requested == at && refused.iter().all(is_forked)
    });
    drop(held);
    assert!(is_well);
    // What the parent says arrives, and nothing came before it.
    second.set_tempo(Tempo::from_bpm(99.0).expect("a tempo"), second.host_now());
    let heard = wait(&of_first, |event| !matches!(event, Event::PhaseShifted { .. }));
    assert!(
        matches!(heard, Event::TempoChanged { tempo, .. } if tempo.bpm() < 100.0),
        "{heard:?}"
    );
    Ok(())
}

#[test]
fn fork_of_a_process_that_enabled_nothing_may_enable() {
    let runtime = Arc::new(Runtime::of_system(1));
    let configuration = LinkConfiguration {
        interfaces: vec![Ipv4Addr::LOCALHOST.to_string()],
        ..LinkConfiguration::default()
    };
    let port = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| socket.local_addr());
    let network = UdpNetwork {
        clock: runtime.shared_clock(),
        port: port.expect("a port").port(),
    };
    let link = Link::over(runtime, configuration, Box::new(network), HostClock::of_system());
    assert!(rustle_testkit::in_fork(|| {
        link.enable().expect("enabled");
        let is_enabled = link.is_enabled() && link.gateways().len() == 1;
        link.disable();
        is_enabled && !link.is_enabled()
    }));
}
