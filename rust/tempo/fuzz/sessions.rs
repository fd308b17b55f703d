//! A libFuzzer target: the bytes are datagrams, faults of good ones and calls of the program, with the times between them.
//!
//! Nothing may panic; outputs are bounded; what is announced is understood; and what the node
//! asks to be called for lies in the future.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Time};
use rustle_tempo::link::{parse, ping, Action, GatewayId, Node, NodeSettings, Output, Snapshot};
use std::net::{Ipv4Addr, SocketAddrV4};

const GATEWAYS: [GatewayId; 2] = [GatewayId(0), GatewayId(1)];

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let mut world = World::new();
    let mut rest = Input(bytes);
    while let Some(kind) = rest.byte() {
        world.step(kind, &mut rest);
    }
    0
}

/// The bytes that are left.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> i64 {
        let (taken, rest) = self.0.split_at(self.0.len().min(8));
        self.0 = rest;
        taken
            .iter()
            .fold(0, |number, byte| number << 8 | i64::from(*byte))
    }
}

/// Two nodes: what one sends, the other hears, with faults.
struct World {
    now: HostTime,
    nodes: [Node; 2],
    output: Output,
}

impl World {
    fn new() -> Self {
        let now = HostTime::new(1_000_000_000);
        let nodes = [1, 2].map(|seed| Node::new(&NodeSettings::new(seed), now));
        let mut world = Self {
            now,
            nodes,
            output: Output::default(),
        };
        for index in 0..2 {
            for gateway in GATEWAYS {
                world.nodes[index].add_gateway(now, gateway, address(index, 2), &mut world.output);
            }
            world.nodes[index].enable(now, &mut world.output);
        }
        world
    }

    fn step(&mut self, kind: u8, rest: &mut Input<'_>) {
        let wait = rest.byte().unwrap_or(0);
        // From 1 us to half a minute.
        self.now = self.now.saturating_add_micros(1 << (wait % 26));
        let index = usize::from(kind & 1);
        let (now, output) = (self.now, &mut self.output);
        let node = &mut self.nodes[index];
        match kind >> 1 & 15 {
            0 => node.enable(now, output),
            1 => node.disable(now, output),
            2 => {
                let tempo = Tempo::from_micros_per_beat(rest.number()).unwrap_or_default();
                node.set_tempo(now, tempo, now, output);
            }
            3 => node.set_tempo(now, Tempo::SLOWEST, HostTime::new(rest.number()), output),
            4 => node.set_playing(now, wait >= 128, HostTime::new(rest.number()), output),
            5 => node.set_follows_start_stop(wait >= 128, output),
            6 => {
                let quantum = Quantum::new(Beats::from_micro(rest.number())).unwrap_or_default();
                node.set_quantum(now, quantum, output);
            }
            7 => drop(node.request_beat(now, Beats::from_micro(rest.number()), now, output)),
            8 => node.force_beat(
                now,
                Beats::from_micro(rest.number()),
                HostTime::new(rest.number()),
                output,
            ),
            9 => node.remove_gateway(now, GATEWAYS[usize::from(wait & 1)], output),
            10 => node.add_gateway(now, GATEWAYS[usize::from(wait & 1)], address(index, 2), output),
            _ => node.advance(now, output),
        }
        self.carry(index, kind >> 5, rest);
        for node in &mut self.nodes {
            node.advance(now, &mut self.output);
            assert!(
                node.next().is_none_or(|next| next > now),
                "{:?} {now:?}",
                node.next()
            );
            let snapshot = node.snapshot();
            assert_eq!(Snapshot::from_words(&snapshot.to_words()), snapshot);
            let later = now.saturating_add_micros(rest.0.len() as i64);
            assert!(snapshot.beats_at(later) >= snapshot.beats_at(now));
        }
    }

    /// Hands what one node sent to the other one, the first messages with faults.
    fn carry(&mut self, mut index: usize, mut faults: u8, rest: &mut Input<'_>) {
        // A measurement has some hundred of turns.
        for _ in 0..300 {
            let output = std::mem::take(&mut self.output);
            assert!(
                output.actions.len() <= 32 && output.events.len() <= 32,
                "{output:?}"
            );
            let other = 1 - index;
            for action in output.actions {
                let (gateway, to, mut bytes) = match action {
                    Action::Multicast { gateway, packet } => (gateway, None, packet.bytes().to_vec()),
                    Action::Unicast { gateway, to, packet } => (gateway, Some(to), packet.bytes().to_vec()),
                    Action::Ping {
                        gateway,
                        to,
                        previous,
                    } => (gateway, Some(to), ping(self.now, previous).bytes().to_vec()),
                };
                // Pings of times that others do not take are not answered, and harm nobody.
                assert!(matches!(action, Action::Ping { .. }) || parse(&bytes).is_ok());
                if faults > 0 {
                    faults -= 1;
                    let (place, value) = (rest.byte().unwrap_or(0), rest.byte().unwrap_or(0));
                    let place = usize::from(place) % bytes.len();
                    bytes[place] = value;
                }
                self.now = self.now.saturating_add_micros(10);
                let (now, from) = (self.now, address(index, 1));
                if to.is_some_and(|to| to.port() == 2) {
                    if let Some(pong) = self.nodes[other].answer(now, from, &bytes) {
                        self.nodes[index].hear(
                            now,
                            gateway,
                            address(other, 2),
                            pong.bytes(),
                            &mut self.output,
                        );
                    }
                } else {
                    self.nodes[other].hear(now, gateway, from, &bytes, &mut self.output);
                }
            }
            if self.output.actions.is_empty() {
                break;
            }
            // Responses are the other's; pings that follow a pong are the same node's, and reach itself as any address would.
            let is_ping = matches!(self.output.actions[0], Action::Ping { .. });
            index = if is_ping { index } else { other };
        }
    }
}

fn address(index: usize, port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, index as u8 + 1), port)
}
