//! A sender of sACN on a virtual clock, and what it sent.

use crate::support::{SECOND, cid, name, universe};
use rustle_lighting::SacnUniverse;
use rustle_lighting::sacn::{Options, Packet, parse};
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, SacnSenderSettings};
use std::net::SocketAddrV4;

pub(crate) const START: u64 = 77 * SECOND;

/// A packet that was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) at: u64,
    pub(crate) to: SocketAddrV4,
    pub(crate) bytes: Vec<u8>,
}

impl Sent {
    pub(crate) fn data(&self) -> Option<(u16, u8, u8, Options, u8)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Data(data) => {
                let first = data.slots.first().copied().unwrap_or(0);
                Some((
                    data.universe.get(),
                    data.sequence,
                    data.start_code,
                    data.options,
                    first,
                ))
            }
            _ => None,
        }
    }

    /// The priority, and the synchronization address.
    pub(crate) fn merged_by(&self) -> Option<(u8, Option<u16>)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Data(data) => Some((data.priority, data.sync_address.map(SacnUniverse::get))),
            _ => None,
        }
    }

    pub(crate) fn sync(&self) -> Option<(u16, u8)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Sync(sync) => Some((sync.address.get(), sync.sequence)),
            _ => None,
        }
    }

    pub(crate) fn discovery(&self) -> Option<(u8, u8, Vec<u16>)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Discovery(page) => Some((
                page.page,
                page.last_page,
                page.universes().map(SacnUniverse::get).collect(),
            )),
            _ => None,
        }
    }
}

pub(crate) fn sender(rate: FrameRate, sync_gap_ns: u64) -> SacnSender {
    let settings = SacnSenderSettings {
        cid: cid(1),
        name: name(),
        rate,
        sync_gap_ns,
    };
    SacnSender::new(settings, START)
}

pub(crate) fn with_universes(numbers: &[u32], settings: &SacnOutput) -> SacnSender {
    let mut sender = sender(FrameRate::FULL, 0);
    for number in numbers {
        sender.add(universe(*number), settings.clone()).expect("new");
    }
    sender
}

/// Runs until a time, waking when something is due.
pub(crate) fn run(sender: &mut SacnSender, now: &mut u64, until: u64) -> Vec<Sent> {
    let mut sent = Vec::new();
    while let Some(next) = sender.next_ns().filter(|next| *next <= until) {
        *now = (*now).max(next);
        sender.advance(*now);
        sent.extend(sender.datagrams().map(|datagram| Sent {
            at: *now,
            to: datagram.to,
            bytes: datagram.bytes.to_vec(),
        }));
        assert!(
            sender.next_ns().is_none_or(|after| after > *now),
            "wakes for nothing"
        );
    }
    *now = until;
    sent
}
