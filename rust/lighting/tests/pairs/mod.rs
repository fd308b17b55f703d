//! Senders and receivers of the same universes.

use rustle_lighting::artnet::PORT;
use rustle_lighting::receiver::{ArtNetReceiver, PortSettings, SacnReceiver, SyncRule, UniverseSettings};
use rustle_lighting::sender::{
    ArtNetSender, ArtNetSenderSettings, Destinations, FrameRate, SacnOutput, SacnSender, SacnSenderSettings,
};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};
use std::net::{Ipv4Addr, SocketAddrV4};

/// Both sides of synchronized universes from 1 on, which send at the full rate.
pub(crate) fn sacn(
    universes: u32,
    sync_gap_ns: u64,
    rule: SyncRule,
) -> (SacnSender, SacnReceiver, Vec<SacnUniverse>) {
    let settings = SacnSenderSettings {
        cid: Cid::from_random([1; 16]),
        name: Name::new("source").expect("short"),
        rate: FrameRate::FULL,
        sync_gap_ns,
    };
    let mut sender = SacnSender::new(settings, 0);
    let mut receiver = SacnReceiver::new(rule);
    let numbers: Vec<_> = (1..=universes)
        .filter_map(|number| SacnUniverse::new(number).ok())
        .collect();
    for universe in &numbers {
        let output = SacnOutput {
            sync_address: Some(SacnUniverse::LAST),
            ..SacnOutput::default()
        };
        sender.add(*universe, output).expect("new");
        receiver.listen(*universe, UniverseSettings::default());
    }
    (sender, receiver, numbers)
}

/// Both sides of synchronized Port-Addresses from 0 on, which send to this machine at the full rate.
pub(crate) fn art_net(
    universes: u32,
    sync_gap_ns: u64,
    rule: SyncRule,
) -> (ArtNetSender, ArtNetReceiver, Vec<PortAddress>) {
    let to = vec![SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT)];
    let settings = ArtNetSenderSettings {
        rate: FrameRate::FULL,
        sync: to.clone(),
        sync_gap_ns,
    };
    let mut sender = ArtNetSender::new(settings, 0);
    let mut receiver = ArtNetReceiver::new(rule);
    let numbers: Vec<_> = (0..universes)
        .filter_map(|number| PortAddress::new(number).ok())
        .collect();
    for address in &numbers {
        sender
            .add(*address, 0, Destinations::Fixed(to.clone()))
            .expect("new");
        receiver.listen(*address, PortSettings::default());
    }
    (sender, receiver, numbers)
}
